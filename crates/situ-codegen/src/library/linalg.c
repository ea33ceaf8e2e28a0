// for f32 f64
INLINE T from_real_T(R a) { return a; }

// The square of a magnitude, added to a sum.
INLINE R plus_square_T(R sum, T a) { return FMA_T(a, a, sum); }

// The product of two numbers, the first of them conjugated, added to a sum.
INLINE T plus_inner_T(T sum, T a, T b) { return FMA_T(a, b, sum); }

INLINE T minus_product_T(T sum, T a, T b) { return FMA_T(-a, b, sum); }

INLINE T times_real_T(T a, R by) { return a * by; }

INLINE T over_real_T(T a, R by) { return a / by; }

// The magnitude, or that of the larger part.
INLINE R extent_T(T a) { return ABS_T(a); }

INLINE R magnitude_T(T a) { return ABS_T(a); }

// for c64 c128
INLINE T from_real_T(R a) { return make_T(a, 0); }

INLINE R plus_square_T(R sum, T a) { return FMA_R(a.re, a.re, FMA_R(a.im, a.im, sum)); }

INLINE T plus_inner_T(T sum, T a, T b) {
    return make_T(FMA_R(a.re, b.re, FMA_R(a.im, b.im, sum.re)), FMA_R(a.re, b.im, FMA_R(-a.im, b.re, sum.im)));
}

INLINE T minus_product_T(T sum, T a, T b) {
    return make_T(FMA_R(-a.re, b.re, FMA_R(a.im, b.im, sum.re)), FMA_R(-a.re, b.im, FMA_R(-a.im, b.re, sum.im)));
}

INLINE T times_real_T(T a, R by) { return make_T(a.re * by, a.im * by); }

INLINE T over_real_T(T a, R by) { return make_T(a.re / by, a.im / by); }

INLINE R extent_T(T a) { return ABS_R(a.re) < ABS_R(a.im) ? ABS_R(a.im) : ABS_R(a.re); }

// By way of the larger part, so that no square is too small.
INLINE R magnitude_T(T a) {
    const R larger = extent_T(a), smaller = ABS_R(a.re) < ABS_R(a.im) ? ABS_R(a.re) : ABS_R(a.im);
    if (larger == 0) return 0;
    const R quotient = smaller / larger;
    return larger * SQRT_R(FMA_R(quotient, quotient, 1));
}

// for f32 f64
#define FRACTION_DIGITS_T (sizeof(T) == 4 ? 23 : 52)

// The exponent of the power of two that a number is near, such that its inverse is a number, too.
INLINE U exponent_of_extent_T(T a) {
    const U exponent = bits_T(ABS_T(a)) >> FRACTION_DIGITS_T, most = sizeof(T) == 4 ? 253 : 2045;
    return exponent < 1 ? 1 : exponent > most ? most : exponent;
}

INLINE T power_at_T(U exponent) { return from_bits_T(exponent << FRACTION_DIGITS_T); }

INLINE T inverse_power_at_T(U exponent) { return power_at_T((sizeof(T) == 4 ? 254u : 2046u) - exponent); }

// for f32 f64 c64 c128
// What turns two columns by an angle: its sine, and the tangent of half of it, both with the phase of the columns' product, and what
// goes from the square of the first column's length to that of the second. Multiplied by cosines, columns would change their
// lengths by a rounding of that one number each time; so what is added to each of them is what is computed.
typedef struct { T sine; T half_tangent; R moved; } rotation_T;

INLINE rotation_T no_rotation_T(void) {
    rotation_T none;
    none.sine = from_real_T(0);
    none.half_tangent = from_real_T(0);
    none.moved = 0;
    return none;
}

// The rotation by the lesser angle that makes two columns orthogonal, by the squares of their lengths and their product, which
// is not 0.
INLINE rotation_T rotation_between_T(R first, R second, T product) {
    rotation_T found;
    const R size = magnitude_T(product), cotangent = (second - first) / (2 * size), wide = ABS_R(cotangent);
    // The square of a larger one may be too large, and one added to it is nothing.
    const R least = wide > (R)1e9 ? (R)0.5 / wide : 1 / (wide + SQRT_R(FMA_R(wide, wide, 1)));
    const R tangent = COPYSIGN_R(least, cotangent), secant = SQRT_R(FMA_R(tangent, tangent, 1));
    const T phase = over_real_T(product, size);
    found.sine = times_real_T(phase, tangent / secant);
    found.half_tangent = times_real_T(phase, tangent / (1 + secant));
    found.moved = tangent * size;
    return found;
}

// The columns' elements, turned.
INLINE T rotated_first_T(rotation_T by, T first, T second) {
    return minus_product_T(first, conj_T(by.sine), minus_product_T(second, neg_T(by.half_tangent), first));
}

INLINE T rotated_second_T(rotation_T by, T first, T second) {
    return minus_product_T(second, neg_T(by.sine), minus_product_T(first, conj_T(by.half_tangent), second));
}

INLINE rotation_T conjugate_rotation_T(rotation_T by) {
    by.sine = conj_T(by.sine);
    by.half_tangent = conj_T(by.half_tangent);
    return by;
}

// once
// The two of so many contestants, an odd number and one more, that meet at a place in a round of a round-robin tournament. In as many rounds as
// that number everybody meets everybody else, and in each round everybody meets somebody.
INLINE u32 lesser_of_pair(u32 place, u32 round, u32 odd) {
    const u32 a = place == 0 ? odd : (round + place) % odd, b = (round + odd - place) % odd;
    return a < b ? a : b;
}

INLINE u32 greater_of_pair(u32 place, u32 round, u32 odd) {
    const u32 a = place == 0 ? odd : (round + place) % odd, b = (round + odd - place) % odd;
    return a < b ? b : a;
}
