// CUDA C's names for what the library is written in.
#define INLINE static __device__ __forceinline__

#define KERNEL extern "C" __global__ void

// No block has more threads than this.
#define BOUNDED(threads) __launch_bounds__(threads)

#define GLOBAL

// The only way to what an address leads to.
#define RESTRICT __restrict__

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BLOCK_X blockIdx.x
#define THREAD_X threadIdx.x
#define UNROLL _Pragma("unroll")
typedef long long i64;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef double f64;
typedef uint4 bytes16;

INLINE void store_bytes16(GLOBAL void *to, bytes16 a) {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(__cvta_generic_to_global(to)), "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w)
                 : "memory");
}

INLINE u64 bits_f64(f64 a) { return (u64)__double_as_longlong(a); }
INLINE f64 from_bits_f64(u64 bits) { return __longlong_as_double((i64)bits); }
INLINE f64 FMA_f64(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }

// The first guess has its last bit set: from a power of two, the inverse of the number just below another would be rounded
// to the wrong side.
INLINE f64 INVERSE_f64(f64 a) {
    f64 inverse;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(a));
    inverse = from_bits_f64(bits_f64(inverse) | 1u);
    f64 missing = FMA_f64(-a, inverse, 1.0);
    inverse = FMA_f64(inverse, FMA_f64(missing, missing, missing), inverse);
    return FMA_f64(inverse, FMA_f64(-a, inverse, 1.0), inverse);
}

INLINE f64 QUOTIENT_f64(f64 a, f64 b) {
    f64 inverse = INVERSE_f64(b);
    f64 quotient = a * inverse;
    return FMA_f64(inverse, FMA_f64(-b, quotient, a), quotient);
}

INLINE f64 SQRT_f64(f64 a) { return __dsqrt_rn(a); }

// The upper half of a product.
INLINE u32 MULHI_u32(u32 a, u32 b) { return __umulhi(a, b); }

// The bit of the sign.
#define SIGN_f64 ((u64)1 << 63)

// ln 2 as a part with so few bits that its product with any exponent is exact, and the rest.
#define LN_2_SHORT_f64 0.693147180559663
#define LN_2_REST_f64 2.8235290563031577e-13

// The first half of the bits, for tests of the exponent that leave the floating-point unit free.
INLINE u32 upper_f64(f64 x) {
    return (u32)(bits_f64(x) >> 32);
}

// Whether x is positive, normal and finite.
INLINE u32 is_plain_f64(f64 x) {
    return upper_f64(x) - 0x00100000u < 0x7fe00000u;
}

// Writes a positive normal number as m 2^k with least <= m < 2 least. Others give something finite of no meaning.
INLINE f64 split_normal_from_f64(f64 x, f64 least, f64 *k) {
    u64 bits = bits_f64(x) + (((u64)1023 << 52) - bits_f64(least));
    *k = from_bits_f64((bits >> 52) | ((u64)0x433 << 52)) - 4503599627371519.0;
    return from_bits_f64((bits & (((u64)1 << 52) - 1u)) + bits_f64(least));
}

// The same from sqrt(1/2) to sqrt(2), of normal numbers.
INLINE f64 split_normal_f64(f64 x, f64 *k) {
    return split_normal_from_f64(x, 0.7071067811865476, k);
}

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

// k ln 2 + ln(1 + f) + low as an unevaluated sum, where curve_at is f or f plus what it lacks.
INLINE f64 combine_f64(f64 k, f64 f, f64 curve_at, f64 low, f64 *lost) {
    f64 s = QUOTIENT_f64(curve_at, 2.0 + curve_at);
    f64 square = s * s;
    f64 bend = FMA_f64(square, -log_curve_f64(square), curve_at);
    f64 sum = FMA_f64(k, LN_2_SHORT_f64, f);
    *lost = (f - FMA_f64(k, -LN_2_SHORT_f64, sum)) + FMA_f64(s, -bend, low);
    return sum;
}

