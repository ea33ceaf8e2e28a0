// once
// Hyperbolic functions: with x = k ln 2 + r as in the exponential function, by the addition theorems.

// (sinh r - r) / r^3 in r^2, for |r| <= ln 2 / 2.
INLINE f64 sinh_curve_f64(f64 x) {
    f64 square = x * x;
    f64 upper = 2.5109045539184257e-08;
    f64 lower = 2.7557244180058746e-06;
    upper = FMA_f64(upper, square, 0.00019841269886160365);
    lower = FMA_f64(lower, square, 0.008333333333321615);
    return FMA_f64(FMA_f64(upper, x, lower), x, 0.16666666666666677);
}

// (cosh r - 1) / r^2 in r^2, for |r| <= ln 2 / 2.
INLINE f64 cosh_curve_f64(f64 x) {
    f64 square = x * x;
    f64 upper = 2.09244279928866e-09;
    f64 lower = 2.755724181646465e-07;
    upper = FMA_f64(upper, square, 2.4801587363405704e-05);
    lower = FMA_f64(lower, square, 0.0013888888888863931);
    upper = FMA_f64(upper, square, 0.04166666666666671);
    lower = FMA_f64(lower, square, 0.5);
    return FMA_f64(upper, x, lower);
}

// (sinh r - r) / r^3 in r^2, for |r| <= ln 2 / 2.
INLINE f32 sinh_curve_f32(f32 x) {
    f32 sum = 0.008366586f;
    return FMA_f32(sum, x, 0.16666543f);
}

// (cosh r - 1) / r^2 in r^2, for |r| <= ln 2 / 2.
INLINE f32 cosh_curve_f32(f32 x) {
    f32 sum = 0.001394623f;
    sum = FMA_f32(sum, x, 0.041666266f);
    return FMA_f32(sum, x, 0.5f);
}

// (tanh r - r) / r^3 in r^2, for |r| <= ln 2 / 4.
INLINE f64 tanh_curve_f64(f64 x) {
    f64 square = x * x;
    f64 upper = 0.0034448022506500123;
    f64 lower = -0.008857306676384803;
    upper = FMA_f64(upper, square, 0.021869370683068216);
    lower = FMA_f64(lower, square, -0.053968252782165715);
    upper = FMA_f64(upper, square, 0.13333333332784336);
    lower = FMA_f64(lower, square, -0.3333333333333249);
    return FMA_f64(upper, x, lower);
}

// (tanh r - r) / r^3 in r^2, for |r| <= ln 2 / 4.
INLINE f32 tanh_curve_f32(f32 x) {
    f32 sum = -0.052714422f;
    sum = FMA_f32(sum, x, 0.1333114f);
    return FMA_f32(sum, x, -0.33333322f);
}

// Half of sinh x, or of cosh x, for x >= 0: even cosh r + odd sinh r, where even is half of sinh(k ln 2) and odd half
// of cosh(k ln 2), or the other way round. The other half appears when nothing can overflow any more.
INLINE f64 half_hyperbolic_f64(u8 cosine, f64 x) {
    f64 inside = x > 710.6 ? 710.6 : x;
    f64 rounded = FMA_f64(inside, LOG2_E_f64, ROUNDER_f64 - 2.0);
    f64 k = rounded - (ROUNDER_f64 - 2.0);
    f64 up = power_of_two_f64(rounded);
    // 2^(-k-2). Its exponent leaves the range when it has long ceased to count.
    f64 down = inside > 100.0 ? 0.0 : from_bits_f64(2u * bits_f64(0.25) - bits_f64(up));
    f64 half_sinh = up + -down;
    f64 half_cosh = up + down;
    f64 even = cosine ? half_cosh : half_sinh;
    f64 odd = cosine ? half_sinh : half_cosh;
    f64 even_lost = fast_sum_lost_f64(up, cosine ? down : -down, even);
    f64 r_first = FMA_f64(k, -LN_2_f64, inside);
    f64 r_low = k * -LN_2_LOW_f64;
    f64 r = r_first + r_low;
    f64 square = r * r;
    f64 sum = FMA_f64(odd, r_first, even);
    f64 lost = FMA_f64(odd, r_first, even - sum);
    f64 cosh_part = square * cosh_curve_f64(square);
    f64 sinh_part = FMA_f64(square * r, sinh_curve_f64(square), r_low);
    return sum + FMA_f64(even, cosh_part, FMA_f64(odd, sinh_part, lost + even_lost));
}

