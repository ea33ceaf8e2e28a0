// once
// The logarithm of a sum of exponentials: the larger of the two plus ln(1 + e^-d), where d is their distance.

// 2^k (one_more + tail) is e^(distance + lost), where rounded is k + SCALE_ROUNDER_f64.
INLINE f64 one_more_f64(f64 distance, f64 lost, f64 rounded, f64 *tail) {
    f64 steps = rounded - SCALE_ROUNDER_f64;
    f64 r = FMA_f64(steps, -LN_2_f64, distance);
    f64 r_low = FMA_f64(steps, -LN_2_LOW_f64, lost);
    f64 whole = r + r_low;
    f64 one_more = 1.0 + r;
    f64 one_lost = fast_sum_lost_f64(1.0, r, one_more);
    *tail = one_lost + FMA_f64(whole * whole, expm1_curve_f64(whole), r_low);
    return one_more;
}

// larger + ln(1 + power + power_low), for a power of at most 1.
INLINE f64 plus_log1p_f64(f64 larger, f64 power, f64 power_low) {
    f64 one_and_power = 1.0 + power;
    f64 power_lost = fast_sum_lost_f64(1.0, power, one_and_power);
    f64 lows = power_lost + power_low;
    f64 residue = fast_sum_lost_f64(power_lost, power_low, lows);
    f64 sum = one_and_power + lows;
    f64 lost = fast_sum_lost_f64(one_and_power, lows, sum);
    // The sum is between 1 and 2, so k is 0 or 1.
    f64 k;
    f64 f = split_normal_f64(sum, &k) - 1.0;
    f64 f_low = lost * FMA_f64(k, -0.5, 1.0);
    // What is lost comes last: beside a larger of 0 and an exponential below the ulp of 1 it is the result.
    f64 log_low;
    f64 log = combine_f64(k, f, f + f_low, FMA_f64(k, LN_2_REST_f64, residue), &log_low);
    f64 total = larger + log;
    return total + (sum_lost_f64(larger, log, total) + (f_low + log_low));
}

// 2^k (one_more + tail) is e^(distance + lost), where rounded is k + SCALE_ROUNDER_f32.
INLINE f32 one_more_f32(f32 distance, f32 lost, f32 rounded, f32 *tail) {
    f32 steps = rounded - SCALE_ROUNDER_f32;
    f32 r = FMA_f32(steps, -LN_2_f32, distance) + FMA_f32(steps, -LN_2_LOW_f32, lost);
    f32 one_more = 1.0f + r;
    *tail = FMA_f32(r * r, expm1_curve_f32(r), fast_sum_lost_f32(1.0f, r, one_more));
    return one_more;
}

// larger + ln(1 + power + power_low), for a power of at most 1.
INLINE f32 plus_log1p_f32(f32 larger, f32 power, f32 power_low) {
    f32 one_and_power = 1.0f + power;
    f32 lows = fast_sum_lost_f32(1.0f, power, one_and_power) + power_low;
    f32 sum = one_and_power + lows;
    f32 lost = fast_sum_lost_f32(one_and_power, lows, sum);
    f32 k;
    f32 f = split_normal_f32(sum, &k) - 1.0f;
    f32 f_low = lost * FMA_f32(k, -0.5f, 1.0f);
    f32 curve = curve_f32(f + f_low, FMA_f32(k, LN_2_REST_f32, f_low));
    f32 log = FMA_f32(k, LN_2_SHORT_f32, f);
    f32 log_lost = f - FMA_f32(k, -LN_2_SHORT_f32, log);
    f32 total = larger + log;
    return total + (sum_lost_f32(larger, log, total) + (log_lost + curve));
}

// Beyond the first distance the exponential is 0. Up to the second it is normal.
#define DISTANCE_MOST_f64 746.0
#define DISTANCE_USUAL_f64 700.0

// The same in single precision.
#define DISTANCE_MOST_f32 104.5f
#define DISTANCE_USUAL_f32 80.0f

// for f32 f64
// ln(e^a + e^b) of any numbers.
OUTLINE T logaddexp_rare_T(T a, T b) {
    T larger = a > b ? a : b;
    T smaller = a > b ? b : a;
    // The difference of infinities is no number, nor is what a difference to infinity loses.
    T difference = smaller + -larger;
    T difference_lost = sum_lost_T(smaller, -larger, difference);
    T reach = a == b ? (T)0 : difference;
    T lost = reach > -DISTANCE_MOST_T ? difference_lost : (T)0;
    T distance = reach < -DISTANCE_MOST_T ? -DISTANCE_MOST_T : reach;
    T rounded = FMA_T(distance, LOG2_E_T, SCALE_ROUNDER_T);
    T tail;
    T one_more = one_more_T(distance, lost, rounded, &tail);
    T result = plus_log1p_T(larger, scale_T(one_more, rounded), scale_T(tail, rounded));
    T bounded = ABS_T(larger) < INF_T ? result : larger;
    return ((a != a) | (b != b)) ? NAN_T : bounded;
}

// ln(e^a + e^b) of finite numbers not too far apart; of others it says so.
INLINE T logaddexp_usual_T(T a, T b, u32 *rare) {
    T larger = a > b ? a : b;
    T smaller = a > b ? b : a;
    T distance = smaller + -larger;
    *rare |= is_beyond_T(distance, DISTANCE_USUAL_T);
    T rounded = FMA_T(distance, LOG2_E_T, SCALE_ROUNDER_T);
    T tail;
    T one_more = one_more_T(distance, sum_lost_T(smaller, -larger, distance), rounded, &tail);
    return plus_log1p_T(larger, shift_T(one_more, rounded), tail * shift_T((T)1, rounded));
}

// ln(e^a + e^b), without overflow.
INLINE T logaddexp_T(T a, T b) {
    u32 rare = 0u;
    T value = logaddexp_usual_T(a, b, &rare);
    return rare ? logaddexp_rare_T(a, b) : value;
}
