//! The loop over a group of blocks.

use std::mem::MaybeUninit;

use situ_ir::random::{Draw, Stream, philox};

use crate::isa::Isa;

/// Blocks that are made at a time: their words stay in the first-level cache.
pub(super) const GROUP: usize = 64;

/// Room for the elements of a group.
type Room<D> = [MaybeUninit<<D as Draw>::Elements>; GROUP];

/// Makes the elements of the blocks from a stream's `first` on.
///
/// # Safety
///
/// The processor has the instruction set.
pub(super) unsafe fn fill<D: Draw>(isa: Isa, draw: D, stream: Stream, first: u64, out: &mut Room<D>) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    fn avx512<D: Draw>(draw: D, stream: Stream, first: u64, out: &mut Room<D>) {
        body(draw, stream, first, out);
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    fn avx2<D: Draw>(draw: D, stream: Stream, first: u64, out: &mut Room<D>) {
        body(draw, stream, first, out);
    }
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Avx512 => unsafe { avx512(draw, stream, first, out) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        Isa::Avx2 => unsafe { avx2(draw, stream, first, out) },
        _ => body(draw, stream, first, out),
    }
}

/// Words first, then elements: two loops that vectorise, where one would run out of registers.
#[inline(always)]
fn body<D: Draw>(draw: D, stream: Stream, first: u64, out: &mut Room<D>) {
    let mut words = [[0; GROUP]; 4];
    let start = stream.counter.wrapping_add(u128::from(first));
    let (low, high) = (start as u64, (start >> 64) as u64);
    let key = [stream.key as u32, (stream.key >> 32) as u32];
    for n in 0..GROUP {
        // In two halves with a carry, because no vector has integers of 128 bits.
        let lower = low.wrapping_add(n as u64);
        let upper = high.wrapping_add(u64::from(lower < low));
        put(&mut words, n, philox([lower as u32, (lower >> 32) as u32, upper as u32, (upper >> 32) as u32], key));
    }
    for (n, elements) in out.iter_mut().enumerate() {
        elements.write(draw.draw(block(&words, n)));
    }
    let mut is_any_rejected = false;
    for n in 0..GROUP {
        for lane in 0..16 / size_of::<D::Element>() {
            is_any_rejected |= draw.rejects(block(&words, n), lane);
        }
    }
    if is_any_rejected {
        draw_again(draw, stream, first, &words, out);
    }
}

/// Keeps the words of the n-th block.
#[inline(always)]
fn put(words: &mut [[u32; GROUP]; 4], n: usize, made: [u32; 4]) {
    [words[0][n], words[1][n], words[2][n], words[3][n]] = made;
}

/// The words of the n-th block.
#[inline(always)]
fn block(words: &[[u32; GROUP]; 4], n: usize) -> [u32; 4] {
    [words[0][n], words[1][n], words[2][n], words[3][n]]
}

/// Draws the elements again that the first attempt was rejected for.
#[cold]
#[inline(never)]
fn draw_again<D: Draw>(draw: D, stream: Stream, first: u64, words: &[[u32; GROUP]; 4], out: &mut Room<D>) {
    let of_block = 16 / size_of::<D::Element>();
    for (n, elements) in out.iter_mut().enumerate() {
        let mut drawn = draw.draw(block(words, n));
        for lane in 0..of_block {
            if draw.rejects(block(words, n), lane) {
                drawn.as_mut()[lane] = draw.element(stream, (first + n as u64) * of_block as u64 + lane as u64);
            }
        }
        elements.write(drawn);
    }
}
