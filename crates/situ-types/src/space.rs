//! Iteration spaces: axes, and how far each operand moves along them.
//!
//! A command visits the points of a space, and at each point an element of every operand. How the axes are ordered and
//! divided is nobody's business but the order in which that happens, so axes can be dropped, merged, reordered and
//! walked backwards, as long as every operand goes along.

use smallvec::{SmallVec, smallvec};

/// One axis of a [`Space`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// How many positions it has.
    pub length: usize,
    /// Each operand's step from one position to the next.
    pub steps: SmallVec<[isize; 4]>,
}

/// Axes, outermost first, and the operands' steps along them. Up to four axes and operands nothing is allocated.
///
/// Steps count elements, unless whoever makes the space counts something else. What is computed from them saturates or
/// says that it overflows.
///
/// ```
/// use situ_types::Space;
/// // A matrix, and a row that is repeated.
/// let mut space = Space::new(&[2, 3, 1, 4], [&[12, 4, 4, 1][..], &[0, 4, 4, 1]]);
/// space.simplify();
/// assert_eq!(space.lengths().collect::<Vec<_>>(), [2, 12]);
/// assert!(space.is_dense(0) && !space.is_dense(1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// The axes, outermost first.
    pub axes: SmallVec<[Axis; 4]>,
    /// How far each operand's first element lies from where it was when the space was made.
    pub starts: SmallVec<[isize; 4]>,
}

/// What the memory of two operands has to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// The ranges of addresses they lie in do not meet.
    Apart,
    /// They are the same, element for element.
    Same,
    /// The ranges meet; whether elements do is another question.
    Partial,
}

/// An operand's place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Which operand of the space.
    pub operand: usize,
    /// Where its first element is, with the space as it was made.
    pub address: usize,
    /// Bytes per element.
    pub width: usize,
}

