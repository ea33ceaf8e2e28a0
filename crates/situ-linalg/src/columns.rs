//! Sums over columns.

use crate::{Number, Part};

/// Subtracts a multiple of one column from another.
#[inline(always)]
pub(crate) fn subtract<T: Number>(from: &mut [T], column: &[T], times: T) {
    from.iter_mut().zip(column).for_each(|(x, &y)| *x -= y * times);
}

/// The number of length 1 that a number is its length times, and the length.
#[inline(always)]
pub(crate) fn phase<T: Number>(x: T) -> (T, T::Part) {
    let [up, down] = [T::Part::FAR, -T::Part::FAR].map(T::Part::power_of_two);
    // The length of a number that is not normal would not have digits enough.
    let is_tiny = x.magnitude() < down;
    let x = if is_tiny { x.times(up) } else { x };
    let (size, [re, im]) = (x.length(), x.parts());
    if size == T::Part::default() {
        return (T::one(), size);
    }
    (T::of(re / size, im / size), if is_tiny { size * down } else { size })
}

/// The inner product of two columns, of which the first is conjugated.
#[inline(always)]
pub(crate) fn inner<T: Number>(x: &[T], y: &[T]) -> T {
    // Sums side by side become vectors.
    const LANES: usize = 8;
    let (x, x_rest) = x.as_chunks::<LANES>();
    let (y, y_rest) = y.as_chunks::<LANES>();
    let mut sums = [T::default(); LANES];
    for (x, y) in x.iter().zip(y) {
        for lane in 0..LANES {
            sums[lane] += x[lane].conjugate() * y[lane];
        }
    }
    let sum = x_rest.iter().zip(y_rest).fold(T::default(), |sum, (&x, &y)| sum + x.conjugate() * y);
    sums.into_iter().fold(sum, |sum, lane| sum + lane)
}

/// The sum of the squared magnitudes of elements.
#[inline(always)]
pub(crate) fn sum_of_squares<T: Number>(elements: &[T]) -> T::Part {
    // Sums side by side become vectors, and those of pieces lose fewer digits than long ones.
    const LANES: usize = 8;
    let square = |x: T| x.parts().into_iter().fold(T::Part::default(), |sum, part| sum + part * part);
    let mut whole = T::Part::default();
    for piece in elements.chunks(256 * LANES) {
        let (rows, rest) = piece.as_chunks::<LANES>();
        let mut sums = [T::Part::default(); LANES];
        for row in rows {
            for lane in 0..LANES {
                sums[lane] += square(row[lane]);
            }
        }
        let sum = rest.iter().fold(T::Part::default(), |sum, &x| sum + square(x));
        whole += sums.into_iter().fold(sum, |sum, lane| sum + lane);
    }
    whole
}
