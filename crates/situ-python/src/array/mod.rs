//! `situ.tensor.ndarray`: the class. Its methods are in the modules beside.

mod attributes;
mod conversion;
mod interchange;
mod operators;
mod printing;

use std::sync::OnceLock;

use pyo3::prelude::*;
use situ_tensor::Tensor;

/// An N-dimensional array in USM memory, associated with a queue.
#[pyclass(name = "ndarray", module = "situ.tensor", frozen, freelist = 64)]
#[derive(Debug)]
pub(crate) struct PyArray(Form);

/// What an array is, and what it became when its shape or flags were set. Earlier forms stay, because other threads may
/// be reading them without holding the interpreter.
#[derive(Debug)]
struct Form {
    tensor: Tensor,
    next: OnceLock<Box<Form>>,
}

impl Form {
    fn new(tensor: Tensor) -> Form {
        Form { tensor, next: OnceLock::new() }
    }

    fn last(&self) -> &Form {
        let mut form = self;
        while let Some(next) = form.next.get() {
            form = next;
        }
        form
    }
}

impl PyArray {
    pub(crate) fn new(tensor: Tensor) -> PyArray {
        PyArray(Form::new(tensor))
    }

    #[inline]
    pub(crate) fn tensor(&self) -> &Tensor {
        match self.0.next.get() {
            None => &self.0.tensor,
            Some(next) => &next.last().tensor,
        }
    }

    /// Gives the array another layout over the same memory, or other flags.
    #[expect(dead_code, reason = "the setters of shape and flags use it")]
    pub(crate) fn transform(&self, tensor: Tensor) {
        let mut new = Box::new(Form::new(tensor));
        while let Err(back) = self.0.last().next.set(new) {
            new = back;
        }
    }
}

/// Puts the class and its functions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyArray>()?;
    conversion::register(module)
}
