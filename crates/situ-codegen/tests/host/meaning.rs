//! What results should be: the meaning in Rust, one element at a time.

use situ_ir::scalar::{CastTo, Element};
use situ_ir::{Op, Program, StepKind, domain_types, scalar_ops};
use situ_types::{DType, F16};

/// An element's bytes, padded to 16.
pub type Bytes = [u8; 16];

fn to_bytes<T: Element>(value: T) -> Bytes {
    let mut bytes = [0; 16];
    // SAFETY: every element type is at most 16 bytes long.
    unsafe { bytes.as_mut_ptr().cast::<T>().write_unaligned(value) };
    bytes
}

fn from_bytes<T: Element>(bytes: Bytes) -> T {
    // SAFETY: the tests only make bytes that are valid elements of the dtype they go with.
    unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
}

macro_rules! define_apply {
    ($([$variant:ident, $name:ident, ($($arg:ident),+), $domain:ident, $lift:tt, $out:tt,
        $meaning:expr $(; $seldom:ident $hard:expr => $other:expr)?, $($rest:tt)*])*) => {
        /// One element of an op.
        pub fn apply(op: Op, dtype: DType, args: &[Bytes]) -> Bytes {
            match op {
                $(Op::$variant => {
                    fn one<T: situ_ir::scalar::$domain>(args: &[Bytes]) -> Bytes {
                        let mut args = args.iter().map(|bytes| from_bytes::<T>(*bytes));
                        $(let $arg = args.next().unwrap();)+
                        $(if $hard {
                            return to_bytes($other);
                        })?
                        to_bytes($meaning)
                    }
                    domain_types!($domain, choose, one, dtype, args)
                })*
            }
        }
    };
}
macro_rules! choose {
    ($one:ident, $dtype_given:ident, $args:ident ; $(($dtype:ident, $type:ty))*) => {
        match $dtype_given {
            $(DType::$dtype => $one::<$type>($args),)*
            #[allow(unreachable_patterns, reason = "some domains are all dtypes")]
            other => panic!("{other} is outside the domain"),
        }
    };
}
scalar_ops!(define_apply);

macro_rules! define_cast {
    (; $(($dtype:ident, $type:ty))*) => {
        /// One element converted.
        pub fn cast(from: DType, to: DType, value: Bytes) -> Bytes {
            match from { $(DType::$dtype => domain_types!(Numeric, cast_from, to, value, $type),)* }
        }
    };
}
macro_rules! cast_from {
    ($to:ident, $value:ident, $from:ty ; $(($dtype:ident, $type:ty))*) => {
        match $to { $(DType::$dtype => to_bytes(<$from as CastTo<$type>>::cast(from_bytes::<$from>($value))),)* }
    };
}
domain_types!(Numeric, define_cast,);

/// One element of every output of a program.
pub fn evaluate(program: &Program, inputs: &[Bytes]) -> Vec<Bytes> {
    let mut values = inputs.to_vec();
    for step in program.steps() {
        let args: Vec<Bytes> = step.args.iter().map(|arg| values[arg.index()]).collect();
        let from = program.dtype_of(step.args[0]);
        values.push(match step.kind {
            StepKind::Apply(op) => apply(op, from, &args),
            StepKind::Cast => cast(from, step.dtype, args[0]),
            StepKind::Select => args[if args[0][0] != 0 { 1 } else { 2 }],
        });
    }
    program.outputs().iter().map(|value| values[value.index()]).collect()
}

/// Whether two elements are the same, bit by bit but for the bits of a NaN.
pub fn same(dtype: DType, a: &[u8], b: &[u8]) -> bool {
    let is_nan = |bytes: &[u8]| match dtype.real_part() {
        DType::F16 => F16::from_ne_bytes(bytes.try_into().unwrap()).is_nan(),
        DType::F32 => f32::from_ne_bytes(bytes.try_into().unwrap()).is_nan(),
        DType::F64 => f64::from_ne_bytes(bytes.try_into().unwrap()).is_nan(),
        _ => false,
    };
    let part = dtype.real_part().size();
    a.chunks(part).zip(b.chunks(part)).all(|(a, b)| a == b || (is_nan(a) && is_nan(b)))
}

/// An element in words.
pub fn shown(dtype: DType, bytes: &[u8]) -> String {
    let part = |bytes: &[u8]| {
        let mut padded = [0; 16];
        padded[..bytes.len()].copy_from_slice(bytes);
        match dtype.real_part() {
            DType::F16 => format!("{:e} ({:#x})", from_bytes::<F16>(padded), from_bytes::<u16>(padded)),
            DType::F32 => format!("{:e} ({:#x})", from_bytes::<f32>(padded), from_bytes::<u32>(padded)),
            DType::F64 => format!("{:e} ({:#x})", from_bytes::<f64>(padded), from_bytes::<u64>(padded)),
            signed if signed.is_signed_integer() => from_bytes::<i64>(cast(signed, DType::I64, padded)).to_string(),
            _ => from_bytes::<u64>(padded).to_string(),
        }
    };
    bytes[..dtype.size()].chunks(dtype.real_part().size()).map(part).collect::<Vec<_>>().join(" + i ")
}
