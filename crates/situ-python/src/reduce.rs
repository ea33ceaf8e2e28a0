//! Reductions, scans and differences.
//!
//! Most functions are made from the rows of [`situ_ir::statistic`]: which values a row combines says what its function
//! can be asked for.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_ir::Statistic;
use situ_tensor::{
    Accumulating, Axes, Deviating, Reducing, Tensor, Weak, accumulate, deviation, diff_joined, reduce, variance,
};
use situ_types::{DType, Order};

use crate::args::{self, shown, type_name};
use crate::array::PyArray;
use crate::errors::Outcome;
use crate::gil;
use crate::operands::{Operand, array};

type Object<'a, 'py> = &'a Bound<'py, PyAny>;
type Optional<'a, 'py> = Option<Object<'a, 'py>>;

/// An integer argument, such as an axis.
pub(crate) fn integer(function: &str, name: &str, object: Object<'_, '_>, or: &str) -> PyResult<isize> {
    // A float has no index, and an integer that is no `isize` names nothing.
    object.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(object.py()) {
            return PyValueError::new_err(format!("{function}: {name} {} is out of range", shown(object)));
        }
        PyTypeError::new_err(format!("{function}: {name} must be an integer{or}, got {}", type_name(object)))
    })
}

/// An `axis` argument of one axis.
pub(crate) fn one_axis(function: &str, axis: Object<'_, '_>) -> PyResult<isize> {
    integer(function, "axis", axis, "")
}

/// An `axis` argument: none, one, or a tuple of several.
pub(crate) fn axes(function: &str, axis: Optional<'_, '_>) -> PyResult<Axes> {
    match axis {
        None => Ok(Axes::All),
        Some(axis) => match axis.cast::<PyTuple>() {
            Ok(several) => {
                let axes: Vec<isize> = several.iter().map(|axis| one_axis(function, &axis)).collect::<PyResult<_>>()?;
                Ok(axes.as_slice().into())
            }
            Err(_) => integer(function, "axis", axis, " or a tuple of integers").map(Axes::from),
        },
    }
}

/// The arguments of a reduction.
#[derive(Default)]
struct Options<'a, 'py> {
    axis: Optional<'a, 'py>,
    dtype: Optional<'a, 'py>,
    keepdims: bool,
    out: Optional<'a, 'py>,
}

fn dtype(object: Optional<'_, '_>) -> PyResult<Option<DType>> {
    object.map(args::dtype).transpose()
}

/// The result of `work` over an array: the `out` that was given, or a new array.
fn result<'py>(
    x: &Bound<'py, PyArray>,
    out: Option<&Bound<'py, PyArray>>,
    work: impl FnOnce() -> Outcome<Tensor> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    let made = gil::released_if(gil::is_long_with(x.get().tensor()), py, work)?;
    match out {
        Some(out) => Ok(out.clone().into_any()),
        None => Ok(PyArray::new(made).into_object(py)?.into_any()),
    }
}

fn run<'py>(statistic: Statistic, x: Object<'_, 'py>, options: Options<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let name = statistic.name();
    let x = array(x, name, "x")?;
    let axes = match options.axis {
        Some(axis) if statistic.is_position() => one_axis(name, axis)?.into(),
        axis => axes(name, axis)?,
    };
    let out = options.out.map(|out| array(out, name, "out")).transpose()?;
    let how = Reducing {
        axes,
        dtype: dtype(options.dtype)?,
        keepdims: options.keepdims,
        out: out.map(|out| out.get().tensor()),
    };
    let tensor = x.get().tensor();
    result(x, out, || Ok(reduce(statistic, tensor, &how)?))
}

/// The description of a parameter that reductions have.
macro_rules! reducing {
    (axis) => {
        "    axis (SupportsIndex | tuple[SupportsIndex, ...] | None): The axes that are reduced, counted from either end; None for all of them."
    };
    (one_axis) => {
        "    axis (SupportsIndex | None): The axis along which; None for the elements of the whole array in C order."
    };
    (keepdims) => {
        "    keepdims (bool): Whether the axes that are reduced stay, with length 1."
    };
    (dtype) => {
        "    dtype (DTypeLike | None): The dtype to compute in and of the result; None for the usual one."
    };
}

