//! The elementwise functions as methods, one for each row of the op table.

use situ_ir::{Op, scalar_ops};
use situ_types::Order;

use crate::{Arg, Result, Tensor, apply};

macro_rules! methods {
    ($([$variant:ident, $name:ident, $args:tt, $domain:ident, $lift:ident, $out:ident,
        $meaning:expr $(; $seldom:ident $hard:expr => $other:expr)?, $c:literal, $doc:literal
        $(, $given:literal => $shown:literal)?])*) => {
        impl Tensor {
            $(method! { $variant $name $args [$doc $(, "\n\n```text\n", stringify!($name), "(", $given, ") is ", $shown, "\n```")?] })*
        }
    };
}

macro_rules! method {
    // Views: they are in `view`.
    (Real $($rest:tt)*) => {};
    (Imag $($rest:tt)*) => {};
    // Its bounds are optional: it is in `elementwise::clip`.
    (Clip $($rest:tt)*) => {};
    ($variant:ident $name:ident ($a:ident) [$($doc:tt)*]) => {
        #[doc = concat!($($doc)*)]
        pub fn $name(&self) -> Result<Tensor> {
            apply(Op::$variant, &[Arg::Array(self)], Order::K)
        }
    };
    ($variant:ident $name:ident ($a:ident, $b:ident) [$($doc:tt)*]) => {
        #[doc = concat!($($doc)*)]
        ///
        /// This array is `x1`; the other operand, an array or a number, is `x2`.
        pub fn $name<'a>(&self, other: impl Into<Arg<'a>>) -> Result<Tensor> {
            apply(Op::$variant, &[Arg::Array(self), other.into()], Order::K)
        }
    };
}

scalar_ops!(methods);
