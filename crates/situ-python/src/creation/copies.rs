//! Copies and conversions.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use situ_tensor::Tensor;
use situ_types::{Casting, Order};

use super::{Object, Optional};
use crate::args;
use crate::array::{PyArray, to_numpy};
use crate::errors::Outcome;
use crate::gil;
use crate::operands;
use crate::place::queue_of;

/// A copy of an array in host memory, as a NumPy array.
///
/// Parameters:
///     usm_ary (ndarray): The array.
///
/// Returns:
///     HostArray: A new NumPy array.
///
/// >>> from situ import tensor
/// >>> tensor.asnumpy(tensor.ones(3))
/// array([1., 1., 1.])
#[pyfunction]
#[pyo3(signature = (usm_ary, /))]
fn asnumpy<'py>(usm_ary: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    to_numpy(usm_ary.py(), operands::tensor(usm_ary, "asnumpy", "usm_ary")?)
}

/// A copy of an array in a new allocation.
///
/// Parameters:
///     usm_ary (ndarray): The array.
#[doc = parameter!(order)]
///
/// Returns:
///     ndarray: A new array, on the same queue and in the same kind of memory.
///
/// >>> from situ import tensor
/// >>> x = tensor.arange(3)
/// >>> y = tensor.copy(x)
/// >>> y[0] = 9
/// >>> x, y
/// (ndarray([0, 1, 2]), ndarray([9, 1, 2]))
#[pyfunction]
#[pyo3(signature = (usm_ary, /, *, order="K"))]
fn copy(usm_ary: Object<'_, '_>, order: &str) -> PyResult<PyArray> {
    let tensor = operands::tensor(usm_ary, "copy", "usm_ary")?;
    let order = args::order(order, "CFAK")?;
    Ok(PyArray::new(gil::released_if(gil::is_long_with(tensor), usm_ary.py(), || Ok(tensor.copy(order)?))?))
}

/// How much a conversion may lose, by its name.
pub(crate) fn casting_rule(name: &str) -> PyResult<Casting> {
    Casting::from_name(name).ok_or_else(|| {
        let names = Casting::ALL.map(|rule| format!("'{}'", rule.name())).join(", ");
        PyValueError::new_err(format!("casting: expected one of {names}, got {name:?}"))
    })
}

/// A copy of an array converted to another dtype.
///
/// Fractions are cut off on the way to integers. What an integer dtype does not hold becomes the end of its range that is
/// nearer, and NaN becomes 0, on every device; NumPy leaves these to the processor. Integers that do not fit wrap, as in
/// NumPy. Of complex numbers real dtypes keep the real part, and anything but zero is True.
///
/// Parameters:
///     x (ndarray): The array.
///     dtype (DTypeLike): The dtype.
#[doc = parameter!(order)]
#[doc = parameter!(casting)]
///     copy (bool): Whether to copy an array that already has that dtype, order and place.
///     device (DeviceLike | None): Where the copy goes; None for where the array is.
///
/// Returns:
///     ndarray: A new array, or `x` itself where nothing is to be done and `copy` is False.
///
/// >>> from situ import tensor
/// >>> tensor.astype(tensor.asarray([1.5, -2.5]), "int8")
/// ndarray([ 1, -2], dtype=int8)
/// >>> tensor.astype(tensor.asarray([float("nan"), 1e9, -float("inf")]), "int8")
/// ndarray([   0,  127, -128], dtype=int8)
#[pyfunction]
#[pyo3(signature = (x, dtype, /, *, order="K", casting="unsafe", copy=true, device=None))]
fn astype<'py>(
    x: &Bound<'py, PyAny>,
    dtype: Object<'_, 'py>,
    order: &str,
    casting: &str,
    copy: bool,
    device: Optional<'_, 'py>,
) -> PyResult<Bound<'py, PyArray>> {
    let py = x.py();
    let array = operands::array(x, "astype", "x")?;
    let (dtype, order, rule) = (args::dtype(dtype)?, args::order(order, "CFAK")?, casting_rule(casting)?);
    let tensor = array.get().tensor();
    let wanted = device.map(|device| queue_of(device, "device")).transpose()?;
    let queue = wanted.as_ref().unwrap_or(tensor.queue());
    if !rule.allows(tensor.dtype(), dtype) {
        return Err(PyTypeError::new_err(format!(
            "astype: {} cannot be converted to {dtype} under the rule '{casting}'; a looser rule is casting='unsafe'",
            tensor.dtype()
        )));
    }
    let is_ordered = match order {
        Order::C => tensor.layout().is_c_contiguous(),
        Order::F => tensor.layout().is_f_contiguous(),
        Order::A | Order::K => true,
    };
    let is_ready = !copy && tensor.dtype() == dtype && is_ordered;
    if is_ready && queue == tensor.queue() {
        return Ok(array.clone());
    }
    let make = || -> Outcome<Tensor> {
        Ok(if is_ready { tensor.to_queue(queue)? } else { tensor.converted(dtype, order, tensor.kind(), queue)? })
    };
    let made = gil::released_if(queue.is_remote() || gil::is_long_with(tensor), py, make);
    PyArray::new(made?).into_object(py)
}

/// Puts the functions into the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(asnumpy, module)?)?;
    module.add_function(wrap_pyfunction!(copy, module)?)?;
    module.add_function(wrap_pyfunction!(astype, module)?)
}