// The natural logarithm of 2^k m.
INLINE f64 log_of_parts_f64(f64 m, f64 k) {
    f64 f = m - 1.0;
    f64 lost;
    f64 sum = combine_f64(k, f, f, k * LN_2_REST_f64, &lost);
    return sum + lost;
}

// Natural logarithm of a positive, normal, finite x.
INLINE f64 log_usual_f64(f64 x, u32 *rare) {
    *rare |= !is_plain_f64(x);
    f64 k;
    f64 m = split_normal_f64(x, &k);
    return log_of_parts_f64(m, k);
}

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

// The words of a block with a number of 128 bits.
INLINE void philox(u64 number, u64 upper, u64 key, u32 *words) {
    u32 a = (u32)number, b = (u32)(number >> 32), c = (u32)upper, d = (u32)(upper >> 32);
    u32 first = (u32)key, second = (u32)(key >> 32);
    UNROLL
    for (u32 i = 0; i < 10u; i++) {
        const u32 left = a * 0xd2511f53u, left_upper = MULHI_u32(a, 0xd2511f53u);
        const u32 right = c * 0xcd9e8d57u, right_upper = MULHI_u32(c, 0xcd9e8d57u);
        a = right_upper ^ b ^ first;
        b = right;
        c = left_upper ^ d ^ second;
        d = left;
        first += 0x9e3779b9u;
        second += 0xbb67ae85u;
    }
    words[0] = a;
    words[1] = b;
    words[2] = c;
    words[3] = d;
}

// The first or the second pair of words.
INLINE u64 pair_of(const u32 *words, u32 which) { return (u64)words[2u * which + 1u] << 32 | words[2u * which]; }

// A number in [1, 2) with the upper 52 bits of a word behind the point.
INLINE f64 one_and_f64(u64 word) { return from_bits_f64((u64)0x3ff << 52 | word >> 12); }

// One of 2^52 numbers, evenly spaced in the interval from 0 to 1, without its ends.
INLINE f64 open_f64(u64 word) { return one_and_f64(word) - 0.9999999999999999; }

// The direction is one in the right quarter, or its mirror image in the upper one, turned round or not.
INLINE void draw_normal_f64(const u32 *words, f64 *made) {
    u32 rare = 0u;
    u64 direction = pair_of(words, 1);
    f64 radius = SQRT_f64(-2.0 * log_usual_f64(open_f64(pair_of(words, 0)), &rare));
    f64 angle = (one_and_f64(direction << 2) - 1.5) * 1.5707963267948966;
    f64 sine = sine_or_cosine_f64(0u, angle, 0.0);
    f64 cosine = sine_or_cosine_f64(1u, angle, 0.0);
    u32 is_mirrored = (u32)(direction >> 62) & 1u;
    radius = from_bits_f64(bits_f64(radius) ^ (direction & SIGN_f64));
    made[0] = radius * (is_mirrored ? sine : cosine);
    made[1] = radius * (is_mirrored ? cosine : sine);
}

typedef union { f64 at[2]; bytes16 whole; } elements;

// Random numbers, which depend on a key and on their positions alone.
KERNEL BOUNDED(256) situ_random_normal_f64(GLOBAL f64 *RESTRICT out, const u64 size, const u64 key,
    const u64 first_block, const u64 first_block_upper) {
    EACH_THREAD {
        const u64 block = (u64)BLOCK_X * 256u + THREAD_X;
        const u64 first = block * 2u;
        if (first < size) {
            const u64 number = first_block + block;
            const u64 upper = first_block_upper + (number < block ? 1u : 0u);
            u32 words[4];
            elements made;
            philox(number, upper, key, words);
            draw_normal_f64(words, made.at);
            if (size - first >= 2u) {
                store_bytes16(out + first, made.whole);
            } else {
                UNROLL
                for (u32 k = 0; k < 2u; k++) {
                    if (first + k < size) {
                        out[first + k] = made.at[k];
                    }
                }
            }
        }
    }
}
