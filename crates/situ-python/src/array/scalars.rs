//! Elements as Python numbers.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyFloat, PyInt, PyList, PySlice, PyTuple};
use situ_tensor::Tensor;
use situ_types::{DTypeKind, Dims, Scalar};

use super::PyArray;
use super::conversion::to_numpy;
use crate::args::shown;
use crate::errors::{Outcome, Raised};
use crate::wait;

#[pymethods]
impl PyArray {
    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        let tensor = self.tensor();
        if tensor.size() != 1 {
            let remedy = if tensor.size() == 0 {
                "ask for its size"
            } else {
                "compare element by element, or copy it with situ.tensor.asnumpy first"
            };
            return Err(single_only(tensor, "a truth value", remedy));
        }
        // Through Python's number only where its truth is not that of the bits: signed zeros and NaN.
        Ok(match only(py, tensor)? {
            Scalar::Bool(value) => value,
            value => object(py, value)?.is_truthy()?,
        })
    }

    fn __float__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<PyFloat>().call1((self.number(py, "a float")?,))
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<PyInt>().call1((self.number(py, "an int")?,))
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<PyComplex>().call1((self.number(py, "a complex number")?,))
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let tensor = self.tensor();
        if tensor.dtype().kind() != DTypeKind::Integer || tensor.size() != 1 {
            return Err(PyTypeError::new_err(format!(
                "only an integer array of one element is an index; this one has dtype {} and {} elements",
                tensor.dtype(),
                tensor.size()
            )));
        }
        object(py, only(py, tensor)?)
    }

    /// One element as a Python number: the only one, that at a position counted in C order, or that at one index for
    /// each axis.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.asarray([[1, 2], [3, 4]]).item(1, 0)
    /// 3
    #[pyo3(signature = (*index))]
    fn item<'py>(&self, index: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = index.py();
        let tensor = self.tensor();
        let given = match index.get_item(0) {
            Ok(first) if index.len() == 1 && first.is_instance_of::<PyTuple>() => first.cast_into::<PyTuple>()?,
            _ => index.clone(),
        };
        if given.is_empty() {
            if tensor.size() != 1 {
                return Err(single_only(tensor, "a Python number", "give the index of one"));
            }
            return object(py, only(py, tensor)?);
        }
        let position = position(tensor, &given)?;
        object(py, read(py, tensor, &position)?)
    }

    /// The elements as Python numbers, in nested lists.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.asarray([[1, 2], [3, 4]]).tolist()
    /// [[1, 2], [3, 4]]
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let tensor = self.tensor();
        if tensor.shape().is_empty() {
            return object(py, only(py, tensor)?);
        }
        listed(&to_numpy(py, tensor)?)
    }

    fn __format__<'py>(slf: &Bound<'py, Self>, spec: &str) -> PyResult<Bound<'py, PyAny>> {
        let (py, tensor) = (slf.py(), slf.get().tensor());
        let format = py.import("builtins")?.getattr("format")?;
        if tensor.shape().is_empty() {
            return format.call1((object(py, only(py, tensor)?)?, spec));
        }
        if spec.is_empty() {
            return Ok(slf.str()?.into_any());
        }
        Err(PyTypeError::new_err(format!(
            "the format {spec:?} is for one number; an array of {} dimensions is formatted with \
             situ.tensor.print_options or situ.tensor.usm_ndarray_str",
            tensor.shape().len()
        )))
    }
}

/// Elements that become Python numbers between two looks for signals: some hundredths of a second.
const PIECE: usize = 1 << 20;

/// The elements of a NumPy array in nested lists, made in pieces so that Ctrl-C is heard.
fn listed<'py>(host: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = host.py();
    py.check_signals()?;
    let (size, rows): (usize, usize) = (host.getattr("size")?.extract()?, host.len()?);
    if size <= PIECE {
        return host.call_method0("tolist");
    }
    let list = PyList::empty(py);
    let step = (PIECE / (size / rows)).max(1);
    for start in (0..rows).step_by(step) {
        let end = rows.min(start + step);
        if end - start == 1 && size / rows > PIECE {
            list.append(listed(&host.get_item(start)?)?)?;
        } else {
            py.check_signals()?;
            let piece = host.get_item(PySlice::new(py, start as isize, end as isize, 1))?.call_method0("tolist")?;
            list.call_method1("extend", (piece,))?;
        }
    }
    Ok(list.into_any())
}

