//! The one door: Python arguments become situ's types here, or a `TypeError`/`ValueError` that names them.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyList, PyString, PyTuple};
use situ_tensor::Weak;
use situ_types::{C128, DType, Dims, Order, UsmKind};

/// NumPy, imported once.
pub(crate) fn numpy(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    Ok(NUMPY.get_or_try_init(py, || py.import("numpy").map(Bound::unbind))?.bind(py))
}

/// The `numpy.dtype` objects, by dtype.
fn dtype_objects(py: Python<'_>) -> PyResult<&'static Vec<Py<PyAny>>> {
    static OBJECTS: PyOnceLock<Vec<Py<PyAny>>> = PyOnceLock::new();
    OBJECTS.get_or_try_init(py, || {
        let make = numpy(py)?.getattr("dtype")?;
        DType::ALL.iter().map(|dtype| Ok(make.call1((dtype.name(),))?.unbind())).collect()
    })
}

/// The names of dtypes as the interpreter keeps the strings in a program's text, by dtype.
fn dtype_names(py: Python<'_>) -> &'static [Py<PyString>] {
    static NAMES: PyOnceLock<Vec<Py<PyString>>> = PyOnceLock::new();
    NAMES.get_or_init(py, || DType::ALL.iter().map(|dtype| PyString::intern(py, dtype.name()).unbind()).collect())
}

/// The `numpy.dtype` of a dtype.
pub(crate) fn dtype_object<'py>(py: Python<'py>, dtype: DType) -> PyResult<Bound<'py, PyAny>> {
    Ok(dtype_objects(py)?[dtype as usize].bind(py).clone())
}

/// The dtype whose `numpy.dtype` is this very object.
pub(crate) fn known_dtype(py: Python<'_>, object: *mut pyo3::ffi::PyObject) -> PyResult<Option<DType>> {
    let known = dtype_objects(py)?.iter().zip(DType::ALL);
    Ok(known.filter(|(known, _)| known.as_ptr() == object).map(|(_, dtype)| dtype).next())
}

/// A dtype from anything NumPy takes for one.
pub(crate) fn dtype(object: &Bound<'_, PyAny>) -> PyResult<DType> {
    let py = object.py();
    for ((known, name), dtype) in dtype_objects(py)?.iter().zip(dtype_names(py)).zip(DType::ALL) {
        if known.is(object) || name.is(object) {
            return Ok(dtype);
        }
    }
    if let Ok(text) = object.cast::<PyString>()
        && let Some(dtype) = text.to_cow().ok().and_then(|text| DType::ALL.into_iter().find(|d| d.goes_by(&text)))
    {
        return Ok(dtype);
    }
    let parsed = numpy(py)?.getattr("dtype")?.call1((object,)).map_err(|error| {
        if object.is_instance_of::<PyString>() {
            PyValueError::new_err(format!("dtype: {} is not the name of a data type", shown(object)))
        } else {
            error
        }
    })?;
    let code: String = parsed.getattr("str")?.extract()?;
    let (byte_order, rest) = code.split_at(1);
    let swapped = if cfg!(target_endian = "little") { ">" } else { "<" };
    let found = DType::from_typestr(rest);
    if found.is_some() && byte_order == swapped {
        return Err(PyValueError::new_err(format!(
            "dtype: {code} has foreign byte order; convert it with .astype(dtype.newbyteorder('=')) first"
        )));
    }
    found.ok_or_else(|| {
        PyTypeError::new_err(format!(
            "dtype: {} is not supported; use bool, an integer of 8 to 64 bits, float16/32/64 or complex64/128",
            shown(&parsed)
        ))
    })
}

/// How an argument looks in a message.
pub(crate) fn shown(object: &Bound<'_, PyAny>) -> String {
    let text = object.repr().map(|r| r.to_string()).unwrap_or_else(|_| "<unprintable>".into());
    if text.chars().count() > 80 { text.chars().take(77).collect::<String>() + "..." } else { text }
}

/// The name of an argument's type.
pub(crate) fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map(|n| n.to_string()).unwrap_or_else(|_| "?".into())
}

/// A Python integer. Most are narrow, which is quick to find out.
pub(crate) fn wide_integer(object: &Bound<'_, PyAny>) -> PyResult<i128> {
    object.extract::<i64>().map(i128::from).or_else(|_| object.extract())
}

