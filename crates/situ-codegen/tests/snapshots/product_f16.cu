// CUDA C's names for what the library is written in.
#define INLINE static __device__ __forceinline__

#define KERNEL extern "C" __global__ void

// No block has more threads than this.
#define BOUNDED(threads) __launch_bounds__(threads)

#define GLOBAL
#define SHARED __shared__

// The only way to what an address leads to.
#define RESTRICT __restrict__

// What a thread keeps from one phase of a kernel to the next.
#define PRIVATE(type, name) type name

#define MINE(name) name
#define ALIGNED(bytes) __align__(bytes)

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BARRIER() __syncthreads()
#define BLOCK_X blockIdx.x
#define THREAD_X threadIdx.x
#define UNROLL _Pragma("unroll")
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef float f32;
typedef struct ALIGNED(2) { u16 bits; } f16;
INLINE f32 FMA_f32(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }

INLINE f32 widen_f16(f16 a) {
    f32 wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(a.bits));
    return wide;
}

// Rounded to the nearest, to even between two.
INLINE f16 narrow_f16(f32 a) {
    f16 narrow;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(a));
    return narrow;
}

INLINE f32 cast_bool_f32(u8 a) { return (f32)a; }
INLINE f32 cast_f32_f32(f32 a) { return (f32)a; }
INLINE f16 cast_f32_f16(f32 a) { return narrow_f16(a); }
INLINE f32 cast_f16_f32(f16 a) { return cast_f32_f32(widen_f16(a)); }

typedef f32 wide;

INLINE wide widened(f16 a) { return cast_f16_f32(a); }

INLINE f16 narrowed(wide a) { return cast_f32_f16(a); }

INLINE wide nothing() { return cast_bool_f32(0); }

INLINE wide plus_product(wide sum, wide a, wide b) { return FMA_f32(a, b, sum); }

// The sums of a thread.
typedef struct { wide at[16]; } sums;

// Products of matrices, 64 by 64 results a block; 1 axis, 32-bit positions.
KERNEL BOUNDED(256) situ_product_f16(GLOBAL const f16 *RESTRICT in0, GLOBAL const f16 *RESTRICT in1,
    GLOBAL f16 *RESTRICT out, const i64 length_0, const i64 length_1, const i64 length_2, const u32 tiles,
    const u32 strips, const i32 in0_step_0, const i32 in0_step_1, const i32 in0_step_2, const i32 in1_step_0,
    const i32 in1_step_1, const i32 in1_step_2, const i32 out_step_0, const i32 out_step_1, const i32 out_step_2) {
    SHARED wide left[1024];
    SHARED wide right[1024];
    PRIVATE(sums, own);
    const i32 column = (i32)(BLOCK_X % strips * 64u);
    const i32 row = (i32)(BLOCK_X / strips % tiles * 64u);
    const u32 product = BLOCK_X / strips / tiles;
    const i32 c0 = (i32)product;
    const i32 left_first = c0 * in0_step_0;
    const i32 right_first = c0 * in1_step_0;
    const i32 out_first = c0 * out_step_0;
    EACH_THREAD {
        UNROLL for (u32 n = 0; n < 16u; n++) MINE(own).at[n] = nothing();
    }
    for (i32 done = 0; done < length_2; done += 16) {
        EACH_THREAD {
            for (u32 n = THREAD_X; n < 1024u; n += 256u) {
                const u32 inner = n % 16u, outer = n / 16u;
                const i32 at = row + (i32)outer, deep = done + (i32)inner;
                left[inner * 64u + outer] = at < length_0 && deep < length_2 ? widened(in0[left_first + at * in0_step_1 + deep * in0_step_2]) : nothing();
            }
            for (u32 n = THREAD_X; n < 1024u; n += 256u) {
                const u32 inner = n % 64u, outer = n / 64u;
                const i32 at = column + (i32)inner, deep = done + (i32)outer;
                right[outer * 64u + inner] = at < length_1 && deep < length_2 ? widened(in1[right_first + deep * in1_step_1 + at * in1_step_2]) : nothing();
            }
        }
        BARRIER();
        EACH_THREAD {
            UNROLL for (u32 k = 0; k < 16u; k++) {
                wide a[4], b[4];
                UNROLL for (u32 i = 0; i < 4u; i++) a[i] = left[k * 64u + THREAD_X / 16u + i * 16u];
                UNROLL for (u32 j = 0; j < 4u; j++) b[j] = right[k * 64u + THREAD_X % 16u + j * 16u];
                UNROLL for (u32 i = 0; i < 4u; i++) {
                    UNROLL for (u32 j = 0; j < 4u; j++) {
                        MINE(own).at[i * 4u + j] = plus_product(MINE(own).at[i * 4u + j], a[i], b[j]);
                    }
                }
            }
        }
        BARRIER();
    }
    EACH_THREAD {
        UNROLL for (u32 i = 0; i < 4u; i++) {
            UNROLL for (u32 j = 0; j < 4u; j++) {
                const i32 r = row + (i32)(THREAD_X / 16u + i * 16u);
                const i32 c = column + (i32)(THREAD_X % 16u + j * 16u);
                if (r < length_0 && c < length_1) {
                    const f16 value = narrowed(MINE(own).at[i * 4u + j]);
                    out[out_first + r * out_step_1 + c * out_step_2] = value;
                }
            }
        }
    }
}
