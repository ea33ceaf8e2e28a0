// for bool
// Truth values are bytes of 0 or 1. Their sum is *or*, their product *and*.
INLINE T add_T(T a, T b) { return a | b; }

INLINE T mul_T(T a, T b) { return a & b; }

INLINE T eq_T(T a, T b) { return a == b; }

INLINE T lt_T(T a, T b) { return a < b; }

INLINE T le_T(T a, T b) { return a <= b; }

INLINE T truth_T(T a) { return a; }

INLINE T is_nan_T(T a) { return 0; }

INLINE T is_inf_T(T a) { return 0; }

INLINE T abs_T(T a) { return a; }

INLINE T re_T(T a) { return a; }

INLINE T im_T(T a) { return 0; }

INLINE T max_T(T a, T b) { return a | b; }

INLINE T min_T(T a, T b) { return a & b; }

// No less than `low`, then no more than `high`.
INLINE T clip_T(T a, T low, T high) { return (a | low) & high; }

INLINE T floor_T(T a) { return a; }

INLINE T ceil_T(T a) { return a; }

INLINE T trunc_T(T a) { return a; }

INLINE T and_T(T a, T b) { return a & b; }

INLINE T or_T(T a, T b) { return a | b; }

INLINE T xor_T(T a, T b) { return a ^ b; }

INLINE T not_T(T a) { return a ^ 1; }
