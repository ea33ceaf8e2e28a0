//! Copies of parts of the factors, in the order in which tiles read them.

use super::block::panel_lanes;
use super::lane::{Lane, Stored};

/// A matrix in memory. Its steps count what lanes are stored as, of which a complex number has two side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<S> {
    pub(super) at: *mut S,
    pub(super) row: isize,
    pub(super) column: isize,
}

impl<S> View<S> {
    /// The matrix from a row and a column on.
    #[inline(always)]
    pub(super) fn from(self, row: usize, column: usize) -> View<S> {
        let moved = row as isize * self.row + column as isize * self.column;
        View { at: self.at.wrapping_offset(moved), ..self }
    }
}

/// Copies so many rows by `depth` columns of the first factor into panels of `height` lanes, column after column. What is
/// missing in the last panel is left as it is.
///
/// # Safety
///
/// The matrix can be read, and the panels written, neither of which overlaps the other.
#[inline(always)]
pub(super) unsafe fn pack_left<S: Stored<L>, L: Lane>(
    from: View<S>,
    rows: usize,
    depth: usize,
    parts: usize,
    height: usize,
    to: *mut L,
) {
    let most = height / parts;
    let mut first = 0;
    while first < rows {
        let count = (rows - first).min(most);
        let panel = to.wrapping_add(first * parts * depth);
        let source = from.from(first, 0);
        for k in 0..depth {
            let (source, to) = (source.from(0, k).at, panel.wrapping_add(k * height));
            // SAFETY: the caller's promise.
            let copy = |row: usize| unsafe {
                for part in 0..parts {
                    let source = source.wrapping_offset(row as isize * from.row).wrapping_add(part);
                    to.add(row * parts + part).write(source.read_unaligned().widened());
                }
            };
            // Of a known length, so that it is written out.
            if count == most {
                (0..most).for_each(copy);
            } else {
                (0..count).for_each(copy);
            }
        }
        first += count;
    }
}

/// Copies `depth` rows by so many columns, counted in lanes, of the second factor into panels, row after row, and fills up the
/// last vector of `vector` lanes with zeros.
///
/// # Safety
///
/// The matrix can be read, and the panels written, neither of which overlaps the other.
#[inline(always)]
pub(super) unsafe fn pack_right<S: Stored<L>, L: Lane>(
    from: View<S>,
    depth: usize,
    lanes: usize,
    parts: usize,
    vector: usize,
    to: *mut L,
) {
    let mut first = 0;
    while first < lanes {
        let count = panel_lanes(lanes - first, vector);
        let width = count.next_multiple_of(vector);
        let panel = to.wrapping_add(first * depth);
        let source = from.from(0, first / parts);
        // SAFETY: the caller's promise, for each; places stay within the panel.
        unsafe {
            if from.column == parts as isize {
                for k in 0..depth {
                    let (source, to) = (source.from(k, 0).at, panel.add(k * width));
                    for lane in 0..count {
                        to.add(lane).write(source.add(lane).read_unaligned().widened());
                    }
                }
            } else {
                for lane in 0..count {
                    let (source, to) = (source.from(0, lane / parts).at.wrapping_add(lane % parts), panel.add(lane));
                    for k in 0..depth {
                        let value = source.wrapping_offset(k as isize * from.row).read_unaligned();
                        to.add(k * width).write(value.widened());
                    }
                }
            }
            for k in 0..depth {
                for lane in count..width {
                    panel.add(k * width + lane).write(L::default());
                }
            }
        }
        first += count;
    }
}
