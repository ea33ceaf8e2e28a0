//! Eigenvalues of real symmetric tridiagonal matrices, without vectors: QL steps without roots, by Pal, Walker and Kahan.

use crate::{Failure, Part};

/// Steps for each value, at most: two are usual.
const MOST_STEPS: usize = 60;

/// Replaces the diagonal of a matrix by its eigenvalues, in any order. What is beside it is one shorter, and is used up.
pub(crate) fn eigenvalues<P: Part>(diagonal: &mut [P], beside: &mut [P]) -> Result<(), Failure> {
    let zero = P::default();
    let greater = |x: P, y: P| if x > y { x } else { y };
    let size = diagonal.iter().chain(beside.iter()).fold(zero, |size, &x| greater(size, x.magnitude_of()));
    beside.iter_mut().for_each(|x| *x = *x * *x);
    let mut steps = MOST_STEPS * diagonal.len();
    let least = size * P::EPSILON * size * P::EPSILON * P::EPSILON;
    let is_nothing = |diagonal: &[P], beside: &[P], at: usize| {
        let product = (diagonal[at] * diagonal[at + 1]).magnitude_of();
        beside[at] <= greater(P::EPSILON * P::EPSILON * product, least)
    };
    let mut begin = 0;
    while begin < diagonal.len() {
        let rest = (begin..beside.len()).find(|&at| is_nothing(diagonal, beside, at));
        let end = rest.map_or(diagonal.len(), |at| at + 1);
        let (diagonal, beside) = (&mut diagonal[begin..end], &mut beside[begin..end - 1]);
        begin = end;
        // Values are found from the front on, and the least first.
        if let (Some(&first), Some(&last)) = (diagonal.first(), diagonal.last())
            && last.magnitude_of() < first.magnitude_of()
        {
            diagonal.reverse();
            beside.reverse();
        }
        let mut at = 0;
        while at < diagonal.len() {
            let last = (at..beside.len()).find(|&at| is_nothing(diagonal, beside, at)).unwrap_or(beside.len());
            match last - at {
                0 => at += 1,
                1 => {
                    (diagonal[at], diagonal[last]) = two([diagonal[at], diagonal[last]], beside[at]);
                    at += 2;
                }
                _ => {
                    steps = steps.checked_sub(1).ok_or(Failure::NotConverged)?;
                    step(&mut diagonal[at..=last], &mut beside[at..last]);
                }
            }
        }
    }
    Ok(())
}

/// One step. `beside` has squares.
fn step<P: Part>(diagonal: &mut [P], beside: &mut [P]) {
    let (zero, one) = (P::default(), P::from_count(1));
    let last = beside.len();
    let root = beside[0].root();
    let half = (diagonal[1] - diagonal[0]) / (root + root);
    let hypotenuse = half.hypotenuse(one);
    let shift = diagonal[0] - root / (half + if half < zero { -hypotenuse } else { hypotenuse });
    let (mut c, mut s) = (one, zero);
    let mut gamma = diagonal[last] - shift;
    let mut p = gamma * gamma;
    for at in (0..last).rev() {
        let square = beside[at];
        let r = p + square;
        if at + 1 < last {
            beside[at + 1] = s * r;
        }
        let before = (c, gamma);
        // Three divisions at a time: the processor does not wait for one to begin another.
        let inverse_c = r / p;
        (c, s) = (p / r, square / r);
        let alpha = diagonal[at];
        gamma = c * (alpha - shift) - s * gamma;
        diagonal[at + 1] = before.1 + (alpha - gamma);
        p = if c != zero { gamma * gamma * inverse_c } else { before.0 * square };
    }
    beside[0] = s * p;
    diagonal[0] = shift + gamma;
}

/// The eigenvalues of two rows.
fn two<P: Part>([first, last]: [P; 2], square: P) -> (P, P) {
    let (zero, half) = (P::default(), P::from_count(1) / P::from_count(2));
    let (middle, apart) = (half * (first + last), half * (first - last));
    let distance = apart.hypotenuse(square.root());
    let far = if middle < zero { middle - distance } else { middle + distance };
    if far == zero {
        return (zero, zero);
    }
    // The product of both is the determinant; the greater factor first, whose ratio is near 1.
    let (greater, lesser) = if first.magnitude_of() > last.magnitude_of() { (first, last) } else { (last, first) };
    (far, (greater / far) * lesser - square / far)
}
