//! Sequences of real numbers as half as many complex ones.
//!
//! The complex numbers are pairs of neighbours. What their transform has at k and at its mirror image, h - k of h, gives the
//! real sequence's at both places, and the other way round.

use std::ops::Range;

use num_complex::Complex;

use super::plan::Real;
use super::roots::{GROUP, Roots, narrowed};
use super::view::View;
use crate::isa::Isa;

/// Numbers that are changed at a time.
const VECTOR: usize = 4;

/// From the transform of the pairs to that of the real numbers, at a place and at its mirror image.
#[inline(always)]
fn unfolded<T: Real>(low: Complex<T>, high: Complex<T>, root: Complex<T>) -> [Complex<T>; 2] {
    let half = T::of(0.5);
    let mirrored = high.conj();
    let even = (low + mirrored).scale(half);
    let odd = (low - mirrored).scale(half);
    // Times -i.
    let turned = root * Complex::new(odd.im, -odd.re);
    [even + turned, (even - turned).conj()]
}

/// From what the transform of real numbers is to be to that of their pairs.
#[inline(always)]
fn folded<T: Real>(low: Complex<T>, high: Complex<T>, root: Complex<T>) -> [Complex<T>; 2] {
    let mirrored = high.conj();
    let (even, odd) = (low + mirrored, root * (low - mirrored));
    // The odd ones times i.
    [even + Complex::new(-odd.im, odd.re), even.conj() + Complex::new(odd.im, odd.re)]
}

/// The first and the last.
fn unfolded_ends<T: Real>(first: Complex<T>) -> [Complex<T>; 2] {
    [Complex::new(first.re + first.im, T::zero()), Complex::new(first.re - first.im, T::zero())]
}

/// The first, of the first and the last.
fn folded_end<T: Real>(first: Complex<T>, last: Complex<T>) -> Complex<T> {
    Complex::new(first.re + last.re, first.re - last.re)
}

/// Turns the first numbers of a row into the transform of as many pairs of real numbers; there is one more then.
pub(super) fn unfold<T: Real>(isa: Isa, row: &mut [Complex<T>], roots: &[Complex<T>]) {
    let Some(points) = row.len().checked_sub(1) else { return };
    [row[0], row[points]] = unfolded_ends(row[0]);
    // SAFETY: the instruction set is the machine's.
    unsafe { in_pairs(isa, &mut row[1..points], &roots[1..], Unfold) };
}

/// The other way round.
pub(super) fn fold<T: Real>(isa: Isa, row: &mut [Complex<T>], roots: &[Complex<T>]) {
    let Some(points) = row.len().checked_sub(1) else { return };
    row[0] = folded_end(row[0], row[points]);
    // SAFETY: the instruction set is the machine's.
    unsafe { in_pairs(isa, &mut row[1..points], &roots[1..], Fold) };
}

/// What becomes of a number and its mirror image.
trait Change: Copy {
    fn apply<T: Real>(self, low: Complex<T>, high: Complex<T>, root: Complex<T>) -> [Complex<T>; 2];
}

#[derive(Clone, Copy)]
struct Unfold;

impl Change for Unfold {
    #[inline(always)]
    fn apply<T: Real>(self, low: Complex<T>, high: Complex<T>, root: Complex<T>) -> [Complex<T>; 2] {
        unfolded(low, high, root)
    }
}

#[derive(Clone, Copy)]
struct Fold;

impl Change for Fold {
    #[inline(always)]
    fn apply<T: Real>(self, low: Complex<T>, high: Complex<T>, root: Complex<T>) -> [Complex<T>; 2] {
        folded(low, high, root)
    }
}

