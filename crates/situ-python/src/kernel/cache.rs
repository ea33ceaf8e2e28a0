//! The kernels of one Python function, by the types of its arguments, and their launch.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyTuple};
use situ_ir::kernel::{Kernel, NdRange};
use situ_runtime::Event;
use situ_tensor::KernelArg;
use situ_types::{DType, Dims, Scalar};
use smallvec::SmallVec;

use super::handle::PyKernel;
use super::operand::{Operand, number};
use super::types::Type;
use crate::args::{dtype, dtype_object, shown};
use crate::array::PyArray;
use crate::errors::Raised;
use crate::event::{PyEvent, events};
use crate::wait;

/// An array of each work-group, as an argument.
#[pyclass(name = "Local", module = "situ._native.kernels", frozen)]
#[derive(Clone, Debug)]
pub(super) struct PyLocal {
    shape: Dims,
    dtype: DType,
}

#[pymethods]
impl PyLocal {
    #[new]
    fn new(shape: Vec<usize>, of: &Bound<'_, PyAny>) -> PyResult<PyLocal> {
        Ok(PyLocal { shape: Dims::from_vec(shape), dtype: dtype(of)? })
    }

    /// Of its elements.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dtype_object(py, self.dtype)
    }

    /// How many axes it has.
    #[getter]
    fn ndim(&self) -> usize {
        self.shape.len()
    }
}

/// An argument.
enum Given<'a, 'py> {
    Array(&'a Bound<'py, PyArray>),
    Local(&'a PyLocal),
    Number(Type, Scalar),
}

impl<'a, 'py> Given<'a, 'py> {
    /// `None` for what no kernel takes.
    fn parse(object: &'a Bound<'py, PyAny>) -> PyResult<Option<Given<'a, 'py>>> {
        if let Ok(array) = object.cast::<PyArray>() {
            return Ok(Some(Given::Array(array)));
        }
        if let Ok(local) = object.cast_exact::<PyLocal>() {
            return Ok(Some(Given::Local(local.get())));
        }
        let Some(operand) = number(object)? else { return Ok(None) };
        let of_type = operand.of_type();
        let scalar = match operand {
            Operand::Weak(number) => number.to_scalar(of_type.dtype).map_err(Raised::from)?,
            Operand::Strong(scalar) => scalar,
            Operand::Value(_) => return Ok(None),
        };
        Ok(Some(Given::Number(of_type, scalar)))
    }

    /// What a kernel depends on, in two bytes.
    fn key(&self) -> [u8; 2] {
        match self {
            Given::Array(array) => {
                let tensor = array.get().tensor();
                [1 << 6 | tensor.dtype() as u8, tensor.shape().len() as u8]
            }
            Given::Local(local) => [1 << 7 | local.dtype as u8, local.shape.len() as u8],
            Given::Number(of_type, _) => [of_type.code(), 0],
        }
    }

    fn arg(&self) -> KernelArg<'_> {
        match self {
            Given::Array(array) => KernelArg::Array(array.get().tensor()),
            Given::Local(local) => KernelArg::Local(&local.shape),
            Given::Number(_, scalar) => KernelArg::Scalar(*scalar),
        }
    }
}

type Key = SmallVec<[u8; 24]>;

/// The first byte of a key: the form of the range.
fn range_key(axes: usize, has_groups: bool) -> u8 {
    axes as u8 | if has_groups { 1 << 4 } else { 0 }
}

/// How many work-items, along each axis.
pub(super) fn lengths(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Dims> {
    let wrong = |object: &Bound<'_, PyAny>| {
        PyTypeError::new_err(format!("{what} is an int or a tuple of 1 to 3 ints, not {}", shown(object)))
    };
    let length = |object: &Bound<'_, PyAny>| -> PyResult<usize> {
        let number = if object.is_instance_of::<PyInt>() {
            object.clone()
        } else {
            object.call_method0("__index__").map_err(|_| wrong(object))?
        };
        let too_large = || PyValueError::new_err(format!("{what}: {} is not a number of work-items", shown(object)));
        number.extract::<usize>().map_err(|_| too_large())
    };
    match object.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter_borrowed().map(|each| length(&each)).collect(),
        Err(_) => Ok(Dims::from_slice(&[length(object)?])),
    }
}

/// The kernels that one Python function has become.
#[pyclass(name = "Cache", module = "situ._native.kernels", frozen)]
#[derive(Debug, Default)]
pub(super) struct PyCache {
    kernels: Mutex<HashMap<Key, Arc<Kernel>>>,
    hits: AtomicU64,
}

