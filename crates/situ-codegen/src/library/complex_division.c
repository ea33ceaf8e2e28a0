// once

// Whether products with such numbers, and quotients of those, stay well inside the range.
INLINE u8 is_moderate_f64(f64 part) {
    f64 size = ABS_f64(part);
    return size == 0.0 || (size > 0x1p-250 && size < 0x1p250);
}

// Whether both components are moderate.
INLINE u8 is_moderate_c128(c128 z) {
    return is_moderate_f64(z.re) && is_moderate_f64(z.im);
}

// The quotient of moderate numbers.
INLINE c128 moderate_quotient_c128(c128 a, c128 b) {
    f64 squared = sum_of_products_f64(b.re, b.re, b.im, b.im);
    f64 re = sum_of_products_f64(a.re, b.re, a.im, b.im) / squared;
    return make_c128(re, sum_of_products_f64(a.im, b.re, -a.re, b.im) / squared);
}

// 1 / z for a moderate number.
INLINE c128 moderate_reciprocal_c128(c128 z) {
    f64 squared = sum_of_products_f64(z.re, z.re, z.im, z.im);
    return make_c128(z.re / squared, -z.im / squared);
}

// Smith's formula, whose infinities and NaNs are NumPy's.
OUTLINE c128 special_quotient_c128(c128 a, c128 b) {
    if (b.re == 0.0 && b.im == 0.0) return make_c128(a.re / ABS_f64(b.re), a.im / ABS_f64(b.re));
    if (ABS_f64(b.re) >= ABS_f64(b.im)) {
        f64 ratio = b.im / b.re;
        f64 factor = 1.0 / (b.re + b.im * ratio);
        return make_c128((a.re + a.im * ratio) * factor, (a.im - a.re * ratio) * factor);
    }
    f64 ratio = b.re / b.im;
    f64 factor = 1.0 / (b.im + b.re * ratio);
    return make_c128((a.re * ratio + a.im) * factor, (a.im * ratio - a.re) * factor);
}

// Smith's formula for a dividend of one.
OUTLINE c128 special_reciprocal_c128(c128 z) {
    if (ABS_f64(z.re) >= ABS_f64(z.im)) {
        f64 ratio = z.im / z.re;
        f64 divisor = z.re + z.im * ratio;
        return make_c128(1.0 / divisor, -ratio / divisor);
    }
    f64 ratio = z.re / z.im;
    f64 divisor = z.im + z.re * ratio;
    return make_c128(ratio / divisor, -1.0 / divisor);
}

// The quotient of numbers of any size.
OUTLINE c128 extreme_quotient_c128(c128 a, c128 b) {
    if (!is_finite_c128(a) || !is_finite_c128(b) || (b.re == 0.0 && b.im == 0.0)) return special_quotient_c128(a, b);
    i32 up = exponent_f64(larger_part_c128(a));
    i32 down = exponent_f64(larger_part_c128(b));
    return scaled_c128(moderate_quotient_c128(scaled_c128(a, -up), scaled_c128(b, -down)), up - down);
}

// 1 / z for a number of any size.
OUTLINE c128 extreme_reciprocal_c128(c128 z) {
    if (z.re == 0.0 && z.im == 0.0) return special_quotient_c128(make_c128(1.0, 0.0), z);
    if (!is_finite_c128(z)) return special_reciprocal_c128(z);
    i32 down = exponent_f64(larger_part_c128(z));
    return scaled_c128(moderate_reciprocal_c128(scaled_c128(z, -down)), -down);
}

// Quotient. Both components are accurate, and only a quotient out of range overflows or underflows.
INLINE c128 div_c128(c128 a, c128 b) {
    u8 moderate = is_moderate_c128(a) && is_moderate_c128(b) && (b.re != 0.0 || b.im != 0.0);
    return moderate ? moderate_quotient_c128(a, b) : extreme_quotient_c128(a, b);
}

// 1 / z, as accurate as the quotient.
INLINE c128 reciprocal_c128(c128 z) {
    u8 moderate = is_moderate_c128(z) && (z.re != 0.0 || z.im != 0.0);
    return moderate ? moderate_reciprocal_c128(z) : extreme_reciprocal_c128(z);
}
