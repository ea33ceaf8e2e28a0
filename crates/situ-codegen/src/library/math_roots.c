// once
// Functions of square and cube roots.

// The length of a right triangle's longest side, without overflow or underflow on the way.
INLINE f64 hypot_f64(f64 a, f64 b) {
    const f64 up = from_bits_f64((u64)(1023 + 600) << 52);
    const f64 down = from_bits_f64((u64)(1023 - 600) << 52);
    f64 x = ABS_f64(a), y = ABS_f64(b);
    f64 largest = x > y ? x : y;
    u8 large = largest > from_bits_f64((u64)(1023 + 500) << 52);
    u8 small = largest < from_bits_f64((u64)(1023 - 450) << 52);
    f64 to_middle = large ? down : (small ? up : 1.0);
    f64 back = large ? up : (small ? down : 1.0);
    f64 larger = largest * to_middle;
    f64 smaller = (x > y ? y : x) * to_middle;
    f64 square = larger * larger;
    f64 square_low = product_lost_f64(larger, larger, square);
    f64 sum = FMA_f64(smaller, smaller, square);
    f64 sum_low = FMA_f64(smaller, smaller, square - sum) + square_low;
    f64 root = ROOT_f64(sum);
    f64 missing = FMA_f64(-root, root, sum) + sum_low;
    f64 length = FMA_f64(missing, 0.5 * rough_inverse_f64(root), root);
    // Infinite also beside NaN.
    return ((x == INF_f64) | (y == INF_f64)) ? INF_f64 : length * back;
}

// The length of a right triangle's longest side, without overflow or underflow on the way.
INLINE f32 hypot_f32(f32 a, f32 b) {
    f32 x = ABS_f32(a), y = ABS_f32(b);
    f32 largest = x > y ? x : y;
    u8 large = largest > from_bits_f32((127u + 60u) << 23);
    u8 small = largest < from_bits_f32((127u - 50u) << 23);
    f32 to_middle = from_bits_f32((large ? 127u - 70u : (small ? 127u + 90u : 127u)) << 23);
    f32 back = from_bits_f32((large ? 127u + 70u : (small ? 127u - 90u : 127u)) << 23);
    f32 larger = largest * to_middle;
    f32 smaller = (x > y ? y : x) * to_middle;
    f32 length = SQRT_f32(FMA_f32(smaller, smaller, larger * larger));
    return ((x == INF_f32) | (y == INF_f32)) ? INF_f32 : length * back;
}

// for f32 f64
// A step towards one over the square root, which triples the good bits.
INLINE T rsqrt_step_T(T x, T root) {
    T missing = FMA_T(-(x * root), root, (T)1);
    return FMA_T(root * missing, FMA_T(missing, (T)0.375, (T)0.5), root);
}

// One over the square root at zeros and infinity, and of negative numbers and NaN.
INLINE T rsqrt_limit_T(T x) {
    return x == (T)0 ? COPYSIGN_T(INF_T, x) : (x > (T)0 ? (T)0 : NAN_T);
}

// once
// One over the square root. Half the negated exponent and mantissa, read as one number, are it to four bits.
INLINE f64 rsqrt_f64(f64 x) {
    u8 tiny = x < from_bits_f64((u64)(1023 - 1000) << 52);
    f64 scaled = x * (tiny ? from_bits_f64((u64)(1023 + 108) << 52) : 1.0);
    f64 guess = from_bits_f64((u64)0x5fe6eb50c7b537a9 - (bits_f64(scaled) >> 1));
    f64 root = rsqrt_step_f64(scaled, rsqrt_step_f64(scaled, guess));
    f64 product = scaled * root;
    f64 product_low = product_lost_f64(scaled, root, product);
    f64 missing = FMA_f64(-product_low, root, FMA_f64(-product, root, 1.0));
    root = FMA_f64(root * 0.5, missing, root);
    root = root * (tiny ? from_bits_f64((u64)(1023 + 54) << 52) : 1.0);
    return ((x > 0.0) & (x < INF_f64)) ? root : rsqrt_limit_f64(x);
}

