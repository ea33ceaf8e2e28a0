// once
// Sine, cosine and tangent of what is left of an angle after the nearest multiple of pi or pi/2 is taken from it.

// The largest angles that are reduced by products with a few parts of pi.
#define NEAR_f64 16777216.0
#define NEAR_f32 131072.0f

// (sin r - r) / r^3 in r^2, for |r| up to a hair past pi/4.
INLINE f64 sine_curve_f64(f64 x) {
    f64 sum = 1.589668371001691e-10;
    sum = FMA_f64(sum, x, -2.5050756739352304e-08);
    sum = FMA_f64(sum, x, 2.755731368768166e-06);
    sum = FMA_f64(sum, x, -0.00019841269829813567);
    sum = FMA_f64(sum, x, 0.008333333333322455);
    return FMA_f64(sum, x, -0.16666666666666632);
}

// (cos r - 1 + r^2/2) / r^4 in r^2, for |r| up to a hair past pi/4.
INLINE f64 cosine_curve_f64(f64 x) {
    f64 sum = -1.135980388368722e-11;
    sum = FMA_f64(sum, x, 2.0875727079120468e-09);
    sum = FMA_f64(sum, x, -2.7557314387563724e-07);
    sum = FMA_f64(sum, x, 2.4801587289636456e-05);
    sum = FMA_f64(sum, x, -0.0013888888888874441);
    return FMA_f64(sum, x, 0.0416666666666666);
}

// Sine of high + low, or its cosine.
INLINE f64 sine_or_cosine_f64(u32 is_cosine, f64 high, f64 low) {
    f64 square = high * high;
    f64 parabola = FMA_f64(square, -0.5, 1.0);
    f64 sine = high + FMA_f64(square * high, sine_curve_f64(square), low * parabola);
    f64 lost = FMA_f64(-high, low, FMA_f64(square, -0.5, 1.0 - parabola));
    f64 cosine = parabola + FMA_f64(square * square, cosine_curve_f64(square), lost);
    return is_cosine ? cosine : sine;
}

// Past its first two terms, (tan r - r) / r^3 in r^2, for |r| up to a hair past pi/4.
INLINE f64 tangent_curve_f64(f64 x) {
    f64 square = x * x;
    f64 upper = 9.801086840673241e-06;
    f64 lower = -2.428154125243334e-05;
    upper = FMA_f64(upper, square, 4.8648143173535906e-05);
    lower = FMA_f64(lower, square, -2.5644638514420323e-05);
    upper = FMA_f64(upper, square, 6.722752641371637e-05);
    lower = FMA_f64(lower, square, 8.355741396711806e-05);
    upper = FMA_f64(upper, square, 0.00024375109847233237);
    lower = FMA_f64(lower, square, 0.0005888646918415422);
    upper = FMA_f64(upper, square, 0.0014560455191178693);
    lower = FMA_f64(lower, square, 0.0035921008841530823);
    upper = FMA_f64(upper, square, 0.008863237922232186);
    lower = FMA_f64(lower, square, 0.021869488399319244);
    upper = FMA_f64(upper, square, 0.05396825397290318);
    lower = FMA_f64(lower, square, 0.13333333333325342);
    return FMA_f64(upper, x, lower);
}

// Tangent of high + low, or of that and a right angle.
INLINE f64 tangent_f64(u32 odd, f64 high, f64 low) {
    f64 square = high * high;
    f64 square_low = product_lost_f64(high, high, square);
    // The slopes in the argument, 1 + tan^2, and in its square need few bits for the low parts.
    f64 slope = FMA_f64(square, 1.5, 1.0);
    f64 lost = FMA_f64(square_low * high, 0.5, low * slope);
    f64 cube = square * high;
    f64 past_first = FMA_f64(cube, square * tangent_curve_f64(square), lost);
    f64 past_high = FMA_f64(cube, 0.3333333333333338, past_first);
    f64 tangent = high + past_high;
    f64 rest = fast_sum_lost_f64(high, past_high, tangent);
    f64 cotangent = -INVERSE_f64(tangent);
    f64 missing = FMA_f64(cotangent, rest, FMA_f64(cotangent, tangent, 1.0));
    return odd ? FMA_f64(cotangent, missing, cotangent) : tangent;
}

// Past its first two terms, (sin r - r) / r^3 in r^2, for |r| up to a hair past pi/2.
INLINE f32 sine_curve_f32(f32 x) {
    f32 sum = -2.5977215e-08f;
    sum = FMA_f32(sum, x, 2.7651113e-06f);
    sum = FMA_f32(sum, x, -0.00019843476f);
    return FMA_f32(sum, x, 0.008333352f);
}

// Sine of a number up to pi/2, given in two parts.
INLINE f32 sine_f32(f32 high, f32 low) {
    f32 square = high * high;
    // The slope of the sine as a parabola through its zero at pi/2 is enough for the low part.
    f32 slope = FMA_f32(square, -0.405f, 1.0f);
    f32 cube = square * high;
    f32 past_first = FMA_f32(cube, square * sine_curve_f32(square), low * slope);
    return high + FMA_f32(cube, -0.16666667f, past_first);
}

// Past its first two terms, (tan r - r) / r^3 in r^2, for |r| up to a hair past pi/4.
INLINE f32 tangent_curve_f32(f32 x) {
    f32 sum = 0.0043803686f;
    sum = FMA_f32(sum, x, 8.385935e-05f);
    sum = FMA_f32(sum, x, 0.010837704f);
    sum = FMA_f32(sum, x, 0.02128277f);
    sum = FMA_f32(sum, x, 0.054059446f);
    return FMA_f32(sum, x, 0.13332672f);
}

// Tangent of high + low, or of that and a right angle.
INLINE f32 tangent_f32(u32 odd, f32 high, f32 low) {
    f32 square = high * high;
    f32 slope = FMA_f32(square, 1.5f, 1.0f);
    f32 cube = square * high;
    f32 past_first = FMA_f32(cube, square * tangent_curve_f32(square), low * slope);
    f32 tangent = high + FMA_f32(cube, 0.3333335f, past_first);
    return odd ? -INVERSE_f32(tangent) : tangent;
}
