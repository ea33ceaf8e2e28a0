//! The scalar-op table.
//!
//! A row is
//!
//! ```text
//! [Variant, name, (arguments), Domain, lift, out, meaning in Rust, "expression in C", "one-line doc", "arguments" => "result"]
//! ```
//!
//! * `Domain` is the trait of [`scalar`](crate::scalar) whose types the op has loops for.
//! * `lift` says where a dtype outside the domain goes: [`by_width`](Lift::ByWidth) to the smallest domain type that
//!   holds it, [`default_float`](Lift::DefaultFloat) to the device's default float, [`never`](Lift::Never) nowhere.
//! * `out` says what comes back: the `same` dtype as the (lifted) inputs, their real `part`, or a `truth` value.
//! * The meaning may be followed by `; hard condition => other`: elements for which the condition holds are seldom and
//!   computed once more, one by one, by the other expression. That keeps the usual one free of branches. With `rare` in
//!   place of `hard`, the other expression is right for every element and not much slower, so that the neighbours of
//!   such an element are computed by it as well.
//!
//! A meaning of one method call is taken to give the same in half precision as in single, rounded; one that looks at
//! the format itself stands in braces.
//!
//! The arguments and the result are an example, as Python writes and prints them: arrays in brackets, numbers without.
//! It is shown in the documentation of the function and executed by the tests. An op whose function in Python is not
//! made from its row has none.
//!
//! The C expression is written over the argument names and may call the device library's functions, which carry the
//! same names as the methods of `scalar`.

use situ_types::{DType, DTypeKind, FloatSupport};

