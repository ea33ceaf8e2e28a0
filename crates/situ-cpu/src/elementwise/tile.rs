//! Carries out a schedule over a part of its nest, tile by tile.

use std::mem::MaybeUninit;
use std::slice;

use super::cursor::Cursor;
use super::nest::{Cut, Nest};
use super::schedule::{Action, Arg, Delivery, Place, Schedule};
use super::strided::{Block, copy_block, copy_line, repeat};
use super::table::MAX_ARITY;
use crate::bytes::{LINE, fence, fetch, stream};
use crate::isa::Isa;

/// Bytes of slots kept on the stack; longer programs take theirs from the heap.
const STACK_BYTES: usize = 36864;

/// How many tiles ahead operands are fetched: what is on its way then fits what a core can wait for at a time.
const TILES_AHEAD: usize = 2;

/// Scratch memory, aligned so that a slot's vectors never straddle lines.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Line(#[allow(dead_code, reason = "read and written through pointers only")] [u8; LINE]);

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
    slot_bytes: usize,
    cursor: Cursor<'a>,
}

/// Units that a nest can be divided into: elements where tiles are pieces of rows, else rows, or whole bands.
pub(super) fn units(nest: &Nest) -> usize {
    match nest.cut {
        Cut::Pieces => nest.rows() * nest.row_length(),
        Cut::Rows => nest.rows(),
        Cut::Bands { rows, columns } => {
            let planes = nest.rows() / nest.plane_rows();
            planes * nest.plane_rows().div_ceil(rows) * nest.row_length().div_ceil(columns)
        }
    }
}

/// Units in a tile.
pub(super) fn units_per_tile(nest: &Nest, schedule: &Schedule) -> usize {
    match nest.cut {
        Cut::Pieces => schedule.tile,
        Cut::Rows => (schedule.tile / nest.row_length()).max(1),
        Cut::Bands { .. } => 1,
    }
}

/// Carries out the schedule for units `begin..end` of the nest.
///
/// # Safety
///
/// The nest's operands are valid for the program's accesses, nobody else touches what this part writes, an output
/// coincides with an input exactly or not at all, and the processor has the instruction set.
pub(super) unsafe fn run_part(nest: &Nest, schedule: &Schedule, isa: Isa, begin: usize, end: usize) {
    let mut stack = MaybeUninit::<[Line; STACK_BYTES / LINE]>::uninit();
    let mut heap = Vec::<Line>::new();
    let needed = schedule.slots * schedule.slot_bytes;
    let scratch = if needed <= STACK_BYTES {
        stack.as_mut_ptr().cast()
    } else {
        heap.reserve_exact(needed / LINE);
        heap.as_mut_ptr().cast()
    };
    let cursor = Cursor::at(nest, 0);
    let mut walk = Walk { nest, isa, scratch, slot_bytes: schedule.slot_bytes, cursor };
    // SAFETY: the caller's promise; scratch memory has room for the schedule's slots.
    unsafe {
        match nest.cut {
            Cut::Pieces => walk.pieces(schedule, begin, end),
            Cut::Rows => walk.rows(schedule, begin, end),
            Cut::Bands { rows, columns } => walk.bands(schedule, begin, end, rows, columns),
        }
    }
    if schedule.streamed.is_some() {
        fence();
    }
}

