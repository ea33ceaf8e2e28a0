//! Copies of an array, also through pickle.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use situ_tensor::Tensor;
use situ_types::{DeviceType, Order};

use super::PyArray;
use super::conversion::to_numpy;
use crate::errors::{Outcome, Raised};
use crate::offload;

/// What pickle keeps: the function that restores, and its arguments.
type Reduced<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);

impl PyArray {
    fn copied(&self, py: Python<'_>, order: Order) -> PyResult<PyArray> {
        let made: Outcome<Tensor> = py.detach(|| Ok(self.tensor().copy(order)?));
        Ok(self.derived(py, made?))
    }
}

#[pymethods]
impl PyArray {
    /// A copy in a new allocation on the same queue and of the same kind, writable, in the given order.
    ///
    /// >>> from situ import tensor
    /// >>> x = tensor.arange(3)
    /// >>> y = x.copy()
    /// >>> y[0] = 9
    /// >>> x
    /// ndarray([0, 1, 2])
    #[pyo3(signature = (order="C"))]
    fn copy(&self, py: Python<'_>, order: &str) -> PyResult<PyArray> {
        self.copied(py, crate::args::order(order, "CFAK")?)
    }

    /// A copy converted to another dtype; see `situ.tensor.astype`.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.arange(3).astype("float32")
    /// ndarray([0., 1., 2.], dtype=float32)
    #[pyo3(signature = (dtype, /, *, order="K", casting="unsafe", copy=true, device=None))]
    fn astype<'py>(
        slf: &Bound<'py, Self>,
        dtype: &Bound<'py, PyAny>,
        order: &str,
        casting: &str,
        copy: bool,
        device: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let options = PyDict::new(py);
        options.set_item("order", order)?;
        options.set_item("copy", copy)?;
        if casting != "unsafe" {
            options.set_item("casting", casting)?;
        }
        if let Some(device) = device {
            options.set_item("device", device)?;
        }
        let converted = py.import("situ.tensor")?.getattr("astype")?.call((slf, dtype), Some(&options))?;
        if device.is_some() { Ok(converted) } else { offload::like(slf, converted) }
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<PyArray> {
        self.copied(py, Order::K)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<PyArray> {
        self.copied(py, Order::K)
    }

    /// The contents without gaps, and what it takes to lay them out again on a device like this one.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let tensor = self.tensor();
        let layout = tensor.layout();
        let compact: Outcome<Tensor> = if layout.is_c_contiguous() || layout.is_f_contiguous() {
            Ok(tensor.clone())
        } else {
            py.detach(|| Ok(tensor.copy(Order::K)?))
        };
        let compact = compact?;
        // In the order of memory, so that pickle need not reorder them and protocol 5 can hand them over as they are.
        let flat = to_numpy(py, &compact)?.call_method1("ravel", ("K",))?;
        let arguments = (
            flat,
            PyTuple::new(py, tensor.shape())?,
            PyTuple::new(py, compact.layout().strides())?,
            tensor.kind().name(),
            home(tensor)?,
        );
        let restore = py.import("situ.tensor._pickling")?.getattr("restore")?;
        Ok((restore, arguments.into_pyobject(py)?))
    }
}

/// The selector that finds the array's device again. A part of a device has none of its own, and neither has the type
/// of the null device.
fn home(tensor: &Tensor) -> PyResult<String> {
    let device = tensor.device().unpartitioned();
    let with_type = device.info().device_type != DeviceType::Custom;
    Ok(device.partial_filter_string(true, with_type).map_err(Raised::from)?)
}
