//! The way through a gather or scatter: indices become offsets, and elements are moved.

use std::sync::atomic::{AtomicUsize, Ordering};

use situ_hal::Indexed;
use situ_types::{Dims, Strides};
use smallvec::SmallVec;

use super::indexed_axis::IndexedAxis;
use super::moves::{Owned, Share, copy_block, range, read_each, write_each, write_owned};
use super::space::OperandSteps;
use super::{TILE, by_width};
use crate::isa::Isa;

/// A transfer, or a part of one.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    pub(super) dims: Dims,
    width: usize,
    array: OperandSteps,
    elements: OperandSteps,
    indexed_axes: SmallVec<[IndexedAxis; 2]>,
    isa: Isa,
    /// Elements of the whole transfer from one position along an axis to the next, in C order, and before the first.
    flat: Strides,
    origin: usize,
    /// The last axis along which an index changes. Offsets are computed along it, a tile at a time; along the axes
    /// after it whole blocks are moved.
    turn: usize,
}

// SAFETY: the pointers are numbers until `run` dereferences them, whose caller vouches that the memory is valid on any
// thread.
unsafe impl Sync for Walk {}

impl Walk {
    pub(super) fn new(command: &Indexed, isa: Isa) -> Walk {
        let mut walk = Walk {
            dims: command.shape.clone(),
            width: command.width,
            array: OperandSteps::new(&command.array, command.width),
            elements: OperandSteps::new(&command.elements, command.width),
            indexed_axes: command.indices.iter().map(|operand| IndexedAxis::new(operand, command.width)).collect(),
            isa,
            flat: Strides::from_elem(1, command.shape.len()),
            origin: 0,
            turn: 0,
        };
        for axis in (1..walk.dims.len()).rev() {
            walk.flat[axis - 1] = walk.flat[axis] * walk.dims[axis].max(1) as isize;
        }
        let turns = |axis: &usize| walk.indexed_axes.iter().any(|indexed| indexed.indices.steps[*axis] != 0);
        match (0..walk.dims.len()).rev().find(turns) {
            Some(axis) => walk.turn = axis,
            None => walk.insert_axis(),
        }
        walk
    }

    /// An outermost axis of length 1, for indices that are the same everywhere.
    fn insert_axis(&mut self) {
        let all = self.dims.iter().product::<usize>().max(1);
        self.dims.insert(0, 1);
        self.flat.insert(0, all as isize);
        let operands = [&mut self.array, &mut self.elements];
        let indexed_axes = self.indexed_axes.iter_mut().map(|indexed| &mut indexed.indices);
        operands.into_iter().chain(indexed_axes).for_each(|operand| operand.steps.insert(0, 0));
    }

    /// The part with so many positions of an axis.
    pub(super) fn part(&self, axis: usize, from: usize, count: usize) -> Walk {
        let mut part = self.clone();
        part.dims[axis] = count.min(self.dims[axis] - from);
        part.origin += from * self.flat[axis] as usize;
        part.array.skip(axis, from);
        part.elements.skip(axis, from);
        part.indexed_axes.iter_mut().for_each(|indexed| indexed.indices.skip(axis, from));
        part
    }

    pub(super) fn moves_single_elements(&self) -> bool {
        self.turn + 1 == self.dims.len()
    }

    /// The addresses of the array that elements can begin at.
    pub(super) fn reach(&self) -> (usize, usize) {
        let own = self.dims.iter().zip(&self.array.steps).map(|(&length, step)| step * (length as isize - 1));
        let own = own.map(|end| (end.min(0), end.max(0)));
        let start = self.array.start as isize;
        let (low, high) = own
            .chain(self.indexed_axes.iter().map(IndexedAxis::reach))
            .fold((start, start), |(low, high), (least, most)| (low + least, high + most));
        (low as usize, high as usize + 1)
    }

