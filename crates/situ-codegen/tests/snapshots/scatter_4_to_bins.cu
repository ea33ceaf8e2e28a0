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

// What a thread keeps from one phase of a kernel to the next.
#define PRIVATE(type, name) type name

#define MINE(name) name

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BARRIER() __syncthreads()
#define BLOCK_X blockIdx.x
#define THREAD_X threadIdx.x
#define UNROLL _Pragma("unroll")
typedef int i32;
typedef long long i64;
typedef unsigned int u32;
typedef unsigned long long u64;

// Adds to a number; what it was before.
INLINE u32 ATOMIC_ADD_u32(GLOBAL u32 *at, u32 value) { return atomicAdd(at, value); }

// The same in the block's own memory.
INLINE u32 LOCAL_ADD_u32(LOCAL u32 *at, u32 value) { return atomicAdd(at, value); }

typedef u32 w4;

// An index as a position along its axis: counted from the end if negative, and the nearest end if beyond that.
INLINE i64 checked_index_i64(i64 index, i64 length) {
    const i64 counted = index < 0 ? index + length : index;
    return counted < 0 ? 0 : counted < length ? counted : length - 1;
}

// What a thread has of a tile.
typedef struct { i32 place[8]; u32 rank[8]; w4 moved[8]; } share;

INLINE u32 sum_u32(u32 a, u32 b) { return a + b; }

// Combines each value of 256 threads with all before it. There is room for twice as many.
INLINE void scan_sum_u32(LOCAL u32 *values) {
    LOCAL u32 *from = values;
    LOCAL u32 *to = values + 256;
    for (u32 step = 1u; step < 256u; step *= 2u) {
        EACH_THREAD {
            const u32 own = from[THREAD_X];
            to[THREAD_X] = THREAD_X < step ? own : sum_u32(from[THREAD_X - step], own);
        }
        BARRIER();
        LOCAL u32 *next = from;
        from = to;
        to = next;
    }
}

// Sorted into bins: Elements of 4 bytes by index; 1 axis, 32-bit positions; indices: int64 checked before.
KERNEL BOUNDED(256) scatter_4_to_bins(GLOBAL w4 *RESTRICT array, GLOBAL const w4 *RESTRICT elements, const u32 size,
    const i32 array_step_0, const i32 elements_step_0, GLOBAL const i64 *RESTRICT indices_0, const i64 length_0,
    const i32 along_0, const i32 indices_0_step_0, GLOBAL const u32 *RESTRICT votes, GLOBAL u32 *RESTRICT fills,
    GLOBAL u32 *RESTRICT places, GLOBAL w4 *RESTRICT binned, const u32 first_tile, const i32 origin,
    const u32 bin_digits, const u64 capacity) {
    SHARED u32 counts[512], starts[256], bases[256], listed[2048];
    SHARED w4 kept[2048];
    PRIVATE(share, own);
    EACH_THREAD {
        const u32 first = (u32)(BLOCK_X + first_tile) * 2048u + THREAD_X;
        i32 place[8], element[8];
        i64 index_0[8];
        UNROLL for (u32 j = 0; j < 8u; j++) {
            const u32 position = first + j * 256u < size ? first + j * 256u : size - 1u;
            const i32 c0 = (i32)position;
            place[j] = c0 * array_step_0;
            element[j] = c0 * elements_step_0;
            index_0[j] = indices_0[c0 * indices_0_step_0];
        }
        UNROLL for (u32 j = 0; j < 8u; j++) place[j] += (i32)checked_index_i64(index_0[j], length_0) * along_0;
        UNROLL for (u32 j = 0; j < 8u; j++) MINE(own).place[j] = place[j] + origin;
        UNROLL for (u32 j = 0; j < 8u; j++) MINE(own).moved[j] = elements[element[j]];
        counts[THREAD_X] = 0;
    }
    if (votes[0] > 32u) {
        EACH_THREAD {
            UNROLL for (u32 j = 0; j < 8u; j++) array[MINE(own).place[j]] = MINE(own).moved[j];
        }
        return;
    }
    BARRIER();
    EACH_THREAD {
        UNROLL for (u32 j = 0; j < 8u; j++) MINE(own).rank[j] = LOCAL_ADD_u32(&counts[MINE(own).place[j] >> bin_digits], 1u);
    }
    BARRIER();
    scan_sum_u32(counts);
    EACH_THREAD {
        const u32 start = THREAD_X == 0 ? 0u : counts[THREAD_X - 1u];
        const u32 count = counts[THREAD_X] - start;
        starts[THREAD_X] = start;
        // Where in the bin the first in the list would go, were it in this bin.
        bases[THREAD_X] = (count == 0 ? 0u : ATOMIC_ADD_u32(fills + THREAD_X, count)) - start;
    }
    BARRIER();
    EACH_THREAD {
        UNROLL for (u32 j = 0; j < 8u; j++) {
            const u32 bin = (u32)(MINE(own).place[j] >> bin_digits);
            const u32 n = starts[bin] + MINE(own).rank[j];
            listed[n] = bin << 24 | ((u32)MINE(own).place[j] & ((1u << bin_digits) - 1u));
            kept[n] = MINE(own).moved[j];
        }
    }
    BARRIER();
    EACH_THREAD {
        UNROLL for (u32 j = 0; j < 8u; j++) {
            const u32 n = j * 256u + THREAD_X;
            const u32 bin = listed[n] >> 24, place = listed[n] & 0xffffffu;
            const u32 slot = bases[bin] + n;
            if (slot < capacity) {
                places[bin * capacity + slot] = place;
                binned[bin * capacity + slot] = kept[n];
            } else {
                array[((u64)bin << bin_digits) + place] = kept[n];
            }
        }
    }
}
