// for u8 u16 u32 u64
// The place of an element in the order of its dtype, from its bits: the same as situ-ir has it.
INLINE T key_T(T bits) { return bits; }

// for i8 i16 i32 i64
INLINE U key_T(U bits) { return (U)(bits ^ (U)((U)1 << (8 * sizeof(T) - 1))); }

// once
// In numbers: Intel's OpenCL compiler orders truth values as if true were -1.
INLINE u8 key_bool(u8 bits) { return (u8)((bits + 255u) >> 8); }

#define IS_NAN_BITS_f16(bits) (((bits) & 0x7fffu) > 0x7c00u)

// for f32 f64
#define IS_NAN_BITS_T(bits) (from_bits_T(bits) != from_bits_T(bits))

// for f16 f32 f64
// Negating turns negative numbers round, and makes one of the two zeros. What is not a number has the last key.
INLINE U key_T(U bits) {
    const U sign = (U)((U)1 << (8 * sizeof(T) - 1));
    const U place = (U)((bits & sign ? 0u - bits : bits) ^ (~bits & sign));
    return IS_NAN_BITS_T(bits) ? (U)~(U)0 : place;
}

// once
// The real part decides, then the other one; behind them, what is not a number by what is one of it.
INLINE u64 key_c64(u64 bits) {
    const u32 nan = ~0u, re = key_f32((u32)bits), im = key_f32((u32)(bits >> 32));
    const u32 high = re == nan ? (im == nan ? nan : nan - 1u) : im == nan ? nan - 2u : re;
    const u32 low = re != nan && im == nan ? re : im;
    return (u64)high << 32 | low;
}

INLINE e16 key_c128(e16 bits) {
    const u64 nan = ~(u64)0, re = key_f64(bits.low), im = key_f64(bits.high);
    e16 key;
    key.high = re == nan ? (im == nan ? nan : nan - 1u) : im == nan ? nan - 2u : re;
    key.low = re != nan && im == nan ? re : im;
    return key;
}

// Whether elements with a key are not equal to anything, because they are not a number.
#define DIFFERS_bool(key) 0u

// for i8 i16 i32 i64 u8 u16 u32 u64
#define DIFFERS_T(key) 0u

// for f16 f32 f64
#define DIFFERS_T(key) ((key) == (U)~(U)0)

// once
#define DIFFERS_c64(key) ((u32)((key) >> 32) >= 0xfffffffdu)

#define DIFFERS_c128(key) ((key).high >= 0xfffffffffffffffdu)
