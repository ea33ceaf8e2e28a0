// for c64 c128

// Modulus, without overflow or underflow on the way. An infinite component makes it infinite.
INLINE R abs_T(T z) {
    return hypot_R(z.re, z.im);
}

// The angle from the positive real axis, from -pi to pi.
INLINE R angle_T(T z) {
    return atan2_R(z.im, z.re);
}

// Projection onto the Riemann sphere: all infinities become one, on the real axis.
INLINE T proj_T(T z) {
    u8 infinite = ABS_R(z.re) == INF_R || ABS_R(z.im) == INF_R;
    return infinite ? make_T(INF_R, COPYSIGN_R((R)0, z.im)) : z;
}

// once

// Sign change of every number, what is not a number too: some results have the sign of a NaN.
INLINE f64 sign_changed_f64(f64 value) {
    return from_bits_f64(bits_f64(value) ^ ((u64)1 << 63));
}

// The larger of the components' magnitudes, for a finite number.
INLINE f64 larger_part_c128(c128 z) {
    f64 re = ABS_f64(z.re);
    f64 im = ABS_f64(z.im);
    return re > im ? re : im;
}

// The exponent field of a number.
INLINE i32 biased_exponent_f64(f64 value) {
    return (i32)((bits_f64(value) >> 52) & 0x7ff);
}

// The exponent of a finite number other than zero: the floor of its binary logarithm. Zero counts as one.
INLINE i32 exponent_f64(f64 value) {
    if (value == 0.0) return 0;
    i32 biased = biased_exponent_f64(value);
    return biased == 0 ? biased_exponent_f64(value * 0x1p54) - 1077 : biased - 1023;
}

// Two to the power of an exponent between -1022 and 1023.
INLINE f64 whole_power_of_two_f64(i32 exponent) {
    return from_bits_f64((u64)(exponent + 1023) << 52);
}

// Times two to the power of the exponent, rounded once however large the exponent is.
INLINE f64 scaled_f64(f64 value, i32 exponent) {
    exponent = exponent < -3000 ? -3000 : exponent > 3000 ? 3000 : exponent;
    i32 third = exponent / 3;
    f64 power = whole_power_of_two_f64(third);
    return value * power * power * whole_power_of_two_f64(exponent - 2 * third);
}

// Both components times two to the power of the exponent.
INLINE c128 scaled_c128(c128 z, i32 exponent) {
    return make_c128(scaled_f64(z.re, exponent), scaled_f64(z.im, exponent));
}

// The direction of an infinite component, and zero for a finite one.
INLINE f64 infinite_unit_f64(f64 value) {
    return ABS_f64(value) == INF_f64 ? COPYSIGN_f64(1.0, value) : 0.0;
}

// The number of modulus one in the direction of z; 0 for 0. The direction of an infinite number is that of its infinite
// component, and none if both are infinite.
INLINE c128 sign_c128(c128 z) {
    u8 re_infinite = ABS_f64(z.re) == INF_f64;
    u8 im_infinite = ABS_f64(z.im) == INF_f64;
    if (z.re != z.re || z.im != z.im || (re_infinite && im_infinite)) return make_c128(NAN_f64, NAN_f64);
    if (z.re == 0.0 && z.im == 0.0) return make_c128(0.0, 0.0);
    if (re_infinite || im_infinite) return make_c128(infinite_unit_f64(z.re), infinite_unit_f64(z.im));
    c128 near_one = scaled_c128(z, -exponent_f64(larger_part_c128(z)));
    f64 modulus = hypot_f64(near_one.re, near_one.im);
    return make_c128(near_one.re / modulus, near_one.im / modulus);
}
