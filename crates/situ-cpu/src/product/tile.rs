//! Tiles of the result, whose sums stay in registers.
//!
//! Complex numbers are computed as real ones. Of the first factor, the real and the imaginary parts of a row are two rows;
//! the second factor stays as it lies, the parts of a number side by side. The first row's sums and the second's times the
//! imaginary unit are then what the product comes to, and are added at the end.

use super::lane::Lane as _;
use super::vector::{Interleaved, Vector};

/// The most vectors in a row of a tile.
pub(super) const VECTORS: usize = 3;

/// What numbers are made of.
pub(super) trait Form<V: Vector>: 'static {
    /// Lanes of a number.
    const PARTS: usize;
    /// A row of results from the rows of sums of its parts.
    ///
    /// # Safety
    ///
    /// The processor has the vector's instruction set.
    unsafe fn join(first: V, second: V) -> V;
    /// The same of one number's sums in memory.
    ///
    /// # Safety
    ///
    /// There are as many lanes as a number has, at each place.
    unsafe fn join_at(first: *const V::Lane, second: *const V::Lane, to: *mut V::Lane);
    /// The lanes by which those of a number are multiplied to get one of its parts as their sum.
    ///
    /// # Safety
    ///
    /// There are as many lanes as a number has, at each place.
    unsafe fn turn_at(from: *const V::Lane, part: usize, to: *mut V::Lane);
}

/// A lane each.
#[derive(Debug)]
pub(super) struct Real;

impl<V: Vector> Form<V> for Real {
    const PARTS: usize = 1;
    #[inline(always)]
    unsafe fn join(first: V, _: V) -> V {
        first
    }
    #[inline(always)]
    unsafe fn join_at(first: *const V::Lane, _: *const V::Lane, to: *mut V::Lane) {
        // SAFETY: the caller's promise.
        unsafe { to.write(*first) }
    }
    #[inline(always)]
    unsafe fn turn_at(from: *const V::Lane, _: usize, to: *mut V::Lane) {
        // SAFETY: the caller's promise.
        unsafe { to.write(*from) }
    }
}

/// A real and an imaginary part.
#[derive(Debug)]
pub(super) struct Complex;

impl<V: Interleaved> Form<V> for Complex {
    const PARTS: usize = 2;
    #[inline(always)]
    unsafe fn join(first: V, second: V) -> V {
        // SAFETY: the caller's promise.
        unsafe { first.plus_turned(second) }
    }
    #[inline(always)]
    unsafe fn join_at(first: *const V::Lane, second: *const V::Lane, to: *mut V::Lane) {
        // SAFETY: the caller's promise.
        unsafe {
            to.write((*first).add(-*second.add(1)));
            to.add(1).write((*first.add(1)).add(*second));
        }
    }
    #[inline(always)]
    unsafe fn turn_at(from: *const V::Lane, part: usize, to: *mut V::Lane) {
        // SAFETY: the caller's promise.
        unsafe {
            let (re, im) = (*from, *from.add(1));
            to.write(if part == 0 { re } else { im });
            to.add(1).write(if part == 0 { -im } else { re });
        }
    }
}

/// Rows of the first factor, as lanes: those of a number side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left<L> {
    pub(super) at: *const L,
    /// Lanes from a row to the next of the same panel, which has [`Vector::ROWS`] rows of lanes.
    pub(super) row: isize,
    /// Lanes from a panel to the next.
    pub(super) panel: isize,
    /// Lanes from a column to the next.
    pub(super) step: isize,
}

/// Columns of the second factor, as lanes side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Right<L> {
    pub(super) at: *const L,
    /// Lanes from a row to the next.
    pub(super) step: isize,
}

/// Where results go, as lanes: those of a number side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<L> {
    pub(super) at: *mut L,
    /// Lanes from a row to the next.
    pub(super) row: isize,
    /// Lanes from a number to the next of the row.
    pub(super) column: isize,
    /// Whether results are added to what is there.
    pub(super) continues: bool,
}

/// Adds up the products of all rows of the first factor and up to [`VECTORS`] vectors of columns of the second.
///
/// # Safety
///
/// There are `rows` rows, in numbers, by `depth` columns of the first factor, and `depth` rows by `lanes` columns, in lanes,
/// of the second, filled up to whole vectors where the vectors have no masks. All of the target can be written, and overlaps
/// neither. The processor has the vector's instruction set.
#[inline(always)]
pub(super) unsafe fn column_panel<V: Vector, F: Form<V>>(
    rows: usize,
    lanes: usize,
    depth: usize,
    left: Left<V::Lane>,
    right: Right<V::Lane>,
    target: Target<V::Lane>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match lanes.div_ceil(V::LANES) {
            1 => rows_of_tiles::<V, F, 1>(rows, lanes, depth, left, right, target),
            2 => rows_of_tiles::<V, F, 2>(rows, lanes, depth, left, right, target),
            _ => rows_of_tiles::<V, F, VECTORS>(rows, lanes, depth, left, right, target),
        }
    }
}

