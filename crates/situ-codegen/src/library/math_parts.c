// once
// What the functions of real numbers are made of: how exponents are read and written, what sums and products lose, and
// unevaluated sums. Functions named as those of `situ-ir` mean the same to the last bit.

// The bit of the sign.
#define SIGN_f32 0x80000000u

// The bit of the sign.
#define SIGN_f64 ((u64)1 << 63)

// Adding and subtracting these rounds to the nearest integer, ties to even. In between, the low bits of the sum are
// that integer in two's complement; of the second also twice the exponent bias more, which is what scaling wants.
#define ROUNDER_f64 6755399441055744.0
#define SCALE_ROUNDER_f64 6755399441057790.0

// The same for floats below 2^22.
#define ROUNDER_f32 12582912.0f
#define SCALE_ROUNDER_f32 12583166.0f

// ln 2, rounded, and what rounding took.
#define LN_2_f64 0.6931471805599453
#define LN_2_LOW_f64 2.3190468138462996e-17

// ln 2, rounded, and what rounding took.
#define LN_2_f32 0.6931472f
#define LN_2_LOW_f32 (-1.9046542e-9f)

// ln 2 as a part with so few bits that its product with any exponent is exact, and the rest.
#define LN_2_SHORT_f64 0.693147180559663
#define LN_2_REST_f64 2.8235290563031577e-13

// ln 2 as a part with so few bits that its product with any exponent is exact, and the rest.
#define LN_2_SHORT_f32 0.69314575f
#define LN_2_REST_f32 1.4286068e-6f

// The logarithm of e to base 2.
#define LOG2_E_f64 1.4426950408889634
#define LOG2_E_f32 1.442695f

// The first half of the bits, for tests of the exponent that leave the floating-point unit free.
INLINE u32 upper_f64(f64 x) {
    return (u32)(bits_f64(x) >> 32);
}

// Whether x is positive, normal and finite.
INLINE u32 is_plain_f64(f64 x) {
    return upper_f64(x) - 0x00100000u < 0x7fe00000u;
}

// Whether x is positive, normal and finite.
INLINE u32 is_plain_f32(f32 x) {
    return bits_f32(x) - 0x00800000u < 0x7f000000u;
}

// Whether x is 0 or in the middle of the range: from 2^-100 up to 2^101.
INLINE u32 is_middle_f64(f64 x) {
    return (upper_f64(x) - 0x39b00000u < 0x0c900000u) | (bits_f64(x) == 0u);
}

// Whether x is 0 or in the middle of the range: from 2^-30 up to 2^31.
INLINE u32 is_middle_f32(f32 x) {
    return (bits_f32(x) - (97u << 23) < (61u << 23)) | (bits_f32(x) == 0u);
}

// Multiplies by 2^k for -2046 < k < 2046, where rounded is k + SCALE_ROUNDER_f64. In two steps, each by a normal
// number: only the second can round.
INLINE f64 scale_f64(f64 value, f64 rounded) {
    u64 bits = bits_f64(rounded);
    u64 first = bits >> 1;
    return value * from_bits_f64(first << 52) * from_bits_f64((bits - first) << 52);
}

// Multiplies by 2^k where rounded is k + SCALE_ROUNDER_f64, and the value and the result are normal.
INLINE f64 shift_f64(f64 value, f64 rounded) {
    return from_bits_f64(bits_f64(value) + ((bits_f64(rounded) - 2046u) << 52));
}

// Multiplies by 2^k where rounded is k + SCALE_ROUNDER_f32, and the value and the result are normal.
INLINE f32 shift_f32(f32 value, f32 rounded) {
    return from_bits_f32(bits_f32(value) + ((bits_f32(rounded) - 254u) << 23));
}

// Multiplies by 2^k for -254 < k < 254, where rounded is k + SCALE_ROUNDER_f32.
INLINE f32 scale_f32(f32 value, f32 rounded) {
    u32 bits = bits_f32(rounded);
    u32 first = bits >> 1;
    return value * from_bits_f32(first << 23) * from_bits_f32((bits - first) << 23);
}

// 2^k for -1022 <= k <= 1023, where rounded is k + ROUNDER_f64.
INLINE f64 power_of_two_f64(f64 rounded) {
    return from_bits_f64((bits_f64(rounded) + 1023u) << 52);
}

