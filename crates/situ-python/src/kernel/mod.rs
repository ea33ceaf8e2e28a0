//! Kernels that users write: `situ._native.kernels`, which the Python front end of `situ.kernels` is written with.
//!
//! `operand` says what the operands of an expression are, `builder` and `arithmetic` make kernels of them, `handle` is a
//! kernel that is finished, and `cache` holds the kernels of one Python function and launches them. `raw` is for those in a
//! device's own language.

mod arithmetic;
mod builder;
mod cache;
mod handle;
mod operand;
mod raw;
mod types;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_ir::Op;
use situ_ir::kernel::KernelError;

use crate::errors::KernelCompileError;

/// What is wrong with a kernel, for the front end to say where.
fn refused(error: impl std::fmt::Display) -> PyErr {
    KernelCompileError::new_err(error.to_string())
}

/// A result of the builder on its way to Python.
fn built<T>(result: Result<T, KernelError>) -> PyResult<T> {
    result.map_err(refused)
}

/// The module.
pub(crate) fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    let module = PyModule::new(py, "situ._native.kernels")?;
    module.add_class::<builder::PyBuilder>()?;
    module.add_class::<operand::PyValue>()?;
    module.add_class::<builder::PyVariable>()?;
    module.add_class::<builder::PyKernelArray>()?;
    module.add_class::<handle::PyKernel>()?;
    module.add_class::<cache::PyCache>()?;
    module.add_class::<cache::PyLauncher>()?;
    module.add_class::<cache::PyLocal>()?;
    module.add_class::<raw::PyRawKernel>()?;
    module.add_function(wrap_pyfunction!(types::type_of, &module)?)?;
    module.add_function(wrap_pyfunction!(types::join, &module)?)?;
    module.add_function(wrap_pyfunction!(types::type_name, &module)?)?;
    module.add("OPS", PyTuple::new(py, Op::ALL.iter().map(|op| (op.name(), op.arity())))?)?;
    Ok(module)
}
