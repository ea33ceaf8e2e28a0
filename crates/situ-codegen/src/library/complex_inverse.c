// once

// Of asin(x + iy), for x, y >= 0: the adjacent side of the angle that is the real part, whose opposite side is x; and
// the imaginary part.
typedef struct {
    f64 adjacent, length;
} asin_parts;

// Makes the parts.
INLINE asin_parts make_asin_parts(f64 adjacent, f64 length) {
    asin_parts parts;
    parts.adjacent = adjacent;
    parts.length = length;
    return parts;
}

// What inverse sine and cosine, circular and hyperbolic, are made of. With r and s the distances of z from -1 and 1,
// and a = (r + s) / 2, the real part of asin z is the angle whose sine is x / a, and its imaginary part the number
// whose hyperbolic cosine is a. Nothing is ever subtracted that could cancel.
INLINE asin_parts asin_parts_f64(f64 x, f64 y) {
    // One is nothing beside such a number.
    if ((x > y ? x : y) > 0x1p60) return make_asin_parts(y, rare_log_of_modulus_c128(make_c128(x, y)) + LN_TWO);
    f64 to_left = hypot_f64(x + 1.0, y);
    f64 to_right = hypot_f64(x - 1.0, y);
    f64 mean = 0.5 * (to_left + to_right);
    // mean^2 - x^2 and mean^2 - 1 as products; each factor is a sum of terms of one sign.
    f64 left = to_left + (x + 1.0);
    f64 right = to_right + ABS_f64(x - 1.0);
    f64 outside = y * y / left + right;
    f64 inverses = 1.0 / left + 1.0 / right;
    f64 side = SQRT_f64(0.5 * (mean + x) * (x <= 1.0 ? outside : inverses));
    f64 root = SQRT_f64(0.5 * (mean + 1.0) * (x < 1.0 ? inverses : outside));
    f64 excess = x < 1.0 ? 0.5 * y * y * inverses : 0.5 * outside;
    return make_asin_parts(x <= 1.0 ? side : y * side, log1p_f64(excess + (x < 1.0 ? y * root : root)));
}

// Inverse hyperbolic sine of what is infinite or not a number.
OUTLINE c128 infinite_asinh_c128(c128 z) {
    u8 re_undefined = z.re != z.re;
    if (re_undefined && z.im == 0.0) return z;
    if (re_undefined || z.im != z.im) {
        u8 infinite = ABS_f64(z.re) == INF_f64 || (re_undefined && ABS_f64(z.im) == INF_f64);
        return make_c128(infinite ? COPYSIGN_f64(INF_f64, z.re) : NAN_f64, NAN_f64);
    }
    f64 angle = atan2_f64(ABS_f64(z.im), ABS_f64(z.re));
    return make_c128(COPYSIGN_f64(INF_f64, z.re), COPYSIGN_f64(angle, z.im));
}

// Inverse hyperbolic sine. The cuts run along the imaginary axis outside of -i to i.
INLINE c128 asinh_c128(c128 z) {
    if (!is_finite_c128(z)) return infinite_asinh_c128(z);
    // The next term of the series is beyond the last bit.
    if (larger_part_c128(z) < 0x1p-28) return z;
    asin_parts parts = asin_parts_f64(ABS_f64(z.im), ABS_f64(z.re));
    return make_c128(COPYSIGN_f64(parts.length, z.re), atan2_f64(z.im, parts.adjacent));
}

// Inverse sine: asinh with both components exchanged, in argument and result. The cuts run along the real axis outside
// of -1 to 1.
INLINE c128 asin_c128(c128 z) {
    c128 turned = asinh_c128(make_c128(z.im, z.re));
    return make_c128(turned.im, turned.re);
}

// Inverse cosine of what is infinite or not a number.
OUTLINE c128 infinite_acos_c128(c128 z) {
    if (z.re != z.re || z.im != z.im) {
        u8 infinite = ABS_f64(z.re) == INF_f64 || ABS_f64(z.im) == INF_f64;
        return make_c128(z.re == 0.0 ? QUARTER_TURN : NAN_f64, infinite ? -COPYSIGN_f64(INF_f64, z.im) : NAN_f64);
    }
    return make_c128(atan2_f64(ABS_f64(z.im), z.re), -COPYSIGN_f64(INF_f64, z.im));
}

// Inverse cosine. The cuts run along the real axis outside of -1 to 1.
INLINE c128 acos_c128(c128 z) {
    if (!is_finite_c128(z)) return infinite_acos_c128(z);
    asin_parts parts = asin_parts_f64(ABS_f64(z.re), ABS_f64(z.im));
    return make_c128(atan2_f64(parts.adjacent, z.re), -COPYSIGN_f64(parts.length, z.im));
}

// Inverse hyperbolic cosine with a real part that is not negative. The cut runs along the real axis below 1.
INLINE c128 acosh_c128(c128 z) {
    c128 turned = acos_c128(z);
    return make_c128(ABS_f64(turned.im), COPYSIGN_f64(turned.re, z.im));
}

// Inverse hyperbolic tangent of what is infinite, undefined, beside a pole, or so large that one is nothing beside it.
OUTLINE c128 extreme_atanh_c128(c128 z) {
    f64 y = ABS_f64(z.im);
    if (!is_finite_c128(z)) {
        u8 undefined = z.re != z.re || z.im != z.im;
        u8 infinite = y == INF_f64;
        f64 re = infinite || ABS_f64(z.re) == INF_f64 || z.re == 0.0 ? COPYSIGN_f64(0.0, z.re) : NAN_f64;
        return make_c128(re, infinite || !undefined ? COPYSIGN_f64(QUARTER_TURN, z.im) : NAN_f64);
    }
    // One is nothing beside such a number.
    if (larger_part_c128(z) > 0x1p60) return make_c128(reciprocal_c128(z).re, COPYSIGN_f64(QUARTER_TURN, z.im));
    // So close to one that the square of the distance underflows.
    f64 re = 0.5 * (LN_TWO - log_f64(y));
    return make_c128(COPYSIGN_f64(re, z.re), y == 0.0 ? z.im : 0.5 * COPYSIGN_f64(QUARTER_TURN, z.im));
}

// Inverse hyperbolic tangent. The cuts run along the real axis outside of -1 to 1.
INLINE c128 atanh_c128(c128 z) {
    f64 x = ABS_f64(z.re);
    f64 y = z.im;
    if (x == 0.0 && ABS_f64(y) < INF_f64) return make_c128(z.re, atan_f64(y));
    if (!is_finite_c128(z) || larger_part_c128(z) > 0x1p60 || (x == 1.0 && ABS_f64(y) < 0x1p-500)) {
        return extreme_atanh_c128(z);
    }
    f64 re = 0.25 * log1p_f64(4.0 * x / FMA_f64(1.0 - x, 1.0 - x, y * y));
    f64 im = 0.5 * atan2_f64(2.0 * y, FMA_f64(1.0 - x, 1.0 + x, -(y * y)));
    return make_c128(COPYSIGN_f64(re, z.re), im);
}

// Inverse tangent: the hyperbolic one turned by a right angle. The cuts run along the imaginary axis outside of -i to
// i.
INLINE c128 atan_c128(c128 z) {
    c128 value = atanh_c128(make_c128(sign_changed_f64(z.im), z.re));
    return make_c128(value.im, -value.re);
}
