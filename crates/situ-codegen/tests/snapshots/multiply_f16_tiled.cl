// OpenCL C's names for what the library is written in. A product and a sum are never fused.
#pragma OPENCL FP_CONTRACT OFF
#define INLINE static inline __attribute__((always_inline))

// No block has more threads than this.
#define BOUNDED(threads)

#define GLOBAL __global
#define SHARED __local
#define ALIGNED(bytes) __attribute__((aligned(bytes)))
#define UNROLL _Pragma("unroll")
typedef int i32;
typedef ushort u16;
typedef uint u32;
typedef float f32;
typedef struct ALIGNED(2) { u16 bits; } f16;

INLINE f32 widen_f16(f16 a) {
    u16 bits = a.bits;
    return vload_half(0, (const half *)&bits);
}

// Rounded to the nearest, to even between two.
INLINE f16 narrow_f16(f32 a) {
    f16 narrow;
    vstore_half_rte(a, 0, (half *)&narrow.bits);
    return narrow;
}

// Where a thread is a work-item, and a block a work-group.
#define KERNEL __kernel void

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define BLOCK_X ((uint)get_group_id(0))
#define THREAD_X ((uint)get_local_id(0))

// The upper half of a product.
INLINE u32 MULHI_u32(u32 a, u32 b) { return mul_hi(a, b); }

// n divided by a number of which the magic multiplier and the shift are given, for n below half the range.
INLINE u32 quotient_u32(u32 n, u32 magic, u32 shift) { return MULHI_u32(n + n, magic) >> shift; }

INLINE f32 mul_f32(f32 a, f32 b) { return a * b; }

INLINE void element(f16 v0, f16 v1, f16 *out0) {
    f16 v2 = narrow_f16(mul_f32(widen_f16(v0), widen_f16(v1)));
    *out0 = v2;
}

// (%0: float16, %1: float16) {
//   %2 = multiply %0 %1: float16
// } -> %2
KERNEL BOUNDED(256) situ_multiply_f16_tiled(GLOBAL const f16 *in0, GLOBAL const f16 *in1, GLOBAL f16 *out0,
    const u32 extent_0, const u32 extent_1, const u32 tile_extent_1, const u32 tile_multiplier_1,
    const u32 tile_shift_1, const i32 in0_step_0, const i32 in0_step_1, const i32 in1_step_0, const i32 in1_step_1,
    const i32 out0_step_0, const i32 out0_step_1) {
    SHARED f16 tile0[64][65];
    EACH_THREAD {
        const u32 q1 = quotient_u32((u32)BLOCK_X, tile_multiplier_1, tile_shift_1);
        const i32 tile_1 = (i32)((u32)BLOCK_X - q1 * tile_extent_1);
        const i32 tile_0 = (i32)q1;
        UNROLL
        for (u32 k = 0; k < 16; k++) {
            u32 x = (THREAD_X + k * 256u) % 64u;
            u32 y = (THREAD_X + k * 256u) / 64u;
            const i32 c0 = tile_0 * 64 + (i32)x;
            const i32 c1 = tile_1 * 64 + (i32)y;
            if ((u32)c1 < extent_1 && (u32)c0 < extent_0) {
                tile0[y][x] = in0[c0 * in0_step_0 + c1 * in0_step_1];
            }
        }
    }
    BARRIER();
    EACH_THREAD {
        const u32 q1 = quotient_u32((u32)BLOCK_X, tile_multiplier_1, tile_shift_1);
        const i32 tile_1 = (i32)((u32)BLOCK_X - q1 * tile_extent_1);
        const i32 tile_0 = (i32)q1;
        f16 a1[16];
        UNROLL
        for (u32 k = 0; k < 16; k++) {
            u32 x = (THREAD_X + k * 256u) % 64u;
            u32 y = (THREAD_X + k * 256u) / 64u;
            const i32 c1 = tile_1 * 64 + (i32)x;
            const i32 c0 = tile_0 * 64 + (i32)y;
            if ((u32)c1 < extent_1 && (u32)c0 < extent_0) {
                a1[k] = in1[c0 * in1_step_0 + c1 * in1_step_1];
            }
        }
        UNROLL
        for (u32 k = 0; k < 16; k++) {
            u32 x = (THREAD_X + k * 256u) % 64u;
            u32 y = (THREAD_X + k * 256u) / 64u;
            const i32 c1 = tile_1 * 64 + (i32)x;
            const i32 c0 = tile_0 * 64 + (i32)y;
            if ((u32)c1 < extent_1 && (u32)c0 < extent_0) {
                f16 r0;
                element(tile0[x][y], a1[k], &r0);
                out0[c0 * out0_step_0 + c1 * out0_step_1] = r0;
            }
        }
    }
}