    /// Whether a look at some rows' beginnings suggests that places follow each other closely, so that one thread finds
    /// them in its caches and others would only read the indices in vain. `reach` is how far apart places can be.
    ///
    /// # Safety
    ///
    /// As for [`gather`](super::gather).
    pub(super) unsafe fn stays_near(&self, reach: usize) -> bool {
        const LOOKS: usize = 8;
        let row = self.dims[self.turn];
        let count = TILE.min(row);
        let mut tile = [0isize; TILE];
        (0..LOOKS).all(|look| {
            let offsets = &mut tile[..count];
            offsets.fill(0);
            let from = (row - count) / LOOKS * look;
            for indexed in &self.indexed_axes {
                let step = indexed.indices.steps[self.turn];
                // SAFETY: the caller vouches for the indices, of which these are some of the first row.
                unsafe {
                    indexed.add_inside(offsets, indexed.indices.start.wrapping_offset(step * from as isize), step)
                };
            }
            let (least, most) = range(offsets);
            most.abs_diff(least) < reach / 64
        })
    }

    /// Moves every element whose place is owned, in C order.
    ///
    /// # Safety
    ///
    /// As for [`gather`](super::gather), and nobody else accesses the owned places meanwhile.
    pub(super) unsafe fn run<const SCATTER: bool>(&self, owned: Owned, outside: &Outside) {
        let outer = &self.dims[..self.turn];
        let mut index = Dims::from_elem(0, outer.len());
        let mut array = self.array.start;
        let mut elements = self.elements.start;
        let mut position = self.origin as isize;
        let mut indices: SmallVec<[*mut u8; 2]> =
            self.indexed_axes.iter().map(|indexed| indexed.indices.start).collect();
        loop {
            // SAFETY: passed on from the caller; the pointers are those of this position along the outer axes.
            unsafe { self.run_row::<SCATTER>(array, elements, &indices, owned, (outside, position)) };
            let mut axis = outer.len();
            loop {
                if axis == 0 {
                    return;
                }
                axis -= 1;
                index[axis] += 1;
                let wraps = index[axis] == outer[axis];
                let moved = if wraps { 1 - outer[axis] as isize } else { 1 };
                position += self.flat[axis] * moved;
                array = array.wrapping_offset(self.array.steps[axis] * moved);
                elements = elements.wrapping_offset(self.elements.steps[axis] * moved);
                for (start, indexed) in indices.iter_mut().zip(&self.indexed_axes) {
                    *start = start.wrapping_offset(indexed.indices.steps[axis] * moved);
                }
                if !wraps {
                    break;
                }
                index[axis] = 0;
            }
        }
    }

    /// One row along the axis of the tiles, and the blocks along the axes after it.
    ///
    /// # Safety
    ///
    /// As for [`run`](Self::run); the pointers are those of the row.
    unsafe fn run_row<const SCATTER: bool>(
        &self,
        array: *mut u8,
        elements: *mut u8,
        indices: &[*mut u8],
        owned: Owned,
        (outside, position): (&Outside, isize),
    ) {
        let mut tile = [0isize; TILE];
        let (own, apart) = (self.array.steps[self.turn], self.elements.steps[self.turn]);
        for from in (0..self.dims[self.turn]).step_by(TILE) {
            let offsets = &mut tile[..TILE.min(self.dims[self.turn] - from)];
            let prepare = |offsets: &mut [isize]| {
                if own == 0 {
                    offsets.fill(0);
                } else {
                    offsets.iter_mut().enumerate().for_each(|(n, offset)| *offset = own * (from + n) as isize);
                }
            };
            prepare(offsets);
            let mut doubt = false;
            let starts = || {
                self.indexed_axes.iter().zip(indices).map(|(indexed, start)| {
                    let step = indexed.indices.steps[self.turn];
                    (indexed, start.wrapping_offset(step * from as isize), step)
                })
            };
            for (indexed, start, step) in starts() {
                // SAFETY: the caller vouches for every index of the iteration space.
                doubt |= unsafe { indexed.add_to(self.isa, offsets, start, step) };
            }
            if doubt {
                prepare(offsets);
                for ((indexed, start, step), first) in starts().zip(&outside.0) {
                    // SAFETY: as above.
                    unsafe {
                        indexed.add_inside(offsets, start, step);
                        if let Some(n) = indexed.first_outside(start, step, offsets.len()) {
                            let at = position + self.flat[self.turn] * (from + n) as isize;
                            first.fetch_min(at as usize, Ordering::Relaxed);
                        }
                    }
                }
            }
            let elements = elements.wrapping_offset(apart * from as isize);
            // SAFETY: offsets lead to elements of the array, because indices have been brought into their axes; the
            // caller vouches for those and for the elements.
            unsafe {
                if !self.moves_single_elements() {
                    self.move_blocks::<SCATTER>(array, offsets, elements, apart);
                } else if SCATTER {
                    match owned.share(self.isa, array, offsets) {
                        Share::All => by_width!(self.width, write_each(array, offsets, elements, apart)),
                        Share::Some => by_width!(self.width, write_owned(array, offsets, elements, apart, owned)),
                        Share::None => {}
                    }
                } else {
                    by_width!(self.width, read_each(array, offsets, elements, apart));
                }
            }
        }
    }

