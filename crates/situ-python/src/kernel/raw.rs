//! Kernels in the languages of devices.

use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_runtime::{Event, RawKernel};
use situ_tensor::{RawArg, RawGeometry};
use situ_types::Scalar;
use smallvec::SmallVec;

use super::cache::lengths;
use super::operand::{Operand, number};
use crate::args::shown;
use crate::array::PyArray;
use crate::errors::Raised;
use crate::event::{PyEvent, events};
use crate::queue::PyQueue;

/// A function in a text for a device's own compiler.
#[pyclass(name = "RawKernel", module = "situ._native.kernels", frozen)]
#[derive(Debug)]
pub(super) struct PyRawKernel(Arc<RawKernel>);

/// An argument.
enum Given<'a, 'py> {
    Array(&'a Bound<'py, PyArray>),
    Number(Scalar),
}

impl<'a, 'py> Given<'a, 'py> {
    fn parse(kernel: &str, n: usize, object: &'a Bound<'py, PyAny>) -> PyResult<Given<'a, 'py>> {
        if let Ok(array) = object.cast::<PyArray>() {
            return Ok(Given::Array(array));
        }
        match number(object)? {
            Some(Operand::Strong(scalar)) => Ok(Given::Number(scalar)),
            Some(weak @ Operand::Weak(number)) => {
                Ok(Given::Number(number.to_scalar(weak.of_type().dtype).map_err(Raised::from)?))
            }
            _ => Err(PyTypeError::new_err(format!(
                "kernel {kernel}: argument {n} is {}; it takes arrays of situ.tensor, NumPy scalars and Python numbers",
                shown(object)
            ))),
        }
    }

    fn arg(&self) -> RawArg<'_> {
        match self {
            Given::Array(array) => RawArg::Array(array.get().tensor()),
            Given::Number(scalar) => RawArg::Scalar(*scalar),
        }
    }
}

/// Blocks or threads along x, y and z.
fn along_axes(object: &Bound<'_, PyAny>, what: &str) -> PyResult<[u32; 3]> {
    let given = lengths(object, what)?;
    let mut all = [1; 3];
    if given.is_empty() || given.len() > all.len() {
        return Err(PyValueError::new_err(format!("{what} has 1 to 3 axes, not {}", given.len())));
    }
    for (axis, length) in all.iter_mut().zip(&given) {
        *axis = u32::try_from(*length).map_err(|_| PyValueError::new_err(format!("{what}: {length} is too many")))?;
    }
    Ok(all)
}

#[pymethods]
impl PyRawKernel {
    #[new]
    fn new(source: &str, name: &str, options: Vec<String>) -> PyRawKernel {
        PyRawKernel(Arc::new(RawKernel::new(source, name, &options)))
    }

    /// The function of that name in a module of SPIR-V.
    #[staticmethod]
    fn from_spirv(module: &[u8], name: &str, options: Vec<String>) -> PyRawKernel {
        PyRawKernel(Arc::new(RawKernel::from_spirv(module, name, &options)))
    }

    /// Compiles it for a queue's device: the number of parameters, the most threads of a block, what blocks are best
    /// multiples of, and the bytes of a thread.
    fn inspect(&self, py: Python<'_>, queue: &Bound<'_, PyQueue>) -> PyResult<(u32, usize, usize, u64)> {
        let queue = queue.get().0.clone();
        let facts = py.detach(|| queue.inspect(&self.0)).map_err(Raised::from)?;
        Ok((facts.parameters, facts.group_size, facts.group_multiple, facts.private_bytes))
    }

    /// Launches it over a grid of blocks; its event.
    fn launch(
        &self,
        py: Python<'_>,
        grid: &Bound<'_, PyAny>,
        block: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        shared_mem: u32,
        after: &Bound<'_, PyAny>,
    ) -> PyResult<PyEvent> {
        let (grid, block) = (along_axes(grid, "a grid")?, along_axes(block, "a block")?);
        let objects: SmallVec<[Bound<'_, PyAny>; 8]> = args.iter().collect();
        let parsed = objects.iter().enumerate().map(|(n, object)| Given::parse(self.0.name(), n, object));
        let given: SmallVec<[Given<'_, '_>; 8]> = parsed.collect::<PyResult<_>>()?;
        let args: SmallVec<[RawArg<'_>; 8]> = given.iter().map(Given::arg).collect();
        let after: Vec<Event> = if after.is_none() { Vec::new() } else { events(after, "dependent_events")? };
        let geometry = RawGeometry { grid, block, shared: shared_mem };
        let launched = py.detach(|| situ_tensor::raw_launch(&self.0, geometry, &args, &after));
        Ok(launched.map_err(Raised::from)?.into())
    }
}
