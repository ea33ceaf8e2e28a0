//! One product on one thread: blocks that fit the caches, and panels of tiles in them.

use super::lane::{Lane, Stored};
use super::pack::{View, pack_left, pack_right};
use super::tile::{Form, Left, Right, Target, VECTORS, column_panel};
use super::vector::Vector;

/// Sizes of a product, in numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) depth: usize,
}

/// Where a matrix lies: steps in numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) at: *mut u8,
    pub(super) row: isize,
    pub(super) column: isize,
}

impl Place {
    #[inline(always)]
    pub(super) fn view<S>(self, parts: usize) -> View<S> {
        let parts = parts as isize;
        View { at: self.at.cast(), row: self.row * parts, column: self.column * parts }
    }
}

/// How a product is computed, whatever its addresses are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    sizes: Sizes,
    /// Rows and depth of a block of the first factor, and lanes of a block of the second, whose depth is the same.
    block_rows: usize,
    block_depth: usize,
    block_lanes: usize,
    /// Rows whose sums are kept until they are complete, where results cannot hold them.
    slab_rows: usize,
    packs_left: bool,
    packs_right: bool,
    /// Bytes of memory it needs, and where in them the parts begin: the second factor's copy is first.
    left_at: usize,
    sums_at: usize,
    pub(super) room: usize,
}

/// Bytes of a column of a block of the second factor, three vectors of which the first-level cache nearly holds. (Half as many are
/// some percent slower: results are then read and written twice as often.)
const DEPTH_BYTES: usize = 2048;

/// Bytes of a block of the first factor, for the second-level cache.
const LEFT_BYTES: usize = 768 << 10;

/// Bytes of a block of the second factor, for the last-level cache.
const RIGHT_BYTES: usize = 4 << 20;

/// Bytes of sums that results cannot hold, and the most lanes of a row of them: of few rows a block of the second factor, which is
/// copied for each, would be used too little.
const SUMS_BYTES: usize = 2 << 20;
const SUMS_LANES: usize = 2048;

/// A factor of no more bytes is read where it lies.
const SMALL: usize = 64 << 10;

/// Parts of a length, all about as long, none longer than `most` and each a multiple of `unit`, but for the last.
fn part(length: usize, most: usize, unit: usize) -> usize {
    let parts = length.div_ceil(most.max(unit));
    length.div_ceil(parts).next_multiple_of(unit)
}

/// Lanes of the next panel, of so many that are left: panels are about as wide as each other.
#[inline(always)]
pub(super) fn panel_lanes(left: usize, vector: usize) -> usize {
    let vectors = left.div_ceil(vector);
    left.min(vectors.div_ceil(vectors.div_ceil(VECTORS)) * vector)
}

/// Plans a product whose results' columns are side by side where those of the target are.
pub(super) fn plan<V: Vector, S: Stored<V::Lane>, F: Form<V>>(sizes: Sizes, left: Place, right: Place) -> Plan {
    let Sizes { rows, columns, depth } = sizes;
    let (size, parts) = (size_of::<V::Lane>(), F::PARTS);
    let (width, lanes) = (VECTORS * V::LANES, columns * parts);
    let block_depth = part(depth, DEPTH_BYTES / size, 1);
    let most_lanes = if S::IS_LANE { usize::MAX } else { SUMS_LANES };
    let block_lanes = part(lanes, most_lanes.min(RIGHT_BYTES / size / block_depth), width);
    let slab_rows = if S::IS_LANE { rows } else { rows.min(SUMS_BYTES / (block_lanes * size)) };
    let block_rows = part(slab_rows, LEFT_BYTES / size / block_depth / parts, V::ROWS / parts);
    let fills_vectors = V::HAS_MASKS || lanes.is_multiple_of(V::LANES);
    let is_small = |rows: usize, columns: usize| rows.saturating_mul(columns).saturating_mul(size * parts) <= SMALL;
    let is_read = S::IS_LANE && V::Lane::TAKES_ANY;
    let packs_right =
        !(is_read && right.column == 1 && fills_vectors && (is_small(depth, columns) || rows * parts <= V::ROWS));
    let packs_left = !(is_read && (is_small(rows, depth) || left.column == 1 && lanes <= 2 * width));
    let left_at = if packs_right { block_depth * block_lanes * size } else { 0 };
    let left_room = if packs_left { block_rows.next_multiple_of(V::ROWS) * parts * block_depth * size } else { 0 };
    let sums_at = left_at + left_room.next_multiple_of(64);
    let sums_room = if S::IS_LANE { 0 } else { slab_rows * block_lanes * size };
    Plan {
        sizes,
        block_rows,
        block_depth,
        block_lanes,
        slab_rows,
        packs_left,
        packs_right,
        left_at,
        sums_at,
        room: sums_at + sums_room,
    }
}

