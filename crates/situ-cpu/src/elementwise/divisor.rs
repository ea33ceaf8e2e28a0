//! Integers divided by one number: the reciprocal is taken once for a whole loop, because a division takes many times
//! as long as a product.
//!
//! The meaning is that of `situ_ir::scalar::Divisible`: quotients are rounded down and wrap, and zero divides into
//! nothing, which leaves nothing.

use std::mem::MaybeUninit;

use situ_ir::scalar::{Arithmetic, Divisible};

/// An integer type with a prepared divisor.
pub(super) trait Dividend: Arithmetic + Divisible {
    /// What is known of a divisor, other than zero.
    type Divisor: Copy;

    /// Prepares a divisor, which is not zero.
    fn prepared(divisor: Self) -> Self::Divisor;

    /// The quotient, rounded down.
    fn divided(self, divisor: Self::Divisor) -> Self;
}

/// A divisor of integers that a float holds with room to spare.
///
/// The quotient is the integer nearest `x / d + ½ / |d| - ½`, which lies at least `½ / |d|` off the middle between two.
/// Rounding moves it by less: by no more than `ε (3 |x / d| + 2)`, where `|x|` and `|d|` are at most 2^16 and `ε` is
/// 2^-24, or 2^32 and 2^-53.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reciprocal<Float> {
    reciprocal: Float,
    /// `½ / |d| - ½`.
    shift: Float,
}

macro_rules! by_float {
    ($float:ident, $whole:expr; $($type:ident),*) => {$(
        impl Dividend for $type {
            type Divisor = Reciprocal<$float>;

            #[inline(always)]
            fn prepared(divisor: Self) -> Self::Divisor {
                let reciprocal = 1.0 / divisor as $float;
                Reciprocal { reciprocal, shift: 0.5 * reciprocal.abs() - 0.5 }
            }

            #[inline(always)]
            fn divided(self, divisor: Self::Divisor) -> Self {
                // The float whose last place is 1: a sum with it is rounded to an integer, which its last digits are.
                const WHOLE: $float = $whole;
                let nearest = self as $float * divisor.reciprocal + divisor.shift + WHOLE;
                nearest.to_bits().wrapping_sub(WHOLE.to_bits()) as $type
            }
        }
    )*};
}
by_float!(f32, 12_582_912.0; i8, i16, u8, u16); // 1.5 · 2^23
by_float!(f64, 6_755_399_441_055_744.0; i32, u32); // 1.5 · 2^52

/// A divisor of 64-bit integers: the quotient is the upper half of a product, halved some times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Multiplier {
    /// 2^64 · (2^`digits` / |d| - 1), rounded up to the next integer.
    factor: u64,
    /// How many times a half is taken: once before the last sum, unless the divisor is 1, and then the others.
    halved: (u32, u32),
    is_negative: bool,
}

impl Multiplier {
    #[inline(always)]
    fn new(magnitude: u64, is_negative: bool) -> Multiplier {
        let digits = u64::BITS - (magnitude - 1).leading_zeros();
        let above = (1u128 << digits) - u128::from(magnitude);
        let factor = ((above << 64) / u128::from(magnitude)) as u64 + 1;
        Multiplier { factor, halved: (digits.min(1), digits.saturating_sub(1)), is_negative }
    }

    /// The quotient of magnitudes. The factor's error is less than one part in 2^`digits` of 2^64, so that the product
    /// is too large by less than the reciprocal of the divisor.
    #[inline(always)]
    fn divide(self, dividend: u64) -> u64 {
        let upper = ((u128::from(dividend) * u128::from(self.factor)) >> 64) as u64;
        // The factor lacks 2^64, so that the dividend itself is missing from the upper half: its sum might overflow.
        (upper + ((dividend - upper) >> self.halved.0)) >> self.halved.1
    }
}

impl Dividend for u64 {
    type Divisor = Multiplier;

    #[inline(always)]
    fn prepared(divisor: Self) -> Multiplier {
        Multiplier::new(divisor, false)
    }

    #[inline(always)]
    fn divided(self, divisor: Multiplier) -> Self {
        divisor.divide(self)
    }
}

impl Dividend for i64 {
    type Divisor = Multiplier;