// 2^k for -126 <= k <= 127, where rounded is k + ROUNDER_f32.
INLINE f32 power_of_two_f32(f32 rounded) {
    return from_bits_f32((bits_f32(rounded) + 127u) << 23);
}

// Writes a positive normal number as m 2^k with least <= m < 2 least. Others give something finite of no meaning.
INLINE f64 split_normal_from_f64(f64 x, f64 least, f64 *k) {
    u64 bits = bits_f64(x) + (((u64)1023 << 52) - bits_f64(least));
    *k = from_bits_f64((bits >> 52) | ((u64)0x433 << 52)) - 4503599627371519.0;
    return from_bits_f64((bits & (((u64)1 << 52) - 1u)) + bits_f64(least));
}

// The same, of subnormal numbers too.
INLINE f64 split_from_f64(f64 x, f64 least, f64 *k) {
    u8 subnormal = x < 2.2250738585072014e-308;
    f64 m = split_normal_from_f64(subnormal ? x * 4503599627370496.0 : x, least, k);
    *k -= subnormal ? 52.0 : 0.0;
    return m;
}

// The same from sqrt(1/2) to sqrt(2), of normal numbers.
INLINE f64 split_normal_f64(f64 x, f64 *k) {
    return split_normal_from_f64(x, 0.7071067811865476, k);
}

// The same from sqrt(1/2) to sqrt(2).
INLINE f64 split_f64(f64 x, f64 *k) {
    return split_from_f64(x, 0.7071067811865476, k);
}

// Writes a positive normal number as m 2^k with sqrt(1/2) <= m < sqrt(2). Other numbers give something finite of no
// meaning.
INLINE f32 split_normal_f32(f32 x, f32 *k) {
    const u32 root = 0x3f3504f3u;
    u32 bits = bits_f32(x) - root;
    *k = (f32)((i32)bits >> 23);
    return from_bits_f32((bits & 0x7fffffu) + root);
}

// The same, of subnormal numbers too.
INLINE f32 split_f32(f32 x, f32 *k) {
    u8 subnormal = x < 1.17549435e-38f;
    f32 m = split_normal_f32(subnormal ? x * 8388608.0f : x, k);
    *k -= subnormal ? 23.0f : 0.0f;
    return m;
}

// for f32 f64
// What rounding took from sum = a + b.
INLINE T sum_lost_T(T a, T b, T sum) {
    T b_taken = sum - a;
    return (a - (sum - b_taken)) + (b - b_taken);
}

// What rounding took from sum = a + b, for |a| >= |b| or a zero.
INLINE T fast_sum_lost_T(T a, T b, T sum) {
    return b - (sum - a);
}

// What rounding took from product = a * b.
INLINE T product_lost_T(T a, T b, T product) {
    return FMA_T(a, b, -product);
}

// Whether |x| is larger than the limit, or not a number. By its bits, because the floating-point unit is busy.
INLINE u32 is_beyond_T(T x, T limit) {
    return (bits_T(x) & ~SIGN_T) > bits_T(limit);
}

// Brings a number into a range; NaN stays NaN.
INLINE T clamp_T(T x, T low, T high) {
    T above = x < low ? low : x;
    return above > high ? high : above;
}

// The value with its sign changed where the other's is negative.
INLINE T flip_T(T value, T sign) {
    return from_bits_T(bits_T(value) ^ (bits_T(sign) & SIGN_T));
}

// The quotient of two unevaluated sums as another, with about twice the precision of one number.
INLINE T divide_sums_T(T numerator, T numerator_lost, T denominator, T denominator_lost, T inverse, T *low) {
    T quotient = numerator * inverse;
    T remainder = FMA_T(quotient, -denominator, numerator) + FMA_T(quotient, -denominator_lost, numerator_lost);
    *low = remainder * inverse;
    return quotient;
}

// k ln 2 + value + low, where the value is less than ln 2 or k is 0.
INLINE T plus_logarithm_T(T k, T value, T low, T ln_2, T ln_2_low) {
    T sum = FMA_T(k, ln_2, value);
    T lost = value - FMA_T(k, -ln_2, sum);
    return sum + (lost + FMA_T(k, ln_2_low, low));
}
