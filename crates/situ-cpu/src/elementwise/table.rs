//! Function tables by op and dtype, and by the two dtypes of a conversion, derived from the op table of `situ-ir`.
//!
//! A new row there needs no line here.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use situ_ir::{Op, StepKind, domain_types, scalar_ops};
use situ_types::DType;

use super::half::{run_narrowed, run_widened};
use super::kernel::{Cast, Loop};
#[cfg(target_arch = "x86_64")]
use super::target::{Avx2, Avx512};
use super::target::{Baseline, Target};
use crate::isa::Isa;

const DTYPES: usize = DType::ALL.len();

/// The most operands any op has.
pub(super) const MAX_ARITY: usize = {
    // A choice has three.
    let (mut most, mut i) = (3, 0);
    while i < Op::COUNT {
        if Op::ALL[i].arity() > most {
            most = Op::ALL[i].arity();
        }
        i += 1;
    }
    most
};

fn tables(isa: Isa) -> &'static Tables {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => &AVX512,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => &AVX2,
        _ => &BASELINE,
    }
}

/// The loop of a step that reads operands of dtype `from` and returns `to`, where elements of the last one may all be the
/// same.
pub(super) fn loop_for(isa: Isa, kind: StepKind, from: DType, to: DType, ends_with_one: bool) -> Loop {
    let by_one = if ends_with_one { loop_by_one(isa, kind, from) } else { None };
    by_one.unwrap_or_else(|| loop_of(isa, kind, from, to))
}

/// The loop of a step where elements of the last operand are all the same, if it has one of its own.
pub(crate) fn loop_by_one(isa: Isa, kind: StepKind, from: DType) -> Option<Loop> {
    match kind {
        StepKind::Apply(op) => tables(isa).by_one[op as usize][from as usize],
        _ => None,
    }
}

/// The loop of a step whose operands come from memory and whose results are stored non-temporally, if it has one of its own.
pub(super) fn loop_streamed(isa: Isa, kind: StepKind, from: DType) -> Option<Loop> {
    match kind {
        StepKind::Apply(op) => tables(isa).streamed[op as usize][from as usize],
        _ => None,
    }
}

/// The loop of a step that reads operands of dtype `from` and returns `to`.
pub(crate) fn loop_of(isa: Isa, kind: StepKind, from: DType, to: DType) -> Loop {
    let tables = tables(isa);
    match kind {
        StepKind::Apply(op) => tables.ops[op as usize][from as usize],
        StepKind::Cast => tables.casts[from as usize][to as usize],
        StepKind::Select => tables.selects[to.size().ilog2() as usize],
    }
}

struct Tables {
    ops: [[Loop; DTYPES]; Op::COUNT],
    casts: [[Loop; DTYPES]; DTYPES],
    /// By the logarithm of the elements' width.
    selects: [Loop; 5],
    /// Where a second operand that is one value makes a difference.
    by_one: [[Option<Loop>; DTYPES]; Op::COUNT],
    /// Where operands come from memory and results go there.
    streamed: [[Option<Loop>; DTYPES]; Op::COUNT],
}

static BASELINE: Tables = Compiled::<Baseline>::TABLES;
#[cfg(target_arch = "x86_64")]
static AVX2: Tables = Compiled::<Avx2>::TABLES;
#[cfg(target_arch = "x86_64")]
static AVX512: Tables = Compiled::<Avx512>::TABLES;

/// Stands where an op has no loop; a well-formed program never gets here.
unsafe fn outside_the_domain(_out: &mut [MaybeUninit<u8>], _inputs: &[*const u8]) {
    debug_assert!(false, "the program applies an op outside its domain");
}

/// What each op means, as a type: `meaning::Add<f64>`.
pub(crate) mod meaning {
    use situ_ir::scalar::Numeric;

    use super::super::kernel::{Hard, Meaning};

    macro_rules! when_hard {
        (hard) => {
            Hard::OneByOne
        };
        (rare) => {
            Hard::InBlocks
        };
    }

    macro_rules! hard_part {
        ([$($arg:ident),+]) => {};
        ([$($arg:ident),+], $seldom:ident, $hard:expr, $other:expr) => {
            const HARD: Hard = when_hard!($seldom);

            #[inline(always)]
            fn is_hard([$($arg),+]: [T; [$(stringify!($arg)),+].len()]) -> bool {
                $hard
            }

            #[inline(always)]
            fn apply_hard([$($arg),+]: [T; [$(stringify!($arg)),+].len()]) -> Self::Out {
                $other
            }
        };
    }

