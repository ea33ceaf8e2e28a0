//! Questions about dtypes.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyTuple};
use situ_tensor::{Tensor, Weak};
use situ_types::{C128, DType, FloatSupport, promote_all};

use crate::args::{dtype, dtype_object, numpy, shown, type_name};
use crate::array::PyArray;
use crate::creation::casting_rule;

/// Whether one dtype, or an array's, may be converted to another under a casting rule.
///
/// Parameters:
///     from_ (DTypeLike | ndarray): A dtype, or an array.
///     to (DTypeLike): The dtype to convert to.
#[doc = parameter!(casting)]
///
/// Returns:
///     bool: Whether it may.
///
/// >>> from situ import tensor
/// >>> tensor.can_cast("int32", "float64"), tensor.can_cast("int64", "int32")
/// (True, False)
#[pyfunction]
#[pyo3(signature = (from_, to, /, *, casting="safe"))]
fn can_cast(from_: &Bound<'_, PyAny>, to: &Bound<'_, PyAny>, casting: &str) -> PyResult<bool> {
    let rule = casting_rule(casting)?;
    if to.is_instance_of::<PyArray>() {
        return Err(PyTypeError::new_err("can_cast: to must be a dtype, got an array; pass its .dtype"));
    }
    let to = named(to, "can_cast: to")?;
    Ok(match from_.cast::<PyArray>() {
        Ok(array) => {
            let tensor = array.get().tensor();
            rule.allows_on(tensor.dtype(), to, tensor.device().float_support())
        }
        Err(_) => rule.allows(named(from_, "can_cast: from_")?, to),
    })
}

/// A dtype argument. To NumPy, None is float64 and a number nothing at all.
fn named(object: &Bound<'_, PyAny>, what: &str) -> PyResult<DType> {
    if object.is_none() || weak_kind(object).is_some() {
        return Err(PyTypeError::new_err(format!("{what} must be a dtype, got {}", shown(object))));
    }
    dtype(object)
}

/// A Python number as far as promotion asks for it, which is by its kind.
fn weak_kind(object: &Bound<'_, PyAny>) -> Option<Weak> {
    if object.is_exact_instance_of::<PyBool>() {
        Some(Weak::Bool(false))
    } else if object.is_instance_of::<PyInt>() {
        Some(Weak::Int(0))
    } else if object.is_exact_instance_of::<PyFloat>() {
        Some(Weak::Float(0.0))
    } else if object.is_exact_instance_of::<PyComplex>() {
        Some(Weak::Complex(C128::new(0.0, 0.0)))
    } else {
        None
    }
}

/// The dtype that combines arrays, dtypes and Python numbers.
///
/// Parameters:
///     arrays_and_dtypes (DTypeLike | ndarray | HostArray | complex): What is combined, in any order.
///
/// Returns:
///     numpy.dtype[Any]: The dtype.
///
/// >>> from situ import tensor
/// >>> tensor.result_type(tensor.int8, tensor.uint8), tensor.result_type(tensor.ones(2, dtype="f4"), 2.5)
/// (dtype('int16'), dtype('float32'))
#[pyfunction]
#[pyo3(signature = (*arrays_and_dtypes))]
fn result_type<'py>(arrays_and_dtypes: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    let py = arrays_and_dtypes.py();
    let numpy = numpy(py)?;
    let (array_class, scalar_class) = (numpy.getattr("ndarray")?, numpy.getattr("generic")?);
    let mut strong: Vec<DType> = Vec::new();
    let mut numbers: Vec<Weak> = Vec::new();
    let mut place: Option<Tensor> = None;
    for object in arrays_and_dtypes.iter() {
        if let Some(number) = weak_kind(&object) {
            numbers.push(number);
            continue;
        }
        let found = if let Ok(array) = object.cast::<PyArray>() {
            let tensor = array.get().tensor();
            agree(&mut place, tensor)?;
            tensor.dtype()
        } else if object.is_instance(&array_class)? || object.is_instance(&scalar_class)? {
            dtype(&object.getattr("dtype")?)?
        } else if object.is_none() {
            return Err(PyTypeError::new_err("result_type: None is not a dtype"));
        } else {
            dtype(&object).map_err(|error| {
                let given =
                    format!("result_type: {} {} is not a dtype, array or number", type_name(&object), shown(&object));
                if error.is_instance_of::<PyTypeError>(py) { PyTypeError::new_err(given) } else { error }
            })?
        };
        strong.push(found);
    }
    let floats = place.as_ref().map_or(FloatSupport::ALL, |tensor| tensor.device().float_support());
    let start = promote_all(strong).or(promote_all(numbers.iter().map(|number| number.default_dtype(floats))));
    let start =
        start.ok_or_else(|| PyValueError::new_err("result_type: at least one array, dtype or number is needed"))?;
    let result = numbers.iter().fold(start, |dtype, number| number.combine(dtype, floats));
    dtype_object(py, floats.nearest(result))
}

/// Arrays that are combined are on devices that have the same dtypes.
fn agree(place: &mut Option<Tensor>, tensor: &Tensor) -> PyResult<()> {
    let Some(first) = place else {
        *place = Some(tensor.clone());
        return Ok(());
    };
    if first.device().float_support() == tensor.device().float_support() {
        return Ok(());
    }
    Err(PyValueError::new_err(format!(
        "result_type: {} and {} differ in the floating-point dtypes they have; bring the arrays to one device first",
        first.device().label(),
        tensor.device().label()
    )))
}

/// Puts the functions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(can_cast, module)?)?;
    module.add_function(wrap_pyfunction!(result_type, module)?)
}
