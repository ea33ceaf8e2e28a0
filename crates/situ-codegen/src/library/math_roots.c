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

// (1 - e)^(-2/3) for -0.106 <= e <= 0.0999.
INLINE f64 cbrt_curve_f64(f64 x) {
    f64 square = x * x;
    f64 upper = 0.39825148723808335;
    f64 lower = 0.4295285458122207;
    upper = FMA_f64(upper, square, 0.45273713112710456);
    lower = FMA_f64(lower, square, 0.49379016614453586);
    upper = FMA_f64(upper, square, 0.5555552995348254);
    lower = FMA_f64(lower, square, 0.6666667153870575);
    return FMA_f64(FMA_f64(upper, x, lower), x, 1.0000000001282034);
}

// (1 - e)^(-2/3) for -0.106 <= e <= 0.0999.
INLINE f32 cbrt_curve_f32(f32 x) {
    f32 sum = 0.4934505f;
    sum = FMA_f32(sum, x, 0.5603762f);
    sum = FMA_f32(sum, x, 0.6666849f);
    return FMA_f32(sum, x, 0.9999936f);
}

// Nearly one over the cube root of a positive number: a third of the bits, negated.
INLINE f64 rough_inverse_cbrt_f64(f64 x) {
    f64 bits = from_bits_f64((bits_f64(x) >> 20) | bits_f64(4503599627370496.0));
    return from_bits_f64(bits_f64(FMA_f64(bits, -1.0 / 3.0, 6010657553339733.0)) << 20);
}

// The same in single precision.
INLINE f32 rough_inverse_cbrt_f32(f32 x) {
    f32 bits = from_bits_f32((bits_f32(x) >> 9) | bits_f32(8388608.0f));
    return from_bits_f32(bits_f32(FMA_f32(bits, -1.0f / 3.0f, 13958080.0f)) << 9);
}

// Numbers whose last remainder would be subnormal, and what takes them away and their roots back.
#define CBRT_TINY_f64 1.0261342003245941e-289
#define CBRT_TINY_f32 7.703719777548943e-34f
#define CBRT_UP_f64 18014398509481984.0
#define CBRT_UP_f32 134217728.0f
#define CBRT_DOWN_f64 3.814697265625e-06
#define CBRT_DOWN_f32 0.001953125f

// for f32 f64
// Cube root, with the sign of x.
INLINE T cbrt_T(T x) {
    const T third = (T)1 / (T)3;
    u32 tiny = ABS_T(x) < CBRT_TINY_T;
    T size = ABS_T(x) * (tiny ? CBRT_UP_T : (T)1);
    T inverse = rough_inverse_cbrt_T(size);
    T square = inverse * inverse;
    T error = FMA_T(size * inverse, -square, (T)1);
    T inverse_square = square * cbrt_curve_T(error);
    T root = size * inverse_square;
    T remainder = FMA_T(root * root, -root, size);
    root = FMA_T(remainder * inverse_square, third, root) * (tiny ? CBRT_DOWN_T : (T)1);
    return ABS_T(x) < INF_T ? COPYSIGN_T(root, x) : x;
}
