//! A kernel that is finished.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use situ_codegen::Dialect;
use situ_ir::kernel::{Kernel, Parameter};

/// A kernel for one combination of argument types.
#[pyclass(name = "Kernel", module = "situ._native.kernels", frozen)]
#[derive(Clone, Debug)]
pub(super) struct PyKernel(pub(super) Arc<Kernel>);

impl PyKernel {
    pub(super) fn new(kernel: Kernel) -> PyKernel {
        PyKernel(Arc::new(kernel))
    }
}

#[pymethods]
impl PyKernel {
    /// What it is called.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// How many axes its range has.
    #[getter]
    fn axes(&self) -> usize {
        self.0.axes()
    }

    /// Whether it has to be launched with work-groups.
    #[getter]
    fn needs_groups(&self) -> bool {
        self.0.needs_groups()
    }

    /// Whether the kernel writes to each of its parameters.
    #[getter]
    fn written(&self) -> Vec<bool> {
        let is_written = |parameter: &Parameter| match parameter {
            Parameter::Array(array) => self.0.array(*array).is_written,
            Parameter::Scalar(..) => false,
        };
        self.0.parameters().iter().map(is_written).collect()
    }

    /// Its text in a language of the C family.
    fn text(&self, language: &str) -> PyResult<String> {
        let dialect = match language {
            "cuda" => Dialect::Cuda,
            "opencl" => Dialect::OpenCl,
            other => return Err(PyValueError::new_err(format!("no kernel has a text in {other:?}"))),
        };
        Ok(situ_codegen::inspect(&self.0, dialect))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }
}
