// OpenCL C's names for what the library is written in. A product and a sum are never fused.
#pragma OPENCL FP_CONTRACT OFF
#define INLINE static inline __attribute__((always_inline))

// No block has more threads than this.
#define BOUNDED(threads)

#define GLOBAL __global
#define SHARED __local
#define LOCAL __local

// The only way to what an address leads to.
#define RESTRICT restrict

#define ALIGNED(bytes) __attribute__((aligned(bytes)))
#define UNROLL _Pragma("unroll")
typedef int i32;
typedef long i64;
typedef uint u32;
typedef ulong u64;
typedef float f32;
typedef struct ALIGNED(8) { f32 re; f32 im; } c64;
INLINE u32 bits_f32(f32 a) { return as_uint(a); }
INLINE f32 from_bits_f32(u32 bits) { return as_float(bits); }

// Where a thread is a work-item, and a block a work-group.
#define KERNEL __kernel void

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)

// The same for memory that all blocks see.
#define GLOBAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#define BLOCK_X ((uint)get_group_id(0))
#define THREAD_X ((uint)get_local_id(0))

// Adds to a number in the block's own memory; what it was before.
INLINE u32 LOCAL_ADD_u32(LOCAL u32 *at, u32 value) { return atomic_add((volatile LOCAL u32 *)at, value); }

// Sets bits of a number in the block's own memory.
INLINE void LOCAL_OR_u32(LOCAL u32 *at, u32 bits) { atomic_or((volatile LOCAL u32 *)at, bits); }

INLINE f32 FMA_f32(f32 a, f32 b, f32 c) { return fma(a, b, c); }
INLINE f32 SQRT_f32(f32 a) { return sqrt(a); }
INLINE f32 ABS_f32(f32 a) { return fabs(a); }
INLINE f32 COPYSIGN_f32(f32 a, f32 sign) { return copysign(a, sign); }

INLINE c64 make_c64(f32 re, f32 im) {
    c64 z;
    z.re = re;
    z.im = im;
    return z;
}

INLINE c64 add_c64(c64 a, c64 b) { return make_c64(a.re + b.re, a.im + b.im); }
INLINE c64 neg_c64(c64 a) { return make_c64(-a.re, -a.im); }
INLINE c64 conj_c64(c64 a) { return make_c64(a.re, -a.im); }
INLINE c64 from_real_c64(f32 a) { return make_c64(a, 0); }
INLINE f32 plus_square_c64(f32 sum, c64 a) { return FMA_f32(a.re, a.re, FMA_f32(a.im, a.im, sum)); }

INLINE c64 plus_inner_c64(c64 sum, c64 a, c64 b) {
    return make_c64(FMA_f32(a.re, b.re, FMA_f32(a.im, b.im, sum.re)), FMA_f32(a.re, b.im, FMA_f32(-a.im, b.re, sum.im)));
}

INLINE c64 minus_product_c64(c64 sum, c64 a, c64 b) {
    return make_c64(FMA_f32(-a.re, b.re, FMA_f32(a.im, b.im, sum.re)), FMA_f32(-a.re, b.im, FMA_f32(-a.im, b.re, sum.im)));
}

INLINE c64 times_real_c64(c64 a, f32 by) { return make_c64(a.re * by, a.im * by); }
INLINE c64 over_real_c64(c64 a, f32 by) { return make_c64(a.re / by, a.im / by); }
INLINE f32 extent_c64(c64 a) { return ABS_f32(a.re) < ABS_f32(a.im) ? ABS_f32(a.im) : ABS_f32(a.re); }

// By way of the larger part, so that no square is too small.
INLINE f32 magnitude_c64(c64 a) {
    const f32 larger = extent_c64(a), smaller = ABS_f32(a.re) < ABS_f32(a.im) ? ABS_f32(a.re) : ABS_f32(a.im);
    if (larger == 0) return 0;
    const f32 quotient = smaller / larger;
    return larger * SQRT_f32(FMA_f32(quotient, quotient, 1));
}

#define FRACTION_DIGITS_f32 (sizeof(f32) == 4 ? 23 : 52)

// The exponent of the power of two that a number is near, such that its inverse is a number, too.
INLINE u32 exponent_of_extent_f32(f32 a) {
    const u32 exponent = bits_f32(ABS_f32(a)) >> FRACTION_DIGITS_f32, most = sizeof(f32) == 4 ? 253 : 2045;
    return exponent < 1 ? 1 : exponent > most ? most : exponent;
}

