//! Random numbers, for `situ.random`: arrays filled from a place in a stream.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use situ_ir::random::{Distribution, Stream};
use situ_types::DType;

use crate::args::wide_integer;
use crate::gil;
use crate::operands::tensor;

/// Fills an array, of float32 or float64 and for 'bits' of unsigned integers; how many blocks of the stream that takes.
#[pyfunction]
fn draw(out: &Bound<'_, PyAny>, distribution: &str, key: u64, counter: u128) -> PyResult<usize> {
    use Distribution::*;
    let array = tensor(out, "random", "out")?;
    let is_single = matches!(array.dtype(), DType::F32 | DType::U32);
    let distribution = match (distribution, is_single) {
        ("bits", true) => Bits32,
        ("bits", false) => Bits64,
        ("uniform", true) => Uniform32,
        ("uniform", false) => Uniform64,
        ("normal", true) => Normal32,
        ("normal", false) => Normal64,
        ("exponential", true) => Exponential32,
        ("exponential", false) => Exponential64,
        (other, _) => return Err(PyValueError::new_err(format!("random: there is no distribution {other:?}"))),
    };
    let work = || Ok(array.draw(Stream { key, counter }, distribution)?);
    gil::released_if(gil::is_long_with(array), out.py(), work)
}

/// Fills an array with integers from `low` on and below `high`; how many blocks of the stream that takes.
#[pyfunction]
fn draw_integers(
    out: &Bound<'_, PyAny>,
    low: &Bound<'_, PyAny>,
    high: &Bound<'_, PyAny>,
    key: u64,
    counter: u128,
) -> PyResult<usize> {
    let array = tensor(out, "integers", "out")?;
    let (low, high) = (wide_integer(low)?, wide_integer(high)?);
    let work = || Ok(array.draw_integers(Stream { key, counter }, low, high)?);
    gil::released_if(gil::is_long_with(array), out.py(), work)
}

/// The key of another stream, unrelated to the one with this key.
#[pyfunction]
fn child_key(key: u64, number: u64) -> u64 {
    Stream { key, counter: 0 }.child_key(number)
}

/// Puts the functions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(draw, module)?)?;
    module.add_function(wrap_pyfunction!(draw_integers, module)?)?;
    module.add_function(wrap_pyfunction!(child_key, module)?)
}
