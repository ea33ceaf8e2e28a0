// once
// Inverse hyperbolic functions. All three are logarithms: k ln 2 + 2 atanh s, with an integer k that makes s small.
// With A = sinh(k ln 2) and B = cosh(k ln 2), which are sums of two powers of two:
//  asinh: s = (x - A) / (sqrt(x^2 + 1) + B),
//  acosh: s = (sqrt(x^2 - 1) - A) / (x + B),
//  atanh: s = ((1 + x) - 2^k (1 - x)) / ((1 + x) + 2^k (1 - x)), and half of the logarithm.

// (atanh s - s) / s^3 in s^2, for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1).
INLINE f32 half_log_curve_f32(f32 x) {
    f32 sum = 0.14935999f;
    sum = FMA_f32(sum, x, 0.19988766f);
    return FMA_f32(sum, x, 0.33333388f);
}

// (atanh s - s) / s^3 in s^2.
INLINE f64 atanh_curve_f64(f64 x) {
    f64 square = x * x;
    f64 upper = 0.06925128465482466;
    f64 lower = 0.06586259991685414;
    upper = FMA_f64(upper, square, 0.07695588544041206);
    lower = FMA_f64(lower, square, 0.09090831922966837);
    upper = FMA_f64(upper, square, 0.11111112165544669);
    lower = FMA_f64(lower, square, 0.14285714277756856);
    upper = FMA_f64(upper, square, 0.20000000000029014);
    lower = FMA_f64(lower, square, 0.333333333333333);
    return FMA_f64(upper, x, lower);
}

// (atanh s - s) / s^3 in s^2.
INLINE f32 atanh_curve_f32(f32 x) {
    f32 sum = 0.1518508f;
    sum = FMA_f32(sum, x, 0.19978689f);
    return FMA_f32(sum, x, 0.33333477f);
}

// Brings numbers above 2^28, whose square may overflow, to the one with the same mantissa in [2^28, 2^29), and says by
// how many powers of two. From there on asinh and acosh are the logarithm of twice the argument.
INLINE f64 below_large_f64(f64 a, f64 *above) {
    const f64 large = 268435456.0;
    u64 bits = bits_f64(a);
    f64 reduced = from_bits_f64((bits & (((u64)1 << 52) - 1u)) | bits_f64(large));
    *above = a > large ? from_bits_f64((bits >> 52) | ((u64)0x433 << 52)) - 4503599627371547.0 : 0.0;
    return a > large ? reduced : a;
}

// The same in single precision, with 2^14.
INLINE f32 below_large_f32(f32 a, f32 *above) {
    const f32 large = 16384.0f;
    u32 bits = bits_f32(a);
    f32 reduced = from_bits_f32((bits & 0x7fffffu) | bits_f32(large));
    *above = a > large ? (f32)(i32)(bits >> 23) - 141.0f : 0.0f;
    return a > large ? reduced : a;
}

// for f32 f64
// sinh(k ln 2), cosh(k ln 2) and k for the k that makes x / 2^k nearest to 1.
INLINE T nearest_power_T(T x, T *cosh_k, T *k) {
    T m = split_normal_T(x, k);
    T up = from_bits_T(bits_T(x) - bits_T(m) + bits_T((T)0.5));
    T down = from_bits_T(2u * bits_T((T)0.5) - bits_T(up));
    *cosh_k = up + down;
    return up - down;
}

// once
// k ln 2 + 2 atanh(s + low).
INLINE f64 logarithm_f64(f64 k, f64 s, f64 low) {
    f64 past = FMA_f64(s * s * s, 0.5 * log_curve_f64(s * s), low);
    f64 half_log = plus_logarithm_f64(k, s, past, 0.5 * LN_2_SHORT_f64, 0.5 * LN_2_REST_f64);
    return half_log + half_log;
}

