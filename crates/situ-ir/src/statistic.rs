//! The table of reductions.
//!
//! A row is
//!
//! ```text
//! [Variant, name, combine, values, finish, empty, "one-line doc", "arguments" "" => "result"]
//! ```
//!
//! * `combine` is a [`Combine`]: an op of the scalar table, or a search.
//! * `values` says which values are combined, and in which dtype: see [`Values`].
//! * `finish` is what becomes of the combined value: it stays `as_is`, or is divided `by_count`.
//! * `empty` is the result where there is nothing to combine; `refused` where that is an error.
//! * The example, an array, other arguments and the result as Python writes and prints them, is shown in the documentation
//!   of the function and executed by the tests.
//!
//! The function in Python and the method in Rust, their documentation and their place in the tests follow from the row.
//! Variance and standard deviation take a number more, the correction, and stand in `situ-tensor`.

use situ_types::{DType, DTypeKind, FloatSupport};

use crate::{Combine, Op};

/// Hands every row of the table to the macro named by the caller.
///
/// This macro *is* the table: to add a reduction, add a row here.
#[macro_export]
#[rustfmt::skip]
macro_rules! statistics {
    ($consume:ident) => {
        $consume! {
            [All, all, (Op Minimum), Truths, as_is, yes, "Whether all elements differ from zero.", "[[1, 0], [2, 3]]" ", axis=1" => "[False  True]"]
            [Any, any, (Op Maximum), Truths, as_is, no, "Whether any element differs from zero.", "[[1, 0], [0, 0]]" ", axis=1" => "[ True False]"]
            [Argmax, argmax, (ArgMax), Elements, as_is, refused, "Position of the greatest element, the first of several; NaN counts as the greatest.", "[3, 9, 2, 9]" "" => "1"]
            [Argmin, argmin, (ArgMin), Elements, as_is, refused, "Position of the least element, the first of several; NaN counts as the least.", "[3, 9, 2, 9]" "" => "2"]
            [CountNonzero, count_nonzero, (Op Add), Ones, as_is, zero, "Number of elements that differ from zero.", "[0, 3, 0, -1]" "" => "2"]
            [Logsumexp, logsumexp, (Op Logaddexp), Floats, as_is, minus_infinity, "Logarithm of the sum of e raised to the elements, without overflow.", "[0.0, 0.0]" "" => "0.6931471805599453"]
            [Max, max, (Op Maximum), Elements, as_is, refused, "The greatest element; NaN wins.", "[[1, 7], [5, 3]]" ", axis=0" => "[5 7]"]
            [Mean, mean, (Op Add), Inexact, by_count, nan, "Arithmetic mean of elements; that of integers is a floating-point number.", "[1, 2, 3, 4]" "" => "2.5"]
            [Min, min, (Op Minimum), Elements, as_is, refused, "The least element; NaN wins.", "[[1, 7], [5, 3]]" ", axis=0" => "[1 3]"]
            [Prod, prod, (Op Multiply), Terms, as_is, one, "Product of elements; that of short integers is a 64-bit one.", "[1, 2, 3, 4]" "" => "24"]
            [ReduceHypot, reduce_hypot, (Op Hypot), Lengths, as_is, zero, "Square root of the sum of squares, without overflow on the way.", "[3.0, 4.0, 12.0]" "" => "13.0"]
            [Sum, sum, (Op Add), Terms, as_is, zero, "Sum of elements; that of short integers is a 64-bit one.", "[[1, 2], [3, 4]]" ", axis=0" => "[4 6]"]
        }
    };
}

/// Which values a reduction combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Values {
    /// The elements, in the dtype of the result: where none is asked for, integers as wide as there are, and
    /// floating-point and complex numbers as they are.
    Terms,
    /// The elements as they are.
    Elements,
    /// Whether each element differs from zero.
    Truths,
    /// 1 for each element that differs from zero, as an int64.
    Ones,
    /// The elements as floating-point or complex numbers.
    Inexact,
    /// The elements as floating-point numbers; complex numbers are refused.
    Floats,
    /// The absolute values of the elements as floating-point numbers; complex numbers are refused.
    Lengths,
}

