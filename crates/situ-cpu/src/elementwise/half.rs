//! Half precision: blocks are converted to single precision, computed there and rounded back.
//!
//! One by one the same happens in `situ_ir::scalar`, but there each conversion asks what the processor can do, which
//! keeps the loop from being vectorised.

use std::mem::MaybeUninit;

use situ_ir::scalar::Element;
use situ_types::{DType, F16};

use super::kernel::Meaning;
use super::target::Target;

/// Elements converted at a time: the blocks of three operands and a result stay well inside the first-level cache.
const BLOCK: usize = 256;

/// The [`Loop`](super::kernel::Loop) of an op at half precision, where `Half` is its meaning there and `Single` its
/// meaning in single precision: `Half` must be `Single`, rounded.
///
/// # Safety
///
/// As for [`Loop`](super::kernel::Loop).
pub(super) unsafe fn run_widened<T, Half, Single, const ARITY: usize>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8])
where
    T: Target,
    Half: Meaning<ARITY, In = F16>,
    Single: Meaning<ARITY, In = f32>,
{
    let result = Half::Out::DTYPE;
    let mut wide = [[MaybeUninit::<f32>::uninit(); BLOCK]; ARITY];
    for (block, out) in out.chunks_mut(BLOCK * result.size()).enumerate() {
        let count = out.len() / result.size();
        for (wide, input) in wide.iter_mut().zip(inputs) {
            // SAFETY: the input has as many elements as `out` (the caller's promise), hence `count` more from the
            // block's start; `wide` has room for a block.
            unsafe { T::widen(count, input.cast::<u16>().add(block * BLOCK), wide.as_mut_ptr().cast()) };
        }
        let operands = wide.each_ref().map(|block| block.as_ptr().cast::<u8>());
        if result == DType::F16 {
            // SAFETY: the operands were just filled with `count` numbers, and the results go elsewhere.
            unsafe { run_narrowed::<T, Single, ARITY>(out, &operands) };
        } else {
            debug_assert_eq!(result, Single::Out::DTYPE);
            // SAFETY: as above; the result type is the same at both precisions.
            unsafe { T::run::<Single, ARITY>(out, &operands) };
        }
    }
}

/// The [`Loop`](super::kernel::Loop) of a meaning that returns single precision, with its results rounded to half.
///
/// # Safety
///
/// As for [`Loop`](super::kernel::Loop).
pub(super) unsafe fn run_narrowed<T: Target, Single: Meaning<ARITY>, const ARITY: usize>(
    out: &mut [MaybeUninit<u8>],
    inputs: &[*const u8],
) {
    debug_assert_eq!(Single::Out::DTYPE, DType::F32);
    let mut wide = [MaybeUninit::<f32>::uninit(); BLOCK];
    for (block, out) in out.chunks_mut(BLOCK * size_of::<F16>()).enumerate() {
        let count = out.len() / size_of::<F16>();
        let mut operands = [std::ptr::null(); ARITY];
        for (operand, input) in operands.iter_mut().zip(inputs) {
            // SAFETY: the block starts inside the input, which has as many elements as `out`.
            *operand = unsafe { input.add(block * BLOCK * size_of::<Single::In>()) };
        }
        let results = wide.as_mut_ptr().cast::<MaybeUninit<u8>>();
        // SAFETY: `wide` has room for a block of results, is overlapped by nothing, and after the loop has run its
        // first `count` numbers are initialised.
        unsafe {
            T::run::<Single, ARITY>(std::slice::from_raw_parts_mut(results, count * size_of::<f32>()), &operands);
            T::narrow(count, wide.as_ptr().cast(), out.as_mut_ptr().cast());
        }
    }
}
