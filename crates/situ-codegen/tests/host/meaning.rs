//! What results should be: the meaning in Rust, one element at a time, in bytes.

use situ_ir::{Program, interpret};
use situ_types::{DType, Scalar};

/// An element's bytes, padded to 16.
pub type Bytes = [u8; 16];

/// One element converted.
pub fn cast(from: DType, to: DType, value: Bytes) -> Bytes {
    interpret::cast(Scalar::from_bytes(from, value), to).to_bytes()
}

/// One element of every output of a program.
pub fn evaluate(program: &Program, inputs: &[Bytes]) -> Vec<Bytes> {
    let scalars = program.inputs().iter().zip(inputs).map(|(&dtype, &bytes)| Scalar::from_bytes(dtype, bytes));
    let results = program.evaluate(&scalars.collect::<Vec<_>>()).expect("the program is well formed");
    results.into_iter().map(Scalar::to_bytes).collect()
}

/// Whether two elements are the same, bit by bit but for the bits of a NaN.
pub fn same(dtype: DType, a: &[u8], b: &[u8]) -> bool {
    element(dtype, a).is_identical(element(dtype, b))
}

fn element(dtype: DType, bytes: &[u8]) -> Scalar {
    let mut padded = [0; 16];
    padded[..dtype.size()].copy_from_slice(&bytes[..dtype.size()]);
    Scalar::from_bytes(dtype, padded)
}

/// An element in words.
pub fn shown(dtype: DType, bytes: &[u8]) -> String {
    let part = |bytes: &[u8]| match element(dtype.real_part(), bytes) {
        Scalar::F16(value) => format!("{value:e} ({:#x})", value.to_bits()),
        Scalar::F32(value) => format!("{value:e} ({:#x})", value.to_bits()),
        Scalar::F64(value) => format!("{value:e} ({:#x})", value.to_bits()),
        other => format!("{other:?}"),
    };
    bytes[..dtype.size()].chunks(dtype.real_part().size()).map(part).collect::<Vec<_>>().join(" + i ")
}
