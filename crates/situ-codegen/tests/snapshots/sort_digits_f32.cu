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
#define UNROLL _Pragma("unroll")
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
INLINE f32 from_bits_f32(u32 bits) { return __uint_as_float(bits); }

// Adds to a number; what it was before.
INLINE u32 ATOMIC_ADD_u32(GLOBAL u32 *at, u32 value) { return atomicAdd(at, value); }

// The same in the block's own memory.
INLINE u32 LOCAL_ADD_u32(LOCAL u32 *at, u32 value) { return atomicAdd(at, value); }

typedef u32 w4;
#define IS_NAN_BITS_f32(bits) (from_bits_f32(bits) != from_bits_f32(bits))

// Negating turns negative numbers round, and makes one of the two zeros. What is not a number has the last key.
INLINE u32 key_f32(u32 bits) {
    const u32 sign = (u32)((u32)1 << (8 * sizeof(f32) - 1));
    const u32 place = (u32)((bits & sign ? 0u - bits : bits) ^ (~bits & sign));
    return IS_NAN_BITS_f32(bits) ? (u32)~(u32)0 : place;
}

typedef w4 word;

// The place of an element in the order.
INLINE word place_of(word element) { return key_f32(element); }

// The digit of an element's place that begins at a binary one; what is left to 255 of it, if that is to be flipped.
INLINE u32 digit_of(word element, u32 shift, u32 flip) {
    const word place = place_of(element);
    return ((u32)(place >> shift) & 255u) ^ flip;
}

INLINE void count_digits(LOCAL u32 *counts, word element, u32 flip) {
    UNROLL for (u32 d = 0; d < 4u; d++) LOCAL_ADD_u32(counts + d * 256u + digit_of(element, 8u * d, flip), 1u);
}

// How often each digit occurs in rows; rows dense.
KERNEL BOUNDED(512) situ_digits_f32(GLOBAL const w4 *RESTRICT in0, GLOBAL u32 *RESTRICT totals, const u64 length,
    const u32 parts, const u64 segment, const u32 flip) {
    SHARED u32 counts[2048];
    EACH_THREAD {
        for (u32 n = THREAD_X; n < 2048u; n += 512u) counts[n] = 0;
    }
    BARRIER();
    const u64 row = BLOCK_X / parts;
    const u64 begin = (BLOCK_X % parts) * segment;
    const u64 end = length - begin < segment ? length : begin + segment;
    GLOBAL const word *from = in0 + row * length;
    EACH_THREAD {
        LOCAL u32 *copy = counts + THREAD_X / 32u % 2u * 1024u;
        u64 tile = begin + THREAD_X;
        for (; tile + 3584u < end; tile += 4096u) {
            word read[8];
            UNROLL for (u32 j = 0; j < 8u; j++) read[j] = from[tile + j * 512u];
            UNROLL for (u32 j = 0; j < 8u; j++) count_digits(copy, read[j], flip);
        }
        for (; tile < end; tile += 512u) count_digits(copy, from[tile], flip);
    }
    BARRIER();
    EACH_THREAD {
        for (u32 n = THREAD_X; n < 1024u; n += 512u) {
            const u32 count = counts[n] + counts[1024u + n];
            if (count != 0) ATOMIC_ADD_u32(totals + row * 1024u + n, count);
        }
    }
}
