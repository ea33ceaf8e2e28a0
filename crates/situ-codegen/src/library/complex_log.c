// once

// Natural logarithm of two, as a double and the rest.
#define LN_TWO 0.693147180559945309417232121458
#define LN_TWO_REST 2.3190468138462996e-17

// A quarter of a turn.
#define QUARTER_TURN 1.57079632679489661923132169163975144

// The modulus of a number as its logarithm wants it. What hi, lo and shift mean depends on the form.
typedef struct {
    f64 hi, lo, shift;
    i32 form;
} modulus_parts;

// The forms: hi is the modulus; 1 + hi is its square; hi + lo is its square; (hi + lo) 4^shift is its square.
#define MODULUS 0
#define EXCESS_OF_SQUARE 1
#define SQUARE 2
#define SHIFTED_SQUARE 3

// Makes the parts.
INLINE modulus_parts make_modulus_parts(f64 hi, f64 lo, f64 shift, i32 form) {
    modulus_parts parts;
    parts.hi = hi;
    parts.lo = lo;
    parts.shift = shift;
    parts.form = form;
    return parts;
}

// How much the squares of two numbers exceed one, where almost nothing of them does.
OUTLINE f64 excess_of_squares_f64(f64 large, f64 small) {
    twofold first = twofold_product(large, large);
    twofold second = twofold_product(small, small);
    return distilled_f64(-1.0, first.hi, second.hi, first.lo, second.lo);
}

// The modulus, accurate where it is close to one or out of range.
INLINE modulus_parts modulus_parts_c128(c128 z) {
    f64 re = ABS_f64(z.re);
    f64 im = ABS_f64(z.im);
    f64 large = re > im ? re : im;
    f64 small = re > im ? im : re;
    if (small == 0.0 || !is_finite_c128(z)) return make_modulus_parts(hypot_f64(large, small), 0.0, 0.0, MODULUS);
    u8 shifted = large > 0x1p500 || large < 0x1p-450;
    i32 shift = shifted ? exponent_f64(large) : 0;
    if (shifted) {
        large = scaled_f64(large, -shift);
        small = scaled_f64(small, -shift);
    }
    twofold squares = sum_of_squares_f64(large, small);
    if (shifted) return make_modulus_parts(squares.hi, squares.lo, (f64)shift, SHIFTED_SQUARE);
    // All that is left of the squares beside the one lies beyond what was kept of them.
    if (ABS_f64(squares.hi - 1.0) < 0x1p-45) {
        return make_modulus_parts(excess_of_squares_f64(large, small), 0.0, 0.0, EXCESS_OF_SQUARE);
    }
    return make_modulus_parts(squares.hi, squares.lo, 0.0, SQUARE);
}

// Natural logarithm of the modulus.
INLINE f64 log_of_modulus_c128(c128 z) {
    modulus_parts parts = modulus_parts_c128(z);
    if (parts.form == EXCESS_OF_SQUARE) return 0.5 * log1p_f64(parts.hi);
    f64 log = log_f64(parts.hi);
    if (parts.form == MODULUS) return log;
    f64 halved = 0.5 * (parts.lo / parts.hi + log);
    return parts.form == SHIFTED_SQUARE ? FMA_f64(parts.shift, LN_TWO, halved) : halved;
}

// Logarithm of the modulus to base two.
INLINE f64 log2_of_modulus_c128(c128 z) {
    f64 of_e = 1.44269504088896340735992468100189214;
    modulus_parts parts = modulus_parts_c128(z);
    if (parts.form == EXCESS_OF_SQUARE) return 0.5 * of_e * log1p_f64(parts.hi);
    f64 log = log2_f64(parts.hi);
    if (parts.form == MODULUS) return log;
    f64 halved = 0.5 * FMA_f64(parts.lo / parts.hi, of_e, log);
    return parts.form == SHIFTED_SQUARE ? parts.shift + halved : halved;
}

// Logarithm of the modulus to base ten.
INLINE f64 log10_of_modulus_c128(c128 z) {
    f64 of_e = 0.434294481903251827651128918916605082;
    f64 of_two = 0.301029995663981195213738894724493027;
    modulus_parts parts = modulus_parts_c128(z);
    if (parts.form == EXCESS_OF_SQUARE) return 0.5 * of_e * log1p_f64(parts.hi);
    f64 log = log10_f64(parts.hi);
    if (parts.form == MODULUS) return log;
    f64 halved = 0.5 * FMA_f64(parts.lo / parts.hi, of_e, log);
    return parts.form == SHIFTED_SQUARE ? FMA_f64(parts.shift, of_two, halved) : halved;
}

// Natural logarithm. The cut of every logarithm runs along the negative real axis.
INLINE c128 log_c128(c128 z) {
    return make_c128(log_of_modulus_c128(z), atan2_f64(z.im, z.re));
}

// Logarithm to base two.
INLINE c128 log2_c128(c128 z) {
    f64 of_e = 1.44269504088896340735992468100189214;
    return make_c128(log2_of_modulus_c128(z), atan2_f64(z.im, z.re) * of_e);
}

// Logarithm to base ten.
INLINE c128 log10_c128(c128 z) {
    f64 of_e = 0.434294481903251827651128918916605082;
    return make_c128(log10_of_modulus_c128(z), atan2_f64(z.im, z.re) * of_e);
}

// Natural logarithm of the modulus, not inlined where it is rare.
OUTLINE f64 rare_log_of_modulus_c128(c128 z) {
    return log_of_modulus_c128(z);
}

// log(1 + z), accurate for small z.
INLINE c128 log1p_c128(c128 z) {
    if (z.re == 0.0 && z.im == 0.0) return z;
    f64 shifted = 1.0 + z.re;
    f64 im = atan2_f64(z.im, shifted);
    if (is_finite_c128(z) && larger_part_c128(z) < 0x1p60) {
        twofold first = twofold_product(z.re, z.re);
        twofold second = twofold_product(z.im, z.im);
        f64 excess = distilled_f64(2.0 * z.re, first.hi, second.hi, first.lo, second.lo);
        if (excess > -0.7) return make_c128(0.5 * log1p_f64(excess), im);
    }
    // The sum is exact where its modulus is small, or one is nothing beside it.
    return make_c128(rare_log_of_modulus_c128(make_c128(shifted, z.im)), im);
}
