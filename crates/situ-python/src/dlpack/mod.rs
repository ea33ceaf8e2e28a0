//! DLPack: arrays to and from other libraries without a copy.
//!
//! What a capsule says is believed where it cannot be checked (the address, and that the memory is there) and checked
//! where it can. A tensor that was taken out of a capsule is released exactly once: by the capsule's destructor until
//! the capsule is renamed, by the buffer over its memory from then on.

mod abi;
mod capsule;
mod export;
mod import;
mod stream;

use pyo3::prelude::*;
use situ_runtime::Queue;

pub(crate) use export::{Request, device_of, export};
pub(crate) use import::{import, is_exporter};

use crate::array::PyArray;
use crate::place::queue_of;

/// An array over the memory of an object that offers it through DLPack: the same memory, unless it must be copied.
///
/// Parameters:
///     x (DLPackExporter | CudaExporter): The object.
///     device (DeviceLike | tuple[int, int] | None): Where the array is to be, also as DLPack's numbers for the device;
///         None for where the memory is.
///     copy (bool | None): True copies in any case, False never, which is a ValueError where a copy is needed, and None
///         only where it is needed.
///
/// Returns:
///     ndarray: An array over that memory, or over a copy.
///
/// >>> import numpy
/// >>> from situ import tensor
/// >>> host = numpy.zeros(2)
/// >>> x = tensor.from_dlpack(host)
/// >>> x[0] = 5
/// >>> host
/// array([5., 0.])
#[pyfunction]
#[pyo3(signature = (x, /, *, device=None, copy=None))]
fn from_dlpack(x: &Bound<'_, PyAny>, device: Option<&Bound<'_, PyAny>>, copy: Option<bool>) -> PyResult<PyArray> {
    let queue = device.map(destination).transpose()?;
    Ok(PyArray::new(import(x, queue, copy)?))
}

/// The queue a `device=` argument stands for, which may also be a pair of the protocol's numbers.
fn destination(device: &Bound<'_, PyAny>) -> PyResult<Queue> {
    if let Ok(pair) = device.extract::<(i64, i64)>() {
        let py = device.py();
        let found = py.import("situ.tensor._dlpack")?.getattr("dldevice_to_sycl_device")?.call1((pair,))?;
        return queue_of(&found, "device");
    }
    queue_of(device, "device")
}

/// Puts the function into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(from_dlpack, module)?)
}