INLINE f32 power_at_f32(u32 exponent) { return from_bits_f32(exponent << FRACTION_DIGITS_f32); }
INLINE f32 inverse_power_at_f32(u32 exponent) { return power_at_f32((sizeof(f32) == 4 ? 254u : 2046u) - exponent); }

// What turns two columns by an angle: its sine, and the tangent of half of it, both with the phase of the columns' product, and what
// goes from the square of the first column's length to that of the second. Multiplied by cosines, columns would change their
// lengths by a rounding of that one number each time; so what is added to each of them is what is computed.
typedef struct { c64 sine; c64 half_tangent; f32 moved; } rotation_c64;

// The rotation by the lesser angle that makes two columns orthogonal, by the squares of their lengths and their product, which
// is not 0.
INLINE rotation_c64 rotation_between_c64(f32 first, f32 second, c64 product) {
    rotation_c64 found;
    const f32 size = magnitude_c64(product), cotangent = (second - first) / (2 * size), wide = ABS_f32(cotangent);
    // The square of a larger one may be too large, and one added to it is nothing.
    const f32 least = wide > (f32)1e9 ? (f32)0.5 / wide : 1 / (wide + SQRT_f32(FMA_f32(wide, wide, 1)));
    const f32 tangent = COPYSIGN_f32(least, cotangent), secant = SQRT_f32(FMA_f32(tangent, tangent, 1));
    const c64 phase = over_real_c64(product, size);
    found.sine = times_real_c64(phase, tangent / secant);
    found.half_tangent = times_real_c64(phase, tangent / (1 + secant));
    found.moved = tangent * size;
    return found;
}

// The columns' elements, turned.
INLINE c64 rotated_first_c64(rotation_c64 by, c64 first, c64 second) {
    return minus_product_c64(first, conj_c64(by.sine), minus_product_c64(second, neg_c64(by.half_tangent), first));
}

