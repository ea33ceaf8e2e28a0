//! Eigenvalues and vectors by implicit QL steps with the shift of Wilkinson.

use crate::rotations::{Columns, Rotation, rotation};
use crate::{Failure, Part};

/// Steps for each value, at most: two are usual.
const MOST_STEPS: usize = 60;

/// Replaces the diagonal of a matrix by its eigenvalues, in any order, and turns columns as they turn. What is beside the diagonal
/// is one shorter, and is used up; there is room for as many rotations.
#[inline(always)]
pub(crate) fn eigenvectors<P: Part>(
    diagonal: &mut [P],
    beside: &mut [P],
    columns: &mut Columns<'_, P>,
    room: &mut [Rotation<P>],
) -> Result<(), Failure> {
    let mut steps = MOST_STEPS * diagonal.len();
    let mut begin = 0;
    while begin < diagonal.len() {
        let rest = (begin..beside.len()).find(|&at| is_nothing(diagonal, beside, at));
        let end = rest.map_or(diagonal.len(), |at| at + 1);
        let block = (&mut diagonal[begin..end], &mut beside[begin..end - 1]);
        // Values are found from the front on, and the least first.
        let is_reversed = block.0[end - begin - 1].magnitude_of() < block.0[0].magnitude_of();
        if is_reversed {
            block.0.reverse();
            block.1.reverse();
        }
        let first = if is_reversed { end - 1 } else { begin };
        of_block(block.0, block.1, Place { columns, first, is_reversed }, room, &mut steps)?;
        if is_reversed {
            block.0.reverse();
        }
        begin = end;
    }
    Ok(())
}

/// Whether an element beside the diagonal is as good as zero.
#[inline(always)]
fn is_nothing<P: Part>(diagonal: &[P], beside: &[P], at: usize) -> bool {
    let product = (diagonal[at] * diagonal[at + 1]).magnitude_of();
    let size = beside[at].magnitude_of();
    // Tiny squares are none.
    size <= P::power_of_two(-P::FAR) || size * size <= P::EPSILON * P::EPSILON * product
}

/// Where the columns of a block are.
struct Place<'a, 'b, P> {
    columns: &'a mut Columns<'b, P>,
    /// The first row's.
    first: usize,
    /// Whether those of the next rows are on its left.
    is_reversed: bool,
}

/// The eigenvalues of a block, from the front on.
#[inline(always)]
fn of_block<P: Part>(
    diagonal: &mut [P],
    beside: &mut [P],
    place: Place<'_, '_, P>,
    room: &mut [Rotation<P>],
    steps: &mut usize,
) -> Result<(), Failure> {
    let mut at = 0;
    while at < diagonal.len() {
        let last = (at..beside.len()).find(|&at| is_nothing(diagonal, beside, at)).unwrap_or(beside.len());
        if last == at {
            at += 1;
            continue;
        }
        *steps = steps.checked_sub(1).ok_or(Failure::NotConverged)?;
        let run = &mut room[..last - at];
        step(&mut diagonal[at..=last], &mut beside[at..last], run);
        let Place { first, is_reversed, .. } = place;
        place.columns.turn(if is_reversed { first - last } else { first + last }, is_reversed, run);
    }
    Ok(())
}

/// One step. The rotations are those of the last two rows, of the two before, and so on.
#[inline(always)]
fn step<P: Part>(diagonal: &mut [P], beside: &mut [P], run: &mut [Rotation<P>]) {
    let (zero, one) = (P::default(), P::from_count(1));
    let last = beside.len();
    let two = P::from_count(2);
    let half = (diagonal[1] - diagonal[0]) / (two * beside[0]);
    let hypotenuse = (half * half + one).root();
    let shift = beside[0] / (half + if half < zero { -hypotenuse } else { hypotenuse });
    let mut g = diagonal[last] - diagonal[0] + shift;
    let (mut c, mut s, mut p) = (one, one, zero);
    for (at, turned) in (0..last).rev().zip(run) {
        let (f, b) = (s * beside[at], c * beside[at]);
        let (by, length) = rotation(g, f);
        [c, s] = by;
        if at + 1 < last {
            beside[at + 1] = length;
        }
        g = diagonal[at + 1] - p;
        let r = (diagonal[at] - g) * s + two * c * b;
        p = s * r;
        diagonal[at + 1] = g + p;
        g = c * r - b;
        *turned = by;
    }
    diagonal[0] -= p;
    beside[0] = g;
}
