//! A matrix times a column, which is read once and no more: what counts is that memory is kept busy.
//!
//! Where the matrix lies row after row, several rows at a time are multiplied by the column. Where it lies column after column,
//! several columns at a time are added to a part of the result that fits the first-level cache.
//!
//! Complex numbers are real ones here too. Of a row, the lanes' products with (re, -im, …) add up to the real part and those with
//! (im, re, …) to the imaginary one; columns are added up times the real parts and times the imaginary parts by themselves.

use super::block::{Place, Sizes};
use super::lane::{Lane, Stored};
use super::pack::View;
use super::tile::Form;
use super::vector::Vector;

/// Rows, or columns, that are read at a time.
const AT_ONCE: usize = 8;

/// Bytes of the part of a result that columns are added to at a time.
const PART: usize = 16 << 10;

/// Bytes of the part of a column that rows are multiplied by at a time, for the second-level cache.
const COLUMN: usize = 256 << 10;

/// Numbers of such a part.
#[inline(always)]
fn column_part<V: Vector, F: Form<V>>(depth: usize) -> usize {
    depth.min(COLUMN / size_of::<V::Lane>() / F::PARTS / F::PARTS)
}

/// Bytes of memory that a product takes; `None` if it is none of these.
pub(super) fn room<V: Vector, S: Stored<V::Lane>, F: Form<V>>(sizes: Sizes, left: Place) -> Option<usize> {
    let size = size_of::<V::Lane>();
    let lanes = if left.column == 1 { column_part::<V, F>(sizes.depth) * F::PARTS * F::PARTS } else { PART / size };
    let is_one = S::IS_LANE && sizes.columns == 1 && (left.column == 1 || left.row == 1);
    is_one.then_some(lanes * size)
}

/// Multiplies a matrix by a column.
///
/// # Safety
///
/// The matrices can be read, the result can be written and overlaps neither, and there are as many bytes of memory as
/// [`room`] says, aligned to a cache line. The processor has the vector's instruction set.
#[inline(always)]
pub(super) unsafe fn multiply<V: Vector, F: Form<V>>(sizes: Sizes, places: [Place; 3], memory: *mut u8) {
    let [left, right, out] = places.map(|place| place.view::<V::Lane>(F::PARTS));
    let memory = memory.cast::<V::Lane>();
    // SAFETY: the caller's promise.
    unsafe {
        if places[0].column == 1 {
            let mut deep = 0;
            while deep < sizes.depth {
                let depth = column_part::<V, F>(sizes.depth - deep);
                let (left, right) = (left.from(0, deep), right.from(deep, 0));
                by_rows::<V, F>(Sizes { depth, ..sizes }, left, right, out, memory, deep > 0);
                deep += depth;
            }
        } else {
            by_columns::<V, F>(sizes, left, right, out, memory);
        }
    }
}

/// # Safety
///
/// As for [`multiply`], of a matrix that lies row after row and a column that fits the memory. Results are added to what is
/// there if they continue it.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "places of several arrays, by the same numbers")]
unsafe fn by_rows<V: Vector, F: Form<V>>(
    sizes: Sizes,
    left: View<V::Lane>,
    right: View<V::Lane>,
    out: View<V::Lane>,
    column: *mut V::Lane,
    continues: bool,
) {
    let lanes = sizes.depth * F::PARTS;
    for k in 0..sizes.depth {
        let number = right.from(k, 0).at;
        for part in 0..F::PARTS {
            // SAFETY: the caller's promise.
            unsafe { F::turn_at(number, part, column.add(part * lanes + k * F::PARTS)) };
        }
    }
    for lane in 0..lanes * F::PARTS {
        // SAFETY: as above.
        unsafe {
            let at = column.add(lane);
            at.write(at.read().normalised());
        }
    }
    let mut row = 0;
    while row < sizes.rows {
        let count = (sizes.rows - row).min(AT_ONCE / F::PARTS);
        let mut at = [left.at; AT_ONCE];
        for (i, at) in at.iter_mut().enumerate() {
            *at = left.from(row + i.min(count - 1), 0).at;
        }
        // SAFETY: the caller's promise.
        unsafe {
            let mut sums = [V::zero(); AT_ONCE];
            let mut lane = 0;
            while lane + V::LANES <= lanes {
                for part in 0..F::PARTS {
                    let factor = V::load(column.add(part * lanes + lane));
                    for i in 0..AT_ONCE / F::PARTS {
                        let sum = &mut sums[i * F::PARTS + part];
                        *sum = sum.plus_product(V::load(at[i].add(lane)).normalised(), factor);
                    }
                }
                lane += V::LANES;
            }
            let mut ends = [V::Lane::default(); AT_ONCE];
            for (end, sum) in ends.iter_mut().zip(sums) {
                *end = sum.total();
            }
            while lane < lanes {
                for i in 0..count {
                    for part in 0..F::PARTS {
                        let product = at[i].add(lane).read().normalised().mul(column.add(part * lanes + lane).read());
                        ends[i * F::PARTS + part] = ends[i * F::PARTS + part].add(product);
                    }
                }
                lane += 1;
            }
            for i in 0..count {
                for part in 0..F::PARTS {
                    let (to, end) = (out.from(row + i, 0).at.add(part), ends[i * F::PARTS + part]);
                    to.write(if continues { to.read().add(end) } else { end });
                }
            }
        }
        row += count;
    }
}