// The same in single precision.
INLINE f32 half_hyperbolic_f32(u8 cosine, f32 x) {
    f32 inside = x > 89.5f ? 89.5f : x;
    f32 rounded = FMA_f32(inside, LOG2_E_f32, ROUNDER_f32 - 2.0f);
    f32 k = rounded - (ROUNDER_f32 - 2.0f);
    f32 up = power_of_two_f32(rounded);
    f32 down = inside > 50.0f ? 0.0f : from_bits_f32(2u * bits_f32(0.25f) - bits_f32(up));
    f32 half_sinh = up + -down;
    f32 half_cosh = up + down;
    f32 even = cosine ? half_cosh : half_sinh;
    f32 odd = cosine ? half_sinh : half_cosh;
    f32 even_lost = fast_sum_lost_f32(up, cosine ? down : -down, even);
    f32 r = FMA_f32(k, -LN_2_LOW_f32, FMA_f32(k, -LN_2_f32, inside));
    f32 square = r * r;
    f32 sum = FMA_f32(odd, r, even);
    f32 lost = FMA_f32(odd, r, even - sum);
    f32 cosh_part = square * cosh_curve_f32(square);
    f32 sinh_part = square * r * sinh_curve_f32(square);
    return sum + FMA_f32(even, cosh_part, FMA_f32(odd, sinh_part, lost + even_lost));
}

// Hyperbolic sine. Halving a subnormal number loses a bit that is there in the result.
INLINE f64 sinh_f64(f64 x) {
    f64 half_sinh = half_hyperbolic_f64(0, ABS_f64(x));
    return ABS_f64(x) < 1e-8 ? x : COPYSIGN_f64(half_sinh + half_sinh, x);
}

// Hyperbolic sine.
INLINE f32 sinh_f32(f32 x) {
    f32 half_sinh = half_hyperbolic_f32(0, ABS_f32(x));
    return ABS_f32(x) < 1e-4f ? x : COPYSIGN_f32(half_sinh + half_sinh, x);
}

// for f32 f64
// Hyperbolic cosine.
INLINE T cosh_T(T x) {
    T half_cosh = half_hyperbolic_T(1, ABS_T(x));
    return half_cosh + half_cosh;
}

// once
// Hyperbolic tangent: with x = k ln 2 / 2 + r, a quotient of lines in tanh r. What it leaves of the numerator is summed
// in the order in which the large terms cancel.
INLINE f64 tanh_f64(f64 x) {
    // From 19.1 on the result rounds to 1.
    f64 inside = ABS_f64(x) > 22.0 ? 22.0 : ABS_f64(x);
    f64 rounded = FMA_f64(inside, 2.0 * LOG2_E_f64, ROUNDER_f64);
    f64 k = rounded - ROUNDER_f64;
    f64 r = FMA_f64(k, -0.5 * LN_2_f64, inside);
    f64 square = r * r;
    f64 past = FMA_f64(square * r, tanh_curve_f64(square), k * (-0.5 * LN_2_LOW_f64));
    f64 tanh_r = r + past;
    f64 more = power_of_two_f64(rounded) + 1.0;
    // Not from the power: where one is rounded, both are those of one number near the power.
    f64 less = more - 2.0;
    f64 inverse = INVERSE_f64(FMA_f64(less, tanh_r, more));
    // So few bits that its products are exact where the sums cancel.
    f64 quotient = from_bits_f64(bits_f64(FMA_f64(more, tanh_r, less) * inverse) & (~(u64)0 << 27));
    f64 slope = FMA_f64(quotient, -less, more);
    f64 remainder = FMA_f64(past, slope, FMA_f64(r, slope, FMA_f64(quotient, -more, less)));
    return COPYSIGN_f64(FMA_f64(remainder, inverse, quotient), x);
}

// Hyperbolic tangent, likewise.
INLINE f32 tanh_f32(f32 x) {
    // From 9.1 on the result rounds to 1.
    f32 inside = ABS_f32(x) > 10.0f ? 10.0f : ABS_f32(x);
    f32 rounded = FMA_f32(inside, 2.0f * LOG2_E_f32, ROUNDER_f32);
    // The larger k, the more the error of its product and the less of it in the result.
    f32 r = FMA_f32(rounded - ROUNDER_f32, -0.5f * LN_2_f32, inside);
    f32 square = r * r;
    f32 tanh_r = FMA_f32(square * r, tanh_curve_f32(square), r);
    f32 more = power_of_two_f32(rounded) + 1.0f;
    f32 less = more - 2.0f;
    f32 inverse = INVERSE_f32(FMA_f32(less, tanh_r, more));
    f32 quotient = FMA_f32(more, tanh_r, less) * inverse;
    f32 remainder = FMA_f32(tanh_r, FMA_f32(quotient, -less, more), FMA_f32(quotient, -more, less));
    return COPYSIGN_f32(FMA_f32(remainder, inverse, quotient), x);
}
