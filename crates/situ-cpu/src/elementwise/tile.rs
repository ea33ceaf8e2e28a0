//! Carries out a schedule over a part of its nest, tile by tile.

use std::mem::MaybeUninit;
use std::slice;

use super::cursor::Cursor;
use super::nest::Nest;
use super::schedule::{Action, Delivery, Place, SLOT_BYTES, Schedule};
use super::strided::{Block, copy_block, repeat};
use super::table::MAX_ARITY;
use crate::bytes::{LINE, fence, stream};
use crate::isa::Isa;

/// Slots kept on the stack; longer programs take theirs from the heap.
const STACK_SLOTS: usize = 8;

/// Scratch memory, aligned so that a slot's vectors never straddle lines.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Line(#[allow(dead_code, reason = "read and written through pointers only")] [u8; LINE]);

const SLOT_LINES: usize = SLOT_BYTES / LINE;

/// The elements an action applies to.
#[derive(Clone, Copy, Debug)]
struct Tile {
    /// Position of its first element within the row.
    first: usize,
    /// Position of its first element within the whole.
    position: usize,
    rows: usize,
    columns: usize,
}

impl Tile {
    fn len(self) -> usize {
        self.rows * self.columns
    }
}

struct Walk<'a> {
    nest: &'a Nest,
    isa: Isa,
    scratch: *mut u8,
    cursor: Cursor<'a>,
}

/// Units that a nest can be divided into: elements where rows are walked one by one, else rows.
pub(super) fn units(nest: &Nest) -> usize {
    if nest.has_long_rows() { nest.rows() * nest.row_length() } else { nest.rows() }
}

/// Units in a tile.
pub(super) fn units_per_tile(nest: &Nest, schedule: &Schedule) -> usize {
    if nest.has_long_rows() { schedule.tile } else { (schedule.tile / nest.row_length()).max(1) }
}

/// Carries out the schedule for units `begin..end` of the nest.
///
/// # Safety
///
/// The nest's operands are valid for the program's accesses, nobody else touches what this part writes, an output
/// coincides with an input exactly or not at all, and the processor has the instruction set.
pub(super) unsafe fn run_part(nest: &Nest, schedule: &Schedule, isa: Isa, begin: usize, end: usize) {
    let mut stack = MaybeUninit::<[Line; STACK_SLOTS * SLOT_LINES]>::uninit();
    let mut heap = Vec::<Line>::new();
    let scratch = if schedule.slots <= STACK_SLOTS {
        stack.as_mut_ptr().cast()
    } else {
        heap.reserve_exact(schedule.slots * SLOT_LINES);
        heap.as_mut_ptr().cast()
    };
    let length = nest.row_length();
    let is_long = nest.has_long_rows();
    let mut walk = Walk { nest, isa, scratch, cursor: Cursor::at(nest, if is_long { begin / length } else { begin }) };
    let per_tile = units_per_tile(nest, schedule);

    // SAFETY: the caller's promise, for everything in the block; every tile below lies inside the nest, and none exceeds the
    // schedule's tile, which is what a slot has room for.
    unsafe {
        let widest = Tile { first: 0, position: 0, rows: 1, columns: schedule.tile.min((end - begin) * length) };
        walk.perform(&schedule.once, widest);
        if is_long {
            let (mut position, mut first) = (begin, begin % length);
            while position < end {
                let run = (length - first).min(end - position);
                walk.perform(&schedule.each_row, Tile { first, position, rows: 1, columns: run.min(schedule.tile) });
                let mut columns = walk.first_tile(schedule, first).min(run);
                let mut done = 0;
                while done < run {
                    let tile = Tile { first: first + done, position: position + done, rows: 1, columns };
                    walk.perform(&schedule.each_tile, tile);
                    done += columns;
                    columns = per_tile.min(run - done);
                }
                position += run;
                first = 0;
                walk.cursor.advance();
            }
        } else {
            let mut row = begin;
            while row < end {
                walk.cursor.seek(row);
                let rows = per_tile.min(end - row);
                walk.perform(&schedule.each_tile, Tile { first: 0, position: row * length, rows, columns: length });
                row += rows;
            }
        }
    }
    if schedule.streamed.is_some() {
        fence();
    }
}