// One over the square root.
INLINE f32 rsqrt_f32(f32 x) {
    u8 tiny = x < from_bits_f32((127u - 100u) << 23);
    f32 scaled = x * (tiny ? from_bits_f32((127u + 48u) << 23) : 1.0f);
    f32 guess = from_bits_f32(0x5f375a86u - (bits_f32(scaled) >> 1));
    f32 root = rsqrt_step_f32(scaled, rsqrt_step_f32(scaled, guess));
    root = root * (tiny ? from_bits_f32((127u + 24u) << 23) : 1.0f);
    return ((x > 0.0f) & (x < INF_f32)) ? root : rsqrt_limit_f32(x);
}

// (1 + f)^(-1/3) for sqrt(1/2) <= 1 + f <= sqrt(2).
INLINE f64 inverse_cbrt_curve_f64(f64 x) {
    f64 square = x * x;
    f64 upper = -0.10806342788890767;
    f64 lower = 0.16041693249579653;
    upper = FMA_f64(upper, square, -0.17581864163431304);
    lower = FMA_f64(lower, square, 0.22160513145359145);
    upper = FMA_f64(upper, square, -0.3332609762657579);
    lower = FMA_f64(lower, square, 1.0000038466599024);
    return FMA_f64(upper, x, lower);
}

// (1 + f)^(-1/3) for sqrt(1/2) <= 1 + f <= sqrt(2).
INLINE f32 inverse_cbrt_curve_f32(f32 x) {
    f32 square = x * x;
    f32 upper = 0.1283693f;
    f32 lower = -0.18890896f;
    upper = FMA_f32(upper, square, 0.2243627f);
    lower = FMA_f32(lower, square, -0.3329016f);
    return FMA_f32(FMA_f32(upper, x, lower), x, 0.9999766f);
}

// Cube root, with the sign of x: a short polynomial for its inverse, then Newton's method.
INLINE f64 cbrt_f64(f64 x) {
    const f64 third = 1.0 / 3.0;
    f64 k;
    f64 m = split_f64(ABS_f64(x), &k);
    f64 rounded = FMA_f64(k, third, ROUNDER_f64);
    f64 j = FMA_f64(rounded - ROUNDER_f64, -3.0, k);
    // The quadratics that are 2^j and 2^(-j/3) for j = -1, 0, 1.
    f64 value = m * FMA_f64(j, FMA_f64(j, 0.25, 0.75), 1.0);
    f64 factor = FMA_f64(j, FMA_f64(j, 0.02681078793948649, -0.2331102619553867), 1.0);
    f64 inverse = inverse_cbrt_curve_f64(m - 1.0) * factor;
    f64 error = FMA_f64(value * inverse, -(inverse * inverse), 1.0);
    inverse = FMA_f64(inverse * error, third, inverse);
    f64 inverse_square = inverse * inverse;
    f64 root = value * inverse_square;
    f64 remainder = FMA_f64(root * root, -root, value);
    root = FMA_f64(remainder * inverse_square, third, root) * power_of_two_f64(rounded);
    return ((x != 0.0) & (ABS_f64(x) < INF_f64)) ? COPYSIGN_f64(root, x) : x;
}

// Cube root, with the sign of x.
INLINE f32 cbrt_f32(f32 x) {
    const f32 third = 1.0f / 3.0f;
    f32 k;
    f32 m = split_f32(ABS_f32(x), &k);
    f32 rounded = FMA_f32(k, third, ROUNDER_f32);
    f32 j = FMA_f32(rounded - ROUNDER_f32, -3.0f, k);
    f32 value = m * FMA_f32(j, FMA_f32(j, 0.25f, 0.75f), 1.0f);
    f32 factor = FMA_f32(j, FMA_f32(j, 0.02681078793948649f, -0.2331102619553867f), 1.0f);
    f32 inverse = inverse_cbrt_curve_f32(m - 1.0f) * factor;
    f32 inverse_square = inverse * inverse;
    f32 root = value * inverse_square;
    f32 remainder = FMA_f32(root * root, -root, value);
    root = FMA_f32(remainder * inverse_square, third, root) * power_of_two_f32(rounded);
    return ((x != 0.0f) & (ABS_f32(x) < INF_f32)) ? COPYSIGN_f32(root, x) : x;
}