/// Hands every row of the table to the macro named by the caller.
///
/// This macro *is* the table: to add an op, add a row here and its meaning in `scalar`.
#[macro_export]
#[rustfmt::skip]
macro_rules! scalar_ops {
    ($consume:ident) => {
        $consume! {
            [Abs, abs, (a), Numeric, by_width, part, a.abs(), "abs(a)", "Absolute value of each element.", "[-2, 0, 3]" => "[2 0 3]"]
            [Acos, acos, (a), Inexact, by_width, same, a.acos(), "acos(a)", "Arc cosine of each element, in radians.", "[-1.0, 0.0, 1.0]" => "[3.14159265 1.57079633 0.        ]"]
            [Acosh, acosh, (a), Inexact, by_width, same, a.acosh(), "acosh(a)", "Inverse hyperbolic cosine of each element.", "[1.0, 2.0, 10.0]" => "[0.         1.3169579  2.99322285]"]
            [Add, add, (a, b), Numeric, by_width, same, a.add(b), "add(a, b)", "Sum of two arrays, element by element.", "[1, 2, 3], [10, 20, 30]" => "[11 22 33]"]
            [Angle, angle, (a), ComplexNumber, by_width, part, a.angle(), "angle(a)", "Angle of each element from the positive real axis, in radians.", "[1j, -1, 1 + 1j]" => "[1.57079633 3.14159265 0.78539816]"]
            [Asin, asin, (a), Inexact, by_width, same, a.asin(), "asin(a)", "Arc sine of each element, in radians.", "[-1.0, 0.0, 1.0]" => "[-1.57079633  0.          1.57079633]"]
            [Asinh, asinh, (a), Inexact, by_width, same, a.asinh(), "asinh(a)", "Inverse hyperbolic sine of each element.", "[-1.0, 0.0, 1.0]" => "[-0.88137359  0.          0.88137359]"]
            [Atan, atan, (a), Inexact, by_width, same, a.atan(), "atan(a)", "Arc tangent of each element, in radians.", "[-1.0, 0.0, 1.0]" => "[-0.78539816  0.          0.78539816]"]
            [Atan2, atan2, (a, b), Floating, by_width, same, a.atan2(b), "atan2(a, b)", "Angle of the point (x2, x1) from the positive x axis, in radians.", "[1.0, -1.0], [0.0, -1.0]" => "[ 1.57079633 -2.35619449]"]
            [Atanh, atanh, (a), Inexact, by_width, same, a.atanh(), "atanh(a)", "Inverse hyperbolic tangent of each element.", "[-0.5, 0.0, 0.5]" => "[-0.54930614  0.          0.54930614]"]
            [BitwiseAnd, bitwise_and, (a, b), Bits, never, same, a.and(b), "and(a, b)", "Bits set in both arrays.", "[12, 10], 6" => "[4 2]"]
            [BitwiseInvert, bitwise_invert, (a), Bits, never, same, a.not(), "not(a)", "Each element with every bit changed.", "[0, 1, -8]" => "[-1 -2  7]"]
            [BitwiseLeftShift, bitwise_left_shift, (a, b), Integer, by_width, same, a.shl(b), "shl(a, b)", "Bits of x1 moved up by x2 places.", "[1, 3], 4" => "[16 48]"]
            [BitwiseOr, bitwise_or, (a, b), Bits, never, same, a.or(b), "or(a, b)", "Bits set in either array.", "[12, 10], 6" => "[14 14]"]
            [BitwiseRightShift, bitwise_right_shift, (a, b), Integer, by_width, same, a.shr(b), "shr(a, b)", "Bits of x1 moved down by x2 places, keeping the sign.", "[16, -16], 2" => "[ 4 -4]"]
            [BitwiseXor, bitwise_xor, (a, b), Bits, never, same, a.xor(b), "xor(a, b)", "Bits set in one array but not the other.", "[12, 10], 6" => "[10 12]"]
            [Cbrt, cbrt, (a), Floating, by_width, same, a.cbrt(), "cbrt(a)", "Cube root of each element.", "[-8.0, 0.0, 27.0]" => "[-2.  0.  3.]"]
            [Ceil, ceil, (a), Real, by_width, same, a.ceil(), "ceil(a)", "The least integer not below each element.", "[-1.5, 0.5, 2.0]" => "[-1.  1.  2.]"]
            [Clip, clip, (a, b, c), Numeric, by_width, same, a.clip(b, c), "clip(a, b, c)", "Each element, limited to an interval."]
            [Conj, conj, (a), Arithmetic, by_width, same, a.conj(), "conj(a)", "Complex conjugate of each element.", "[1 + 2j, -3j]" => "[ 1.-2.j -0.+3.j]"]
            [Copysign, copysign, (a, b), Floating, by_width, same, a.copysign(b), "copysign(a, b)", "Magnitudes of x1 with the signs of x2.", "[1.0, 2.0], [-0.0, 3.0]" => "[-1.  2.]"]
            [Cos, cos, (a), Inexact, by_width, same, a.cos(); hard a.is_far_angle() => a.cos_far(), "cos(a)", "Cosine of each element, in radians.", "[0.0, 1.0, 2.0]" => "[ 1.          0.54030231 -0.41614684]"]
            [Cosh, cosh, (a), Inexact, by_width, same, a.cosh(), "cosh(a)", "Hyperbolic cosine of each element.", "[-1.0, 0.0, 1.0]" => "[1.54308063 1.         1.54308063]"]
            [Divide, divide, (a, b), Inexact, default_float, same, a.div(b), "div(a, b)", "Quotient of two arrays, element by element; integers divide as floating-point numbers.", "[1, 2, 3], 2" => "[0.5 1.  1.5]"]
            [Equal, equal, (a, b), Numeric, by_width, truth, a.eq(b), "eq(a, b)", "Whether the elements of two arrays are equal.", "[1, 2, 3], [1, 0, 3]" => "[ True False  True]"]
            [Exp, exp, (a), Inexact, by_width, same, a.exp(), "exp(a)", "e raised to each element.", "[-1.0, 0.0, 1.0]" => "[0.36787944 1.         2.71828183]"]
            [Exp2, exp2, (a), Inexact, by_width, same, a.exp2(), "exp2(a)", "2 raised to each element.", "[-1.0, 0.0, 3.0]" => "[0.5 1.  8. ]"]
            [Expm1, expm1, (a), Inexact, by_width, same, a.expm1(), "expm1(a)", "e raised to each element, less 1, exact near 0.", "[-1.0, 0.0, 1e-10]" => "[-6.32120559e-01  0.00000000e+00  1.00000000e-10]"]
            [Floor, floor, (a), Real, by_width, same, a.floor(), "floor(a)", "The greatest integer not above each element.", "[-1.5, 0.5, 2.0]" => "[-2.  0.  2.]"]
            [FloorDivide, floor_divide, (a, b), Divisible, by_width, same, a.floor_div(b); hard a.is_far(b) => a.floor_div_far(b), "floor_div(a, b)", "Quotient of two arrays rounded down; integers divided by zero give zero.", "[7, -7], 2" => "[ 3 -4]"]
            [Greater, greater, (a, b), Numeric, by_width, truth, b.lt(a), "lt(b, a)", "Whether the elements of x1 are greater than those of x2.", "[1, 2, 3], 2" => "[False False  True]"]
            [GreaterEqual, greater_equal, (a, b), Numeric, by_width, truth, b.le(a), "le(b, a)", "Whether the elements of x1 are greater than or equal to those of x2.", "[1, 2, 3], 2" => "[False  True  True]"]
            [Hypot, hypot, (a, b), Floating, by_width, same, a.hypot(b), "hypot(a, b)", "Length of the hypotenuse of a right triangle with these legs.", "[3.0, 5.0], [4.0, 12.0]" => "[ 5. 13.]"]
            [Imag, imag, (a), Numeric, by_width, part, a.im(), "im(a)", "Imaginary part of each element.", "[1 + 2j, 3]" => "[2. 0.]"]
            [Isfinite, isfinite, (a), Numeric, by_width, truth, !(a.is_nan() | a.is_inf()), "!(is_nan(a) || is_inf(a))", "Whether each element is neither infinite nor NaN.", "[1.0, float('inf'), float('nan')]" => "[ True False False]"]
            [Isinf, isinf, (a), Numeric, by_width, truth, a.is_inf(), "is_inf(a)", "Whether each element is infinite.", "[1.0, float('inf'), float('nan')]" => "[False  True False]"]
            [Isnan, isnan, (a), Numeric, by_width, truth, a.is_nan(), "is_nan(a)", "Whether each element is NaN.", "[1.0, float('inf'), float('nan')]" => "[False False  True]"]
            [Less, less, (a, b), Numeric, by_width, truth, a.lt(b), "lt(a, b)", "Whether the elements of x1 are less than those of x2.", "[1, 2, 3], 2" => "[ True False False]"]
            [LessEqual, less_equal, (a, b), Numeric, by_width, truth, a.le(b), "le(a, b)", "Whether the elements of x1 are less than or equal to those of x2.", "[1, 2, 3], 2" => "[ True  True False]"]
            [Log, log, (a), Inexact, by_width, same, a.log_usual(); rare a.is_rare_log() => a.log(), "log(a)", "Natural logarithm of each element.", "[1.0, 2.0, 10.0]" => "[0.         0.69314718 2.30258509]"]
            [Log10, log10, (a), Inexact, by_width, same, a.log10_usual(); rare a.is_rare_log() => a.log10(), "log10(a)", "Logarithm of each element to base 10.", "[1.0, 10.0, 1000.0]" => "[0. 1. 3.]"]
            [Log1p, log1p, (a), Inexact, by_width, same, a.log1p(), "log1p(a)", "Natural logarithm of 1 plus each element, exact near 0.", "[-0.5, 0.0, 1e-10]" => "[-6.93147181e-01  0.00000000e+00  1.00000000e-10]"]
            [Log2, log2, (a), Inexact, by_width, same, a.log2_usual(); rare a.is_rare_log() => a.log2(), "log2(a)", "Logarithm of each element to base 2.", "[0.5, 1.0, 8.0]" => "[-1.  0.  3.]"]
            [Logaddexp, logaddexp, (a, b), Floating, by_width, same, a.logaddexp(b), "logaddexp(a, b)", "log(exp(x1) + exp(x2)), without overflow.", "[0.0, 1000.0], [0.0, 1000.0]" => "[6.93147181e-01 1.00069315e+03]"]
            [LogicalAnd, logical_and, (a, b), Numeric, by_width, truth, a.truth() & b.truth(), "truth(a) && truth(b)", "Whether both elements differ from zero.", "[0, 0, 2, 2], [0, 1, 0, 1]" => "[False False False  True]"]
            [LogicalNot, logical_not, (a), Numeric, by_width, truth, !a.truth(), "!truth(a)", "Whether each element is zero.", "[0, 1, 2]" => "[ True False False]"]
            [LogicalOr, logical_or, (a, b), Numeric, by_width, truth, a.truth() | b.truth(), "truth(a) || truth(b)", "Whether either element differs from zero.", "[0, 0, 2, 2], [0, 1, 0, 1]" => "[False  True  True  True]"]
            [LogicalXor, logical_xor, (a, b), Numeric, by_width, truth, a.truth() ^ b.truth(), "truth(a) != truth(b)", "Whether one element differs from zero and the other does not.", "[0, 0, 2, 2], [0, 1, 0, 1]" => "[False  True  True False]"]
            [Maximum, maximum, (a, b), Numeric, by_width, same, a.max(b), "max(a, b)", "The greater of two elements; NaN wins.", "[1, 5, 3], 2" => "[2 5 3]"]
            [Minimum, minimum, (a, b), Numeric, by_width, same, a.min(b), "min(a, b)", "The lesser of two elements; NaN wins.", "[1, 5, 3], 2" => "[1 2 2]"]
            [Multiply, multiply, (a, b), Numeric, by_width, same, a.mul(b), "mul(a, b)", "Product of two arrays, element by element.", "[1, 2, 3], [10, 20, 30]" => "[10 40 90]"]
            [Negative, negative, (a), Arithmetic, never, same, a.neg(), "neg(a)", "Each element with its sign changed.", "[-1, 0, 2]" => "[ 1  0 -2]"]
            [Nextafter, nextafter, (a, b), Floating, by_width, same, { a.nextafter(b) }, "nextafter(a, b)", "The next number from each element of x1 on the way to x2.", "[0.0, 0.0], [-1.0, 1.0]" => "[-5.e-324  5.e-324]"]
            [NotEqual, not_equal, (a, b), Numeric, by_width, truth, !a.eq(b), "!eq(a, b)", "Whether the elements of two arrays differ.", "[1, 2, 3], [1, 0, 3]" => "[False  True False]"]
            [Positive, positive, (a), Arithmetic, never, same, a, "a", "Each element as it is.", "[-1, 0, 2]" => "[-1  0  2]"]
            [Pow, pow, (a, b), Arithmetic, by_width, same, a.pow_usual(b); rare a.is_rare_power(b) => a.pow(b), "pow(a, b)", "Elements of x1 raised to those of x2.", "[1.0, 2.0, 3.0], 2" => "[1. 4. 9.]"]
            [Proj, proj, (a), ComplexNumber, by_width, same, a.proj(), "proj(a)", "Each element's projection onto the Riemann sphere.", "[1 + 2j, complex('inf')]" => "[ 1.+2.j inf+0.j]"]
            [Real, real, (a), Numeric, by_width, part, a.re(), "re(a)", "Real part of each element.", "[1 + 2j, 3]" => "[1. 3.]"]
            [Reciprocal, reciprocal, (a), Inexact, default_float, same, a.reciprocal(), "reciprocal(a)", "1 divided by each element.", "[1.0, 2.0, 4.0]" => "[1.   0.5  0.25]"]
            [Remainder, remainder, (a, b), Divisible, by_width, same, a.modulo(b); hard a.is_far(b) => a.modulo_far(b), "modulo(a, b)", "Remainder of floor division, with the divisor's sign.", "[7, -7], 3" => "[1 2]"]
            [Round, round, (a), Arithmetic, by_width, same, a.round(), "round(a)", "The integer nearest each element, the even one of two.", "[0.5, 1.5, 2.4]" => "[0. 2. 2.]"]
            [Rsqrt, rsqrt, (a), Floating, by_width, same, a.rsqrt(), "rsqrt(a)", "1 divided by the square root of each element.", "[1.0, 4.0, 16.0]" => "[1.   0.5  0.25]"]
            [Sign, sign, (a), Arithmetic, by_width, same, a.sign(), "sign(a)", "The sign of each element: -1, 0 or 1, or z / |z|.", "[-2.0, 0.0, 3.0]" => "[-1.  0.  1.]"]
            [Signbit, signbit, (a), Divisible, by_width, truth, a.signbit(), "signbit(a)", "Whether each element's sign is set, that of -0.0 too.", "[-1.0, -0.0, 0.0]" => "[ True  True False]"]
            [Sin, sin, (a), Inexact, by_width, same, a.sin(); hard a.is_far_angle() => a.sin_far(), "sin(a)", "Sine of each element, in radians.", "[0.0, 1.0, 2.0]" => "[0.         0.84147098 0.90929743]"]
            [Sinh, sinh, (a), Inexact, by_width, same, a.sinh(), "sinh(a)", "Hyperbolic sine of each element.", "[-1.0, 0.0, 1.0]" => "[-1.17520119  0.          1.17520119]"]
            [Sqrt, sqrt, (a), Inexact, by_width, same, a.sqrt(), "sqrt(a)", "Square root of each element.", "[1.0, 2.0, 9.0]" => "[1.         1.41421356 3.        ]"]
            [Square, square, (a), Arithmetic, by_width, same, a.mul(a), "mul(a, a)", "Each element times itself.", "[1, 2, 3]" => "[1 4 9]"]
            [Subtract, subtract, (a, b), Arithmetic, never, same, a.sub(b), "sub(a, b)", "Difference of two arrays, element by element.", "[10, 20, 30], [1, 2, 3]" => "[ 9 18 27]"]
            [Tan, tan, (a), Inexact, by_width, same, a.tan(); hard a.is_far_angle() => a.tan_far(), "tan(a)", "Tangent of each element, in radians.", "[0.0, 1.0, 2.0]" => "[ 0.          1.55740772 -2.18503986]"]
            [Tanh, tanh, (a), Inexact, by_width, same, a.tanh(), "tanh(a)", "Hyperbolic tangent of each element.", "[-1.0, 0.0, 1.0]" => "[-0.76159416  0.          0.76159416]"]
            [Trunc, trunc, (a), Real, by_width, same, a.trunc(), "trunc(a)", "Each element without its fraction.", "[-1.5, 0.5, 2.0]" => "[-1.  0.  2.]"]
        }
    };
}

