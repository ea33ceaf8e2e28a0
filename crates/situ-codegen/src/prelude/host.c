// once
// C11's names for what the library is written in.
#define INLINE static inline

#define OUTLINE static __attribute__((noinline))

#define CONSTANT static const

#define KERNEL static void

// No block has more threads than this.
#define BOUNDED(threads)

// The same, and a processor has room for so many of the blocks at a time.
#define RESIDENT(threads, blocks)

#define GLOBAL

#define SHARED static

#define LOCAL

// The only way to what an address leads to.
#define RESTRICT restrict

// What a thread keeps from one phase of a kernel to the next. No block has more than 1024 threads.
#define PRIVATE(type, name) static type name[1024]

#define MINE(name) name[THREAD_X]

#define ALIGNED(bytes) __attribute__((aligned(bytes)))

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
typedef u8 bytes1;

typedef u16 __attribute__((may_alias)) bytes2;

typedef u32 __attribute__((may_alias)) bytes4;

typedef u64 __attribute__((may_alias)) bytes8;

typedef struct ALIGNED(16) __attribute__((may_alias)) { u64 lower; u64 upper; } bytes16;

// Where a kernel is. A launch goes through the blocks, and each phase of a kernel through the threads of the block.
static u32 block_at[3], thread_at[3], block_size[3], grid_size[3];

// What follows is done by every thread of the block.
#define EACH_THREAD \
    for (thread_at[2] = 0; thread_at[2] < block_size[2]; thread_at[2]++) \
        for (thread_at[1] = 0; thread_at[1] < block_size[1]; thread_at[1]++) \
            for (thread_at[0] = 0; thread_at[0] < block_size[0]; thread_at[0]++)

#define BARRIER()

// The same for memory that all blocks see.
#define GLOBAL_BARRIER()

// The same for 32 neighbouring threads, of which all are there.
#define WARP_BARRIER()

// What a thread wrote before comes to other blocks before what it writes after.
#define FENCE()

#define BLOCK_X block_at[0]

#define BLOCK_Y block_at[1]

#define BLOCK_Z block_at[2]

#define THREAD_X thread_at[0]

#define THREAD_Y thread_at[1]

#define THREAD_Z thread_at[2]

#define BLOCK_SIZE_X block_size[0]

#define BLOCK_SIZE_Y block_size[1]

#define BLOCK_SIZE_Z block_size[2]

#define GRID_SIZE_X grid_size[0]

#define GRID_SIZE_Y grid_size[1]

#define GRID_SIZE_Z grid_size[2]

// A block's own memory. No launch asks for more than this.
#define DYNAMIC_LOCAL(name) static ALIGNED(16) u8 name[1 << 16]

#define UNROLL

#define INF_f32 __builtin_inff()

#define NAN_f32 __builtin_nanf("")

#define INF_f64 __builtin_inf()

#define NAN_f64 __builtin_nan("")

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

INLINE u32 bits_f32(f32 a) {
    u32 bits;
    __builtin_memcpy(&bits, &a, 4);
    return bits;
}

INLINE u64 bits_f64(f64 a) {
    u64 bits;
    __builtin_memcpy(&bits, &a, 8);
    return bits;
}

INLINE f32 from_bits_f32(u32 bits) {
    f32 a;
    __builtin_memcpy(&a, &bits, 4);
    return a;
}

INLINE f64 from_bits_f64(u64 bits) {
    f64 a;
    __builtin_memcpy(&a, &bits, 8);
    return a;
}

INLINE f32 FMA_f32(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }

INLINE f64 FMA_f64(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }

// The result is of no use where divisor, dividend or quotient are near the ends of the range; a dividend of 0 is fine.
#define QUOTIENT_f32(a, b) ((a) / (b))

#define QUOTIENT_f64(a, b) ((a) / (b))

// The same for a dividend of 1.
#define INVERSE_f32(a) (1.0f / (a))

#define INVERSE_f64(a) (1.0 / (a))

INLINE f32 SQRT_f32(f32 a) { return __builtin_sqrtf(a); }

INLINE f64 SQRT_f64(f64 a) { return __builtin_sqrt(a); }

// The square root of 0 or of a number that is not near the ends of the range.
#define ROOT_f32(a) SQRT_f32(a)

