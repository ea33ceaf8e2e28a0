// once
// Sine, cosine and tangent of angles of any size. An angle is m 2^e with an integer m. Of 2/pi only the bits count that
// leave less than a full turn after the product with it, so 192 of them, from where the exponent says, are enough.

// 32 zeros and the bits of 2/pi after the point.
CONSTANT u64 TWO_OVER_PI[19] = {
    0x00000000a2f9836e, 0x4e441529fc2757d1, 0xf534ddc0db629599, 0x3c439041fe5163ab, 0xdebbc561b7246e3a,
    0x424dd2e006492eea, 0x09d1921cfe1deb1c, 0xb129a73ee88235f5, 0x2ebb4484e99c7026, 0xb45f7e413991d639,
    0x835339f49c845f8b, 0xbdf9283b1ff897ff, 0xde05980fef2f118b, 0x5a0a6d1f6d367ecf, 0x27cb09b74f463f66,
    0x9e5fea2d7527bac7, 0xebe5f17b3d0739f7, 0x8a5292ea6bfb5fb1, 0x1f8d5d0856033046,
};

// 64 bits of the table. In two steps, because a shift by 64 is none.
INLINE u64 two_over_pi(u32 start) {
    u32 word = start / 64u;
    u32 shift = start % 64u;
    return (TWO_OVER_PI[word] << shift) | (TWO_OVER_PI[word + 1u] >> 1 >> (63u - shift));
}

// The nearest multiple of pi/2 (its low bits) and what is left of a positive, finite, far angle, in two parts.
INLINE u32 reduce_far_f64(f64 x, f64 *high, f64 *low) {
    u64 bits = bits_f64(x);
    u64 mantissa = (bits & (((u64)1 << 52) - 1u)) | ((u64)1 << 52);
    u32 start = (u32)(bits >> 52) - 1045u;
    u64 second = two_over_pi(start + 64u);
    // In quarters of a turn: two bits before the point, 126 behind.
    u64 middle = mantissa * second;
    u64 lower = middle + MULHI_u64(mantissa, two_over_pi(start + 128u));
    u64 upper = mantissa * two_over_pi(start) + MULHI_u64(mantissa, second) + (lower < middle ? 1u : 0u);
    u32 nearest = (u32)((upper + ((u64)1 << 61)) >> 62);
    // What is left as a fraction and its sign. No double is nearer than 2^-62 to a multiple: the upper half is not 0.
    upper = (upper << 2) | (lower >> 62);
    lower <<= 2;
    u8 negative = (u8)(upper >> 63);
    if (negative) {
        lower = 0u - lower;
        upper = ~upper + (lower == 0u ? 1u : 0u);
    }
    u32 zeros = CLZ_u64(upper);
    u64 normal = (upper << zeros) | (lower >> 1 >> (63u - zeros));
    lower <<= zeros;
    f64 scale = from_bits_f64((u64)(970u - zeros) << 52);
    f64 first = (f64)(normal >> 11) * scale;
    f64 rest = (f64)(((normal << 42) | (lower >> 22)) & (((u64)1 << 53) - 1u)) * scale * 1.1102230246251565e-16;
    f64 product = first * 1.5707963267948966;
    f64 lost = product_lost_f64(first, 1.5707963267948966, product);
    f64 past = FMA_f64(rest, 1.5707963267948966, FMA_f64(first, 6.123233995736766e-17, lost));
    f64 angle = product + past;
    f64 angle_low = fast_sum_lost_f64(product, past, angle);
    *high = negative ? -angle : angle;
    *low = negative ? -angle_low : angle_low;
    return nearest;
}

// Sine of an angle that is not near.
OUTLINE f64 sin_far_f64(f64 x) {
    if (!(ABS_f64(x) < INF_f64)) {
        return NAN_f64;
    }
    f64 high, low;
    u32 quarter = reduce_far_f64(ABS_f64(x), &high, &low);
    f64 value = sine_or_cosine_f64(quarter & 1u, high, low);
    return ((quarter & 2u) != 0u) != (x < 0.0) ? -value : value;
}

