// CUDA C's names for what the library is written in.
#define INLINE static __device__ __forceinline__

#define KERNEL extern "C" __global__ void

// The same, and a processor has room for so many of the blocks at a time.
#define RESIDENT(threads, blocks) __launch_bounds__(threads, blocks)

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

// The same for 32 neighbouring threads, of which all are there.
#define WARP_BARRIER() __syncwarp()

#define THREAD_X threadIdx.x
#define UNROLL _Pragma("unroll")
typedef long long i64;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
INLINE f32 from_bits_f32(u32 bits) { return __uint_as_float(bits); }

// How many bits are set.
INLINE u32 POPCOUNT_u32(u32 a) { return (u32)__popc(a); }

// Adds to a number; what it was before.
INLINE u32 ATOMIC_ADD_u32(GLOBAL u32 *at, u32 value) { return atomicAdd(at, value); }

// The same in the block's own memory.
INLINE u32 LOCAL_ADD_u32(LOCAL u32 *at, u32 value) { return atomicAdd(at, value); }

// Sets bits of a number in the block's own memory.
INLINE void LOCAL_OR_u32(LOCAL u32 *at, u32 bits) { atomicOr(at, bits); }

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

// What a thread has of a tile: elements, of which the first few are there, and their ranks.
typedef struct { word element[20]; u32 digits[5], rank[20], items, total, start, mask; u32 place[20]; u32 position[20]; } share;

// What a block has of a tile, one after another.
typedef union { u32 counts[2048]; word elements[5120]; u32 positions[5120]; } stage;

// What the tiles before have together, from their words.
INLINE u32 look_back(volatile GLOBAL const u32 *own, u32 tiles) {
    u32 before = 0;
    for (;;) {
        u32 words[4];
        UNROLL for (u32 n = 0; n < 4u; n++) words[n] = n < tiles ? *(own - (n + 1u) * 256u) : 0;
        UNROLL for (u32 n = 0; n < 4u; n++) {
            if (words[n] < 0x40000000u) break;
            before += words[n] & (0x40000000u - 1u);
            if (words[n] >= 0x80000000u) return before;
            own -= 256u;
            tiles -= 1u;
        }
    }
}