// k ln 2 + 2 atanh s, where s is the numerator over the sum of two numbers.
INLINE f32 logarithm_f32(f32 k, f32 numerator, f32 first, f32 second) {
    f32 denominator = first + second;
    f32 inverse = INVERSE_f32(denominator);
    f32 s = numerator * inverse;
    f32 remainder = FMA_f32(s, -(second - (denominator - first)), FMA_f32(s, -denominator, numerator));
    f32 low = FMA_f32(remainder, inverse, k * (0.5f * LN_2_REST_f32));
    f32 half_log = FMA_f32(k, 0.5f * LN_2_SHORT_f32, s + FMA_f32(s * s * s, half_log_curve_f32(s * s), low));
    return half_log + half_log;
}

// Inverse hyperbolic sine.
INLINE f64 asinh_f64(f64 x) {
    f64 magnitude = ABS_f64(x);
    f64 above;
    f64 a = below_large_f64(magnitude, &above);
    f64 square = FMA_f64(a, a, 1.0);
    f64 root = ROOT_f64(square);
    f64 cosh_k, k;
    f64 sinh_k = nearest_power_f64(a + root, &cosh_k, &k);
    f64 numerator = a - sinh_k;
    f64 denominator = cosh_k + root;
    f64 inverse = INVERSE_f64(denominator);
    // What the root lacks is its error over twice the root, and the denominator is near twice the root.
    f64 lost = FMA_f64(FMA_f64(root, -root, square), inverse, root - (denominator - cosh_k));
    f64 s = numerator * inverse;
    f64 remainder = FMA_f64(s, -lost, FMA_f64(s, -denominator, numerator));
    f64 result = COPYSIGN_f64(logarithm_f64(k + above, s, remainder * inverse), x);
    return ((magnitude < 1e-8) | !(magnitude < INF_f64)) ? x : result;
}

// Inverse hyperbolic sine.
INLINE f32 asinh_f32(f32 x) {
    f32 magnitude = ABS_f32(x);
    f32 above;
    f32 a = below_large_f32(magnitude, &above);
    f32 root = ROOT_f32(FMA_f32(a, a, 1.0f));
    f32 cosh_k, k;
    f32 sinh_k = nearest_power_f32(a + root, &cosh_k, &k);
    f32 result = COPYSIGN_f32(logarithm_f32(k + above, a - sinh_k, cosh_k, root), x);
    return ((magnitude < 1e-4f) | !(magnitude < INF_f32)) ? x : result;
}

// Inverse hyperbolic cosine; NaN below 1.
INLINE f64 acosh_f64(f64 x) {
    f64 above;
    f64 a = below_large_f64(x, &above);
    // For a = 1 + d, and d is exact, a^2 - 1 is d^2 + 2d, without cancellation.
    f64 d = a - 1.0;
    f64 square = FMA_f64(d, d, d + d);
    f64 square_lost = FMA_f64(d, d, (d + d) - square);
    f64 root = ROOT_f64(square);
    // Three bits of the inverse are enough for the low part.
    f64 root_low = (FMA_f64(root, -root, square) + square_lost) * (0.5 * rough_inverse_f64(root));
    f64 cosh_k, k;
    f64 sinh_k = nearest_power_f64(a + root, &cosh_k, &k);
    f64 numerator = root - sinh_k;
    f64 denominator = cosh_k + a;
    f64 inverse = INVERSE_f64(denominator);
    f64 s = numerator * inverse;
    f64 lost = FMA_f64(s, -(a - (denominator - cosh_k)), root_low);
    f64 remainder = FMA_f64(s, -denominator, numerator) + lost;
    f64 result = x < INF_f64 ? logarithm_f64(k + above, s, remainder * inverse) : x;
    return x >= 1.0 ? result : NAN_f64;
}