    macro_rules! out_type {
        (same) => {
            T
        };
        (part) => {
            <T as Numeric>::Part
        };
        (truth) => {
            bool
        };
    }

    macro_rules! define_meanings {
        ($([$variant:ident, $name:ident, ($($arg:ident),+), $domain:ident, $lift:tt, $out:tt,
            $meaning:expr $(; $seldom:ident $hard:expr => $other:expr)?, $($rest:tt)*])*) => {$(
            #[derive(Debug)]
            pub(crate) struct $variant<T>(std::marker::PhantomData<T>);

            // The type stays a parameter so that method names mean the domain's methods, never inherent ones.
            impl<T: situ_ir::scalar::$domain> Meaning<{ [$(stringify!($arg)),+].len() }> for $variant<T> {
                type In = T;
                type Out = out_type!($out);

                #[inline(always)]
                fn apply([$($arg),+]: [T; [$(stringify!($arg)),+].len()]) -> Self::Out {
                    $meaning
                }

                hard_part! { [$($arg),+] $(, $seldom, $hard, $other)? }
            }
        )*};
    }

    situ_ir::scalar_ops!(define_meanings);
}

struct Compiled<T>(PhantomData<T>);

macro_rules! op_loops {
    ($([$($row:tt)*])*) => { [$(op_row! { $($row)* }),*] };
}

/// One op's loops. Half precision goes through single wherever that gives the same: in a meaning of one method, which
/// rounds once.
macro_rules! op_row {
    ($variant:ident, $name:ident, $args:tt, $domain:ident, $lift:tt, $out:tt,
     $receiver:ident.$method:ident($($operand:ident),*) $(; $seldom:ident $hard:expr => $other:expr)?, $($rest:tt)*) => {
        op_row! { @with widened, $variant, $args, $domain }
    };
    ($variant:ident, $($rest:tt)*) => { op_row! { @exact $variant, $($rest)* } };
    (@exact $variant:ident, $name:ident, $args:tt, $domain:ident, $($rest:tt)*) => {
        op_row! { @with exact, $variant, $args, $domain }
    };
    (@with $half:ident, $variant:ident, ($($arg:ident),+), $domain:ident) => {
        domain_types!($domain, op_entries, $half, $variant, { [$(stringify!($arg)),+].len() })
    };
}

macro_rules! op_entries {
    ($half:ident, $variant:ident, $arity:block ; $(($dtype:ident, $type:ty))*) => {{
        let mut row = [outside_the_domain as Loop; DTYPES];
        $(row[DType::$dtype as usize] = op_loop!($half, $dtype, $type, $variant, $arity);)*
        row
    }};
}

macro_rules! op_loop {
    (widened, F16, $type:ty, $variant:ident, $arity:block) => {
        run_widened::<T, meaning::$variant<$type>, meaning::$variant<f32>, $arity>
    };
    ($half:ident, $dtype:ident, $type:ty, $variant:ident, $arity:block) => {
        T::run::<meaning::$variant<$type>, $arity>
    };
}

macro_rules! streamed_loops {
    ($([$variant:ident, $name:ident, ($($arg:ident),+), $domain:ident, $($rest:tt)*])*) => {
        [$(domain_types!($domain, streamed_entries, $variant, { [$(stringify!($arg)),+].len() })),*]
    };
}

macro_rules! streamed_entries {
    ($variant:ident, $arity:block ; $(($dtype:ident, $type:ty))*) => {{
        let mut row = [None; DTYPES];
        $(if is_worth_streaming::<T>(Op::$variant, DType::$dtype) {
            row[DType::$dtype as usize] = Some(T::run_streamed::<meaning::$variant<$type>, $arity> as Loop);
        })*
        row
    }};
}

/// Whether an op has a loop of its own to memory. Half precision is converted in blocks, functions with complex results
/// take too long for memory to matter, and what does not look at its operands should not fetch them.
const fn is_worth_streaming<T: Target>(op: Op, dtype: DType) -> bool {
    let is_complex = matches!(op.rule().out.apply(dtype), DType::C64 | DType::C128);
    let is_scalar_code = is_complex && !op.rule().computes_in(DType::I64);
    !matches!(T::ISA, Isa::Baseline)
        && !matches!(dtype, DType::F16)
        && !is_scalar_code
        && op.known_result(dtype).is_none()
}