/// Calls `$consume!{ $($extra)* ; (DTypeVariant, rust_type) ... }` with the types of a domain.
#[macro_export]
macro_rules! domain_types {
    (Numeric, $($rest:tt)*) => { $crate::domain_types! { @of [bools integers floats complexes] [] $($rest)* } };
    (Arithmetic, $($rest:tt)*) => { $crate::domain_types! { @of [integers floats complexes] [] $($rest)* } };
    (Real, $($rest:tt)*) => { $crate::domain_types! { @of [bools integers floats] [] $($rest)* } };
    (Divisible, $($rest:tt)*) => { $crate::domain_types! { @of [integers floats] [] $($rest)* } };
    (Bits, $($rest:tt)*) => { $crate::domain_types! { @of [bools integers] [] $($rest)* } };
    (Integer, $($rest:tt)*) => { $crate::domain_types! { @of [integers] [] $($rest)* } };
    (Inexact, $($rest:tt)*) => { $crate::domain_types! { @of [floats complexes] [] $($rest)* } };
    (Floating, $($rest:tt)*) => { $crate::domain_types! { @of [floats] [] $($rest)* } };
    (ComplexNumber, $($rest:tt)*) => { $crate::domain_types! { @of [complexes] [] $($rest)* } };

    (@of [bools $($more:ident)*] [$($types:tt)*] $($rest:tt)*) => {
        $crate::domain_types! { @of [$($more)*] [$($types)* (Bool, bool)] $($rest)* }
    };
    (@of [integers $($more:ident)*] [$($types:tt)*] $($rest:tt)*) => {
        $crate::domain_types! { @of [$($more)*] [$($types)*
            (I8, i8) (I16, i16) (I32, i32) (I64, i64) (U8, u8) (U16, u16) (U32, u32) (U64, u64)] $($rest)* }
    };
    (@of [floats $($more:ident)*] [$($types:tt)*] $($rest:tt)*) => {
        $crate::domain_types! { @of [$($more)*] [$($types)* (F16, situ_types::F16) (F32, f32) (F64, f64)] $($rest)* }
    };
    (@of [complexes $($more:ident)*] [$($types:tt)*] $($rest:tt)*) => {
        $crate::domain_types! { @of [$($more)*] [$($types)* (C64, situ_types::C64) (C128, situ_types::C128)] $($rest)* }
    };
    (@of [] [$($types:tt)*] $consume:ident, $($extra:tt)*) => { $consume! { $($extra)* ; $($types)* } };
}

