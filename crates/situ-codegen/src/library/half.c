// for f16
// What needs no arithmetic is done on the bits. Everything else is computed in single precision and rounded.
INLINE T make_T(u32 bits) {
    T a;
    a.bits = (u16)bits;
    return a;
}

INLINE T neg_T(T a) { return make_T(a.bits ^ 0x8000u); }

INLINE T abs_T(T a) { return make_T(a.bits & 0x7fffu); }

INLINE T copysign_T(T a, T sign) { return make_T((a.bits & 0x7fffu) | (sign.bits & 0x8000u)); }

INLINE u8 signbit_T(T a) { return (u8)(a.bits >> 15); }

INLINE u8 truth_T(T a) { return (a.bits & 0x7fffu) != 0; }

INLINE u8 is_nan_T(T a) { return (a.bits & 0x7fffu) > 0x7c00u; }

INLINE u8 is_inf_T(T a) { return (a.bits & 0x7fffu) == 0x7c00u; }

INLINE T re_T(T a) { return a; }

INLINE T im_T(T a) { return make_T(0); }

// The bits, one up or down.
INLINE T nextafter_T(T from, T toward) {
    f32 start = widen_f16(from);
    f32 end = widen_f16(toward);
    if (start != start) {
        return from;
    }
    if (end != end || start == end) {
        return toward;
    }
    if (start == 0) {
        return make_T((toward.bits & 0x8000u) | 1u);
    }
    return make_T((end > start) == (start > 0) ? from.bits + 1u : from.bits - 1u);
}
