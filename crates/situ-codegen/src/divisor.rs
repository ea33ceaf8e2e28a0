//! Division by a number known only at launch, without dividing: see `division.c`.

/// The numbers by which a kernel divides by the length of an axis: the quotient is `2 n multiplier >> (bits + shift)`,
/// for any `n` below half of what the bits hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Divisor {
    pub(crate) multiplier: u64,
    pub(crate) shift: u32,
}

impl Divisor {
    /// For a length that is not 0 and lies below half of what 32 bits, or 64 if wide, hold.
    ///
    /// With 2^(shift - 1) < length <= 2^shift, the multiplier is 2^(bits - 1 + shift) / length, rounded up: it is too
    /// large by less than length / length, which a number below 2^(bits - 1) does not make felt.
    pub(crate) fn new(length: usize, wide: bool) -> Divisor {
        let length = length.max(1) as u128;
        let shift = length.next_power_of_two().trailing_zeros();
        let bits = if wide { 63 } else { 31 };
        Divisor { multiplier: (1u128 << (bits + shift)).div_ceil(length) as u64, shift }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn quotient(n: u64, length: usize, wide: bool) -> u64 {
        let divisor = Divisor::new(length, wide);
        let bits = if wide { 64 } else { 32 };
        assert!(wide || divisor.multiplier <= u64::from(u32::MAX));
        ((((n as u128) << 1) * divisor.multiplier as u128) >> bits) as u64 >> divisor.shift
    }

    proptest! {
        #[test]
        fn division_is_exact(n in 0u64..1 << 31, d in 1usize..1 << 31, small in 1usize..70, power in 0u32..31, far: u64) {
            for d in [d, small, 1 << power, (1 << power) + 1, (1usize << power).saturating_sub(1).max(1)] {
                for n in [n, n - n % d as u64, (n - n % d as u64).saturating_sub(1), (1 << 31) - 1] {
                    prop_assert_eq!(quotient(n, d, false), n / d as u64);
                }
                let far = far >> 1;
                for d in [d, d << 31, (d << 32) - 1] {
                    for n in [far, far - far % d as u64, (far - far % d as u64).saturating_sub(1), u64::MAX >> 1] {
                        prop_assert_eq!(quotient(n, d, true), n / d as u64);
                    }
                }
            }
        }
    }

    #[test]
    fn every_small_divisor() {
        for d in (1..2000).chain([(1 << 30) - 1, (1 << 30) + 1, (1 << 31) - 1]) {
            for n in [0, 1, d - 1, d, d + 1, (1 << 31) / d * d - 1, (1 << 31) - 2, (1 << 31) - 1] {
                let n = n.min((1 << 31) - 1) as u64;
                assert_eq!(quotient(n, d, false), n / d as u64, "{n} / {d}");
                assert_eq!(quotient(n, d, true), n / d as u64, "{n} / {d}");
            }
        }
    }
}
