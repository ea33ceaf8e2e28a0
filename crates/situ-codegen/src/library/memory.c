// for i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128
// An element at an address that its type would not be at, byte by byte.
INLINE T load_T(const GLOBAL T *from) {
    T element;
    UNROLL
    for (u32 i = 0; i < sizeof(T); i++) {
        ((u8 *)&element)[i] = ((const GLOBAL u8 *)from)[i];
    }
    return element;
}

INLINE void store_T(GLOBAL T *to, T element) {
    UNROLL
    for (u32 i = 0; i < sizeof(T); i++) {
        ((GLOBAL u8 *)to)[i] = ((const u8 *)&element)[i];
    }
}
