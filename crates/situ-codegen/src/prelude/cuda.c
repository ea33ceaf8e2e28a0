// once
// CUDA C's names for what the library is written in.
#define INLINE static __device__ __forceinline__

#define OUTLINE static __device__ __noinline__

#define CONSTANT static __constant__ const

#define KERNEL extern "C" __global__ void

// No block has more threads than this.
#define BOUNDED(threads) __launch_bounds__(threads)

// The same, and a processor has room for so many of the blocks at a time.
#define RESIDENT(threads, blocks) __launch_bounds__(threads, blocks)

#define GLOBAL

#define SHARED __shared__

#define LOCAL

// The only way to what an address leads to.
#define RESTRICT __restrict__

// What a thread keeps from one phase of a kernel to the next.
#define PRIVATE(type, name) type name

#define MINE(name) name

#define ALIGNED(bytes) __align__(bytes)

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BARRIER() __syncthreads()

// The same for memory that all blocks see.
#define GLOBAL_BARRIER() __syncthreads()

// The same for 32 neighbouring threads, of which all are there.
#define WARP_BARRIER() __syncwarp()

// What a thread wrote before comes to other blocks before what it writes after.
#define FENCE() __threadfence()

#define BLOCK_X blockIdx.x

#define BLOCK_Y blockIdx.y

#define BLOCK_Z blockIdx.z

#define THREAD_X threadIdx.x

#define THREAD_Y threadIdx.y

#define THREAD_Z threadIdx.z

#define BLOCK_SIZE_X blockDim.x

#define BLOCK_SIZE_Y blockDim.y

#define BLOCK_SIZE_Z blockDim.z

#define GRID_SIZE_X gridDim.x

#define GRID_SIZE_Y gridDim.y

#define GRID_SIZE_Z gridDim.z

// A block's own memory, of which a launch says how much there is.
#define DYNAMIC_LOCAL(name) extern __shared__ ALIGNED(16) unsigned char name[]

#define UNROLL _Pragma("unroll")

typedef signed char i8;

typedef short i16;

typedef int i32;

typedef long long i64;

typedef unsigned char u8;

typedef unsigned short u16;

typedef unsigned int u32;

typedef unsigned long long u64;

typedef float f32;

typedef double f64;

typedef struct ALIGNED(2) { u16 bits; } f16;

typedef struct ALIGNED(8) { f32 re; f32 im; } c64;

typedef struct ALIGNED(16) { f64 re; f64 im; } c128;

// What moves at once, whatever it holds.
typedef unsigned char bytes1;

typedef unsigned short bytes2;

typedef unsigned int bytes4;

typedef unsigned long long bytes8;

typedef uint4 bytes16;

#define INF_f32 __int_as_float(0x7f800000)

#define NAN_f32 __int_as_float(0x7fc00000)

#define INF_f64 __longlong_as_double(0x7ff0000000000000ll)

#define NAN_f64 __longlong_as_double(0x7ff8000000000000ll)

INLINE bytes1 load_bytes1(const GLOBAL void *from) { return *(const GLOBAL bytes1 *)from; }

INLINE void store_bytes1(GLOBAL void *to, bytes1 a) { *(GLOBAL bytes1 *)to = a; }

INLINE bytes2 load_bytes2(const GLOBAL void *from) { return *(const GLOBAL bytes2 *)from; }

INLINE void store_bytes2(GLOBAL void *to, bytes2 a) { *(GLOBAL bytes2 *)to = a; }

INLINE bytes4 load_bytes4(const GLOBAL void *from) { return *(const GLOBAL bytes4 *)from; }

INLINE void store_bytes4(GLOBAL void *to, bytes4 a) { *(GLOBAL bytes4 *)to = a; }

INLINE bytes8 load_bytes8(const GLOBAL void *from) { return *(const GLOBAL bytes8 *)from; }

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

INLINE void store_bytes16(GLOBAL void *to, bytes16 a) {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(__cvta_generic_to_global(to)), "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w)
                 : "memory");
}

INLINE u32 bits_f32(f32 a) { return __float_as_uint(a); }

INLINE u64 bits_f64(f64 a) { return (u64)__double_as_longlong(a); }

INLINE f32 from_bits_f32(u32 bits) { return __uint_as_float(bits); }

