// CUDA C's names for what the library is written in.
#define INLINE static __device__ __forceinline__

#define OUTLINE static __device__ __noinline__
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
#define ALIGNED(bytes) __align__(bytes)

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BARRIER() __syncthreads()
#define THREAD_X threadIdx.x
#define UNROLL _Pragma("unroll")
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
INLINE f32 from_bits_f32(u32 bits) { return __uint_as_float(bits); }

// How many zeros come after the lowest set bit; the width for 0.
INLINE u32 CTZ_u32(u32 a) { return (u32)__clz((i32)__brev(a)); }

// How many bits are set.
INLINE u32 POPCOUNT_u32(u32 a) { return (u32)__popc(a); }

// Adds to a number; what it was before.
INLINE u32 ATOMIC_ADD_u32(GLOBAL u32 *at, u32 value) { return atomicAdd(at, value); }

typedef u32 w4;
typedef struct ALIGNED(16) { u64 low; u64 high; } w16;

// The highest bit of every byte that is not 0.
INLINE u64 true_bytes(u64 word) {
    const u64 low = 0x7f7f7f7f7f7f7f7fu;
    return (((word & low) + low) | word) & ~low;
}

// The highest bits of four bytes side by side: the product moves each to a place of its own.
INLINE u32 gathered_bits(u32 high) {
    return ((high >> 7) * 0x10204080u) >> 28;
}

// One bit for each of sixteen bytes, set if the byte is not 0.
INLINE u32 true_bits(w16 words) {
    const u64 low = true_bytes(words.low), high = true_bytes(words.high);
    return gathered_bits((u32)low) | gathered_bits((u32)(low >> 32)) << 4 | gathered_bits((u32)high) << 8 |
           gathered_bits((u32)(high >> 32)) << 12;
}

#define IS_NAN_BITS_f32(bits) (from_bits_f32(bits) != from_bits_f32(bits))

// Negating turns negative numbers round, and makes one of the two zeros. What is not a number has the last key.
INLINE u32 key_f32(u32 bits) {
    const u32 sign = (u32)((u32)1 << (8 * sizeof(f32) - 1));
    const u32 place = (u32)((bits & sign ? 0u - bits : bits) ^ (~bits & sign));
    return IS_NAN_BITS_f32(bits) ? (u32)~(u32)0 : place;
}

#define DIFFERS_f32(key) ((key) == (u32)~(u32)0)

typedef w4 word;

// The place of an element in the order.
INLINE word place_of(word element) { return key_f32(element); }

INLINE u32 comes_before(word a, word b) { return a < b; }

INLINE u32 is_same(word a, word b) { return a == b; }

INLINE u32 differs(word place) { return DIFFERS_f32(place); }

// Whether two elements are equal. What is not a number is equal to nothing.
INLINE u32 is_equal(word a, word b) {
    const word place = place_of(a);
    return is_same(place, place_of(b)) && !differs(place);
}

// Whether an element is the first of its run.
INLINE u32 is_start(GLOBAL const word *sorted, u64 n) {
    return n == 0 || !is_equal(sorted[n - 1u], sorted[n]);
}

// Where a run ends whose elements up to a place are equal: steps ahead, each twice the last, then halves of it.
OUTLINE u64 run_end(GLOBAL const word *sorted, u64 start, u64 from, u64 size) {
    u64 step = 1;
    while (size - from >= step && is_equal(sorted[start], sorted[from + step - 1u])) {
        from += step;
        step *= 2u;
    }
    u64 left = size - from < step ? size - from : step - 1u;
    while (left > 0) {
        const u64 half_way = left / 2u;
        if (is_equal(sorted[start], sorted[from + half_way])) {
            from += half_way + 1u;
            left -= half_way + 1u;
        } else {
            left = half_way;
        }
    }
    return from;
}

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

// What the tiles before have together, from their words.
INLINE u64 look_back(volatile GLOBAL const u64 *own, u32 tiles) {
    u64 before = 0;
    for (;;) {
        u64 words[4];
        UNROLL for (u32 n = 0; n < 4u; n++) words[n] = n < tiles ? *(own - (n + 1u) * 1u) : 0;
        UNROLL for (u32 n = 0; n < 4u; n++) {
            if (words[n] < 0x4000000000000000u) break;
            before += words[n] & (0x4000000000000000u - 1u);
            if (words[n] >= 0x8000000000000000u) return before;
            own -= 1u;
            tiles -= 1u;
        }
    }
}

// Runs of equal elements, side by side.
KERNEL BOUNDED(256) situ_runs_f32_values_counts(GLOBAL const w4 *RESTRICT sorted, GLOBAL u64 *RESTRICT status,
    GLOBAL u32 *RESTRICT begun, const u64 size, const u64 capacity, GLOBAL w4 *RESTRICT values,
    GLOBAL i64 *RESTRICT run_lengths) {
    SHARED w16 truths[256];
    SHARED u32 counts[512], begun_tile;
    SHARED u64 runs_before;
    SHARED u16 list[4096];
    PRIVATE(u32, bits);
    EACH_THREAD {
        if (THREAD_X == 0) begun_tile = ATOMIC_ADD_u32(begun, 1u);
    }
    BARRIER();
    const u32 tile = begun_tile;
    const u64 begin = (u64)tile * 4096u;
    const u64 end = size - begin < 4096u ? size : begin + 4096u;
    EACH_THREAD {
        UNROLL for (u32 j = 0; j < 16u; j++) {
            const u64 n = begin + j * 256u + THREAD_X;
            ((LOCAL u8 *)truths)[j * 256u + THREAD_X] = n < end ? (u8)is_start(sorted, n) : 0;
        }
    }
    BARRIER();
    EACH_THREAD {
        MINE(bits) = true_bits(truths[THREAD_X]);
        counts[THREAD_X] = POPCOUNT_u32(MINE(bits));
    }
    BARRIER();
    scan_sum_u32(counts);
    const u32 found = counts[255];
    EACH_THREAD {
        if (THREAD_X == 0) {
            volatile GLOBAL u64 *word_at = (volatile GLOBAL u64 *)(status + tile);
            u64 before = 0;
            if (tile != 0) {
                *word_at = found | 0x4000000000000000u;
                before = look_back(word_at, tile);
            }
            *word_at = (before + found) | 0x8000000000000000u;
            runs_before = before;
        }
        u32 left = MINE(bits);
        for (u32 n = counts[THREAD_X] - POPCOUNT_u32(left); left != 0; n++) {
            list[n] = (u16)(THREAD_X * 16u + CTZ_u32(left));
            left &= left - 1u;
        }
    }
    BARRIER();
    const u64 before = runs_before;
    EACH_THREAD {
        for (u32 k = THREAD_X; k < found && before + k < capacity; k += 256u) {
            const u64 run = before + k, start = begin + list[k];
            values[run] = sorted[start];
            const u64 next = k + 1u < found ? begin + list[k + 1u] : run_end(sorted, start, end, size);
            run_lengths[run] = (i64)(next - start);
        }
    }
}