/// One function: `@from` the kind of values that its row combines.
macro_rules! define_function {
    (@terms $variant:ident, $name:ident, $doc:literal, $array:literal, $options:literal, $shown:literal) => {
        #[doc = $doc]
        ///
        /// Parameters:
        ///     x (ndarray): The array.
        #[doc = reducing!(axis)]
        #[doc = reducing!(dtype)]
        #[doc = reducing!(keepdims)]
        #[doc = parameter!(out)]
        ///
        /// Returns:
        ///     ndarray: A new array, or `out`.
        ///
        /// >>> from situ import tensor
        #[doc = concat!(">>> print(tensor.", stringify!($name), "(tensor.asarray(", $array, ")", $options, "))")]
        #[doc = $shown]
        #[pyfunction]
        #[pyo3(signature = (x, /, *, axis=None, dtype=None, keepdims=false, out=None))]
        fn $name<'py>(
            x: Object<'_, 'py>,
            axis: Optional<'_, 'py>,
            dtype: Optional<'_, 'py>,
            keepdims: bool,
            out: Optional<'_, 'py>,
        ) -> PyResult<Bound<'py, PyAny>> {
            run(Statistic::$variant, x, Options { axis, dtype, keepdims, out })
        }
    };
    (@elements $axis:ident $variant:ident, $name:ident, $doc:literal, $array:literal, $options:literal, $shown:literal) => {
        #[doc = $doc]
        ///
        /// Parameters:
        ///     x (ndarray): The array.
        #[doc = reducing!($axis)]
        #[doc = reducing!(keepdims)]
        #[doc = parameter!(out)]
        ///
        /// Returns:
        ///     ndarray: A new array, or `out`.
        ///
        /// >>> from situ import tensor
        #[doc = concat!(">>> print(tensor.", stringify!($name), "(tensor.asarray(", $array, ")", $options, "))")]
        #[doc = $shown]
        #[pyfunction]
        #[pyo3(signature = (x, /, *, axis=None, keepdims=false, out=None))]
        fn $name<'py>(
            x: Object<'_, 'py>,
            axis: Optional<'_, 'py>,
            keepdims: bool,
            out: Optional<'_, 'py>,
        ) -> PyResult<Bound<'py, PyAny>> {
            run(Statistic::$variant, x, Options { axis, keepdims, out, ..Options::default() })
        }
    };
    (@bare $variant:ident, $name:ident, $doc:literal, $array:literal, $options:literal, $shown:literal) => {
        #[doc = $doc]
        ///
        /// Parameters:
        ///     x (ndarray): The array.
        #[doc = reducing!(axis)]
        #[doc = reducing!(keepdims)]
        ///
        /// Returns:
        ///     ndarray: A new array.
        ///
        /// >>> from situ import tensor
        #[doc = concat!(">>> print(tensor.", stringify!($name), "(tensor.asarray(", $array, ")", $options, "))")]
        #[doc = $shown]
        #[pyfunction]
        #[pyo3(signature = (x, /, axis=None, keepdims=false))]
        fn $name<'py>(x: Object<'_, 'py>, axis: Optional<'_, 'py>, keepdims: bool) -> PyResult<Bound<'py, PyAny>> {
            run(Statistic::$variant, x, Options { axis, keepdims, ..Options::default() })
        }
    };
}