// Cosine of an angle that is not near.
OUTLINE f64 cos_far_f64(f64 x) {
    if (!(ABS_f64(x) < INF_f64)) {
        return NAN_f64;
    }
    f64 high, low;
    u32 quarter = reduce_far_f64(ABS_f64(x), &high, &low);
    f64 value = sine_or_cosine_f64((quarter & 1u) ^ 1u, high, low);
    return ((quarter + 1u) & 2u) != 0u ? -value : value;
}

// Tangent of an angle that is not near.
OUTLINE f64 tan_far_f64(f64 x) {
    if (!(ABS_f64(x) < INF_f64)) {
        return NAN_f64;
    }
    f64 high, low;
    u32 quarter = reduce_far_f64(ABS_f64(x), &high, &low);
    f64 value = tangent_f64(quarter & 1u, high, low);
    return x < 0.0 ? -value : value;
}

// A positive, finite, far angle in multiples of pi/2, modulo 4: two bits before the point, 62 behind.
INLINE u64 quarters_f32(f32 x) {
    u32 bits = bits_f32(x);
    u64 mantissa = (bits & 0x7fffffu) | 0x800000u;
    u32 start = (bits >> 23) - 120u;
    return mantissa * two_over_pi(start) + ((mantissa * (two_over_pi(start + 64u) >> 32)) >> 32);
}

// An angle given in 2^-64 pi, which is not 0, in two parts.
INLINE f32 angle_f32(i64 fraction, f32 *low) {
    u64 magnitude = fraction < 0 ? 0u - (u64)fraction : (u64)fraction;
    u32 zeros = CLZ_u64(magnitude);
    u64 normal = magnitude << zeros;
    f32 scale = from_bits_f32((103u - zeros) << 23);
    f32 first = (f32)(u32)(normal >> 40) * scale;
    f32 rest = (f32)((u32)(normal >> 16) & 0xffffffu) * scale * 5.9604645e-8f;
    f32 product = first * 3.1415927f;
    f32 lost = product_lost_f32(first, 3.1415927f, product);
    f32 past = FMA_f32(rest, 3.1415927f, FMA_f32(first, -8.742278e-8f, lost));
    f32 angle = product + past;
    f32 angle_low = fast_sum_lost_f32(product, past, angle);
    *low = fraction < 0 ? -angle_low : angle_low;
    return fraction < 0 ? -angle : angle;
}

// Sine of an angle that is not near.
OUTLINE f32 sin_far_f32(f32 x) {
    if (!(ABS_f32(x) < INF_f32)) {
        return NAN_f32;
    }
    u64 quarters = quarters_f32(ABS_f32(x));
    f32 low;
    f32 high = angle_f32((i64)(quarters << 1), &low);
    f32 value = sine_f32(high, low);
    return ((quarters + ((u64)1 << 62)) >> 63 != 0u) != (x < 0.0f) ? -value : value;
}

// Cosine of an angle that is not near, from the nearest zero, half a turn after the first.
OUTLINE f32 cos_far_f32(f32 x) {
    if (!(ABS_f32(x) < INF_f32)) {
        return NAN_f32;
    }
    u64 quarters = quarters_f32(ABS_f32(x));
    f32 low;
    f32 high = angle_f32((i64)((quarters - ((u64)1 << 62)) << 1), &low);
    f32 value = sine_f32(high, low);
    return quarters >> 63 == 0u ? -value : value;
}

// Tangent of an angle that is not near.
OUTLINE f32 tan_far_f32(f32 x) {
    if (!(ABS_f32(x) < INF_f32)) {
        return NAN_f32;
    }
    u64 quarters = quarters_f32(ABS_f32(x));
    f32 low;
    f32 high = angle_f32((i64)(quarters << 2) / 2, &low);
    f32 value = tangent_f32((u32)((quarters + ((u64)1 << 61)) >> 62) & 1u, high, low);
    return x < 0.0f ? -value : value;
}
