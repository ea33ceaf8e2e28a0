//! A product and the sum it goes into, rounded once.
//!
//! Where processors have no instruction for it there is nothing to gain, and the two are computed one after the other.

use situ_types::DType;

use crate::isa::Isa;

/// What is computed of factors a and b and a term c.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fused {
    /// a b + c.
    Plus,
    /// a b - c.
    Minus,
    /// c - a b.
    From,
}

/// Computes so many results from operands, some of which are one element.
///
/// Safe to call where each operand is valid for reads of one or so many elements, `out` for writes, all aligned, and `out`
/// overlaps no operand; the processor has the instruction set the loop was compiled for.
pub(super) type FusedLoop = unsafe fn(out: *mut u8, args: [*const u8; 3], count: usize);

/// By which operands are one element: bit k stands for operand k.
pub(super) type FusedLoops = [FusedLoop; 8];

impl Fused {
    /// Whether an instruction set has them.
    pub(super) fn exist(isa: Isa) -> bool {
        isa >= Isa::Avx2 || cfg!(target_arch = "aarch64")
    }

    /// The loops for float32 or float64.
    pub(super) fn loops(self, isa: Isa, dtype: DType) -> &'static FusedLoops {
        let (by_dtype, kind) = (usize::from(dtype == DType::F64), self as usize);
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => &avx512::LOOPS[by_dtype][kind],
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => &avx2::LOOPS[by_dtype][kind],
            _ => &baseline::LOOPS[by_dtype][kind],
        }
    }
}

/// What is fused.
trait Number: Copy + std::ops::Neg<Output = Self> {
    fn fused(self, by: Self, plus: Self) -> Self;
}

impl Number for f32 {
    #[inline(always)]
    fn fused(self, by: f32, plus: f32) -> f32 {
        self.mul_add(by, plus)
    }
}

impl Number for f64 {
    #[inline(always)]
    fn fused(self, by: f64, plus: f64) -> f64 {
        self.mul_add(by, plus)
    }
}

/// # Safety
///
/// As for [`FusedLoop`].
#[inline(always)]
unsafe fn body<T: Number, const KIND: usize, const ONES: usize>(out: &mut [T], args: [*const u8; 3]) {
    // Written out: what a closure is passed to is not always inlined.
    let args: [*const T; 3] = [args[0].cast(), args[1].cast(), args[2].cast()];
    // SAFETY: every operand has an element.
    let ones = unsafe { [*args[0], *args[1], *args[2]] };
    for (i, out) in out.iter_mut().enumerate() {
        // SAFETY: operands that are not one element have as many as there are results.
        let at = |k: usize| if ONES >> k & 1 == 1 { ones[k] } else { unsafe { *args[k].add(i) } };
        let (a, b, c) = (at(0), at(1), at(2));
        *out = match KIND {
            0 => a.fused(b, c),
            1 => a.fused(b, -c),
            _ => (-a).fused(b, c),
        };
    }
}

macro_rules! compiled {
    ($($(#[$attribute:meta])* $name:ident, $features:literal;)*) => {$(
        $(#[$attribute])*
        mod $name {
            use super::{FusedLoops, Number, body};

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn run<T: Number, const KIND: usize, const ONES: usize>(
                out: *mut u8,
                args: [*const u8; 3],
                count: usize,
            ) {
                // SAFETY: the caller vouches for all of them; nothing else refers to `out`.
                unsafe { body::<T, KIND, ONES>(std::slice::from_raw_parts_mut(out.cast::<T>(), count), args) }
            }

            struct Of<T, const KIND: usize>(std::marker::PhantomData<T>);

            impl<T: Number, const KIND: usize> Of<T, KIND> {
                const LOOPS: FusedLoops = [
                    run::<T, KIND, 0>,
                    run::<T, KIND, 1>,
                    run::<T, KIND, 2>,
                    run::<T, KIND, 3>,
                    run::<T, KIND, 4>,
                    run::<T, KIND, 5>,
                    run::<T, KIND, 6>,
                    run::<T, KIND, 7>,
                ];
            }

            pub(super) static LOOPS: [[FusedLoops; 3]; 2] = [
                [Of::<f32, 0>::LOOPS, Of::<f32, 1>::LOOPS, Of::<f32, 2>::LOOPS],
                [Of::<f64, 0>::LOOPS, Of::<f64, 1>::LOOPS, Of::<f64, 2>::LOOPS],
            ];
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