macro_rules! function_of_row {
    (Terms, $combine:tt, $($row:tt)*) => { define_function! { @terms $($row)* } };
    (Floats, $combine:tt, $($row:tt)*) => { define_function! { @terms $($row)* } };
    (Lengths, $combine:tt, $($row:tt)*) => { define_function! { @terms $($row)* } };
    (Elements, (Op $op:ident), $($row:tt)*) => { define_function! { @elements axis $($row)* } };
    (Elements, ($search:ident), $($row:tt)*) => { define_function! { @elements one_axis $($row)* } };
    (Ones, $combine:tt, $($row:tt)*) => { define_function! { @elements axis $($row)* } };
    (Truths, $combine:tt, $($row:tt)*) => { define_function! { @bare $($row)* } };
    (Inexact, $combine:tt, $($row:tt)*) => { define_function! { @bare $($row)* } };
}

macro_rules! define_functions {
    ($([$variant:ident, $name:ident, $combine:tt, $values:ident, $finish:ident, $empty:ident, $doc:literal, $array:literal $options:literal => $shown:literal])*) => {
        $(function_of_row! { $values, $combine, $variant, $name, $doc, $array, $options, $shown })*

        fn register_statistics(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)*
            Ok(())
        }
    };
}
situ_ir::statistics!(define_functions);

macro_rules! deviations {
    ($($rust:ident, $name:literal, $function:ident, $doc:literal, $shown:literal;)*) => {$(
        #[doc = $doc]
        ///
        /// Parameters:
        ///     x (ndarray): The array, of a real dtype; integers count as floating-point numbers.
        #[doc = reducing!(axis)]
        ///     correction (float): How much less than the number of elements the sum of squares is divided by.
        #[doc = reducing!(keepdims)]
        ///
        /// Returns:
        ///     ndarray: A new array; NaN where there are not more elements than the correction. The distance between two
        ///         elements must be a finite number, else the result is NaN.
        ///
        /// >>> from situ import tensor
        #[doc = concat!(">>> print(tensor.", $name, "(tensor.asarray([1.0, 3.0, 5.0, 7.0])))")]
        #[doc = $shown]
        #[pyfunction]
        #[pyo3(name = $name, signature = (x, /, axis=None, correction=0.0, keepdims=false))]
        fn $rust<'py>(
            x: Object<'_, 'py>,
            axis: Optional<'_, 'py>,
            correction: f64,
            keepdims: bool,
        ) -> PyResult<Bound<'py, PyAny>> {
            let x = array(x, $name, "x")?;
            let how = Deviating { axes: axes($name, axis)?, correction, keepdims };
            let tensor = x.get().tensor();
            result(x, None, || Ok($function(tensor, &how)?))
        }
    )*};
}

deviations! {
    std_, "std", deviation, "Standard deviation: the root of the mean square of the elements' distances from their mean.", "2.23606797749979";
    var, "var", variance, "Variance: the mean square of the elements' distances from their mean.", "5.0";
}

macro_rules! accumulations {
    ($($name:ident, $statistic:ident, $doc:literal, $array:literal, $shown:literal;)*) => {$(
        #[doc = $doc]
        ///
        /// Parameters:
        ///     x (ndarray): The array.
        ///     axis (SupportsIndex | None): The axis along which; an array of one dimension need not say it.
        #[doc = reducing!(dtype)]
        ///     include_initial (bool): Whether the result begins with what no element at all comes to.
        #[doc = parameter!(out)]
        ///
        /// Returns:
        ///     ndarray: A new array, or `out`.
        ///
        /// >>> from situ import tensor
        #[doc = concat!(">>> print(tensor.", stringify!($name), "(tensor.asarray(", $array, ")))")]
        #[doc = $shown]
        #[pyfunction]
        #[pyo3(signature = (x, /, *, axis=None, dtype=None, include_initial=false, out=None))]
        fn $name<'py>(
            x: Object<'_, 'py>,
            axis: Optional<'_, 'py>,
            dtype: Optional<'_, 'py>,
            include_initial: bool,
            out: Optional<'_, 'py>,
        ) -> PyResult<Bound<'py, PyAny>> {
            const NAME: &str = stringify!($name);
            let x = array(x, NAME, "x")?;
            let out = out.map(|out| array(out, NAME, "out")).transpose()?;
            let how = Accumulating {
                axis: axis.map(|axis| one_axis(NAME, axis)).transpose()?,
                dtype: self::dtype(dtype)?,
                include_initial,
                out: out.map(|out| out.get().tensor()),
            };
            let tensor = x.get().tensor();
            result(x, out, || Ok(accumulate(NAME, Statistic::$statistic, tensor, &how)?))
        }
    )*};
}

