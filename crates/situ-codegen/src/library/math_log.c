// once
// Logarithms: x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), and ln x = k ln 2 + ln(1 + f).

// (ln(1 + f) / s - 2) / s^2 in powers of s^2, where s = f / (2 + f).
INLINE f64 log_curve_f64(f64 x) {
    f64 square = x * x;
    f64 upper = 0.1479626111402704;
    f64 lower = 0.1531402117019004;
    upper = FMA_f64(upper, square, 0.18183565402874022);
    lower = FMA_f64(lower, square, 0.22222198553931347);
    upper = FMA_f64(upper, square, 0.2857142874255989);
    lower = FMA_f64(lower, square, 0.39999999999413977);
    return FMA_f64(FMA_f64(upper, x, lower), x, 0.6666666666666734);
}

// (ln(1 + f) - f) / f^2.
INLINE f32 log_curve_f32(f32 x) {
    f32 square = x * x;
    f32 upper = -0.076218374f;
    f32 lower = 0.1290448f;
    upper = FMA_f32(upper, square, -0.13242985f);
    lower = FMA_f32(lower, square, 0.14181818f);
    upper = FMA_f32(upper, square, -0.16609082f);
    lower = FMA_f32(lower, square, 0.20001975f);
    upper = FMA_f32(upper, square, -0.25001583f);
    lower = FMA_f32(lower, square, 0.33333325f);
    return FMA_f32(FMA_f32(upper, x, lower), x, -0.49999988f);
}

// The value of a logarithm outside the positive finite numbers, else the result.
INLINE f64 poles_f64(f64 x, f64 result) {
    f64 pole = x == 0.0 ? -INF_f64 : NAN_f64;
    return x > 0.0 ? (x < INF_f64 ? result : x) : pole;
}

// The value of a logarithm outside the positive finite numbers, else the result.
INLINE f32 poles_f32(f32 x, f32 result) {
    f32 pole = x == 0.0f ? -INF_f32 : NAN_f32;
    return x > 0.0f ? (x < INF_f32 ? result : x) : pole;
}

// k ln 2 + ln(1 + f) + low as an unevaluated sum, where curve_at is f or f plus what it lacks.
INLINE f64 combine_f64(f64 k, f64 f, f64 curve_at, f64 low, f64 *lost) {
    f64 s = QUOTIENT_f64(curve_at, 2.0 + curve_at);
    f64 square = s * s;
    f64 bend = FMA_f64(square, -log_curve_f64(square), curve_at);
    f64 sum = FMA_f64(k, LN_2_SHORT_f64, f);
    *lost = (f - FMA_f64(k, -LN_2_SHORT_f64, sum)) + FMA_f64(s, -bend, low);
    return sum;
}

// ln(1 + f) - f + low.
INLINE f32 curve_f32(f32 f, f32 low) {
    return FMA_f32(f * f, log_curve_f32(f), low);
}

// The natural logarithm of 2^k m.
INLINE f64 log_of_parts_f64(f64 m, f64 k) {
    f64 f = m - 1.0;
    f64 lost;
    f64 sum = combine_f64(k, f, f, k * LN_2_REST_f64, &lost);
    return sum + lost;
}

// Natural logarithm of any x.
OUTLINE f64 log_rare_f64(f64 x) {
    f64 k;
    f64 m = split_f64(x, &k);
    return poles_f64(x, log_of_parts_f64(m, k));
}

// Natural logarithm of a positive, normal, finite x.
INLINE f64 log_usual_f64(f64 x, u32 *rare) {
    *rare |= !is_plain_f64(x);
    f64 k;
    f64 m = split_normal_f64(x, &k);
    return log_of_parts_f64(m, k);
}

// Natural logarithm.
INLINE f64 log_f64(f64 x) {
    u32 rare = 0u;
    f64 value = log_usual_f64(x, &rare);
    return rare ? log_rare_f64(x) : value;
}

// Natural logarithm.
INLINE f32 log_f32(f32 x) {
    f32 k;
    f32 f = split_f32(x, &k) - 1.0f;
    return poles_f32(x, FMA_f32(k, LN_2_SHORT_f32, f + curve_f32(f, k * LN_2_REST_f32)));
}

// ln(1 + x). Near 0, f holds the first bits of x and what the sum lost the others.
INLINE f64 log1p_f64(f64 x) {
    f64 sum = 1.0 + x;
    f64 lost = sum_lost_f64(1.0, x, sum);
    f64 k;
    f64 m = split_normal_f64(sum, &k);
    // Four times 2^-k, which always exists: m and the sum differ in nothing but the exponent.
    f64 unscale = from_bits_f64(bits_f64(m) - bits_f64(sum) + bits_f64(4.0));
    f64 f_low = lost * unscale * 0.25;
    f64 f = m - 1.0;
    f64 log_lost;
    f64 log = combine_f64(k, f, f + f_low, FMA_f64(k, LN_2_REST_f64, f_low), &log_lost);
    return poles_f64(sum, COPYSIGN_f64(log + log_lost, x));
}

// ln(1 + x).
INLINE f32 log1p_f32(f32 x) {
    f32 sum = 1.0f + x;
    f32 lost = sum_lost_f32(1.0f, x, sum);
    f32 k;
    f32 m = split_normal_f32(sum, &k);
    f32 unscale = from_bits_f32(bits_f32(m) - bits_f32(sum) + bits_f32(4.0f));
    f32 f_low = lost * unscale * 0.25f;
    f32 f = m - 1.0f;
    f32 curve = curve_f32(f + f_low, FMA_f32(k, LN_2_REST_f32, f_low));
    return poles_f32(sum, COPYSIGN_f32(FMA_f32(k, LN_2_SHORT_f32, f + curve), x));
}
