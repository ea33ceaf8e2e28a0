//! Arrays of other libraries.

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use situ_runtime::Queue;
use situ_tensor::Tensor;
use situ_types::{BackendKind, Order, UsmKind};

use super::abi;
use super::capsule::take;
use crate::args::type_name;
use crate::array::PyArray;
use crate::cuda_interface;
use crate::errors::Outcome;
use crate::foreign::{Ready, cuda_absence, cuda_queue, host_queue};
use crate::place::default_queue;

/// Whether an object offers its memory through DLPack.
pub(crate) fn is_exporter(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object.hasattr("__dlpack__")? && object.hasattr("__dlpack_device__")?)
}

pub(super) fn unusable(reason: impl std::fmt::Display) -> PyErr {
    PyBufferError::new_err(format!("from_dlpack: {reason}"))
}

/// The array of an object that offers its memory: the same memory wherever that is possible and `copy` does not say
/// otherwise. It goes to the given queue, else to a queue of the device its memory is on.
pub(crate) fn import(object: &Bound<'_, PyAny>, queue: Option<Queue>, copy: Option<bool>) -> PyResult<Tensor> {
    let py = object.py();
    if !is_exporter(object)? {
        if let Some(tensor) = cuda_interface::read(object, queue.as_ref())? {
            let kind = tensor.kind();
            return place(py, tensor, queue, kind, copy);
        }
        return Err(PyTypeError::new_err(format!(
            "from_dlpack: x must have __dlpack__ and __dlpack_device__, or __cuda_array_interface__, but {} does not; \
             copy it with situ.tensor.asarray instead",
            type_name(object)
        )));
    }
    if let Ok(array) = object.cast::<PyArray>() {
        // Memory of our own comes with its order of commands.
        let tensor = array.get().tensor();
        return place(py, tensor.clone(), queue, tensor.kind(), copy);
    }
    let device: (i64, i64) = object.call_method0("__dlpack_device__")?.extract().map_err(|_| {
        PyTypeError::new_err(format!(
            "from_dlpack: __dlpack_device__ of {} gave no pair of integers",
            type_name(object)
        ))
    })?;
    let home = Home::of(py, device, queue.as_ref())?;
    let to_host = home.is_none();
    let home = match home {
        Some(home) => home,
        None if queue.is_none() || copy == Some(false) => return Err(out_of_reach(device)),
        None => Home::host(py, queue.as_ref())?,
    };
    let (tensor, is_fresh) = take(&capsule_of(object, to_host, &home, copy)?, &home, copy)?;
    let copy = if is_fresh && copy == Some(true) { None } else { copy };
    // What another device needs a copy of goes into that device's own memory.
    let kind = if tensor.kind() == UsmKind::Host { UsmKind::Device } else { tensor.kind() };
    place(py, tensor, queue, kind, copy)
}

/// Where memory of another library can be used in place.
#[derive(Debug)]
pub(super) struct Home {
    pub(super) queue: Queue,
    pub(super) kind: UsmKind,
    pub(super) ready: Ready,
    /// The protocol's number of the device that the memory has to be on, if it is not the host's.
    number: Option<i64>,
}

impl Home {
    /// The place for memory on one of the protocol's devices; `None` if there is none for it here.
    fn of(py: Python<'_>, device: (i64, i64), wanted: Option<&Queue>) -> PyResult<Option<Home>> {
        let (kind, number) = (i32::try_from(device.0).unwrap_or(abi::EXTENSION), device.1);
        let kind = match kind {
            abi::CPU | abi::ROCM_HOST => return Home::host(py, wanted).map(Some),
            abi::CUDA_HOST => return Home::pinned(py, wanted).map(Some),
            abi::CUDA => UsmKind::Device,
            abi::CUDA_MANAGED => UsmKind::Shared,
            _ => return Ok(None),
        };
        let home = |queue| Home { queue, kind, ready: Ready::OnQueue, number: Some(number) };
        Ok(cuda_queue(py, number, wanted)?.map(home))
    }

