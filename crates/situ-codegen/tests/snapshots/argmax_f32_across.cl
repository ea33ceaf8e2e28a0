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
typedef int i32;
typedef long i64;
typedef uchar u8;
typedef uint u32;
typedef float f32;
typedef uint4 bytes16;
INLINE bytes16 load_bytes16(const GLOBAL void *from) { return *(const GLOBAL bytes16 *)from; }

// Where a thread is a work-item, and a block a work-group.
#define KERNEL __kernel void

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define BLOCK_X ((uint)get_group_id(0))
#define THREAD_X ((uint)get_local_id(0))
INLINE u8 lt_f32(f32 a, f32 b) { return a < b; }
INLINE u8 is_nan_f32(f32 a) { return a != a; }

// What is known of some of the values.
typedef struct { f32 value; i32 position; } part;

INLINE void map_value(f32 v0, f32 *out0) {
    *out0 = v0;
}

INLINE part leaf(f32 v0, i32 position) {
    f32 value;
    map_value(v0, &value);
    part found;
    found.value = value;
    found.position = position;
    return found;
}

INLINE part combine_next(part a, part b) { return (is_nan_f32(b.value) || lt_f32(a.value, b.value)) && !(is_nan_f32(a.value)) ? b : a; }

INLINE part combine(part a, part b) {
    return a.position < b.position ? combine_next(a, b) : combine_next(b, a);
}

INLINE void finish(i64 v0, i64 *out0) {
    *out0 = v0;
}

INLINE i64 finished(part whole) {
    i64 result;
    finish((i64)whole.position, &result);
    return result;
}

typedef union { f32 at[4]; bytes16 whole; } f32x4;

// (%0: float32) {
// } -> %0
// ArgMax
// (%0: int64) {
// } -> %0
KERNEL RESIDENT(512, 2) situ_reduce_argmax_f32_f32_across(GLOBAL const f32 *RESTRICT in0, GLOBAL i64 *RESTRICT out,
    const u32 column_digits, const u32 strips, const u32 size, const u32 length, const i32 in0_step_0,
    const i32 in0_step_1, const i32 out_step_0) {
    SHARED part sums[2048];
    SHARED part tops[128];
    const u32 strip = BLOCK_X % strips;
    const u32 block = BLOCK_X / strips;
    const u32 digits = column_digits + 2u, side = 512u >> column_digits;
    const u32 first = block * (side * 16u);
    EACH_THREAD {
        const u32 row = first + (THREAD_X >> column_digits) * 16u;
        const u32 column = (strip << digits) + (THREAD_X & ((1u << column_digits) - 1u)) * 4u;
        if (row < length && column < size) {
            const u32 count = length - row < 16u ? (u32)(length - row) : 16u;
            const i32 k0 = (i32)column;
            GLOBAL const f32 *from0 = in0 + (k0);
            part own[4];
            for (u32 k = 0; k < count; k += 4u) {
                f32x4 a0[4];
                UNROLL for (u32 n = 0; n < 4u; n++) if (k + n * 1u < count) {
                    const u32 position = row + k + n * 1u;
                    const i32 r0 = (i32)position;
                    a0[n].whole = load_bytes16(from0 + (r0 * in0_step_1));
                }
                UNROLL for (u32 n = 0; n < 4u; n++) if (k + n * 1u < count) {
                    UNROLL for (u32 j = 0; j < 4u; j++) {
                        const part value = leaf(a0[n].at[j], row + k + n);
                        own[j] = k + n == 0 ? value : combine_next(own[j], value);
                    }
                }
            }
            UNROLL for (u32 j = 0; j < 4u; j++) sums[THREAD_X * 4u + j] = own[j];
        }
    }
    BARRIER();
    const u32 left = (length - first + 15u) / 16u;
    u32 present = left < side ? (u32)left : side, rows = side;
    LOCAL const part *held = sums;
    if (rows >= 256u) {
        EACH_THREAD {
        for (u32 n = THREAD_X; n < (present + 15u) / 16u << digits; n += 512u) {
            const u32 group = n >> digits, column = n & ((1u << digits) - 1u);
            const u32 begin = group * 16u;
            const u32 end = present - begin < 16u ? present : begin + 16u;
            part whole = held[(begin << digits) + column];
            for (u32 k = begin + 1u; k < end; k++) whole = combine_next(whole, held[(k << digits) + column]);
            tops[n] = whole;
        }
        }
        BARRIER();
        held = tops;
        present = (present + 15u) / 16u;
        rows /= 16u;
    }
    EACH_THREAD {
        for (u32 n = THREAD_X; n < (present + 15u) / 16u << digits; n += 512u) {
            const u32 group = n >> digits, column = n & ((1u << digits) - 1u);
            const u32 begin = group * 16u;
            const u32 end = present - begin < 16u ? present : begin + 16u;
            part whole = held[(begin << digits) + column];
            for (u32 k = begin + 1u; k < end; k++) whole = combine_next(whole, held[(k << digits) + column]);
            if ((strip << digits) + column >= size) continue;
            const i32 k0 = (i32)((strip << digits) + column);
            out[k0 * out_step_0] = finished(whole);
        }
    }
}
