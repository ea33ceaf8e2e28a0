// CUDA C's names for what the library is written in.
#define INLINE static __device__ __forceinline__

#define KERNEL extern "C" __global__ void

// No block has more threads than this.
#define BOUNDED(threads) __launch_bounds__(threads)

#define GLOBAL
#define SHARED __shared__
#define LOCAL

// The only way to what an address leads to.
#define RESTRICT __restrict__

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BARRIER() __syncthreads()
#define BLOCK_X blockIdx.x
#define THREAD_X threadIdx.x
typedef int i32;
typedef long long i64;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef double f64;
INLINE u64 bits_f64(f64 a) { return (u64)__double_as_longlong(a); }
INLINE f64 from_bits_f64(u64 bits) { return __longlong_as_double((i64)bits); }
INLINE f64 FMA_f64(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }
INLINE f64 SQRT_f64(f64 a) { return __dsqrt_rn(a); }
INLINE f64 ABS_f64(f64 a) { return fabs(a); }
INLINE f64 COPYSIGN_f64(f64 a, f64 sign) { return copysign(a, sign); }

// Sets bits of a number in the block's own memory.
INLINE void LOCAL_OR_u32(LOCAL u32 *at, u32 bits) { atomicOr(at, bits); }

INLINE f64 neg_f64(f64 a) { return -a; }
INLINE f64 conj_f64(f64 a) { return a; }
INLINE f64 re_f64(f64 a) { return a; }
INLINE f64 from_real_f64(f64 a) { return a; }
INLINE f64 minus_product_f64(f64 sum, f64 a, f64 b) { return FMA_f64(-a, b, sum); }
INLINE f64 times_real_f64(f64 a, f64 by) { return a * by; }
INLINE f64 over_real_f64(f64 a, f64 by) { return a / by; }

// The magnitude, or that of the larger part.
INLINE f64 extent_f64(f64 a) { return ABS_f64(a); }

INLINE f64 magnitude_f64(f64 a) { return ABS_f64(a); }
#define FRACTION_DIGITS_f64 (sizeof(f64) == 4 ? 23 : 52)

// The exponent of the power of two that a number is near, such that its inverse is a number, too.
INLINE u64 exponent_of_extent_f64(f64 a) {
    const u64 exponent = bits_f64(ABS_f64(a)) >> FRACTION_DIGITS_f64, most = sizeof(f64) == 4 ? 253 : 2045;
    return exponent < 1 ? 1 : exponent > most ? most : exponent;
}

INLINE f64 power_at_f64(u64 exponent) { return from_bits_f64(exponent << FRACTION_DIGITS_f64); }
INLINE f64 inverse_power_at_f64(u64 exponent) { return power_at_f64((sizeof(f64) == 4 ? 254u : 2046u) - exponent); }

// What turns two columns by an angle: its sine, and the tangent of half of it, both with the phase of the columns' product, and what
// goes from the square of the first column's length to that of the second. Multiplied by cosines, columns would change their
// lengths by a rounding of that one number each time; so what is added to each of them is what is computed.
typedef struct { f64 sine; f64 half_tangent; f64 moved; } rotation_f64;

INLINE rotation_f64 no_rotation_f64(void) {
    rotation_f64 none;
    none.sine = from_real_f64(0);
    none.half_tangent = from_real_f64(0);
    none.moved = 0;
    return none;
}

// The rotation by the lesser angle that makes two columns orthogonal, by the squares of their lengths and their product, which
// is not 0.
INLINE rotation_f64 rotation_between_f64(f64 first, f64 second, f64 product) {
    rotation_f64 found;
    const f64 size = magnitude_f64(product), cotangent = (second - first) / (2 * size), wide = ABS_f64(cotangent);
    // The square of a larger one may be too large, and one added to it is nothing.
    const f64 least = wide > (f64)1e9 ? (f64)0.5 / wide : 1 / (wide + SQRT_f64(FMA_f64(wide, wide, 1)));
    const f64 tangent = COPYSIGN_f64(least, cotangent), secant = SQRT_f64(FMA_f64(tangent, tangent, 1));
    const f64 phase = over_real_f64(product, size);
    found.sine = times_real_f64(phase, tangent / secant);
    found.half_tangent = times_real_f64(phase, tangent / (1 + secant));
    found.moved = tangent * size;
    return found;
}