#define ROOT_f64(a) SQRT_f64(a)

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
INLINE u32 MULHI_u32(u32 a, u32 b) { return (u32)(((u64)a * b) >> 32); }

INLINE u64 MULHI_u64(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }

// How many zeros come before the highest set bit; the width for 0.
INLINE u32 CLZ_u32(u32 a) { return a == 0 ? 32u : (u32)__builtin_clz(a); }

INLINE u32 CLZ_u64(u64 a) { return a == 0 ? 64u : (u32)__builtin_clzll(a); }

// How many zeros come after the lowest set bit; the width for 0.
INLINE u32 CTZ_u32(u32 a) { return a == 0 ? 32u : (u32)__builtin_ctz(a); }

INLINE u32 CTZ_u64(u64 a) { return a == 0 ? 64u : (u32)__builtin_ctzll(a); }

// How many bits are set.
INLINE u32 POPCOUNT_u32(u32 a) { return (u32)__builtin_popcount(a); }

INLINE u32 POPCOUNT_u64(u64 a) { return (u32)__builtin_popcountll(a); }

INLINE void ATOMIC_MAX_u64(GLOBAL u64 *at, u64 value) {
    if (*at < value) *at = value;
}

// Adds to a number; what it was before.
INLINE u32 ATOMIC_ADD_u32(GLOBAL u32 *at, u32 value) {
    u32 before = *at;
    *at = before + value;
    return before;
}

// The same in the block's own memory.
#define LOCAL_ADD_u32(at, value) ATOMIC_ADD_u32(at, value)

INLINE u64 ATOMIC_ADD_u64(GLOBAL u64 *at, u64 value) {
    u64 before = *at;
    *at = before + value;
    return before;
}

// Whether this is the first to write to a word.
INLINE u32 CLAIM(GLOBAL i64 *at) {
    const u32 is_first = *at == 0;
    *at = 1;
    return is_first;
}

// The value of one of 32 neighbouring threads, of which so many are there: one after another, each has its own only.
INLINE u32 SHUFFLE_u32(u32 value, u32 from, u32 size) { return value; }

INLINE u64 SHUFFLE_u64(u64 value, u32 from, u32 size) { return value; }

// How many threads of the block come with a bit: one after another, each would find all.
INLINE u32 BARRIER_COUNT(u32 bit) { return bit * block_size[0] * block_size[1] * block_size[2]; }

// Sets bits of a number in the block's own memory.
INLINE void LOCAL_OR_u32(LOCAL u32 *at, u32 bits) { *at |= bits; }

// Brings the 32 bytes around an address into a cache.
INLINE void PREFETCH(const GLOBAL void *at) { __builtin_prefetch(at); }

INLINE f32 widen_f16(f16 a) {
    u32 sign = (u32)(a.bits & 0x8000u) << 16;
    u32 magnitude = a.bits & 0x7fffu;
    if (magnitude >= 0x7c00u) {
        return from_bits_f32(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
    }
    // Exponents differ by 112, which a product makes good for subnormal numbers too.
    return from_bits_f32(sign | bits_f32(from_bits_f32(magnitude << 13) * 0x1p112f));
}

// Rounded to the nearest, to even between two.
INLINE f16 narrow_f16(f32 a) {
    f16 narrow;
    u32 bits = bits_f32(a);
    u32 magnitude = bits & 0x7fffffffu;
    u32 half_bits;
    if (magnitude > 0x7f800000u) {
        half_bits = 0x7e00u;
    } else if (magnitude >= 0x477ff000u) {
        half_bits = 0x7c00u;
    } else if (magnitude >= 0x38800000u) {
        half_bits = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
    } else {
        // Adding a half rounds at the last place of subnormal numbers.
        half_bits = bits_f32(from_bits_f32(magnitude) + 0.5f) - 0x3f000000u;
    }
    narrow.bits = (u16)(half_bits | ((bits >> 16) & 0x8000u));
    return narrow;
}

// By way of the single-precision number toward zero with a sticky last bit, so that it is rounded once.
INLINE f16 narrow_f16_f64(f64 a) {
    f32 near = (f32)a;
    if ((f64)near == a || a != a) {
        return narrow_f16(near);
    }
    return narrow_f16(from_bits_f32((bits_f32(near) - (ABS_f64((f64)near) > ABS_f64(a) ? 1u : 0u)) | 1u));
}