accumulations! {
    cumulative_sum, Sum, "Sum of the elements up to each of them, along an axis.", "[1, 2, 3, 4]", "[ 1  3  6 10]";
    cumulative_prod, Prod, "Product of the elements up to each of them, along an axis.", "[1, 2, 3, 4]", "[ 1  2  6 24]";
    cumulative_logsumexp, Logsumexp, "Logarithm of the sum of e raised to the elements up to each of them, along an axis.", "[0.0, 0.0, 0.0]", "[0.         0.69314718 1.09861229]";
}

/// Differences of neighbours along an axis; of truth values, whether they differ.
///
/// Parameters:
///     x (ndarray): The array.
///     axis (SupportsIndex): The axis along which.
///     n (SupportsIndex): How many times differences are taken.
///     prepend (ndarray | Number | None): What comes before the elements along the axis: an array of the same shape off it, or
///         a number.
///     append (ndarray | Number | None): What comes after them.
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> tensor.diff(tensor.asarray([1, 4, 9, 16]))
/// ndarray([3, 5, 7])
#[pyfunction]
#[pyo3(signature = (x, /, *, axis=None, n=None, prepend=None, append=None))]
#[pyo3(text_signature = "(x, /, *, axis=-1, n=1, prepend=None, append=None)")]
fn diff<'py>(
    x: Object<'_, 'py>,
    axis: Optional<'_, 'py>,
    n: Optional<'_, 'py>,
    prepend: Optional<'_, 'py>,
    append: Optional<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let x = array(x, "diff", "x")?;
    let tensor = x.get().tensor();
    let axis = axis.map_or(Ok(-1), |axis| one_axis("diff", axis))?;
    let times = n.map_or(Ok(1), |n| integer("diff", "n", n, ""))?;
    let times = usize::try_from(times)
        .map_err(|_| PyValueError::new_err(format!("diff: n must not be negative, got {times}")))?;
    let end = |name: &str, object: Object<'_, 'py>| match Operand::parse(object, tensor)? {
        Some(Operand::Array(array)) => Ok(array.get().tensor().clone()),
        Some(Operand::Brought(tensor)) => Ok(tensor),
        Some(Operand::Weak(number)) => number_like(number, tensor),
        None => Err(PyTypeError::new_err(format!(
            "diff: {name} must be an array or a number, got {}; convert it with situ.tensor.asarray first",
            type_name(object)
        ))),
    };
    let prepend = prepend.map(|object| end("prepend", object)).transpose()?;
    let append = append.map(|object| end("append", object)).transpose()?;
    result(x, None, || Ok(diff_joined(tensor, times, axis, prepend.as_ref(), append.as_ref())?))
}

/// A number as an array without axes, in the dtype it would have beside another one.
fn number_like(number: Weak, like: &Tensor) -> PyResult<Tensor> {
    let dtype = number.combine(like.dtype(), like.device().float_support());
    let made =
        || -> Outcome<Tensor> { Ok(Tensor::full(&[], number.to_scalar(dtype)?, Order::C, like.kind(), like.queue())?) };
    Ok(made()?)
}

/// Puts the functions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_statistics(module)?;
    module.add_function(wrap_pyfunction!(std_, module)?)?;
    module.add_function(wrap_pyfunction!(var, module)?)?;
    module.add_function(wrap_pyfunction!(cumulative_sum, module)?)?;
    module.add_function(wrap_pyfunction!(cumulative_prod, module)?)?;
    module.add_function(wrap_pyfunction!(cumulative_logsumexp, module)?)?;
    module.add_function(wrap_pyfunction!(diff, module)?)
}