    fn host(py: Python<'_>, wanted: Option<&Queue>) -> PyResult<Home> {
        Ok(Home { queue: host_queue(py, wanted)?, kind: UsmKind::Host, ready: Ready::Now, number: None })
    }

    /// Host memory that CUDA devices reach: one of them uses it where the array is to go to one, or goes to one anyway.
    fn pinned(py: Python<'_>, wanted: Option<&Queue>) -> PyResult<Home> {
        let queue = wanted.map_or_else(|| default_queue(Some(py)), |queue| Ok(queue.clone()))?;
        if queue.backend() != BackendKind::Cuda {
            return Home::host(py, wanted);
        }
        Ok(Home { queue, kind: UsmKind::Host, ready: Ready::Now, number: None })
    }

    /// Whether memory there is the host's own.
    pub(super) fn is_on_host(&self) -> bool {
        self.number.is_none()
    }

    /// An error if a capsule's memory is not where its exporter had said it was.
    pub(super) fn check(&self, (kind, id): (i32, i32)) -> PyResult<()> {
        let is_there = match self.number {
            None => [abi::CPU, abi::CUDA_HOST, abi::ROCM_HOST, abi::CUDA_MANAGED].contains(&kind),
            Some(number) => kind == abi::CUDA_MANAGED || kind == abi::CUDA && i64::from(id) == number,
        };
        if is_there {
            return Ok(());
        }
        let said = self.number.map_or_else(|| "the host".into(), |number| format!("CUDA device {number}"));
        Err(unusable(format!("the capsule's memory is on device {:?}, not on {said} as was said", (kind, id))))
    }

    /// The stream that the exporter is to make wait.
    fn stream(&self) -> Option<usize> {
        if self.ready == Ready::OnQueue { self.queue.native_stream() } else { None }
    }
}

fn out_of_reach(device: (i64, i64)) -> PyErr {
    let is_cuda = [abi::CUDA, abi::CUDA_MANAGED].iter().any(|&kind| device.0 == i64::from(kind));
    let reason = if is_cuda { format!(" ({})", cuda_absence()) } else { String::new() };
    unusable(format!(
        "x is on device {device:?}, whose memory situ cannot use in place{reason}; name a device= to copy it to"
    ))
}

/// The array on a queue, or where it is. A copy to another context goes into memory of the given kind.
fn place(py: Python<'_>, tensor: Tensor, queue: Option<Queue>, kind: UsmKind, copy: Option<bool>) -> PyResult<Tensor> {
    let queue = queue.unwrap_or_else(|| tensor.queue().clone());
    let moves = queue.context() != tensor.context();
    if moves && copy == Some(false) {
        let (from, to) = (tensor.device().label(), queue.device().label());
        return Err(unusable(format!(
            "memory of {from} cannot be used on {to} without a copy, which copy=False forbids"
        )));
    }
    let placed: Outcome<Tensor> = py.detach(|| {
        Ok(if moves {
            tensor.converted(tensor.dtype(), Order::K, kind, &queue)?
        } else if copy == Some(true) {
            tensor.converted(tensor.dtype(), Order::K, tensor.kind(), &queue)?
        } else {
            tensor.to_queue(&queue)?
        })
    });
    Ok(placed?)
}

/// Asks for a capsule, in the words of version 1 of the protocol or, failing that, of the first.
fn capsule_of<'py>(
    object: &Bound<'py, PyAny>,
    to_host: bool,
    home: &Home,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let first = PyDict::new(py);
    if let Some(stream) = home.stream() {
        first.set_item("stream", stream)?;
    }
    let request = first.copy()?;
    request.set_item("max_version", (abi::VERSION.major, abi::VERSION.minor))?;
    if to_host {
        request.set_item("dl_device", (abi::CPU, 0))?;
    }
    if copy == Some(false) {
        request.set_item("copy", false)?;
    }
    match object.call_method("__dlpack__", (), Some(&request)) {
        Err(error) if error.is_instance_of::<PyTypeError>(py) && !to_host => {
            object.call_method("__dlpack__", (), Some(&first))
        }
        result => result,
    }
}