/// # Safety
///
/// As for [`multiply`], of a matrix that lies column after column.
#[inline(always)]
unsafe fn by_columns<V: Vector, F: Form<V>>(
    sizes: Sizes,
    left: View<V::Lane>,
    right: View<V::Lane>,
    out: View<V::Lane>,
    sums: *mut V::Lane,
) {
    let room = PART / size_of::<V::Lane>();
    let most = room / F::PARTS / F::PARTS;
    let mut row = 0;
    while row < sizes.rows {
        let count = (sizes.rows - row).min(most);
        let lanes = count * F::PARTS;
        // SAFETY: the caller's promise; the sums of each part fit its share of the room.
        unsafe {
            for lane in 0..room {
                sums.add(lane).write(V::Lane::default());
            }
            let mut k = 0;
            while k < sizes.depth {
                let (columns, factors) = (left.from(row, k), right.from(k, 0));
                if sizes.depth - k >= AT_ONCE {
                    add_columns::<V, F, AT_ONCE>([sums, sums.add(most * F::PARTS)], lanes, columns, factors);
                    k += AT_ONCE;
                } else {
                    add_columns::<V, F, 1>([sums, sums.add(most * F::PARTS)], lanes, columns, factors);
                    k += 1;
                }
            }
            for i in 0..count {
                let (first, second) = (i * F::PARTS, ((F::PARTS - 1) * most + i) * F::PARTS);
                F::join_at(sums.add(first), sums.add(second), out.from(row + i, 0).at);
            }
        }
        row += count;
    }
}

/// Adds so many columns, times each part of a factor each, to the sums of the parts.
///
/// # Safety
///
/// There are so many lanes of each.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "places of several arrays, by the same numbers")]
unsafe fn add_columns<V: Vector, F: Form<V>, const COUNT: usize>(
    sums: [*mut V::Lane; 2],
    lanes: usize,
    columns: View<V::Lane>,
    factors: View<V::Lane>,
) {
    let (mut at, mut factor) = ([columns.at; COUNT], [[V::Lane::default(); COUNT]; 2]);
    // SAFETY: the caller's promise.
    unsafe {
        let mut splats = [[V::zero(); COUNT]; 2];
        for i in 0..COUNT {
            at[i] = columns.from(0, i).at;
            for part in 0..F::PARTS {
                factor[part][i] = factors.from(i, 0).at.add(part).read().normalised();
                splats[part][i] = V::splat(&raw const factor[part][i]);
            }
        }
        let mut lane = 0;
        while lane + V::LANES <= lanes {
            let mut own = [V::zero(); 2];
            for part in 0..F::PARTS {
                own[part] = V::load(sums[part].add(lane));
            }
            for i in 0..COUNT {
                let column = V::load(at[i].add(lane)).normalised();
                for part in 0..F::PARTS {
                    own[part] = own[part].plus_product(column, splats[part][i]);
                }
            }
            for part in 0..F::PARTS {
                own[part].store(sums[part].add(lane));
            }
            lane += V::LANES;
        }
        while lane < lanes {
            for part in 0..F::PARTS {
                let mut sum = sums[part].add(lane).read();
                for i in 0..COUNT {
                    sum = sum.add(at[i].add(lane).read().normalised().mul(factor[part][i]));
                }
                sums[part].add(lane).write(sum);
            }
            lane += 1;
        }
    }
}