impl PyCache {
    fn find(&self, key: &Key) -> Option<Arc<Kernel>> {
        let found = self.kernels.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        if found.is_some() {
            self.hits.fetch_add(1, Ordering::Relaxed);
        }
        found
    }

    /// Launches the kernel for these arguments; `None` if there is none yet, or can be none.
    fn start(
        &self,
        py: Python<'_>,
        range: &NdRange,
        args: &Bound<'_, PyTuple>,
        after: &[Event],
    ) -> PyResult<Option<Event>> {
        let objects: SmallVec<[Bound<'_, PyAny>; 8]> = args.iter().collect();
        let mut key = Key::from_slice(&[range_key(range.axes(), range.local().is_some())]);
        let mut given: SmallVec<[Given<'_, '_>; 8]> = SmallVec::new();
        for object in &objects {
            let Some(arg) = Given::parse(object)? else { return Ok(None) };
            key.extend_from_slice(&arg.key());
            given.push(arg);
        }
        let Some(kernel) = self.find(&key) else { return Ok(None) };
        let args: SmallVec<[KernelArg<'_>; 8]> = given.iter().map(Given::arg).collect();
        let launched = py.detach(|| situ_tensor::begin_launch(&kernel, range, &args, after)).map_err(Raised::from)?;
        if launched.has_report() {
            wait::for_event(py, &launched.event)?;
            launched.reported(&kernel, range).map_err(Raised::from)?;
        }
        Ok(Some(launched.event))
    }
}

/// The work-items, from how many there are and how many a work-group has.
fn range(global: &Bound<'_, PyAny>, local: &Bound<'_, PyAny>) -> PyResult<NdRange> {
    let global = lengths(global, "a range")?;
    let local = if local.is_none() { None } else { Some(lengths(local, "a work-group")?) };
    NdRange::new(&global, local.as_deref()).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A kernel over a range, as `kernel[range]` gives it: launches without a step of Python if there is a kernel for the
/// arguments.
#[pyclass(name = "Launcher", module = "situ._native.kernels", frozen)]
#[derive(Debug)]
pub(super) struct PyLauncher {
    cache: Py<PyCache>,
    range: NdRange,
    /// What launches where that is not enough.
    otherwise: Py<PyAny>,
    /// The range as it was given, for that.
    index_space: Py<PyAny>,
}

#[pymethods]
impl PyLauncher {
    #[new]
    fn new(
        cache: Py<PyCache>,
        global: &Bound<'_, PyAny>,
        local: &Bound<'_, PyAny>,
        index_space: Py<PyAny>,
        otherwise: Py<PyAny>,
    ) -> PyResult<PyLauncher> {
        Ok(PyLauncher { cache, range: range(global, local)?, otherwise, index_space })
    }

    #[pyo3(signature = (*args, **named))]
    fn __call__(&self, py: Python<'_>, args: &Bound<'_, PyTuple>, named: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        if named.is_none() && self.cache.get().start(py, &self.range, args, &[])?.is_some() {
            return Ok(());
        }
        self.otherwise
            .call1(py, (&self.index_space, args, named.map_or_else(|| PyDict::new(py), Bound::clone)))
            .map(drop)
    }
}

#[pymethods]
impl PyCache {
    #[new]
    fn new() -> PyCache {
        PyCache::default()
    }

    /// Launches the kernel for these arguments; `None` if there is none yet, or can be none.
    fn launch(
        &self,
        py: Python<'_>,
        global: &Bound<'_, PyAny>,
        local: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        after: &Bound<'_, PyAny>,
    ) -> PyResult<Option<PyEvent>> {
        let range = range(global, local)?;
        let after: Vec<Event> = if after.is_none() { Vec::new() } else { events(after, "dependent_events")? };
        Ok(self.start(py, &range, args, &after)?.map(PyEvent::from))
    }

    /// What the kernel for these arguments is kept by; `None` if one of them is nothing for a kernel.
    #[staticmethod]
    fn key<'py>(axes: usize, has_groups: bool, args: &Bound<'py, PyTuple>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let mut key = Key::from_slice(&[range_key(axes, has_groups)]);
        for object in args.iter() {
            let Some(arg) = Given::parse(&object)? else { return Ok(None) };
            key.extend_from_slice(&arg.key());
        }
        Ok(Some(PyBytes::new(args.py(), &key)))
    }

    /// Keeps a kernel.
    fn insert(&self, key: &[u8], kernel: &PyKernel) {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner).insert(Key::from_slice(key), kernel.0.clone());
    }

    /// How many launches found their kernel.
    #[getter]
    fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }
}
