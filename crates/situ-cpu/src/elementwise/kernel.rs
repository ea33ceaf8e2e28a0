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

    /// The result for one element.
    fn apply(args: [Self::In; ARITY]) -> impl Element;
}

/// Conversion from one type to another.
#[derive(Debug)]
pub(super) struct Cast<From, To>(std::marker::PhantomData<(From, To)>);

impl<From: CastTo<To>, To: Element> Meaning<1> for Cast<From, To> {
    type In = From;

    #[inline(always)]
    fn apply([value]: [From; 1]) -> impl Element {
        CastTo::<To>::cast(value)
    }
}

/// The body of a [`Loop`].
///
/// # Safety
///
/// As for [`Loop`].
#[inline(always)]
pub(super) unsafe fn run<M: Meaning<ARITY>, const ARITY: usize>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]) {
    // SAFETY: passed on from the caller.
    unsafe { for_each(out, inputs, M::apply) }
}

/// The dtype an op returns.
pub(super) fn result_dtype<M: Meaning<ARITY>, const ARITY: usize>() -> DType {
    fn of<T, O: Element>(_: impl Fn(T) -> O) -> DType {
        O::DTYPE
    }
    of(M::apply)
}

/// # Safety
///
/// As for [`Loop`].
#[inline(always)]
unsafe fn for_each<T: Element, O: Element, const ARITY: usize>(
    out: &mut [MaybeUninit<u8>],
    inputs: &[*const u8],
    apply: impl Fn([T; ARITY]) -> O,
) {
    let count = out.len() / size_of::<O>();
    debug_assert!(
        inputs[..ARITY].iter().all(|input| is_disjoint(out.as_ptr_range(), *input, count * size_of::<T>())),
        "a loop's result overlaps its input"
    );
    let out = out.as_mut_ptr().cast::<O>();
    let inputs = inputs.as_ptr();
    // SAFETY: the caller passes ARITY inputs.
    let inputs: [*const T; ARITY] = array::from_fn(|k| unsafe { *inputs.add(k) }.cast());
    for i in 0..count {
        // SAFETY: `i` is below the number of elements the caller vouches for, in every input and in `out`.
        unsafe { out.add(i).write(apply(array::from_fn(|k| load(inputs[k].add(i))))) };
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