/// Where a dtype outside an op's domain goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lift {
    /// To the smallest domain type that holds its values.
    ByWidth,
    /// To the device's default floating-point type.
    DefaultFloat,
    /// Nowhere: such inputs are refused.
    Never,
}

/// The dtype an op returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutRule {
    /// The dtype it computes in.
    Same,
    /// The dtype of that dtype's real part.
    Part,
    /// A truth value.
    Truth,
}

impl OutRule {
    /// The dtype of the result when computing in `dtype`.
    pub const fn apply(self, dtype: DType) -> DType {
        match self {
            OutRule::Same => dtype,
            OutRule::Part => dtype.real_part(),
            OutRule::Truth => DType::Bool,
        }
    }
}

/// The dtype rule of one op.
#[derive(Clone, Copy, Debug)]
pub struct DTypeRule {
    /// The dtypes the op computes in.
    pub domain: &'static [DType],
    /// Where others go.
    pub lift: Lift,
    /// What comes back.
    pub out: OutRule,
    /// The domain as a bit set, because every call asks whether a dtype is in it.
    domain_bits: u16,
}

const fn bits(domain: &[DType]) -> u16 {
    let (mut bits, mut i) = (0, 0);
    while i < domain.len() {
        bits |= 1 << domain[i] as u16;
        i += 1;
    }
    bits
}

