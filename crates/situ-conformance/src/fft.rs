//! Fourier transforms, against the null device, which computes them by their definition.
//!
//! Every device rounds in its own way, so that results may differ by as much as rounding makes of the sum of all elements.

use situ_hal::{Address, Command, Fft, FftKind, HalError, Sequences};
use situ_types::{DType, Scalar};

use crate::Source;
use crate::bench::{Bench, Operand, finish};
use crate::layout::Layout;

/// The parts of the elements in memory.
fn parts(contents: &[u8], dtype: DType) -> Vec<f64> {
    let part = dtype.real_part();
    let number = |bytes: &[u8]| {
        let mut padded = [0; 16];
        padded[..bytes.len()].copy_from_slice(bytes);
        match Scalar::from_bytes(part, padded) {
            Scalar::F32(x) => x.into(),
            Scalar::F64(x) => x,
            _ => f64::NAN,
        }
    };
    contents.chunks(part.size()).map(number).collect()
}

/// An element whose parts are from -1 to 1.
fn element(source: &mut Source, dtype: DType) -> [u8; 16] {
    let part = dtype.real_part();
    let mut bytes = [0; 16];
    for place in bytes[..dtype.size()].chunks_mut(part.size()) {
        let number = source.below(2001) as f64 / 1000.0 - 1.0;
        let number = if part == DType::F32 { Scalar::F32(number as f32) } else { Scalar::F64(number) };
        place.copy_from_slice(&number.to_bytes()[..part.size()]);
    }
    bytes
}

/// What a device makes of the command; `None` where it has no such transforms.
fn run(bench: &Bench, operands: &[Operand], make: &dyn Fn(&[Address]) -> Command) -> Option<Vec<Vec<u8>>> {
    let blocks: Vec<_> = operands.iter().map(|operand| bench.upload(operand.kind, &operand.contents)).collect();
    let addresses: Vec<Address> = blocks.iter().map(|block| block.address).collect();
    // SAFETY: the command is over its operands, which stay until it is over.
    match unsafe { bench.queue.submit(&make(&addresses), &[]) } {
        Err(HalError::Unsupported { .. }) => return None,
        done => finish(match done.unwrap() {
            situ_hal::Completion::Done => None,
            situ_hal::Completion::Event(event) => Some(event),
        }),
    }
    Some(blocks.iter().map(|block| block.read()).collect())
}

/// Transforms of a kind in any layout.
fn check(bench: &Bench, source: &mut Source, kind: FftKind, dtype: DType, length: usize, batch: &[usize]) {
    if !bench.knows(dtype) {
        return;
    }
    let (reads, writes) = (kind.reads(length), kind.writes(length));
    let given = if source.below(3) == 0 { 1 + source.below(reads) } else { reads };
    let scale = source.pick(&[1.0, 1.0, 1.0 / length as f64]);
    let is_in_place = matches!(kind, FftKind::Forward | FftKind::Inverse) && source.below(3) == 0;
    let shape = |length: usize| [batch, &[length]].concat();
    let layouts = [Layout::any(source, &shape(given), true), Layout::any(source, &shape(writes), false)];
    let nowhere = Address(std::ptr::null_mut());
    let (input, out) = {
        let address = nowhere;
        let empty = || Sequences { address, step: 1, batch_steps: Default::default() };
        let (input, out) = (empty(), empty());
        let known = Fft { kind, dtype, length, given, scale, batch: batch.into(), input, out };
        (known.input_dtype(), known.out_dtype())
    };
    let operands = [(0, input), (1, out)].map(|(n, dtype)| layouts[n].filled(source, dtype, |s, _| element(s, dtype)));
    let make = |addresses: &[Address]| {
        let sequences = |n: usize, dtype: DType| {
            let (step, batch_steps) = layouts[n].steps.split_last().unwrap();
            let address = addresses[n].offset(layouts[n].start(dtype.size()));
            Sequences { address, step: *step, batch_steps: batch_steps.into() }
        };
        let to = sequences(1, out);
        let from = if is_in_place { to.clone() } else { sequences(0, input) };
        Command::Fft(Box::new(Fft { kind, dtype, length, given, scale, batch: batch.into(), input: from, out: to }))
    };
    let Some(found) = run(bench, &operands, &make) else { return };
    let wanted = run(&Bench::reference(), &operands, &make).unwrap();
    assert!(found[0] == wanted[0], "the input was changed by {:#?}", make(&[nowhere; 2]));
    let epsilon = if dtype == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    // No part of an element is greater than 1.
    let limit = epsilon * (64 + 4 * length) as f64 * length as f64 * scale.max(1.0 / length as f64);
    for (n, (found, wanted)) in parts(&found[1], out).into_iter().zip(parts(&wanted[1], out)).enumerate() {
        let is_close = (found - wanted).abs() <= limit;
        assert!(is_close, "part {n} is {found}, not {wanted}, after {:#?}", make(&[nowhere; 2]));
    }
}

/// Every kind and precision, of lengths of every sort, in any layout.
pub(crate) fn transforms(bench: &Bench) {
    const KINDS: [FftKind; 5] =
        [FftKind::Forward, FftKind::Inverse, FftKind::RealForward, FftKind::RealWhole, FftKind::RealInverse];
    let mut source = Source(31);
    for dtype in [DType::F32, DType::F64] {
        for kind in KINDS {
            for length in [1, 2, 3, 4, 5, 7, 12, 16, 30, 37, 64, 97, 100, 128, 243, 256] {
                check(bench, &mut source, kind, dtype, length, &[]);
                let batch = source.pick(&[&[3][..], &[7], &[2, 3], &[2, 5, 2], &[33]]);
                check(bench, &mut source, kind, dtype, length, batch);
            }
            check(bench, &mut source, kind, dtype, 1024, &[2]);
            check(bench, &mut source, kind, dtype, 1031, &[1]);
        }
    }
}
