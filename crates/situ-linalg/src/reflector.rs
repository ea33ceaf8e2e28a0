//! Householder reflections of a few rows, `1 - factor v v^H`, where `v` begins with a 1 that is not kept.

use crate::columns::sum_of_squares;
use crate::columns::{inner, subtract};
use crate::scale::Scale;
use crate::{Number, Part};

/// Makes the reflection whose adjoint brings a column onto its first element, and puts there what that becomes, and `v` behind it.
/// Returns the factor.
#[inline(always)]
pub(crate) fn make_reflector<T: Number>(column: &mut [T]) -> T {
    let Some((first, tail)) = column.split_first_mut() else { return T::default() };
    let mut tail_squares = sum_of_squares(tail);
    if tail_squares == T::Part::default()
        && tail.iter().all(|x| *x == T::default())
        && first.parts()[1] == T::Part::default()
    {
        return T::default();
    }
    // Squares of tiny numbers have lost digits, and decide in which direction the reflection goes.
    let tiny = T::Part::power_of_two(-40) * T::Part::EPSILON * T::Part::EPSILON;
    let is_tiny = tail_squares < tiny && first.magnitude() * first.magnitude() < tiny;
    let scale = if is_tiny { Scale::normalise_together(first, tail) } else { None };
    if scale.is_some() {
        tail_squares = sum_of_squares(tail);
    }
    let length = (sum_of_squares(std::slice::from_ref(first)) + tail_squares).root();
    let [real, imaginary] = first.parts();
    let reflected = if real > T::Part::default() { -length } else { length };
    let factor = T::of((reflected - real) / reflected, -imaginary / reflected);
    let apart = T::one().over(*first - T::of(reflected, T::Part::default()));
    tail.iter_mut().for_each(|x| *x *= apart);
    *first = T::of(reflected, T::Part::default());
    if let Some(scale) = scale {
        scale.restore(std::slice::from_mut(first));
    }
    factor
}

/// Applies a reflection to a column, which begins where the 1 of `v` is.
#[inline(always)]
pub(crate) fn reflect<T: Number>(v: &[T], factor: T, column: &mut [T]) {
    let Some((first, tail)) = column.split_first_mut() else { return };
    let by = (*first + inner(v, tail)) * factor;
    *first -= by;
    subtract(tail, v, by);
}
