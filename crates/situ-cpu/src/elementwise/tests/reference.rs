//! What the results should be, computed without any of the code under test.

use situ_ir::scalar::{CastTo, Element};
use situ_ir::{Op, Program, StepKind, domain_types, scalar_ops};
use situ_types::{DType, F16};

/// An element's bytes, padded to 16.
pub(super) type Bytes = [u8; 16];

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
        pub(super) fn apply(op: Op, dtype: DType, args: &[Bytes]) -> Bytes {
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
            #[allow(unreachable_patterns)]
            other => panic!("{other} is outside the domain"),
        }
    };
}
scalar_ops!(define_apply);

macro_rules! define_cast {
    (; $(($dtype:ident, $type:ty))*) => {
        /// One element converted.
        pub(super) fn cast(from: DType, to: DType, value: Bytes) -> Bytes {
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
pub(super) fn evaluate(program: &Program, inputs: &[Bytes]) -> Vec<Bytes> {
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
pub(super) fn same(dtype: DType, a: &[u8], b: &[u8]) -> bool {
    let is_nan = |bytes: &[u8]| match dtype.real_part() {
        DType::F16 => F16::from_ne_bytes(bytes.try_into().unwrap()).is_nan(),
        DType::F32 => f32::from_ne_bytes(bytes.try_into().unwrap()).is_nan(),
        DType::F64 => f64::from_ne_bytes(bytes.try_into().unwrap()).is_nan(),
        _ => false,
    };
    let part = dtype.real_part().size();
    a.chunks(part).zip(b.chunks(part)).all(|(a, b)| a == b || (is_nan(a) && is_nan(b)))
}

/// A deterministic source of elements: ordinary numbers, edge cases and any bits at all.
#[derive(Clone, Debug)]
pub(super) struct Source(pub(super) u64);

impl Source {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(super) fn element(&mut self, dtype: DType) -> Bytes {
        let mut bytes = [0; 16];
        let part = dtype.real_part();
        for chunk in bytes[..dtype.size()].chunks_mut(part.size()) {
            chunk.copy_from_slice(&self.part(part)[..part.size()]);
        }
        bytes
    }

    fn part(&mut self, dtype: DType) -> Bytes {
        const EDGES: [f64; 10] =
            [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 65504.0, 1e-7, f64::MIN_POSITIVE];
        let raw = self.next();
        let float = match self.below(4) {
            0 => EDGES[self.below(EDGES.len())],
            1 => return cast(DType::U64, if dtype == DType::Bool { DType::Bool } else { DType::U64 }, to_bytes(raw)),
            _ => (raw as i64 as f64) / (1u64 << 60) as f64,
        };
        match dtype {
            DType::Bool => to_bytes(raw & 1 == 1),
            DType::F16 | DType::F32 | DType::F64 => cast(DType::F64, dtype, to_bytes(float)),
            _ => to_bytes(raw % 11),
        }
    }
}
