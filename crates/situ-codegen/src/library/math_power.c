// once
// Powers: x^y = 2^(y log2 x). An error in the logarithm is multiplied by up to a thousand before it reaches the result,
// so the logarithm is an unevaluated sum of two numbers.

// The coefficients of log2((1 + s) / (1 - s)), from s^5 on, for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1).
INLINE f64 log2_rest_f64(f64 x) {
    f64 square = x * x;
    f64 upper = 0.19037893436910422;
    f64 lower = 0.1912558898118182;
    upper = FMA_f64(upper, square, 0.2219839651554433);
    lower = FMA_f64(lower, square, 0.26230770186276814);
    upper = FMA_f64(upper, square, 0.3205989022647842);
    lower = FMA_f64(lower, square, 0.4121985830919912);
    return FMA_f64(FMA_f64(upper, x, lower), x, 0.5770780163556178);
}

// The same, from s^3 on.
INLINE f32 log2_rest_f32(f32 x) {
    f32 sum = 0.33648726f;
    sum = FMA_f32(sum, x, 0.41192734f);
    sum = FMA_f32(sum, x, 0.5770788f);
    return FMA_f32(sum, x, 0.9617967f);
}

// (2^r - 1 - r ln 2) / r^2 for |r| <= 1/2.
INLINE f64 power_curve_f64(f64 x) {
    f64 square = x * x;
    f64 upper = 4.455818442553684e-10;
    f64 lower = 7.074195334903874e-09;
    upper = FMA_f64(upper, square, 1.0178057620590688e-07);
    lower = FMA_f64(lower, square, 1.3215433535373761e-06);
    upper = FMA_f64(upper, square, 1.52527338388832e-05);
    lower = FMA_f64(lower, square, 0.00015403530458709013);
    upper = FMA_f64(upper, square, 0.0013333558146410654);
    lower = FMA_f64(lower, square, 0.009618129107595103);
    upper = FMA_f64(upper, square, 0.055504108664821604);
    lower = FMA_f64(lower, square, 0.2402265069591012);
    return FMA_f64(upper, x, lower);
}

// (2^r - 1) / r for |r| <= 1/2.
INLINE f32 power_curve_f32(f32 x) {
    f32 sum = 0.00015469735f;
    sum = FMA_f32(sum, x, 0.0013410004f);
    sum = FMA_f32(sum, x, 0.009618031f);
    sum = FMA_f32(sum, x, 0.055502973f);
    sum = FMA_f32(sum, x, 0.2402265f);
    return FMA_f32(sum, x, 0.69314724f);
}

// for f32 f64
// s = f / (2 + f) as an unevaluated sum, where f = m - 1. The difference f - 2 s is exact.
INLINE T slope_of_T(T m, T *low) {
    T f = m - (T)1;
    T inverse = INVERSE_T(m + (T)1);
    T s = f * inverse;
    *low = FMA_T(s, -f, FMA_T(s, (T)-2, f)) * inverse;
    return s;
}

// The square of an unevaluated sum as another.
INLINE T square_sum_T(T s, T s_low, T *low) {
    T square = s * s;
    *low = FMA_T(s + s, s_low, product_lost_T(s, s, square));
    return square;
}

// start + x slope as an unevaluated sum, where the start and x are such, and |x slope| is less than the start.
INLINE T line_T(T x, T x_low, T start, T start_low, T slope, T *low) {
    T sum = FMA_T(x, slope, start);
    *low = FMA_T(x, slope, start - sum) + FMA_T(x_low, slope, start_low);
    return sum;
}

// The logarithm's integer part: that of 0, infinity and NaN takes care of itself from here on.
INLINE T power_integer_T(T magnitude, T k) {
    return magnitude == (T)0 ? -INF_T : (magnitude < INF_T ? k : magnitude);
}

// factor (k + a b) as an unevaluated sum, where a and b are such, and their product is between -1 and 1.
INLINE T scaled_sum_T(T factor, T k, T a, T a_low, T b, T b_low, T *low) {
    T total = FMA_T(a, b, k);
    T lost = FMA_T(a, b, k - total);
    T total_low = FMA_T(a, b_low, FMA_T(a_low, b, lost));
    T high = factor * total;
    *low = FMA_T(factor, total_low, product_lost_T(factor, total, high));
    return high;
}

// Signs and exceptions of a power: 1 whenever y is 0 or x is 1, even if the other is NaN; NaN for a negative finite x
// and a y that is no integer.
INLINE T signed_power_T(T x, T y, T power) {
    T half_y = (T)0.5 * y;
    u8 integer = TRUNC_T(y) == y;
    u8 odd = integer & (TRUNC_T(half_y) != half_y);
    T real = ((x < (T)0) & (ABS_T(x) < INF_T) & !integer) ? NAN_T : power;
    T result = odd ? from_bits_T(bits_T(real) | (bits_T(x) & SIGN_T)) : real;
    return ((y == (T)0) | (x == (T)1)) ? (T)1 : result;
}