impl DTypeRule {
    /// Whether the op computes in this dtype.
    pub const fn computes_in(&self, dtype: DType) -> bool {
        self.domain_bits & (1 << dtype as u16) != 0
    }

    /// The dtype to compute in for inputs of (promoted) dtype `from`, on a device with the given float support.
    pub fn compute_dtype(&self, from: DType, floats: FloatSupport) -> Option<DType> {
        let usable = |d: DType| self.computes_in(d) && floats.supports(d);
        if usable(from) {
            return Some(from);
        }
        let wanted = match (self.lift, from.kind()) {
            (Lift::Never, DTypeKind::Bool | DTypeKind::Integer) => return None,
            (Lift::DefaultFloat, DTypeKind::Bool | DTypeKind::Integer) => floats.default_float(),
            (_, DTypeKind::Bool) if usable(DType::I8) => DType::I8,
            (_, DTypeKind::Bool) => floats.nearest(DType::F16),
            (_, DTypeKind::Integer) => floats.nearest(situ_types::promote(from, DType::F16)),
            (_, DTypeKind::Float | DTypeKind::Complex) => floats.nearest(from),
        };
        let is_complex_only = !self.computes_in(DType::F32) && self.computes_in(DType::C64);
        let wanted = if is_complex_only { situ_types::promote(wanted, DType::C64) } else { wanted };
        usable(wanted).then_some(wanted)
    }
}

