//! The bodies of the moves in [`strided`](super::strided), inlined where they are compiled for an instruction set.

use super::square::Square;
use super::strided::{Block, CopyLine};

/// Below this many elements an inner loop is not worth starting.
const SHORT: usize = 16;

/// Copies a block: whole rows, squares that are turned in registers, or line by line.
///
/// # Safety
///
/// As for [`copy_block`](super::strided::copy_block), where `T` has the width; `copy` copies a line of such elements,
/// and the processor has what it and the square need.
#[inline(always)]
pub(super) unsafe fn block<T: Copy>(
    to: Block,
    from: Block,
    rows: usize,
    columns: usize,
    copy: CopyLine,
    square: Option<Square>,
) {
    let width = size_of::<T>() as isize;
    if rows == 0 || columns == 0 {
        return;
    }
    // SAFETY: passed on from the caller; turned over or around, the blocks hold the same elements.
    unsafe {
        if to.column == width && from.column == width {
            if from.row == 0 && to.row == columns as isize * width {
                return repeated_row(to.start, from.start, columns * size_of::<T>(), rows);
            }
            for row in 0..rows {
                let (to, from) = (to.from(row, 0).start, from.from(row, 0).start);
                std::ptr::copy_nonoverlapping(from.cast::<T>().cast_const(), to.cast::<T>(), columns);
            }
            return;
        }
        if from.column == 0 && to.column == width {
            for row in 0..rows {
                repeated::<T>(to.from(row, 0).start, from.from(row, 0).start, columns);
            }
            return;
        }
        if let Some(square) = square {
            if from.row.abs() == width && to.column.abs() == width {
                return turned(to, from, rows, columns, copy, square);
            }
            if to.row.abs() == width && from.column.abs() == width {
                return turned(to.transposed(), from.transposed(), columns, rows, copy, square);
            }
        }
        // The inner loop follows the side that steps less, so that its lines are used up while they are near.
        let reach = |row: isize, column: isize| row.unsigned_abs() < column.unsigned_abs();
        let steps_less = rows >= SHORT && reach(from.row + to.row, from.column + to.column);
        if columns < SHORT.min(rows) || steps_less {
            rows_of(to.transposed(), from.transposed(), columns, rows, copy);
        } else {
            rows_of(to, from, rows, columns, copy);
        }
    }
}

/// Copies row by row.
///
/// # Safety
///
/// As for [`block`].
#[inline(always)]
unsafe fn rows_of(to: Block, from: Block, rows: usize, columns: usize, copy: CopyLine) {
    for row in 0..rows {
        // SAFETY: the row lies inside both blocks.
        unsafe { copy(to.from(row, 0).start, to.column, from.from(row, 0).start, from.column, columns) };
    }
}

/// Copies elements that follow one another along the rows of one side and along the columns of the other.
///
/// # Safety
///
/// As for [`block`], where `from` steps by one element from row to row and `to` from column to column, either way.
#[inline(always)]
unsafe fn turned(mut to: Block, mut from: Block, rows: usize, columns: usize, copy: CopyLine, square: Square) {
    if from.row < 0 {
        (to, from) = (to.upside_down(rows), from.upside_down(rows));
    }
    if to.column < 0 {
        to = to.transposed().upside_down(columns).transposed();
        from = from.transposed().upside_down(columns).transposed();
    }
    let (high, wide) = (rows / square.side, columns / square.side);
    let (top, left) = (high * square.side, wide * square.side);
    // SAFETY: passed on from the caller; the squares, what is right of them and what is below make up the block.
    unsafe {
        (square.turn)(to, from, high, wide);
        let beside = (to.from(0, left).transposed(), from.from(0, left).transposed());
        rows_of(beside.0, beside.1, columns - left, top, copy);
        rows_of(to.from(top, 0), from.from(top, 0), rows - top, columns, copy);
    }
}

/// Copies `count` elements from one line to another. The steps that slices usually have are constants in the loop,
/// which then shuffles vectors instead of moving elements one by one.
///
/// # Safety
///
/// As for [`copy_line`](super::strided::copy_line), where `T` has the width.
#[inline(always)]
pub(super) unsafe fn line<T: Copy>(to: *mut u8, to_step: isize, from: *const u8, from_step: isize, count: usize) {
    let width = size_of::<T>() as isize;
    let (to, from) = (to.cast::<T>(), from.cast::<T>());
    // Loops are written out: what a closure is passed to might not be compiled for the instruction set.
    macro_rules! each {
        (|$i:ident| $to:expr, $from:expr) => {
            for $i in 0..count as isize {
                $to.write(*$from);
            }
        };
    }
    // SAFETY: passed on from the caller; steps are whole elements, and where they are constants they are those given.
    unsafe {
        match (to_step / width, from_step / width) {
            (1, 1) => std::ptr::copy_nonoverlapping(from, to, count),
            (1, 2) => each!(|i| to.offset(i), from.offset(2 * i)),
            (1, 3) => each!(|i| to.offset(i), from.offset(3 * i)),
            (1, 4) => each!(|i| to.offset(i), from.offset(4 * i)),
            (1, -1) => each!(|i| to.offset(i), from.offset(-i)),
            (-1, 1) => each!(|i| to.offset(-i), from.offset(i)),
            (to_step, from_step) => each!(|i| to.offset(i * to_step), from.offset(i * from_step)),
        }
    }
}

/// Writes `count` copies of an element.
///
/// # Safety
///
/// As for [`repeat`](super::strided::repeat), where `T` has the width.
#[inline(always)]
pub(super) unsafe fn repeated<T: Copy>(to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: the caller vouches for both. An immediate is only byte-aligned.
    let value = unsafe { from.cast::<T>().read_unaligned() };
    for i in 0..count {
        // SAFETY: `i` is below `count`.
        unsafe { to.cast::<T>().add(i).write(value) };
    }
}

/// Writes `count` copies of a row of so many bytes, each time as many as are there already.
///
/// # Safety
///
/// `from` is valid for reads of a row and `to` for writes of `count`, at least one; the two do not overlap.
#[inline(always)]
unsafe fn repeated_row(to: *mut u8, from: *const u8, bytes: usize, count: usize) {
    let all = bytes * count;
    // SAFETY: passed on from the caller; what is copied is written before, and ends where the copy begins.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, bytes);
        let mut done = bytes;
        while done < all {
            let more = done.min(all - done);
            std::ptr::copy_nonoverlapping(to.cast_const(), to.add(done), more);
            done += more;
        }
    }
}
