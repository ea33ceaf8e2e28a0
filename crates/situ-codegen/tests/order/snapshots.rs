//! Some kernels as they are read by people.

use situ_codegen::Dialect;
use situ_hal::{Command, RunSelect, Sort};
use situ_types::DType;

use crate::host::runner::{at, gpu_work, strided};
use crate::host::snapshots::compare;

fn sort(length: usize) -> Command {
    Command::Sort(Box::new(Sort {
        shape: [length][..].into(),
        dtype: DType::F32,
        input: strided(64, &[1]),
        descending: false,
        count: length,
        values: Some(strided(64, &[1])),
        indices: Some(strided(64, &[1])),
    }))
}

#[test]
fn texts_are_as_they_were() {
    let long = gpu_work(&sort(1 << 20));
    compare(&long, 0, Dialect::Cuda, "sort_digits_f32.cu");
    compare(&long, 2, Dialect::Cuda, "sort_radix_f32.cu");
    compare(&gpu_work(&sort(1000)), 0, Dialect::OpenCl, "sort_rows_f32.cl");
    let runs = RunSelect {
        dtype: DType::F32,
        sorted: at(64),
        length: 1 << 20,
        capacity: 1 << 10,
        positions: None,
        values: Some(at(64)),
        firsts: None,
        counts: Some(at(64)),
        inverse: None,
    };
    compare(&gpu_work(&Command::RunSelect(Box::new(runs))), 0, Dialect::Cuda, "runs_f32.cu");
}
