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
typedef unsigned int u32;
typedef unsigned long long u64;

// Brings the 32 bytes around an address into the cache that all processors share.
INLINE void PREFETCH(const GLOBAL void *at) {
    asm volatile("prefetch.global.L2 [%0];" : : "l"(__cvta_generic_to_global(at)));
}

typedef u32 w4;

// Elements of 4 bytes, bin after bin.
KERNEL BOUNDED(256) scatter_4_bins(GLOBAL w4 *RESTRICT array, GLOBAL const u32 *RESTRICT fills,
    GLOBAL const u32 *RESTRICT places, GLOBAL const w4 *RESTRICT binned, const u32 parts, const u32 bin_digits,
    const u64 capacity, const u64 span) {
    EACH_THREAD {
        const u32 bin = BLOCK_X / parts, part = BLOCK_X % parts;
        const u32 filled = fills[bin] < capacity ? fills[bin] : (u32)capacity;
        if (part * 2048u < filled) {
            const u64 begin = bin * capacity;
            GLOBAL w4 *range = array + ((u64)bin << bin_digits);
            // Each part prefetches a share of the range: a sector that is written in part would be read again.
            const u64 left = span - ((u64)bin << bin_digits);
            const u32 length = left < (1u << bin_digits) ? (u32)left : 1u << bin_digits;
            const u32 share = (length / ((filled + 2047u) / 2048u) / 8u + 1u) * 8u;
            const u32 end = (part + 1u) * share < length ? (part + 1u) * share : length;
            for (u32 at = part * share + THREAD_X * 8u; at < end; at += 2048u) PREFETCH(range + at);
            u32 slot[8], place[8];
            w4 moved[8];
            UNROLL for (u32 j = 0; j < 8u; j++) {
                const u32 n = part * 2048u + j * 256u + THREAD_X;
                slot[j] = n < filled ? n : filled - 1u;
                place[j] = places[begin + slot[j]];
            }
            UNROLL for (u32 j = 0; j < 8u; j++) moved[j] = binned[begin + slot[j]];
            UNROLL for (u32 j = 0; j < 8u; j++) range[place[j]] = moved[j];
        }
    }
}
