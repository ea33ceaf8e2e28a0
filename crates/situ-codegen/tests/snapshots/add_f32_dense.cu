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
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef uint4 bytes16;

// In so many words, because the compiler takes structures apart and does not always put them together again.
INLINE bytes16 load_bytes16(const GLOBAL void *from) {
    bytes16 a;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a.x), "=r"(a.y), "=r"(a.z), "=r"(a.w)
                 : "l"(__cvta_generic_to_global(from))
                 : "memory");
    return a;
}

INLINE void store_bytes16(GLOBAL void *to, bytes16 a) {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(__cvta_generic_to_global(to)), "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w)
                 : "memory");
}

// A product and a sum after it are two roundings; compilers are told not to make them one.
INLINE f32 add_f32(f32 a, f32 b) { return a + b; }

INLINE void element(f32 v0, f32 v1, f32 *out0) {
    f32 v2 = add_f32(v0, v1);
    *out0 = v2;
}

typedef union { f32 at[4]; bytes16 whole; } f32x4;

// (%0: float32, %1: float32) {
//   %2 = add %0 %1: float32
// } -> %2
KERNEL BOUNDED(256) situ_add_f32_dense(GLOBAL const f32 *in0, GLOBAL const f32 *in1, GLOBAL f32 *out0, const u64 size) {
    EACH_THREAD {
        u64 group = (u64)BLOCK_X * 256u + THREAD_X;
        u64 groups = size / 4u;
        if (group < groups) {
            u64 first = group * 4u;
            f32x4 a0;
            f32x4 a1;
            a0.whole = load_bytes16(in0 + first);
            a1.whole = load_bytes16(in1 + first);
            f32x4 r0;
            UNROLL
            for (u32 k = 0; k < 4; k++) {
                element(a0.at[k], a1.at[k], &r0.at[k]);
            }
            store_bytes16(out0 + first, r0.whole);
        } else if (group - groups < size % 4u) {
            u64 last = groups * 4u + (group - groups);
            f32 e0;
            element(in0[last], in1[last], &e0);
            out0[last] = e0;
        }
    }
}
