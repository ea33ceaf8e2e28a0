//! situ's Python bindings: `situ._native`.
//!
//! `args` is the one door arguments come in through, `errors` the one table exceptions go out by. Everything else is
//! thin: a binding parses, calls one function of the crates below, and wraps what comes back.

#[macro_use]
mod doc;

mod args;
mod array;
mod composed;
mod context;
mod creation;
mod cuda_interface;
mod device;
mod dlpack;
mod dtypes;
mod elementwise;
mod errors;
mod event;
mod expression;
mod faults;
mod fft;
mod foreign;
mod function;
mod gil;
mod indexing;
mod interface;
mod kernel;
mod linalg;
mod manipulate;
mod memory;
mod numpy_array;
mod offload;
mod operands;
mod place;
mod platform;
mod pools;
mod product;
mod program;
mod queue;
mod random;
mod raw_buffer;
mod reduce;
mod sets;
mod sort;
mod system;
mod wait;

use pyo3::prelude::*;

/// The native half of the `situ` package.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    errors::register(module)?;
    platform::register(module)?;
    device::register(module)?;
    context::register(module)?;
    queue::register(module)?;
    event::register(module)?;
    memory::register(module)?;
    pools::register(module)?;
    place::register(module)?;
    array::register(module)?;
    offload::register(module)?;
    function::register_class(module)?;
    program::register(module)?;
    expression::register(module)?;
    random::register(module)?;
    system::register(module)?;
    faults::register(module)?;
    module.add("kernels", kernel::module(module.py())?)?;
    module.add("fft", fft::module(module.py())?)?;
    module.add("linalg", linalg::module(module.py())?)?;
    module.add("tensor", tensor(module.py())?)
}

/// The functions of `situ.tensor`, whose names are public there as soon as they are here.
fn tensor(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    let module = PyModule::new(py, "situ.tensor")?;
    creation::register(&module)?;
    dtypes::register(&module)?;
    dlpack::register(&module)?;
    function::register(&module)?;
    composed::register(&module)?;
    indexing::register(&module)?;
    manipulate::register(&module)?;
    reduce::register(&module)?;
    sort::register(&module)?;
    sets::register(&module)?;
    product::register(&module)?;
    Ok(module)
}
