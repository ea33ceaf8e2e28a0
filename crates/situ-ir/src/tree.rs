//! The order in which a reduction or a scan combines values: a fixed tree, the same on every device.
//!
//! Floating-point addition is not associative, so the order of combining is part of a result. It is decided here, once,
//! and depends on the length of a sequence and on its [`Direction`] alone, which follows from shape, strides and axes:
//! never on the number of threads, the sub-device or the backend. Errors grow with the logarithm of the length.
//!
//! **Leaves.** A sequence is cut into chunks.
//!
//! * [`Direction::Along`]: a chunk has [`CHUNK`] values, dealt out to [`LANES`] lanes like cards: value `i` of a chunk goes to
//!   lane `i % LANES`. A lane combines its values one after another. Then the upper half of the lanes is combined into
//!   the lower half (lane `l + 64` into lane `l`, then `l + 32`, …, `l + 1`), until one is left. Lanes without values take no part.
//!   A processor keeps the lanes in its vector registers, a warp of a GPU has four per thread.
//! * [`Direction::Across`]: neighbouring memory belongs to other results, so that vectors run across results, and a chunk
//!   is the [`RADIX`] values of one level of the tree.
//!
//! **Above them.** [`RADIX`] neighbours are combined one after another, then `RADIX` of their results, and so on up to
//! the one result.
//!
//! **Scans** have no lanes: [`RADIX`] neighbours are combined one after another, then the totals of `RADIX` such groups, and
//! so on. What comes before a group is what comes before the group of groups it is in, combined with the totals in that up to
//! it; and that is combined with each value.
//!
//! [`fold`] and [`scan`] are this definition as code, for tests and for whoever wants to see it.

/// Values of an [`Along`](Direction::Along) chunk that are combined side by side.
pub const LANES: usize = 128;

/// Values that each lane of a full chunk combines.
pub const ROUNDS: usize = 32;

/// Values of a full chunk.
pub const CHUNK: usize = LANES * ROUNDS;

/// Neighbours that are combined one after another, on every level above the leaves.
pub const RADIX: usize = 16;

/// Which way vectors run: through the values of one result, or through several results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Through the values of one result, which are neighbours in memory.
    Along,
    /// Through results, which are neighbours themselves, or many of a few values each.
    Across,
}

impl Direction {
    /// The direction of so many sequences of a length, for values with these innermost element steps: along what is
    /// combined, and along what is kept, if anything is. Vectors run across many short sequences too, which have no lanes
    /// to speak of.
    pub fn of(length: usize, sequences: usize, combined: isize, kept: Option<isize>) -> Direction {
        match kept {
            Some(kept) if kept.unsigned_abs() < combined.unsigned_abs() => Direction::Across,
            Some(_) if length <= RADIX && sequences >= MANY => Direction::Across,
            _ => Direction::Along,
        }
    }
}

/// From so many sequences on they are many.
const MANY: usize = 64;

/// Combines values in the order of the tree; `None` if there are none.
///
/// ```
/// use situ_ir::tree::{Direction, fold};
///
/// let words = ["a", "b", "c", "d", "e"].map(String::from);
/// let combine = |a: String, b: String| format!("({a}{b})");
/// assert_eq!(fold(&words, Direction::Along, combine).unwrap(), "(((ae)c)(bd))");
/// assert_eq!(fold(&words, Direction::Across, combine).unwrap(), "((((ab)c)d)e)");
/// ```
pub fn fold<T: Clone>(values: &[T], direction: Direction, combine: impl Fn(T, T) -> T) -> Option<T> {
    let mut level: Vec<T> = match direction {
        Direction::Along => values.chunks(CHUNK).filter_map(|chunk| fold_lanes(chunk, &combine)).collect(),
        Direction::Across => values.to_vec(),
    };
    while level.len() > 1 {
        level = level.chunks(RADIX).filter_map(|group| group.iter().cloned().reduce(&combine)).collect();
    }
    level.pop()
}

