//! Elements from one place to another, by width alone: lines, blocks of rows and columns, one value many times.
//!
//! Each is compiled once per instruction set, like the loops that use what is brought together here.

use super::moves::{block, line, repeated};
use super::square::Squares;
use crate::isa::Isa;

/// Where a block of rows and columns begins, and its steps in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) start: *mut u8,
    /// From one row to the next.
    pub(super) row: isize,
    /// From one column to the next.
    pub(super) column: isize,
}

impl Block {
    /// A block without gaps.
    pub(super) fn dense(start: *mut u8, columns: usize, width: usize) -> Block {
        Block { start, row: (columns * width) as isize, column: width as isize }
    }

    /// The same elements with rows for columns.
    pub(super) fn transposed(self) -> Block {
        Block { start: self.start, row: self.column, column: self.row }
    }

    /// The block from a row and a column on.
    pub(super) fn from(self, row: usize, column: usize) -> Block {
        let offset = row as isize * self.row + column as isize * self.column;
        Block { start: self.start.wrapping_offset(offset), ..self }
    }

    /// The same elements from the last row to the first.
    pub(super) fn upside_down(self, rows: usize) -> Block {
        Block { row: -self.row, ..self.from(rows - 1, 0) }
    }
}

/// Copies `rows` times `columns` elements.
///
/// # Safety
///
/// Every element of `from` is valid for reads and of `to` for writes, both aligned to the width, and the two do not
/// overlap. `width` is 1, 2, 4, 8 or 16. The processor has the instruction set.
pub(super) unsafe fn copy_block(isa: Isa, width: usize, to: Block, from: Block, rows: usize, columns: usize) {
    // SAFETY: passed on from the caller.
    unsafe { of(isa).blocks[width.ilog2() as usize](to, from, rows, columns) }
}

/// Copies `count` elements from one line to another; a line without a step is dense.
///
/// # Safety
///
/// As for [`copy_block`].
pub(crate) unsafe fn copy_line(
    isa: Isa,
    width: usize,
    to: *mut u8,
    to_step: Option<isize>,
    from: *const u8,
    from_step: Option<isize>,
    count: usize,
) {
    let (to_step, from_step) = (to_step.unwrap_or(width as isize), from_step.unwrap_or(width as isize));
    // SAFETY: passed on from the caller.
    unsafe { of(isa).lines[width.ilog2() as usize](to, to_step, from, from_step, count) }
}

/// Writes `count` copies of the element at `from`.
///
/// # Safety
///
/// `from` is valid for one read and `to`, aligned to the width, for `count` writes. `width` is 1, 2, 4, 8 or 16. The
/// processor has the instruction set.
pub(crate) unsafe fn repeat(isa: Isa, width: usize, to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: passed on from the caller.
    unsafe { of(isa).repeats[width.ilog2() as usize](to, from, count) }
}

type CopyBlock = unsafe fn(to: Block, from: Block, rows: usize, columns: usize);
/// Copies elements from one line to another, given their steps in bytes.
pub(super) type CopyLine = unsafe fn(to: *mut u8, to_step: isize, from: *const u8, from_step: isize, count: usize);
type Repeat = unsafe fn(to: *mut u8, from: *const u8, count: usize);

/// The moves of an instruction set, by the logarithm of the width.
struct Moves {
    blocks: [CopyBlock; 5],
    lines: [CopyLine; 5],
    repeats: [Repeat; 5],
}

#[inline]
fn of(isa: Isa) -> &'static Moves {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => &avx512::MOVES,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => &avx2::MOVES,
        _ => &baseline::MOVES,
    }
}

macro_rules! compiled {
    ($($(#[$attribute:meta])* $name:ident, $features:literal, $squares:expr;)*) => {$(
        $(#[$attribute])*
        mod $name {
            use super::*;

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn copy_block<T: Copy>(to: Block, from: Block, rows: usize, columns: usize) {
                // SAFETY: passed on from the caller.
                unsafe { block::<T>(to, from, rows, columns, copy_line::<T>, const { $squares.of(size_of::<T>()) }) }
            }

            #[inline(never)]
            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn copy_line<T: Copy>(
                to: *mut u8,
                to_step: isize,
                from: *const u8,
                from_step: isize,
                count: usize,
            ) {
                // SAFETY: passed on from the caller.
                unsafe { line::<T>(to, to_step, from, from_step, count) }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn repeat<T: Copy>(to: *mut u8, from: *const u8, count: usize) {
                // SAFETY: passed on from the caller.
                unsafe { repeated::<T>(to, from, count) }
            }

            pub(super) static MOVES: Moves = Moves {
                blocks: [
                    copy_block::<u8>,
                    copy_block::<u16>,
                    copy_block::<u32>,
                    copy_block::<u64>,
                    copy_block::<[u64; 2]>,
                ],
                lines: [copy_line::<u8>, copy_line::<u16>, copy_line::<u32>, copy_line::<u64>, copy_line::<[u64; 2]>],
                repeats: [repeat::<u8>, repeat::<u16>, repeat::<u32>, repeat::<u64>, repeat::<[u64; 2]>],
            };
        }
    )*};
}

compiled! {
    baseline, "sse2", Squares::BASELINE;
    #[cfg(target_arch = "x86_64")]
    avx2, "avx2,bmi1,bmi2,lzcnt,popcnt", Squares::AVX2;
    #[cfg(target_arch = "x86_64")]
    avx512, "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt", Squares::AVX2;
}