    #[inline(always)]
    fn prepared(divisor: Self) -> Multiplier {
        Multiplier::new(divisor.unsigned_abs(), divisor < 0)
    }

    #[inline(always)]
    fn divided(self, divisor: Multiplier) -> Self {
        let is_below = if divisor.is_negative { self > 0 } else { self < 0 };
        let dividend = if divisor.is_negative { self.wrapping_neg() } else { self };
        // Below zero, rounding down is rounding up the magnitude, which is that of the complement rounded down.
        let mask = -i64::from(is_below);
        divisor.divide((dividend ^ mask) as u64) as i64 ^ mask
    }
}

/// The body of the [`Loop`](super::kernel::Loop) that divides by the first element of its second input: the quotients,
/// or what they leave.
///
/// # Safety
///
/// As for [`Loop`](super::kernel::Loop).
#[inline(always)]
pub(super) unsafe fn divide<T: Dividend, const LEAVES: bool>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]) {
    let count = out.len() / size_of::<T>();
    if count == 0 {
        return;
    }
    let out = out.as_mut_ptr().cast::<T>();
    let from = inputs[0].cast::<T>();
    // SAFETY: there is an element, and the caller vouches for as many in every input.
    let divisor = unsafe { *inputs[1].cast::<T>() };
    if !divisor.truth() {
        // SAFETY: `out` has room for that many elements, and zero is no bits at all in every integer type.
        return unsafe { out.write_bytes(0, count) };
    }
    let prepared = T::prepared(divisor);
    for i in 0..count {
        // SAFETY: `i` is below the number of elements that the caller vouches for.
        unsafe {
            let dividend = *from.add(i);
            let quotient = dividend.divided(prepared);
            out.add(i).write(if LEAVES { dividend.sub(quotient.mul(divisor)) } else { quotient });
        }
    }
}

#[cfg(test)]
mod tests {
    use situ_ir::scalar::Numeric;

    use super::*;

    /// The numbers of a type near powers of two and near the ends, and some that are neither.
    fn numbers(low: i128, high: i128) -> Vec<i128> {
        let powers = (0..64).flat_map(|n| (-2..=2).flat_map(move |near| [(1 << n) + near, -(1 << n) + near]));
        let ends = (0..3).flat_map(|near| [low + near, high - near]);
        let others = (1..40).map(|n| ((n * 0x9e37_79b9_7f4a_7c15_i128) >> (n % 60)) % (high + 1));
        let mut all: Vec<i128> = powers.chain(ends).chain(others).filter(|n| (low..=high).contains(n)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    macro_rules! check {
        ($($type:ident)*) => {$({
            let all = numbers(i128::from($type::MIN), i128::from($type::MAX));
            for &divisor in all.iter().filter(|divisor| **divisor != 0) {
                let divisor = divisor as $type;
                let prepared = $type::prepared(divisor);
                // Numbers around multiples of the divisor are the ones that could be rounded the wrong way.
                let multiples = all.iter().flat_map(|&n| {
                    let n = n as $type;
                    let multiple = n.floor_div(divisor).wrapping_mul(divisor);
                    [n, multiple, multiple.wrapping_sub(1), multiple.wrapping_add(1)]
                });
                for dividend in multiples {
                    let quotient = dividend.divided(prepared);
                    assert_eq!(quotient, dividend.floor_div(divisor), "{dividend} / {divisor}");
                    assert_eq!(dividend.sub(quotient.mul(divisor)), dividend.modulo(divisor), "{dividend} % {divisor}");
                }
            }
        })*};
    }

    #[test]
    fn a_prepared_divisor_gives_what_a_division_gives() {
        check!(i8 i16 i32 i64 u8 u16 u32 u64);
    }

    /// Every pair of a narrow type.
    #[test]
    fn a_prepared_divisor_is_right_for_every_byte() {
        for divisor in (i8::MIN..=i8::MAX).filter(|divisor| *divisor != 0) {
            let prepared = i8::prepared(divisor);
            assert!((i8::MIN..=i8::MAX).all(|n| n.divided(prepared) == n.floor_div(divisor)), "{divisor}");
        }
        for divisor in 1..=u8::MAX {
            let prepared = u8::prepared(divisor);
            assert!((0..=u8::MAX).all(|n| n.divided(prepared) == n.floor_div(divisor)), "{divisor}");
        }
    }
}
