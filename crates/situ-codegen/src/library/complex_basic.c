// for c64 c128
INLINE T make_T(R re, R im) {
    T z;
    z.re = re;
    z.im = im;
    return z;
}

INLINE T add_T(T a, T b) { return make_T(a.re + b.re, a.im + b.im); }

INLINE T sub_T(T a, T b) { return make_T(a.re - b.re, a.im - b.im); }

// By the textbook formula: a product of infinities is not looked at again.
INLINE T mul_T(T a, T b) { return make_T(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }

INLINE T neg_T(T a) { return make_T(-a.re, -a.im); }

INLINE T conj_T(T a) { return make_T(a.re, -a.im); }

INLINE R re_T(T a) { return a.re; }

INLINE R im_T(T a) { return a.im; }

INLINE u8 eq_T(T a, T b) { return a.re == b.re && a.im == b.im; }

// Ordered by the real parts and then by the imaginary parts, unless one of these is not a number.
INLINE u8 lt_T(T a, T b) {
    return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im < b.im);
}

INLINE u8 le_T(T a, T b) {
    return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im <= b.im);
}

INLINE u8 truth_T(T a) { return a.re != 0 || a.im != 0; }

INLINE u8 is_nan_T(T a) { return a.re != a.re || a.im != a.im; }

INLINE u8 is_inf_T(T a) { return ABS_R(a.re) == INF_R || ABS_R(a.im) == INF_R; }

INLINE u8 is_finite_T(T a) { return ABS_R(a.re) < INF_R && ABS_R(a.im) < INF_R; }

// What is not a number wins.
INLINE T max_T(T a, T b) { return le_T(b, a) || is_nan_T(a) ? a : b; }

INLINE T min_T(T a, T b) { return le_T(a, b) || is_nan_T(a) ? a : b; }

// No less than `low`, then no more than `high`.
INLINE T clip_T(T a, T low, T high) { return min_T(max_T(a, low), high); }

INLINE T round_T(T a) { return make_T(RINT_R(a.re), RINT_R(a.im)); }
