// OpenCL C's names for what the library is written in. A product and a sum are never fused.
#pragma OPENCL FP_CONTRACT OFF
#define INLINE static inline __attribute__((always_inline))

#define OUTLINE static __attribute__((noinline))
#define CONSTANT __constant const

// No block has more threads than this.
#define BOUNDED(threads)

#define GLOBAL __global
#define UNROLL _Pragma("unroll")
typedef int i32;
typedef uchar u8;
typedef uint u32;
typedef ulong u64;

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double f64;

typedef uint4 bytes16;
#define INF_f64 as_double(0x7ff0000000000000ul)
#define NAN_f64 as_double(0x7ff8000000000000ul)
INLINE bytes16 load_bytes16(const GLOBAL void *from) { return *(const GLOBAL bytes16 *)from; }
INLINE void store_bytes16(GLOBAL void *to, bytes16 a) { *(GLOBAL bytes16 *)to = a; }
INLINE u64 bits_f64(f64 a) { return as_ulong(a); }
INLINE f64 from_bits_f64(u64 bits) { return as_double(bits); }
INLINE u32 CLZ_u64(u64 a) { return (u32)clz(a); }

// Where a thread is a work-item, and a block a work-group.
#define KERNEL __kernel void

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BLOCK_X ((uint)get_group_id(0))
#define THREAD_X ((uint)get_local_id(0))
INLINE f64 FMA_f64(f64 a, f64 b, f64 c) { return fma(a, b, c); }
INLINE f64 ABS_f64(f64 a) { return fabs(a); }

// The upper half of a product.
INLINE u32 MULHI_u32(u32 a, u32 b) { return mul_hi(a, b); }

INLINE u64 MULHI_u64(u64 a, u64 b) { return mul_hi(a, b); }

// n divided by a number of which the magic multiplier and the shift are given, for n below half the range.
INLINE u32 quotient_u32(u32 n, u32 magic, u32 shift) { return MULHI_u32(n + n, magic) >> shift; }

INLINE f64 mul_f64(f64 a, f64 b) { return a * b; }
INLINE f64 neg_f64(f64 a) { return -a; }

// The bit of the sign.
#define SIGN_f64 ((u64)1 << 63)

// Adding and subtracting these rounds to the nearest integer, ties to even. In between, the low bits of the sum are
// that integer in two's complement; of the second also twice the exponent bias more, which is what scaling wants.
#define ROUNDER_f64 6755399441055744.0
#define SCALE_ROUNDER_f64 6755399441057790.0

// ln 2, rounded, and what rounding took.
#define LN_2_f64 0.6931471805599453
#define LN_2_LOW_f64 2.3190468138462996e-17

// The logarithm of e to base 2.
#define LOG2_E_f64 1.4426950408889634
#define LOG2_E_f32 1.442695f

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

// What rounding took from sum = a + b, for |a| >= |b| or a zero.
INLINE f64 fast_sum_lost_f64(f64 a, f64 b, f64 sum) {
    return b - (sum - a);
}

// What rounding took from product = a * b.
INLINE f64 product_lost_f64(f64 a, f64 b, f64 product) {
    return FMA_f64(a, b, -product);
}

// Whether |x| is larger than the limit, or not a number. By its bits, because the floating-point unit is busy.
INLINE u32 is_beyond_f64(f64 x, f64 limit) {
    return (bits_f64(x) & ~SIGN_f64) > bits_f64(limit);
}

// Brings a number into a range; NaN stays NaN.
INLINE f64 clamp_f64(f64 x, f64 low, f64 high) {
    f64 above = x < low ? low : x;
    return above > high ? high : above;
}

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

// e^r, where rounded is k + SCALE_ROUNDER_f64.
INLINE f64 exp_mantissa_f64(f64 x, f64 rounded) {
    f64 k = rounded - SCALE_ROUNDER_f64;
    f64 r = FMA_f64(k, -LN_2_f64, x);
    f64 r_low = k * -LN_2_LOW_f64;
    f64 whole = r + r_low;
    return 1.0 + (r + FMA_f64(whole * whole, exp_curve_f64(whole), r_low));
}

// Beyond the first two the result is 0 or infinite, and the split would leave the range of exponents. Up to the last it
// is normal.
#define EXP_LEAST_f64 -746.0
#define EXP_MOST_f64 710.0
#define EXP_USUAL_f64 708.0

// e to the power of any x.
OUTLINE f64 exp_rare_f64(f64 x) {
    f64 inside = clamp_f64(x, EXP_LEAST_f64, EXP_MOST_f64);
    f64 rounded = FMA_f64(inside, LOG2_E_f64, SCALE_ROUNDER_f64);
    return scale_f64(exp_mantissa_f64(inside, rounded), rounded);
}

// e to the power of x where the result is normal, and its exponent a sum of integers; of others it says so.
INLINE f64 exp_usual_f64(f64 x, u32 *rare) {
    *rare |= is_beyond_f64(x, EXP_USUAL_f64);
    f64 rounded = FMA_f64(x, LOG2_E_f64, SCALE_ROUNDER_f64);
    return shift_f64(exp_mantissa_f64(x, rounded), rounded);
}

