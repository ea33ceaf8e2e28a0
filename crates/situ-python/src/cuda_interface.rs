//! `__cuda_array_interface__`, written and read.

use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use situ_runtime::{Access, Address, Context, Queue};
use situ_tensor::Tensor;
use situ_types::{BackendKind, DType, UsmKind};

use crate::array::Exporter;
use crate::errors::{Outcome, Raised};
use crate::foreign::{Foreign, Ready, cuda_absence, cuda_queue};

const NAME: &str = "__cuda_array_interface__";

fn invalid(reason: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("{NAME}: {reason}"))
}

/// What another library needs to use an array on a CUDA device: version 3 of the interface.
pub(crate) fn write<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyDict>> {
    let queue = tensor.queue();
    let Some(stream) = queue.native_stream() else {
        let label = tensor.device().label();
        return Err(PyAttributeError::new_err(format!(
            "{NAME}: only arrays on CUDA devices have it, not one on {label}"
        )));
    };
    let access = if tensor.is_writable() { Access::Update } else { Access::Read };
    let ordered: Outcome<()> = py.detach(|| {
        queue.check()?;
        // Who waits for the queue's stream then waits for every other queue's work on the array, too.
        let contents = tensor.contents()?;
        queue.stamp(contents, access)?;
        // The consumer does not say what it waits for when it lets go.
        contents.expose();
        Ok(())
    });
    ordered?;
    let (dtype, layout) = (tensor.dtype(), tensor.layout());
    let size = dtype.size() as isize;
    let order = if size == 1 { '|' } else { '<' };
    let strides = if layout.is_c_contiguous() {
        None
    } else {
        Some(PyTuple::new(py, layout.strides().iter().map(|step| step * size))?)
    };
    let interface = PyDict::new(py);
    interface.set_item("shape", PyTuple::new(py, tensor.shape())?)?;
    interface.set_item("typestr", format!("{order}{}", dtype.typestr()))?;
    let address = if tensor.size() == 0 { 0 } else { tensor.address().map_err(Raised::from)?.value() };
    interface.set_item("data", (address, !tensor.is_writable()))?;
    interface.set_item("strides", strides)?;
    interface.set_item("stream", stream)?;
    interface.set_item("version", 3)?;
    Ok(interface)
}

/// The array over the memory that an object describes, or `None` if it does not have the interface. It goes to the
/// wanted queue if that is on the memory's device, else to a queue that is.
pub(crate) fn read(object: &Bound<'_, PyAny>, wanted: Option<&Queue>) -> PyResult<Option<Tensor>> {
    let Some(interface) = object.getattr_opt(NAME)? else { return Ok(None) };
    let py = object.py();
    let interface =
        interface.cast_into::<PyDict>().map_err(|_| PyTypeError::new_err(format!("{NAME}: it is not a dictionary")))?;
    let (foreign, first) = described(&interface)?;
    let stream = stream_of(&interface)?;
    let (queue, kind) = home(py, first, wanted)?;
    let ready = stream.map_or(Ready::Now, Ready::After);
    let owner = Box::new(Exporter::new(object, None)?);
    // SAFETY: the driver knows the memory, and the object says that it holds these elements, and keeps it.
    let adopted: Outcome<Tensor> = py.detach(|| unsafe { foreign.adopt(&queue, kind, ready, owner) });
    Ok(Some(adopted?))
}

/// The entry under a key, unless it is missing or None.
fn entry<'py>(interface: &Bound<'py, PyDict>, key: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(interface.get_item(key)?.filter(|entry| !entry.is_none()))
}

/// The array that the entries describe, and its address.
fn described(interface: &Bound<'_, PyDict>) -> PyResult<(Foreign, usize)> {
    let needed = |key: &str| entry(interface, key)?.ok_or_else(|| invalid(format!("{key:?} is missing")));
    let version: i64 = needed("version")?.extract().map_err(|_| invalid("\"version\" is not an integer"))?;
    if !(2..=3).contains(&version) {
        return Err(invalid(format!("version {version} is unknown; versions 2 and 3 are supported")));
    }
    if entry(interface, "mask")?.is_some() {
        return Err(invalid("the array is masked, which arrays of situ cannot be; fill its masked elements in first"));
    }
    let (pointer, is_read_only): (usize, bool) =
        needed("data")?.extract().map_err(|_| invalid("\"data\" is not a pair of pointer and flag"))?;
    let shape: Vec<usize> = needed("shape")?.extract().map_err(|_| invalid("\"shape\" is not a tuple of lengths"))?;
    let typestr: String = needed("typestr")?.extract().map_err(|_| invalid("\"typestr\" is not a string"))?;
    let dtype = DType::from_typestr(typestr.trim_start_matches(['|', '<', '='])).ok_or_else(|| {
        PyTypeError::new_err(format!(
            "{NAME}: elements of type {typestr:?} have no dtype here; convert the array first"
        ))
    })?;
    let strides: Option<Vec<isize>> = match entry(interface, "strides")? {
        None => None,
        Some(strides) => {
            let bytes: Vec<isize> = strides.extract().map_err(|_| invalid("\"strides\" is not a tuple of steps"))?;
            let size = dtype.size() as isize;
            if bytes.iter().any(|step| step % size != 0) {
                return Err(invalid(format!("strides {bytes:?} are not multiples of the {size} bytes of an element")));
            }
            Some(bytes.iter().map(|step| step / size).collect())
        }
    };
    Ok((Foreign::new(dtype, &shape, strides, pointer, is_read_only).map_err(invalid)?, pointer))
}

/// The handle of the stream that the memory's contents come from, if they are not there already.
fn stream_of(interface: &Bound<'_, PyDict>) -> PyResult<Option<usize>> {
    let Some(stream) = entry(interface, "stream")? else { return Ok(None) };
    match stream.extract::<usize>() {
        Ok(0) => Err(invalid("\"stream\" is 0, which could mean several streams; 1 is the default stream")),
        Ok(stream) => Ok(Some(stream)),
        Err(_) => Err(invalid("\"stream\" is neither None nor the handle of a stream")),
    }
}

/// A queue on the device that holds an address, and the kind of memory it is.
fn home(py: Python<'_>, address: usize, wanted: Option<&Queue>) -> PyResult<(Queue, UsmKind)> {
    let visible: Outcome<_> = situ_runtime::devices().map_err(Into::into);
    let Some(device) = visible?.into_iter().find(|device| device.backend() == BackendKind::Cuda) else {
        return Err(invalid(format!("no CUDA device can be used here: {}", cuda_absence())));
    };
    let context: Outcome<Context> = Context::for_device(&device).map_err(Into::into);
    let context = context?;
    let found = py.detach(|| context.locate(Address(address as *mut u8)));
    let (number, kind) = match found {
        Some(found) => found,
        // There is nothing at the address of an empty array.
        None if address == 0 => (device.number(), UsmKind::Device),
        None => return Err(invalid(format!("there is no memory of the CUDA driver's at address {address:#x}"))),
    };
    match cuda_queue(py, number as i64, wanted)? {
        Some(queue) => Ok((queue, kind)),
        None => Err(invalid(format!(
            "the memory is on CUDA device {number}, which cannot be used here: {}; make it visible, or copy the array \
             to {} first",
            cuda_absence(),
            device.label()
        ))),
    }
}