// once
// y log2(2^k m) as an unevaluated sum.
INLINE f64 power_exponent_f64(f64 y, f64 m, f64 k, f64 *low) {
    f64 s_low, square_low, inner_low, sum_low;
    f64 s = slope_of_f64(m, &s_low);
    f64 square = square_sum_f64(s, s_low, &square_low);
    // 2 log2 e / n for n = 3 and 1, each with what rounding took.
    f64 rest = log2_rest_f64(square);
    f64 inner = line_f64(square, square_low, 0.9617966939259756, 5.0577616648125907e-17, rest, &inner_low);
    f64 sum = line_f64(square, square_low, 2.8853900817779268, 4.0710547481862066e-17, inner, &sum_low);
    return scaled_sum_f64(y, k, s, s_low, sum, FMA_f64(square, inner_low, sum_low), low);
}

// 2 to the power of exponent + exponent_low, but for the factor of 2^k, where rounded is k + SCALE_ROUNDER_f64.
INLINE f64 power_mantissa_f64(f64 exponent, f64 exponent_low, f64 rounded) {
    f64 r = exponent - (rounded - SCALE_ROUNDER_f64);
    f64 whole = r + exponent_low;
    f64 low = FMA_f64(exponent_low, LN_2_f64, r * LN_2_LOW_f64);
    f64 curve = FMA_f64(whole * whole, power_curve_f64(whole), low);
    return 1.0 + FMA_f64(r, LN_2_f64, curve);
}

// y log2(2^k m) as an unevaluated sum.
INLINE f32 power_exponent_f32(f32 y, f32 m, f32 k, f32 *low) {
    f32 s_low, square_low, sum_low;
    f32 s = slope_of_f32(m, &s_low);
    f32 square = square_sum_f32(s, s_low, &square_low);
    f32 sum = line_f32(square, square_low, 2.88539f, 3.851926e-8f, log2_rest_f32(square), &sum_low);
    return scaled_sum_f32(y, k, s, s_low, sum, sum_low, low);
}

// 2 to the power of exponent + exponent_low, but for the factor of 2^k, where rounded is k + SCALE_ROUNDER_f32.
INLINE f32 power_mantissa_f32(f32 exponent, f32 exponent_low, f32 rounded) {
    f32 r = (exponent - (rounded - SCALE_ROUNDER_f32)) + exponent_low;
    return FMA_f32(r, power_curve_f32(r), 1.0f);
}

// Beyond the first, no logarithm but 0 is so small that y would matter, and infinity times 0 is kept away. Beyond the
// second, every power is 0 or infinite. Before the others nothing of that needs care.
#define POWER_LARGE_f64 1e30
#define POWER_END_f64 1100.0
#define POWER_USUAL_f64 1125899906842624.0
#define POWER_NORMAL_f64 1020.0

// The same in single precision.
#define POWER_LARGE_f32 1e15f
#define POWER_END_f32 160.0f
#define POWER_USUAL_f32 2097152.0f
#define POWER_NORMAL_f32 125.0f

// for f32 f64
// x to the power of y, whatever they are.
OUTLINE T pow_rare_T(T x, T y) {
    T k, exponent_low;
    T m = split_T(ABS_T(x), &k);
    T factor = clamp_T(y, -POWER_LARGE_T, POWER_LARGE_T);
    T exponent = power_exponent_T(factor, m, power_integer_T(ABS_T(x), k), &exponent_low);
    T rounded = exponent + SCALE_ROUNDER_T;
    T power = scale_T(power_mantissa_T(exponent, exponent_low, rounded), rounded);
    power = exponent > POWER_END_T ? INF_T : power;
    power = exponent < -POWER_END_T ? (T)0 : power;
    return signed_power_T(x, y, power);
}

// x to the power of y, where |x| and the result are normal and y is not huge; of others it says so. By their bits,
// because the floating-point unit is busy.
INLINE T pow_usual_T(T x, T y, u32 *rare) {
    T k, exponent_low;
    T m = split_normal_T(ABS_T(x), &k);
    T exponent = power_exponent_T(y, m, k, &exponent_low);
    T rounded = exponent + SCALE_ROUNDER_T;
    T power = shift_T(power_mantissa_T(exponent, exponent_low, rounded), rounded);
    *rare |= (is_plain_T(ABS_T(x)) == 0u) | is_beyond_T(y, POWER_USUAL_T) | is_beyond_T(exponent, POWER_NORMAL_T);
    // The last bit of y, if it is an integer.
    T whole = y + ROUNDER_T;
    U odd = bits_T(whole) << (8 * sizeof(T) - 1);
    u8 is_real = ((bits_T(x) & SIGN_T) == 0u) | (whole - ROUNDER_T == y);
    return is_real ? from_bits_T(bits_T(power) | (bits_T(x) & odd)) : NAN_T;
}

// x to the power of y.
INLINE T pow_T(T x, T y) {
    u32 rare = 0u;
    T value = pow_usual_T(x, y, &rare);
    return rare ? pow_rare_T(x, y) : value;
}
