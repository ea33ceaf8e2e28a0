//! Singular values and vectors by implicit QR steps, without a shift where that would cost small values their digits (Demmel and
//! Kahan).

use crate::rotations::{Columns, Rotation, rotation};
use crate::{Failure, Part};

/// Steps for each value, at most: two are usual.
const MOST_STEPS: usize = 60;

/// Replaces the diagonal of a matrix by its singular values, with any signs and in any order, and turns columns on the left and on the
/// right as they turn. What is above the diagonal is one shorter, and is used up; there is room for as many rotations on either side.
#[inline(always)]
pub(crate) fn singular_vectors<P: Part>(
    diagonal: &mut [P],
    above: &mut [P],
    [left, right]: [&mut Columns<'_, P>; 2],
    [left_room, right_room]: [&mut [Rotation<P>]; 2],
) -> Result<(), Failure> {
    let limits = Limits::of(diagonal, above);
    let mut steps = MOST_STEPS * diagonal.len();
    let mut end = diagonal.len();
    // Where the block of the step before was, and whether it was taken from its other end.
    let (mut before, mut is_reversed) = (None, false);
    while end > 0 {
        let begin = first_of_block(diagonal, above, end, limits.least);
        let rotations = end - 1 - begin;
        if rotations == 0 {
            end -= 1;
            continue;
        }
        steps = steps.checked_sub(1).ok_or(Failure::NotConverged)?;
        let (values, beside) = (&mut diagonal[begin..end], &mut above[begin..end - 1]);
        if before.is_none_or(|(first, last)| begin >= last || end <= first) {
            // From the greater end to the lesser one.
            is_reversed = values[0].magnitude_of() < values[rotations].magnitude_of();
        }
        before = Some((begin, end));
        // The transpose of a matrix, taken from its other end, has the same form.
        let [left_run, right_run] = [&mut left_room[..rotations], &mut right_room[..rotations]];
        if is_reversed {
            values.reverse();
            beside.reverse();
            let is_done = step(values, beside, [&mut *right_run, &mut *left_run], &limits);
            values.reverse();
            beside.reverse();
            if is_done {
                left.turn(end - 1, false, left_run);
                right.turn(end - 1, false, right_run);
            }
        } else if step(values, beside, [&mut *left_run, &mut *right_run], &limits) {
            left.turn(begin, true, left_run);
            right.turn(begin, true, right_run);
        }
    }
    Ok(())
}

/// What counts as zero.
struct Limits<P> {
    /// Relative to what is beside.
    tolerance: P,
    /// Whatever is beside.
    least: P,
    count: P,
}

impl<P: Part> Limits<P> {
    #[inline(always)]
    fn of(diagonal: &[P], above: &[P]) -> Limits<P> {
        let tolerance = P::from_count(10) * P::EPSILON;
        let count = P::from_count(diagonal.len());
        let least = tolerance * least_value(diagonal, above, |_| false).1 / count.root();
        let tiny = P::power_of_two(-2 * P::FAR) * count;
        Limits { tolerance, least: if least > tiny { least } else { tiny }, count }
    }
}

/// A number that is not much greater than the least singular value; with the first position where what is above the diagonal is small
/// enough for it to be zero.
#[inline(always)]
fn least_value<P: Part>(diagonal: &[P], above: &[P], is_small: impl Fn([P; 2]) -> bool) -> (Option<usize>, P) {
    let mut size = diagonal[0].magnitude_of();
    let mut least = size;
    for (at, &x) in above.iter().enumerate() {
        let x = x.magnitude_of();
        if is_small([x, size]) {
            return (Some(at), least);
        }
        let sum = size + x;
        size = if sum == P::default() { sum } else { diagonal[at + 1].magnitude_of() * (size / sum) };
        least = if size < least { size } else { least };
    }
    (None, least)
}

/// Where the block begins that ends here.
#[inline(always)]
fn first_of_block<P: Part>(diagonal: &[P], above: &mut [P], end: usize, least: P) -> usize {
    debug_assert!(end <= diagonal.len());
    for at in (1..end).rev() {
        if above[at - 1].magnitude_of() <= least {
            above[at - 1] = P::default();
            return at;
        }
    }
    0
}

/// One step, from the first row on; false if instead an element above the diagonal became zero.
#[inline(always)]
fn step<P: Part>(d: &mut [P], e: &mut [P], [left, right]: [&mut [Rotation<P>]; 2], limits: &Limits<P>) -> bool {
    let (zero, one) = (P::default(), P::from_count(1));
    let last = e.len();
    if e[last - 1].magnitude_of() <= limits.tolerance * d[last].magnitude_of() {
        e[last - 1] = zero;
        return false;
    }
    let (small, least) = least_value(d, e, |[x, size]| x <= limits.tolerance * size);
    if let Some(at) = small {
        e[at] = zero;
        return false;
    }
    let greatest = d.iter().chain(e.iter()).fold(zero, |greatest, x| {
        let size = x.magnitude_of();
        if size > greatest { size } else { greatest }
    });
    let shift = shift([d[last - 1], e[last - 1], d[last]]);
    let ratio = shift / d[0].magnitude_of();
    let hundredth = one / P::from_count(100);
    // Small values would lose their digits to a shift.
    let is_graded = limits.count * limits.tolerance * (least / greatest) <= {
        let limit = hundredth * limits.tolerance;
        if limit > P::EPSILON { limit } else { P::EPSILON }
    };
    if is_graded || d[0] == zero || ratio * ratio < P::EPSILON {
        without_shift(d, e, [left, right]);
    } else {
        with_shift(d, e, [left, right], shift);
    }
    true
}

/// The lesser singular value of two rows, the second of which begins with a zero.
#[inline(always)]
fn shift<P: Part>([f, g, h]: [P; 3]) -> P {
    let (zero, one) = (P::default(), P::from_count(1));
    let [f, g, h] = [f, g, h].map(P::magnitude_of);
    let (least, most) = if f < h { (f, h) } else { (h, f) };
    if least == zero {
        return zero;
    }
    let two = P::from_count(2);
    if g <= most {
        let [sum, difference, third] = [one + least / most, (most - least) / most, g / most];
        let square = third * third;
        return least * (two / ((sum * sum + square).root() + (difference * difference + square).root()));
    }
    let share = most / g;
    if share == zero {
        return least * most / g;
    }
    let [sum, difference] = [(one + least / most) * share, (most - least) / most * share];
    let scale = one / ((one + sum * sum).root() + (one + difference * difference).root());
    two * (least * scale) * share
}

/// A step without a shift, which keeps the digits of all values.
#[inline(always)]
fn without_shift<P: Part>(d: &mut [P], e: &mut [P], [left, right]: [&mut [Rotation<P>]; 2]) {
    let (zero, one) = (P::default(), P::from_count(1));
    let last = e.len();
    let (mut c, mut old) = (one, [one, zero]);
    for at in 0..last {
        let (by, length) = rotation(d[at] * c, e[at]);
        if at > 0 {
            e[at - 1] = old[1] * length;
        }
        let s = by[1];
        c = by[0];
        (old, d[at]) = rotation(old[0] * length, d[at + 1] * s);
        (right[at], left[at]) = (by, old);
    }
    let end = d[last] * c;
    (d[last], e[last - 1]) = (end * old[0], end * old[1]);
}

#[inline(always)]
fn with_shift<P: Part>(d: &mut [P], e: &mut [P], [left, right]: [&mut [Rotation<P>]; 2], shift: P) {
    let (zero, one) = (P::default(), P::from_count(1));
    let last = e.len();
    let sign = if d[0] < zero { -one } else { one };
    let mut f = (d[0].magnitude_of() - shift) * (sign + shift / d[0]);
    let mut g = e[0];
    for at in 0..last {
        let ([c, s], length) = rotation(f, g);
        if at > 0 {
            e[at - 1] = length;
        }
        right[at] = [c, s];
        f = c * d[at] + s * e[at];
        e[at] = c * e[at] - s * d[at];
        g = s * d[at + 1];
        d[at + 1] = c * d[at + 1];
        let ([c, s], length) = rotation(f, g);
        d[at] = length;
        left[at] = [c, s];
        f = c * e[at] + s * d[at + 1];
        d[at + 1] = c * d[at + 1] - s * e[at];
        if at + 1 < last {
            g = s * e[at + 1];
            e[at + 1] = c * e[at + 1];
        }
    }
    e[last - 1] = f;
}