    /// # Safety
    ///
    /// As for [`run_row`](Self::run_row).
    unsafe fn move_blocks<const SCATTER: bool>(
        &self,
        array: *mut u8,
        offsets: &[isize],
        elements: *mut u8,
        apart: isize,
    ) {
        let inner = self.turn + 1;
        let dims = &self.dims[inner..];
        let (array_steps, element_steps) = (&self.array.steps[inner..], &self.elements.steps[inner..]);
        for (n, offset) in offsets.iter().enumerate() {
            let (place, element) = (array.wrapping_offset(*offset), elements.wrapping_offset(apart * n as isize));
            // SAFETY: passed on from the caller.
            unsafe {
                if SCATTER {
                    copy_block(self.width, dims, (place, array_steps), (element, element_steps));
                } else {
                    copy_block(self.width, dims, (element, element_steps), (place, array_steps));
                }
            }
        }
    }
}

/// The first position of an index that lies outside its axis, for each operand.
pub(super) struct Outside(SmallVec<[AtomicUsize; 2]>);

impl Outside {
    pub(super) fn new(walk: &Walk) -> Outside {
        Outside(walk.indexed_axes.iter().map(|_| AtomicUsize::new(usize::MAX)).collect())
    }

    /// Writes the verdicts that are wanted.
    ///
    /// # Safety
    ///
    /// Their places can be written, and the indices read.
    pub(super) unsafe fn tell(self, walk: &Walk) {
        for (indexed, first) in walk.indexed_axes.iter().zip(self.0) {
            let Some(verdict) = indexed.verdict else { continue };
            let position = first.into_inner();
            let answer = match position {
                usize::MAX => [-1, 0],
                _ => {
                    let along = |axis: usize| (position / walk.flat[axis] as usize) % walk.dims[axis];
                    let steps = (0..walk.dims.len()).map(|axis| along(axis) as isize * indexed.indices.steps[axis]);
                    let at = indexed.indices.start.wrapping_offset(steps.sum());
                    // SAFETY: the position was found among the indices.
                    [position as i64, unsafe { indexed.value(at) }]
                }
            };
            // SAFETY: the caller's promise.
            unsafe { verdict.0.cast::<[i64; 2]>().write_unaligned(answer) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_begins_where_the_whole_has_it() {
        let operand = |steps: &[isize]| OperandSteps { start: std::ptr::null_mut(), steps: Strides::from_slice(steps) };
        let walk = Walk {
            dims: Dims::from_slice(&[4, 10]),
            width: 8,
            array: operand(&[80, 8]),
            elements: operand(&[-80, 16]),
            indexed_axes: SmallVec::new(),
            isa: Isa::Baseline,
            flat: Strides::from_slice(&[10, 1]),
            origin: 0,
            turn: 0,
        };
        let part = walk.part(1, 8, 4);
        assert_eq!(part.origin, 8);
        assert_eq!((&part.dims[..], part.array.start as usize, part.elements.start as usize), (&[4, 2][..], 64, 128));
    }
}