impl PyArray {
    /// The only element, as a Python number.
    fn number<'py>(&self, py: Python<'py>, wanted: &str) -> PyResult<Bound<'py, PyAny>> {
        let tensor = self.tensor();
        if tensor.size() != 1 {
            return Err(single_only(tensor, wanted, "take one with x.item(index)"));
        }
        object(py, only(py, tensor)?)
    }
}

fn single_only(tensor: &Tensor, wanted: &str, remedy: &str) -> PyErr {
    let size = tensor.size();
    PyValueError::new_err(format!("only an array of one element is {wanted}; this one has {size}: {remedy}"))
}

/// The element of an array that has one.
fn only(py: Python<'_>, tensor: &Tensor) -> PyResult<Scalar> {
    read(py, tensor, &Dims::from_elem(0, tensor.shape().len()))
}

/// One element, letting go of the interpreter only if it has to be waited for.
fn read(py: Python<'_>, tensor: &Tensor, index: &[usize]) -> PyResult<Scalar> {
    if tensor.queue().is_remote() {
        let value: Outcome<Scalar> = py.detach(|| Ok(tensor.item(index)?));
        return Ok(value?);
    }
    let reading = tensor.begin_reading(index).map_err(Raised::from)?;
    if let Some(event) = reading.pending() {
        wait::for_event(py, event)?;
    }
    Ok(reading.finish().map_err(Raised::from)?)
}

/// The index of the element that `item` was asked for.
fn position(tensor: &Tensor, given: &Bound<'_, PyTuple>) -> PyResult<Dims> {
    let shape = tensor.shape();
    let whole = [tensor.size()];
    let lengths = if given.len() == shape.len() {
        shape
    } else if given.len() == 1 {
        &whole[..]
    } else {
        let (asked, ndim) = (given.len(), shape.len());
        return Err(PyValueError::new_err(format!(
            "item: {asked} indices were given for an array of {ndim} dimensions; give one for each, or a single one"
        )));
    };
    let mut found = Dims::new();
    for (axis, (object, &length)) in given.iter().zip(lengths).enumerate() {
        found.push(within(&object, length, axis, lengths.len() != shape.len())?);
    }
    if lengths.len() != shape.len() {
        let mut rest = found.first().copied().unwrap_or(0);
        found = Dims::from_elem(0, shape.len());
        for (slot, &length) in found.iter_mut().zip(shape).rev() {
            (*slot, rest) = (rest % length, rest / length);
        }
    }
    Ok(found)
}

/// An index counted from either end.
fn within(object: &Bound<'_, PyAny>, length: usize, axis: usize, flat: bool) -> PyResult<usize> {
    let number = object
        .call_method0("__index__")
        .map_err(|_| PyTypeError::new_err(format!("item: {} is not an integer", shown(object))))?;
    let index: i128 = number.extract().unwrap_or(i128::MAX);
    let from_start = if index < 0 { index.saturating_add(length as i128) } else { index };
    usize::try_from(from_start).ok().filter(|&index| index < length).ok_or_else(|| {
        let place = if flat { format!("size {length}") } else { format!("axis {axis} with size {length}") };
        PyIndexError::new_err(format!("item: index {} is out of bounds for {place}", shown(&number)))
    })
}

/// A value as a Python number.
fn object(py: Python<'_>, value: Scalar) -> PyResult<Bound<'_, PyAny>> {
    match value {
        Scalar::Bool(v) => v.into_bound_py_any(py),
        Scalar::I8(v) => v.into_bound_py_any(py),
        Scalar::I16(v) => v.into_bound_py_any(py),
        Scalar::I32(v) => v.into_bound_py_any(py),
        Scalar::I64(v) => v.into_bound_py_any(py),
        Scalar::U8(v) => v.into_bound_py_any(py),
        Scalar::U16(v) => v.into_bound_py_any(py),
        Scalar::U32(v) => v.into_bound_py_any(py),
        Scalar::U64(v) => v.into_bound_py_any(py),
        Scalar::F16(v) => v.to_f64().into_bound_py_any(py),
        Scalar::F32(v) => f64::from(v).into_bound_py_any(py),
        Scalar::F64(v) => v.into_bound_py_any(py),
        Scalar::C64(v) => Ok(PyComplex::from_doubles(py, v.re.into(), v.im.into()).into_any()),
        Scalar::C128(v) => Ok(PyComplex::from_doubles(py, v.re, v.im).into_any()),
    }
}