// The columns' elements, turned.
INLINE f64 rotated_first_f64(rotation_f64 by, f64 first, f64 second) {
    return minus_product_f64(first, conj_f64(by.sine), minus_product_f64(second, neg_f64(by.half_tangent), first));
}

INLINE f64 rotated_second_f64(rotation_f64 by, f64 first, f64 second) {
    return minus_product_f64(second, neg_f64(by.sine), minus_product_f64(first, conj_f64(by.half_tangent), second));
}

INLINE rotation_f64 conjugate_rotation_f64(rotation_f64 by) {
    by.sine = conj_f64(by.sine);
    by.half_tangent = conj_f64(by.half_tangent);
    return by;
}

// The two of so many contestants, an odd number and one more, that meet at a place in a round of a round-robin tournament. In as many rounds as
// that number everybody meets everybody else, and in each round everybody meets somebody.
INLINE u32 lesser_of_pair(u32 place, u32 round, u32 odd) {
    const u32 a = place == 0 ? odd : (round + place) % odd, b = (round + odd - place) % odd;
    return a < b ? a : b;
}

INLINE u32 greater_of_pair(u32 place, u32 round, u32 odd) {
    const u32 a = place == 0 ? odd : (round + place) % odd, b = (round + odd - place) % odd;
    return a < b ? b : a;
}

typedef f64 number;

typedef f64 real;

INLINE f64 larger_f64(f64 a, f64 b) { return a < b ? b : a; }

// Combines the values of 128 threads into the first of them.
INLINE void fold_larger_f64(LOCAL f64 *values) {
    for (u32 left = 64u; left > 0u; left /= 2u) {
        EACH_THREAD {
            if (THREAD_X < left) values[THREAD_X] = larger_f64(values[THREAD_X], values[THREAD_X + left]);
        }
        BARRIER();
    }
}

