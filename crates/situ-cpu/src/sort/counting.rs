//! Dtypes with so few different elements that these are counted.

use situ_ir::order::{Key, Ordered};

use super::rows::{Crew, Shared, Task};
use super::spread;
use super::values::restore;

/// From how many elements on it is worth counting those of 16 bits.
pub(super) const WORTHWHILE: usize = 1 << 13;

/// Sorts a sequence of elements of one byte.
///
/// # Safety
///
/// As for [`super::rows::sort`].
pub(super) unsafe fn sort<T: Ordered>(task: &Task<T>, crew: &Crew<'_>) {
    // SAFETY: the caller's promise.
    unsafe {
        if task.indices.is_none() {
            return sort_values(task, crew);
        }
        let mut places = counted(task, crew);
        let (pieces, bins) = (pieces(task, crew), bins::<T>());
        let mut sum = 0;
        for bin in 0..bins {
            for piece in 0..pieces {
                sum += std::mem::replace(&mut places[piece * bins + bin], sum);
            }
        }
        let places = Shared(places.as_mut_ptr());
        spread(task.length, pieces, crew.fork, &|piece, from, to| {
            for n in from..to {
                // SAFETY: each piece has places of its own, one for each element that it has counted; one that has changed
                // since may take another's, but not one beyond the output.
                let place = places.at(piece * bins + task.key(n).widened() as usize);
                if *place < task.count {
                    task.put(*place, n);
                }
                *place += 1;
            }
        });
    }
}

/// Sorts the elements of a sequence, of one or two bytes; only values are wanted.
///
/// # Safety
///
/// As for [`super::rows::sort`].
pub(super) unsafe fn sort_values<T: Ordered>(task: &Task<T>, crew: &Crew<'_>) {
    let Some(values) = &task.values else { return };
    // SAFETY: the caller's promise.
    unsafe {
        let (counts, bins) = (counted(task, crew), bins::<T>());
        let mut ends = vec![0; bins];
        let mut sum = 0;
        for (bin, end) in ends.iter_mut().enumerate() {
            sum += (0..pieces(task, crew)).map(|piece| counts[piece * bins + bin]).sum::<usize>();
            *end = sum;
        }
        crew.spread(task.count, &|_, from, to| {
            let mut bin = ends.partition_point(|&end| end <= from);
            let mut at = from;
            while at < to {
                let key = T::Key::narrowed(bin as u128);
                let element = T::from_key(if task.descending { key.complement() } else { key }).unwrap_or_default();
                let end = ends[bin].min(to);
                if values.is_dense() {
                    std::slice::from_raw_parts_mut(values.at(at), end - at).fill(element);
                } else {
                    (at..end).for_each(|n| values.at(n).write(element));
                }
                (at, bin) = (end, bin + 1);
            }
        });
        if task.count == task.length && !(0..task.length).all(|n| task.element(n).is_told_by_key()) {
            restore(task);
        }
    }
}

fn bins<T: Ordered>() -> usize {
    1 << (8 * size_of::<T::Key>())
}

/// Into how many pieces elements are divided to be counted: not so many that there are more counters than elements.
fn pieces<T: Ordered>(task: &Task<T>, crew: &Crew<'_>) -> usize {
    crew.pieces().min(task.length / bins::<T>()).max(1)
}

/// How often each key occurs in each piece.
///
/// # Safety
///
/// The input can be read.
unsafe fn counted<T: Ordered>(task: &Task<T>, crew: &Crew<'_>) -> Vec<usize> {
    let (pieces, bins) = (pieces(task, crew), bins::<T>());
    let mut counts = vec![0usize; pieces * bins];
    let tallies = Shared(counts.as_mut_ptr());
    spread(task.length, pieces, crew.fork, &|piece, from, to| {
        let tally = tallies.at(piece * bins);
        // SAFETY: the caller's promise; each piece has counters of its own.
        let count = |n: usize, other: &mut [u32]| unsafe { other[task.key(n).widened() as usize % 256] += 1 };
        if size_of::<T::Key>() == 1 {
            // Several counters for each key, because one that was just written is slow to read.
            let mut several = [[0u32; 256]; 4];
            let mut start = from;
            while start < to {
                let end = to.min(start + (1 << 30));
                let whole = start + (end - start) / 4 * 4;
                (start..whole).step_by(4).for_each(|n| (0..4).for_each(|i| count(n + i, &mut several[i])));
                (whole..end).for_each(|n| count(n, &mut several[0]));
                for (bin, each) in
                    (0..256).map(|bin| (bin, several.iter().map(|each| each[bin] as usize).sum::<usize>()))
                {
                    // SAFETY: as above.
                    unsafe { *tally.add(bin) += each };
                }
                several = [[0; 256]; 4];
                start = end;
            }
        } else {
            // SAFETY: as above.
            (from..to).for_each(|n| unsafe { *tally.add(task.key(n).widened() as usize) += 1 });
        }
    });
    counts
}
