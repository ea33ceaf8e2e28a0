// once

// Hyperbolic sine.
INLINE c128 sinh_c128(c128 z) {
    if (z.im == 0.0) return make_c128(sinh_f64(z.re), z.im);
    f64 size = ABS_f64(z.re);
    if (!(ABS_f64(z.im) < INF_f64) && (size == 0.0 || size == INF_f64)) return make_c128(z.re, NAN_f64);
    f64 cos = cos_f64(z.im);
    f64 sin = sin_f64(z.im);
    if (size > LARGE_EXPONENT) {
        f64 re = half_exp_times_f64(size, cos);
        return make_c128(z.re < 0.0 ? -re : re, half_exp_times_f64(size, sin));
    }
    return make_c128(sinh_f64(z.re) * cos, cosh_f64(z.re) * sin);
}

// Hyperbolic cosine.
INLINE c128 cosh_c128(c128 z) {
    if (z.im == 0.0) return make_c128(cosh_f64(z.re), COPYSIGN_f64(0.0, z.re) * COPYSIGN_f64(1.0, z.im));
    f64 size = ABS_f64(z.re);
    if (!(ABS_f64(z.im) < INF_f64)) {
        if (size == 0.0) return make_c128(NAN_f64, z.re * COPYSIGN_f64(1.0, z.im));
        if (size == INF_f64) return make_c128(INF_f64, NAN_f64);
    }
    f64 cos = cos_f64(z.im);
    f64 sin = sin_f64(z.im);
    if (size > LARGE_EXPONENT) {
        f64 im = half_exp_times_f64(size, sin);
        return make_c128(half_exp_times_f64(size, cos), z.re < 0.0 ? -im : im);
    }
    return make_c128(cosh_f64(z.re) * cos, sinh_f64(z.re) * sin);
}

// Cosine and sine, as the components of a number, of twice the angle, which itself may overflow.
INLINE c128 cos_sin_of_double_f64(f64 angle) {
    u8 fits = ABS_f64(angle) < 0x1.fffffffffffffp1022;
    f64 doubled = fits ? 2.0 * angle : angle;
    f64 cos = cos_f64(doubled);
    f64 sin = sin_f64(doubled);
    return fits ? make_c128(cos, sin) : make_c128((cos - sin) * (cos + sin), 2.0 * sin * cos);
}

// Hyperbolic tangent of what is infinite or not a number, with a real part other than zero.
OUTLINE c128 infinite_tanh_c128(c128 z) {
    if (ABS_f64(z.re) != INF_f64) return make_c128(NAN_f64, NAN_f64);
    // The standard gives the zero the sign of the imaginary part, C that of the sine of twice that.
    return make_c128(COPYSIGN_f64(1.0, z.re), COPYSIGN_f64(0.0, z.im));
}

// Hyperbolic tangent.
INLINE c128 tanh_c128(c128 z) {
    if (z.im == 0.0) return make_c128(tanh_f64(z.re), z.im);
    if (z.re == 0.0) return make_c128(z.re, tan_f64(z.im));
    if (!is_finite_c128(z)) return infinite_tanh_c128(z);
    f64 x = ABS_f64(z.re);
    c128 twice = cos_sin_of_double_f64(z.im);
    if (x >= 0.5) {
        f64 decay = exp_f64(-2.0 * x);
        f64 divisor = FMA_f64(decay, FMA_f64(2.0, twice.re, decay), 1.0);
        // The real part is one to the last bit long before the decay underflows.
        f64 re = -expm1_f64(-4.0 * x) / divisor;
        return make_c128(COPYSIGN_f64(re, z.re), 2.0 * (decay * twice.im) / divisor);
    }
    f64 cos = cos_f64(z.im);
    f64 sin = sin_f64(z.im);
    f64 sinh = sinh_f64(x);
    f64 divisor =
        ABS_f64(sin) < ABS_f64(cos) ? FMA_f64(sinh - sin, sinh + sin, 1.0) : FMA_f64(sinh, sinh, cos * cos);
    f64 re = 0.5 * sinh_f64(2.0 * x) / divisor;
    return make_c128(COPYSIGN_f64(re, z.re), 0.5 * twice.im / divisor);
}

// Sine: the hyperbolic one turned by a right angle, signs of zeros included.
INLINE c128 sin_c128(c128 z) {
    c128 value = sinh_c128(make_c128(sign_changed_f64(z.im), z.re));
    return make_c128(value.im, -value.re);
}

// Cosine.
INLINE c128 cos_c128(c128 z) {
    return cosh_c128(make_c128(sign_changed_f64(z.im), z.re));
}

// Tangent.
INLINE c128 tan_c128(c128 z) {
    c128 value = tanh_c128(make_c128(sign_changed_f64(z.im), z.re));
    return make_c128(value.im, -value.re);
}
