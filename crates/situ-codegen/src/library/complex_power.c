// once

// A complex number of twofold precision.
typedef struct {
    twofold re, im;
} twofold_complex;

// Its components.
INLINE twofold_complex make_twofold_complex(twofold re, twofold im) {
    twofold_complex z;
    z.re = re;
    z.im = im;
    return z;
}

// The natural logarithm to about 90 bits of a finite number other than zero.
INLINE twofold_complex precise_log_c128(c128 z) {
    f64 re = ABS_f64(z.re);
    f64 im = ABS_f64(z.im);
    f64 large = re > im ? re : im;
    i32 shift = exponent_f64(large);
    f64 small = scaled_f64(re > im ? im : re, -shift);
    large = scaled_f64(large, -shift);
    twofold modulus = half_log_of_squares_f64(large, small, shift);
    twofold angle = octant_angle_f64(large, small);
    if (!(re > im)) angle = twofold_sub(make_twofold(QUARTER_TURN, 6.123233995736766e-17), angle);
    if (bits_f64(z.re) >> 63) angle = twofold_sub(make_twofold(2.0 * QUARTER_TURN, 1.2246467991473532e-16), angle);
    return make_twofold_complex(modulus, bits_f64(z.im) >> 63 ? twofold_neg(angle) : angle);
}

// Product by the textbook formula.
INLINE twofold_complex twofold_complex_mul(twofold_complex a, twofold_complex b) {
    twofold re = twofold_sub(twofold_mul(a.re, b.re), twofold_mul(a.im, b.im));
    return make_twofold_complex(re, twofold_add(twofold_mul(a.re, b.im), twofold_mul(a.im, b.re)));
}

// A small whole power by repeated squaring, in twofold precision and with the power of two kept apart.
OUTLINE c128 multiplied_power_c128(c128 a, i32 n) {
    twofold zero = make_twofold(0.0, 0.0);
    i32 shift = exponent_f64(larger_part_c128(a));
    twofold_complex square = make_twofold_complex(zero, zero);
    square.re.hi = scaled_f64(a.re, -shift);
    square.im.hi = scaled_f64(a.im, -shift);
    twofold_complex power = make_twofold_complex(make_twofold(1.0, 0.0), zero);
    for (i32 left = n < 0 ? -n : n; left != 0; left >>= 1) {
        if (left & 1) power = twofold_complex_mul(power, square);
        square = twofold_complex_mul(square, square);
    }
    if (n < 0) {
        twofold squares = twofold_add(twofold_mul(power.re, power.re), twofold_mul(power.im, power.im));
        power.re = twofold_div(power.re, squares);
        power.im = twofold_div(twofold_neg(power.im), squares);
    }
    return scaled_c128(make_c128(power.re.hi + power.re.lo, power.im.hi + power.im.lo), shift * n);
}

// A whole power of a number on the real axis. The zero in the imaginary part has the sign of the derivative times that
// of the number's.
OUTLINE c128 axis_power_c128(c128 a, f64 n) {
    u8 even = 2.0 * FLOOR_f64(0.5 * n) == n;
    f64 slope = COPYSIGN_f64(1.0, n);
    if (even) slope = slope * COPYSIGN_f64(1.0, a.re);
    return make_c128(pow_f64(a.re, n), a.im * slope);
}

// A whole power of a number on the imaginary axis: a = i w, with w on the real axis.
OUTLINE c128 turned_axis_power_c128(c128 a, f64 n) {
    c128 power = axis_power_c128(make_c128(a.im, -a.re), n);
    i32 turns = (i32)(n - 4.0 * FLOOR_f64(0.25 * n));
    if (turns == 0) return power;
    if (turns == 1) return make_c128(-power.im, power.re);
    return turns == 2 ? make_c128(-power.re, -power.im) : make_c128(power.im, -power.re);
}

// exp(b log a) as it is written.
OUTLINE c128 plain_power_c128(c128 a, c128 b) {
    return exp_c128(mul_c128(b, log_c128(a)));
}

// A power of a positive number that is not a whole one.
OUTLINE c128 positive_power_c128(c128 a, c128 b) {
    return make_c128(pow_f64(a.re, b.re), mul_c128(b, log_c128(a)).im);
}

// exp(b log a) with a logarithm of twofold precision.
OUTLINE c128 general_power_c128(c128 a, c128 b) {
    twofold_complex exponent = make_twofold_complex(make_twofold(b.re, 0.0), make_twofold(b.im, 0.0));
    twofold_complex product = twofold_complex_mul(exponent, precise_log_c128(a));
    f64 growth = product.re.hi;
    f64 rest = product.re.lo;
    if (!(ABS_f64(rest) < INF_f64) || !(ABS_f64(product.im.lo) < INF_f64)) return plain_power_c128(a, b);
    c128 direction = cos_sin_twofold(product.im);
    // e^rest is 1 + rest to the last bit; where it is not, e^growth has long left the range.
    rest = ABS_f64(growth) < 2000.0 ? rest : 0.0;
    return exp_times_f64(growth, FMA_f64(rest, direction.re, direction.re), FMA_f64(rest, direction.im, direction.im));
}

// a to the power of b, that is exp(b log a), accurate for large exponents too. Anything to the power of zero is one.
// Zero to a power is zero if the power has a positive real part, and undefined otherwise.
INLINE c128 pow_c128(c128 a, c128 b) {
    if (b.im == 0.0 && b.re == 0.0) return make_c128(1.0, 0.0);
    if (b.im == 0.0 && b.re == 1.0) return a;
    if (a.re == 0.0 && a.im == 0.0) {
        f64 value = b.re > 0.0 && b.im == b.im ? 0.0 : NAN_f64;
        return make_c128(value, value);
    }
    if (!is_finite_c128(a) || !is_finite_c128(b)) return plain_power_c128(a, b);
    if (b.im == 0.0) {
        // Whole exponents up to a hundred are done by multiplication, so that powers of Gaussian integers are exact.
        if (TRUNC_f64(b.re) == b.re) {
            if (a.im == 0.0) return axis_power_c128(a, b.re);
            if (a.re == 0.0) return turned_axis_power_c128(a, b.re);
            if (ABS_f64(b.re) <= 100.0) return multiplied_power_c128(a, (i32)b.re);
        } else if (a.im == 0.0 && a.re > 0.0) {
            return positive_power_c128(a, b);
        }
    }
    return general_power_c128(a, b);
}
