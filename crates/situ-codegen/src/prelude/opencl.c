// once
// OpenCL C's names for what the library is written in. A product and a sum are never fused.
#pragma OPENCL FP_CONTRACT OFF
#define INLINE static inline __attribute__((always_inline))

#define OUTLINE static __attribute__((noinline))

#define CONSTANT __constant const

// No block has more threads than this.
#define BOUNDED(threads)

// The same, and a processor has room for so many of the blocks at a time.
#define RESIDENT(threads, blocks)

#define GLOBAL __global

#define SHARED __local

#define LOCAL __local

// The only way to what an address leads to.
#define RESTRICT restrict

#define ALIGNED(bytes) __attribute__((aligned(bytes)))

// What a thread wrote before comes to other blocks before what it writes after.
#define FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)

// A block's own memory is a parameter.
#define DYNAMIC_LOCAL(name)

#define UNROLL _Pragma("unroll")

typedef char i8;

typedef short i16;

typedef int i32;

typedef long i64;

typedef uchar u8;

typedef ushort u16;

typedef uint u32;

typedef ulong u64;

typedef float f32;

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double f64;

typedef struct ALIGNED(2) { u16 bits; } f16;

typedef struct ALIGNED(8) { f32 re; f32 im; } c64;

typedef struct ALIGNED(16) { f64 re; f64 im; } c128;

// What moves at once, whatever it holds.
typedef uchar bytes1;

typedef ushort bytes2;

typedef uint bytes4;

typedef ulong bytes8;

typedef uint4 bytes16;

#define INF_f32 as_float(0x7f800000u)

#define NAN_f32 as_float(0x7fc00000u)

#define INF_f64 as_double(0x7ff0000000000000ul)

#define NAN_f64 as_double(0x7ff8000000000000ul)

INLINE bytes1 load_bytes1(const GLOBAL void *from) { return *(const GLOBAL bytes1 *)from; }

INLINE void store_bytes1(GLOBAL void *to, bytes1 a) { *(GLOBAL bytes1 *)to = a; }

INLINE bytes2 load_bytes2(const GLOBAL void *from) { return *(const GLOBAL bytes2 *)from; }

INLINE void store_bytes2(GLOBAL void *to, bytes2 a) { *(GLOBAL bytes2 *)to = a; }

INLINE bytes4 load_bytes4(const GLOBAL void *from) { return *(const GLOBAL bytes4 *)from; }

INLINE void store_bytes4(GLOBAL void *to, bytes4 a) { *(GLOBAL bytes4 *)to = a; }

INLINE bytes8 load_bytes8(const GLOBAL void *from) { return *(const GLOBAL bytes8 *)from; }

INLINE void store_bytes8(GLOBAL void *to, bytes8 a) { *(GLOBAL bytes8 *)to = a; }

INLINE bytes16 load_bytes16(const GLOBAL void *from) { return *(const GLOBAL bytes16 *)from; }

INLINE void store_bytes16(GLOBAL void *to, bytes16 a) { *(GLOBAL bytes16 *)to = a; }

INLINE u32 bits_f32(f32 a) { return as_uint(a); }

INLINE u64 bits_f64(f64 a) { return as_ulong(a); }

INLINE f32 from_bits_f32(u32 bits) { return as_float(bits); }

INLINE f64 from_bits_f64(u64 bits) { return as_double(bits); }

// The result is of no use where divisor, dividend or quotient are near the ends of the range; a dividend of 0 is fine.
#define QUOTIENT_f32(a, b) ((a) / (b))

#define QUOTIENT_f64(a, b) ((a) / (b))

// The same for a dividend of 1.
#define INVERSE_f32(a) (1.0f / (a))

#define INVERSE_f64(a) (1.0 / (a))

// The square root of 0 or of a number that is not near the ends of the range.
#define ROOT_f32(a) SQRT_f32(a)

#define ROOT_f64(a) SQRT_f64(a)

// How many zeros come before the highest set bit; the width for 0.
INLINE u32 CLZ_u32(u32 a) { return clz(a); }

INLINE u32 CLZ_u64(u64 a) { return (u32)clz(a); }

// How many zeros come after the lowest set bit; the width for 0.
INLINE u32 CTZ_u32(u32 a) { return a == 0 ? 32u : 31u - clz(a & (0u - a)); }

INLINE u32 CTZ_u64(u64 a) { return a == 0 ? 64u : 63u - (u32)clz(a & (0ul - a)); }

// How many bits are set.
INLINE u32 POPCOUNT_u32(u32 a) { return popcount(a); }

INLINE u32 POPCOUNT_u64(u64 a) { return (u32)popcount(a); }

#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
INLINE void ATOMIC_MAX_u64(GLOBAL u64 *at, u64 value) { atom_max((volatile GLOBAL u64 *)at, value); }

// Adds to a number; what it was before.
INLINE u32 ATOMIC_ADD_u32(GLOBAL u32 *at, u32 value) { return atomic_add((volatile GLOBAL u32 *)at, value); }

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
INLINE u64 ATOMIC_ADD_u64(GLOBAL u64 *at, u64 value) { return atom_add((volatile GLOBAL u64 *)at, value); }

// Puts a word where another is expected; what was there. In memory of either kind.
#define CAS_u32(at, expected, value) atomic_cmpxchg(at, expected, value)

#define CAS_u64(at, expected, value) atom_cmpxchg(at, expected, value)

// Whether this is the first to write to a word, which the host sees.
INLINE u32 CLAIM(GLOBAL i64 *at) { return atom_cmpxchg((volatile GLOBAL i64 *)at, 0, 1) == 0; }

// Brings the 32 bytes around an address into a cache.
INLINE void PREFETCH(const GLOBAL void *at) { prefetch((const GLOBAL u8 *)at, 1); }

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

INLINE f16 narrow_f16_f64(f64 a) {
    f16 narrow;
    vstore_half_rte(a, 0, (half *)&narrow.bits);
    return narrow;
}