// Eigenvalues of Hermitian matrices of up to 16 rows, a block for each.
KERNEL BOUNDED(128) situ_eigh_f64(GLOBAL f64 *RESTRICT matrix, GLOBAL f64 *RESTRICT values,
    GLOBAL i32 *RESTRICT status, const i64 length_0) {
    const u32 order = (u32)length_0, pair_count = (order + 1u) / 2u, odd = 2u * pair_count - 1u;
    GLOBAL number *own = matrix + (u64)BLOCK_X * order * order;
    GLOBAL real *own_values = values + (u64)BLOCK_X * order;
    // A row and a column more than there may be, which stay zero, and one more between neighbours in a bank.
    SHARED number a[16][17];
    SHARED number v[16][17];
    SHARED rotation_f64 rotations[8];
    SHARED real extents[128];
    SHARED u32 ranks[16];
    SHARED u32 is_open;
    EACH_THREAD {
        real extent = 0;
        for (u32 n = THREAD_X; n < 16u * 16u; n += 128u) {
            const u32 j = n / 16u, i = n % 16u;
            number element = from_real_f64(0);
            if (i < order && j <= i) element = own[j * order + i];
            if (i == j) element = from_real_f64(re_f64(element));
            if (j <= i) a[i][j] = element;
            if (j < i) a[j][i] = conj_f64(element);
            const real own_extent = extent_f64(element);
            extent = extent < own_extent ? own_extent : extent;
        }
        extents[THREAD_X] = extent;
        for (u32 n = THREAD_X; n < 16u * 16u; n += 128u) {
            const u32 i = n % 16u, j = n / 16u;
            v[i][j] = from_real_f64(i == j && i < order ? 1 : 0);
        }
    }
    BARRIER();
    fold_larger_f64(extents);
    const u64 exponent = exponent_of_extent_f64(extents[0]);
    const real scale = inverse_power_at_f64(exponent), negligible = extents[0] * scale * (real)0x1p-53;
    BARRIER();
    EACH_THREAD {
        for (u32 n = THREAD_X; n < 16u * 16u; n += 128u) {
            a[n / 16u][n % 16u] = times_real_f64(a[n / 16u][n % 16u], scale);
        }
    }
    u32 goes_on = 1;
    for (u32 sweep = 0; sweep < 40u && goes_on; sweep++) {
        EACH_THREAD {
            if (THREAD_X == 0u) is_open = 0;
        }
        BARRIER();
        for (u32 round = 0; round < odd; round++) {
            EACH_THREAD {
                if (THREAD_X < pair_count) {
                    const u32 p = lesser_of_pair(THREAD_X, round, odd), q = greater_of_pair(THREAD_X, round, odd);
                    const number product = a[p][q];
                    rotation_f64 by = no_rotation_f64();
                    if (extent_f64(product) > negligible) {
                        by = rotation_between_f64(re_f64(a[p][p]), re_f64(a[q][q]), product);
                        LOCAL_OR_u32(&is_open, 1u);
                    }
                    rotations[THREAD_X] = by;
                }
            }
            BARRIER();
            EACH_THREAD {
                for (u32 n = THREAD_X; n < pair_count * pair_count; n += 128u) {
                    const u32 i = n / pair_count, j = n % pair_count;
                    const u32 p = lesser_of_pair(i, round, odd), q = greater_of_pair(i, round, odd);
                    const rotation_f64 by = rotations[i], other = rotations[j];
                    if (i == j && by.moved != 0) {
                        a[p][p] = from_real_f64(re_f64(a[p][p]) - by.moved);
                        a[q][q] = from_real_f64(re_f64(a[q][q]) + by.moved);
                        a[p][q] = from_real_f64(0);
                        a[q][p] = from_real_f64(0);
                    }
                    if (i < j) {
                        const u32 s = lesser_of_pair(j, round, odd), t = greater_of_pair(j, round, odd);
                        const rotation_f64 across = conjugate_rotation_f64(by);
                        const number ps = rotated_first_f64(other, a[p][s], a[p][t]);
                        const number pt = rotated_second_f64(other, a[p][s], a[p][t]);
                        const number qs = rotated_first_f64(other, a[q][s], a[q][t]);
                        const number qt = rotated_second_f64(other, a[q][s], a[q][t]);
                        const number whole_ps = rotated_first_f64(across, ps, qs);
                        const number whole_qs = rotated_second_f64(across, ps, qs);
                        const number whole_pt = rotated_first_f64(across, pt, qt);
                        const number whole_qt = rotated_second_f64(across, pt, qt);
                        a[p][s] = whole_ps;
                        a[q][s] = whole_qs;
                        a[p][t] = whole_pt;
                        a[q][t] = whole_qt;
                        a[s][p] = conj_f64(whole_ps);
                        a[s][q] = conj_f64(whole_qs);
                        a[t][p] = conj_f64(whole_pt);
                        a[t][q] = conj_f64(whole_qt);
                    }
                }
                for (u32 n = THREAD_X; n < pair_count * order; n += 128u) {
                    const u32 at = n % pair_count, i = n / pair_count;
                    const u32 p = lesser_of_pair(at, round, odd), q = greater_of_pair(at, round, odd);
                    const rotation_f64 by = rotations[at];
                    const number first = v[i][p], second = v[i][q];
                    v[i][p] = rotated_first_f64(by, first, second);
                    v[i][q] = rotated_second_f64(by, first, second);
                }
            }
            BARRIER();
        }
        goes_on = is_open;
        BARRIER();
    }
    EACH_THREAD {
        if (THREAD_X == 0u) status[BLOCK_X] = (i32)goes_on;
        if (THREAD_X < order) {
            const real value = re_f64(a[THREAD_X][THREAD_X]);
            u32 rank = 0;
            for (u32 j = 0; j < order; j++) {
                const real other = re_f64(a[j][j]);
                if (other < value || (!(value < other) && j < THREAD_X)) rank++;
            }
            ranks[THREAD_X] = rank;
            own_values[rank] = value * power_at_f64(exponent);
        }
    }
    BARRIER();
    EACH_THREAD {
        for (u32 n = THREAD_X; n < order * order; n += 128u) {
            const u32 i = n % order, j = n / order;
            own[(u64)ranks[j] * order + i] = v[i][j];
        }
    }
}
