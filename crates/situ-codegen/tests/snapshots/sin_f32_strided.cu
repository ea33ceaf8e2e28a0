// CUDA C's names for what the library is written in.
#define INLINE static __device__ __forceinline__

#define OUTLINE static __device__ __noinline__
#define CONSTANT static __constant__ const
#define KERNEL extern "C" __global__ void

// No block has more threads than this.
#define BOUNDED(threads) __launch_bounds__(threads)

#define GLOBAL

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BLOCK_X blockIdx.x
#define THREAD_X threadIdx.x
#define UNROLL _Pragma("unroll")
typedef int i32;
typedef long long i64;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
#define INF_f32 __int_as_float(0x7f800000)
#define NAN_f32 __int_as_float(0x7fc00000)
INLINE u32 bits_f32(f32 a) { return __float_as_uint(a); }
INLINE f32 from_bits_f32(u32 bits) { return __uint_as_float(bits); }
INLINE f32 FMA_f32(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }
INLINE f32 ABS_f32(f32 a) { return fabsf(a); }
INLINE u32 CLZ_u64(u64 a) { return (u32)__clzll((i64)a); }

// The bit of the sign.
#define SIGN_f32 0x80000000u

// The same for floats below 2^22.
#define ROUNDER_f32 12582912.0f
#define SCALE_ROUNDER_f32 12583166.0f

// What rounding took from sum = a + b, for |a| >= |b| or a zero.
INLINE f32 fast_sum_lost_f32(f32 a, f32 b, f32 sum) {
    return b - (sum - a);
}

// What rounding took from product = a * b.
INLINE f32 product_lost_f32(f32 a, f32 b, f32 product) {
    return FMA_f32(a, b, -product);
}

// Whether |x| is larger than the limit, or not a number. By its bits, because the floating-point unit is busy.
INLINE u32 is_beyond_f32(f32 x, f32 limit) {
    return (bits_f32(x) & ~SIGN_f32) > bits_f32(limit);
}

// The largest angles that are reduced by products with a few parts of pi.
#define NEAR_f64 16777216.0
#define NEAR_f32 131072.0f

// Past its first two terms, (sin r - r) / r^3 in r^2, for |r| up to a hair past pi/2.
INLINE f32 sine_curve_f32(f32 x) {
    f32 sum = -2.5977215e-08f;
    sum = FMA_f32(sum, x, 2.7651113e-06f);
    sum = FMA_f32(sum, x, -0.00019843476f);
    return FMA_f32(sum, x, 0.008333352f);
}

// Sine of a number up to pi/2, given in two parts.
INLINE f32 sine_f32(f32 high, f32 low) {
    f32 square = high * high;
    // The slope of the sine as a parabola through its zero at pi/2 is enough for the low part.
    f32 slope = FMA_f32(square, -0.405f, 1.0f);
    f32 cube = square * high;
    f32 past_first = FMA_f32(cube, square * sine_curve_f32(square), low * slope);
    return high + FMA_f32(cube, -0.16666667f, past_first);
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

// A positive, finite, far angle in multiples of pi/2, modulo 4: two bits before the point, 62 behind.
INLINE u64 quarters_f32(f32 x) {
    u32 bits = bits_f32(x);
    u64 mantissa = (bits & 0x7fffffu) | 0x800000u;
    u32 start = (bits >> 23) - 120u;
    return mantissa * two_over_pi(start) + ((mantissa * (two_over_pi(start + 64u) >> 32)) >> 32);
}

// An angle given in 2^-64 pi, which is not 0, in two parts.
INLINE f32 angle_f32(i64 fraction, f32 *low) {
    u64 magnitude = fraction < 0 ? 0u - (u64)fraction : (u64)fraction;
    u32 zeros = CLZ_u64(magnitude);
    u64 normal = magnitude << zeros;
    f32 scale = from_bits_f32((103u - zeros) << 23);
    f32 first = (f32)(u32)(normal >> 40) * scale;
    f32 rest = (f32)((u32)(normal >> 16) & 0xffffffu) * scale * 5.9604645e-8f;
    f32 product = first * 3.1415927f;
    f32 lost = product_lost_f32(first, 3.1415927f, product);
    f32 past = FMA_f32(rest, 3.1415927f, FMA_f32(first, -8.742278e-8f, lost));
    f32 angle = product + past;
    f32 angle_low = fast_sum_lost_f32(product, past, angle);
    *low = fraction < 0 ? -angle_low : angle_low;
    return fraction < 0 ? -angle : angle;
}

// Sine of an angle that is not near.
OUTLINE f32 sin_far_f32(f32 x) {
    if (!(ABS_f32(x) < INF_f32)) {
        return NAN_f32;
    }
    u64 quarters = quarters_f32(ABS_f32(x));
    f32 low;
    f32 high = angle_f32((i64)(quarters << 1), &low);
    f32 value = sine_f32(high, low);
    return ((quarters + ((u64)1 << 62)) >> 63 != 0u) != (x < 0.0f) ? -value : value;
}

// The angle less a multiple of pi, which may be half an integer, in two parts.
INLINE f32 remainder_f32(f32 x, f32 multiple, f32 *low) {
    f32 coarse = FMA_f32(-multiple, 3.1415927f, x);
    f32 product = -multiple * -8.742278e-8f;
    f32 lost = product_lost_f32(-multiple, -8.742278e-8f, product);
    f32 high = coarse + product;
    *low = fast_sum_lost_f32(coarse, product, high) + FMA_f32(-multiple, -3.430249e-15f, lost);
    return high;
}

// Sine of a near angle; of others it says so.
INLINE f32 sin_usual_f32(f32 x, u32 *rare) {
    *rare |= is_beyond_f32(x, NEAR_f32);
    f32 rounded = FMA_f32(ABS_f32(x), 0.31830987f, ROUNDER_f32);
    f32 low;
    f32 high = remainder_f32(ABS_f32(x), rounded - ROUNDER_f32, &low);
    u32 sign = ((bits_f32(rounded) << 31) ^ bits_f32(x)) & SIGN_f32;
    return from_bits_f32(bits_f32(sine_f32(high, low)) ^ sign);
}

// Sine.
INLINE f32 sin_f32(f32 x) {
    u32 rare = 0u;
    f32 value = sin_usual_f32(x, &rare);
    return rare ? sin_far_f32(x) : value;
}

INLINE void element(f32 v0, f32 *out0) {
    f32 v1 = sin_f32(v0);
    *out0 = v1;
}

// (%0: float32) {
//   %1 = sin %0: float32
// } -> %1
KERNEL BOUNDED(256) situ_sin_f32_strided(GLOBAL const f32 *in0, GLOBAL f32 *out0, const u32 size, const i32 in0_step_0) {
    EACH_THREAD {
        u32 first = (u32)BLOCK_X * 512u + THREAD_X;
        f32 a0[2];
        UNROLL
        for (u32 k = 0; k < 2; k++) {
            u32 i = first + k * 256u;
            if (i < size) {
                const i32 c0 = (i32)i;
                a0[k] = in0[c0 * in0_step_0];
            }
        }
        UNROLL
        for (u32 k = 0; k < 2; k++) {
            u32 i = first + k * 256u;
            if (i < size) {
                f32 r0;
                element(a0[k], &r0);
                out0[i] = r0;
            }
        }
    }
}
