// once

// The square root of what is infinite or not a number.
OUTLINE c128 infinite_sqrt_c128(c128 z) {
    u8 undefined = z.im != z.im;
    if (ABS_f64(z.im) == INF_f64) return make_c128(INF_f64, z.im);
    if (z.re == INF_f64) return make_c128(z.re, undefined ? z.im : COPYSIGN_f64(0.0, z.im));
    if (z.re == -INF_f64) return make_c128(undefined ? z.im : 0.0, COPYSIGN_f64(INF_f64, z.im));
    return make_c128(NAN_f64, NAN_f64);
}

// Square root with a real part that is not negative; the cut runs along the negative real axis.
INLINE c128 sqrt_c128(c128 z) {
    if (!is_finite_c128(z)) return infinite_sqrt_c128(z);
    f64 larger = larger_part_c128(z);
    if (larger == 0.0) return make_c128(0.0, z.im);
    f64 scale = larger > 0x1p1020 ? 0x1p-4 : larger < 0x1p-900 ? 0x1p120 : 1.0;
    f64 root_of_scale = larger > 0x1p1020 ? 0x1p2 : larger < 0x1p-900 ? 0x1p-60 : 1.0;
    f64 re = z.re * scale;
    f64 im = z.im * scale;
    // The component without cancellation first; the product of both is half the imaginary part.
    f64 major = SQRT_f64((ABS_f64(re) + hypot_f64(re, im)) * 0.5);
    f64 minor = ABS_f64(im) / (2.0 * major);
    u8 right = re >= 0.0;
    return make_c128((right ? major : minor) * root_of_scale,
                     COPYSIGN_f64((right ? minor : major) * root_of_scale, z.im));
}
