// once
// Logarithms to the bases 2 and 10. The polynomials contain the factor of the base, whose product rounding would
// change.

// The least m, for which the difference of k and the sum of k and f log2 e is exact.
#define LEAST_f64 0.673

// (log2(1 + f) / s - 2 log2 e) / s^2 in powers of s^2, where s = f / (2 + f).
INLINE f64 log2_curve_f64(f64 x) {
    f64 square = x * x;
    f64 upper = 0.19833851571713942;
    f64 lower = 0.19025522711988374;
    upper = FMA_f64(upper, square, 0.22203502871870895);
    lower = FMA_f64(lower, square, 0.26230634908695016);
    upper = FMA_f64(upper, square, 0.3205989219845859);
    lower = FMA_f64(lower, square, 0.41219858293810935);
    upper = FMA_f64(upper, square, 0.5770780163561878);
    lower = FMA_f64(lower, square, 0.9617966939259749);
    return FMA_f64(upper, x, lower);
}

// (log10(1 + f) / s - 2 log10 e) / s^2 in powers of s^2, where s = f / (2 + f).
INLINE f64 log10_curve_f64(f64 x) {
    f64 square = x * x;
    f64 upper = 0.05967901588139635;
    f64 lower = 0.05727634748330334;
    upper = FMA_f64(upper, square, 0.06683898472773389);
    lower = FMA_f64(lower, square, 0.07896208560573788);
    upper = FMA_f64(upper, square, 0.09650989199026065);
    lower = FMA_f64(lower, square, 0.12408413763545566);
    upper = FMA_f64(upper, square, 0.17371779276147847);
    lower = FMA_f64(lower, square, 0.2895296546021677);
    return FMA_f64(upper, x, lower);
}

// (log2(1 + f) - f log2 e) / f^2.
INLINE f32 log2_curve_f32(f32 x) {
    f32 square = x * x;
    f32 upper = -0.10995987f;
    f32 lower = 0.18617229f;
    upper = FMA_f32(upper, square, -0.1910559f);
    lower = FMA_f32(lower, square, 0.20460038f);
    upper = FMA_f32(upper, square, -0.2396184f);
    lower = FMA_f32(lower, square, 0.28856748f);
    upper = FMA_f32(upper, square, -0.36069658f);
    lower = FMA_f32(lower, square, 0.48089823f);
    return FMA_f32(FMA_f32(upper, x, lower), x, -0.72134733f);
}

// (log10(1 + f) - f log10 e) / f^2.
INLINE f32 log10_curve_f32(f32 x) {
    f32 square = x * x;
    f32 upper = -0.03310122f;
    f32 lower = 0.056043442f;
    upper = FMA_f32(upper, square, -0.057513557f);
    lower = FMA_f32(lower, square, 0.06159085f);
    upper = FMA_f32(upper, square, -0.07213233f);
    lower = FMA_f32(lower, square, 0.086867474f);
    upper = FMA_f32(upper, square, -0.10858049f);
    lower = FMA_f32(lower, square, 0.1447648f);
    return FMA_f32(FMA_f32(upper, x, lower), x, -0.21714719f);
}

// What an unevaluated start + c ln(1 + f) has past the rounded sum of start and c f: with s = f / (2 + f), c ln(1 + f)
// is c f - c f^2 / 2 + s (c f^2 / 2 + s^2 R(s^2)), where curve is R(s^2).
INLINE f64 past_line_f64(f64 start, f64 sum, f64 f, f64 s, f64 factor, f64 factor_low, f64 curve) {
    f64 half_factor = 0.5 * factor;
    f64 bend = f * f;
    f64 lost = FMA_f64(f, factor, start - sum);
    f64 low = FMA_f64(bend, -half_factor, FMA_f64(f, factor_low, lost));
    return FMA_f64(s, FMA_f64(s * s, curve, bend * half_factor), low);
}

// Logarithm to base 2 of 2^k m.
INLINE f64 log2_of_parts_f64(f64 m, f64 k) {
    f64 f = m - 1.0;
    f64 s = QUOTIENT_f64(f, m + 1.0);
    f64 sum = FMA_f64(f, LOG2_E_f64, k);
    return sum + past_line_f64(k, sum, f, s, LOG2_E_f64, 2.0355273740931033e-17, log2_curve_f64(s * s));
}

// Logarithm to base 2 of any x.
OUTLINE f64 log2_rare_f64(f64 x) {
    f64 k;
    f64 m = split_from_f64(x, LEAST_f64, &k);
    return poles_f64(x, log2_of_parts_f64(m, k));
}

// Logarithm to base 2 of a positive, normal, finite x.
INLINE f64 log2_usual_f64(f64 x, u32 *rare) {
    *rare |= !is_plain_f64(x);
    f64 k;
    f64 m = split_normal_from_f64(x, LEAST_f64, &k);
    return log2_of_parts_f64(m, k);
}

// Logarithm to base 2.
INLINE f64 log2_f64(f64 x) {
    u32 rare = 0u;
    f64 value = log2_usual_f64(x, &rare);
    return rare ? log2_rare_f64(x) : value;
}

// Logarithm to base 2.
INLINE f32 log2_f32(f32 x) {
    f32 k;
    f32 f = split_f32(x, &k) - 1.0f;
    return poles_f32(x, k + FMA_f32(f, LOG2_E_f32, f * f * log2_curve_f32(f)));
}

// Logarithm to base 10 of 2^k m. That of 2 comes as a part with so few bits that its product with k is exact, and the
// rest.
INLINE f64 log10_of_parts_f64(f64 m, f64 k) {
    const f64 log10_e = 0.4342944819032518;
    f64 f = m - 1.0;
    f64 s = QUOTIENT_f64(f, m + 1.0);
    f64 start = k * 0.30102999566383914;
    f64 sum = FMA_f64(f, log10_e, start);
    f64 low = past_line_f64(start, sum, f, s, log10_e, 1.098319650216765e-17, log10_curve_f64(s * s));
    return sum + FMA_f64(k, 1.42050232272661e-13, low);
}

// Logarithm to base 10 of any x.
OUTLINE f64 log10_rare_f64(f64 x) {
    f64 k;
    f64 m = split_from_f64(x, LEAST_f64, &k);
    return poles_f64(x, log10_of_parts_f64(m, k));
}

// Logarithm to base 10 of a positive, normal, finite x.
INLINE f64 log10_usual_f64(f64 x, u32 *rare) {
    *rare |= !is_plain_f64(x);
    f64 k;
    f64 m = split_normal_from_f64(x, LEAST_f64, &k);
    return log10_of_parts_f64(m, k);
}

// Logarithm to base 10.
INLINE f64 log10_f64(f64 x) {
    u32 rare = 0u;
    f64 value = log10_usual_f64(x, &rare);
    return rare ? log10_rare_f64(x) : value;
}

// Logarithm to base 10.
INLINE f32 log10_f32(f32 x) {
    f32 k;
    f32 f = split_f32(x, &k) - 1.0f;
    f32 low = FMA_f32(f * f, log10_curve_f32(f), k * 4.605039e-6f);
    return poles_f32(x, FMA_f32(k, 0.3010254f, FMA_f32(f, 0.4342945f, low)));
}