// e to the power of x.
INLINE f64 exp_f64(f64 x) {
    u32 rare = 0u;
    f64 value = exp_usual_f64(x, &rare);
    return rare ? exp_rare_f64(x) : value;
}

// The largest angles that are reduced by products with a few parts of pi.
#define NEAR_f64 16777216.0
#define NEAR_f32 131072.0f

// (sin r - r) / r^3 in r^2, for |r| up to a hair past pi/4.
INLINE f64 sine_curve_f64(f64 x) {
    f64 sum = 1.589668371001691e-10;
    sum = FMA_f64(sum, x, -2.5050756739352304e-08);
    sum = FMA_f64(sum, x, 2.755731368768166e-06);
    sum = FMA_f64(sum, x, -0.00019841269829813567);
    sum = FMA_f64(sum, x, 0.008333333333322455);
    return FMA_f64(sum, x, -0.16666666666666632);
}

// (cos r - 1 + r^2/2) / r^4 in r^2, for |r| up to a hair past pi/4.
INLINE f64 cosine_curve_f64(f64 x) {
    f64 sum = -1.135980388368722e-11;
    sum = FMA_f64(sum, x, 2.0875727079120468e-09);
    sum = FMA_f64(sum, x, -2.7557314387563724e-07);
    sum = FMA_f64(sum, x, 2.4801587289636456e-05);
    sum = FMA_f64(sum, x, -0.0013888888888874441);
    return FMA_f64(sum, x, 0.0416666666666666);
}

// Sine of high + low, or its cosine.
INLINE f64 sine_or_cosine_f64(u32 is_cosine, f64 high, f64 low) {
    f64 square = high * high;
    f64 parabola = FMA_f64(square, -0.5, 1.0);
    f64 sine = high + FMA_f64(square * high, sine_curve_f64(square), low * parabola);
    f64 lost = FMA_f64(-high, low, FMA_f64(square, -0.5, 1.0 - parabola));
    f64 cosine = parabola + FMA_f64(square * square, cosine_curve_f64(square), lost);
    return is_cosine ? cosine : sine;
}

// 32 zeros and the bits of 2/pi after the point.
CONSTANT u64 TWO_OVER_PI[19] = {
    0x00000000a2f9836e, 0x4e441529fc2757d1, 0xf534ddc0db629599, 0x3c439041fe5163ab, 0xdebbc561b7246e3a,
    0x424dd2e006492eea, 0x09d1921cfe1deb1c, 0xb129a73ee88235f5, 0x2ebb4484e99c7026, 0xb45f7e413991d639,
    0x835339f49c845f8b, 0xbdf9283b1ff897ff, 0xde05980fef2f118b, 0x5a0a6d1f6d367ecf, 0x27cb09b74f463f66,
    0x9e5fea2d7527bac7, 0xebe5f17b3d0739f7, 0x8a5292ea6bfb5fb1, 0x1f8d5d0856033046,
};

// 64 bits of the table. In two steps, because a shift by 64 is none.
INLINE u64 two_over_pi(u32 start) {
    u32 word = start / 64u;
    u32 shift = start % 64u;
    return (TWO_OVER_PI[word] << shift) | (TWO_OVER_PI[word + 1u] >> 1 >> (63u - shift));
}

// The nearest multiple of pi/2 (its low bits) and what is left of a positive, finite, far angle, in two parts.
INLINE u32 reduce_far_f64(f64 x, f64 *high, f64 *low) {
    u64 bits = bits_f64(x);
    u64 mantissa = (bits & (((u64)1 << 52) - 1u)) | ((u64)1 << 52);
    u32 start = (u32)(bits >> 52) - 1045u;
    u64 second = two_over_pi(start + 64u);
    // In quarters of a turn: two bits before the point, 126 behind.
    u64 middle = mantissa * second;
    u64 lower = middle + MULHI_u64(mantissa, two_over_pi(start + 128u));
    u64 upper = mantissa * two_over_pi(start) + MULHI_u64(mantissa, second) + (lower < middle ? 1u : 0u);
    u32 nearest = (u32)((upper + ((u64)1 << 61)) >> 62);
    // What is left as a fraction and its sign. No double is nearer than 2^-62 to a multiple: the upper half is not 0.
    upper = (upper << 2) | (lower >> 62);
    lower <<= 2;
    u8 negative = (u8)(upper >> 63);
    if (negative) {
        lower = 0u - lower;
        upper = ~upper + (lower == 0u ? 1u : 0u);
    }
    u32 zeros = CLZ_u64(upper);
    u64 normal = (upper << zeros) | (lower >> 1 >> (63u - zeros));
    lower <<= zeros;
    f64 scale = from_bits_f64((u64)(970u - zeros) << 52);
    f64 first = (f64)(normal >> 11) * scale;
    f64 rest = (f64)(((normal << 42) | (lower >> 22)) & (((u64)1 << 53) - 1u)) * scale * 1.1102230246251565e-16;
    f64 product = first * 1.5707963267948966;
    f64 lost = product_lost_f64(first, 1.5707963267948966, product);
    f64 past = FMA_f64(rest, 1.5707963267948966, FMA_f64(first, 6.123233995736766e-17, lost));
    f64 angle = product + past;
    f64 angle_low = fast_sum_lost_f64(product, past, angle);
    *high = negative ? -angle : angle;
    *low = negative ? -angle_low : angle_low;
    return nearest;
}