/// Changes numbers and their mirror images. The one in the middle, if there is one, is its own.
///
/// # Safety
///
/// The processor has the instruction set.
unsafe fn in_pairs<T: Real, F: Change>(isa: Isa, row: &mut [Complex<T>], roots: &[Complex<T>], change: F) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn avx2<T: Real, F: Change>(row: &mut [Complex<T>], roots: &[Complex<T>], change: F) {
        body(row, roots, change);
    }
    #[inline(always)]
    fn body<T: Real, F: Change>(row: &mut [Complex<T>], roots: &[Complex<T>], change: F) {
        let length = row.len();
        let (low, rest) = row.split_at_mut(length / 2);
        let (middle, high) = rest.split_at_mut(length % 2);
        // Some at a time: a loop that runs backwards is not vectorised.
        let (low_groups, low_rest) = low.as_chunks_mut::<VECTOR>();
        let (high_rest, high_groups) = high.as_rchunks_mut::<VECTOR>();
        let (root_groups, _) = roots.as_chunks::<VECTOR>();
        for ((low, high), roots) in low_groups.iter_mut().zip(high_groups.iter_mut().rev()).zip(root_groups) {
            let (mut first, mut second) = (*low, *high);
            for (n, (first, &root)) in first.iter_mut().zip(roots).enumerate() {
                let image = &mut second[VECTOR - 1 - n];
                [*first, *image] = change.apply(*first, *image, root);
            }
            (*low, *high) = (first, second);
        }
        let rest = &roots[length / 2 - low_rest.len()..];
        for ((low, high), &root) in low_rest.iter_mut().zip(high_rest.iter_mut().rev()).zip(rest) {
            [*low, *high] = change.apply(*low, *high, root);
        }
        if let (Some(middle), Some(&root)) = (middle.first_mut(), roots.get(length / 2)) {
            [*middle, _] = change.apply(*middle, *middle, root);
        }
    }
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise; the greater instruction set has this one.
        Isa::Avx2 | Isa::Avx512 => unsafe { avx2(row, roots, change) },
        _ => body(row, roots, change),
    }
}

/// Does what [`unfold`] does to the first and the last number in any memory.
///
/// # Safety
///
/// The view's numbers 0 and `points` can be read and written, and nobody else touches them.
pub(super) unsafe fn unfold_ends<T: Real>(view: View<T>, points: usize) {
    let mut first = Complex::new(T::zero(), T::zero());
    // SAFETY: the caller's promise.
    unsafe {
        view.load(1, 1, &raw mut first, 1);
        let [first, last] = unfolded_ends(first);
        view.store(1, 1, &raw const first, 1);
        view.starting_at(points).store(1, 1, &raw const last, 1);
    }
}

/// Does what [`fold`] does to the first and the last number, from memory to other memory.
///
/// # Safety
///
/// The numbers 0 and `points` of the one view can be read and the first of the other written, and nobody else touches it.
pub(super) unsafe fn fold_ends<T: Real>(from: View<T>, to: View<T>, points: usize) {
    let [mut first, mut last] = [Complex::new(T::zero(), T::zero()); 2];
    // SAFETY: the caller's promise.
    unsafe {
        from.load(1, 1, &raw mut first, 1);
        from.starting_at(points).load(1, 1, &raw mut last, 1);
        first = folded_end(first, last);
        to.store(1, 1, &raw const first, 1);
    }
}

/// Does what [`unfold`] does to some numbers, of which none is the first, and their mirror images in any memory.
///
/// # Safety
///
/// The view's numbers `0..=points` can be read and written, and nobody else touches these.
pub(super) unsafe fn unfold_part<T: Real>(
    isa: Isa,
    view: View<T>,
    points: usize,
    roots: &Roots,
    numbers: Range<usize>,
) {
    // SAFETY: the caller's promise.
    unsafe { change_part(isa, [view, view], points, roots, numbers, Unfold) };
}

/// Does what [`fold`] does to some numbers, of which none is the first, and their mirror images, from memory to other memory.
///
/// # Safety
///
/// The numbers `0..=points` of the one view can be read and those `0..points` of the other written, and nobody else touches
/// what comes from these.
pub(super) unsafe fn fold_part<T: Real>(
    isa: Isa,
    [from, to]: [View<T>; 2],
    points: usize,
    roots: &Roots,
    numbers: Range<usize>,
) {
    // SAFETY: the caller's promise.
    unsafe { change_part(isa, [from, to], points, roots, numbers, Fold) };
}