INLINE f64 from_bits_f64(u64 bits) { return __longlong_as_double((i64)bits); }

INLINE f32 FMA_f32(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }

INLINE f64 FMA_f64(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }

// Division without its tests for the ends of the range, which cost a branch: the inverse to some twenty bits, brought to
// all, and the quotient corrected by its remainder. The result is of no use where divisor, dividend or quotient are near the
// ends; a dividend of 0 is fine.
INLINE f32 QUOTIENT_f32(f32 a, f32 b) {
    f32 inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(b));
    inverse = FMA_f32(inverse, FMA_f32(-b, inverse, 1.0f), inverse);
    f32 quotient = a * inverse;
    return FMA_f32(inverse, FMA_f32(-b, quotient, a), quotient);
}

// The same for a dividend of 1.
INLINE f32 INVERSE_f32(f32 a) {
    f32 inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(a));
    return FMA_f32(inverse, FMA_f32(-a, inverse, 1.0f), inverse);
}

// The first guess has its last bit set: from a power of two, the inverse of the number just below another would be rounded
// to the wrong side.
INLINE f64 INVERSE_f64(f64 a) {
    f64 inverse;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(a));
    inverse = from_bits_f64(bits_f64(inverse) | 1u);
    f64 missing = FMA_f64(-a, inverse, 1.0);
    inverse = FMA_f64(inverse, FMA_f64(missing, missing, missing), inverse);
    return FMA_f64(inverse, FMA_f64(-a, inverse, 1.0), inverse);
}

INLINE f64 QUOTIENT_f64(f64 a, f64 b) {
    f64 inverse = INVERSE_f64(b);
    f64 quotient = a * inverse;
    return FMA_f64(inverse, FMA_f64(-b, quotient, a), quotient);
}

INLINE f32 SQRT_f32(f32 a) { return __fsqrt_rn(a); }

INLINE f64 SQRT_f64(f64 a) { return __dsqrt_rn(a); }

// The square root without its tests for the ends of the range, which cost a branch: of 0 and numbers from 2^-100 on, or NaN
// below 0. The steps are those of the compiler's own square root. The root of 0 needs a guess that is finite.
INLINE f32 ROOT_f32(f32 a) {
    f32 inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(from_bits_f32(max(bits_f32(a), 0x0d000000u))));
    f32 root = a * inverse;
    return FMA_f32(FMA_f32(-root, root, a), inverse * 0.5f, root);
}

// Of 0 and numbers from 2^-970 on. The lower half of the first guess may be anything, and is what the compiler makes it.
INLINE f64 ROOT_f64(f64 a) {
    u32 upper = (u32)(bits_f64(a) >> 32);
    f64 guess;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(from_bits_f64((u64)max(upper, 0x03500000u) << 32)));
    guess = from_bits_f64(bits_f64(guess) | (upper - 0x03500000u));
    f64 missing = FMA_f64(a, -(guess * guess), 1.0);
    f64 inverse = FMA_f64(FMA_f64(missing, 0.375, 0.5), guess * missing, guess);
    f64 root = a * inverse;
    return FMA_f64(FMA_f64(-root, root, a), 0.5 * inverse, root);
}

INLINE f32 FLOOR_f32(f32 a) { return floorf(a); }

INLINE f64 FLOOR_f64(f64 a) { return floor(a); }

INLINE f32 CEIL_f32(f32 a) { return ceilf(a); }

INLINE f64 CEIL_f64(f64 a) { return ceil(a); }

INLINE f32 TRUNC_f32(f32 a) { return truncf(a); }

INLINE f64 TRUNC_f64(f64 a) { return trunc(a); }

// The nearest integer, the even one of two.
INLINE f32 RINT_f32(f32 a) { return rintf(a); }

INLINE f64 RINT_f64(f64 a) { return rint(a); }

INLINE f32 ABS_f32(f32 a) { return fabsf(a); }

INLINE f64 ABS_f64(f64 a) { return fabs(a); }

INLINE f32 COPYSIGN_f32(f32 a, f32 sign) { return copysignf(a, sign); }

INLINE f64 COPYSIGN_f64(f64 a, f64 sign) { return copysign(a, sign); }

// The upper half of a product.
INLINE u32 MULHI_u32(u32 a, u32 b) { return __umulhi(a, b); }

