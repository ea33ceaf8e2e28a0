//! Elements, each several times.

use situ_hal::{Repeat, Times};
use situ_types::{Dims, Space, Strides};

use super::by_width;
use super::moves::copy_block;
use crate::elementwise::{Fork, Machine};

/// Numbers of the space's operands.
const SOURCE: usize = 0;
const TARGET: usize = 1;

/// Elements are usually repeated so often, or less.
const FEW: usize = 4;

/// Repeats elements, thought to take so many nanoseconds.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over.
pub(crate) unsafe fn repeat(command: &Repeat, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    if command.shape.contains(&0) {
        return;
    }
    let rows = Rows::new(command);
    let blocks = rows.outer.size() * rows.length;
    let share = blocks.div_ceil(machine.chunks(nanoseconds));
    fork(blocks.div_ceil(share), &|n| {
        let (from, to) = (n * share, blocks.min((n + 1) * share));
        for row in from / rows.length..to.div_ceil(rows.length) {
            let first = row * rows.length;
            let (begin, end) = (from.max(first) - first, to.min(first + rows.length) - first);
            // SAFETY: the caller's promise; parts are disjoint, and so are the places of what they repeat.
            unsafe { rows.run(row, begin, end) };
        }
    });
}

/// What is repeated along the axis: rows of blocks, whose steps are in bytes.
struct Rows<'a> {
    command: &'a Repeat,
    /// The axes around the rows.
    outer: Space,
    /// Blocks of a row.
    length: usize,
    /// Bytes from one block to the next.
    from_step: isize,
    to_step: isize,
    /// The axes within a block.
    block: Dims,
    block_from: Strides,
    block_to: Strides,
}

impl Rows<'_> {
    fn new(command: &Repeat) -> Rows<'_> {
        let (last, width) = (command.shape.len() - 1, command.width as isize);
        let strides = [&command.source.strides, &command.target.strides];
        let mut outer = Space::new(&command.shape[..last], strides.map(|strides| &strides[..last]));
        outer.collapse();
        // What the target has nearer together than the repetitions is copied in blocks.
        let along = command.target.strides[last].unsigned_abs();
        let within = outer.axes.iter().position(|axis| axis.length > 1 && axis.steps[TARGET].unsigned_abs() < along);
        let inner: Vec<_> = outer.axes.drain(within.unwrap_or(outer.axes.len())..).collect();
        let bytes = |operand: usize| -> Strides { inner.iter().map(|axis| axis.steps[operand] * width).collect() };
        Rows {
            command,
            length: command.shape[last],
            from_step: strides[SOURCE][last] * width,
            to_step: strides[TARGET][last] * width,
            block: inner.iter().map(|axis| axis.length).collect(),
            block_from: bytes(SOURCE),
            block_to: bytes(TARGET),
            outer,
        }
    }

    /// Repeats the blocks from one to another of a row.
    ///
    /// # Safety
    ///
    /// As for [`repeat`], and nobody else repeats these blocks.
    unsafe fn run(&self, row: usize, begin: usize, end: usize) {
        let (mut rest, mut at) = (row, [0isize; 2]);
        for axis in self.outer.axes.iter().rev() {
            let index = (rest % axis.length) as isize * self.command.width as isize;
            rest /= axis.length;
            at.iter_mut().zip(&axis.steps).for_each(|(at, step)| *at += index * step);
        }
        let from = self.command.source.address.0.wrapping_offset(at[SOURCE]);
        let to = self.command.target.address.0.wrapping_offset(at[TARGET]);
        if self.block.is_empty() {
            // SAFETY: passed on from the caller.
            return unsafe { by_width!(self.command.width, fill_runs(self, from, to, begin, end)) };
        }
        for block in begin..end {
            let from = from.wrapping_offset(self.from_step * block as isize);
            // SAFETY: passed on from the caller.
            let (first, past) = unsafe { self.places(block) };
            for place in first..past {
                let to = to.wrapping_offset(self.to_step * place as isize);
                let (from, to) = ((from, &self.block_from[..]), (to, &self.block_to[..]));
                // SAFETY: passed on from the caller: the block and its place are elements of source and target.
                unsafe { copy_block(self.command.width, &self.block, to, from) };
            }
        }
    }

    /// From where to where a block goes.
    ///
    /// # Safety
    ///
    /// There are as many ends, if there are any.
    #[inline(always)]
    unsafe fn places(&self, block: usize) -> (usize, usize) {
        match self.command.times {
            Times::Every(count) => (block * count, (block + 1) * count),
            Times::Each { ends, total } => {
                // SAFETY: the caller's promise.
                let end = |block: usize| unsafe { ends.0.cast::<i64>().add(block).read() }.clamp(0, total as i64);
                let first = if block == 0 { 0 } else { end(block - 1) };
                (first as usize, end(block).max(first) as usize)
            }
        }
    }
}

/// Repeats single elements.
///
/// # Safety
///
/// As for [`Rows::run`].
unsafe fn fill_runs<T: Copy>(rows: &Rows<'_>, from: *const u8, to: *mut u8, begin: usize, end: usize) {
    let is_dense = rows.to_step == size_of::<T>() as isize;
    let is_row = is_dense && rows.from_step == rows.to_step;
    if let (true, Times::Every(count @ 2..=4)) = (is_row, rows.command.times) {
        let (from, to) = (from.cast::<T>().wrapping_add(begin), to.cast::<T>().wrapping_add(begin * count));
        // SAFETY: the caller's promise: as many elements, and so many times as many places, one after another.
        return unsafe {
            match count {
                2 => repeat_row::<T, 2>(from, to, end - begin),
                3 => repeat_row::<T, 3>(from, to, end - begin),
                _ => repeat_row::<T, 4>(from, to, end - begin),
            }
        };
    }
    // SAFETY: the caller's promise; there is at least one block.
    let room = if is_dense { unsafe { rows.places(end - 1) }.1 } else { 0 };
    for block in begin..end {
        // SAFETY: the caller's promise.
        let value = unsafe { from.wrapping_offset(rows.from_step * block as isize).cast::<T>().read() };
        // SAFETY: the caller's promise.
        let (mut first, past) = unsafe { rows.places(block) };
        if first + FEW <= room {
            // Without a branch on how often: what is too much, the next ones overwrite.
            // SAFETY: the caller's promise: places up to the last block's are elements of the target.
            unsafe { to.cast::<T>().wrapping_add(first).cast::<[T; FEW]>().write([value; FEW]) };
            first += FEW;
        }
        for place in first..past {
            let step = if is_dense { size_of::<T>() as isize } else { rows.to_step };
            // SAFETY: the caller's promise: places up to the total are elements of the target.
            unsafe { to.wrapping_offset(step * place as isize).cast::<T>().write(value) };
        }
    }
}

/// Repeats the elements of a row a number of times that the compiler knows, which it then does by shuffling vectors.
///
/// # Safety
///
/// So many elements can be read, and that many times as many written elsewhere.
unsafe fn repeat_row<T: Copy, const TIMES: usize>(from: *const T, to: *mut T, count: usize) {
    for n in 0..count {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<[T; TIMES]>().add(n).write([from.add(n).read(); TIMES]) };
    }
}
