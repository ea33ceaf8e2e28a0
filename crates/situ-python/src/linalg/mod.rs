//! Linear algebra: `situ.tensor.linalg`.

mod decompose;
mod equations;
mod norms;
mod products;

use pyo3::prelude::*;
use situ_tensor::{Result, Tensor};

use crate::array::PyArray;
use crate::gil;

type Object<'a, 'py> = &'a Bound<'py, PyAny>;
type Optional<'a, 'py> = Option<Object<'a, 'py>>;
type Array<'py> = PyResult<Bound<'py, PyArray>>;

/// More elements than this take a while: what is done with a matrix takes some hundred operations for each.
const FEW_ELEMENTS: usize = 256;

/// What comes of some work over an array.
fn worked<T: Send>(py: Python<'_>, source: &Tensor, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    let takes_long = source.size() > FEW_ELEMENTS || source.queue().is_remote();
    gil::released_if(takes_long, py, || Ok(work()?))
}

/// The larger of two arrays, which says how long work takes.
fn larger<'a>(a: &'a Tensor, b: &'a Tensor) -> &'a Tensor {
    if a.size() > b.size() { a } else { b }
}

/// A new array made of one.
fn made<'py>(py: Python<'py>, source: &Tensor, make: impl FnOnce() -> Result<Tensor> + Send) -> Array<'py> {
    PyArray::new(worked(py, source, make)?).into_object(py)
}

macro_rules! add {
    ($module:expr, $from:ident: $($name:ident)*) => {
        $($module.add_function(wrap_pyfunction!($from::$name, $module)?)?;)*
    };
}

/// The functions of `situ.tensor.linalg`, whose names are public there as soon as they are here.
pub(crate) fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    let module = &PyModule::new(py, "situ.tensor.linalg")?;
    add!(module, equations: cholesky det inv slogdet solve tensorinv tensorsolve);
    add!(module, decompose: eig eigh eigvals eigvalsh qr svd svdvals);
    add!(module, norms: cond lstsq matrix_norm matrix_rank norm pinv vector_norm);
    add!(module, products: cross diagonal matrix_power multi_dot outer trace);
    Ok(module.clone())
}