/// # Safety
///
/// As for [`column_panel`], with so many vectors.
#[inline(always)]
unsafe fn rows_of_tiles<V: Vector, F: Form<V>, const N: usize>(
    rows: usize,
    lanes: usize,
    depth: usize,
    mut left: Left<V::Lane>,
    right: Right<V::Lane>,
    mut target: Target<V::Lane>,
) {
    let most = V::ROWS / F::PARTS;
    let mut done = 0;
    while done < rows {
        let count = (rows - done).min(most);
        // SAFETY: the caller's promise, for these rows.
        unsafe {
            match count * F::PARTS {
                1 => tile::<V, F, 1, N>(count, lanes, depth, left, right, target),
                2 => tile::<V, F, 2, N>(count, lanes, depth, left, right, target),
                3..=4 => tile::<V, F, 4, N>(count, lanes, depth, left, right, target),
                _ => tile::<V, F, 8, N>(count, lanes, depth, left, right, target),
            }
        }
        done += count;
        left.at = left.at.wrapping_offset(left.panel);
        target.at = target.at.wrapping_offset(target.row * most as isize);
    }
}

/// # Safety
///
/// As for [`column_panel`], for at most `R` rows of lanes.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "places of several arrays of registers, by the same numbers")]
unsafe fn tile<V: Vector, F: Form<V>, const R: usize, const N: usize>(
    rows: usize,
    lanes: usize,
    depth: usize,
    left: Left<V::Lane>,
    right: Right<V::Lane>,
    target: Target<V::Lane>,
) {
    if R > V::ROWS || R < F::PARTS {
        return;
    }
    let mask = V::mask(lanes - (N - 1) * V::LANES);
    // Rows that are not there are the last one once more.
    let mut at = [left.at; R];
    for (i, at) in at.iter_mut().enumerate() {
        let row = (i / F::PARTS).min(rows - 1);
        *at = left.at.wrapping_offset(row as isize * left.row + (i % F::PARTS) as isize);
    }
    let (mut along, mut b) = (0, right.at);
    // SAFETY: the caller's promise: all reads are of the factors.
    let sums = unsafe {
        let mut sums = [[V::zero(); N]; R];
        for _ in 0..depth {
            let mut columns = [V::zero(); N];
            for j in 0..N - 1 {
                columns[j] = V::load(b.add(j * V::LANES));
            }
            columns[N - 1] = V::load_masked(b.add((N - 1) * V::LANES), mask);
            for i in 0..R {
                let a = V::splat(at[i].offset(along));
                for j in 0..N {
                    sums[i][j] = sums[i][j].plus_product(a, columns[j]);
                }
            }
            along += left.step;
            b = b.wrapping_offset(right.step);
        }
        sums
    };
    // SAFETY: the caller's promise: all writes are to the target.
    unsafe {
        let mut results = [[V::zero(); N]; R];
        for i in 0..R / F::PARTS {
            for j in 0..N {
                results[i][j] = F::join(sums[i * F::PARTS][j], sums[i * F::PARTS + F::PARTS - 1][j]);
            }
        }
        let is_whole = V::HAS_MASKS || lanes == N * V::LANES;
        if target.column == F::PARTS as isize && is_whole {
            let row = |i: usize| target.at.wrapping_offset(i as isize * target.row);
            // Everything is read before anything is written: rows are often a multiple of 4096 bytes apart, and a load that
            // follows a store to the same place in another page waits for it.
            if target.continues {
                for i in 0..R / F::PARTS {
                    if i < rows {
                        for j in 0..N - 1 {
                            results[i][j] = V::load(row(i).add(j * V::LANES)).plus(results[i][j]);
                        }
                        let last = row(i).add((N - 1) * V::LANES);
                        results[i][N - 1] = V::load_masked(last, mask).plus(results[i][N - 1]);
                    }
                }
            }
            for i in 0..R / F::PARTS {
                if i < rows {
                    for j in 0..N - 1 {
                        results[i][j].store(row(i).add(j * V::LANES));
                    }
                    results[i][N - 1].store_masked(row(i).add((N - 1) * V::LANES), mask);
                }
            }
        } else {
            let spilled = results;
            deliver::<V::Lane>(spilled.as_ptr().cast(), N * V::LANES, rows, lanes, F::PARTS, target);
        }
    }
}

/// Writes rows of results to places that are not side by side, or fill no vector.
///
/// # Safety
///
/// There are so many rows of so many lanes, `stride` apart, and all of the target can be written.
#[inline(never)]
unsafe fn deliver<L: super::lane::Lane>(
    from: *const L,
    stride: usize,
    rows: usize,
    lanes: usize,
    parts: usize,
    target: Target<L>,
) {
    for row in 0..rows {
        for lane in 0..lanes {
            let column = (lane / parts) as isize * target.column + (lane % parts) as isize;
            let to = target.at.wrapping_offset(row as isize * target.row + column);
            // SAFETY: the caller's promise.
            unsafe {
                let value = *from.add(row * stride + lane);
                to.write_unaligned(if target.continues { to.read_unaligned().add(value) } else { value });
            }
        }
    }
}