// Sine of an angle that is not near.
OUTLINE f64 sin_far_f64(f64 x) {
    if (!(ABS_f64(x) < INF_f64)) {
        return NAN_f64;
    }
    f64 high, low;
    u32 quarter = reduce_far_f64(ABS_f64(x), &high, &low);
    f64 value = sine_or_cosine_f64(quarter & 1u, high, low);
    return ((quarter & 2u) != 0u) != (x < 0.0) ? -value : value;
}

// The nearest multiple of pi/2 (its low bits) and what is left of the angle, in two parts. Of pi/2 there are a double,
// the next 29 bits, so that the product with any multiple is exact, and a double more.
INLINE u32 reduce_f64(f64 x, f64 *high, f64 *low) {
    const f64 second = 6.12323399409214e-17;
    f64 rounded = FMA_f64(x, 0.6366197723675814, ROUNDER_f64);
    f64 multiple = rounded - ROUNDER_f64;
    f64 coarse = FMA_f64(-multiple, 1.5707963267948966, x);
    *high = FMA_f64(-multiple, second, coarse);
    *low = FMA_f64(-multiple, 1.6446256936324258e-26, FMA_f64(-multiple, second, coarse - *high));
    return (u32)bits_f64(rounded);
}

// Sine of a near angle; of others it says so.
INLINE f64 sin_usual_f64(f64 x, u32 *rare) {
    *rare |= is_beyond_f64(x, NEAR_f64);
    f64 high, low;
    u32 quarter = reduce_f64(ABS_f64(x), &high, &low);
    f64 value = sine_or_cosine_f64(quarter & 1u, high, low);
    return from_bits_f64(bits_f64(value) ^ ((((u64)quarter << 62) ^ bits_f64(x)) & SIGN_f64));
}

// Sine.
INLINE f64 sin_f64(f64 x) {
    u32 rare = 0u;
    f64 value = sin_usual_f64(x, &rare);
    return rare ? sin_far_f64(x) : value;
}

INLINE void element_usual(f64 v0, f64 *out0, u32 *rare) {
    f64 v1 = sin_usual_f64(v0, rare);
    f64 v2 = mul_f64(v0, v0);
    f64 v3 = neg_f64(v2);
    f64 v4 = exp_usual_f64(v3, rare);
    f64 v5 = mul_f64(v1, v4);
    *out0 = v5;
}

OUTLINE void element(f64 v0, f64 *out0) {
    f64 v1 = sin_f64(v0);
    f64 v2 = mul_f64(v0, v0);
    f64 v3 = neg_f64(v2);
    f64 v4 = exp_f64(v3);
    f64 v5 = mul_f64(v1, v4);
    *out0 = v5;
}

typedef union { f64 at[2]; bytes16 whole; } f64x2;

// (%0: float64) {
//   %1 = sin %0: float64
//   %2 = square %0: float64
//   %3 = negative %2: float64
//   %4 = exp %3: float64
//   %5 = multiply %1 %4: float64
// } -> %5
KERNEL BOUNDED(256) situ_sin_square_negative_exp_multiply_f64_rows(GLOBAL const f64 *in0, GLOBAL f64 *out0,
    const u32 size, const u32 extent_1, const u32 multiplier_1, const u32 shift_1, const i32 in0_step_0,
    const i32 out0_step_0) {
    EACH_THREAD {
        u32 group = (u32)BLOCK_X * 256u + THREAD_X;
        if (group < size) {
            const u32 q1 = quotient_u32(group, multiplier_1, shift_1);
            const i32 c1 = (i32)(group - q1 * extent_1);
            const i32 c0 = (i32)q1;
            f64x2 a0;
            a0.whole = load_bytes16(in0 + (c1 * 2 + c0 * in0_step_0));
            f64x2 r0;
            u32 rare = 0u;
            UNROLL
            for (u32 k = 0; k < 2; k++) {
                element_usual(a0.at[k], &r0.at[k], &rare);
            }
            if (rare) {
                for (u32 k = 0; k < 2; k++) {
                    f64 e0;
                    element(in0[(c1 * 2 + c0 * in0_step_0) + (i32)k], &e0);
                    out0[(c1 * 2 + c0 * out0_step_0) + (i32)k] = e0;
                }
            } else {
                store_bytes16(out0 + (c1 * 2 + c0 * out0_step_0), r0.whole);
            }
        }
    }
}
