// OpenCL C's names for what the library is written in. A product and a sum are never fused.
#pragma OPENCL FP_CONTRACT OFF
#define INLINE static inline __attribute__((always_inline))

// No block has more threads than this.
#define BOUNDED(threads)

#define GLOBAL __global

// The only way to what an address leads to.
#define RESTRICT restrict

#define UNROLL _Pragma("unroll")
typedef short i16;
typedef int i32;
typedef long i64;
typedef uint u32;
typedef ulong u64;
typedef float f32;

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

INLINE f32 cast_i16_f32(i16 a) { return (f32)a; }

INLINE void convert_0(i16 v0, f32 *out0) {
    f32 v1 = cast_i16_f32(v0);
    *out0 = v1;
}

INLINE void convert_1(f32 v0, f32 *out0) {
    *out0 = v0;
}

// Arrays of int16, float32 to places of their own, as float32; 2 axes, 32-bit positions.
KERNEL BOUNDED(256) join_f32(GLOBAL const i64 *RESTRICT pieces, const u32 pieces_count) {
    EACH_THREAD {
        u32 own = 0u, past = pieces_count;
        while (past - own > 1u) {
            const u32 middle = own + (past - own) / 2u;
            if ((u32)pieces[middle] <= BLOCK_X) own = middle;
            else past = middle;
        }
        GLOBAL const i64 *piece = pieces + pieces_count + (u64)own * 11u;
        const u32 size = (u32)piece[2];
        const u32 extent_1 = (u32)piece[4];
        const u32 multiplier_1 = (u32)piece[5];
        const u32 shift_1 = (u32)piece[6];
        const i32 array_step_0 = (i32)piece[7];
        const i32 array_step_1 = (i32)piece[8];
        const i32 elements_step_0 = (i32)piece[9];
        const i32 elements_step_1 = (i32)piece[10];
        const u32 first = (u32)(BLOCK_X - (u32)pieces[own]) * 1024u + THREAD_X;
        i32 place[4], element[4];
        UNROLL for (u32 j = 0; j < 4u; j++) {
            const u32 position = first + j * 256u < size ? first + j * 256u : size - 1u;
            const u32 q1 = quotient_u32(position, multiplier_1, shift_1);
            const i32 c1 = (i32)(position - q1 * extent_1);
            const i32 c0 = (i32)q1;
            place[j] = c0 * array_step_0 + c1 * array_step_1;
            element[j] = c0 * elements_step_0 + c1 * elements_step_1;
        }
        f32 moved[4];
        switch ((u32)piece[3]) {
        case 0u: {
            UNROLL for (u32 j = 0; j < 4u; j++) convert_0(*((GLOBAL const i16 *)piece[0] + place[j]), &moved[j]);
            break;
        }
        case 1u: {
            UNROLL for (u32 j = 0; j < 4u; j++) convert_1(*((GLOBAL const f32 *)piece[0] + place[j]), &moved[j]);
            break;
        }
        }
        UNROLL for (u32 j = 0; j < 4u; j++) *((GLOBAL f32 *)piece[1] + element[j]) = moved[j];
    }
}
