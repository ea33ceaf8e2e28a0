// once
// Where a thread is a work-item, and a block a work-group.
#define KERNEL __kernel void

// What a thread keeps from one phase of a kernel to the next.
#define PRIVATE(type, name) type name

#define MINE(name) name

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)

// The same for memory that all blocks see.
#define GLOBAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

// The same for 32 neighbouring threads, of which all are there.
#define WARP_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)

#define BLOCK_X ((uint)get_group_id(0))

#define BLOCK_Y ((uint)get_group_id(1))

#define BLOCK_Z ((uint)get_group_id(2))

#define THREAD_X ((uint)get_local_id(0))

#define THREAD_Y ((uint)get_local_id(1))

#define THREAD_Z ((uint)get_local_id(2))

#define BLOCK_SIZE_X ((uint)get_local_size(0))

#define BLOCK_SIZE_Y ((uint)get_local_size(1))

#define BLOCK_SIZE_Z ((uint)get_local_size(2))

#define GRID_SIZE_X ((uint)get_num_groups(0))

#define GRID_SIZE_Y ((uint)get_num_groups(1))

#define GRID_SIZE_Z ((uint)get_num_groups(2))

// Adds to a number in the block's own memory; what it was before.
INLINE u32 LOCAL_ADD_u32(LOCAL u32 *at, u32 value) { return atomic_add((volatile LOCAL u32 *)at, value); }

// The value of one of 32 neighbouring threads, by way of memory that is theirs. All threads of the block do this, since not
// every device has threads in step.
INLINE u64 SHUFFLE_u64(u64 value, LOCAL u64 *room, u32 lane, u32 from) {
    barrier(CLK_LOCAL_MEM_FENCE);
    room[lane] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    return room[from];
}

INLINE u32 SHUFFLE_u32(u32 value, LOCAL u64 *room, u32 lane, u32 from) {
    return (u32)SHUFFLE_u64(value, room, lane, from);
}

// Sets bits of a number in the block's own memory.
INLINE void LOCAL_OR_u32(LOCAL u32 *at, u32 bits) { atomic_or((volatile LOCAL u32 *)at, bits); }

INLINE f32 FMA_f32(f32 a, f32 b, f32 c) { return fma(a, b, c); }

INLINE f64 FMA_f64(f64 a, f64 b, f64 c) { return fma(a, b, c); }

INLINE f32 SQRT_f32(f32 a) { return sqrt(a); }

INLINE f64 SQRT_f64(f64 a) { return sqrt(a); }

INLINE f32 FLOOR_f32(f32 a) { return floor(a); }

INLINE f64 FLOOR_f64(f64 a) { return floor(a); }

INLINE f32 CEIL_f32(f32 a) { return ceil(a); }

INLINE f64 CEIL_f64(f64 a) { return ceil(a); }

INLINE f32 TRUNC_f32(f32 a) { return trunc(a); }

INLINE f64 TRUNC_f64(f64 a) { return trunc(a); }

// The nearest integer, the even one of two.
INLINE f32 RINT_f32(f32 a) { return rint(a); }

INLINE f64 RINT_f64(f64 a) { return rint(a); }

INLINE f32 ABS_f32(f32 a) { return fabs(a); }

INLINE f64 ABS_f64(f64 a) { return fabs(a); }

INLINE f32 COPYSIGN_f32(f32 a, f32 sign) { return copysign(a, sign); }

INLINE f64 COPYSIGN_f64(f64 a, f64 sign) { return copysign(a, sign); }

// The upper half of a product.
INLINE u32 MULHI_u32(u32 a, u32 b) { return mul_hi(a, b); }

INLINE u64 MULHI_u64(u64 a, u64 b) { return mul_hi(a, b); }
