// once
// The logarithm of a sum of exponentials: the larger of the two plus ln(1 + e^-d), where d is their distance.

// ln(e^a + e^b), without overflow.
INLINE f64 logaddexp_f64(f64 a, f64 b) {
    f64 larger = a > b ? a : b;
    f64 smaller = a > b ? b : a;
    // The difference of infinities is no number, nor is what a difference to infinity loses.
    f64 difference = smaller + -larger;
    f64 difference_lost = sum_lost_f64(smaller, -larger, difference);
    f64 reach = a == b ? 0.0 : difference;
    f64 distance_lost = reach > -746.0 ? difference_lost : 0.0;
    f64 distance = reach < -746.0 ? -746.0 : reach;
    f64 rounded = FMA_f64(distance, LOG2_E_f64, SCALE_ROUNDER_f64);
    f64 steps = rounded - SCALE_ROUNDER_f64;
    f64 r = FMA_f64(steps, -LN_2_f64, distance);
    f64 r_low = FMA_f64(steps, -LN_2_LOW_f64, distance_lost);
    f64 whole = r + r_low;
    f64 one_more = 1.0 + r;
    f64 one_lost = fast_sum_lost_f64(1.0, r, one_more);
    f64 tail = one_lost + FMA_f64(whole * whole, expm1_curve_f64(whole), r_low);
    f64 power = scale_f64(one_more, rounded);
    f64 power_low = scale_f64(tail, rounded);
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
    f64 result = total + (sum_lost_f64(larger, log, total) + (f_low + log_low));
    f64 bounded = ABS_f64(larger) < INF_f64 ? result : larger;
    return ((a != a) | (b != b)) ? NAN_f64 : bounded;
}

// ln(e^a + e^b), without overflow.
INLINE f32 logaddexp_f32(f32 a, f32 b) {
    f32 larger = a > b ? a : b;
    f32 smaller = a > b ? b : a;
    f32 difference = smaller + -larger;
    f32 difference_lost = sum_lost_f32(smaller, -larger, difference);
    f32 reach = a == b ? 0.0f : difference;
    f32 distance_lost = reach > -104.5f ? difference_lost : 0.0f;
    f32 distance = reach < -104.5f ? -104.5f : reach;
    f32 rounded = FMA_f32(distance, LOG2_E_f32, SCALE_ROUNDER_f32);
    f32 steps = rounded - SCALE_ROUNDER_f32;
    f32 r = FMA_f32(steps, -LN_2_f32, distance) + FMA_f32(steps, -LN_2_LOW_f32, distance_lost);
    f32 one_more = 1.0f + r;
    f32 tail = FMA_f32(r * r, expm1_curve_f32(r), fast_sum_lost_f32(1.0f, r, one_more));
    f32 power = scale_f32(one_more, rounded);
    f32 one_and_power = 1.0f + power;
    f32 lows = fast_sum_lost_f32(1.0f, power, one_and_power) + scale_f32(tail, rounded);
    f32 sum = one_and_power + lows;
    f32 lost = fast_sum_lost_f32(one_and_power, lows, sum);
    f32 k;
    f32 f = split_normal_f32(sum, &k) - 1.0f;
    f32 f_low = lost * FMA_f32(k, -0.5f, 1.0f);
    f32 curve = curve_f32(f + f_low, FMA_f32(k, LN_2_REST_f32, f_low));
    f32 log = FMA_f32(k, LN_2_SHORT_f32, f);
    f32 log_lost = f - FMA_f32(k, -LN_2_SHORT_f32, log);
    f32 total = larger + log;
    f32 result = total + (sum_lost_f32(larger, log, total) + (log_lost + curve));
    f32 bounded = ABS_f32(larger) < INF_f32 ? result : larger;
    return ((a != a) | (b != b)) ? NAN_f32 : bounded;
}
