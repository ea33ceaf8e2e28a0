// OpenCL C's names for what the library is written in. A product and a sum are never fused.
#pragma OPENCL FP_CONTRACT OFF
#define INLINE static inline __attribute__((always_inline))

// No block has more threads than this.
#define BOUNDED(threads)

#define GLOBAL __global
#define SHARED __local
#define LOCAL __local
#define ALIGNED(bytes) __attribute__((aligned(bytes)))
typedef int i32;
typedef uchar u8;

// Where a thread is a work-item, and a block a work-group.
#define KERNEL __kernel void

// The same for memory that all blocks see.
#define GLOBAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#define BLOCK_X ((uint)get_group_id(0))
#define THREAD_X ((uint)get_local_id(0))
#define BLOCK_SIZE_X ((uint)get_local_size(0))
#define GRID_SIZE_X ((uint)get_num_groups(0))
INLINE i32 cast_u8_i32(u8 a) { return (i32)a; }

INLINE i32 atomic_add_i32(GLOBAL i32 *at, i32 value) {
    return atomic_add((volatile GLOBAL i32 *)at, value);
}

INLINE i32 atomic_add_i32_local(LOCAL i32 *at, i32 value) {
    return atomic_add((volatile LOCAL i32 *)at, value);
}

// kernel histogram over 1 axis (x: uint8[1], counts: int32[1]) {
//   array held: local int32[256]
//   %0 = global_id 0: int64
//   %1 = local_id 0: int64
//   %2 = constant I32(0): int32
//   %3 = constant I32(1): int32
//   held[%1] = %2
//   barrier
//   %4 = extent x 0: int64
//   %5 = global_size 0: int64
//   for %6 from %0 to %4 by %5 {
//     %7 = x[%6]: uint8
//     %8 = cast %7: int64
//     %9 = atomic add held[%8] %3: int32
//   }
//   barrier
//   %10 = held[%1]: int32
//   %11 = atomic add counts[%1] %10: int32
// }
KERNEL BOUNDED(256) situ_histogram(GLOBAL const u8 *x_data, GLOBAL i32 *counts_data, const i32 x_extent_0) {
    const i32 global_id_0 = (i32)BLOCK_X * (i32)BLOCK_SIZE_X + (i32)THREAD_X;
    const i32 global_size_0 = (i32)GRID_SIZE_X * (i32)BLOCK_SIZE_X;
    const i32 local_id_0 = (i32)THREAD_X;
    SHARED ALIGNED(16) i32 held_local[256];
    held_local[local_id_0] = 0;
    GLOBAL_BARRIER();
    for (i32 v6 = global_id_0; v6 < x_extent_0; v6 += global_size_0) {
        const u8 v7 = x_data[v6];
        const i32 v8 = cast_u8_i32(v7);
        const i32 v9 = atomic_add_i32_local(&held_local[v8], 1);
    }
    GLOBAL_BARRIER();
    const i32 v10 = held_local[local_id_0];
    const i32 v11 = atomic_add_i32(&counts_data[local_id_0], v10);
}