/// A non-negative length.
fn length(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    let wrong = || PyTypeError::new_err(format!("shape: {} is not an integer", shown(object)));
    if object.is_instance_of::<PyFloat>() {
        return Err(wrong());
    }
    let too_large = |_| PyValueError::new_err("shape: a length is too large");
    let value: i128 = if object.is_instance_of::<PyInt>() {
        wide_integer(object).map_err(too_large)?
    } else {
        object.call_method0("__index__").map_err(|_| wrong())?.extract().map_err(too_large)?
    };
    if value < 0 {
        return Err(PyValueError::new_err(format!("shape: lengths cannot be negative, got {value}")));
    }
    usize::try_from(value).map_err(|_| PyValueError::new_err(format!("shape: length {value} is too large")))
}

/// A shape: an integer or a sequence of them.
pub(crate) fn shape(object: &Bound<'_, PyAny>) -> PyResult<Dims> {
    if object.is_instance_of::<PyInt>() {
        return Ok(Dims::from_slice(&[length(object)?]));
    }
    if let Ok(tuple) = object.cast::<PyTuple>() {
        return tuple.iter_borrowed().map(|item| length(&item)).collect();
    }
    if let Ok(list) = object.cast::<PyList>() {
        return list.iter().map(|item| length(&item)).collect();
    }
    if let Ok(list) = object.call_method0("tolist") {
        return shape(&list);
    }
    if object.hasattr("__index__")? {
        return Ok(Dims::from_slice(&[length(object)?]));
    }
    Err(PyTypeError::new_err(format!("shape: expected an integer or a tuple of integers, got {}", type_name(object))))
}

/// A memory order, by its letter.
pub(crate) fn order(text: &str, allowed: &str) -> PyResult<Order> {
    let letter = |text: &[u8]| if let [letter] = text { letter.to_ascii_uppercase() } else { 0 };
    match letter(text.as_bytes()) {
        b'C' if allowed.contains('C') => Ok(Order::C),
        b'F' if allowed.contains('F') => Ok(Order::F),
        b'A' if allowed.contains('A') => Ok(Order::A),
        b'K' if allowed.contains('K') => Ok(Order::K),
        _ => {
            let letters: Vec<String> = allowed.chars().map(|c| format!("'{c}'")).collect();
            Err(PyValueError::new_err(format!("order: expected {}, got {text:?}", letters.join(" or "))))
        }
    }
}

/// A USM kind, by its name.
pub(crate) fn usm_kind(object: &Bound<'_, PyAny>) -> PyResult<UsmKind> {
    let name: String = object.extract().map_err(|_| {
        PyTypeError::new_err(format!("usm_type: expected 'device', 'shared' or 'host', got {}", type_name(object)))
    })?;
    UsmKind::from_name(&name)
        .ok_or_else(|| PyValueError::new_err(format!("usm_type: expected 'device', 'shared' or 'host', got {name:?}")))
}

/// A Python float, or an integer of usual size; `None` for anything else, numbers or not.
#[inline]
pub(crate) fn plain_number(object: &Bound<'_, PyAny>) -> Option<Weak> {
    if let Ok(float) = object.cast_exact::<PyFloat>() {
        return Some(Weak::Float(float.value()));
    }
    let integer = object.cast_exact::<PyInt>().ok()?;
    let mut overflow = 0;
    // SAFETY: the object is an integer, for which this cannot fail but only overflow.
    let value = unsafe { ffi::PyLong_AsLongLongAndOverflow(integer.as_ptr(), &raw mut overflow) };
    (overflow == 0).then_some(Weak::Int(value.into()))
}

/// A Python number, or `None` for anything else. NumPy scalars are not weak: they carry a dtype.
pub(crate) fn weak(object: &Bound<'_, PyAny>) -> PyResult<Option<Weak>> {
    if object.is_exact_instance_of::<PyFloat>() {
        return Ok(Some(Weak::Float(object.extract()?)));
    }
    if object.is_exact_instance_of::<PyBool>() {
        return Ok(Some(Weak::Bool(object.extract()?)));
    }
    if object.is_instance_of::<PyInt>() {
        return Ok(Some(match wide_integer(object) {
            Ok(value) => Weak::Int(value),
            Err(_) => {
                let limit = if object.lt(0)? { f64::NEG_INFINITY } else { f64::INFINITY };
                Weak::Huge(object.extract().unwrap_or(limit))
            }
        }));
    }
    if object.is_exact_instance_of::<PyComplex>() {
        let value = object.cast::<PyComplex>()?;
        return Ok(Some(Weak::Complex(C128::new(value.real(), value.imag()))));
    }
    Ok(None)
}
