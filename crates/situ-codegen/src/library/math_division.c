// once
// Floor division and its remainder, which has the divisor's sign; and the next number.

// From these quotients on the last digits need care.
#define FAR_QUOTIENT_f32 4194304.0f
#define FAR_QUOTIENT_f64 2251799813685248.0

// Below these divisors too: the least normal number over the distance from 1 to the next.
#define NEAR_DIVISOR_f32 9.8607613e-32f
#define NEAR_DIVISOR_f64 1.0020841800044864e-292

// Bits of a mantissa, the implicit one included.
#define MANTISSA_f32 24u
#define MANTISSA_f64 53u

// for f32 f64
// Whether the quotient is so large that its last digits need care.
INLINE u32 is_far_T(T a, T b) {
    u32 is_large = (ABS_T(a / b) >= FAR_QUOTIENT_T) & (ABS_T(b) < INF_T);
    return (is_large | (ABS_T(b) < NEAR_DIVISOR_T)) & (ABS_T(a) < INF_T) & (b != (T)0);
}

// What is left of |a| after whole multiples of |b| are taken from it, with the sign of a: exact. A remainder of
// mantissas is brought down to the divisor's exponent by as many bits at a time as there is room for.
OUTLINE T exact_remainder_T(T a, T b) {
    const u32 places = MANTISSA_T - 1u;
    const u64 implicit = (u64)1 << places;
    U above = bits_T(ABS_T(a));
    U below = bits_T(ABS_T(b));
    if (!(ABS_T(a) < INF_T) | (b == (T)0) | (b != b)) {
        return NAN_T;
    }
    if (above < below) {
        return a;
    }
    // Subnormal numbers have the exponent of the least normal one.
    u32 exponent = (u32)(above >> places);
    u32 least = (u32)(below >> places);
    u64 rest = ((u64)above & (implicit - 1u)) | (exponent != 0u ? implicit : 0u);
    u64 divisor = ((u64)below & (implicit - 1u)) | (least != 0u ? implicit : 0u);
    exponent = exponent != 0u ? exponent : 1u;
    least = least != 0u ? least : 1u;
    rest %= divisor;
    while (exponent > least && rest != 0u) {
        u32 step = exponent - least < 63u - places ? exponent - least : 63u - places;
        rest = (rest << step) % divisor;
        exponent -= step;
    }
    // As a number: up to the implicit bit, as far as the exponent goes.
    u32 shift = CLZ_u64(rest) - (63u - places);
    shift = shift < least - 1u ? shift : least - 1u;
    rest <<= shift;
    u32 biased = rest >= implicit ? least - shift : 0u;
    return COPYSIGN_T(from_bits_T((U)((rest & (implicit - 1u)) | ((u64)biased << places))), a);
}

// The quotient rounded down, in every case.
OUTLINE T floor_div_far_T(T a, T b) {
    T rest = exact_remainder_T(a, b);
    T quotient = (a - rest) / b;
    quotient = ((rest != (T)0) & ((rest < (T)0) != (b < (T)0))) ? quotient - (T)1 : quotient;
    T nearest = FLOOR_T(quotient);
    nearest = quotient - nearest > (T)0.5 ? nearest + (T)1 : nearest;
    return nearest == (T)0 ? COPYSIGN_T((T)0, a / b) : nearest;
}

// The quotient rounded down.
INLINE T floor_div_T(T a, T b) {
    if (is_far_T(a, b)) {
        return floor_div_far_T(a, b);
    }
    T quotient = a / b;
    T whole = FLOOR_T(quotient);
    // A quotient just below an integer may have been rounded up to it.
    u8 over = (whole == quotient) & (FMA_T(-whole, b, a) * b < (T)0);
    whole = over ? whole - (T)1 : whole;
    return whole == (T)0 ? COPYSIGN_T((T)0, quotient) : whole;
}

// What is left of floor division, in every case.
OUTLINE T modulo_far_T(T a, T b) {
    T rest = exact_remainder_T(a, b);
    return rest == (T)0 ? COPYSIGN_T((T)0, b) : ((rest < (T)0) != (b < (T)0) ? rest + b : rest);
}

// What is left of floor division, with the divisor's sign.
INLINE T modulo_T(T a, T b) {
    if (is_far_T(a, b)) {
        return modulo_far_T(a, b);
    }
    T whole = FLOOR_T(a / b);
    T left = FMA_T(-whole, b, a);
    // A quotient just below an integer may have been rounded up to it, but never past one.
    left = left * COPYSIGN_T((T)1, b) < (T)0 ? left + b : left;
    T by_infinity = a * b < (T)0 ? b : a;
    left = ((ABS_T(b) == INF_T) & (ABS_T(a) < INF_T)) ? by_infinity : left;
    return left == (T)0 ? COPYSIGN_T((T)0, b) : left;
}

// The next number from a on the way to b: its bits, one up or down.
INLINE T nextafter_T(T a, T b) {
    U bits = bits_T(a);
    U stepped = (b > a) == (a > (T)0) ? bits + 1u : bits - 1u;
    T moved = a == (T)0 ? COPYSIGN_T(from_bits_T(1u), b) : from_bits_T(stepped);
    T near = a == b ? b : moved;
    return a != a ? a : (b != b ? b : near);
}
