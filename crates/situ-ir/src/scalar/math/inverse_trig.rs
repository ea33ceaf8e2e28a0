//! Inverse sine, cosine and tangent, and the angle of a point.
//!
//! Each brings its argument into the range of one polynomial. What the division or the square root on the way rounds
//! off is kept in double precision, and so are the bits of π past the first 53.

use std::f32::consts as single;
use std::f64::consts as double;

use super::parts::{fast_two_sum, horner, select, two_chains};
use super::roots::rough_inverse_f64;

/// What π/2 has past the double. π has twice that.
const HALF_PI_LOW_F64: f64 = 6.123233995736766e-17;

/// What π/2 has past the float.
const HALF_PI_LOW_F32: f32 = -4.371139e-08;

/// (atan t - t) / t³ in t² - 1/2, for |t| up to 1: minimax, the relative error of the arc tangent below 2⁻⁵⁷. Away from
/// the middle of the interval the powers would cancel each other.
const ARC_TANGENT_F64: [f64; 20] = [
    -0.2591604972657936,
    0.11081482513071393,
    -0.05481484060456489,
    0.02913586264522082,
    -0.01617297490211504,
    0.009243096227427585,
    -0.005394792639490455,
    0.003199175001662784,
    -0.0019209411965336789,
    0.0011650696822873366,
    -0.0007125004156336114,
    0.0004387066788284285,
    -0.00027161298493381177,
    0.0001694481783075225,
    -0.00010690926811446741,
    6.558465197902537e-05,
    -3.7381195484012136e-05,
    2.7206042623384267e-05,
    -2.6087526074670106e-05,
    1.3086584312467446e-05,
];

/// (asin u - u) / u³ in u², for |u| up to 1/2: minimax, the relative error of the arc sine below 2⁻⁵⁹.
const ARC_SINE_F64: [f64; 13] = [
    0.1666666666666676,
    0.07499999999970865,
    0.04464285717456295,
    0.030381942709752488,
    0.02237221493932503,
    0.017351612789290777,
    0.013980812088743374,
    0.011398975992493753,
    0.01077992034674359,
    0.0037075854897177522,
    0.021704747205549706,
    -0.02099544057956718,
    0.032626466916700035,
];

/// (atan t - t) / t³ in t², for |t| up to 1: minimax, the relative error of the arc tangent below 2⁻²⁷.
const ARC_TANGENT_F32: [f32; 9] = [
    -0.333333,
    0.1999853,
    -0.14264043,
    0.109511934,
    -0.084007084,
    0.057913218,
    -0.031135947,
    0.0108932145,
    -0.0017890567,
];

/// (asin u - u) / u³ in u², for |u| up to 1/2: minimax, the relative error of the arc sine below 2⁻²⁷.
const ARC_SINE_F32: [f32; 5] = [0.16666752, 0.074953094, 0.04546915, 0.024184778, 0.04215831];

/// Below 2⁻⁹⁰⁰ a point is moved away from the origin.
const TINY: f64 = f64::from_bits((1023 - 900) << 52);

/// By this much, 2¹²⁰.
const TINY_SCALE: f64 = f64::from_bits((1023 + 120) << 52);

/// What the smallest number becomes then, 2⁻⁹⁵⁴.
const TINIEST: f64 = f64::from_bits((1023 - 954) << 52);

/// `value` with its sign changed where `sign` is negative.
#[inline(always)]
fn flip_f64(value: f64, sign: f64) -> f64 {
    f64::from_bits(value.to_bits() ^ (sign.to_bits() & (1 << 63)))
}

/// `value` with its sign changed where `sign` is negative.
#[inline(always)]
fn flip_f32(value: f32, sign: f32) -> f32 {
    f32::from_bits(value.to_bits() ^ (sign.to_bits() & (1 << 31)))
}

/// `turn + first + rest` for a turn of 0, π/2 or π and `first` no larger than the turn.
#[inline(always)]
fn turned_f64(turn: f64, first: f64, rest: f64) -> f64 {
    let (sum, lost) = fast_two_sum(turn, first);
    sum + (lost + rest)
}

