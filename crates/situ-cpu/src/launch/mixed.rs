//! Loops of short ops of which one operand is one element.
//!
//! Writing that element once for each work-item would take as long as the op. The meanings are the op table's.

use std::mem::MaybeUninit;

use situ_ir::{Op, StepKind};
use situ_types::DType;

use crate::elementwise::{Loop, Meaning, load, meaning};
use crate::isa::Isa;

/// The loops of an op where the first or the second operand is one element, if it has them.
pub(super) fn loops(isa: Isa, kind: StepKind, dtype: DType) -> Option<[Loop; 2]> {
    let StepKind::Apply(op) = kind else { return None };
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => avx512::loops(op, dtype),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => avx2::loops(op, dtype),
        _ => baseline::loops(op, dtype),
    }
}

/// # Safety
///
/// As for [`Loop`], where the first operand is one element if `FIRST`, else the second.
#[inline(always)]
unsafe fn body<M: Meaning<2>, const FIRST: bool>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]) {
    let count = out.len() / size_of::<M::Out>();
    let out = out.as_mut_ptr().cast::<M::Out>();
    let (one, many) = if FIRST { (inputs[0], inputs[1]) } else { (inputs[1], inputs[0]) };
    // SAFETY: the caller vouches for one element of the one and for as many of the other as there are results.
    unsafe {
        let one = load(one.cast::<M::In>());
        for i in 0..count {
            let other = load(many.cast::<M::In>().add(i));
            out.add(i).write(M::apply(if FIRST { [one, other] } else { [other, one] }));
        }
    }
}

macro_rules! of {
    ($meaning:ident, $dtype:ident) => {
        match $dtype {
            DType::I32 => of!($meaning, of i32),
            DType::I64 => of!($meaning, of i64),
            _ => of!($meaning, $dtype, float),
        }
    };
    ($meaning:ident, $dtype:ident, float) => {
        match $dtype {
            DType::F32 => of!($meaning, of f32),
            DType::F64 => of!($meaning, of f64),
            _ => return None,
        }
    };
    ($meaning:ident, of $type:ty) => {
        [run::<meaning::$meaning<$type>, true> as Loop, run::<meaning::$meaning<$type>, false>]
    };
}

macro_rules! compiled {
    ($($(#[$attribute:meta])* $name:ident, $features:literal;)*) => {$(
        $(#[$attribute])*
        mod $name {
            use super::*;

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn run<M: Meaning<2>, const FIRST: bool>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]) {
                // SAFETY: passed on from the caller.
                unsafe { body::<M, FIRST>(out, inputs) }
            }

            pub(super) fn loops(op: Op, dtype: DType) -> Option<[Loop; 2]> {
                Some(match op {
                    Op::Add => of!(Add, dtype),
                    Op::Subtract => of!(Subtract, dtype),
                    Op::Multiply => of!(Multiply, dtype),
                    Op::Minimum => of!(Minimum, dtype),
                    Op::Maximum => of!(Maximum, dtype),
                    Op::Divide => of!(Divide, dtype, float),
                    _ => return None,
                })
            }
        }
    )*};
}

compiled! {
    baseline, "sse2";
    #[cfg(target_arch = "x86_64")]
    avx2, "avx2,fma,bmi1,bmi2,lzcnt,popcnt";
    #[cfg(target_arch = "x86_64")]
    avx512, "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt";
}