// Inverse hyperbolic cosine; NaN below 1.
INLINE f32 acosh_f32(f32 x) {
    f32 above;
    f32 a = below_large_f32(x, &above);
    f32 d = a - 1.0f;
    f32 root = ROOT_f32(FMA_f32(d, d, d + d));
    f32 cosh_k, k;
    f32 sinh_k = nearest_power_f32(a + root, &cosh_k, &k);
    f32 result = x < INF_f32 ? logarithm_f32(k + above, root - sinh_k, cosh_k, a) : x;
    return x >= 1.0f ? result : NAN_f32;
}

// Inverse hyperbolic tangent; infinite at 1 and -1, NaN beyond. The bits of a number are nearly its logarithm: the
// nearest integer to that of the quotient (1 + x) / (1 - x) is k or close by it.
INLINE f64 atanh_f64(f64 x) {
    f64 a = ABS_f64(x);
    f64 more = 1.0 + a;
    f64 more_lost = fast_sum_lost_f64(1.0, a, more);
    f64 less = 1.0 + -a;
    f64 less_lost = fast_sum_lost_f64(1.0, -a, less);
    u64 ratio = bits_f64(more) - bits_f64(less) + ((u64)1 << 51);
    f64 k = from_bits_f64((ratio >> 52) | ((u64)0x433 << 52)) - 4503599627370496.0;
    f64 scale = from_bits_f64((ratio & ((u64)0xfff << 52)) + bits_f64(1.0));
    f64 scaled = scale * less;
    f64 numerator_low = FMA_f64(scale, -less_lost, more_lost);
    f64 numerator = (more - scaled) + numerator_low;
    f64 numerator_lost = fast_sum_lost_f64(more - scaled, numerator_low, numerator);
    f64 denominator = more + scaled;
    f64 denominator_lost = fast_sum_lost_f64(more, scaled, denominator) + FMA_f64(scale, less_lost, more_lost);
    f64 inverse = INVERSE_f64(denominator);
    f64 s_low;
    f64 s = divide_sums_f64(numerator, numerator_lost, denominator, denominator_lost, inverse, &s_low);
    f64 curve = FMA_f64(s * s * s, atanh_curve_f64(s * s), s_low);
    f64 inside = plus_logarithm_f64(k, s, curve, 0.5 * LN_2_SHORT_f64, 0.5 * LN_2_REST_f64);
    f64 result = a < 1e-8 ? a : inside;
    f64 pole = a == 1.0 ? INF_f64 : NAN_f64;
    return COPYSIGN_f64(a < 1.0 ? result : pole, x);
}

// Inverse hyperbolic tangent; infinite at 1 and -1, NaN beyond.
INLINE f32 atanh_f32(f32 x) {
    f32 a = ABS_f32(x);
    f32 more = 1.0f + a;
    f32 more_lost = fast_sum_lost_f32(1.0f, a, more);
    f32 less = 1.0f + -a;
    f32 less_lost = fast_sum_lost_f32(1.0f, -a, less);
    u32 ratio = bits_f32(more) - bits_f32(less) + (1u << 22);
    f32 k = (f32)(i32)(ratio >> 23);
    f32 scale = from_bits_f32((ratio & (0x1ffu << 23)) + bits_f32(1.0f));
    f32 scaled = scale * less;
    f32 numerator = (more - scaled) + FMA_f32(scale, -less_lost, more_lost);
    f32 denominator = more + scaled;
    f32 denominator_lost = fast_sum_lost_f32(more, scaled, denominator) + FMA_f32(scale, less_lost, more_lost);
    f32 inverse = INVERSE_f32(denominator);
    f32 s_low;
    f32 s = divide_sums_f32(numerator, 0.0f, denominator, denominator_lost, inverse, &s_low);
    f32 curve = FMA_f32(s * s * s, atanh_curve_f32(s * s), s_low);
    f32 inside = plus_logarithm_f32(k, s, curve, 0.5f * LN_2_SHORT_f32, 0.5f * LN_2_REST_f32);
    f32 result = a < 1e-4f ? a : inside;
    f32 pole = a == 1.0f ? INF_f32 : NAN_f32;
    return COPYSIGN_f32(a < 1.0f ? result : pole, x);
}
