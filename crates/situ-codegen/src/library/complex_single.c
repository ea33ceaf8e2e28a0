// once

// The same number in double precision. Signs are kept, those of NaN too: some results have the sign of a NaN.
INLINE c128 widen_c64(c64 z) {
    f64 re = COPYSIGN_f64((f64)z.re, from_bits_f64((u64)bits_f32(z.re) << 32));
    return make_c128(re, COPYSIGN_f64((f64)z.im, from_bits_f64((u64)bits_f32(z.im) << 32)));
}

// The nearest number in single precision, overflow to infinity included.
INLINE c64 narrow_c64(c128 z) {
    return make_c64((f32)z.re, (f32)z.im);
}

// Quotient.
INLINE c64 div_c64(c64 a, c64 b) {
    return narrow_c64(div_c128(widen_c64(a), widen_c64(b)));
}

// The number of modulus one in the direction of z.
INLINE c64 sign_c64(c64 z) {
    return narrow_c64(sign_c128(widen_c64(z)));
}

// Square root.
INLINE c64 sqrt_c64(c64 z) {
    return narrow_c64(sqrt_c128(widen_c64(z)));
}

// 1 / z.
INLINE c64 reciprocal_c64(c64 z) {
    return narrow_c64(reciprocal_c128(widen_c64(z)));
}

// e to the power of z.
INLINE c64 exp_c64(c64 z) {
    return narrow_c64(exp_c128(widen_c64(z)));
}

// Two to the power of z.
INLINE c64 exp2_c64(c64 z) {
    return narrow_c64(exp2_c128(widen_c64(z)));
}

// e^z - 1.
INLINE c64 expm1_c64(c64 z) {
    return narrow_c64(expm1_c128(widen_c64(z)));
}

// Natural logarithm.
INLINE c64 log_c64(c64 z) {
    return narrow_c64(log_c128(widen_c64(z)));
}

// Logarithm to base two.
INLINE c64 log2_c64(c64 z) {
    return narrow_c64(log2_c128(widen_c64(z)));
}

// Logarithm to base ten.
INLINE c64 log10_c64(c64 z) {
    return narrow_c64(log10_c128(widen_c64(z)));
}

// log(1 + z).
INLINE c64 log1p_c64(c64 z) {
    return narrow_c64(log1p_c128(widen_c64(z)));
}

// Hyperbolic sine.
INLINE c64 sinh_c64(c64 z) {
    return narrow_c64(sinh_c128(widen_c64(z)));
}

// Hyperbolic cosine.
INLINE c64 cosh_c64(c64 z) {
    return narrow_c64(cosh_c128(widen_c64(z)));
}

// Hyperbolic tangent.
INLINE c64 tanh_c64(c64 z) {
    return narrow_c64(tanh_c128(widen_c64(z)));
}

// Sine.
INLINE c64 sin_c64(c64 z) {
    return narrow_c64(sin_c128(widen_c64(z)));
}

// Cosine.
INLINE c64 cos_c64(c64 z) {
    return narrow_c64(cos_c128(widen_c64(z)));
}

// Tangent.
INLINE c64 tan_c64(c64 z) {
    return narrow_c64(tan_c128(widen_c64(z)));
}

// Inverse hyperbolic sine.
INLINE c64 asinh_c64(c64 z) {
    return narrow_c64(asinh_c128(widen_c64(z)));
}

// Inverse hyperbolic cosine.
INLINE c64 acosh_c64(c64 z) {
    return narrow_c64(acosh_c128(widen_c64(z)));
}

// Inverse hyperbolic tangent.
INLINE c64 atanh_c64(c64 z) {
    return narrow_c64(atanh_c128(widen_c64(z)));
}

// Inverse sine.
INLINE c64 asin_c64(c64 z) {
    return narrow_c64(asin_c128(widen_c64(z)));
}

// Inverse cosine.
INLINE c64 acos_c64(c64 z) {
    return narrow_c64(acos_c128(widen_c64(z)));
}

// Inverse tangent.
INLINE c64 atan_c64(c64 z) {
    return narrow_c64(atan_c128(widen_c64(z)));
}

// a to the power of b.
INLINE c64 pow_c64(c64 a, c64 b) {
    return narrow_c64(pow_c128(widen_c64(a), widen_c64(b)));
}
