//! One loop body for every op: dense inputs, a dense output that overlaps none of them.
//!
//! Strides, broadcasting and in-place operation are not the loops' business: [`tile`](super::tile) brings operands into
//! this form. That leaves one body per op and dtype to compile, and the body always vectorises.

use std::hint::select_unpredictable;
use std::mem::MaybeUninit;
use std::ops::Range;

use situ_ir::scalar::{CastTo, Element};
use situ_types::DType;

use super::truncate;

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
pub(crate) type Loop = unsafe fn(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]);

/// What is done about elements that [`Meaning::apply`] is not for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hard {
    /// There are none.
    Never,
    /// They are done once more, one by one.
    OneByOne,
    /// Their neighbours are done once more with them: [`Meaning::apply_hard`] is for every element, gives the same bits
    /// as `apply` where that will do, and vectorises.
    InBlocks,
}

/// The meaning of an op at one dtype.
pub(crate) trait Meaning<const ARITY: usize> {
    /// The type of its operands.
    type In: Element;
    /// The type of its result.
    type Out: Element;
    /// What is done about hard elements.
    const HARD: Hard = Hard::Never;

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
        truncate::to_integer(value).unwrap_or_else(|| CastTo::<To>::cast(value))
    }
}

/// Elements looked over for hard ones at a time: few enough that they are still near.
const LOOKED_OVER: usize = 256;

/// Where neighbours of hard elements are done with them, so many times as many are taken for such unseen.
const WARY: usize = 2;

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
    // SAFETY: the caller passes ARITY inputs.
    let inputs: [*const M::In; ARITY] = unsafe { *inputs.as_ptr().cast() };
    // SAFETY: callers stay below the number of elements that the caller vouches for in every input.
    let args = |i: usize| unsafe { loaded(inputs, i) };
    // SAFETY: as above, for `out`.
    let write = |i: usize, result: M::Out| unsafe { out.add(i).write(result) };
    // Loops are written out: what a closure is passed to is not compiled for the instruction set.
    if const { matches!(M::HARD, Hard::Never) } {
        for i in 0..count {
            // SAFETY: as above, for `out`. Not through `write`, with which the compiler takes so many elements at a
            // time that few are done one by one.
            unsafe { out.add(i).write(M::apply(args(i))) };
        }
        return;
    }
    let mut wary = 0;
    for first in (0..count).step_by(LOOKED_OVER) {
        let end = count.min(first + LOOKED_OVER);
        if wary > 0 {
            wary -= 1;
        } else {
            let mut any_hard = false;
            for i in first..end {
                any_hard |= M::is_hard(args(i));
                write(i, M::apply(args(i)));
            }
            if !any_hard {
                continue;
            }
            if const { matches!(M::HARD, Hard::OneByOne) } {
                for i in (first..end).filter(|&i| M::is_hard(args(i))) {
                    write(i, M::apply_hard(args(i)));
                }
                continue;
            }
            wary = WARY;
        }
        for i in first..end {
            write(i, M::apply_hard(args(i)));
        }
    }
}

/// An element of each input. Written out, because what a closure is passed to is not always inlined, and a call keeps the loop
/// around it from being vectorised.
///
/// # Safety
///
/// There are so many elements, and this one, in every input.
#[inline(always)]
unsafe fn loaded<T: Element, const ARITY: usize>(inputs: [*const T; ARITY], i: usize) -> [T; ARITY] {
    let mut elements = [T::default(); ARITY];
    let mut k = 0;
    while k < ARITY {
        // SAFETY: passed on from the caller.
        elements[k] = unsafe { load(inputs[k].add(i)) };
        k += 1;
    }
    elements
}

/// The body of the [`Loop`] that takes elements of the second input where the first holds, else of the third.
///
/// # Safety
///
/// As for [`Loop`], where the first input is one of truth values.
#[inline(always)]
pub(super) unsafe fn select<T: Copy>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]) {
    if const { size_of::<T>() == 16 } {
        // SAFETY: passed on from the caller.
        return unsafe { select_pairs(out, inputs) };
    }
    let count = out.len() / size_of::<T>();
    let out = out.as_mut_ptr().cast::<T>();
    let (condition, yes, no) = (inputs[0], inputs[1].cast::<T>(), inputs[2].cast::<T>());
    for i in 0..count {
        // SAFETY: `i` is below the number of elements the caller vouches for, in every input and in `out`.
        unsafe {
            // Choosing between values, not between places to read from, is what vectorises.
            let (yes, no) = (*yes.add(i), *no.add(i));
            out.add(i).write(select_unpredictable(*condition.add(i) != 0, yes, no));
        }
    }
}

/// [`select`] for elements of two words, of which no vector has a choice.
///
/// # Safety
///
/// As for [`select`].
#[inline(always)]
unsafe fn select_pairs(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]) {
    let count = out.len() / 16;
    let out = out.as_mut_ptr().cast::<u64>();
    let (condition, yes, no) = (inputs[0], inputs[1].cast::<u64>(), inputs[2].cast::<u64>());
    for i in 0..count {
        for word in 2 * i..2 * i + 2 {
            // SAFETY: as in `select`; an element is two words.
            unsafe {
                let (yes, no) = (*yes.add(word), *no.add(word));
                out.add(word).write(select_unpredictable(*condition.add(i) != 0, yes, no));
            }
        }
    }
}

fn is_disjoint(out: Range<*const MaybeUninit<u8>>, input: *const u8, bytes: usize) -> bool {
    out.end.addr() <= input.addr() || input.addr() + bytes <= out.start.addr()
}

/// The body of a [`Loop`] whose second operand is one value, which stays in a register. The op has no hard elements.
///
/// # Safety
///
/// As for [`Loop`]; elements of the second input are all the same.
#[inline(always)]
pub(super) unsafe fn run_by_one<M: Meaning<2>>(out: &mut [MaybeUninit<u8>], inputs: &[*const u8]) {
    const { assert!(matches!(M::HARD, Hard::Never)) };
    let count = out.len() / size_of::<M::Out>();
    let out = out.as_mut_ptr().cast::<M::Out>();
    let (first, one) = (inputs[0].cast::<M::In>(), inputs[1].cast::<M::In>());
    if count == 0 {
        return;
    }
    // SAFETY: the caller vouches for as many elements in the inputs and the output.
    unsafe {
        let one = load(one);
        for i in 0..count {
            out.add(i).write(M::apply([load(first.add(i)), one]));
        }
    }
}

/// Reads an element; a truth value may be any byte, because fresh memory may hold any.
///
/// # Safety
///
/// `pointer` is aligned and valid for a read.
#[inline(always)]
pub(crate) unsafe fn load<T: Element>(pointer: *const T) -> T {
    if const { matches!(T::DTYPE, DType::Bool) } {
        // SAFETY: T is `bool`, so the byte read is its size, and a comparison yields a valid `bool`.
        unsafe { std::mem::transmute_copy::<bool, T>(&(*pointer.cast::<u8>() != 0)) }
    } else {
        // SAFETY: the caller vouches for the pointer, and every bit pattern is a value of the other types.
        unsafe { *pointer }
    }
}
