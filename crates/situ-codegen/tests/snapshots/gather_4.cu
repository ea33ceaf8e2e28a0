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
INLINE void ATOMIC_MAX_u64(GLOBAL u64 *at, u64 value) { atomicMax(at, value); }
typedef u32 w4;

// An index as a position along its axis: counted from the end if negative, and the nearest end if beyond that.
INLINE i64 checked_index_i64(i64 index, i64 length) {
    const i64 counted = index < 0 ? index + length : index;
    return counted < 0 ? 0 : counted < length ? counted : length - 1;
}

// Whether an index lies outside its axis, counted from either end.
INLINE u32 is_outside_i64(i64 index, i64 length) {
    return index >= length || index < -length;
}

// Keeps the least of the positions noted, as the largest of their complements. Where many are, most are not the least.
INLINE void note_outside(GLOBAL u64 *mark, u64 position) {
    if (*(volatile GLOBAL u64 *)mark < ~position) ATOMIC_MAX_u64(mark, ~position);
}

// Elements of 4 bytes by index; 1 axis, 32-bit positions; indices: int64 checked here.
KERNEL BOUNDED(256) gather_4(GLOBAL const w4 *RESTRICT array, GLOBAL w4 *RESTRICT elements, const u32 size,
    const i32 array_step_0, const i32 elements_step_0, GLOBAL const i64 *RESTRICT indices_0, const i64 length_0,
    const i32 along_0, const i32 indices_0_step_0, GLOBAL u64 *RESTRICT mark_0, const u64 flat_0) {
    EACH_THREAD {
        const u32 first = (u32)BLOCK_X * 1024u + THREAD_X;
        i32 place[4], element[4];
        i64 index_0[4];
        UNROLL for (u32 j = 0; j < 4u; j++) {
            const u32 position = first + j * 256u < size ? first + j * 256u : size - 1u;
            const i32 c0 = (i32)position;
            place[j] = c0 * array_step_0;
            element[j] = c0 * elements_step_0;
            index_0[j] = indices_0[c0 * indices_0_step_0];
        }
        UNROLL for (u32 j = 0; j < 4u; j++) place[j] += (i32)checked_index_i64(index_0[j], length_0) * along_0;
        w4 moved[4];
        UNROLL for (u32 j = 0; j < 4u; j++) moved[j] = array[place[j]];
        UNROLL for (u32 j = 0; j < 4u; j++) elements[element[j]] = moved[j];
        UNROLL for (u32 j = 0; j < 4u; j++) {
            if (is_outside_i64(index_0[j], length_0)) {
                const u32 position = first + j * 256u < size ? first + j * 256u : size - 1u;
                const i32 c0 = (i32)position;
                note_outside(mark_0, (u64)c0 * flat_0);
            }
        }
    }
}