/// Computes a product.
///
/// # Safety
///
/// The factors can be read and the result be written, which overlaps neither. There are as many bytes of memory, aligned to
/// a cache line, as the plan, which was made for these steps, asks for. The processor has the vector's instruction set.
#[inline(always)]
pub(super) unsafe fn multiply<V: Vector, S: Stored<V::Lane>, F: Form<V>>(
    plan: &Plan,
    [left, right, out]: [Place; 3],
    memory: *mut u8,
) {
    let parts = F::PARTS;
    let (left, right, out) = (left.view::<S>(parts), right.view::<S>(parts), out.view::<S>(parts));
    let mut row = 0;
    while row < plan.sizes.rows {
        let rows = (plan.sizes.rows - row).min(plan.slab_rows);
        // SAFETY: the caller's promise, for these rows.
        unsafe { multiply_slab::<V, S, F>(plan, rows, left.from(row, 0), right, out.from(row, 0), memory) };
        row += rows;
    }
}

/// # Safety
///
/// As for [`multiply`], of so many rows, which are no more than the plan's slabs have.
#[inline(always)]
unsafe fn multiply_slab<V: Vector, S: Stored<V::Lane>, F: Form<V>>(
    plan: &Plan,
    rows: usize,
    left: View<S>,
    right: View<S>,
    out: View<S>,
    memory: *mut u8,
) {
    let (Sizes { columns, depth, .. }, parts) = (plan.sizes, F::PARTS);
    let lanes = columns * parts;
    let packed_right = memory.cast::<V::Lane>();
    let packed_left = memory.wrapping_add(plan.left_at).cast::<V::Lane>();
    let sums = memory.wrapping_add(plan.sums_at).cast::<V::Lane>();
    let mut lane = 0;
    while lane < lanes {
        let block_lanes = (lanes - lane).min(plan.block_lanes);
        let block_out = out.from(0, lane / parts);
        let target = if S::IS_LANE {
            Target { at: block_out.at.cast(), row: out.row, column: out.column, continues: false }
        } else {
            Target { at: sums, row: block_lanes as isize, column: parts as isize, continues: false }
        };
        let mut deep = 0;
        while deep < depth {
            let block_depth = (depth - deep).min(plan.block_depth);
            let source = right.from(deep, lane / parts);
            if plan.packs_right {
                // SAFETY: the caller's promise; the block fits its room.
                unsafe { pack_right(source, block_depth, block_lanes, parts, V::LANES, packed_right) };
            }
            let mut row = 0;
            while row < rows {
                let block_rows = (rows - row).min(plan.block_rows);
                let source_left = left.from(row, deep);
                let height = V::ROWS as isize;
                let block_left = if plan.packs_left {
                    // SAFETY: as above.
                    unsafe { pack_left(source_left, block_rows, block_depth, parts, V::ROWS, packed_left) };
                    let panel = height * block_depth as isize;
                    Left { at: packed_left.cast_const(), row: parts as isize, panel, step: height }
                } else {
                    let panel = height / parts as isize * left.row;
                    Left { at: source_left.at.cast_const().cast(), row: left.row, panel, step: left.column }
                };
                let mut first = 0;
                while first < block_lanes {
                    let panel_lanes = panel_lanes(block_lanes - first, V::LANES);
                    let block_right = if plan.packs_right {
                        let step = panel_lanes.next_multiple_of(V::LANES) as isize;
                        Right { at: packed_right.wrapping_add(first * block_depth).cast_const(), step }
                    } else {
                        Right { at: source.at.wrapping_add(first).cast_const().cast(), step: right.row }
                    };
                    let number = (first / parts) as isize;
                    let moved = row as isize * target.row + number * target.column;
                    let tiles = Target { at: target.at.wrapping_offset(moved), continues: deep > 0, ..target };
                    // SAFETY: the caller's promise, for this block.
                    unsafe {
                        column_panel::<V, F>(block_rows, panel_lanes, block_depth, block_left, block_right, tiles)
                    };
                    first += panel_lanes;
                }
                row += block_rows;
            }
            deep += block_depth;
        }
        if !S::IS_LANE {
            // SAFETY: the caller's promise; the sums have all been written.
            unsafe { narrow::<S, V::Lane>(sums, rows, block_lanes, parts, block_out) };
        }
        lane += block_lanes;
    }
}

/// Writes sums to the result in the form it stores.
///
/// # Safety
///
/// There are so many rows of so many sums, and as much can be written.
unsafe fn narrow<S: Stored<L>, L: Lane>(sums: *const L, rows: usize, lanes: usize, parts: usize, out: View<S>) {
    for row in 0..rows {
        for lane in 0..lanes {
            let to = out.from(row, lane / parts).at.wrapping_add(lane % parts);
            // SAFETY: the caller's promise.
            unsafe { to.write_unaligned(S::narrowed(*sums.add(row * lanes + lane))) };
        }
    }
}
