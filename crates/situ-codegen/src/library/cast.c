// for bool i8 i16 i32 i64 u8 u16 u32 u64
// Integers wrap; to a floating-point number they are rounded once.
INLINE i8 cast_T_i8(T a) { return (i8)a; }

INLINE i16 cast_T_i16(T a) { return (i16)a; }

INLINE i32 cast_T_i32(T a) { return (i32)a; }

INLINE i64 cast_T_i64(T a) { return (i64)a; }

INLINE u8 cast_T_u8(T a) { return (u8)a; }

INLINE u16 cast_T_u16(T a) { return (u16)a; }

INLINE u32 cast_T_u32(T a) { return (u32)a; }

INLINE u64 cast_T_u64(T a) { return (u64)a; }

INLINE f32 cast_T_f32(T a) { return (f32)a; }

INLINE f64 cast_T_f64(T a) { return (f64)a; }

INLINE u8 cast_T_bool(T a) { return a != 0; }

INLINE c64 cast_T_c64(T a) { return make_c64((f32)a, 0); }

INLINE c128 cast_T_c128(T a) { return make_c128((f64)a, 0); }

// for bool i8 i16 u8 u16
INLINE f16 cast_T_f16(T a) { return narrow_f16((f32)a); }

// for i32 i64 u32 u64
INLINE f16 cast_T_f16(T a) { return narrow_f16_f64((f64)a); }

// for f32 f64
// A number outside an integer's range becomes the nearest in it, and what is not a number zero.
INLINE i8 cast_T_i8(T a) {
    return a >= (T)0x1p7 ? 127 : a <= (T)-0x1p7 ? -128 : a == a ? (i8)a : 0;
}

INLINE i16 cast_T_i16(T a) {
    return a >= (T)0x1p15 ? 32767 : a <= (T)-0x1p15 ? -32768 : a == a ? (i16)a : 0;
}

INLINE i32 cast_T_i32(T a) {
    return a >= (T)0x1p31 ? 2147483647 : a <= (T)-0x1p31 ? -2147483647 - 1 : a == a ? (i32)a : 0;
}

INLINE i64 cast_T_i64(T a) {
    return a >= (T)0x1p63 ? 9223372036854775807 : a <= (T)-0x1p63 ? -9223372036854775807 - 1 : a == a ? (i64)a : 0;
}

INLINE u8 cast_T_u8(T a) { return a >= (T)0x1p8 ? 255u : a > 0 ? (u8)a : 0; }

INLINE u16 cast_T_u16(T a) { return a >= (T)0x1p16 ? 65535u : a > 0 ? (u16)a : 0; }

INLINE u32 cast_T_u32(T a) { return a >= (T)0x1p32 ? 4294967295u : a > 0 ? (u32)a : 0; }

INLINE u64 cast_T_u64(T a) { return a >= (T)0x1p64 ? 18446744073709551615u : a > 0 ? (u64)a : 0; }

INLINE f32 cast_T_f32(T a) { return (f32)a; }

INLINE f64 cast_T_f64(T a) { return (f64)a; }

INLINE u8 cast_T_bool(T a) { return a != 0; }

INLINE c64 cast_T_c64(T a) { return make_c64((f32)a, 0); }

INLINE c128 cast_T_c128(T a) { return make_c128((f64)a, 0); }

// for f32
INLINE f16 cast_T_f16(T a) { return narrow_f16(a); }

// for f64
INLINE f16 cast_T_f16(T a) { return narrow_f16_f64(a); }

// for f16
// By way of single precision, which holds every half-precision number.
INLINE i8 cast_T_i8(T a) { return cast_f32_i8(widen_f16(a)); }

INLINE i16 cast_T_i16(T a) { return cast_f32_i16(widen_f16(a)); }

INLINE i32 cast_T_i32(T a) { return cast_f32_i32(widen_f16(a)); }

INLINE i64 cast_T_i64(T a) { return cast_f32_i64(widen_f16(a)); }

INLINE u8 cast_T_u8(T a) { return cast_f32_u8(widen_f16(a)); }

INLINE u16 cast_T_u16(T a) { return cast_f32_u16(widen_f16(a)); }

INLINE u32 cast_T_u32(T a) { return cast_f32_u32(widen_f16(a)); }

INLINE u64 cast_T_u64(T a) { return cast_f32_u64(widen_f16(a)); }

INLINE f32 cast_T_f32(T a) { return cast_f32_f32(widen_f16(a)); }

INLINE f64 cast_T_f64(T a) { return cast_f32_f64(widen_f16(a)); }

INLINE u8 cast_T_bool(T a) { return (a.bits & 0x7fffu) != 0; }

INLINE c64 cast_T_c64(T a) { return make_c64(widen_f16(a), 0); }

INLINE c128 cast_T_c128(T a) { return make_c128((f64)widen_f16(a), 0); }

// for c64 c128
// The imaginary part is dropped.
INLINE i8 cast_T_i8(T a) { return cast_R_i8(a.re); }

INLINE i16 cast_T_i16(T a) { return cast_R_i16(a.re); }

INLINE i32 cast_T_i32(T a) { return cast_R_i32(a.re); }

INLINE i64 cast_T_i64(T a) { return cast_R_i64(a.re); }

INLINE u8 cast_T_u8(T a) { return cast_R_u8(a.re); }

INLINE u16 cast_T_u16(T a) { return cast_R_u16(a.re); }

INLINE u32 cast_T_u32(T a) { return cast_R_u32(a.re); }

INLINE u64 cast_T_u64(T a) { return cast_R_u64(a.re); }

INLINE f16 cast_T_f16(T a) { return cast_R_f16(a.re); }

INLINE f32 cast_T_f32(T a) { return cast_R_f32(a.re); }

INLINE f64 cast_T_f64(T a) { return cast_R_f64(a.re); }

INLINE u8 cast_T_bool(T a) { return a.re != 0 || a.im != 0; }

INLINE c64 cast_T_c64(T a) { return make_c64((f32)a.re, (f32)a.im); }

INLINE c128 cast_T_c128(T a) { return make_c128((f64)a.re, (f64)a.im); }