macro_rules! division_loops {
    ($leaves:literal ; $(($dtype:ident, $type:ty))*) => {{
        let mut row = [None; DTYPES];
        $(row[DType::$dtype as usize] = Some(T::divide::<$type, $leaves> as Loop);)*
        row
    }};
}

macro_rules! by_one_loops {
    ($([$($row:tt)*])*) => { [$(by_one_row! { $($row)* }),*] };
}

/// Two operands that return a truth value are compared, which is so short that reading the value again would show.
macro_rules! by_one_row {
    ($variant:ident, $name:ident, ($a:ident, $b:ident), $domain:ident, $lift:tt, truth, $($rest:tt)*) => {
        domain_types!($domain, comparison_loops, $variant)
    };
    ($($other:tt)*) => {
        [None; DTYPES]
    };
}

/// Half precision has loops of its own, which widen both operands.
macro_rules! comparison_loops {
    ($variant:ident ; $(($dtype:ident, $type:ty))*) => {{
        let mut row = [None; DTYPES];
        $(row[DType::$dtype as usize] = Some(T::run_by_one::<meaning::$variant<$type>> as Loop);)*
        row[DType::F16 as usize] = None;
        row
    }};
}

macro_rules! cast_loops {
    (; $(($dtype:ident, $type:ty))*) => { [$(domain_types!(Numeric, cast_row, $dtype, $type)),*] };
}

macro_rules! cast_row {
    ($from_dtype:ident, $from:ty ; $(($dtype:ident, $type:ty))*) => {
        [$(cast_loop!($from_dtype, $dtype, $from, $type)),*]
    };
}

/// Half precision goes through single except from types that single precision would round first.
macro_rules! cast_loop {
    (F16, F16, $from:ty, $to:ty) => {
        T::run::<Cast<$from, $to>, 1>
    };
    (F16, $dtype:ident, $from:ty, $to:ty) => {
        run_widened::<T, Cast<$from, $to>, Cast<f32, $to>, 1>
    };
    (Bool, F16, $from:ty, $to:ty) => {
        run_narrowed::<T, Cast<$from, f32>, 1>
    };
    (I8, F16, $from:ty, $to:ty) => {
        run_narrowed::<T, Cast<$from, f32>, 1>
    };
    (I16, F16, $from:ty, $to:ty) => {
        run_narrowed::<T, Cast<$from, f32>, 1>
    };
    (U8, F16, $from:ty, $to:ty) => {
        run_narrowed::<T, Cast<$from, f32>, 1>
    };
    (U16, F16, $from:ty, $to:ty) => {
        run_narrowed::<T, Cast<$from, f32>, 1>
    };
    (F32, F16, $from:ty, $to:ty) => {
        run_narrowed::<T, Cast<$from, f32>, 1>
    };
    (C64, F16, $from:ty, $to:ty) => {
        run_narrowed::<T, Cast<$from, f32>, 1>
    };
    ($from_dtype:ident, $dtype:ident, $from:ty, $to:ty) => {
        T::run::<Cast<$from, $to>, 1>
    };
}

impl<T: Target> Compiled<T> {
    const TABLES: Tables = Tables {
        ops: Self::OPS,
        casts: Self::CASTS,
        selects: Self::SELECTS,
        by_one: Self::BY_ONE,
        streamed: scalar_ops!(streamed_loops),
    };
    const OPS: [[Loop; DTYPES]; Op::COUNT] = scalar_ops!(op_loops);
    const BY_ONE: [[Option<Loop>; DTYPES]; Op::COUNT] = {
        let mut table = scalar_ops!(by_one_loops);
        // Divisors are prepared.
        table[Op::FloorDivide as usize] = domain_types!(Integer, division_loops, false);
        table[Op::Remainder as usize] = domain_types!(Integer, division_loops, true);
        table
    };
    const CASTS: [[Loop; DTYPES]; DTYPES] = domain_types!(Numeric, cast_loops,);
    const SELECTS: [Loop; 5] =
        [T::select::<u8>, T::select::<u16>, T::select::<u32>, T::select::<u64>, T::select::<[u64; 2]>];
}
