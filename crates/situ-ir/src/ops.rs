//! The scalar-op table.
//!
//! A row is
//!
//! ```text
//! [Variant, name, (arguments), Domain, lift, out, meaning in Rust, "expression in C", "one-line doc"]
//! ```
//!
//! * `Domain` is the trait of [`scalar`](crate::scalar) whose types the op has loops for.
//! * `lift` says where a dtype outside the domain goes: [`by_width`](Lift::ByWidth) to the smallest domain type that
//!   holds it, [`default_float`](Lift::DefaultFloat) to the device's default float, [`never`](Lift::Never) nowhere.
//! * `out` says what comes back: `same` as the (lifted) inputs.
//!
//! The C expression is written over the argument names and may call the device library's functions, which carry the
//! same names as the methods of `scalar`.

use situ_types::{DType, DTypeKind, FloatSupport};

/// Hands every row of the table to the macro named by the caller.
///
/// This macro *is* the table: to add an op, add a row here and its meaning in `scalar`.
#[macro_export]
macro_rules! scalar_ops {
    ($consume:ident) => {
        $consume! {
            [Add, add, (a, b), Numeric, by_width, same, a.add(b), "add(a, b)", "Sum of two arrays, element by element."]
            [Subtract, subtract, (a, b), Arithmetic, never, same, a.sub(b), "sub(a, b)", "Difference of two arrays, element by element."]
            [Multiply, multiply, (a, b), Numeric, by_width, same, a.mul(b), "mul(a, b)", "Product of two arrays, element by element."]
            [Divide, divide, (a, b), Inexact, default_float, same, a.div(b), "div(a, b)", "Quotient of two arrays, element by element; integers divide as floating-point numbers."]
            [Negative, negative, (a), Arithmetic, never, same, a.neg(), "neg(a)", "Each element with its sign changed."]
            [Square, square, (a), Arithmetic, by_width, same, a.mul(a), "mul(a, a)", "Each element times itself."]
            [Sin, sin, (a), Inexact, by_width, same, a.sin(), "sin(a)", "Sine of each element, in radians."]
            [Exp, exp, (a), Inexact, by_width, same, a.exp(), "exp(a)", "e raised to each element."]
        }
    };
}

/// Calls `$consume!{ $($extra)* ; (DTypeVariant, rust_type) ... }` with the types of a domain.
#[macro_export]
macro_rules! domain_types {
    (Numeric, $consume:ident, $($extra:tt)*) => {
        $crate::domain_types! { @emit $consume, $($extra)* ;
            (Bool, bool)
            (I8, i8) (I16, i16) (I32, i32) (I64, i64) (U8, u8) (U16, u16) (U32, u32) (U64, u64)
            (F16, situ_types::F16) (F32, f32) (F64, f64) (C64, situ_types::C64) (C128, situ_types::C128) }
    };
    (Arithmetic, $consume:ident, $($extra:tt)*) => {
        $crate::domain_types! { @emit $consume, $($extra)* ;
            (I8, i8) (I16, i16) (I32, i32) (I64, i64) (U8, u8) (U16, u16) (U32, u32) (U64, u64)
            (F16, situ_types::F16) (F32, f32) (F64, f64) (C64, situ_types::C64) (C128, situ_types::C128) }
    };
    (Inexact, $consume:ident, $($extra:tt)*) => {
        $crate::domain_types! { @emit $consume, $($extra)* ;
            (F16, situ_types::F16) (F32, f32) (F64, f64) (C64, situ_types::C64) (C128, situ_types::C128) }
    };
    (@emit $consume:ident, $($rest:tt)*) => { $consume! { $($rest)* } };
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
}

impl OutRule {
    /// The dtype of the result when computing in `dtype`.
    pub const fn apply(self, dtype: DType) -> DType {
        match self {
            OutRule::Same => dtype,
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
        usable(wanted).then_some(wanted)
    }
}

macro_rules! define_ops {
    ($([$variant:ident, $name:ident, ($($arg:ident),+), $domain:ident, $lift:ident, $out:ident, $meaning:expr, $c:literal, $doc:literal])*) => {
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
