// once

// Above the first, e to a power is near the end of the range. E to the power of the second is all but exactly a double.
#define LARGE_EXPONENT 709.0
#define EXPONENT_STEP 695.0
#define E_TO_STEP 6.833841829578011e301

// factor * e^x / 2 for x above LARGE_EXPONENT, where e^x alone may overflow.
OUTLINE f64 half_exp_times_f64(f64 x, f64 factor) {
    // Here even the smallest factor overflows, and a factor of zero stays zero.
    x = x < 1500.0 ? x : 1500.0;
    f64 begun = factor * (E_TO_STEP * 0.5);
    // Both differences are exact.
    u8 one_step = x <= 2.0 * EXPONENT_STEP;
    f64 rest = exp_f64(one_step ? x - EXPONENT_STEP : x - 2.0 * EXPONENT_STEP);
    return one_step ? begun * rest : begun * E_TO_STEP * rest;
}

// e^x (cos + i sin) where e^x leaves the range of normal numbers.
OUTLINE c128 extreme_exp_times_f64(f64 x, f64 cos, f64 sin) {
    if (x > LARGE_EXPONENT) return make_c128(2.0 * half_exp_times_f64(x, cos), 2.0 * half_exp_times_f64(x, sin));
    // Rounded by the last step only.
    f64 begun = exp_f64(x + EXPONENT_STEP);
    return make_c128(begun * cos / E_TO_STEP, begun * sin / E_TO_STEP);
}

// e^x (cos + i sin), for a cosine and a sine that are numbers.
INLINE c128 exp_times_f64(f64 x, f64 cos, f64 sin) {
    if (x > LARGE_EXPONENT || x < 1.0 - LARGE_EXPONENT) return extreme_exp_times_f64(x, cos, sin);
    f64 modulus = exp_f64(x);
    return make_c128(modulus * cos, modulus * sin);
}

// e to the power of z.
INLINE c128 exp_c128(c128 z) {
    if (z.im == 0.0) return make_c128(exp_f64(z.re), z.im);
    if (!(ABS_f64(z.im) < INF_f64) && ABS_f64(z.re) == INF_f64) {
        // A modulus of zero needs no angle; an infinite one has a real part of unspecified sign, here +.
        return z.re > 0.0 ? make_c128(INF_f64, NAN_f64) : make_c128(0.0, COPYSIGN_f64(0.0, z.im));
    }
    return exp_times_f64(z.re, cos_f64(z.im), sin_f64(z.im));
}

// e to the power of z, not inlined where it is rare.
OUTLINE c128 rare_exp_c128(c128 z) {
    return exp_c128(z);
}

// Cosine and sine, as the components of a number, of an angle of twofold precision.
INLINE c128 cos_sin_twofold(twofold angle) {
    f64 cos = cos_f64(angle.hi);
    f64 sin = sin_f64(angle.hi);
    f64 cos_lo = 1.0;
    f64 sin_lo = angle.lo;
    // An angle beyond 2^23 has a rest that is not small.
    if (!(ABS_f64(angle.lo) < 0x1p-29)) {
        cos_lo = cos_f64(angle.lo);
        sin_lo = sin_f64(angle.lo);
    }
    return make_c128(cos * cos_lo - sin * sin_lo, sin * cos_lo + cos * sin_lo);
}

// 2^exponent times a component of the direction, for exponents whose power may leave the range.
OUTLINE f64 extreme_exp2_times_f64(f64 exponent, f64 part) {
    f64 whole = FLOOR_f64(exponent);
    f64 fraction = exp2_f64(exponent - whole);
    i32 shift = (i32)(whole < -3000.0 ? -3000.0 : whole > 3000.0 ? 3000.0 : whole);
    // A result that underflows is rounded by the last step only, one that grows starts from a normal number.
    return shift < 0 ? scaled_f64(part * fraction, shift) : scaled_f64(part, shift) * fraction;
}

// Two to the power of z. The angle im * ln 2 is known to 106 bits, so the result is accurate up to imaginary parts of
// about 2^50.
INLINE c128 exp2_c128(c128 z) {
    if (z.im == 0.0) return make_c128(exp2_f64(z.re), z.im);
    if (!is_finite_c128(z)) return rare_exp_c128(make_c128(z.re, z.im * LN_TWO));
    twofold angle = twofold_product(z.im, LN_TWO);
    c128 direction = cos_sin_twofold(make_twofold(angle.hi, FMA_f64(z.im, LN_TWO_REST, angle.lo)));
    if (ABS_f64(z.re) < 1000.0) {
        f64 modulus = exp2_f64(z.re);
        return make_c128(modulus * direction.re, modulus * direction.im);
    }
    return make_c128(extreme_exp2_times_f64(z.re, direction.re), extreme_exp2_times_f64(z.re, direction.im));
}

// e^z - 1, accurate for small z.
INLINE c128 expm1_c128(c128 z) {
    // The standard has no negative zero here.
    if (z.im == 0.0) return make_c128(expm1_f64(z.re) + 0.0, z.im);
    // Without cancellation, or with an infinity.
    if (z.re < -1.0 || z.re > LARGE_EXPONENT) {
        c128 power = rare_exp_c128(z);
        return make_c128(power.re - 1.0, power.im);
    }
    f64 half_sin = sin_f64(z.im * 0.5);
    f64 re = expm1_f64(z.re) * cos_f64(z.im) - 2.0 * half_sin * half_sin;
    return make_c128(re, exp_f64(z.re) * sin_f64(z.im));
}
