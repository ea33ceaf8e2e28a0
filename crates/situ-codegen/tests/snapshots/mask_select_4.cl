// OpenCL C's names for what the library is written in. A product and a sum are never fused.
#pragma OPENCL FP_CONTRACT OFF
#define INLINE static inline __attribute__((always_inline))

#define OUTLINE static __attribute__((noinline))

// No block has more threads than this.
#define BOUNDED(threads)

#define GLOBAL __global
#define SHARED __local
#define LOCAL __local

// The only way to what an address leads to.
#define RESTRICT restrict

#define ALIGNED(bytes) __attribute__((aligned(bytes)))
#define UNROLL _Pragma("unroll")
typedef int i32;
typedef uchar u8;
typedef ushort u16;
typedef uint u32;
typedef ulong u64;

// How many zeros come after the lowest set bit; the width for 0.
INLINE u32 CTZ_u32(u32 a) { return a == 0 ? 32u : 31u - clz(a & (0u - a)); }

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
#define BLOCK_X ((uint)get_group_id(0))
#define THREAD_X ((uint)get_local_id(0))
typedef u32 w4;
typedef struct ALIGNED(16) { u64 low; u64 high; } w16;

// Bytes of a mask by ones and twos, at its end.
OUTLINE w16 last_mask_words(GLOBAL const u8 *mask, u64 from, u64 end) {
    w16 words;
    words.low = 0;
    words.high = 0;
    for (u32 n = 0; n < 16u && from + n < end; n++) {
        const u64 truth = (u64)mask[from + n] << (n % 8u * 8u);
        if (n < 8u) words.low |= truth;
        else words.high |= truth;
    }
    return words;
}

// Sixteen bytes of a mask, zeros from its end on. All but the last begin at a multiple of 16.
INLINE w16 mask_words(GLOBAL const u8 *mask, u64 from, u64 end) {
    if (from + 16u <= end) return *(GLOBAL const w16 *)(mask + from);
    return last_mask_words(mask, from, end);
}

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

// Elements of 4 bytes where a mask is true, side by side; mask dense, 32-bit positions; 1 axis, 32-bit positions.
KERNEL BOUNDED(256) mask_select_4(GLOBAL const u8 *RESTRICT mask, GLOBAL const u64 *RESTRICT totals, const u32 ranked,
    const u32 size, const u32 segment, GLOBAL const w4 *RESTRICT array, const i32 array_step_0,
    GLOBAL w4 *RESTRICT out, const u64 capacity) {
    SHARED u32 counts[512];
    SHARED u16 list[4096];
    PRIVATE(u32, bits);
    const u32 begin = BLOCK_X * segment;
    const u32 end = size - begin < segment ? size : begin + segment;
    u64 base = ranked ? totals[BLOCK_X] : 0;
    for (u32 tile = begin; tile < end; tile += 4096u) {
        EACH_THREAD {
            MINE(bits) = true_bits(mask_words(mask, tile + THREAD_X * 16u, end));
            counts[THREAD_X] = POPCOUNT_u32(MINE(bits));
        }
        BARRIER();
        scan_sum_u32(counts);
        EACH_THREAD {
            u32 left = MINE(bits);
            for (u32 n = counts[THREAD_X] - POPCOUNT_u32(left); left != 0; n++) {
                list[n] = (u16)(THREAD_X * 16u + CTZ_u32(left));
                left &= left - 1;
            }
        }
        BARRIER();
        const u32 found = counts[255];
        const u64 room = base < capacity ? capacity - base : 0;
        const u32 kept = found < room ? found : (u32)room;
        EACH_THREAD {
            for (u32 k = THREAD_X; k < kept; k += 1024u) {
                w4 moved[4];
                UNROLL for (u32 j = 0; j < 4u; j++) {
                    const u32 position = tile + list[k + j * 256u < kept ? k + j * 256u : k];
                    const i32 c0 = (i32)position;
                    moved[j] = array[c0 * array_step_0];
                }
                UNROLL for (u32 j = 0; j < 4u; j++) {
                    if (k + j * 256u < kept) out[base + k + j * 256u] = moved[j];
                }
            }
        }
        base += found;
        BARRIER();
    }
}
