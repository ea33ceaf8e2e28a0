// once
// Exponential functions: x = k ln 2 + r with an integer k and |r| <= ln 2 / 2, and e^x = 2^k e^r.

// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2.
INLINE f64 exp_curve_f64(f64 x) {
    f64 square = x * x;
    f64 upper = 2.5110049895858716e-08;
    f64 lower = 2.763265575933203e-07;
    upper = FMA_f64(upper, square, 2.7557242336680357e-06);
    lower = FMA_f64(lower, square, 2.4801487326012337e-05);
    upper = FMA_f64(upper, square, 0.00019841269886591);
    lower = FMA_f64(lower, square, 0.0013888888947820891);
    upper = FMA_f64(upper, square, 0.008333333333322207);
    lower = FMA_f64(lower, square, 0.04166666666652199);
    upper = FMA_f64(upper, square, 0.16666666666666674);
    lower = FMA_f64(lower, square, 0.500000000000001);
    return FMA_f64(upper, x, lower);
}

// The same for the relative error of e^r - 1.
INLINE f64 expm1_curve_f64(f64 x) {
    f64 square = x * x;
    f64 upper = 2.0924432318089683e-09;
    f64 lower = 2.5109044756723384e-08;
    upper = FMA_f64(upper, square, 2.7557242804194115e-07);
    lower = FMA_f64(lower, square, 2.755724418234809e-06);
    upper = FMA_f64(upper, square, 2.4801587360491277e-05);
    lower = FMA_f64(lower, square, 0.00019841269886158042);
    upper = FMA_f64(upper, square, 0.0013888888888866878);
    lower = FMA_f64(lower, square, 0.008333333333321617);
    upper = FMA_f64(upper, square, 0.0416666666666667);
    lower = FMA_f64(lower, square, 0.16666666666666677);
    return FMA_f64(FMA_f64(upper, x, lower), x, 0.5);
}

// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2.
INLINE f32 expm1_curve_f32(f32 x) {
    f32 square = x * x;
    f32 upper = 0.001394646f;
    f32 lower = 0.008366584f;
    upper = FMA_f32(upper, square, 0.04166628f);
    lower = FMA_f32(lower, square, 0.16666543f);
    return FMA_f32(FMA_f32(upper, x, lower), x, 0.5f);
}

// (2^r - 1) / r for |r| <= 1/2.
INLINE f64 exp2_curve_f64(f64 x) {
    f64 square = x * x;
    f64 upper = 4.4573825088275326e-10;
    f64 lower = 7.073860782766235e-09;
    upper = FMA_f64(upper, square, 1.0178046496788191e-07);
    lower = FMA_f64(lower, square, 1.3215434813740015e-06);
    upper = FMA_f64(upper, square, 1.5252733867444269e-05);
    lower = FMA_f64(lower, square, 0.00015403530458085133);
    upper = FMA_f64(upper, square, 0.0013333558146379151);
    lower = FMA_f64(lower, square, 0.009618129107593328);
    upper = FMA_f64(upper, square, 0.05550410866482174);
    lower = FMA_f64(lower, square, 0.24022650695910133);
    return FMA_f64(FMA_f64(upper, x, lower), x, 0.6931471805599453);
}

// (2^r - 1) / r for |r| <= 1/2.
INLINE f32 exp2_curve_f32(f32 x) {
    f32 square = x * x;
    f32 upper = 0.00015469735f;
    f32 lower = 0.0013410004f;
    upper = FMA_f32(upper, square, 0.009618031f);
    lower = FMA_f32(lower, square, 0.055502973f);
    upper = FMA_f32(upper, square, 0.2402265f);
    lower = FMA_f32(lower, square, 0.69314724f);
    return FMA_f32(upper, x, lower);
}

// e^r, where rounded is k + SCALE_ROUNDER_f64.
INLINE f64 exp_mantissa_f64(f64 x, f64 rounded) {
    f64 k = rounded - SCALE_ROUNDER_f64;
    f64 r = FMA_f64(k, -LN_2_f64, x);
    f64 r_low = k * -LN_2_LOW_f64;
    f64 whole = r + r_low;
    return 1.0 + (r + FMA_f64(whole * whole, exp_curve_f64(whole), r_low));
}

// The same in single precision.
INLINE f32 exp_mantissa_f32(f32 x, f32 rounded) {
    f32 k = rounded - SCALE_ROUNDER_f32;
    f32 r = FMA_f32(k, -LN_2_LOW_f32, FMA_f32(k, -LN_2_f32, x));
    return 1.0f + FMA_f32(r * r, expm1_curve_f32(r), r);
}