INLINE u64 MULHI_u64(u64 a, u64 b) { return __umul64hi(a, b); }

// How many zeros come before the highest set bit; the width for 0.
INLINE u32 CLZ_u32(u32 a) { return (u32)__clz((i32)a); }

INLINE u32 CLZ_u64(u64 a) { return (u32)__clzll((i64)a); }

// How many zeros come after the lowest set bit; the width for 0.
INLINE u32 CTZ_u32(u32 a) { return (u32)__clz((i32)__brev(a)); }

INLINE u32 CTZ_u64(u64 a) { return (u32)__clzll((i64)__brevll(a)); }

// How many bits are set.
INLINE u32 POPCOUNT_u32(u32 a) { return (u32)__popc(a); }

INLINE u32 POPCOUNT_u64(u64 a) { return (u32)__popcll(a); }

INLINE void ATOMIC_MAX_u64(GLOBAL u64 *at, u64 value) { atomicMax(at, value); }

// Adds to a number; what it was before.
INLINE u32 ATOMIC_ADD_u32(GLOBAL u32 *at, u32 value) { return atomicAdd(at, value); }

// The same in the block's own memory.
INLINE u32 LOCAL_ADD_u32(LOCAL u32 *at, u32 value) { return atomicAdd(at, value); }

INLINE u64 ATOMIC_ADD_u64(GLOBAL u64 *at, u64 value) { return atomicAdd(at, value); }

// Puts a word where another is expected; what was there. In memory of either kind.
#define CAS_u32(at, expected, value) atomicCAS((u32 *)(at), expected, value)

#define CAS_u64(at, expected, value) atomicCAS((u64 *)(at), expected, value)

// The same for two words; whether the expected ones were there, which are what was there afterwards.
INLINE u32 CAS_c128(c128 *at, c128 *expected, c128 value) {
    const u64 low = (u64)__double_as_longlong(expected->re), high = (u64)__double_as_longlong(expected->im);
    u64 low_before, high_before;
    asm volatile("{\n.reg .b128 e, n, o;\nmov.b128 e, {%2, %3};\nmov.b128 n, {%4, %5};\n"
                 "atom.cas.b128 o, [%6], e, n;\nmov.b128 {%0, %1}, o;\n}"
                 : "=l"(low_before), "=l"(high_before)
                 : "l"(low), "l"(high), "l"(__double_as_longlong(value.re)), "l"(__double_as_longlong(value.im)), "l"(at)
                 : "memory");
    expected->re = __longlong_as_double((i64)low_before);
    expected->im = __longlong_as_double((i64)high_before);
    return low_before == low && high_before == high;
}

INLINE f16 ATOMIC_ADD_f16(f16 *at, f16 value) {
    f16 before;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(before.bits) : "l"(at), "h"(value.bits) : "memory");
    return before;
}

// Whether this is the first to write to a word, which the host sees.
INLINE u32 CLAIM(i64 *at) { return atomicCAS_system((u64 *)at, (u64)0, (u64)1) == 0; }

// The value of one of the first threads of 32 neighbours, of which so many are there.
INLINE u32 SHUFFLE_u32(u32 value, u32 from, u32 size) { return __shfl_sync(0xffffffffu >> (32u - size), value, from); }

INLINE u64 SHUFFLE_u64(u64 value, u32 from, u32 size) { return __shfl_sync(0xffffffffu >> (32u - size), value, from); }

// Waits for the threads of the block that are still there; how many of them come with a bit.
INLINE u32 BARRIER_COUNT(u32 bit) {
    u32 count;
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %1, 0;\nbarrier.red.popc.u32 %0, 0, p;\n}"
                 : "=r"(count)
                 : "r"(bit)
                 : "memory");
    return count;
}

// Sets bits of a number in the block's own memory.
INLINE void LOCAL_OR_u32(LOCAL u32 *at, u32 bits) { atomicOr(at, bits); }

// Brings the 32 bytes around an address into the cache that all processors share.
INLINE void PREFETCH(const GLOBAL void *at) {
    asm volatile("prefetch.global.L2 [%0];" : : "l"(__cvta_generic_to_global(at)));
}

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

INLINE f16 narrow_f16_f64(f64 a) {
    f16 narrow;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(narrow.bits) : "d"(a));
    return narrow;
}
