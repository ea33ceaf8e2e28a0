// once
// Where a block is one work-item, which goes through the block's threads in each phase of a kernel. So there is nothing to
// wait for within a block, and compilers see plain loops. Intel's would otherwise make vectors of work-items, too.
#ifndef cl_intel_vec_len_hint
#define intel_vec_len_hint(lanes)
#endif
#define KERNEL __kernel __attribute__((reqd_work_group_size(1, 1, 1), intel_vec_len_hint(1))) void

// What a thread keeps from one phase of a kernel to the next.
#define PRIVATE(type, name) type name[THREADS]

#define MINE(name) name[THREAD_X]

// What follows is done by every thread of the block.
#define EACH_THREAD for (uint thread_x = 0; thread_x < THREADS; thread_x++)

#define BARRIER()

// The same for memory that all blocks see.
#define GLOBAL_BARRIER()

// The same for 32 neighbouring threads, of which all are there.
#define WARP_BARRIER()

#define BLOCK_X ((uint)get_group_id(0))

#define THREAD_X thread_x

// Adds to a number in the block's own memory; what it was before.
INLINE u32 LOCAL_ADD_u32(LOCAL u32 *at, u32 value) {
    const u32 before = *at;
    *at = before + value;
    return before;
}

// Sets bits of a number in the block's own memory.
INLINE void LOCAL_OR_u32(LOCAL u32 *at, u32 bits) { *at |= bits; }

// What compilers for processors turn into instructions, in vectors too; a function of OpenCL C stays a call in a loop.
INLINE f32 FMA_f32(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }

INLINE f64 FMA_f64(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }

INLINE f32 SQRT_f32(f32 a) { return __builtin_sqrtf(a); }

INLINE f64 SQRT_f64(f64 a) { return __builtin_sqrt(a); }

INLINE f32 FLOOR_f32(f32 a) { return __builtin_floorf(a); }

INLINE f64 FLOOR_f64(f64 a) { return __builtin_floor(a); }

INLINE f32 CEIL_f32(f32 a) { return __builtin_ceilf(a); }

INLINE f64 CEIL_f64(f64 a) { return __builtin_ceil(a); }

INLINE f32 TRUNC_f32(f32 a) { return __builtin_truncf(a); }

INLINE f64 TRUNC_f64(f64 a) { return __builtin_trunc(a); }

// The nearest integer, the even one of two.
INLINE f32 RINT_f32(f32 a) { return __builtin_rintf(a); }

INLINE f64 RINT_f64(f64 a) { return __builtin_rint(a); }

INLINE f32 ABS_f32(f32 a) { return __builtin_fabsf(a); }

INLINE f64 ABS_f64(f64 a) { return __builtin_fabs(a); }

INLINE f32 COPYSIGN_f32(f32 a, f32 sign) { return __builtin_copysignf(a, sign); }

INLINE f64 COPYSIGN_f64(f64 a, f64 sign) { return __builtin_copysign(a, sign); }

// The upper half of a product.
INLINE u32 MULHI_u32(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }

INLINE u64 MULHI_u64(u64 a, u64 b) { return mul_hi(a, b); }