fn fold_lanes<T: Clone>(chunk: &[T], combine: &impl Fn(T, T) -> T) -> Option<T> {
    let mut lanes = chunk[..chunk.len().min(LANES)].to_vec();
    for (i, value) in chunk.iter().enumerate().skip(LANES) {
        lanes[i % LANES] = combine(lanes[i % LANES].clone(), value.clone());
    }
    let mut half = LANES / 2;
    while half > 0 {
        for lane in half..lanes.len() {
            lanes[lane - half] = combine(lanes[lane - half].clone(), lanes[lane].clone());
        }
        lanes.truncate(half);
        half /= 2;
    }
    lanes.pop()
}

/// What combining gives up to and including each value, in the order of a scan.
///
/// ```
/// use situ_ir::tree::scan;
///
/// assert_eq!(scan(&[1, 2, 3, 4], |a, b| a + b), [1, 3, 6, 10]);
/// ```
pub fn scan<T: Clone>(values: &[T], combine: impl Fn(T, T) -> T + Copy) -> Vec<T> {
    let (mut scanned, totals) = scan_groups(values, combine);
    let before = before_each(&totals, combine);
    for (i, value) in scanned.iter_mut().enumerate() {
        if let Some(before) = &before[i / RADIX] {
            *value = combine(before.clone(), value.clone());
        }
    }
    scanned
}

/// What comes before each value: what comes before its group, combined with the group's own scan up to it.
fn before_each<T: Clone>(values: &[T], combine: impl Fn(T, T) -> T + Copy) -> Vec<Option<T>> {
    let (scanned, totals) = scan_groups(values, combine);
    let above = if values.len() > RADIX { before_each(&totals, combine) } else { vec![None; totals.len()] };
    let before = |i: usize| match (&above[i / RADIX], i % RADIX) {
        (above, 0) => above.clone(),
        (None, _) => Some(scanned[i - 1].clone()),
        (Some(above), _) => Some(combine(above.clone(), scanned[i - 1].clone())),
    };
    (0..values.len()).map(before).collect()
}

/// Each group's values, combined one after another, and its total.
fn scan_groups<T: Clone>(values: &[T], combine: impl Fn(T, T) -> T) -> (Vec<T>, Vec<T>) {
    let (mut scanned, mut totals) = (Vec::with_capacity(values.len()), Vec::new());
    for group in values.chunks(RADIX) {
        let first = scanned.len();
        for value in group {
            let next = match scanned[first..].last() {
                None => value.clone(),
                Some(running) => combine(T::clone(running), value.clone()),
            };
            scanned.push(next);
        }
        totals.extend(scanned.last().cloned());
    }
    (scanned, totals)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranges joined to ranges: an order that leaves a value out, takes one twice or turns two round is seen.
    fn joined(a: Vec<usize>, b: Vec<usize>) -> Vec<usize> {
        [a, b].concat()
    }

    #[test]
    fn every_value_takes_part_once() {
        for n in [1, 2, 15, 16, 17, 127, 128, 129, 300, 4095, 4096, 4097, 70_000] {
            let values: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
            let across = fold(&values, Direction::Across, joined).unwrap();
            assert!(across.iter().copied().eq(0..n), "{n}");
            let mut along = fold(&values, Direction::Along, joined).unwrap();
            along.sort_unstable();
            assert!(along.into_iter().eq(0..n), "{n}");
        }
        assert_eq!(fold::<i32>(&[], Direction::Along, |a, _| a), None);
    }

    #[test]
    fn scans_end_with_everything_in_order() {
        for n in [1, 16, 17, 256, 257, 5000] {
            let values: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
            let scanned = scan(&values, joined);
            assert!(scanned.iter().enumerate().all(|(i, prefix)| prefix.iter().copied().eq(0..=i)), "{n}");
        }
    }

    #[test]
    fn errors_stay_small() {
        let values = vec![0.1f32; 10_000_000];
        for direction in [Direction::Along, Direction::Across] {
            let sum = fold(&values, direction, |a, b| a + b).unwrap();
            assert!((f64::from(sum) / (1e7 * f64::from(0.1f32)) - 1.0).abs() < 1e-6, "{sum}");
        }
    }
}
