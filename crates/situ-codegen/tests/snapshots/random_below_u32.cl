// OpenCL C's names for what the library is written in. A product and a sum are never fused.
#pragma OPENCL FP_CONTRACT OFF
#define INLINE static inline __attribute__((always_inline))

// No block has more threads than this.
#define BOUNDED(threads)

#define GLOBAL __global

// The only way to what an address leads to.
#define RESTRICT restrict

#define UNROLL _Pragma("unroll")
typedef uint u32;
typedef ulong u64;
typedef uint4 bytes16;

// Where a thread is a work-item, and a block a work-group.
#define KERNEL __kernel void

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BLOCK_X ((uint)get_group_id(0))
#define THREAD_X ((uint)get_local_id(0))

// The upper half of a product.
INLINE u32 MULHI_u32(u32 a, u32 b) { return mul_hi(a, b); }

// The words of a block with a number of 128 bits.
INLINE void philox(u64 number, u64 upper, u64 key, u32 *words) {
    u32 a = (u32)number, b = (u32)(number >> 32), c = (u32)upper, d = (u32)(upper >> 32);
    u32 first = (u32)key, second = (u32)(key >> 32);
    UNROLL
    for (u32 i = 0; i < 10u; i++) {
        const u32 left = a * 0xd2511f53u, left_upper = MULHI_u32(a, 0xd2511f53u);
        const u32 right = c * 0xcd9e8d57u, right_upper = MULHI_u32(c, 0xcd9e8d57u);
        a = right_upper ^ b ^ first;
        b = right;
        c = left_upper ^ d ^ second;
        d = left;
        first += 0x9e3779b9u;
        second += 0xbb67ae85u;
    }
    words[0] = a;
    words[1] = b;
    words[2] = c;
    words[3] = d;
}

// Integers from an interval, by Lemire's method; which of them have to be drawn again, as bits.
INLINE u32 draw_below_u32(const u32 *words, u32 low, u32 choices, u32 surplus, u32 *made) {
    u32 rejected = 0u;
    UNROLL
    for (u32 k = 0; k < 4u; k++) {
        made[k] = low + MULHI_u32(words[k], choices);
        rejected |= (u32)(words[k] * choices < surplus) << k;
    }
    return rejected;
}

typedef union { u32 at[4]; bytes16 whole; } elements;

// Random numbers, which depend on a key and on their positions alone.
KERNEL BOUNDED(256) situ_random_below_u32(GLOBAL u32 *RESTRICT out, const u64 size, const u64 key,
    const u64 first_block, const u64 first_block_upper, const u64 low, const u64 choices, const u64 surplus) {
    EACH_THREAD {
        const u64 block = (u64)BLOCK_X * 256u + THREAD_X;
        const u64 first = block * 4u;
        if (first < size) {
            const u64 number = first_block + block;
            const u64 upper = first_block_upper + (number < block ? 1u : 0u);
            u32 words[4];
            elements made;
            philox(number, upper, key, words);
            u32 rejected = draw_below_u32(words, (u32)low, (u32)choices, (u32)surplus, made.at);
            for (u32 attempt = 1; rejected; attempt++) {
                elements again;
                philox(number, upper + ((u64)attempt << 32), key, words);
                const u32 still = draw_below_u32(words, (u32)low, (u32)choices, (u32)surplus, again.at);
                UNROLL
                for (u32 k = 0; k < 4u; k++) {
                    made.at[k] = (rejected >> k) & 1u ? again.at[k] : made.at[k];
                }
                rejected &= still;
            }
            UNROLL
            for (u32 k = 0; k < 4u; k++) {
                if (first + k < size) {
                    out[first + k] = made.at[k];
                }
            }
        }
    }
}
