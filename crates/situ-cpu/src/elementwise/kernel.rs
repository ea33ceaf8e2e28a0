//! One loop body for every op: dense inputs, a dense output that overlaps none of them.
//!
//! Strides, broadcasting and in-place operation are not the loops' business: [`tile`](super::tile) brings operands into
//! this form. That leaves one body per op and dtype to compile, and the body always vectorises.

use std::array;
use std::mem::MaybeUninit;
use std::ops::Range;

use situ_ir::scalar::{CastTo, Element};
use situ_types::DType;

/// Fills `out` with results computed from as many elements of each input.
///
/// The exclusive reference is what tells the compiler, in a function it cannot inline, that no input changes while
/// results are stored.
///
/// # Safety
///
/// There are as many inputs as the op has operands; each is aligned and valid for reads of as many elements as `out`
/// has room for, and none overlaps `out`. `out` is aligned for the result type. The processor has the instruction set
/// the loop was compiled for.
pub(super) type Loop = unsafe fn(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]);

/// The meaning of an op at one dtype.
pub(super) trait Meaning<const ARITY: usize> {
    /// The type of its operands.
    type In: Element;
    /// The type of its result.
    type Out: Element;
    /// Whether some elements may be hard.
    const HAS_HARD: bool = false;

    /// The result for one element that is not hard.
    fn apply(args: [Self::In; ARITY]) -> Self::Out;

    /// Whether an element needs [`apply_hard`](Self::apply_hard).
    #[inline(always)]
    fn is_hard(_: [Self::In; ARITY]) -> bool {
        false
    }

    /// The result for one element, however hard.
    #[inline(always)]
    fn apply_hard(args: [Self::In; ARITY]) -> Self::Out {
        Self::apply(args)
    }
}

/// Conversion from one type to another.
#[derive(Debug)]
pub(super) struct Cast<From, To>(std::marker::PhantomData<(From, To)>);

impl<From: CastTo<To>, To: Element> Meaning<1> for Cast<From, To> {
    type In = From;
    type Out = To;

    #[inline(always)]
    fn apply([value]: [From; 1]) -> To {
        CastTo::<To>::cast(value)
    }
}

/// Elements looked over for hard ones at a time: few enough that they are still near.
const LOOKED_OVER: usize = 256;

/// The body of a [`Loop`].
///
/// # Safety
///
/// As for [`Loop`].
#[inline(always)]
pub(super) unsafe fn run<M: Meaning<ARITY>, const ARITY: usize>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]) {
    let count = out.len() / size_of::<M::Out>();
    debug_assert!(
        inputs[..ARITY].iter().all(|input| is_disjoint(out.as_ptr_range(), *input, count * size_of::<M::In>())),
        "a loop's result overlaps its input"
    );
    let out = out.as_mut_ptr().cast::<M::Out>();
    let inputs = inputs.as_ptr();
    // SAFETY: the caller passes ARITY inputs.
    let inputs: [*const M::In; ARITY] = array::from_fn(|k| unsafe { *inputs.add(k) }.cast());
    // SAFETY: callers stay below the number of elements that the caller vouches for in every input.
    let args = |i: usize| array::from_fn(|k| unsafe { load(inputs[k].add(i)) });
    if const { !M::HAS_HARD } {
        for i in 0..count {
            // SAFETY: as above, for `out`.
            unsafe { out.add(i).write(M::apply(args(i))) };
        }
        return;
    }
    for first in (0..count).step_by(LOOKED_OVER) {
        let end = count.min(first + LOOKED_OVER);
        let mut any_hard = 0u8;
        for i in first..end {
            any_hard |= u8::from(M::is_hard(args(i)));
            // SAFETY: as above.
            unsafe { out.add(i).write(M::apply(args(i))) };
        }
        if any_hard == 0 {
            continue;
        }
        for i in (first..end).filter(|&i| M::is_hard(args(i))) {
            // SAFETY: as above.
            unsafe { out.add(i).write(M::apply_hard(args(i))) };
        }
    }
}

/// The body of the [`Loop`] that takes elements of the second input where the first holds, else of the third.
///
/// # Safety
///
/// As for [`Loop`], where the first input is one of truth values.
#[inline(always)]
pub(super) unsafe fn select<T: Copy>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]) {
    let count = out.len() / size_of::<T>();
    let out = out.as_mut_ptr().cast::<T>();
    let (condition, yes, no) = (inputs[0], inputs[1].cast::<T>(), inputs[2].cast::<T>());
    for i in 0..count {
        // SAFETY: `i` is below the number of elements the caller vouches for, in every input and in `out`.
        unsafe { out.add(i).write(if *condition.add(i) != 0 { *yes.add(i) } else { *no.add(i) }) };
    }
}

fn is_disjoint(out: Range<*const MaybeUninit<u8>>, input: *const u8, bytes: usize) -> bool {
    out.end.addr() <= input.addr() || input.addr() + bytes <= out.start.addr()
}

/// Reads an element; a truth value may be any byte, because fresh memory may hold any.
///
/// # Safety
///
/// `pointer` is aligned and valid for a read.
#[inline(always)]
unsafe fn load<T: Element>(pointer: *const T) -> T {
    if const { matches!(T::DTYPE, DType::Bool) } {
        // SAFETY: T is `bool`, so the byte read is its size, and a comparison yields a valid `bool`.
        unsafe { std::mem::transmute_copy::<bool, T>(&(*pointer.cast::<u8>() != 0)) }
    } else {
        // SAFETY: the caller vouches for the pointer, and every bit pattern is a value of the other types.
        unsafe { *pointer }
    }
}
