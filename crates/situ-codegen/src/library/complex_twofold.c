// once

// A number of about 106 bits, hi + lo, where hi is the sum rounded to nearest.
typedef struct {
    f64 hi, lo;
} twofold;

// The sum of two parts that are known to be in order.
INLINE twofold make_twofold(f64 hi, f64 lo) {
    twofold value;
    value.hi = hi;
    value.lo = lo;
    return value;
}

// a + b without rounding.
INLINE twofold twofold_sum(f64 a, f64 b) {
    f64 hi = a + b;
    f64 from_b = hi - a;
    return make_twofold(hi, (a - (hi - from_b)) + (b - from_b));
}

// a + b without rounding, where a is the larger.
INLINE twofold twofold_ordered_sum(f64 a, f64 b) {
    f64 hi = a + b;
    return make_twofold(hi, b - (hi - a));
}

// a * b without rounding.
INLINE twofold twofold_product(f64 a, f64 b) {
    f64 hi = a * b;
    return make_twofold(hi, FMA_f64(a, b, -hi));
}

// The sum of five numbers that may cancel each other down to their last bits, rounded.
INLINE f64 distilled_f64(f64 a, f64 b, f64 c, f64 d, f64 e) {
    f64 parts[5];
    parts[0] = a;
    parts[1] = b;
    parts[2] = c;
    parts[3] = d;
    parts[4] = e;
    for (i32 pass = 0; pass < 3; pass++) {
        for (i32 i = 1; i < 5; i++) {
            twofold both = twofold_sum(parts[i - 1], parts[i]);
            parts[i - 1] = both.lo;
            parts[i] = both.hi;
        }
    }
    twofold sum = twofold_sum(parts[4], parts[0] + parts[1] + parts[2] + parts[3]);
    return sum.hi + sum.lo;
}

// a + b, where b is known to be smaller.
INLINE twofold twofold_plus_smaller(twofold a, twofold b) {
    twofold high = twofold_ordered_sum(a.hi, b.hi);
    return twofold_ordered_sum(high.hi, high.lo + (a.lo + b.lo));
}

// Multiplied by a power of two.
INLINE twofold twofold_times_power_of_two(twofold a, f64 power) {
    return make_twofold(a.hi * power, a.lo * power);
}

// a + b.
INLINE twofold twofold_add(twofold a, twofold b) {
    twofold high = twofold_sum(a.hi, b.hi);
    twofold low = twofold_sum(a.lo, b.lo);
    twofold middle = twofold_ordered_sum(high.hi, high.lo + low.hi);
    return twofold_ordered_sum(middle.hi, middle.lo + low.lo);
}

// -a.
INLINE twofold twofold_neg(twofold a) {
    return make_twofold(-a.hi, -a.lo);
}

// a - b.
INLINE twofold twofold_sub(twofold a, twofold b) {
    return twofold_add(a, twofold_neg(b));
}

// a * b.
INLINE twofold twofold_mul(twofold a, twofold b) {
    twofold high = twofold_product(a.hi, b.hi);
    return twofold_ordered_sum(high.hi, high.lo + FMA_f64(a.hi, b.lo, a.lo * b.hi));
}

// a / b.
INLINE twofold twofold_div(twofold a, twofold b) {
    f64 first = a.hi / b.hi;
    twofold remainder = twofold_sub(a, twofold_mul(b, make_twofold(first, 0.0)));
    return twofold_ordered_sum(first, remainder.hi / b.hi);
}

// large^2 + small^2, both of moderate size.
INLINE twofold sum_of_squares_f64(f64 large, f64 small) {
    return twofold_add(twofold_product(large, large), twofold_product(small, small));
}

// a * b + c * d to within one and a half units in the last place, even where the products cancel. An exact product has
// an excess of +0, which must be subtracted to keep a sum of -0.
INLINE f64 sum_of_products_f64(f64 a, f64 b, f64 c, f64 d) {
    f64 second = c * d;
    f64 excess = FMA_f64(-c, d, second);
    return FMA_f64(a, b, second) - excess;
}