impl Space {
    /// The space of a shape, with one step per axis for each operand.
    pub fn new<'a>(shape: &[usize], operands: impl IntoIterator<Item = &'a [isize]>) -> Space {
        let axis = |&length: &usize| Axis { length, steps: SmallVec::new() };
        let mut space = Space { axes: shape.iter().map(axis).collect(), starts: SmallVec::new() };
        for steps in operands {
            space.push(steps);
        }
        space
    }

    /// Adds an operand, with one step per axis.
    pub fn push(&mut self, steps: &[isize]) {
        debug_assert_eq!(steps.len(), self.axes.len());
        self.axes.iter_mut().zip(steps).for_each(|(axis, &step)| axis.steps.push(step));
        self.starts.push(0);
    }

    /// Adds an operand that counts positions in C order.
    pub fn push_position(&mut self) {
        let mut step = 1isize;
        for axis in self.axes.iter_mut().rev() {
            axis.steps.push(step);
            step = step.saturating_mul(axis.length as isize);
        }
        self.starts.push(0);
    }

    /// Number of operands.
    pub fn operands(&self) -> usize {
        self.starts.len()
    }

    /// Lengths of the axes.
    pub fn lengths(&self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator + Clone {
        self.axes.iter().map(|axis| axis.length)
    }

    /// An operand's steps along the axes.
    pub fn steps(&self, operand: usize) -> impl DoubleEndedIterator<Item = isize> + ExactSizeIterator + Clone {
        self.axes.iter().map(move |axis| axis.steps[operand])
    }

    /// Number of points; at most `usize::MAX`.
    pub fn size(&self) -> usize {
        if self.is_empty() { 0 } else { self.lengths().fold(1, usize::saturating_mul) }
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.axes.iter().any(|axis| axis.length == 0)
    }

    /// Drops axes of one position, merges what can be, and leaves at least one axis. A space without points becomes one
    /// of a single axis of length 0.
    pub fn simplify(&mut self) {
        if self.is_empty() {
            self.axes.clear();
            self.axes.push(self.still(0));
            return;
        }
        self.drop_unit_axes();
        self.merge();
        if self.axes.is_empty() {
            self.axes.push(self.still(1));
        }
    }

    /// An axis along which nothing moves.
    fn still(&self, length: usize) -> Axis {
        Axis { length, steps: smallvec![0; self.operands()] }
    }

    /// Drops the axes of one position.
    pub fn drop_unit_axes(&mut self) {
        self.axes.retain(|axis| axis.length != 1);
    }

    /// Makes one axis of neighbours that every operand walks as if they were one.
    pub fn merge(&mut self) {
        let mut kept = 0;
        for next in 1..self.axes.len() {
            let (outer, inner) = (&self.axes[kept], &self.axes[next]);
            let continues = |(&outer, &step): (&isize, &isize)| step.checked_mul(inner.length as isize) == Some(outer);
            if outer.steps.iter().zip(&inner.steps).all(continues) {
                let length = outer.length.saturating_mul(inner.length);
                self.axes.swap(kept, next);
                self.axes[kept].length = length;
            } else {
                kept += 1;
                self.axes.swap(kept, next);
            }
        }
        self.axes.truncate(kept + 1);
    }

    /// Puts the axes with the largest keys outside; equal ones stay in their order.
    pub fn sort_by_key<K: Ord>(&mut self, key: impl Fn(&Axis) -> K) {
        // Not by `sort_by_key`, which sets memory aside for more than a few.
        for next in 1..self.axes.len() {
            let mut at = next;
            while at > 0 && key(&self.axes[at - 1]) < key(&self.axes[at]) {
                self.axes.swap(at - 1, at);
                at -= 1;
            }
        }
    }

    /// Orders the axes by how far the last operand moves along them, and where that is equal by the one before it and so
    /// on, so that the last one, an output, is written as sequentially as possible; then [simplifies](Self::simplify).
    pub fn collapse(&mut self) {
        self.drop_unit_axes();
        // Compared in place: keys of all operands would have to be kept somewhere.
        let rank = |axis: &Axis, operand: usize| axis.steps[operand].unsigned_abs();
        for next in 1..self.axes.len() {
            let mut at = next;
            while at > 0 {
                let (outer, inner) = (&self.axes[at - 1], &self.axes[at]);
                let ranks = (0..self.starts.len()).rev().map(|n| rank(outer, n).cmp(&rank(inner, n)));
                if ranks.into_iter().find(|order| order.is_ne()).is_none_or(|order| order.is_gt()) {
                    break;
                }
                self.axes.swap(at - 1, at);
                at -= 1;
            }
        }
        self.simplify();
    }

    /// Walks the axes along which an operand runs backwards from their other end.
    pub fn reverse_negative(&mut self, operand: usize) {
        for axis in self.axes.iter_mut().filter(|axis| axis.steps[operand] < 0 && axis.length > 0) {
            for (start, step) in self.starts.iter_mut().zip(&mut axis.steps) {
                *start += *step * (axis.length as isize - 1);
                *step = -*step;
            }
        }
    }

    /// Moves one axis to another's place.
    pub fn move_axis(&mut self, from: usize, to: usize) {
        let axis = self.axes.remove(from);
        self.axes.insert(to, axis);
    }

    /// Whether an operand's elements follow each other in C order, without gaps.
    pub fn is_dense(&self, operand: usize) -> bool {
        is_dense(self.lengths().zip(self.steps(operand)).rev())
    }

    /// Whether an operand is the same element at every point.
    pub fn is_still(&self, operand: usize) -> bool {
        self.axes.iter().all(|axis| axis.length <= 1 || axis.steps[operand] == 0)
    }

    /// Whether different points are different elements of an operand, as far as can be seen from its steps: each leads
    /// beyond everything that the smaller ones reach together.
    pub fn has_distinct_elements(&self, operand: usize) -> bool {
        has_distinct_elements(self.lengths().zip(self.steps(operand)))
    }

    /// How far apart an operand's first and last element may be, in steps of 1; at most `usize::MAX`.
    pub fn reach(&self, operand: usize) -> usize {
        let along = |axis: &Axis| axis.length.saturating_sub(1).saturating_mul(axis.steps[operand].unsigned_abs());
        self.axes.iter().map(along).fold(0, usize::saturating_add)
    }

    /// The half-open range that an operand's elements lie in, counted from its first; `None` on overflow. A space
    /// without points has an empty one.
    pub fn bounds(&self, operand: usize) -> Option<(isize, isize)> {
        bounds(self.lengths().zip(self.steps(operand)), self.starts[operand])
    }

    /// The half-open range of addresses that an operand's elements lie in; `None` on overflow.
    pub fn byte_bounds(&self, placed: Placed) -> Option<(usize, usize)> {
        let (low, high) = self.bounds(placed.operand)?;
        let width = isize::try_from(placed.width).ok()?;
        let at = |element: isize| placed.address.checked_add_signed(element.checked_mul(width)?);
        Some((at(low)?, at(high)?))
    }

    /// What the memory of two operands has to do with each other. Ranges that overflow are taken to meet.
    pub fn overlap(&self, a: Placed, b: Placed) -> Overlap {
        let moves_alike = |axis: &Axis| axis.length == 1 || axis.steps[a.operand] == axis.steps[b.operand];
        match (self.byte_bounds(a), self.byte_bounds(b)) {
            (Some((a_low, a_high)), Some((b_low, b_high))) if a_high <= b_low || b_high <= a_low => Overlap::Apart,
            _ if a.address == b.address
                && a.width == b.width
                && self.starts[a.operand] == self.starts[b.operand]
                && self.axes.iter().all(moves_alike) =>
            {
                Overlap::Same
            }
            _ => Overlap::Partial,
        }
    }
}

