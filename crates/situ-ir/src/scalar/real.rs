//! What needs an order: rounding down and up, floor division.

use situ_types::F16;

use super::Numeric;

/// Declares [`Real`] from a list of ways to round: whole numbers are their own, half precision goes by way of single.
macro_rules! real {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        /// Real types: `bool`, integers and floating-point numbers.
        pub trait Real: Numeric {
            $(
                $(#[$doc])*
                #[inline(always)]
                fn $name(self) -> Self { self }
            )*
        }

        impl Real for f32 {
            $(#[inline(always)] fn $name(self) -> Self { f32::$name(self) })*
        }
        impl Real for f64 {
            $(#[inline(always)] fn $name(self) -> Self { f64::$name(self) })*
        }
        impl Real for F16 {
            $(#[inline(always)] fn $name(self) -> Self { F16::from_f32(self.to_f32().$name()) })*
        }
    };
}
real! {
    /// The greatest integer that is not above.
    floor;
    /// The least integer that is not below.
    ceil;
    /// Without its fraction.
    trunc;
}

macro_rules! whole {
    ($($type:ty),*) => { $(impl Real for $type {})* };
}
whole!(bool, i8, i16, i32, i64, u8, u16, u32, u64);

/// Real numbers: integers and floating-point numbers.
///
/// Quotients are rounded down, and remainders have the divisor's sign. Integers divided by zero give zero.
pub trait Divisible: Real {
    /// Whether the sign is set, of zeros and of what is not a number too.
    fn signbit(self) -> bool;
    /// The quotient rounded down, as long as [`is_far`](Self::is_far) says nothing else.
    fn floor_div(self, divisor: Self) -> Self;
    /// What is left of floor division, as long as [`is_far`](Self::is_far) says nothing else.
    fn modulo(self, divisor: Self) -> Self;
    /// Whether the quotient is so large that its last digits need care.
    fn is_far(self, divisor: Self) -> bool;
    /// [`floor_div`](Self::floor_div) in every case.
    fn floor_div_far(self, divisor: Self) -> Self;
    /// [`modulo`](Self::modulo) in every case.
    fn modulo_far(self, divisor: Self) -> Self;
}

/// The integer a float holds, by way of the float whose last place is 1.
#[inline(always)]
fn integer_in_single(whole: f32) -> i32 {
    const SHIFT: f32 = 12_582_912.0; // 1.5 · 2^23
    ((whole + SHIFT).to_bits() as i32).wrapping_sub(SHIFT.to_bits() as i32)
}

/// The same in double precision.
#[inline(always)]
fn integer_in_double(whole: f64) -> i64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 · 2^52
    ((whole + SHIFT).to_bits() as i64).wrapping_sub(SHIFT.to_bits() as i64)
}

/// Integers narrow enough that a float holds every quotient apart from the next integer: rounding a quotient moves it
/// by less than the reciprocal of the divisor, so that it never reaches an integer it was not at.
macro_rules! narrow {
    ($float:ident, $integer_in:ident: $($type:ty),*) => {$(
        impl Divisible for $type {
            #[inline(always)]
            #[allow(unused_comparisons, reason = "unsigned types have no sign")]
            fn signbit(self) -> bool { self < 0 }
            #[inline(always)]
            fn floor_div(self, divisor: Self) -> Self {
                let safe = if divisor == 0 { 1 } else { divisor };
                let quotient = $integer_in($float::floor(self as $float / safe as $float)) as $type;
                if divisor == 0 { 0 } else { quotient }
            }
            #[inline(always)]
            fn modulo(self, divisor: Self) -> Self {
                let left = self.wrapping_sub(self.floor_div(divisor).wrapping_mul(divisor));
                if divisor == 0 { 0 } else { left }
            }
            #[inline(always)]
            fn is_far(self, _: Self) -> bool { false }
            #[inline(always)]
            fn floor_div_far(self, divisor: Self) -> Self { self.floor_div(divisor) }
            #[inline(always)]
            fn modulo_far(self, divisor: Self) -> Self { self.modulo(divisor) }
        }
    )*};
}
narrow!(f32, integer_in_single: i8, i16, u8, u16);
narrow!(f64, integer_in_double: i32, u32);

macro_rules! wide {
    ($($type:ty: |$a:ident, $b:ident| $quotient:expr;)*) => {$(
        impl Divisible for $type {
            #[inline(always)]
            #[allow(unused_comparisons, reason = "unsigned types have no sign")]
            fn signbit(self) -> bool { self < 0 }
            #[inline(always)]
            fn floor_div(self, $b: Self) -> Self {
                let $a = self;
                if $b == 0 { 0 } else { $quotient }
            }
            #[inline(always)]
            fn modulo(self, divisor: Self) -> Self {
                if divisor == 0 { return 0; }
                self.wrapping_sub(self.floor_div(divisor).wrapping_mul(divisor))
            }
            #[inline(always)]
            fn is_far(self, _: Self) -> bool { false }
            #[inline(always)]
            fn floor_div_far(self, divisor: Self) -> Self { self.floor_div(divisor) }
            #[inline(always)]
            fn modulo_far(self, divisor: Self) -> Self { self.modulo(divisor) }
        }
    )*};
}
wide! {
    i64: |a, b| {
        let (quotient, rest) = (a.wrapping_div(b), a.wrapping_rem(b));
        quotient - i64::from(rest != 0 && (rest < 0) != (b < 0))
    };
    u64: |a, b| a / b;
}

macro_rules! floats {
    ($($type:ident: $exact:expr;)*) => {$(
        impl Divisible for $type {
            #[inline(always)]
            fn signbit(self) -> bool { self.is_sign_negative() }
            #[inline(always)]
            fn floor_div(self, divisor: Self) -> Self {
                let quotient = self / divisor;
                let whole = $type::floor(quotient);
                // A quotient just below an integer may have been rounded up to it.
                let over = whole == quotient && (-whole).mul_add(divisor, self) * divisor < 0.0;
                let whole = if over { whole - 1.0 } else { whole };
                if whole == 0.0 { $type::copysign(0.0, quotient) } else { whole }
            }
            #[inline(always)]
            fn modulo(self, divisor: Self) -> Self {
                let whole = (self / divisor).floor();
                let left = (-whole).mul_add(divisor, self);
                // A quotient just below an integer may have been rounded up to it, but never past one.
                let left = if left * divisor.signum() < 0.0 { left + divisor } else { left };
                let apart = self * divisor < 0.0;
                let by_infinity = if apart { divisor } else { self };
                let left = if divisor.is_infinite() && self.is_finite() { by_infinity } else { left };
                if left == 0.0 { $type::copysign(0.0, divisor) } else { left }
            }
            #[inline(always)]
            fn is_far(self, divisor: Self) -> bool {
                let is_large = ((self / divisor).abs() >= $exact) & divisor.is_finite();
                let is_small = divisor.abs() < $type::MIN_POSITIVE / $type::EPSILON;
                (is_large | is_small) & self.is_finite() & (divisor != 0.0)
            }
            #[cold]
            #[inline(never)]
            fn floor_div_far(self, divisor: Self) -> Self {
                let rest = self % divisor;
                let quotient = (self - rest) / divisor;
                let quotient = if rest != 0.0 && (rest < 0.0) != (divisor < 0.0) { quotient - 1.0 } else { quotient };
                let nearest = $type::floor(quotient);
                let nearest = if quotient - nearest > 0.5 { nearest + 1.0 } else { nearest };
                if nearest == 0.0 { $type::copysign(0.0, self / divisor) } else { nearest }
            }
            #[cold]
            #[inline(never)]
            fn modulo_far(self, divisor: Self) -> Self {
                let rest = self % divisor;
                if rest == 0.0 {
                    (0.0 as $type).copysign(divisor)
                } else if (rest < 0.0) != (divisor < 0.0) {
                    rest + divisor
                } else {
                    rest
                }
            }
        }
    )*};
}
floats! {
    f32: 4_194_304.0; // 2^22
    f64: 2_251_799_813_685_248.0; // 2^51
}

impl Divisible for F16 {
    #[inline(always)]
    fn signbit(self) -> bool {
        self.is_sign_negative()
    }
    #[inline(always)]
    fn floor_div(self, divisor: Self) -> Self {
        F16::from_f32(self.to_f32().floor_div(divisor.to_f32()))
    }
    #[inline(always)]
    fn modulo(self, divisor: Self) -> Self {
        F16::from_f32(self.to_f32().modulo(divisor.to_f32()))
    }
    #[inline(always)]
    fn is_far(self, divisor: Self) -> bool {
        self.to_f32().is_far(divisor.to_f32())
    }
    #[inline(always)]
    fn floor_div_far(self, divisor: Self) -> Self {
        F16::from_f32(self.to_f32().floor_div_far(divisor.to_f32()))
    }
    #[inline(always)]
    fn modulo_far(self, divisor: Self) -> Self {
        F16::from_f32(self.to_f32().modulo_far(divisor.to_f32()))
    }
}
