//! The loop body compiled once per instruction set.

use std::mem::MaybeUninit;

use super::convert;
use super::divisor::{self, Dividend};
use super::kernel::{self, Meaning};
use super::streamed;
use crate::isa::Isa;

/// An instruction set as a type, for generic tables.
pub(super) trait Target {
    /// Which one it is.
    const ISA: Isa;

    /// The loop of an op, compiled for this instruction set.
    ///
    /// # Safety
    ///
    /// As for [`Loop`](kernel::Loop).
    unsafe fn run<M: Meaning<ARITY>, const ARITY: usize>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]);

    /// The loop of an op that reads from memory and writes with non-temporal stores.
    ///
    /// # Safety
    ///
    /// As for [`Loop`](kernel::Loop).
    unsafe fn run_streamed<M: Meaning<ARITY>, const ARITY: usize>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]);

    /// The loop that chooses between elements of one width.
    ///
    /// # Safety
    ///
    /// As for [`Loop`](kernel::Loop).
    unsafe fn select<T: Copy>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]);

    /// The loop of an op whose second operand is one value.
    ///
    /// # Safety
    ///
    /// As for [`Loop`](kernel::Loop); elements of the second input are all the same.
    unsafe fn run_by_one<M: Meaning<2>>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]);

    /// The loop that divides integers by the first element of its second input: quotients, or what they leave.
    ///
    /// # Safety
    ///
    /// As for [`Loop`](kernel::Loop).
    unsafe fn divide<T: Dividend, const LEAVES: bool>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]);

    /// Converts half precision to single.
    ///
    /// # Safety
    ///
    /// Both pointers are aligned and valid for `count` elements, they do not overlap, and the processor has this
    /// instruction set.
    unsafe fn widen(count: usize, from: *const u16, to: *mut f32);

    /// Converts single precision to half, rounding to nearest.
    ///
    /// # Safety
    ///
    /// As for [`widen`](Self::widen).
    unsafe fn narrow(count: usize, from: *const f32, to: *mut u16);
}

macro_rules! targets {
    ($($(#[$attribute:meta])* $name:ident, $features:literal, $widen:path, $narrow:path;)*) => {$(
        $(#[$attribute])*
        #[derive(Debug)]
        pub(super) struct $name;

        $(#[$attribute])*
        impl Target for $name {
            const ISA: Isa = Isa::$name;

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn run<M: Meaning<ARITY>, const ARITY: usize>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]) {
                // SAFETY: passed on from the caller.
                unsafe { kernel::run::<M, ARITY>(out, inputs) }
            }
            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn run_streamed<M: Meaning<ARITY>, const ARITY: usize>(
                out: &mut [MaybeUninit<u8>],
                inputs: &[*const u8],
            ) {
                // SAFETY: passed on from the caller.
                unsafe { streamed::run_streamed::<$name, M, ARITY>(out, inputs) }
            }
            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn select<T: Copy>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]) {
                // SAFETY: passed on from the caller.
                unsafe { kernel::select::<T>(out, inputs) }
            }
            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn run_by_one<M: Meaning<2>>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]) {
                // SAFETY: passed on from the caller.
                unsafe { kernel::run_by_one::<M>(out, inputs) }
            }
            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn divide<T: Dividend, const LEAVES: bool>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]) {
                // SAFETY: passed on from the caller.
                unsafe { divisor::divide::<T, LEAVES>(out, inputs) }
            }
            unsafe fn widen(count: usize, from: *const u16, to: *mut f32) {
                // SAFETY: passed on from the caller.
                unsafe { $widen(count, from, to) }
            }
            unsafe fn narrow(count: usize, from: *const f32, to: *mut u16) {
                // SAFETY: passed on from the caller.
                unsafe { $narrow(count, from, to) }
            }
        }
    )*};
}

targets! {
    /// What every processor of the target has.
    Baseline, "sse2", convert::widen_each, convert::narrow_each;
    /// 256-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2, "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt", convert::widen_f16c, convert::narrow_f16c;
    /// 512-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx512, "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt",
        convert::widen_avx512, convert::narrow_avx512;
}
