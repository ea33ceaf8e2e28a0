// CUDA C's names for what the library is written in.
#define INLINE static __device__ __forceinline__

#define KERNEL extern "C" __global__ void

// No block has more threads than this.
#define BOUNDED(threads) __launch_bounds__(threads)

#define GLOBAL

// The only way to what an address leads to.
#define RESTRICT __restrict__

#define ALIGNED(bytes) __align__(bytes)

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

typedef struct ALIGNED(16) { u64 low; u64 high; } w16;

// Elements of 16 bytes, each as often as integers say; 2 axes, 32-bit positions.
KERNEL BOUNDED(256) repeat_16(GLOBAL const w16 *RESTRICT array, GLOBAL w16 *RESTRICT elements,
    GLOBAL const i64 *RESTRICT indices_0, const i64 length_0, const i32 along_0, const u32 size, const u32 extent_1,
    const u32 multiplier_1, const u32 shift_1, const i32 array_step_0, const i32 array_step_1,
    const i32 elements_step_0, const i32 elements_step_1, const i32 indices_0_step_0, const i32 indices_0_step_1) {
    EACH_THREAD {
        const u32 first = (u32)BLOCK_X * 1024u + THREAD_X;
        i32 place[4], element[4];
        UNROLL for (u32 j = 0; j < 4u; j++) {
            const u32 position = first + j * 256u < size ? first + j * 256u : size - 1u;
            const u32 q1 = quotient_u32(position, multiplier_1, shift_1);
            const i32 c1 = (i32)(position - q1 * extent_1);
            const i32 c0 = (i32)q1;
            const i64 at = (i64)(c0 * indices_0_step_0 + c1 * indices_0_step_1);
            i64 found = 0, past = length_0 - 1;
            while (found < past) {
                const i64 middle = found + (past - found) / 2;
                if (indices_0[middle] > at) past = middle;
                else found = middle + 1;
            }
            place[j] = c0 * array_step_0 + c1 * array_step_1 + (i32)found * along_0;
            element[j] = c0 * elements_step_0 + c1 * elements_step_1;
        }
        w16 moved[4];
        UNROLL for (u32 j = 0; j < 4u; j++) moved[j] = array[place[j]];
        UNROLL for (u32 j = 0; j < 4u; j++) elements[element[j]] = moved[j];
    }
}
