//! The loop body where operands come from memory and results go there.
//!
//! Fetching, computing and writing have to go on at the same time: operands are asked for long before they are read,
//! and results leave a line or two at a time, as they are computed. Computing a whole tile and then writing it would
//! leave memory idle for the one and the processor for the other.

use std::array;
use std::mem::MaybeUninit;
use std::slice;

use super::kernel::{Hard, Meaning, load};
use super::target::Target;
use super::tile::Line;
use crate::bytes::{LINE, fetch, stream_lines};

/// Bytes of the widest operand that are fetched at a time: memory would rather give some lines of one operand than a
/// line of each in turn.
const STRETCH: usize = 1024;

/// How many bytes ahead of what is computed operands are fetched.
const AHEAD: usize = 4096;

/// Bytes of the widest operand whose results are written at a time. With half of that the compiler unrolls short loops
/// and then fails to vectorise some.
const PIECE: usize = 4 * LINE;

/// So many stretches after one with a hard element are taken for such unseen.
const WARY: usize = 8;

/// The body of a [`Loop`](super::kernel::Loop) that reads from memory and writes with non-temporal stores.
///
/// Call [`fence`](crate::bytes::fence) before another thread may read.
///
/// # Safety
///
/// As for [`Loop`](super::kernel::Loop).
#[inline(always)]
pub(super) unsafe fn run_streamed<T: Target, M: Meaning<ARITY>, const ARITY: usize>(
    out: &mut [MaybeUninit<u8>],
    inputs: &[*const u8],
) {
    let width = size_of::<M::Out>();
    let widest =
        const { if size_of::<M::In>() > size_of::<M::Out>() { size_of::<M::In>() } else { size_of::<M::Out>() } };
    let (stretch, piece) = (STRETCH / widest, (PIECE / widest).max(LINE / width));
    let to_line = out.as_ptr().align_offset(LINE);
    if !to_line.is_multiple_of(width) || out.len() < to_line {
        // SAFETY: passed on from the caller.
        return unsafe { T::run::<M, ARITY>(out, inputs) };
    }
    // SAFETY: callers stay below the number of elements that the caller vouches for in every input.
    let from = |i: usize| -> [*const M::In; ARITY] { array::from_fn(|k| unsafe { inputs[k].cast::<M::In>().add(i) }) };
    let (head, rest) = out.split_at_mut(to_line);
    // SAFETY: a part of what the caller vouches for.
    unsafe { T::run::<M, ARITY>(head, inputs) };

    let mut stage = MaybeUninit::<[Line; STRETCH / LINE]>::uninit();
    let stage = stage.as_mut_ptr().cast::<MaybeUninit<u8>>();
    let (mut done, mut wary) = (to_line / width, 0);
    let mut stretches = rest.chunks_exact_mut(stretch * width);
    for out in &mut stretches {
        let inputs = from(done);
        for input in inputs {
            for line in 0..(stretch * size_of::<M::In>()).div_ceil(LINE) {
                fetch(input.cast::<u8>().wrapping_add(AHEAD + line * LINE));
            }
        }
        done += stretch;
        if wary > 0 {
            wary -= 1;
            // SAFETY: the stage has room for a stretch and overlaps nothing; `out` is whole lines.
            unsafe {
                T::run::<M, ARITY>(
                    slice::from_raw_parts_mut(stage, stretch * width),
                    &inputs.map(|input| input.cast()),
                );
                stream_lines(T::ISA, out.as_mut_ptr().cast(), stage.cast(), stretch * width / LINE);
            }
            continue;
        }
        for first in (0..stretch).step_by(piece) {
            let mut results = MaybeUninit::<[Line; PIECE / LINE]>::uninit();
            let mut any_hard = false;
            for i in 0..piece {
                // SAFETY: the piece lies inside the inputs, and there is room for its results.
                unsafe {
                    let args = array::from_fn(|k| load(inputs[k].add(first + i)));
                    any_hard |= M::is_hard(args);
                    results.as_mut_ptr().cast::<M::Out>().add(i).write(M::apply(args));
                }
            }
            let (out, lines) = (out[first * width..].as_mut_ptr().cast(), piece * width / LINE);
            // SAFETY: as above, for the piece.
            unsafe {
                if const { !matches!(M::HARD, Hard::Never) } && any_hard {
                    let inputs = inputs.map(|input| input.add(first).cast());
                    T::run::<M, ARITY>(slice::from_raw_parts_mut(stage, piece * width), &inputs);
                    stream_lines(T::ISA, out, stage.cast(), lines);
                    wary = WARY;
                } else {
                    stream_lines(T::ISA, out, results.as_ptr().cast(), lines);
                }
            }
        }
    }
    // SAFETY: a part of what the caller vouches for.
    unsafe { T::run::<M, ARITY>(stretches.into_remainder(), &from(done).map(|input| input.cast())) };
}
