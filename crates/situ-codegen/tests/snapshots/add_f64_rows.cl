// OpenCL C's names for what the library is written in. A product and a sum are never fused.
#pragma OPENCL FP_CONTRACT OFF
#define INLINE static inline __attribute__((always_inline))

// No block has more threads than this.
#define BOUNDED(threads)

#define GLOBAL __global
#define UNROLL _Pragma("unroll")
typedef int i32;
typedef uint u32;

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double f64;

typedef ulong bytes8;
typedef uint4 bytes16;
INLINE bytes8 load_bytes8(const GLOBAL void *from) { return *(const GLOBAL bytes8 *)from; }
INLINE bytes16 load_bytes16(const GLOBAL void *from) { return *(const GLOBAL bytes16 *)from; }
INLINE void store_bytes16(GLOBAL void *to, bytes16 a) { *(GLOBAL bytes16 *)to = a; }

// Where a thread is a work-item, and a block a work-group.
#define KERNEL __kernel void

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BLOCK_X ((uint)get_group_id(0))
#define THREAD_X ((uint)get_local_id(0))

// The upper half of a product.
INLINE u32 MULHI_u32(u32 a, u32 b) { return mul_hi(a, b); }

// n divided by a number of which the magic multiplier and the shift are given, for n below half the range.
INLINE u32 quotient_u32(u32 n, u32 magic, u32 shift) { return MULHI_u32(n + n, magic) >> shift; }

// A product and a sum after it are two roundings; compilers are told not to make them one.
INLINE f64 add_f64(f64 a, f64 b) { return a + b; }

INLINE f64 cast_i32_f64(i32 a) { return (f64)a; }

INLINE void element(i32 v0, f64 v1, f64 *out0) {
    f64 v2 = cast_i32_f64(v0);
    f64 v3 = add_f64(v2, v1);
    *out0 = v3;
}

typedef union { f64 at[2]; bytes16 whole; } f64x2;
typedef union { i32 at[2]; bytes8 whole; } i32x2;

// (%0: int32, %1: float64) {
//   %2 = cast %0: float64
//   %3 = add %2 %1: float64
// } -> %3
KERNEL BOUNDED(256) situ_add_i32_f64_rows(GLOBAL const i32 *in0, GLOBAL const f64 *in1, GLOBAL f64 *out0,
    const u32 size, const u32 extent_1, const u32 multiplier_1, const u32 shift_1, const i32 in0_step_0,
    const i32 in1_step_0, const i32 out0_step_0) {
    EACH_THREAD {
        u32 group = (u32)BLOCK_X * 256u + THREAD_X;
        if (group < size) {
            const u32 q1 = quotient_u32(group, multiplier_1, shift_1);
            const i32 c1 = (i32)(group - q1 * extent_1);
            const i32 c0 = (i32)q1;
            i32x2 a0;
            f64x2 a1;
            a0.whole = load_bytes8(in0 + (c1 * 2 + c0 * in0_step_0));
            a1.whole = load_bytes16(in1 + (c1 * 2 + c0 * in1_step_0));
            f64x2 r0;
            UNROLL
            for (u32 k = 0; k < 2; k++) {
                element(a0.at[k], a1.at[k], &r0.at[k]);
            }
            store_bytes16(out0 + (c1 * 2 + c0 * out0_step_0), r0.whole);
        }
    }
}