/// Writes the conjugates of some numbers, of which none is the first, to their mirror images in the whole sequence.
///
/// # Safety
///
/// The view's numbers can be read, and their mirror images among `length` written, and nobody else touches those.
pub(super) unsafe fn mirror_part<T: Real>(view: View<T>, length: usize, numbers: Range<usize>) {
    let mut group = [Complex::new(T::zero(), T::zero()); GROUP];
    for start in numbers.clone().step_by(GROUP) {
        let count = GROUP.min(numbers.end - start);
        // SAFETY: the caller's promise; there is room for a group.
        unsafe { view.starting_at(start).load(1, count, group.as_mut_ptr(), GROUP) };
        group[..count].reverse();
        group.iter_mut().for_each(|number| *number = number.conj());
        // SAFETY: the caller's promise.
        unsafe { view.starting_at(length + 1 - start - count).store(1, count, group.as_ptr(), GROUP) };
    }
}

/// # Safety
///
/// As for [`unfold_part`] and [`fold_part`].
unsafe fn change_part<T: Real, F: Change>(
    isa: Isa,
    [from, to]: [View<T>; 2],
    points: usize,
    roots: &Roots,
    numbers: Range<usize>,
    change: F,
) {
    let zero = Complex::new(T::zero(), T::zero());
    let (mut low, mut high) = ([zero; GROUP], [zero; GROUP]);
    let steps = roots.multiples::<T>(1);
    for start in numbers.clone().step_by(GROUP) {
        let count = GROUP.min(numbers.end - start);
        // The mirror images, in the order of memory.
        let mirrored = points + 1 - start - count;
        // SAFETY: the caller's promise, for these numbers; there is room for a group.
        unsafe {
            from.starting_at(start).load(1, count, low.as_mut_ptr(), GROUP);
            from.starting_at(mirrored).load(1, count, high.as_mut_ptr(), GROUP);
        }
        high[..count].reverse();
        // SAFETY: the instruction set is the machine's.
        unsafe { change_group(isa, &mut low, &mut high, narrowed(roots.power(start)), &steps, change) };
        high[..count].reverse();
        // SAFETY: as above.
        unsafe {
            to.starting_at(start).store(1, count, low.as_ptr(), GROUP);
            to.starting_at(mirrored).store(1, count, high.as_ptr(), GROUP);
        }
    }
}

/// Changes numbers and their mirror images, with a power of the root times its multiples.
///
/// # Safety
///
/// The processor has the instruction set.
unsafe fn change_group<T: Real, F: Change>(
    isa: Isa,
    low: &mut [Complex<T>; GROUP],
    high: &mut [Complex<T>; GROUP],
    power: Complex<T>,
    steps: &[Complex<T>; GROUP],
    change: F,
) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn avx2<T: Real, F: Change>(
        low: &mut [Complex<T>; GROUP],
        high: &mut [Complex<T>; GROUP],
        power: Complex<T>,
        steps: &[Complex<T>; GROUP],
        change: F,
    ) {
        body(low, high, power, steps, change);
    }
    #[inline(always)]
    fn body<T: Real, F: Change>(
        low: &mut [Complex<T>; GROUP],
        high: &mut [Complex<T>; GROUP],
        power: Complex<T>,
        steps: &[Complex<T>; GROUP],
        change: F,
    ) {
        for ((low, high), &step) in low.iter_mut().zip(high).zip(steps) {
            [*low, *high] = change.apply(*low, *high, power * step);
        }
    }
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise; the greater instruction set has this one.
        Isa::Avx2 | Isa::Avx512 => unsafe { avx2(low, high, power, steps, change) },
        _ => body(low, high, power, steps, change),
    }
}
