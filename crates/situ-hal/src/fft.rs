//! Discrete Fourier transforms.

use situ_types::{DType, Dims, Strides};

use crate::Address;

/// What is transformed into what. With w = exp(-2πi / n), element k of a forward transform of x is the sum of
/// x\[j\] · w^(jk) over all j, and that of an inverse one the sum of x\[j\] · w^(-jk).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FftKind {
    /// Forward, n complex numbers to n complex numbers.
    Forward,
    /// Inverse, n complex numbers to n complex numbers.
    Inverse,
    /// Forward, n real numbers to the first n/2 + 1 complex numbers: the others are their conjugates.
    RealForward,
    /// Forward, n real numbers to n complex numbers.
    RealWhole,
    /// Inverse, n/2 + 1 complex numbers, whose conjugates are the others, to n real numbers. The imaginary parts of the
    /// first, and of the last where n is even, do not count.
    RealInverse,
}

/// Sequences in memory, one for each point of a batch.
#[derive(Clone, Debug)]
pub struct Sequences {
    /// The first element of the first of them.
    pub address: Address,
    /// Elements from one of a sequence to the next.
    pub step: isize,
    /// Elements from a sequence to the next, along each axis of the batch.
    pub batch_steps: Strides,
}

/// Fourier transforms of sequences, one for each point of a batch. No two elements of the results share memory, and the batch
/// and the sequences that are given have no length 0. What is read overlaps nothing that is written, unless both are
/// complex and the sequences of the two begin at the same places with the same steps.
#[derive(Clone, Debug)]
pub struct Fft {
    /// What is transformed into what.
    pub kind: FftKind,
    /// The dtype of the real numbers, and of the parts of the complex ones: float32 or float64.
    pub dtype: DType,
    /// The number n of the transform's definition.
    pub length: usize,
    /// How many elements each sequence has that are read, not more than the kind reads; zeros follow them.
    pub given: usize,
    /// What every result is multiplied by.
    pub scale: f64,
    /// Axes along which there is a transform each; none for a single one.
    pub batch: Dims,
    /// What is transformed.
    pub input: Sequences,
    /// Where the results go.
    pub out: Sequences,
}

impl FftKind {
    /// Whether real numbers are read.
    pub fn is_from_real(self) -> bool {
        matches!(self, FftKind::RealForward | FftKind::RealWhole)
    }

    /// Whether the sign of the exponent is positive.
    pub fn is_inverse(self) -> bool {
        matches!(self, FftKind::Inverse | FftKind::RealInverse)
    }

    /// How many elements a transform of this length reads.
    pub fn reads(self, length: usize) -> usize {
        if self == FftKind::RealInverse { length / 2 + 1 } else { length }
    }

    /// How many elements a transform of this length writes.
    pub fn writes(self, length: usize) -> usize {
        if self == FftKind::RealForward { length / 2 + 1 } else { length }
    }
}

impl Fft {
    /// The complex dtype whose parts the real numbers are.
    pub fn complex(&self) -> DType {
        if self.dtype == DType::F32 { DType::C64 } else { DType::C128 }
    }

    /// The dtype of what is read.
    pub fn input_dtype(&self) -> DType {
        if self.kind.is_from_real() { self.dtype } else { self.complex() }
    }

    /// The dtype of what is written.
    pub fn out_dtype(&self) -> DType {
        if self.kind == FftKind::RealInverse { self.dtype } else { self.complex() }
    }

    /// Number of sequences.
    pub fn count(&self) -> usize {
        self.batch.iter().product()
    }

    /// Whether the results take the place of what is read.
    pub fn is_in_place(&self) -> bool {
        self.input.address == self.out.address
    }
}