// Beyond the first two the result is 0 or infinite, and the split would leave the range of exponents. Up to the last it
// is normal.
#define EXP_LEAST_f64 -746.0
#define EXP_MOST_f64 710.0
#define EXP_USUAL_f64 708.0

// The same in single precision.
#define EXP_LEAST_f32 -104.5f
#define EXP_MOST_f32 89.0f
#define EXP_USUAL_f32 87.0f

// for f32 f64
// e to the power of any x.
OUTLINE T exp_rare_T(T x) {
    T inside = clamp_T(x, EXP_LEAST_T, EXP_MOST_T);
    T rounded = FMA_T(inside, LOG2_E_T, SCALE_ROUNDER_T);
    return scale_T(exp_mantissa_T(inside, rounded), rounded);
}

// e to the power of x where the result is normal, and its exponent a sum of integers; of others it says so.
INLINE T exp_usual_T(T x, u32 *rare) {
    *rare |= is_beyond_T(x, EXP_USUAL_T);
    T rounded = FMA_T(x, LOG2_E_T, SCALE_ROUNDER_T);
    return shift_T(exp_mantissa_T(x, rounded), rounded);
}

// e to the power of x.
INLINE T exp_T(T x) {
    u32 rare = 0u;
    T value = exp_usual_T(x, &rare);
    return rare ? exp_rare_T(x) : value;
}

// once
// 2 to the power of x.
INLINE f64 exp2_f64(f64 x) {
    f64 inside = clamp_f64(x, -1076.0, 1025.0);
    f64 rounded = inside + SCALE_ROUNDER_f64;
    f64 r = inside - (rounded - SCALE_ROUNDER_f64);
    return scale_f64(FMA_f64(r, exp2_curve_f64(r), 1.0), rounded);
}

// 2 to the power of x.
INLINE f32 exp2_f32(f32 x) {
    f32 inside = clamp_f32(x, -151.0f, 129.0f);
    f32 rounded = inside + SCALE_ROUNDER_f32;
    f32 r = inside - (rounded - SCALE_ROUNDER_f32);
    return scale_f32(FMA_f32(r, exp2_curve_f32(r), 1.0f), rounded);
}

// e^x - 1. Half the result first: 2^(k-1) does not overflow where the result does not.
INLINE f64 expm1_f64(f64 x) {
    f64 inside = clamp_f64(x, -40.0, 710.0);
    f64 rounded = FMA_f64(inside, LOG2_E_f64, ROUNDER_f64 - 1.0);
    f64 k = rounded - (ROUNDER_f64 - 1.0);
    f64 r_first = FMA_f64(k, -LN_2_f64, inside);
    f64 r = r_first + k * -LN_2_LOW_f64;
    f64 r_low = fast_sum_lost_f64(r_first, k * -LN_2_LOW_f64, r);
    f64 scale = power_of_two_f64(rounded);
    f64 scale_less = scale + -0.5;
    f64 scale_lost = fast_sum_lost_f64(scale, -0.5, scale_less);
    f64 line = FMA_f64(scale, r, scale_less);
    f64 line_lost = FMA_f64(scale, r, scale_less - line);
    f64 curve = FMA_f64(r * r, expm1_curve_f64(r), FMA_f64(r, r_low, r_low));
    f64 result = line + FMA_f64(scale, curve, line_lost + scale_lost);
    return ABS_f64(x) < 1e-17 ? x : result + result;
}

// e^x - 1.
INLINE f32 expm1_f32(f32 x) {
    f32 inside = clamp_f32(x, -20.0f, 89.0f);
    f32 rounded = FMA_f32(inside, LOG2_E_f32, ROUNDER_f32 - 1.0f);
    f32 k = rounded - (ROUNDER_f32 - 1.0f);
    f32 r = FMA_f32(k, -LN_2_LOW_f32, FMA_f32(k, -LN_2_f32, inside));
    f32 scale = power_of_two_f32(rounded);
    f32 scale_less = scale - 0.5f;
    f32 sum = scale_less + scale * r;
    f32 lost = fast_sum_lost_f32(scale_less, scale * r, sum);
    f32 result = sum + FMA_f32(scale * r, r * expm1_curve_f32(r), lost);
    return ABS_f32(x) < 1e-8f ? x : result + result;
}
