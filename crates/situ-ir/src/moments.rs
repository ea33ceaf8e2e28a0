//! The sum of squared deviations from the mean, in one pass over the values.
//!
//! What is known of some values ([`Moments`]) is joined with what is known of others, or of one more value, by the formula
//! of Chan, Golub and LeVeque, of which Welford's is the case of one value. Nothing is subtracted from a sum of squares.
//!
//! A mean is kept as a distance from one of the values, never as a number of its own. Where the mean is far larger than the
//! deviations, as that of numbers around a million in single precision, it would have too few digits left for them;
//! differences of values have all of theirs.

use crate::scalar::Floating;

/// What is known of some values.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Moments<T> {
    /// The sum of the squared deviations from the mean.
    pub squares: T,
    /// The mean, less `origin`.
    pub mean: T,
    /// One of the values.
    pub origin: T,
    /// How many values there are.
    pub count: T,
}

impl<T: Floating> Moments<T> {
    /// What is known of one value; `one` is 1.
    #[inline(always)]
    pub fn of(value: T, one: T) -> Moments<T> {
        // Zero, unless the value is infinite or not a number.
        let deviation = value.sub(value);
        Moments { squares: deviation, mean: T::default(), origin: value, count: one }
    }

    /// What is known of these values and others together. No digits are lost if the others are not more.
    #[inline(always)]
    #[must_use]
    pub fn join(self, other: Moments<T>) -> Moments<T> {
        let count = self.count.add(other.count);
        let distance = other.origin.sub(self.origin).add(other.mean.sub(self.mean));
        let moved = distance.mul(other.count.div(count));
        let between = distance.mul(distance.sub(moved)).mul(other.count);
        Moments {
            squares: self.squares.add(other.squares.add(between)),
            mean: self.mean.add(moved),
            origin: self.origin,
            count,
        }
    }

    /// What [`join`](Self::join) makes of these values and one more, but for `count`, which is left as it is: the new value's
    /// `share` is 1 divided by what it should be.
    #[inline(always)]
    #[must_use]
    pub fn and(self, value: T, share: T) -> Moments<T> {
        let distance = value.sub(self.origin).sub(self.mean);
        let moved = distance.mul(share);
        let between = distance.mul(distance.sub(moved));
        Moments { squares: self.squares.add(between), mean: self.mean.add(moved), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{self, Direction};

    fn squares(values: &[f32], direction: Direction) -> f32 {
        let moments: Vec<Moments<f32>> = values.iter().map(|&value| Moments::of(value, 1.0)).collect();
        tree::fold(&moments, direction, Moments::join).unwrap().squares
    }

    /// Numbers from 0 to 1.
    fn noise(i: usize) -> f32 {
        ((i * 7919 + 13) % 4093) as f32 / 4093.0
    }

    /// The greatest relative error in both directions.
    fn error(values: &[f32]) -> f64 {
        let mean = values.iter().map(|&x| f64::from(x)).sum::<f64>() / values.len() as f64;
        let exact = values.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>();
        let error = |direction| (f64::from(squares(values, direction)) / exact - 1.0).abs();
        error(Direction::Along).max(error(Direction::Across))
    }

    #[test]
    fn nothing_is_lost_where_the_mean_is_far() {
        for far in [0.0, 1e3, 1e6, 1e8, -3e9] {
            // The values are rounded to what there is so far out, and it is their deviations that are compared.
            let values: Vec<f32> = (0..100_003).map(|i| far + 1000.0 * noise(i)).collect();
            assert!(error(&values) < 5e-7, "{far}: {}", error(&values));
        }
    }

    #[test]
    fn an_outlier_may_be_anywhere() {
        for n in [2, 32, 5000, 300_000] {
            for place in [0, n / 2, n - 1] {
                let values: Vec<f32> = (0..n).map(|i| if i == place { 1e6 } else { noise(i) }).collect();
                assert!(error(&values) < 2e-6, "{n} {place}: {}", error(&values));
            }
        }
    }

    #[test]
    fn equal_values_do_not_deviate() {
        for value in [0.1, 1e30, f32::MIN_POSITIVE / 8.0] {
            for n in [1, 3, 128, 4097, 70_001] {
                assert_eq!(squares(&vec![value; n], Direction::Along), 0.0);
                assert_eq!(squares(&vec![value; n], Direction::Across), 0.0);
            }
        }
    }

    #[test]
    fn what_is_no_finite_number_shows() {
        for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for n in [1, 2, 300, 5000] {
                for place in [0, n / 2, n - 1] {
                    let values: Vec<f32> = (0..n).map(|i| if i == place { odd } else { noise(i) }).collect();
                    assert!(squares(&values, Direction::Along).is_nan(), "{odd} {n} {place}");
                    assert!(squares(&values, Direction::Across).is_nan(), "{odd} {n} {place}");
                }
            }
        }
        assert_eq!(squares(&[1e30, -1e30, 1e30], Direction::Across), f32::INFINITY);
    }

    #[test]
    fn one_more_value_is_joined_as_others_are() {
        for far in [0.0, 1e6, 1e30, f32::INFINITY] {
            let mut known = Moments::of(far + noise(0), 1.0);
            for i in 1..300 {
                let value = far + noise(i);
                let joined = known.join(Moments::of(value, 1.0));
                let next = known.and(value, 1.0 / (known.count + 1.0));
                let bits = |moments: Moments<f32>| [moments.squares, moments.mean, moments.origin].map(f32::to_bits);
                assert!(bits(joined) == bits(next) || joined.squares.is_nan() && next.squares.is_nan(), "{far} {i}");
                known = joined;
            }
        }
    }
}