impl Walk<'_> {
    /// # Safety
    ///
    /// As for [`run_part`], for elements `begin..end`; scratch memory has room for the schedule's slots.
    unsafe fn pieces(&mut self, schedule: &Schedule, begin: usize, end: usize) {
        let length = self.nest.row_length();
        let (mut position, mut first) = (begin, begin % length);
        self.cursor.seek(begin / length);
        // SAFETY: the caller's promise; every tile lies inside the nest, and none exceeds the schedule's tile, which is
        // what a slot has room for.
        unsafe {
            let columns = schedule.tile.min(end - begin);
            self.perform(&schedule.once, Tile { first: 0, position: 0, rows: 1, columns });
            while position < end {
                let run = (length - first).min(end - position);
                self.perform(&schedule.each_row, Tile { first, position, rows: 1, columns: run.min(schedule.tile) });
                let mut columns = self.first_tile(schedule, first).min(run);
                let mut done = 0;
                while done < run {
                    self.fetch_ahead(schedule, first + done, columns);
                    self.perform(
                        &schedule.each_tile,
                        Tile { first: first + done, position: position + done, rows: 1, columns },
                    );
                    done += columns;
                    columns = schedule.tile.min(run - done);
                }
                position += run;
                first = 0;
                self.cursor.advance();
            }
        }
    }

    /// # Safety
    ///
    /// As for [`pieces`](Self::pieces), for rows `begin..end`.
    unsafe fn rows(&mut self, schedule: &Schedule, begin: usize, end: usize) {
        let (length, per_tile) = (self.nest.row_length(), units_per_tile(self.nest, schedule));
        let tile =
            |row: usize| Tile { first: 0, position: row * length, rows: per_tile.min(end - row), columns: length };
        // SAFETY: as in `pieces`.
        unsafe {
            self.perform(&schedule.once, tile(begin));
            for row in (begin..end).step_by(per_tile) {
                self.cursor.seek(row);
                self.perform(&schedule.each_tile, tile(row));
            }
        }
    }

    /// # Safety
    ///
    /// As for [`pieces`](Self::pieces), for bands `begin..end` of so many rows and columns: all with the same columns
    /// before the others, so that an operand that is far apart along the columns comes back to its pages while they are
    /// near.
    unsafe fn bands(&mut self, schedule: &Schedule, begin: usize, end: usize, rows: usize, columns: usize) {
        let (length, plane_rows) = (self.nest.row_length(), self.nest.plane_rows());
        let per_plane = plane_rows.div_ceil(rows);
        let per_strip = self.nest.rows() / plane_rows * per_plane;
        // SAFETY: as in `pieces`.
        unsafe {
            self.perform(&schedule.once, Tile { first: 0, position: 0, rows, columns });
            for unit in begin..end {
                let (strip, band) = (unit / per_strip, unit % per_strip);
                let (first, row) = (strip * columns, band % per_plane * rows);
                let rows = rows.min(plane_rows - row);
                self.cursor.seek(band / per_plane * plane_rows + row);
                self.perform(
                    &schedule.each_tile,
                    Tile { first, position: 0, rows, columns: columns.min(length - first) },
                );
            }
        }
    }

    /// Has the lines fetched that a tile some way on will read.
    fn fetch_ahead(&self, schedule: &Schedule, first: usize, columns: usize) {
        for &(operand, next_line) in &schedule.fetched {
            let step = self.step(operand, 1);
            let ahead = (first + TILES_AHEAD * schedule.tile) as isize;
            let from = self.cursor.start(operand).wrapping_offset(ahead * step);
            for i in (0..columns).step_by(next_line) {
                fetch(from.wrapping_offset(i as isize * step));
            }
        }
    }

    /// The length of a row's first tile: shorter where that lets the others start at a line of a streamed output.
    fn first_tile(&self, schedule: &Schedule, first: usize) -> usize {
        match schedule.streamed {
            Some(operand) if schedule.tile != usize::MAX => {
                let width = self.nest.operands[operand].width;
                let into_line = (self.cursor.start(operand) as usize + first * width) % LINE;
                schedule.tile - into_line / width
            }
            _ => schedule.tile,
        }
    }

    /// Where a row of the tile is.
    ///
    /// # Safety
    ///
    /// `place` is an operand whose row is dense, or a slot in use for elements of that width.
    unsafe fn pointer(&self, (place, width): Arg, tile: Tile, row: usize) -> *mut u8 {
        match place {
            Place::Operand(n) => {
                let across = if row == 0 { 0 } else { self.step(n, 2) * row as isize };
                self.cursor.start(n).wrapping_offset(across).wrapping_add(tile.first * width)
            }
            // SAFETY: scratch memory holds every slot of the schedule, with room for the tile.
            Place::Slot(slot) => unsafe { self.scratch.add(slot * self.slot_bytes + row * tile.columns * width) },
        }
    }

    /// An operand's step along the axis so far from the last.
    fn step(&self, operand: usize, from_last: usize) -> isize {
        let steps = &self.nest.operands[operand].steps;
        steps.len().checked_sub(from_last).map_or(0, |axis| steps[axis])
    }

    /// # Safety
    ///
    /// As for [`run_part`]; the tile lies inside the nest, is no longer than the schedule's, and the cursor is at its
    /// first row.
    unsafe fn perform(&self, actions: &[Action], tile: Tile) {
        for action in actions {
            match action {
                Action::Run { body, args, to, by_row } => {
                    let (calls, count) = if *by_row { (tile.rows, tile.columns) } else { (1, tile.len()) };
                    for row in 0..calls {
                        let mut inputs = [std::ptr::null(); MAX_ARITY];
                        for (input, arg) in inputs.iter_mut().zip(args) {
                            // SAFETY: the schedule reads only operands that are dense and slots filled before.
                            *input = unsafe { self.pointer(*arg, tile, row) }.cast_const();
                        }
                        // SAFETY: the schedule writes results to slots that hold no argument, or to outputs that
                        // overlap no input; both have room for the tile.
                        unsafe {
                            let out = self.pointer(*to, tile, row).cast::<MaybeUninit<u8>>();
                            body(slice::from_raw_parts_mut(out, count * to.1), &inputs[..args.len()]);
                        }
                    }
                }
                // SAFETY: passed on from the caller.
                Action::Deliver { operand, from, how } => unsafe { self.deliver(*operand, *from, *how, tile) },
                // SAFETY: as above.
                Action::Collect { operand, to } => unsafe { self.collect(*operand, *to, tile) },
                Action::Repeat { operand, slot } => {
                    let width = self.nest.operands[*operand].width;
                    // SAFETY: the operand is one element for the whole row, and the slot has room for a tile.
                    unsafe {
                        let to = self.pointer((Place::Slot(*slot), width), tile, 0);
                        repeat(self.isa, width, to, self.cursor.start(*operand), tile.len());
                    }
                }
                Action::Count { to } => {
                    // SAFETY: the place has room for a tile of 64-bit integers.
                    let to = unsafe { self.pointer((*to, size_of::<i64>()), tile, 0) }.cast::<i64>();
                    for i in 0..tile.len() {
                        // SAFETY: `i` is inside the tile.
                        unsafe { to.add(i).write((tile.position + i) as i64) };
                    }
                }
            }
        }
    }

    /// A tile of an operand, whose rows are evenly apart.
    fn block(&self, operand: usize, tile: Tile) -> Block {
        let (row, column) = (self.step(operand, 2), self.step(operand, 1));
        Block { start: self.cursor.start(operand), row, column }.from(0, tile.first)
    }

    /// Calls `copy(operand's block, place's block, rows)` for parts of the tile that together are all of it.
    ///
    /// # Safety
    ///
    /// As for [`pointer`](Self::pointer).
    unsafe fn for_each_block(
        &self,
        operand: usize,
        place: Place,
        tile: Tile,
        mut copy: impl FnMut(Block, Block, usize),
    ) {
        let width = self.nest.operands[operand].width;
        let mut dense = match place {
            Place::Operand(n) if !self.nest.joins_rows(n) => {
                return copy(self.block(operand, tile), self.block(n, tile), tile.rows);
            }
            // SAFETY: passed on from the caller.
            _ => Block::dense(unsafe { self.pointer((place, width), tile, 0) }, tile.columns, width),
        };
        self.cursor.for_each_run(operand, tile.rows, |start, rows| {
            copy(Block { start, ..self.block(operand, tile) }.from(0, tile.first), dense, rows);
            dense = dense.from(rows, 0);
        });
    }

    /// # Safety
    ///
    /// As for [`perform`](Self::perform).
    unsafe fn collect(&self, operand: usize, to: Place, tile: Tile) {
        let width = self.nest.operands[operand].width;
        // SAFETY: the parts make up the tile, in the operand and in the destination, which has room for it.
        unsafe {
            if tile.rows == 1 {
                // As few instructions as possible: the processor should get to the next tile while it computes this
                // one.
                let step = self.step(operand, 1);
                let from = self.cursor.start(operand).wrapping_offset(tile.first as isize * step);
                return copy_line(
                    self.isa,
                    width,
                    self.pointer((to, width), tile, 0),
                    None,
                    from,
                    Some(step),
                    tile.columns,
                );
            }
            self.for_each_block(operand, to, tile, |from, to, rows| {
                copy_block(self.isa, width, to, from, rows, tile.columns);
            });
        }
    }

    /// # Safety
    ///
    /// As for [`perform`](Self::perform).
    unsafe fn deliver(&self, operand: usize, from: Place, how: Delivery, tile: Tile) {
        let width = self.nest.operands[operand].width;
        if how == Delivery::Scattered {
            // SAFETY: the parts make up the tile, in the operand and where its values are, which the schedule has
            // computed.
            return unsafe {
                self.for_each_block(operand, from, tile, |to, from, rows| {
                    copy_block(self.isa, width, to, from, rows, tile.columns);
                })
            };
        }
        let to = Place::Operand(operand);
        let is_apart = |place: Place| matches!(place, Place::Operand(n) if !self.nest.joins_rows(n));
        let by_row = is_apart(to) || is_apart(from);
        let (copies, bytes) = if by_row { (tile.rows, tile.columns * width) } else { (1, tile.len() * width) };
        for row in 0..copies {
            // SAFETY: the output is dense, and so is what the schedule has computed. A streamed output overlaps
            // nothing; a copied one may be the very input it copies.
            unsafe {
                let (from, to) = (self.pointer((from, width), tile, row), self.pointer((to, width), tile, row));
                match how {
                    Delivery::Streamed => stream(self.isa, to, from, bytes),
                    _ => std::ptr::copy(from, to, bytes),
                }
            }
        }
    }
}
