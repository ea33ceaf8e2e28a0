// OpenCL C's names for what the library is written in. A product and a sum are never fused.
#pragma OPENCL FP_CONTRACT OFF
#define INLINE static inline __attribute__((always_inline))

// The same, and a processor has room for so many of the blocks at a time.
#define RESIDENT(threads, blocks)

#define GLOBAL __global
#define SHARED __local
#define LOCAL __local

// The only way to what an address leads to.
#define RESTRICT restrict

#define UNROLL _Pragma("unroll")
typedef long i64;
typedef ushort u16;
typedef uint u32;
typedef ulong u64;
typedef float f32;
INLINE f32 from_bits_f32(u32 bits) { return as_float(bits); }

// How many bits are set.
INLINE u32 POPCOUNT_u32(u32 a) { return popcount(a); }

// Where a thread is a work-item, and a block a work-group.
#define KERNEL __kernel void

// What a thread keeps from one phase of a kernel to the next.
#define PRIVATE(type, name) type name

#define MINE(name) name

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)

// The same for 32 neighbouring threads, of which all are there.
#define WARP_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)

#define BLOCK_X ((uint)get_group_id(0))
#define THREAD_X ((uint)get_local_id(0))

// Adds to a number in the block's own memory; what it was before.
INLINE u32 LOCAL_ADD_u32(LOCAL u32 *at, u32 value) { return atomic_add((volatile LOCAL u32 *)at, value); }

// Sets bits of a number in the block's own memory.
INLINE void LOCAL_OR_u32(LOCAL u32 *at, u32 bits) { atomic_or((volatile LOCAL u32 *)at, bits); }

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
typedef struct { word element[4]; u32 digits[1], rank[4], items, total, start, mask; u16 position[4]; } share;

// What a block has of a tile, one after another.
typedef union { u32 counts[2048]; word elements[1024]; u16 positions[1024]; } stage;

// Rows of up to 1024 elements, sorted; rows strided, 1 axis, 64-bit positions.
KERNEL RESIDENT(256, 6) situ_sort_rows_f32_positions(GLOBAL const w4 *RESTRICT in0, GLOBAL w4 *RESTRICT values,
    GLOBAL i64 *RESTRICT indices_0, const u32 kept, const u64 length, const u64 count, const u32 flip,
    const i64 in0_step_0, const i64 along_0, const i64 values_step_0, const i64 along_1, const i64 indices_0_step_0,
    const i64 along_2) {
    SHARED stage staged;
    SHARED u32 masks[2048], sums[512], uniform;
    PRIVATE(share, own);
    const u64 row = BLOCK_X;
    const u32 left = (u32)length;
    const i64 c0 = (i64)row;
    GLOBAL const word *from = in0 + (c0 * in0_step_0);
    GLOBAL word *to = values + (c0 * values_step_0);
    GLOBAL i64 *to_indices = indices_0 + (c0 * indices_0_step_0);
    EACH_THREAD {
        const u32 first = THREAD_X / 32u * 128u + THREAD_X % 32u;
        MINE(own).items = left <= first ? 0u : (left - first + 31u) / 32u;
        if (MINE(own).items > 4u) MINE(own).items = 4u;
        UNROLL for (u32 i = 0; i < 4u; i++) {
            if (i < MINE(own).items) {
                const u32 n = first + i * 32u;
                MINE(own).element[i] = from[(i64)(n) * along_0];
                MINE(own).position[i] = (u16)n;
            }
        }
    }
    for (u32 shift = 0; shift < 32u; shift += 8u) {
        EACH_THREAD {
            for (u32 n = THREAD_X; n < 2048u; n += 256u) {
                staged.counts[n] = 0;
                masks[n] = 0;
            }
            if (THREAD_X == 0) uniform = 0;
        }
        BARRIER();
        EACH_THREAD {
            UNROLL for (u32 i = 0; i < 4u; i++) {
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
        }
        BARRIER();
        scan_sum_u32(sums);
        EACH_THREAD {
            const u32 start = sums[THREAD_X] - MINE(own).total;
            UNROLL for (u32 w = 0; w < 8u; w++) staged.counts[w * 256u + THREAD_X] += start;
            MINE(own).start = start;
            if (MINE(own).total == (THREAD_X == 255u ? 1024u : left)) uniform = 1u;
        }
        BARRIER();
        if (uniform) {
            // Where all have one digit, everything stays where it is, and bits of one word would be set one after another.
            EACH_THREAD {
                const u32 first = THREAD_X / 32u * 128u + THREAD_X % 32u;
                UNROLL for (u32 i = 0; i < 4u; i++) MINE(own).rank[i] = first + i * 32u;
            }
        } else {
            UNROLL for (u32 i = 0; i < 4u; i++) {
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
        BARRIER();
        EACH_THREAD {
            UNROLL for (u32 i = 0; i < 4u; i++) {
                if (i < MINE(own).items) staged.elements[MINE(own).rank[i]] = MINE(own).element[i];
            }
        }
        BARRIER();
        EACH_THREAD {
            const u32 first = THREAD_X / 32u * 128u + THREAD_X % 32u;
            UNROLL for (u32 i = 0; i < 4u; i++) {
                if (i < MINE(own).items) MINE(own).element[i] = staged.elements[first + i * 32u];
            }
        }
        BARRIER();
        EACH_THREAD {
            UNROLL for (u32 i = 0; i < 4u; i++) {
                if (i < MINE(own).items) staged.positions[MINE(own).rank[i]] = MINE(own).position[i];
            }
        }
        BARRIER();
        EACH_THREAD {
            const u32 first = THREAD_X / 32u * 128u + THREAD_X % 32u;
            UNROLL for (u32 i = 0; i < 4u; i++) {
                if (i < MINE(own).items) MINE(own).position[i] = staged.positions[first + i * 32u];
            }
        }
        BARRIER();
    }
    EACH_THREAD {
        const u32 first = THREAD_X / 32u * 128u + THREAD_X % 32u;
        UNROLL for (u32 i = 0; i < 4u; i++) {
            const u32 n = first + i * 32u;
            if (kept && n < count) to[(i64)(n) * along_1] = MINE(own).element[i];
            if (n < count) to_indices[(i64)(n) * along_2] = MINE(own).position[i];
        }
    }
}
