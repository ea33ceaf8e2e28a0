//! The logarithm to about 90 bits, for powers.
//!
//! A power is `exp(b log a)`: an error in the logarithm counts as often as the exponent is large. So modulus and angle
//! are brought near one and zero by tables of known logarithms and angles, and the rest is a short series.

use std::f64::consts;

use situ_types::C128;

use super::exponential::LN_2;
use super::logarithm::squared_modulus;
use super::scaling::{exponent, power_of_two, scaled};
use super::twofold::Twofold;

const PI: Twofold = Twofold::new(consts::PI, 1.224_646_799_147_353_2e-16);
const HALF_PI: Twofold = Twofold::new(consts::FRAC_PI_2, 6.123_233_995_736_766e-17);

/// Logarithms of 11/16, 12/16, … 23/16.
const LOGS: [Twofold; 13] = [
    Twofold::new(-0.374_693_449_441_410_7, 3.924_311_228_863_239_6e-18),
    Twofold::new(-0.287_682_072_451_780_9, -2.607_160_616_442_564e-17),
    Twofold::new(-0.207_639_364_778_244_5, -1.205_324_321_668_612_9e-17),
    Twofold::new(-0.133_531_392_624_522_63, 3.664_457_663_660_085e-18),
    Twofold::new(-0.064_538_521_137_571_18, 6.470_486_661_692_933e-18),
    Twofold::new(0.0, 0.0),
    Twofold::new(0.060_624_621_816_434_84, 2.642_402_593_872_693_4e-18),
    Twofold::new(0.117_783_035_656_383_46, -1.197_168_574_759_367_7e-18),
    Twofold::new(0.171_850_256_926_659_23, -6.022_453_821_011_370_5e-18),
    Twofold::new(0.223_143_551_314_209_76, -9.091_270_597_324_799e-18),
    Twofold::new(0.271_933_715_483_641_76, 7.833_196_376_974_42e-19),
    Twofold::new(0.318_453_731_118_534_6, 2.711_477_936_732_623_6e-17),
    Twofold::new(0.362_905_493_689_368_5, -2.149_236_145_531_097_2e-17),
];
const FIRST_LOG: usize = 11;

/// Angles whose tangents are 0/16, 1/16, … 16/16.
const ANGLES: [Twofold; 17] = [
    Twofold::new(0.0, 0.0),
    Twofold::new(0.062_418_809_995_957_35, -1.549_075_630_829_504_6e-18),
    Twofold::new(0.124_354_994_546_761_44, -3.125_324_142_453_938_3e-18),
    Twofold::new(0.185_347_949_995_694_76, 4.180_692_268_843_079e-18),
    Twofold::new(0.244_978_663_126_864_14, 1.069_875_561_873_445_1e-17),
    Twofold::new(0.302_884_868_374_971_4, -1.101_082_790_300_136_9e-17),
    Twofold::new(0.358_770_670_270_572_25, -2.462_381_558_263_863_5e-17),
    Twofold::new(0.412_410_441_597_387_3, -1.587_652_227_770_689e-17),
    Twofold::new(0.463_647_609_000_806_1, 2.269_877_745_296_168_7e-17),
    Twofold::new(0.512_389_460_310_737_7, -2.546_278_147_285_580_4e-17),
    Twofold::new(0.558_599_315_343_562_4, -5.455_630_548_591_626_4e-18),
    Twofold::new(0.602_287_346_134_964_2, 2.950_430_737_228_402e-17),
    Twofold::new(0.643_501_108_793_284_4, 1.583_478_505_144_428_6e-17),
    Twofold::new(0.682_316_554_874_748_1, 6.943_223_671_560_008e-18),
    Twofold::new(0.718_829_999_621_624_5, -2.147_838_844_445_698_3e-17),
    Twofold::new(0.753_151_280_962_194_4, -2.425_693_465_918_206_8e-17),
    Twofold::new(consts::FRAC_PI_4, 3.061_616_997_868_383e-17),
];

const THIRD: Twofold = Twofold::new(0.333_333_333_333_333_3, 1.850_371_707_708_594e-17);
const FIFTH: Twofold = Twofold::new(0.2, -1.110_223_024_625_156_6e-17);

/// The natural logarithm of a finite number other than zero: that of the modulus, and the angle.
#[inline(always)]
pub(super) fn precise_log(z: C128) -> (Twofold, Twofold) {
    let (re, im) = (z.re.abs(), z.im.abs());
    let (large, small) = if re > im { (re, im) } else { (im, re) };
    let shift = exponent(large);
    let (large, small) = (scaled(large, -shift), scaled(small, -shift));
    let modulus = half_log_of_squares(large, small, shift);
    let octant = octant_angle(large, small);
    let quadrant = if re > im { octant } else { HALF_PI - octant };
    let angle = if z.re.is_sign_negative() { PI - quadrant } else { quadrant };
    (modulus, if z.im.is_sign_negative() { -angle } else { angle })
}

/// Half the logarithm of `large² + small²`, which lies between 1 and 8, and `shift` times that of two.
#[inline(always)]
fn half_log_of_squares(large: f64, small: f64, shift: i32) -> Twofold {
    let squares = squared_modulus(large, small);
    let twos = exponent(squares.hi * consts::SQRT_2);
    let near_one = squares.times_power_of_two(power_of_two(-twos));
    let sixteenths = (16.0 / near_one.hi).round();
    let rest = near_one * Twofold::from(sixteenths / 16.0) - Twofold::from(1.0);
    // log(1 + rest) = 2 atanh(rest / (2 + rest))
    let series = odd_series(rest / (rest + Twofold::from(2.0)), 1.0).times_power_of_two(2.0);
    let known = Twofold::from((twos + 2 * shift) as f64) * LN_2 - LOGS[sixteenths as usize - FIRST_LOG];
    (known + series).times_power_of_two(0.5)
}

/// The angle whose tangent is `small / large`, between 0 and π/4.
#[inline(always)]
fn octant_angle(large: f64, small: f64) -> Twofold {
    let sixteenths = (16.0 * (small / large)).round();
    let tangent = sixteenths / 16.0;
    let along = Twofold::from(large) + Twofold::product(tangent, small);
    let across = Twofold::from(small) - Twofold::product(tangent, large);
    ANGLES[sixteenths as usize] + odd_series(across / along, -1.0)
}

/// `s + σ s³/3 + s⁵/5 + σ s⁷/7 + …` for |s| up to 1/31: the inverse tangent for σ = -1, the hyperbolic one for σ = 1.
#[inline(always)]
fn odd_series(s: Twofold, sigma: f64) -> Twofold {
    let square = (s * s).times_power_of_two(sigma);
    // These terms are so small that one double holds enough of them.
    let tail = [1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0];
    let tail = tail.iter().fold(1.0 / 19.0, |sum: f64, inverse| sum.mul_add(square.hi, *inverse));
    let from_fifth = FIFTH.plus_smaller(square * Twofold::from(tail));
    let from_third = THIRD.plus_smaller(square * from_fifth);
    s.plus_smaller(s * (square * from_third))
}
