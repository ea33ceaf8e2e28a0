//! Powers of two, by which numbers are scaled without rounding.

/// The exponent of a finite number other than zero: the floor of its binary logarithm. Zero counts as one.
#[inline(always)]
pub(super) fn exponent(value: f64) -> i32 {
    let biased = |v: f64| (v.to_bits() >> 52 & 0x7ff) as i32;
    if value == 0.0 {
        0
    } else if biased(value) == 0 {
        biased(value * power_of_two(54)) - 1077
    } else {
        biased(value) - 1023
    }
}

/// Two to the power of `exponent`, which lies between -1022 and 1023.
#[inline(always)]
pub(super) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// `value` times two to the power of `exponent`, rounded once however large the exponent is.
#[inline(always)]
pub(super) fn scaled(value: f64, exponent: i32) -> f64 {
    let exponent = exponent.clamp(-3000, 3000);
    let third = exponent / 3;
    value * power_of_two(third) * power_of_two(third) * power_of_two(exponent - 2 * third)
}
