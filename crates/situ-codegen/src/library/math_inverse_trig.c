// once
// Inverse sine, cosine and tangent, and the angle of a point. What a division or a square root rounds off on the way is
// kept in double precision, and so are the bits of pi past the first 53.

// pi/2, rounded, and what rounding took. pi has twice that.
#define HALF_PI_f64 1.5707963267948966
#define HALF_PI_LOW_f64 6.123233995736766e-17

// pi/2, rounded, and what rounding took. pi has twice that.
#define HALF_PI_f32 1.5707964f
#define HALF_PI_LOW_f32 (-4.371139e-8f)

// One over a positive normal number to three bits, from the exponent and the mantissa read as one number.
INLINE f64 rough_inverse_f64(f64 x) {
    return from_bits_f64(((u64)0x7fde << 48) - bits_f64(x));
}

// Past its first two terms, (atan t - t) / t^3 in t^2 - 1/2, for |t| up to 1.
INLINE f64 arc_tangent_curve_f64(f64 x) {
    f64 square = x * x;
    f64 upper = 1.3086584312467446e-05;
    f64 lower = -2.6087526074670106e-05;
    upper = FMA_f64(upper, square, 2.7206042623384267e-05);
    lower = FMA_f64(lower, square, -3.7381195484012136e-05);
    upper = FMA_f64(upper, square, 6.558465197902537e-05);
    lower = FMA_f64(lower, square, -0.00010690926811446741);
    upper = FMA_f64(upper, square, 0.0001694481783075225);
    lower = FMA_f64(lower, square, -0.00027161298493381177);
    upper = FMA_f64(upper, square, 0.0004387066788284285);
    lower = FMA_f64(lower, square, -0.0007125004156336114);
    upper = FMA_f64(upper, square, 0.0011650696822873366);
    lower = FMA_f64(lower, square, -0.0019209411965336789);
    upper = FMA_f64(upper, square, 0.003199175001662784);
    lower = FMA_f64(lower, square, -0.005394792639490455);
    upper = FMA_f64(upper, square, 0.009243096227427585);
    lower = FMA_f64(lower, square, -0.01617297490211504);
    upper = FMA_f64(upper, square, 0.02913586264522082);
    lower = FMA_f64(lower, square, -0.05481484060456489);
    return FMA_f64(FMA_f64(upper, x, lower), x, 0.11081482513071393);
}

// (asin u - u) / u^3 in u^2, for |u| up to 1/2.
INLINE f64 arc_sine_curve_f64(f64 x) {
    f64 square = x * x;
    f64 upper = 0.032626466916700035;
    f64 lower = -0.02099544057956718;
    upper = FMA_f64(upper, square, 0.021704747205549706);
    lower = FMA_f64(lower, square, 0.0037075854897177522);
    upper = FMA_f64(upper, square, 0.01077992034674359);
    lower = FMA_f64(lower, square, 0.011398975992493753);
    upper = FMA_f64(upper, square, 0.013980812088743374);
    lower = FMA_f64(lower, square, 0.017351612789290777);
    upper = FMA_f64(upper, square, 0.02237221493932503);
    lower = FMA_f64(lower, square, 0.030381942709752488);
    upper = FMA_f64(upper, square, 0.04464285717456295);
    lower = FMA_f64(lower, square, 0.07499999999970865);
    return FMA_f64(FMA_f64(upper, x, lower), x, 0.1666666666666676);
}

// (atan t - t) / t^3 in t^2, for |t| up to 1.
INLINE f32 arc_tangent_curve_f32(f32 x) {
    f32 sum = -0.0017890567f;
    sum = FMA_f32(sum, x, 0.0108932145f);
    sum = FMA_f32(sum, x, -0.031135947f);
    sum = FMA_f32(sum, x, 0.057913218f);
    sum = FMA_f32(sum, x, -0.084007084f);
    sum = FMA_f32(sum, x, 0.109511934f);
    sum = FMA_f32(sum, x, -0.14264043f);
    sum = FMA_f32(sum, x, 0.1999853f);
    return FMA_f32(sum, x, -0.333333f);
}

// (asin u - u) / u^3 in u^2, for |u| up to 1/2.
INLINE f32 arc_sine_curve_f32(f32 x) {
    f32 sum = 0.04215831f;
    sum = FMA_f32(sum, x, 0.024184778f);
    sum = FMA_f32(sum, x, 0.04546915f);
    sum = FMA_f32(sum, x, 0.074953094f);
    return FMA_f32(sum, x, 0.16666752f);
}

// turn + first + rest for a turn of 0, pi/2 or pi and a first no larger than the turn.
INLINE f64 past_turn_f64(f64 turn, f64 first, f64 rest) {
    f64 sum = turn + first;
    return sum + (fast_sum_lost_f64(turn, first, sum) + rest);
}