impl Walk<'_> {
    /// The length of a row's first tile: shorter where that lets the others start at a line of a streamed output.
    fn first_tile(&self, schedule: &Schedule, first: usize) -> usize {
        match schedule.streamed {
            Some(operand) if schedule.tile != usize::MAX => {
                let width = self.nest.strands[operand].width;
                let into_line = (self.cursor.start(operand) as usize + first * width) % LINE;
                schedule.tile - into_line / width
            }
            _ => schedule.tile,
        }
    }

    /// # Safety
    ///
    /// `place` is an operand whose tile is dense, or a slot in use.
    unsafe fn pointer(&self, place: Place, tile: Tile) -> *mut u8 {
        match place {
            // SAFETY: the tile lies inside the nest, and the operand's elements of it side by side.
            Place::Operand(n) => unsafe { self.cursor.start(n).add(tile.first * self.nest.strands[n].width) },
            // SAFETY: scratch memory holds every slot of the schedule.
            Place::Slot(slot) => unsafe { self.scratch.add(slot * SLOT_BYTES) },
        }
    }

    /// # Safety
    ///
    /// As for [`run_part`]; the tile lies inside the nest, is no longer than the schedule's, and the cursor is at its
    /// first row.
    unsafe fn perform(&self, actions: &[Action], tile: Tile) {
        for action in actions {
            match action {
                Action::Run { body, args, to, width } => {
                    let mut inputs = [std::ptr::null(); MAX_ARITY];
                    for (input, arg) in inputs.iter_mut().zip(args) {
                        // SAFETY: the schedule reads only operands that are dense and slots filled before.
                        *input = unsafe { self.pointer(*arg, tile) }.cast_const();
                    }
                    // SAFETY: the schedule writes results to slots that hold no argument, or to outputs that overlap
                    // no input; both have room for the tile.
                    unsafe {
                        let out = self.pointer(*to, tile).cast::<MaybeUninit<u8>>();
                        body(slice::from_raw_parts_mut(out, tile.len() * width), &inputs[..args.len()]);
                    }
                }
                // SAFETY: passed on from the caller.
                Action::Deliver { operand, from, how } => unsafe { self.deliver(*operand, *from, *how, tile) },
                // SAFETY: as above.
                Action::Collect { operand, to } => unsafe { self.collect(*operand, *to, tile) },
                Action::Repeat { operand, slot } => {
                    // SAFETY: the operand is one element for the whole row, and the slot has room for a tile.
                    unsafe {
                        let to = self.pointer(Place::Slot(*slot), tile);
                        repeat(self.nest.strands[*operand].width, to, self.cursor.start(*operand), tile.len());
                    }
                }
                Action::Count { to } => {
                    // SAFETY: the place has room for a tile of 64-bit integers.
                    let to = unsafe { self.pointer(*to, tile) }.cast::<i64>();
                    for i in 0..tile.len() {
                        // SAFETY: `i` is inside the tile.
                        unsafe { to.add(i).write((tile.position + i) as i64) };
                    }
                }
            }
        }
    }

    /// Calls `copy(operand's block, tile's block, rows)` for parts of the tile that together are all of it.
    fn for_each_block(&self, operand: usize, tile: Tile, dense: *mut u8, mut copy: impl FnMut(Block, Block, usize)) {
        let strand = &self.nest.strands[operand];
        let step = |from_last: usize| strand.steps.len().checked_sub(from_last).map_or(0, |axis| strand.steps[axis]);
        let mut dense = dense;
        self.cursor.for_each_run(operand, tile.rows, |start, rows| {
            let start = start.wrapping_offset(tile.first as isize * step(1));
            let part = Block::dense(dense, tile.columns, strand.width);
            copy(Block { start, row: step(2), column: step(1) }, part, rows);
            dense = dense.wrapping_add(rows * tile.columns * strand.width);
        });
    }

    /// # Safety
    ///
    /// As for [`perform`](Self::perform).
    unsafe fn collect(&self, operand: usize, to: Place, tile: Tile) {
        // SAFETY: the destination has room for a tile.
        let to = unsafe { self.pointer(to, tile) };
        self.for_each_block(operand, tile, to, |operand_part, part, rows| {
            // SAFETY: the parts make up the tile, in the operand and in the destination.
            unsafe { copy_block(self.nest.strands[operand].width, part, operand_part, rows, tile.columns) };
        });
    }

    /// # Safety
    ///
    /// As for [`perform`](Self::perform).
    unsafe fn deliver(&self, operand: usize, from: Place, how: Delivery, tile: Tile) {
        let width = self.nest.strands[operand].width;
        // SAFETY: the schedule delivers only values it has computed.
        let from = unsafe { self.pointer(from, tile) };
        if how == Delivery::Scattered {
            return self.for_each_block(operand, tile, from, |operand_part, part, rows| {
                // SAFETY: the parts make up the tile, in the operand and where its values are.
                unsafe { copy_block(width, operand_part, part, rows, tile.columns) };
            });
        }
        // SAFETY: the output is dense over the tile. A streamed one overlaps nothing; a copied one may be the very
        // input it copies.
        unsafe {
            let to = self.pointer(Place::Operand(operand), tile);
            match how {
                Delivery::Streamed => stream(self.isa, to, from, tile.len() * width),
                _ => std::ptr::copy(from, to, tile.len() * width),
            }
        }
    }
}