macro_rules! define_ops {
    ($([$variant:ident, $name:ident, ($($arg:ident),+), $domain:ident, $lift:ident, $out:ident, $meaning:expr $(; $seldom:ident $hard:expr => $other:expr)?, $c:literal, $doc:literal $(, $given:literal => $shown:literal)?])*) => {
        /// A scalar operation: one row of the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Op {
            $(#[doc = $doc] $variant,)*
        }

        impl Op {
            /// Every op, in table order: `Op::ALL[op as usize] == op`.
            pub const ALL: &[Op] = &[$(Op::$variant),*];
            /// Number of ops.
            pub const COUNT: usize = Self::ALL.len();

            /// The function's name in Rust and Python.
            pub const fn name(self) -> &'static str {
                match self { $(Op::$variant => stringify!($name),)* }
            }

            /// Number of operands.
            #[inline]
            pub const fn arity(self) -> usize {
                match self { $(Op::$variant => [$(stringify!($arg)),+].len(),)* }
            }

            /// The expression in the C dialect, over the names of [`arguments`](Self::arguments).
            pub const fn c_expression(self) -> &'static str {
                match self { $(Op::$variant => $c,)* }
            }

            /// The names the C expression uses for the operands.
            pub const fn arguments(self) -> &'static [&'static str] {
                match self { $(Op::$variant => &[$(stringify!($arg)),+],)* }
            }

            /// One line of documentation.
            pub const fn doc(self) -> &'static str {
                match self { $(Op::$variant => $doc,)* }
            }

            /// An example: arguments as Python writes them, and the result as it prints it.
            pub const fn example(self) -> Option<(&'static str, &'static str)> {
                match self { $(Op::$variant => example!($($given => $shown)?),)* }
            }

            /// What the op accepts and returns.
            pub const fn rule(self) -> DTypeRule {
                match self {
                    $(Op::$variant => DTypeRule {
                        domain: $crate::domain_types!($domain, dtype_slice,),
                        lift: lift!($lift),
                        out: out!($out),
                        domain_bits: const { bits($crate::domain_types!($domain, dtype_slice,)) },
                    },)*
                }
            }
        }
    };
}