// The arc tangent of t + low, for |t| <= 1, past a turn given with its low part.
INLINE f64 arc_tangent_f64(f64 turn, f64 turn_low, f64 t, f64 low) {
    f64 square = t * t;
    // The slope, 1 / (1 + t^2), as a line is enough for the low part.
    f64 slope = FMA_f64(square, -0.5, 1.0);
    f64 lows = FMA_f64(low, slope, turn_low);
    f64 from_middle = FMA_f64(t, t, -0.5);
    f64 cube = square * t;
    f64 past_first = FMA_f64(cube, from_middle * arc_tangent_curve_f64(from_middle), lows);
    return past_turn_f64(turn, t, FMA_f64(cube, -0.2591604972657936, past_first));
}

// Arc tangent. Past 2^60 it is pi/2; an infinity would make the remainder of the division undefined.
INLINE f64 atan_f64(f64 x) {
    f64 size = ABS_f64(x);
    u8 steep = size > 1.0;
    f64 finite = size > 1e18 ? 1e18 : size;
    f64 inverse = -INVERSE_f64(finite);
    f64 t = steep ? inverse : size;
    f64 low = steep ? inverse * FMA_f64(inverse, finite, 1.0) : 0.0;
    return flip_f64(arc_tangent_f64(steep ? HALF_PI_f64 : 0.0, steep ? HALF_PI_LOW_f64 : 0.0, t, low), x);
}

// The angle of the point (x, y), where t + low is the smaller of its sides over the larger.
INLINE f64 point_angle_f64(f64 y, f64 x, f64 t, f64 low) {
    u8 steep = ABS_f64(y) > ABS_f64(x);
    u8 left = bits_f64(x) >> 63 != 0u;
    f64 turn = steep ? HALF_PI_f64 : (left ? 2.0 * HALF_PI_f64 : 0.0);
    f64 turn_low = steep ? HALF_PI_LOW_f64 : (left ? 2.0 * HALF_PI_LOW_f64 : 0.0);
    f64 back = steep != left ? -1.0 : 1.0;
    return flip_f64(arc_tangent_f64(turn, turn_low, t * back, low * back), y);
}

// The angle of any point.
OUTLINE f64 atan2_rare_f64(f64 y, f64 x) {
    const f64 tiny = from_bits_f64((u64)(1023 - 900) << 52);
    const f64 tiniest = from_bits_f64((u64)(1023 - 954) << 52);
    f64 rise = ABS_f64(y), run = ABS_f64(x);
    f64 larger = rise > run ? rise : run;
    f64 smaller = rise > run ? run : rise;
    // Infinities are points of slope 0 or 1; NaN stays. Tiny numbers are scaled so that the inverse is finite.
    u8 infinite = larger == INF_f64;
    f64 scale = larger < tiny ? from_bits_f64((u64)(1023 + 120) << 52) : 1.0;
    f64 limit = smaller == INF_f64 ? 1.0 : smaller * 0.0;
    smaller = infinite ? limit : smaller * scale;
    larger = infinite ? 1.0 : larger * scale;
    larger = larger < tiniest ? tiniest : larger;
    f64 t = smaller / larger;
    return point_angle_f64(y, x, t, 1.0 / larger * FMA_f64(-t, larger, smaller));
}

// The angle of a point neither near nor far; of others it says so.
INLINE f64 atan2_usual_f64(f64 y, f64 x, u32 *rare) {
    f64 rise = ABS_f64(y), run = ABS_f64(x);
    f64 larger = rise > run ? rise : run;
    f64 smaller = rise > run ? run : rise;
    *rare |= !is_middle_f64(larger) | !is_middle_f64(smaller) | (bits_f64(larger) == 0u);
    f64 t = QUOTIENT_f64(smaller, larger);
    return point_angle_f64(y, x, t, INVERSE_f64(larger) * FMA_f64(-t, larger, smaller));
}

// The angle of the point (x, y), from -pi to pi.
INLINE f64 atan2_f64(f64 y, f64 x) {
    u32 rare = 0u;
    f64 value = atan2_usual_f64(y, x, &rare);
    return rare ? atan2_rare_f64(y, x) : value;
}

// The arc sine of |x|, or past 1/2 half of pi/2 less that: its sine, and what the angle has past it.
INLINE f64 half_angle_f64(f64 x, f64 *past) {
    f64 size = ABS_f64(x);
    u8 steep = size > 0.5;
    f64 square = steep ? FMA_f64(size, -0.5, 0.5) : size * size;
    f64 root = ROOT_f64(square);
    // Three bits of the inverse are enough for the low part.
    f64 low = steep ? FMA_f64(-root, root, square) * (0.5 * rough_inverse_f64(root)) : 0.0;
    f64 sine = steep ? root : size;
    *past = FMA_f64(square * sine, arc_sine_curve_f64(square), low);
    return sine;
}

// Arc sine.
INLINE f64 asin_f64(f64 x) {
    f64 past;
    f64 sine = half_angle_f64(x, &past);
    u8 steep = ABS_f64(x) > 0.5;
    f64 factor = steep ? -2.0 : 1.0;
    f64 rest = FMA_f64(past, factor, steep ? HALF_PI_LOW_f64 : 0.0);
    return flip_f64(past_turn_f64(steep ? HALF_PI_f64 : 0.0, sine * factor, rest), x);
}

