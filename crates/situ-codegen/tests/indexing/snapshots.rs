//! Some kernels as they are read by people.

use situ_codegen::Dialect;
use situ_hal::{Command, IndexMode, IndexOperand, Indexed, MaskSelect, Taken};
use situ_types::{DType, Dims};
use smallvec::smallvec;

use crate::host::runner::{at, strided, work};
use crate::host::snapshots::compare;

fn indexed(size: usize, length: usize, asks: bool) -> Box<Indexed> {
    let (indices, dtype, mode) = (strided(64, &[1]), DType::I64, IndexMode::Checked);
    let operand = IndexOperand { indices, dtype, length, step: 1, mode, verdict: asks.then(|| at(64)) };
    let (array, elements) = (strided(64, &[0]), strided(64, &[1]));
    Box::new(Indexed { shape: smallvec![size], width: 4, array, elements, indices: smallvec![operand] })
}

#[test]
fn texts_are_as_they_were() {
    let gather = work(&Command::Gather(indexed(1000, 99, true)));
    compare(&gather, 0, Dialect::Cuda, "gather_4.cu");
    let scatter = work(&Command::Scatter(indexed(1 << 24, 1 << 26, false)));
    compare(&scatter, 1, Dialect::Cuda, "scatter_4_to_bins.cu");
    compare(&scatter, 2, Dialect::Cuda, "scatter_4_bins.cu");
    let (shape, mask) = (Dims::from_slice(&[100_000]), strided(64, &[1]));
    let taken = Taken::Elements { array: mask.clone(), width: 4 };
    let select = MaskSelect { shape, mask, taken, out: at(64), capacity: 50_000 };
    compare(&work(&Command::MaskSelect(Box::new(select))), 2, Dialect::OpenCl, "mask_select_4.cl");
}
