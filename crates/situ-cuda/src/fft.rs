//! Fourier transforms: what is brought to scratch memory before cuFFT's calls, and from there after them.

use situ_codegen::fft::{Elements, conjugates, scaled_copy, zeros};
use situ_codegen::work_for;
use situ_hal::{Address, Command, Elementwise, Fft, FftKind, HalError, Result, Sequences};
use situ_types::{DType, Dims, Strides};

use crate::copy::{copy, fill};
use crate::dft::{Dft, dense};
use crate::stream::Stream;
use crate::work::launch_all;

/// Scratch memory is divided into pieces that begin at multiples of so many bytes, as the driver's own allocations do.
const ALIGNED: usize = 256;

/// A command with what it needs.
#[derive(Debug)]
pub(crate) struct Transform<'a> {
    command: &'a Fft,
    dft: Dft,
    workspace: usize,
}

impl<'a> Transform<'a> {
    /// What a command needs on the stream's device, which has been entered.
    pub(crate) fn new(stream: &Stream, command: &'a Fft) -> Result<Transform<'a>> {
        let dft = Dft::of(command);
        let workspace = stream.device.cufft.workspace(&dft.shape)?;
        Ok(Transform { command, dft, workspace })
    }

    /// Where in scratch memory the copy of the input is, what the library writes to, and what it works in; and the end.
    fn pieces(&self) -> [usize; 4] {
        let sizes = [self.dft.input_bytes(self.command), self.dft.out_bytes(self.command), self.workspace];
        let mut starts = [0; 4];
        for (n, size) in sizes.into_iter().enumerate() {
            starts[n + 1] = starts[n] + size.next_multiple_of(ALIGNED);
        }
        starts
    }

    /// Bytes of scratch memory.
    pub(crate) fn scratch(&self) -> usize {
        // It need not begin at a multiple.
        match self.pieces()[3] {
            0 => 0,
            bytes => bytes + ALIGNED,
        }
    }

    /// Puts everything into the stream.
    ///
    /// # Safety
    ///
    /// The command's sequences are valid for what it does with them until the stream has come past it, and so is the scratch
    /// memory. The device has been entered.
    pub(crate) unsafe fn submit(&self, stream: &Stream, scratch: Address) -> Result<()> {
        let Transform { command, ref dft, .. } = *self;
        let start = scratch.offset((scratch.value().next_multiple_of(ALIGNED) - scratch.value()) as isize);
        let pieces = self.pieces().map(|piece| start.offset(piece as isize));
        let reads = command.kind.reads(command.length);
        let writes = command.kind.writes(command.length);
        let copied = dense(&command.batch, reads, pieces[0]);
        let made = dense(&command.batch, writes, pieces[1]);
        // SAFETY: the caller's promise, for each; pieces of the scratch memory are as large as what goes there.
        unsafe {
            if dft.copies_input {
                self.copy_input(stream, &copied)?;
            }
            let input = if dft.copies_input { copied.address } else { command.input.address };
            let out = if dft.copies_out { made.address } else { command.out.address };
            stream.device.cufft.transform(stream, &dft.shape, &dft.moves, [input, out], pieces[2])?;
            let own = &command.out;
            let count = (command.length - 1) / 2;
            if command.kind == FftKind::RealWhole && count > 0 {
                launch(stream, mirrored(command, if dft.copies_out { &made } else { own }, count))?;
            }
            if dft.copies_out {
                launch(stream, moved(command, command.out_dtype(), writes, &made, own, command.scale))?;
            } else if command.scale != 1.0 {
                launch(stream, moved(command, command.out_dtype(), writes, own, own, command.scale))?;
            }
        }
        Ok(())
    }

    /// Brings the input to scratch memory, zeros after it.
    ///
    /// # Safety
    ///
    /// As for [`Self::submit`].
    unsafe fn copy_input(&self, stream: &Stream, to: &Sequences) -> Result<()> {
        let Fft { kind, length, given, ref input, .. } = *self.command;
        let (dtype, reads) = (self.command.input_dtype(), kind.reads(length));
        let bytes = self.dft.input_bytes(self.command);
        let is_dense = given == reads && input.step == 1 && input.batch_steps == to.batch_steps;
        // SAFETY: the caller's promise; so many bytes are the copy's.
        unsafe {
            if given < reads {
                fill(stream, to.address, [0; 16], 1, bytes)?;
            }
            if is_dense {
                copy(stream, to.address, input.address, bytes)?;
            } else {
                launch(stream, moved(self.command, dtype, given, input, to, 1.0))?;
            }
        }
        if kind != FftKind::RealInverse {
            return Ok(());
        }
        // Imaginary parts that do not count: of the first element, and of the last where the length is even.
        let ends = if length.is_multiple_of(2) { 2 } else { 1 };
        let part = dtype.real_part();
        let shape: Dims = self.command.batch.iter().copied().chain([ends]).collect();
        let steps: Strides = to.batch_steps.iter().map(|step| 2 * step).chain([2 * (reads as isize - 1)]).collect();
        let address = to.address.offset(part.size() as isize);
        // SAFETY: as above.
        unsafe { launch(stream, zeros(part, &shape, Elements { address, steps: &steps })) }
    }
}

/// The conjugates of the second and the following elements of sequences to their ends, backwards.
fn mirrored(command: &Fft, sequences: &Sequences, count: usize) -> Elementwise {
    let dtype = command.complex();
    let (width, step) = (dtype.size() as isize, sequences.step);
    let shape: Dims = command.batch.iter().copied().chain([count]).collect();
    let steps = |step: isize| sequences.batch_steps.iter().copied().chain([step]).collect::<Strides>();
    let (forwards, backwards) = (steps(step), steps(-step));
    let at = |n: usize| sequences.address.offset(n as isize * step * width);
    let from = Elements { address: at(1), steps: &forwards };
    conjugates(dtype, &shape, from, Elements { address: at(command.length - 1), steps: &backwards })
}

/// The first elements of sequences to others, multiplied by a number.
fn moved(command: &Fft, dtype: DType, length: usize, from: &Sequences, to: &Sequences, factor: f64) -> Elementwise {
    let shape: Dims = command.batch.iter().copied().chain([length]).collect();
    let steps = |of: &Sequences| of.batch_steps.iter().copied().chain([of.step]).collect::<Strides>();
    let (from_steps, to_steps) = (steps(from), steps(to));
    let from = Elements { address: from.address, steps: &from_steps };
    scaled_copy(dtype, &shape, from, Elements { address: to.address, steps: &to_steps }, factor)
}

/// # Safety
///
/// The command's operands are valid for what it does with them until the stream has come past it. The device has been
/// entered.
unsafe fn launch(stream: &Stream, command: Elementwise) -> Result<()> {
    let work = work_for(&Command::Elementwise(command), &stream.device.facts.limits)?;
    if work.scratch > 0 {
        let detail = "a copy asked for scratch memory; this is a bug in situ".into();
        return Err(HalError::Failed { operation: "Fourier transform".into(), detail });
    }
    // SAFETY: the caller's promise; no scratch memory is asked for.
    unsafe { launch_all(stream, &work, 0) }
}