/// The arc tangent of `t + low`, for `|t| <= 1`, past a turn given with its low part.
#[inline(always)]
fn arc_tangent_f64(turn: f64, turn_low: f64, t: f64, low: f64) -> f64 {
    let square = t * t;
    // The slope, 1 / (1 + t²), as a line is enough for the low part.
    let slope = square.mul_add(-0.5, 1.0);
    let lows = low.mul_add(slope, turn_low);
    let from_middle = t.mul_add(t, -0.5);
    let cube = square * t;
    let [first, rest @ ..] = ARC_TANGENT_F64;
    let past_first = cube.mul_add(from_middle * two_chains(from_middle, &rest), lows);
    turned_f64(turn, t, cube.mul_add(first, past_first))
}

/// Arc tangent.
#[inline(always)]
pub fn atan_f64(x: f64) -> f64 {
    let size = x.abs();
    let steep = size > 1.0;
    // Past 2⁶⁰ the result is π/2; an infinity would make the remainder of the division undefined.
    let finite = select(size > 1e18, 1e18, size);
    let inverse = -1.0 / finite;
    let t = select(steep, inverse, size);
    let low = select(steep, inverse * inverse.mul_add(finite, 1.0), 0.0);
    let turn = select(steep, double::FRAC_PI_2, 0.0);
    let turn_low = select(steep, HALF_PI_LOW_F64, 0.0);
    flip_f64(arc_tangent_f64(turn, turn_low, t, low), x)
}

/// The angle of the point `(x, y)`, from -π to π.
#[inline(always)]
pub fn atan2_f64(y: f64, x: f64) -> f64 {
    let (rise, run) = (y.abs(), x.abs());
    let steep = rise > run;
    let larger = select(steep, rise, run);
    let smaller = select(steep, run, rise);
    // Infinities are points of slope 0 or 1; NaN stays. Tiny numbers are scaled so that the inverse is finite.
    let infinite = larger == f64::INFINITY;
    let scale = select(larger < TINY, TINY_SCALE, 1.0);
    let limit = select(smaller == f64::INFINITY, 1.0, smaller * 0.0);
    let smaller = select(infinite, limit, smaller * scale);
    let larger = select(infinite, 1.0, larger * scale);
    let larger = select(larger < TINIEST, TINIEST, larger);
    let inverse = 1.0 / larger;
    let t = smaller / larger;
    let low = inverse * (-t).mul_add(larger, smaller);
    let left = x.is_sign_negative();
    let turn = select(steep, double::FRAC_PI_2, select(left, double::PI, 0.0));
    let turn_low = select(steep, HALF_PI_LOW_F64, select(left, 2.0 * HALF_PI_LOW_F64, 0.0));
    let back = select(steep ^ left, -1.0, 1.0);
    flip_f64(arc_tangent_f64(turn, turn_low, t * back, low * back), y)
}

/// Where the arc sine is not flat enough for its polynomial, half the angle of the complement takes its place.
#[derive(Clone, Copy)]
struct HalfAngle<T> {
    /// Whether the argument is past 1/2.
    steep: bool,
    /// The sine of the half angle, or the size of the argument.
    sine: T,
    /// What the angle has past its sine.
    past: T,
}

/// The arc sine of `|x|`, or past 1/2 half of π/2 less that.
#[inline(always)]
fn half_angle_f64(x: f64) -> HalfAngle<f64> {
    let size = x.abs();
    let steep = size > 0.5;
    let square = select(steep, size.mul_add(-0.5, 0.5), size * size);
    let root = square.sqrt();
    // Three bits of the inverse are enough for the low part.
    let low = select(steep, (-root).mul_add(root, square) * (0.5 * rough_inverse_f64(root)), 0.0);
    let sine = select(steep, root, size);
    HalfAngle { steep, sine, past: (square * sine).mul_add(two_chains(square, &ARC_SINE_F64), low) }
}

/// Arc sine.
#[inline(always)]
pub fn asin_f64(x: f64) -> f64 {
    let HalfAngle { steep, sine, past } = half_angle_f64(x);
    let turn = select(steep, double::FRAC_PI_2, 0.0);
    let turn_low = select(steep, HALF_PI_LOW_F64, 0.0);
    let factor = select(steep, -2.0, 1.0);
    flip_f64(turned_f64(turn, sine * factor, past.mul_add(factor, turn_low)), x)
}