// Rows sorted by one digit; from rows dense; to rows dense.
KERNEL RESIDENT(256, 3) situ_radix_f32_positions_4(GLOBAL const w4 *RESTRICT in0, GLOBAL w4 *RESTRICT values,
    GLOBAL const u32 *RESTRICT positions, GLOBAL u32 *RESTRICT next_positions, GLOBAL i64 *RESTRICT indices_0,
    const u32 generated, const u32 last, const u32 kept, GLOBAL const u32 *RESTRICT totals,
    GLOBAL u32 *RESTRICT status, GLOBAL u32 *RESTRICT next_status, GLOBAL u32 *RESTRICT begun, const u64 length,
    const u32 tiles, const u32 shift, const u32 flip) {
    SHARED stage staged;
    SHARED u32 masks[2048], sums[512], uniform;
    PRIVATE(share, own);
    SHARED u32 offsets[256];
    SHARED u32 begun_tile;
    EACH_THREAD {
        if (THREAD_X == 0) begun_tile = ATOMIC_ADD_u32(begun, 1u);
        for (u32 n = THREAD_X; n < 2048u; n += 256u) {
            staged.counts[n] = 0;
            masks[n] = 0;
        }
        if (THREAD_X == 0) uniform = 0;
    }
    BARRIER();
    const u64 tile = begun_tile, row = begun_tile / tiles;
    const u32 part = begun_tile % tiles;
    const u64 begin = (u64)part * 5120u;
    const u32 left = length - begin < 5120u ? (u32)(length - begin) : 5120u;
    GLOBAL const word *from = in0 + row * length;
    GLOBAL word *to = values + row * length;
    GLOBAL i64 *to_indices = indices_0 + row * length;
    EACH_THREAD {
        const u32 first = THREAD_X / 32u * 640u + THREAD_X % 32u;
        MINE(own).items = left <= first ? 0u : (left - first + 31u) / 32u;
        if (MINE(own).items > 20u) MINE(own).items = 20u;
        if (left == 5120u) {
            UNROLL for (u32 i = 0; i < 20u; i++) MINE(own).element[i] = from[begin + first + i * 32u];
        } else {
            UNROLL for (u32 i = 0; i < 20u; i++) {
                const u64 n = begin + (i < MINE(own).items ? first + i * 32u : 0u);
                MINE(own).element[i] = from[n];
            }
        }
    }
    EACH_THREAD {
        UNROLL for (u32 i = 0; i < 20u; i++) {
            const u32 digit = i < MINE(own).items ? digit_of(MINE(own).element[i], shift, flip) : 255u;
            // Four to a word.
            MINE(own).digits[i / 4u] = (i % 4u == 0 ? 0u : MINE(own).digits[i / 4u]) | digit << i % 4u * 8u;
            LOCAL_ADD_u32(&staged.counts[THREAD_X / 32u * 256u + digit], 1u);
        }
    }
    BARRIER();
    EACH_THREAD {
        u32 total = 0;
        UNROLL for (u32 w = 0; w < 8u; w++) {
            const u32 own_count = staged.counts[w * 256u + THREAD_X];
            staged.counts[w * 256u + THREAD_X] = total;
            total += own_count;
        }
        MINE(own).total = total;
        sums[THREAD_X] = total;
        // The first tile of a row knows all there is before it.
        *(volatile GLOBAL u32 *)(status + tile * 256u + THREAD_X) = total | (part == 0 ? 0x80000000u : 0x40000000u);
        next_status[tile * 256u + THREAD_X] = 0;
    }
    BARRIER();
    scan_sum_u32(sums);
    EACH_THREAD {
        const u32 start = sums[THREAD_X] - MINE(own).total;
        UNROLL for (u32 w = 0; w < 8u; w++) staged.counts[w * 256u + THREAD_X] += start;
        MINE(own).start = start;
        if (MINE(own).total == (THREAD_X == 255u ? 5120u : left)) uniform = 1u;
    }
    BARRIER();
    if (uniform) {
        // Where all have one digit, everything stays where it is, and bits of one word would be set one after another.
        EACH_THREAD {
            const u32 first = THREAD_X / 32u * 640u + THREAD_X % 32u;
            UNROLL for (u32 i = 0; i < 20u; i++) MINE(own).rank[i] = first + i * 32u;
        }
    } else {
        UNROLL for (u32 i = 0; i < 20u; i++) {
            EACH_THREAD {
                const u32 at = THREAD_X / 32u * 256u + (MINE(own).digits[i / 4u] >> i % 4u * 8u & 255u);
                LOCAL_OR_u32(&masks[at], 1u << THREAD_X % 32u);
            }
            WARP_BARRIER();
            EACH_THREAD {
                const u32 at = THREAD_X / 32u * 256u + (MINE(own).digits[i / 4u] >> i % 4u * 8u & 255u);
                const u32 lower = (1u << THREAD_X % 32u) - 1u;
                MINE(own).mask = masks[at];
                MINE(own).rank[i] = staged.counts[at] + POPCOUNT_u32(MINE(own).mask & lower);
            }
            WARP_BARRIER();
            EACH_THREAD {
                const u32 at = THREAD_X / 32u * 256u + (MINE(own).digits[i / 4u] >> i % 4u * 8u & 255u);
                // The last one with the digit speaks for all.
                if (MINE(own).mask >> THREAD_X % 32u == 1u) {
                    staged.counts[at] = MINE(own).rank[i] + 1u;
                    masks[at] = 0;
                }
            }
            WARP_BARRIER();
        }
    }
    EACH_THREAD {
        u32 before = 0;
        if (part != 0) {
            volatile GLOBAL u32 *word_at = (volatile GLOBAL u32 *)(status + tile * 256u + THREAD_X);
            before = look_back(word_at, part);
            *word_at = (before + MINE(own).total) | 0x80000000u;
        }
        // Where the first element staged would go, had it this digit.
        offsets[THREAD_X] = totals[row * 1024u + shift * 32u + THREAD_X] + before - MINE(own).start;
    }
    BARRIER();
    EACH_THREAD {
        UNROLL for (u32 i = 0; i < 20u; i++) staged.elements[MINE(own).rank[i]] = MINE(own).element[i];
    }
    BARRIER();
    EACH_THREAD {
        const u32 first = THREAD_X / 32u * 640u + THREAD_X % 32u;
        if (generated) {
            UNROLL for (u32 i = 0; i < 20u; i++) MINE(own).position[i] = (u32)(begin + first + i * 32u);
        } else if (left == 5120u) {
            UNROLL for (u32 i = 0; i < 20u; i++) MINE(own).position[i] = positions[row * length + begin + first + i * 32u];
        } else {
            UNROLL for (u32 i = 0; i < 20u; i++) {
                const u64 n = begin + (i < MINE(own).items ? first + i * 32u : 0u);
                MINE(own).position[i] = positions[row * length + n];
            }
        }
    }
    EACH_THREAD {
        UNROLL for (u32 i = 0; i < 20u; i++) {
            const u32 n = i * 256u + THREAD_X;
            if (n < left) {
                const word element = staged.elements[n];
                const u32 place = offsets[digit_of(element, shift, flip)] + n;
                MINE(own).place[i] = place;
                if (place < length && kept) to[place] = element;
            }
        }
    }
    BARRIER();
    EACH_THREAD {
        UNROLL for (u32 i = 0; i < 20u; i++) staged.positions[MINE(own).rank[i]] = MINE(own).position[i];
    }
    BARRIER();
    EACH_THREAD {
        UNROLL for (u32 i = 0; i < 20u; i++) {
            const u32 n = i * 256u + THREAD_X;
            if (n < left) {
                const u32 place = MINE(own).place[i];
                if (place < length) {
                    if (last) to_indices[place] = (i64)staged.positions[n];
                    else next_positions[row * length + place] = staged.positions[n];
                }
            }
        }
    }
}
