//! `ndarray(shape, ...)`: memory with an array over it.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use situ_runtime::{Buffer, Queue};
use situ_tensor::Tensor;
use situ_types::{DType, Layout, Strides, UsmKind};

use super::PyArray;
use crate::args::{self, shown, type_name};
use crate::creation::values;
use crate::errors::{Outcome, Raised};
use crate::memory::PyMemory;
use crate::place::{default_queue, queue_of};
use crate::queue::PyQueue;

type Object<'a, 'py> = &'a Bound<'py, PyAny>;
type Optional<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Where the memory comes from.
enum Source {
    New(UsmKind),
    Existing { buffer: Buffer, start: usize, bytes: usize, queue: Queue, writable: bool },
}

#[pymethods]
impl PyArray {
    #[new]
    #[pyo3(
        signature = (
            shape, dtype=None, strides=None, buffer=None, offset=None, order="C", buffer_ctor_kwargs=None,
            array_namespace=None, *, r#type=None, queue=None
        ),
        text_signature = "(shape, dtype=None, strides=None, buffer='device', offset=0, order='C', \
                          buffer_ctor_kwargs={}, array_namespace=None, *, type=None, queue=None)"
    )]
    #[allow(clippy::too_many_arguments, reason = "dpctl's signature")]
    fn py_new<'py>(
        py: Python<'py>,
        shape: Object<'_, 'py>,
        dtype: Optional<'_, 'py>,
        strides: Optional<'_, 'py>,
        buffer: Optional<'_, 'py>,
        offset: Optional<'_, 'py>,
        order: &str,
        buffer_ctor_kwargs: Option<&Bound<'py, PyDict>>,
        array_namespace: Option<Py<PyAny>>,
        r#type: Optional<'_, 'py>,
        queue: Optional<'_, 'py>,
    ) -> PyResult<PyArray> {
        let order = args::order(order, "CF")?;
        if shape.is_instance_of::<PyList>() && (r#type.is_some() || queue.is_some()) {
            if strides.is_some() || buffer.is_some() || offset.is_some() || buffer_ctor_kwargs.is_some() {
                return Err(PyTypeError::new_err(
                    "a list with type= or queue= is values, which take dtype and order only; give a shape as a tuple",
                ));
            }
            let array = PyArray::new(values(shape, dtype.map(args::dtype).transpose()?, order, r#type, queue)?);
            if array_namespace.is_some() {
                array.name_namespace(array_namespace);
            }
            return Ok(array);
        }
        let shape = args::shape(shape)?;
        let strides = strides.map(|strides| steps(strides, shape.len())).transpose()?;
        let offset = offset.map_or(Ok(0), first_element)?;
        let dtype = dtype.map(args::dtype).transpose()?;
        let source = source(buffer, r#type)?;
        let asked = asked(buffer_ctor_kwargs, queue)?;
        let layout = match &strides {
            Some(strides) => Layout::strided(&shape, strides, offset),
            None => Layout::dense(&shape, order).and_then(|dense| Layout::strided(&shape, dense.strides(), offset)),
        };
        let layout = layout.map_err(|error| PyValueError::new_err(format!("ndarray: {error}")))?;
        let made: Outcome<Tensor> = match source {
            Source::New(kind) => {
                let queue = asked.queue.map_or_else(|| default_queue(Some(py)), Ok)?;
                let dtype = dtype.unwrap_or_else(|| default_dtype(&queue));
                py.detach(|| Ok(Tensor::empty_strided(&layout, dtype, kind, asked.alignment, &queue)?))
            }
            Source::Existing { buffer, start, bytes, queue, writable } => {
                let queue = asked.queue.unwrap_or(queue);
                let dtype = dtype.unwrap_or_else(|| default_dtype(&queue));
                let over = Tensor::over_memory(&buffer, start, bytes, &queue, dtype, &layout);
                over.map(|tensor| tensor.with_writable(writable)).map_err(Into::into)
            }
        };
        let array = PyArray::new(made?);
        if array_namespace.is_some() {
            array.name_namespace(array_namespace);
        }
        Ok(array)
    }
}

fn default_dtype(queue: &Queue) -> DType {
    queue.device().float_support().default_float()
}

/// The strides argument: as many integers as there are axes.
fn steps(object: Object<'_, '_>, ndim: usize) -> PyResult<Strides> {
    let wrong = |why: &str| PyValueError::new_err(format!("strides: {} {why}", shown(object)));
    if !object.is_instance_of::<PyTuple>() && !object.is_instance_of::<PyList>() {
        return Err(wrong("is not a tuple of integers"));
    }
    let mut found = Strides::new();
    for item in object.try_iter()? {
        let index = item?.call_method0("__index__").map_err(|_| wrong("has an entry that is not an integer"))?;
        found.push(index.extract::<isize>().map_err(|_| wrong("reaches further than memory can be addressed"))?);
    }
    if found.len() != ndim {
        return Err(wrong(&format!("has {} entries for an array of {ndim} dimensions", found.len())));
    }
    Ok(found)
}

/// The offset argument.
fn first_element(object: Object<'_, '_>) -> PyResult<isize> {
    let index = object
        .call_method0("__index__")
        .map_err(|_| PyTypeError::new_err(format!("offset: {} is not an integer", shown(object))))?;
    index.extract().map_err(|_| PyValueError::new_err(format!("offset: {} is too large", shown(object))))
}

/// The memory that `buffer` and `type` ask for.
fn source(buffer: Optional<'_, '_>, kind: Optional<'_, '_>) -> PyResult<Source> {
    let kind = kind.map(args::usm_kind).transpose()?;
    let Some(object) = buffer else {
        return Ok(Source::New(kind.unwrap_or(UsmKind::Device)));
    };
    let agreed = |found: UsmKind| match kind {
        Some(kind) if kind != found => Err(PyValueError::new_err(format!(
            "type: {:?} contradicts buffer, which is {:?} memory; give only one of them",
            kind.name(),
            found.name()
        ))),
        _ => Ok(found),
    };
    if let Some(name) = kind_name(object) {
        let found = UsmKind::from_name(&name).ok_or_else(|| not_understood(object))?;
        return Ok(Source::New(agreed(found)?));
    }
    if let Ok(memory) = object.cast::<PyMemory>() {
        let PyMemory { buffer, offset, nbytes, queue, .. } = memory.get();
        agreed(buffer.kind())?;
        let (buffer, queue) = (buffer.clone(), queue.clone());
        return Ok(Source::Existing { buffer, start: *offset, bytes: *nbytes, queue, writable: true });
    }
    if let Ok(array) = object.cast::<PyArray>() {
        let tensor = array.get().tensor();
        agreed(tensor.kind())?;
        let (buffer, queue) = (tensor.contents().map_err(Raised::from)?.clone(), tensor.queue().clone());
        let (bytes, writable) = (buffer.bytes(), tensor.is_writable());
        return Ok(Source::Existing { buffer, start: 0, bytes, queue, writable });
    }
    Err(not_understood(object))
}

fn not_understood(object: Object<'_, '_>) -> PyErr {
    PyValueError::new_err(format!(
        "buffer: expected 'device', 'shared', 'host', a memory object or an array of situ, got {}",
        shown(object)
    ))
}

/// A name written as a string or as bytes.
fn kind_name(object: Object<'_, '_>) -> Option<String> {
    if object.is_instance_of::<PyString>() {
        return object.extract().ok();
    }
    let bytes = object.cast::<PyBytes>().ok()?;
    Some(String::from_utf8_lossy(bytes.as_bytes()).into_owned())
}

/// What the caller said about a new allocation.
#[derive(Default)]
struct Asked {
    queue: Option<Queue>,
    alignment: usize,
}

/// What `queue` and `buffer_ctor_kwargs` ask for.
fn asked(kwargs: Option<&Bound<'_, PyDict>>, queue: Optional<'_, '_>) -> PyResult<Asked> {
    let mut asked = Asked::default();
    // Of a copy: what is asked of values may change the dictionary.
    for (key, value) in kwargs.map(|kwargs| kwargs.copy()).transpose()?.into_iter().flatten() {
        match key.extract::<&str>() {
            Ok("queue") if value.is_none() => {}
            Ok("queue") => {
                let queue = value.cast::<PyQueue>().map_err(|_| {
                    PyTypeError::new_err(format!(
                        "buffer_ctor_kwargs: queue must be a Queue, got {}",
                        type_name(&value)
                    ))
                })?;
                asked.queue = Some(queue.get().0.clone());
            }
            Ok("alignment") => {
                let alignment: isize = value.extract().map_err(|_| {
                    PyTypeError::new_err(format!("buffer_ctor_kwargs: alignment cannot be {}", shown(&value)))
                })?;
                asked.alignment = alignment.max(0) as usize;
            }
            _ => {
                return Err(PyTypeError::new_err(format!(
                    "buffer_ctor_kwargs: {} is not understood; the keys are 'queue' and 'alignment'",
                    shown(&key)
                )));
            }
        }
    }
    if let Some(direct) = queue.map(|queue| queue_of(queue, "queue")).transpose()? {
        if asked.queue.as_ref().is_some_and(|indirect| *indirect != direct) {
            return Err(PyTypeError::new_err(
                "queue and buffer_ctor_kwargs name different queues; give only one of them",
            ));
        }
        asked.queue = Some(direct);
    }
    Ok(asked)
}
