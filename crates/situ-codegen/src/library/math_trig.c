// once
// Sine, cosine and tangent: the nearest multiple of pi or pi/2 is subtracted from the argument, with enough bits of pi
// that the remainder is good even beside a zero of the function.

// The nearest multiple of pi/2 (its low bits) and what is left of the angle, in two parts. Of pi/2 there are a double,
// the next 29 bits, so that the product with any multiple is exact, and a double more.
INLINE u32 reduce_f64(f64 x, f64 *high, f64 *low) {
    const f64 second = 6.12323399409214e-17;
    f64 rounded = FMA_f64(x, 0.6366197723675814, ROUNDER_f64);
    f64 multiple = rounded - ROUNDER_f64;
    f64 coarse = FMA_f64(-multiple, 1.5707963267948966, x);
    *high = FMA_f64(-multiple, second, coarse);
    *low = FMA_f64(-multiple, 1.6446256936324258e-26, FMA_f64(-multiple, second, coarse - *high));
    return (u32)bits_f64(rounded);
}

// Sine of a near angle; of others it says so.
INLINE f64 sin_usual_f64(f64 x, u32 *rare) {
    *rare |= is_beyond_f64(x, NEAR_f64);
    f64 high, low;
    u32 quarter = reduce_f64(ABS_f64(x), &high, &low);
    f64 value = sine_or_cosine_f64(quarter & 1u, high, low);
    return from_bits_f64(bits_f64(value) ^ ((((u64)quarter << 62) ^ bits_f64(x)) & SIGN_f64));
}

// Sine.
INLINE f64 sin_f64(f64 x) {
    u32 rare = 0u;
    f64 value = sin_usual_f64(x, &rare);
    return rare ? sin_far_f64(x) : value;
}

// Cosine of a near angle; of others it says so.
INLINE f64 cos_usual_f64(f64 x, u32 *rare) {
    *rare |= is_beyond_f64(x, NEAR_f64);
    f64 high, low;
    u32 quarter = reduce_f64(ABS_f64(x), &high, &low);
    f64 value = sine_or_cosine_f64((quarter & 1u) ^ 1u, high, low);
    return from_bits_f64(bits_f64(value) ^ (((u64)(quarter + 1u) << 62) & SIGN_f64));
}

// Cosine.
INLINE f64 cos_f64(f64 x) {
    u32 rare = 0u;
    f64 value = cos_usual_f64(x, &rare);
    return rare ? cos_far_f64(x) : value;
}

// Tangent of a near angle; of others it says so.
INLINE f64 tan_usual_f64(f64 x, u32 *rare) {
    *rare |= is_beyond_f64(x, NEAR_f64);
    f64 high, low;
    u32 quarter = reduce_f64(ABS_f64(x), &high, &low);
    return flip_f64(tangent_f64(quarter & 1u, high, low), x);
}

// Tangent.
INLINE f64 tan_f64(f64 x) {
    u32 rare = 0u;
    f64 value = tan_usual_f64(x, &rare);
    return rare ? tan_far_f64(x) : value;
}

// The angle less a multiple of pi, which may be half an integer, in two parts.
INLINE f32 remainder_f32(f32 x, f32 multiple, f32 *low) {
    f32 coarse = FMA_f32(-multiple, 3.1415927f, x);
    f32 product = -multiple * -8.742278e-8f;
    f32 lost = product_lost_f32(-multiple, -8.742278e-8f, product);
    f32 high = coarse + product;
    *low = fast_sum_lost_f32(coarse, product, high) + FMA_f32(-multiple, -3.430249e-15f, lost);
    return high;
}

// Sine of a near angle; of others it says so.
INLINE f32 sin_usual_f32(f32 x, u32 *rare) {
    *rare |= is_beyond_f32(x, NEAR_f32);
    f32 rounded = FMA_f32(ABS_f32(x), 0.31830987f, ROUNDER_f32);
    f32 low;
    f32 high = remainder_f32(ABS_f32(x), rounded - ROUNDER_f32, &low);
    u32 sign = ((bits_f32(rounded) << 31) ^ bits_f32(x)) & SIGN_f32;
    return from_bits_f32(bits_f32(sine_f32(high, low)) ^ sign);
}

// Sine.
INLINE f32 sin_f32(f32 x) {
    u32 rare = 0u;
    f32 value = sin_usual_f32(x, &rare);
    return rare ? sin_far_f32(x) : value;
}

// Cosine of a near angle; of others it says so.
INLINE f32 cos_usual_f32(f32 x, u32 *rare) {
    *rare |= is_beyond_f32(x, NEAR_f32);
    f32 rounded = FMA_f32(ABS_f32(x), 0.31830987f, -0.5f) + ROUNDER_f32;
    f32 low;
    f32 high = remainder_f32(ABS_f32(x), (rounded - ROUNDER_f32) + 0.5f, &low);
    return from_bits_f32(bits_f32(sine_f32(high, low)) ^ (~bits_f32(rounded) << 31));
}

// Cosine.
INLINE f32 cos_f32(f32 x) {
    u32 rare = 0u;
    f32 value = cos_usual_f32(x, &rare);
    return rare ? cos_far_f32(x) : value;
}

// Tangent of a near angle; of others it says so. At half the size, the rounder rounds to halves.
INLINE f32 tan_usual_f32(f32 x, u32 *rare) {
    *rare |= is_beyond_f32(x, NEAR_f32);
    f32 rounded = FMA_f32(ABS_f32(x), 0.31830987f, 0.5f * ROUNDER_f32);
    f32 low;
    f32 high = remainder_f32(ABS_f32(x), rounded - 0.5f * ROUNDER_f32, &low);
    return flip_f32(tangent_f32(bits_f32(rounded) & 1u, high, low), x);
}

// Tangent.
INLINE f32 tan_f32(f32 x) {
    u32 rare = 0u;
    f32 value = tan_usual_f32(x, &rare);
    return rare ? tan_far_f32(x) : value;
}