// Arc cosine.
INLINE f64 acos_f64(f64 x) {
    f64 past;
    f64 sine = half_angle_f64(x, &past);
    u8 steep = ABS_f64(x) > 0.5;
    f64 turn = steep ? (x < 0.0 ? 2.0 * HALF_PI_f64 : 0.0) : HALF_PI_f64;
    f64 turn_low = steep ? (x < 0.0 ? 2.0 * HALF_PI_LOW_f64 : 0.0) : HALF_PI_LOW_f64;
    f64 factor = flip_f64(steep ? 2.0 : -1.0, x);
    return past_turn_f64(turn, sine * factor, FMA_f64(past, factor, turn_low));
}

// The arc tangent of t, for |t| <= 1, past a turn given with its low part.
INLINE f32 arc_tangent_f32(f32 turn, f32 turn_low, f32 t) {
    f32 square = t * t;
    return (turn + t) + FMA_f32(square * t, arc_tangent_curve_f32(square), turn_low);
}

// Arc tangent. Past 2^60 it is pi/2.
INLINE f32 atan_f32(f32 x) {
    f32 size = ABS_f32(x);
    u8 steep = size > 1.0f;
    f32 t = steep ? -INVERSE_f32(size > 1e18f ? 1e18f : size) : size;
    return flip_f32(arc_tangent_f32(steep ? HALF_PI_f32 : 0.0f, steep ? HALF_PI_LOW_f32 : 0.0f, t), x);
}

// The angle of the point (x, y), where t is the smaller of its sides over the larger.
INLINE f32 point_angle_f32(f32 y, f32 x, f32 t) {
    u8 steep = ABS_f32(y) > ABS_f32(x);
    u8 left = bits_f32(x) >> 31 != 0u;
    f32 turn = steep ? HALF_PI_f32 : (left ? 2.0f * HALF_PI_f32 : 0.0f);
    f32 turn_low = steep ? HALF_PI_LOW_f32 : (left ? 2.0f * HALF_PI_LOW_f32 : 0.0f);
    f32 back = steep != left ? -1.0f : 1.0f;
    return flip_f32(arc_tangent_f32(turn, turn_low, t * back), y);
}

// The angle of any point. 0 / 0 is a point of slope 0 and one of infinities has slope 1; NaN stays.
OUTLINE f32 atan2_rare_f32(f32 y, f32 x) {
    f32 rise = ABS_f32(y), run = ABS_f32(x);
    f32 larger = rise > run ? rise : run;
    f32 smaller = rise > run ? run : rise;
    f32 t = smaller / larger;
    t = larger == 0.0f ? smaller : t;
    t = ((smaller == INF_f32) & (larger == INF_f32)) ? 1.0f : t;
    return point_angle_f32(y, x, t);
}

// The angle of a point neither near nor far; of others it says so.
INLINE f32 atan2_usual_f32(f32 y, f32 x, u32 *rare) {
    f32 rise = ABS_f32(y), run = ABS_f32(x);
    f32 larger = rise > run ? rise : run;
    f32 smaller = rise > run ? run : rise;
    *rare |= !is_middle_f32(larger) | !is_middle_f32(smaller) | (bits_f32(larger) == 0u);
    return point_angle_f32(y, x, QUOTIENT_f32(smaller, larger));
}

// The angle of the point (x, y), from -pi to pi.
INLINE f32 atan2_f32(f32 y, f32 x) {
    u32 rare = 0u;
    f32 value = atan2_usual_f32(y, x, &rare);
    return rare ? atan2_rare_f32(y, x) : value;
}

// The arc sine of |x|, or past 1/2 half of pi/2 less that: its sine, and what the angle has past it.
INLINE f32 half_angle_f32(f32 x, f32 *past) {
    f32 size = ABS_f32(x);
    u8 steep = size > 0.5f;
    f32 square = steep ? FMA_f32(size, -0.5f, 0.5f) : size * size;
    f32 sine = steep ? ROOT_f32(square) : size;
    *past = (square * sine) * arc_sine_curve_f32(square);
    return sine;
}

// Arc sine.
INLINE f32 asin_f32(f32 x) {
    f32 past;
    f32 sine = half_angle_f32(x, &past);
    u8 steep = ABS_f32(x) > 0.5f;
    f32 turn = steep ? HALF_PI_f32 : 0.0f;
    f32 factor = steep ? -2.0f : 1.0f;
    f32 sum = turn + sine * factor;
    f32 lost = fast_sum_lost_f32(turn, sine * factor, sum);
    return flip_f32(sum + (lost + FMA_f32(past, factor, steep ? HALF_PI_LOW_f32 : 0.0f)), x);
}

// Arc cosine.
INLINE f32 acos_f32(f32 x) {
    f32 past;
    f32 sine = half_angle_f32(x, &past);
    u8 steep = ABS_f32(x) > 0.5f;
    f32 turn = steep ? (x < 0.0f ? 2.0f * HALF_PI_f32 : 0.0f) : HALF_PI_f32;
    f32 factor = flip_f32(steep ? 2.0f : -1.0f, x);
    return FMA_f32(sine + past, factor, turn);
}
