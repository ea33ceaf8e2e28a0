// CUDA C's names for what the library is written in.
#define INLINE static __device__ __forceinline__

#define KERNEL extern "C" __global__ void

// No block has more threads than this.
#define BOUNDED(threads) __launch_bounds__(threads)

#define GLOBAL

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BLOCK_X blockIdx.x
#define THREAD_X threadIdx.x
#define UNROLL _Pragma("unroll")
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
typedef unsigned short bytes2;
typedef unsigned long long bytes8;
typedef uint4 bytes16;
INLINE void store_bytes2(GLOBAL void *to, bytes2 a) { *(GLOBAL bytes2 *)to = a; }
INLINE void store_bytes8(GLOBAL void *to, bytes8 a) { *(GLOBAL bytes8 *)to = a; }

// In so many words, because the compiler takes structures apart and does not always put them together again.
INLINE bytes16 load_bytes16(const GLOBAL void *from) {
    bytes16 a;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a.x), "=r"(a.y), "=r"(a.z), "=r"(a.w)
                 : "l"(__cvta_generic_to_global(from))
                 : "memory");
    return a;
}

INLINE f64 mul_f64(f64 a, f64 b) { return a * b; }
INLINE u8 lt_f64(f64 a, f64 b) { return a < b; }
INLINE f32 cast_f64_f32(f64 a) { return (f32)a; }

INLINE void element(f64 v0, f64 v1, f32 *out0, u8 *out1) {
    f64 v2 = mul_f64(v0, v0);
    u8 v3 = lt_f64(v2, v1);
    f64 v4 = v3 ? v2 : v1;
    f32 v5 = cast_f64_f32(v4);
    *out0 = v5;
    *out1 = v3;
}

typedef union { f32 at[2]; bytes8 whole; } f32x2;
typedef union { f64 at[2]; bytes16 whole; } f64x2;
typedef union { u8 at[2]; bytes2 whole; } u8x2;

// (%0: float64, %1: float64) {
//   %2 = square %0: float64
//   %3 = less %2 %1: bool
//   %4 = select %3 %2 %1: float64
//   %5 = cast %4: float32
// } -> %5, %3
KERNEL BOUNDED(256) situ_square_less_where_f64_f32_dense(GLOBAL const f64 *in0, GLOBAL const f64 *in1,
    GLOBAL f32 *out0, GLOBAL u8 *out1, const u64 size) {
    EACH_THREAD {
        u64 group = (u64)BLOCK_X * 256u + THREAD_X;
        u64 groups = size / 2u;
        if (group < groups) {
            u64 first = group * 2u;
            f64x2 a0;
            f64x2 a1;
            a0.whole = load_bytes16(in0 + first);
            a1.whole = load_bytes16(in1 + first);
            f32x2 r0;
            u8x2 r1;
            UNROLL
            for (u32 k = 0; k < 2; k++) {
                element(a0.at[k], a1.at[k], &r0.at[k], &r1.at[k]);
            }
            store_bytes8(out0 + first, r0.whole);
            store_bytes2(out1 + first, r1.whole);
        } else if (group - groups < size % 2u) {
            u64 last = groups * 2u + (group - groups);
            f32 e0;
            u8 e1;
            element(in0[last], in1[last], &e0, &e1);
            out0[last] = e0;
            out1[last] = e1;
        }
    }
}
