// for i8 i16 i32 i64 u8 u16 u32 u64
// Integers wrap around. Sums and products are taken of unsigned numbers no narrower than `int`, which may.
INLINE T add_T(T a, T b) { return (T)(1u * (U)a + (U)b); }

INLINE T sub_T(T a, T b) { return (T)(1u * (U)a - (U)b); }

INLINE T mul_T(T a, T b) { return (T)(1u * (U)a * (U)b); }

INLINE T neg_T(T a) { return (T)(0u - (U)a); }

INLINE T conj_T(T a) { return a; }

INLINE T re_T(T a) { return a; }

INLINE T im_T(T a) { return 0; }

INLINE u8 eq_T(T a, T b) { return a == b; }

INLINE u8 lt_T(T a, T b) { return a < b; }

INLINE u8 le_T(T a, T b) { return a <= b; }

INLINE u8 truth_T(T a) { return a != 0; }

INLINE u8 is_nan_T(T a) { return 0; }

INLINE u8 is_inf_T(T a) { return 0; }

INLINE T max_T(T a, T b) { return b <= a ? a : b; }

INLINE T min_T(T a, T b) { return a <= b ? a : b; }

// No less than `low`, then no more than `high`.
INLINE T clip_T(T a, T low, T high) { return min_T(max_T(a, low), high); }

INLINE T floor_T(T a) { return a; }

INLINE T ceil_T(T a) { return a; }

INLINE T trunc_T(T a) { return a; }

INLINE T round_T(T a) { return a; }

INLINE T and_T(T a, T b) { return (T)(a & b); }

INLINE T or_T(T a, T b) { return (T)(a | b); }

INLINE T xor_T(T a, T b) { return (T)(a ^ b); }

INLINE T not_T(T a) { return (T)~a; }

// A count that is negative, or no less than the width, shifts every bit out.
INLINE T shl_T(T a, T count) { return (U)count < 8 * sizeof(T) ? (T)((1u * (U)a) << count) : (T)0; }

// By repeated squaring.
INLINE T power_T(T base, U exponent) {
    T result = 1;
    while (exponent != 0) {
        if ((exponent & 1) != 0) {
            result = mul_T(result, base);
        }
        base = mul_T(base, base);
        exponent = (U)(exponent >> 1);
    }
    return result;
}

// for u8 u16 u32 u64
INLINE T abs_T(T a) { return a; }

INLINE T sign_T(T a) { return a != 0; }

INLINE u8 signbit_T(T a) { return 0; }

INLINE T shr_T(T a, T count) { return count < 8 * sizeof(T) ? (T)(a >> count) : (T)0; }

// Integers divided by zero give zero.
INLINE T floor_div_T(T a, T b) { return b == 0 ? (T)0 : (T)(a / b); }

INLINE T modulo_T(T a, T b) { return b == 0 ? (T)0 : (T)(a % b); }

INLINE T pow_T(T a, T exponent) { return power_T(a, exponent); }

// for i8 i16 i32 i64
// The least number wraps.
INLINE T abs_T(T a) { return a < 0 ? neg_T(a) : a; }

INLINE T sign_T(T a) { return (T)((a > 0) - (a < 0)); }

INLINE u8 signbit_T(T a) { return a < 0; }

// The sign stays.
INLINE T shr_T(T a, T count) { return (T)(a >> ((U)count < 8 * sizeof(T) ? (U)count : (U)(8 * sizeof(T) - 1))); }

// Rounded down. Integers divided by zero give zero; the least number divided by -1 wraps.
INLINE T floor_div_T(T a, T b) {
    if (b == 0) {
        return 0;
    }
    if (b == -1) {
        return neg_T(a);
    }
    T quotient = (T)(a / b);
    T rest = (T)(a % b);
    return (T)(quotient - (rest != 0 && (rest < 0) != (b < 0)));
}

// What is left of floor division has the divisor's sign.
INLINE T modulo_T(T a, T b) { return b == 0 ? (T)0 : sub_T(a, mul_T(floor_div_T(a, b), b)); }

// The reciprocal of an integer is one only for 1 and -1, whose powers go by the exponent's parity.
INLINE T pow_T(T a, T exponent) {
    if (exponent >= 0) {
        return power_T(a, (U)exponent);
    }
    return a == 1 || (a == -1 && (exponent & 1) == 0) ? (T)1 : a == -1 ? (T)-1 : (T)0;
}