/// Arc cosine.
#[inline(always)]
pub fn acos_f64(x: f64) -> f64 {
    let HalfAngle { steep, sine, past } = half_angle_f64(x);
    let left = x < 0.0;
    let far_turn = select(left, double::PI, 0.0);
    let far_turn_low = select(left, 2.0 * HALF_PI_LOW_F64, 0.0);
    let turn = select(steep, far_turn, double::FRAC_PI_2);
    let turn_low = select(steep, far_turn_low, HALF_PI_LOW_F64);
    let factor = flip_f64(select(steep, 2.0, -1.0), x);
    turned_f64(turn, sine * factor, past.mul_add(factor, turn_low))
}

/// The arc tangent of `t`, for `|t| <= 1`, past a turn given with its low part.
#[inline(always)]
fn arc_tangent_f32(turn: f32, turn_low: f32, t: f32) -> f32 {
    let square = t * t;
    (turn + t) + (square * t).mul_add(horner(square, &ARC_TANGENT_F32), turn_low)
}

/// Arc tangent.
#[inline(always)]
pub fn atan_f32(x: f32) -> f32 {
    let size = x.abs();
    let steep = size > 1.0;
    let t = select(steep, -1.0 / size, size);
    let turn = select(steep, single::FRAC_PI_2, 0.0);
    let turn_low = select(steep, HALF_PI_LOW_F32, 0.0);
    flip_f32(arc_tangent_f32(turn, turn_low, t), x)
}

/// The angle of the point `(x, y)`, from -π to π.
#[inline(always)]
pub fn atan2_f32(y: f32, x: f32) -> f32 {
    let (rise, run) = (y.abs(), x.abs());
    let steep = rise > run;
    let larger = select(steep, rise, run);
    let smaller = select(steep, run, rise);
    let t = smaller / larger;
    // 0 / 0 is a point of slope 0 and ∞ / ∞ one of slope 1; NaN stays.
    let t = select(larger == 0.0, smaller, t);
    let t = select((smaller == f32::INFINITY) & (larger == f32::INFINITY), 1.0, t);
    let left = x.is_sign_negative();
    let turn = select(steep, single::FRAC_PI_2, select(left, single::PI, 0.0));
    let turn_low = select(steep, HALF_PI_LOW_F32, select(left, 2.0 * HALF_PI_LOW_F32, 0.0));
    let back = select(steep ^ left, -1.0, 1.0);
    flip_f32(arc_tangent_f32(turn, turn_low, t * back), y)
}

/// The arc sine of `|x|`, or past 1/2 half of π/2 less that.
#[inline(always)]
fn half_angle_f32(x: f32) -> HalfAngle<f32> {
    let size = x.abs();
    let steep = size > 0.5;
    let square = select(steep, size.mul_add(-0.5, 0.5), size * size);
    let sine = select(steep, square.sqrt(), size);
    HalfAngle { steep, sine, past: (square * sine) * horner(square, &ARC_SINE_F32) }
}

/// Arc sine.
#[inline(always)]
pub fn asin_f32(x: f32) -> f32 {
    let HalfAngle { steep, sine, past } = half_angle_f32(x);
    let turn = select(steep, single::FRAC_PI_2, 0.0);
    let turn_low = select(steep, HALF_PI_LOW_F32, 0.0);
    let factor = select(steep, -2.0, 1.0);
    let (sum, lost) = fast_two_sum(turn, sine * factor);
    flip_f32(sum + (lost + past.mul_add(factor, turn_low)), x)
}

/// Arc cosine.
#[inline(always)]
pub fn acos_f32(x: f32) -> f32 {
    let HalfAngle { steep, sine, past } = half_angle_f32(x);
    let far_turn = select(x < 0.0, single::PI, 0.0);
    let turn = select(steep, far_turn, single::FRAC_PI_2);
    let factor = flip_f32(select(steep, 2.0, -1.0), x);
    (sine + past).mul_add(factor, turn)
}
