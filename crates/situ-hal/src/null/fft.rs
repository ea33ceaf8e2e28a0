//! Fourier transforms by their definition, in double precision.

use std::f64::consts::TAU;
use std::ptr;

use situ_types::{C64, C128, DType, Scalar};

use super::compute::element;
use super::indexing::for_each;
use crate::{Address, Fft, FftKind, Sequences};

/// # Safety
///
/// As for [`perform`](super::queue::perform).
pub(super) unsafe fn fft(command: &Fft) -> Option<()> {
    let Fft { kind, length, given, .. } = *command;
    let (input, out) = (command.input_dtype(), command.out_dtype());
    let roots: Vec<C128> = (0..length).map(|m| C128::cis(-TAU * m as f64 / length as f64)).collect();
    let mut is_well_formed = Some(());
    for_each(&command.batch, |_, index| {
        let place = |sequences: &Sequences, dtype: DType, n: usize| {
            let first = element(sequences.address, &sequences.batch_steps, index, dtype.size());
            element(first, &[sequences.step], &[n], dtype.size())
        };
        // SAFETY: the caller vouches for every element that is read.
        let read = (0..given).map(|n| unsafe { read(place(&command.input, input, n), input) });
        let Some(mut sequence) = read.collect::<Option<Vec<C128>>>() else {
            is_well_formed = None;
            return;
        };
        sequence.resize(kind.reads(length), C128::default());
        for (n, value) in transform(kind, &sequence, &roots).into_iter().enumerate() {
            let value = if command.scale == 1.0 { value } else { value * command.scale };
            let value = match out {
                DType::F32 => Scalar::F32(value.re as f32),
                DType::F64 => Scalar::F64(value.re),
                DType::C64 => Scalar::C64(C64::new(value.re as f32, value.im as f32)),
                _ => Scalar::C128(value),
            };
            // SAFETY: the caller vouches for every element that is written, and the scalar's bytes are as many.
            unsafe { ptr::copy_nonoverlapping(value.to_bytes().as_ptr(), place(&command.out, out, n).0, out.size()) };
        }
    });
    is_well_formed
}

/// What a sequence comes to. The roots are the powers of w, of which every product of positions is one.
fn transform(kind: FftKind, sequence: &[C128], roots: &[C128]) -> Vec<C128> {
    let length = roots.len();
    let whole: Vec<C128> = match kind {
        FftKind::RealInverse => (0..length)
            .map(|j| match (2 * j).cmp(&length) {
                _ if j == 0 || 2 * j == length => C128::new(sequence[j].re, 0.0),
                std::cmp::Ordering::Greater => sequence[length - j].conj(),
                _ => sequence[j],
            })
            .collect(),
        _ => sequence.to_vec(),
    };
    let result = |k: usize| {
        let product = |(j, x): (usize, &C128)| {
            let root = roots[(j as u128 * k as u128 % length as u128) as usize];
            x * if kind.is_inverse() { root.conj() } else { root }
        };
        whole.iter().enumerate().map(product).sum()
    };
    (0..kind.writes(length)).map(result).collect()
}

/// # Safety
///
/// An element of that dtype can be read there.
unsafe fn read(from: Address, dtype: DType) -> Option<C128> {
    let mut bytes = [0; 16];
    // SAFETY: the caller's promise; no element is wider than 16 bytes.
    unsafe { ptr::copy_nonoverlapping(from.0, bytes.as_mut_ptr(), dtype.size()) };
    match Scalar::from_bytes(dtype, bytes) {
        Scalar::F32(x) => Some(C128::new(x.into(), 0.0)),
        Scalar::F64(x) => Some(C128::new(x, 0.0)),
        Scalar::C64(x) => Some(C128::new(x.re.into(), x.im.into())),
        Scalar::C128(x) => Some(x),
        _ => None,
    }
}
