//! Matrices brought near 1 by a power of two, and back.
//!
//! Algorithms that compare with fixed thresholds, or square what they get, are wrong or overflow far from 1. A power of two
//! changes no digit, but for elements so much smaller than the greatest that they do not count.

use std::slice;

use crate::vectors::vectorised;
use crate::{Number, Part};

/// The power of two that a matrix was divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scale(i32);

/// The greatest magnitude of a part of an element: NaN if there is one, infinity if there is one and no NaN.
#[inline(always)]
pub(crate) fn greatest<T: Number>(elements: &[T]) -> T::Part {
    // Side by side they become vectors. A sum of zeros is NaN if there is an infinity or a NaN.
    const LANES: usize = 8;
    let zero = T::Part::default();
    let (rows, rest) = elements.as_chunks::<LANES>();
    let (mut found, mut zeros) = ([zero; LANES], [zero; LANES]);
    for row in rows {
        for lane in 0..LANES {
            for part in row[lane].parts() {
                let size = part.magnitude_of();
                found[lane] = if size > found[lane] { size } else { found[lane] };
                zeros[lane] += part * zero;
            }
        }
    }
    if zeros.iter().any(|sum| sum.is_nan()) {
        return greatest_of(elements.iter().copied());
    }
    let other = greatest_of(rest.iter().copied());
    found.into_iter().fold(other, |greatest, x| if x > greatest { x } else { greatest })
}

/// The same of elements that need not be side by side.
pub(crate) fn greatest_of<T: Number>(elements: impl Iterator<Item = T>) -> T::Part {
    elements.fold(T::Part::default(), |greatest, x| {
        let magnitude = x.magnitude();
        if magnitude > greatest || magnitude.is_nan() { magnitude } else { greatest }
    })
}

impl Scale {
    /// Divides elements by the power of two that brings the greatest of them to between 1 and 2; `None` if one is not finite.
    pub(crate) fn normalise<T: Number>(elements: &mut [T]) -> Option<Scale> {
        let greatest = vectorised(
            #[inline(always)]
            || greatest(elements),
        );
        if !greatest.is_a_number() {
            return None;
        }
        if greatest == T::Part::default() {
            return Some(Scale(0));
        }
        let scale = Scale(greatest.exponent());
        scale.inverse().restore(elements);
        Some(scale)
    }

    /// The same, but only if elements are so far from 1 that a product of two of them may be out of range. Elements that are not finite
    /// stay as they are.
    pub(crate) fn normalise_if_far<T: Number>(elements: &mut [T]) -> Scale {
        let greatest = vectorised(
            #[inline(always)]
            || greatest(elements),
        );
        if !greatest.is_a_number() || greatest == T::Part::default() || greatest.exponent().abs() <= T::Part::FAR {
            return Scale(0);
        }
        let scale = Scale(greatest.exponent());
        scale.inverse().restore(elements);
        scale
    }

    /// The same for a number and others that belong to it.
    pub(crate) fn normalise_together<T: Number>(first: &mut T, others: &mut [T]) -> Option<Scale> {
        let (own, other) = (first.magnitude(), greatest(others));
        let greatest = if own > other { own } else { other };
        if !greatest.is_a_number() || greatest == T::Part::default() {
            return None;
        }
        let scale = Scale(greatest.exponent());
        scale.inverse().restore(slice::from_mut(first));
        scale.inverse().restore(others);
        Some(scale)
    }

    /// This one and another one after it.
    pub(crate) fn then(self, other: Scale) -> Scale {
        Scale(self.0 + other.0)
    }

    /// What undoes this one.
    pub(crate) fn inverse(self) -> Scale {
        Scale(-self.0)
    }

    /// Multiplies elements by the power of two.
    pub(crate) fn restore<T: Number>(self, elements: &mut [T]) {
        if self.0 == 0 {
            return;
        }
        if self.0.abs() > 4 * T::Part::FAR {
            // Half of it is no number either.
            let half = Scale(self.0 / 2);
            half.restore(elements);
            return Scale(self.0 - half.0).restore(elements);
        }
        // In two steps, because the whole factor may be out of range where the products are not.
        let first = self.0 / 2;
        let factors = [T::Part::power_of_two(first), T::Part::power_of_two(self.0 - first)];
        vectorised(
            #[inline(always)]
            || elements.iter_mut().for_each(|x| *x = x.times(factors[0]).times(factors[1])),
        );
    }
}