INLINE c64 rotated_second_c64(rotation_c64 by, c64 first, c64 second) {
    return minus_product_c64(second, neg_c64(by.sine), minus_product_c64(first, conj_c64(by.half_tangent), second));
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

typedef c64 number;

typedef f32 real;

INLINE f32 larger_f32(f32 a, f32 b) { return a < b ? b : a; }

// Combines the values of 256 threads into the first of them.
INLINE void fold_larger_f32(LOCAL f32 *values) {
    for (u32 left = 128u; left > 0u; left /= 2u) {
        EACH_THREAD {
            if (THREAD_X < left) values[THREAD_X] = larger_f32(values[THREAD_X], values[THREAD_X + left]);
        }
        BARRIER();
    }
}

// Singular values of matrices of up to 64 columns, a block for each.
KERNEL BOUNDED(256) situ_svd_c64(GLOBAL c64 *RESTRICT matrix, GLOBAL f32 *RESTRICT values, GLOBAL i32 *RESTRICT status,
    const i64 length_0, const i64 length_1, GLOBAL c64 *RESTRICT left, GLOBAL c64 *RESTRICT right, const i64 length_2,
    GLOBAL c64 *RESTRICT turned) {
    const u32 rows = (u32)length_0, columns = (u32)length_1;
    const u32 pair_count = (columns + 1u) / 2u, odd = 2u * pair_count - 1u;
    GLOBAL number *own = matrix + (u64)BLOCK_X * rows * columns;
    GLOBAL real *own_values = values + (u64)BLOCK_X * columns;
    GLOBAL number *own_left = left + (u64)BLOCK_X * rows * (u32)length_2;
    GLOBAL number *own_right = right + (u64)BLOCK_X * columns * columns;
    GLOBAL number *a = own;
    const u32 a_step = rows;
    GLOBAL number *v = turned + (u64)BLOCK_X * columns * columns;
    const u32 v_step = columns;
    SHARED real firsts[256];
    SHARED real seconds[256];
    SHARED number products[256];
    SHARED u32 bests[256];
    SHARED real lengths[256];
    SHARED real singular[64];
    SHARED u32 ranks[64];
    SHARED u32 is_open;
    SHARED u32 counted;
    EACH_THREAD {
        real extent = 0;
        for (u32 n = THREAD_X; n < rows * columns; n += 256u) {
            const real own_extent = extent_c64(own[n]);
            extent = extent < own_extent ? own_extent : extent;
        }
        firsts[THREAD_X] = extent;
        if (THREAD_X == 0u) counted = 0;
    }
    BARRIER();
    fold_larger_f32(firsts);
    const u32 exponent = exponent_of_extent_f32(firsts[0]);
    const real scale = inverse_power_at_f32(exponent), tolerance = (real)0x1p-23 * SQRT_f32((real)rows);
    BARRIER();
    EACH_THREAD {
        for (u32 n = THREAD_X; n < rows * columns; n += 256u) {
            a[n / rows * a_step + n % rows] = times_real_c64(own[n], scale);
        }
        for (u32 n = THREAD_X; n < columns * columns; n += 256u) {
            const u32 i = n % columns, j = n / columns;
            v[j * v_step + i] = from_real_c64(i == j ? 1 : 0);
        }
    }
    GLOBAL_BARRIER();
    u32 goes_on = 1;
    for (u32 sweep = 0; sweep < 40u && goes_on; sweep++) {
        EACH_THREAD {
            if (THREAD_X == 0u) is_open = 0;
        }
        BARRIER();
        for (u32 round = 0; round < odd; round++) {
            EACH_THREAD {
                const u32 pair = THREAD_X / 8u, lane = THREAD_X % 8u;
                if (pair < pair_count) {
                    const u32 p = lesser_of_pair(pair, round, odd), q = greater_of_pair(pair, round, odd);
                    real first_sum = 0, second_sum = 0;
                    number product = from_real_c64(0);
                    if (q < columns) {
                        for (u32 i = lane; i < rows; i += 8u) {
                            const number first = a[p * a_step + i], second = a[q * a_step + i];
                            first_sum = plus_square_c64(first_sum, first);
                            second_sum = plus_square_c64(second_sum, second);
                            product = plus_inner_c64(product, first, second);
                        }
                    }
                    firsts[THREAD_X] = first_sum;
                    seconds[THREAD_X] = second_sum;
                    products[THREAD_X] = product;
                }
            }
            BARRIER();
            EACH_THREAD {
                const u32 pair = THREAD_X / 8u, lane = THREAD_X % 8u;
                if (pair < pair_count) {
                    const u32 p = lesser_of_pair(pair, round, odd), q = greater_of_pair(pair, round, odd);
                    real first_sum = 0, second_sum = 0;
                    number product = from_real_c64(0);
                    UNROLL for (u32 n = pair * 8u; n < (pair + 1u) * 8u; n++) {
                        first_sum += firsts[n];
                        second_sum += seconds[n];
                        product = add_c64(product, products[n]);
                    }
                    const real size = magnitude_c64(product), limit = tolerance * SQRT_f32(first_sum) * SQRT_f32(second_sum);
                    if (size > limit && first_sum > (real)0x1p-90 && second_sum > (real)0x1p-90) {
                        const rotation_c64 by = rotation_between_c64(first_sum, second_sum, product);
                        // What is left over after many sweeps is rounding, if it is not much.
                        if (lane == 0u) LOCAL_OR_u32(&is_open, size > 32 * limit ? 3u : 1u);
                        for (u32 i = lane; i < rows; i += 8u) {
                            const number first = a[p * a_step + i], second = a[q * a_step + i];
                            a[p * a_step + i] = rotated_first_c64(by, first, second);
                            a[q * a_step + i] = rotated_second_c64(by, first, second);
                        }
                        for (u32 i = lane; i < columns; i += 8u) {
                            const number first = v[p * v_step + i], second = v[q * v_step + i];
                            v[p * v_step + i] = rotated_first_c64(by, first, second);
                            v[q * v_step + i] = rotated_second_c64(by, first, second);
                        }
                    }
                }
            }
            GLOBAL_BARRIER();
        }
        goes_on = is_open;
        BARRIER();
    }
    EACH_THREAD {
        if (THREAD_X == 0u) status[BLOCK_X] = goes_on > 1u ? 1 : 0;
        const u32 lane = THREAD_X % 8u;
        for (u32 side = 0; side < 2u; side++) {
            const u32 column = THREAD_X / 8u * 2u + side;
            real sum = 0;
            if (column < columns) {
                for (u32 i = lane; i < rows; i += 8u) sum = plus_square_c64(sum, a[column * a_step + i]);
            }
            if (side == 0u) firsts[THREAD_X] = sum;
            if (side == 1u) seconds[THREAD_X] = sum;
        }
    }
    BARRIER();
    EACH_THREAD {
        for (u32 column = THREAD_X; column < columns; column += 256u) {
            real sum = 0;
            for (u32 n = column / 2u * 8u; n < (column / 2u + 1u) * 8u; n++) {
                sum += column % 2u == 0u ? firsts[n] : seconds[n];
            }
            singular[column] = SQRT_f32(sum);
            if (sum > (real)0x1p-90) LOCAL_ADD_u32(&counted, 1u);
        }
    }
    BARRIER();
    const u32 full = counted;
    EACH_THREAD {
        for (u32 column = THREAD_X; column < columns; column += 256u) {
            const real value = singular[column];
            u32 rank = 0;
            for (u32 j = 0; j < columns; j++) {
                const real other = singular[j];
                if (other > value || (!(value > other) && j < column)) rank++;
            }
            ranks[column] = rank;
            own_values[rank] = value * power_at_f32(exponent);
        }
    }
    BARRIER();
    EACH_THREAD {
        for (u32 n = THREAD_X; n < columns * columns; n += 256u) {
            const u32 i = n % columns, j = n / columns;
            own_right[(u64)i * columns + ranks[j]] = conj_c64(v[j * v_step + i]);
        }
        for (u32 n = THREAD_X; n < rows * columns; n += 256u) {
            const u32 i = n % rows, j = n / rows;
            if (ranks[j] < full) own_left[(u64)ranks[j] * rows + i] = over_real_c64(a[j * a_step + i], singular[j]);
        }
    }
    GLOBAL_BARRIER();
    // Columns without a direction of their own, and those that the matrix does not have.
    const u32 left_columns = (u32)length_2;
    for (u32 made = full; made < left_columns; made++) {
        EACH_THREAD {
            real least = 2;
            u32 best = 0;
            for (u32 i = THREAD_X; i < rows; i += 256u) {
                real square = 0;
                for (u32 j = 0; j < made; j++) square = plus_square_c64(square, own_left[(u64)j * rows + i]);
                if (square < least) {
                    least = square;
                    best = i;
                }
            }
            firsts[THREAD_X] = least;
            bests[THREAD_X] = best;
        }
        GLOBAL_BARRIER();
        EACH_THREAD {
            u32 best = 0;
            for (u32 n = 1; n < 256u; n++) best = firsts[n] < firsts[best] ? n : best;
            for (u32 i = THREAD_X; i < rows; i += 256u) {
                own_left[(u64)made * rows + i] = from_real_c64(i == bests[best] ? 1 : 0);
            }
        }
        GLOBAL_BARRIER();
        // Once more for what rounding leaves the first time.
        for (u32 pass = 0; pass < 2u; pass++) {
            EACH_THREAD {
                for (u32 j = THREAD_X; j < made; j += 256u) {
                    number sum = from_real_c64(0);
                    for (u32 i = 0; i < rows; i++) {
                        sum = plus_inner_c64(sum, own_left[(u64)j * rows + i], own_left[(u64)made * rows + i]);
                    }
                    own[j] = sum;
                }
            }
            GLOBAL_BARRIER();
            EACH_THREAD {
                for (u32 i = THREAD_X; i < rows; i += 256u) {
                    number left = own_left[(u64)made * rows + i];
                    for (u32 j = 0; j < made; j++) left = minus_product_c64(left, own_left[(u64)j * rows + i], own[j]);
                    own_left[(u64)made * rows + i] = left;
                }
            }
            GLOBAL_BARRIER();
        }
        EACH_THREAD {
            real square = 0;
            for (u32 i = 0; i < rows; i++) square = plus_square_c64(square, own_left[(u64)made * rows + i]);
            lengths[THREAD_X] = SQRT_f32(square);
        }
        GLOBAL_BARRIER();
        EACH_THREAD {
            for (u32 i = THREAD_X; i < rows; i += 256u) {
                GLOBAL number *at = own_left + (u64)made * rows + i;
                *at = over_real_c64(*at, lengths[THREAD_X]);
            }
        }
        GLOBAL_BARRIER();
    }
}