impl Values {
    /// The dtype that elements are converted to first, where none is asked for; `None` if they are refused.
    pub fn dtype(self, from: DType, floats: FloatSupport) -> Option<DType> {
        let is_exact = from.kind() <= DTypeKind::Integer;
        match self {
            Values::Terms if from.is_unsigned_integer() => Some(DType::U64),
            Values::Terms if is_exact => Some(DType::I64),
            Values::Terms | Values::Elements => Some(from),
            Values::Truths => Some(DType::Bool),
            Values::Ones => Some(DType::I64),
            Values::Floats | Values::Lengths if from.kind() == DTypeKind::Complex => None,
            Values::Inexact | Values::Floats | Values::Lengths if is_exact => Some(floats.default_float()),
            Values::Inexact | Values::Floats | Values::Lengths => Some(from),
        }
    }

    /// Whether values of a dtype that was asked for can be combined.
    pub fn takes(self, dtype: DType) -> bool {
        match self {
            Values::Floats | Values::Lengths => dtype.kind() == DTypeKind::Float,
            Values::Inexact => dtype.kind() >= DTypeKind::Float,
            Values::Terms | Values::Elements | Values::Truths | Values::Ones => true,
        }
    }
}

/// What becomes of a combined value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finish {
    /// Nothing.
    AsIs,
    /// It is divided by the number of values.
    ByCount,
}

/// The result where there is nothing to combine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Empty {
    /// This number, in the result's dtype.
    Number(f64),
    /// There is none.
    Refused,
}

macro_rules! define_statistics {
    ($([$variant:ident, $name:ident, ($combine:ident $($op:ident)?), $values:ident, $finish:ident, $empty:ident, $doc:literal, $array:literal $options:literal => $shown:literal])*) => {
        /// A reduction: one row of the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Statistic {
            $(#[doc = $doc] $variant,)*
        }

        impl Statistic {
            /// Every reduction, in table order: `Statistic::ALL[s as usize] == s`.
            pub const ALL: &[Statistic] = &[$(Statistic::$variant),*];

            /// The function's name in Rust and Python.
            pub const fn name(self) -> &'static str {
                match self { $(Statistic::$variant => stringify!($name),)* }
            }

            /// One line of documentation.
            pub const fn doc(self) -> &'static str {
                match self { $(Statistic::$variant => $doc,)* }
            }

            /// What combines values.
            pub const fn combine(self) -> Combine {
                match self { $(Statistic::$variant => Combine::$combine $((Op::$op))?,)* }
            }

            /// Which values are combined.
            pub const fn values(self) -> Values {
                match self { $(Statistic::$variant => Values::$values,)* }
            }

            /// What becomes of the combined value.
            pub const fn finish(self) -> Finish {
                match self { $(Statistic::$variant => finish!($finish),)* }
            }

            /// The result where there is nothing to combine.
            pub const fn empty(self) -> Empty {
                match self { $(Statistic::$variant => empty!($empty),)* }
            }
        }
    };
}

macro_rules! finish {
    (as_is) => {
        Finish::AsIs
    };
    (by_count) => {
        Finish::ByCount
    };
}
macro_rules! empty {
    (zero) => {
        Empty::Number(0.0)
    };
    (one) => {
        Empty::Number(1.0)
    };
    (no) => {
        Empty::Number(0.0)
    };
    (yes) => {
        Empty::Number(1.0)
    };
    (nan) => {
        Empty::Number(f64::NAN)
    };
    (minus_infinity) => {
        Empty::Number(f64::NEG_INFINITY)
    };
    (refused) => {
        Empty::Refused
    };
}

statistics!(define_statistics);

impl Statistic {
    /// Whether the result is a position.
    pub const fn is_position(self) -> bool {
        matches!(self.combine(), Combine::ArgMax | Combine::ArgMin)
    }
}

impl std::fmt::Display for Statistic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_order_is_the_discriminant() {
        for (i, statistic) in Statistic::ALL.iter().enumerate() {
            assert_eq!(*statistic as usize, i);
        }
    }

    #[test]
    fn dtypes_are_those_of_the_standard() {
        let of = |statistic: Statistic, from| statistic.values().dtype(from, FloatSupport::ALL);
        assert_eq!(of(Statistic::Sum, DType::Bool), Some(DType::I64));
        assert_eq!(of(Statistic::Sum, DType::U8), Some(DType::U64));
        assert_eq!(of(Statistic::Prod, DType::F16), Some(DType::F16));
        assert_eq!(of(Statistic::Mean, DType::I8), Some(DType::F64));
        assert_eq!(of(Statistic::Mean, DType::C64), Some(DType::C64));
        assert_eq!(of(Statistic::Logsumexp, DType::C64), None);
        assert_eq!(of(Statistic::Max, DType::I8), Some(DType::I8));
    }
}
