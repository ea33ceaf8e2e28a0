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
typedef int i32;
typedef long long i64;
typedef unsigned int u32;
typedef unsigned long long u64;

// The upper half of a product.
INLINE u32 MULHI_u32(u32 a, u32 b) { return __umulhi(a, b); }

// n divided by a number of which the magic multiplier and the shift are given, for n below half the range.
INLINE u32 quotient_u32(u32 n, u32 magic, u32 shift) { return MULHI_u32(n + n, magic) >> shift; }

typedef u32 w4;

// Arrays to places of their own, 4 bytes at a time; 2 axes, 32-bit positions.
KERNEL BOUNDED(256) join_4(GLOBAL const i64 *RESTRICT pieces, const u32 pieces_count) {
    EACH_THREAD {
        u32 own = 0u, past = pieces_count;
        while (past - own > 1u) {
            const u32 middle = own + (past - own) / 2u;
            if ((u32)pieces[middle] <= BLOCK_X) own = middle;
            else past = middle;
        }
        GLOBAL const i64 *piece = pieces + pieces_count + (u64)own * 11u;
        const u32 size = (u32)piece[2];
        const u32 extent_1 = (u32)piece[4];
        const u32 multiplier_1 = (u32)piece[5];
        const u32 shift_1 = (u32)piece[6];
        const i32 array_step_0 = (i32)piece[7];
        const i32 array_step_1 = (i32)piece[8];
        const i32 elements_step_0 = (i32)piece[9];
        const i32 elements_step_1 = (i32)piece[10];
        const u32 first = (u32)(BLOCK_X - (u32)pieces[own]) * 1024u + THREAD_X;
        i32 place[4], element[4];
        UNROLL for (u32 j = 0; j < 4u; j++) {
            const u32 position = first + j * 256u < size ? first + j * 256u : size - 1u;
            const u32 q1 = quotient_u32(position, multiplier_1, shift_1);
            const i32 c1 = (i32)(position - q1 * extent_1);
            const i32 c0 = (i32)q1;
            place[j] = c0 * array_step_0 + c1 * array_step_1;
            element[j] = c0 * elements_step_0 + c1 * elements_step_1;
        }
        w4 moved[4];
        UNROLL for (u32 j = 0; j < 4u; j++) moved[j] = ((GLOBAL const w4 *)piece[0])[place[j]];
        UNROLL for (u32 j = 0; j < 4u; j++) *((GLOBAL w4 *)piece[1] + element[j]) = moved[j];
    }
}
