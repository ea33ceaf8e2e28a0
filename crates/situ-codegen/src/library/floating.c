// for f32 f64
// A product and a sum after it are two roundings; compilers are told not to make them one.
INLINE T add_T(T a, T b) { return a + b; }

INLINE T sub_T(T a, T b) { return a - b; }

INLINE T mul_T(T a, T b) { return a * b; }

INLINE T div_T(T a, T b) { return a / b; }

INLINE T neg_T(T a) { return -a; }

INLINE T reciprocal_T(T a) { return (T)1 / a; }

INLINE T sqrt_T(T a) { return SQRT_T(a); }

INLINE T conj_T(T a) { return a; }

INLINE T re_T(T a) { return a; }

INLINE T im_T(T a) { return 0; }

INLINE u8 eq_T(T a, T b) { return a == b; }

INLINE u8 lt_T(T a, T b) { return a < b; }

INLINE u8 le_T(T a, T b) { return a <= b; }

INLINE u8 truth_T(T a) { return a != 0; }

INLINE u8 is_nan_T(T a) { return a != a; }

INLINE u8 is_inf_T(T a) { return ABS_T(a) == INF_T; }

INLINE u8 is_finite_T(T a) { return ABS_T(a) < INF_T; }

INLINE u8 signbit_T(T a) { return (u8)(bits_T(a) >> (8 * sizeof(T) - 1)); }

INLINE T abs_T(T a) { return ABS_T(a); }

INLINE T copysign_T(T a, T sign) { return COPYSIGN_T(a, sign); }

// What is not a number wins.
INLINE T max_T(T a, T b) { return b <= a || a != a ? a : b; }

INLINE T min_T(T a, T b) { return a <= b || a != a ? a : b; }

// No less than `low`, then no more than `high`.
INLINE T clip_T(T a, T low, T high) { return min_T(max_T(a, low), high); }

INLINE T sign_T(T a) { return a != a ? a : (T)((a > 0) - (a < 0)); }

INLINE T floor_T(T a) { return FLOOR_T(a); }

INLINE T ceil_T(T a) { return CEIL_T(a); }

INLINE T trunc_T(T a) { return TRUNC_T(a); }

// The even one of two.
INLINE T round_T(T a) { return RINT_T(a); }