/// Whether axes, given innermost first by length and step, hold their elements without gaps.
pub(crate) fn is_dense(axes: impl Iterator<Item = (usize, isize)>) -> bool {
    let (mut step, mut dense) = (1isize, true);
    for (length, own) in axes {
        if length == 0 {
            return true;
        }
        dense &= length == 1 || own == step;
        step = step.wrapping_mul(length as isize);
    }
    dense
}

/// As [`Space::has_distinct_elements`], for axes given by length and step.
pub(crate) fn has_distinct_elements(axes: impl Iterator<Item = (usize, isize)> + Clone) -> bool {
    if axes.clone().any(|(length, _)| length == 0) {
        return true;
    }
    let long = axes.filter(|&(length, _)| length > 1);
    let mut axes: SmallVec<[(usize, usize); 4]> = long.map(|(length, step)| (step.unsigned_abs(), length)).collect();
    axes.sort_unstable();
    let mut reach = 0usize;
    axes.into_iter().all(|(step, length)| {
        let apart = step > reach;
        reach = reach.saturating_add(step.saturating_mul(length - 1));
        apart
    })
}

/// As [`Space::bounds`], for axes given by length and step, and the first element's place.
pub(crate) fn bounds(axes: impl Iterator<Item = (usize, isize)> + Clone, start: isize) -> Option<(isize, isize)> {
    if axes.clone().any(|(length, _)| length == 0) {
        return Some((start, start));
    }
    let (mut low, mut high) = (start, start);
    for (length, step) in axes {
        let reach = step.checked_mul(isize::try_from(length).ok()? - 1)?;
        if reach < 0 {
            low = low.checked_add(reach)?;
        } else {
            high = high.checked_add(reach)?;
        }
    }
    Some((low, high.checked_add(1)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Where every operand is at every point, in no particular order.
    fn places(space: &Space) -> Vec<Vec<isize>> {
        let mut places = vec![space.starts.to_vec()];
        for axis in &space.axes {
            let along = |base: &Vec<isize>, n: usize| -> Vec<isize> {
                base.iter().zip(&axis.steps).map(|(place, step)| place + step * n as isize).collect()
            };
            places = places.iter().flat_map(|base| (0..axis.length).map(move |n| along(base, n))).collect();
        }
        places.sort();
        places
    }

    fn space() -> impl Strategy<Value = Space> {
        let steps = || proptest::collection::vec(-7isize..8, 5);
        (proptest::collection::vec(0usize..5, 0..5), steps(), steps(), steps()).prop_map(|(shape, a, b, c)| {
            let n = shape.len();
            Space::new(&shape, [&a[..n], &b[..n], &c[..n]])
        })
    }

    proptest! {
        #[test]
        fn the_same_elements_are_visited(space in space()) {
            let wanted = places(&space);
            let changes: [fn(&mut Space); 6] = [
                Space::drop_unit_axes,
                Space::merge,
                Space::simplify,
                Space::collapse,
                |space| space.reverse_negative(2),
                |space| space.sort_by_key(|axis| axis.steps[0]),
            ];
            for change in changes {
                let mut changed = space.clone();
                change(&mut changed);
                prop_assert_eq!(&places(&changed), &wanted);
            }
        }

        #[test]
        fn collapsed_axes_follow_the_last_operand(mut space in space()) {
            space.collapse();
            prop_assert!(!space.axes.is_empty());
            let last = space.operands() - 1;
            prop_assert!(space.steps(last).map(isize::unsigned_abs).rev().is_sorted());
            prop_assert!(space.axes.len() == 1 || space.lengths().all(|length| length > 1));
        }

        #[test]
        fn bounds_and_reach_hold_every_element(space in space()) {
            for operand in 0..space.operands() {
                let mut places: Vec<isize> = places(&space).iter().map(|place| place[operand]).collect();
                let (low, high) = space.bounds(operand).unwrap();
                if let (Some(first), Some(last)) = (places.iter().min(), places.iter().max()) {
                    prop_assert_eq!((low, high - 1), (*first, *last));
                    prop_assert_eq!(space.reach(operand), (last - first) as usize);
                } else {
                    prop_assert_eq!((low, high), (0, 0));
                }
                places.sort_unstable();
                let distinct = places.windows(2).all(|pair| pair[0] != pair[1]);
                prop_assert!(distinct || !space.has_distinct_elements(operand), "{:?}", space);
            }
        }
    }

    #[test]
    fn axes_are_merged_and_ordered() {
        let mut space = Space::new(&[2, 1, 3, 4], [&[12, 9, 4, 1][..], &[0, 0, 0, 1]]);
        space.simplify();
        let seen =
            |space: &Space, operand| -> Vec<(usize, isize)> { space.lengths().zip(space.steps(operand)).collect() };
        assert_eq!(seen(&space, 0), [(6, 4), (4, 1)]);
        assert_eq!(seen(&space, 1), [(6, 0), (4, 1)]);
        assert!(space.is_dense(0) && !space.is_dense(1));
        assert_eq!((space.reach(0), space.reach(1)), (23, 3));
        space.push_position();
        space.sort_by_key(|axis| axis.steps[1]);
        assert_eq!(seen(&space, 2), [(4, 1), (6, 4)]);
        let mut none = Space::new(&[], [&[][..]]);
        none.simplify();
        assert_eq!(seen(&none, 0), [(1, 0)]);
    }

    #[test]
    fn small_spaces_are_kept_in_place() {
        let shape = [2, 3, 4, 5];
        let steps = [[60, 20, 5, 1], [1, 2, 6, 24], [0, 0, 5, 1], [-60, 20, 5, 1]];
        let mut space = Space::new(&shape, steps.iter().map(|steps| &steps[..]));
        space.reverse_negative(3);
        space.collapse();
        assert!(!space.axes.spilled() && !space.starts.spilled());
        assert!(space.axes.iter().all(|axis| !axis.steps.spilled()));
    }

    #[test]
    fn operands_overlap_or_not() {
        let space = Space::new(&[4, 5], [&[5, 1][..], &[5, 1], &[-5, 1]]);
        let at = |operand, address, width| Placed { operand, address, width };
        assert_eq!(space.overlap(at(0, 1000, 4), at(1, 1000, 4)), Overlap::Same);
        assert_eq!(space.overlap(at(0, 1000, 4), at(1, 1000, 8)), Overlap::Partial);
        assert_eq!(space.overlap(at(0, 1000, 4), at(1, 1004, 4)), Overlap::Partial);
        assert_eq!(space.overlap(at(0, 1000, 4), at(1, 1080, 4)), Overlap::Apart);
        assert_eq!(space.overlap(at(0, 1000, 4), at(2, 1080, 4)), Overlap::Partial);
        assert_eq!(space.overlap(at(0, 1000, 4), at(2, 1140, 4)), Overlap::Apart);
        assert_eq!(space.byte_bounds(at(2, 1080, 4)), Some((1020, 1100)));
        assert_eq!(space.byte_bounds(at(2, 59, 4)), None);
        let far = Space::new(&[3], [&[isize::MAX / 2][..], &[1]]);
        assert_eq!(far.byte_bounds(at(0, 0, 8)), None);
        assert_eq!(far.overlap(at(0, 0, 8), at(1, 0, 8)), Overlap::Partial);
    }
}