/// By op and dtype: what comes back, for the dtypes the op computes in.
static RESULTS: [[Option<DType>; DType::ALL.len()]; Op::COUNT] = {
    let (mut results, mut i) = ([[None; DType::ALL.len()]; Op::COUNT], 0);
    while i < Op::COUNT {
        let (rule, mut k) = (Op::ALL[i].rule(), 0);
        while k < rule.domain.len() {
            results[i][rule.domain[k] as usize] = Some(rule.out.apply(rule.domain[k]));
            k += 1;
        }
        i += 1;
    }
    results
};

impl Op {
    /// The dtype of the result over operands of this dtype, if the op computes in it.
    #[inline]
    pub fn result(self, dtype: DType) -> Option<DType> {
        RESULTS[self as usize][dtype as usize]
    }
}

macro_rules! example {
    () => {
        None
    };
    ($given:literal => $shown:literal) => {
        Some(($given, $shown))
    };
}
macro_rules! dtype_slice {
    (; $(($variant:ident, $type:ty))*) => { &[$(DType::$variant),*] };
}
macro_rules! lift {
    (by_width) => {
        Lift::ByWidth
    };
    (default_float) => {
        Lift::DefaultFloat
    };
    (never) => {
        Lift::Never
    };
}
macro_rules! out {
    (same) => {
        OutRule::Same
    };
    (part) => {
        OutRule::Part
    };
    (truth) => {
        OutRule::Truth
    };
}

scalar_ops!(define_ops);

impl Op {
    /// The op with that name, if there is one.
    pub fn from_name(name: &str) -> Option<Op> {
        Self::ALL.iter().copied().find(|op| op.name() == name)
    }
}

impl std::fmt::Display for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_order_is_the_discriminant() {
        for (i, op) in Op::ALL.iter().enumerate() {
            assert_eq!(*op as usize, i);
            assert_eq!(Op::from_name(op.name()), Some(*op));
            assert_eq!(op.arguments().len(), op.arity());
        }
    }

    #[test]
    fn integers_lift_as_numpy_lifts_them() {
        let sin = Op::Sin.rule();
        assert_eq!(sin.compute_dtype(DType::I8, FloatSupport::ALL), Some(DType::F16));
        assert_eq!(sin.compute_dtype(DType::U16, FloatSupport::ALL), Some(DType::F32));
        assert_eq!(sin.compute_dtype(DType::I64, FloatSupport::ALL), Some(DType::F64));
        let divide = Op::Divide.rule();
        assert_eq!(divide.compute_dtype(DType::I8, FloatSupport::ALL), Some(DType::F64));
        assert_eq!(divide.compute_dtype(DType::F32, FloatSupport::ALL), Some(DType::F32));
        let no_double = FloatSupport { fp16: false, fp64: false };
        assert_eq!(sin.compute_dtype(DType::I64, no_double), Some(DType::F32));
        assert_eq!(sin.compute_dtype(DType::Bool, no_double), Some(DType::F32));
        assert_eq!(Op::Square.rule().compute_dtype(DType::Bool, FloatSupport::ALL), Some(DType::I8));
        assert_eq!(Op::Subtract.rule().compute_dtype(DType::Bool, FloatSupport::ALL), None);
    }
}
