// CUDA C's names for what the library is written in.
#define INLINE static __device__ __forceinline__

#define KERNEL extern "C" __global__ void

// No block has more threads than this.
#define BOUNDED(threads) __launch_bounds__(threads)

#define GLOBAL
#define SHARED __shared__

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
typedef float f32;
INLINE f32 FMA_f32(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }
INLINE f32 SQRT_f32(f32 a) { return __fsqrt_rn(a); }
INLINE f32 sub_f32(f32 a, f32 b) { return a - b; }
INLINE f32 re_f32(f32 a) { return a; }
INLINE f32 from_real_f32(f32 a) { return a; }

// The square of a magnitude, added to a sum.
INLINE f32 plus_square_f32(f32 sum, f32 a) { return FMA_f32(a, a, sum); }

// The product of two numbers, the first of them conjugated, added to a sum.
INLINE f32 plus_inner_f32(f32 sum, f32 a, f32 b) { return FMA_f32(a, b, sum); }

INLINE f32 over_real_f32(f32 a, f32 by) { return a / by; }

typedef f32 number;

typedef f32 real;

// Cholesky factors of matrices of up to 32 rows, a block for each.
KERNEL BOUNDED(32) situ_cholesky_f32(GLOBAL f32 *RESTRICT matrix, GLOBAL i32 *RESTRICT status, const i64 length_0) {
    const u32 order = (u32)length_0;
    GLOBAL number *own = matrix + (u64)BLOCK_X * order * order;
    // Rows follow each other in memory, one element too far apart for neighbours to be in the same bank.
    SHARED number rows[32][33];
    SHARED real diagonal[32];
    SHARED i32 failed;
    EACH_THREAD {
        if (THREAD_X == 0u) failed = 0;
        for (u32 n = THREAD_X; n < order * order; n += 32u) rows[n % order][n / order] = own[n];
    }
    BARRIER();
    for (u32 column = 0; column < order; column++) {
        EACH_THREAD {
            const u32 row = THREAD_X;
            if (row >= column && row < order) {
                real square = 0;
                number sum = from_real_f32(0);
                for (u32 k = 0; k < column; k++) {
                    square = plus_square_f32(square, rows[column][k]);
                    sum = plus_inner_f32(sum, rows[column][k], rows[row][k]);
                }
                const real left = re_f32(rows[column][column]) - square;
                const real root = SQRT_f32(left);
                if (row == column) {
                    diagonal[column] = root;
                    if (!(left > 0) && failed == 0) failed = (i32)column + 1;
                } else {
                    rows[row][column] = over_real_f32(sub_f32(rows[row][column], sum), root);
                }
            }
        }
        BARRIER();
    }
    EACH_THREAD {
        if (THREAD_X == 0u) status[BLOCK_X] = failed;
        for (u32 n = THREAD_X; n < order * order; n += 32u) {
            const u32 row = n % order, column = n / order;
            own[n] = row > column ? rows[row][column] : from_real_f32(row == column ? diagonal[row] : 0);
        }
    }
}
