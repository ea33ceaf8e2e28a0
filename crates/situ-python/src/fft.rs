//! Fourier transforms: `situ.tensor.fft`.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use situ_tensor::fft::{self as transforms, Along, Norm, Over};
use situ_tensor::{Axes, Result, Tensor};
use smallvec::SmallVec;

use crate::args::{shown, type_name};
use crate::array::PyArray;
use crate::creation::{Place, named_dtype};
use crate::gil;
use crate::manipulate::{Axis, integers};
use crate::operands::tensor;
use crate::reduce::integer;

type Object<'a, 'py> = &'a Bound<'py, PyAny>;
type Optional<'a, 'py> = Option<Object<'a, 'py>>;
type Array<'py> = PyResult<Bound<'py, PyArray>>;
type Integers = SmallVec<[isize; 4]>;

/// A `norm` argument.
fn norm(function: &str, object: Optional<'_, '_>) -> PyResult<Norm> {
    let Some(object) = object else { return Ok(Norm::Backward) };
    let wrong = |_| {
        let found = type_name(object);
        PyTypeError::new_err(format!("{function}: norm must be 'backward', 'ortho' or 'forward', got {found}"))
    };
    let name: String = object.extract().map_err(wrong)?;
    Norm::from_name(&name).ok_or_else(|| {
        PyValueError::new_err(format!(
            "{function}: norm must be 'backward', 'ortho' or 'forward', got {}",
            shown(object)
        ))
    })
}

/// A new array made of one.
fn made<'py>(x: Object<'_, 'py>, source: &Tensor, make: impl FnOnce() -> Result<Tensor> + Send) -> Array<'py> {
    let py = x.py();
    PyArray::new(gil::released_if(gil::is_long_with(source), py, || Ok(make()?))?).into_object(py)
}

/// A transform along one axis.
fn along<'py>(
    name: &str,
    transform: fn(&Tensor, &Along) -> Result<Tensor>,
    x: Object<'_, 'py>,
    n: Optional<'_, '_>,
    axis: &Axis<'py>,
    wanted: Optional<'_, '_>,
) -> Array<'py> {
    let source = tensor(x, name, "x")?;
    let n = n.map(|n| integer(name, "n", n, " or None")).transpose()?;
    let how = Along { n, axis: axis.or(name, -1)?, norm: norm(name, wanted)? };
    // A short sequence may become a long one.
    let is_longer = n.is_some_and(|n| n > 1024);
    let py = x.py();
    let takes_long = is_longer || gil::is_long_with(source);
    PyArray::new(gil::released_if(takes_long, py, || Ok(transform(source, &how)?))?).into_object(py)
}

/// A transform along several axes.
fn over<'py>(
    name: &str,
    transform: fn(&Tensor, &Over<'_>) -> Result<Tensor>,
    x: Object<'_, 'py>,
    [s, axes]: [Optional<'_, '_>; 2],
    wanted: Optional<'_, '_>,
) -> Array<'py> {
    let source = tensor(x, name, "x")?;
    let s: Option<Integers> = s.map(|s| integers(name, "s", s)).transpose()?;
    let axes: Option<Integers> = axes.map(|axes| integers(name, "axes", axes)).transpose()?;
    let how = Over { s: s.as_deref(), axes: axes.as_deref(), norm: norm(name, wanted)? };
    let py = x.py();
    let takes_long = s.is_some() || gil::is_long_with(source);
    PyArray::new(gil::released_if(takes_long, py, || Ok(transform(source, &how)?))?).into_object(py)
}

macro_rules! along_functions {
    ($($(#[$doc:meta])* $name:ident($n:literal): $(#[$example:meta])*;)*) => {$(
        $(#[$doc])*
        ///
        /// Parameters:
        ///     x (ndarray): The array.
        #[doc = concat!("    n (SupportsIndex | None): ", $n)]
        ///     axis (SupportsIndex): The axis, counted from either end.
        ///     norm (str | None): What is divided by n: the inverse transform ('backward', also None), the forward one ('forward'),
        ///         or each by its square root ('ortho').
        ///
        /// Returns:
        ///     ndarray: A new array.
        ///
        /// >>> from situ import tensor
        $(#[$example])*
        #[pyfunction]
        #[pyo3(signature = (x, /, *, n=None, axis=Axis(None), norm=None))]
        #[pyo3(text_signature = "(x, /, *, n=None, axis=-1, norm='backward')")]
        fn $name<'py>(x: Object<'_, 'py>, n: Optional<'_, '_>, axis: Axis<'py>, norm: Optional<'_, '_>) -> Array<'py> {
            along(stringify!($name), transforms::$name, x, n, &axis, norm)
        }
    )*};
}

along_functions! {
    /// The discrete Fourier transform along an axis.
    ///
    /// Element k is the sum of x[j] exp(-2πi jk / n) over all j. Any length will do; products of small primes are the fastest.
    /// Single precision stays single, float16 becomes complex64, and integers are converted to the device's default float.
    fft("The number of elements of a transform; None for those of the axis. Longer ones are cut, and zeros follow shorter ones."):
    /// >>> print(tensor.fft.fft(tensor.asarray([0., 1., 0., 0.])))
    /// [ 1.+0.j  0.-1.j -1.+0.j  0.+1.j]
    ;
    /// The inverse discrete Fourier transform along an axis.
    ifft("The number of elements of a transform; None for those of the axis. Longer ones are cut, and zeros follow shorter ones."):
    /// >>> print(tensor.fft.ifft(tensor.asarray([4., 0., 0., 0.])))
    /// [1.+0.j 1.+0.j 1.+0.j 1.+0.j]
    ;
    /// The first half of the discrete Fourier transform of real numbers along an axis.
    ///
    /// The result has n // 2 + 1 elements along the axis. The others would be the conjugates of these.
    rfft("The number of elements of a transform; None for those of the axis. Longer ones are cut, and zeros follow shorter ones."):
    /// >>> print(tensor.fft.rfft(tensor.asarray([0., 1., 0., 0.])))
    /// [ 1.+0.j  0.-1.j -1.+0.j]
    ;
    /// The inverse of `rfft`: real numbers from the first half of their transform.
    ///
    /// The imaginary parts of the first element, and of the last where n is even, do not count.
    irfft("The number of elements of the result along the axis; None for 2 * (m - 1), where the axis has m."):
    /// >>> print(tensor.fft.irfft(tensor.asarray([1, -1j, -1])))
    /// [0. 1. 0. 0.]
    ;
    /// The discrete Fourier transform of a sequence whose second half is the conjugates of the first: real numbers.
    hfft("The number of elements of the result along the axis; None for 2 * (m - 1), where the axis has m."):
    /// >>> print(tensor.fft.hfft(tensor.asarray([1, 1j, -1])))
    /// [0. 4. 0. 0.]
    ;
    /// The inverse of `hfft`: the first half of the inverse transform of real numbers.
    ihfft("The number of elements of a transform; None for those of the axis. Longer ones are cut, and zeros follow shorter ones."):
    /// >>> print(tensor.fft.ihfft(tensor.asarray([0., 4., 0., 0.])))
    /// [ 1.-0.j  0.+1.j -1.-0.j]
    ;
}

macro_rules! over_functions {
    ($($(#[$doc:meta])* $name:ident, $shown:literal, $axes:literal: $(#[$example:meta])*;)*) => {$(
        $(#[$doc])*
        ///
        /// Parameters:
        ///     x (ndarray): The array.
        ///     s (SupportsIndex | Sequence[SupportsIndex] | None): The number of elements along each axis, or -1 for those that
        ///         it has; None for all of them. Longer axes are cut, and zeros follow shorter ones.
        #[doc = concat!("    axes (SupportsIndex | Sequence[SupportsIndex] | None): ", $axes)]
        ///     norm (str | None): What is divided by n, the product of the lengths: the inverse transform ('backward', also
        ///         None), the forward one ('forward'), or each by its square root ('ortho').
        ///
        /// Returns:
        ///     ndarray: A new array.
        ///
        /// >>> from situ import tensor
        $(#[$example])*
        #[pyfunction]
        #[pyo3(signature = (x, /, *, s=None, axes=None, norm=None))]
        #[pyo3(text_signature = $shown)]
        fn $name<'py>(
            x: Object<'_, 'py>,
            s: Optional<'_, '_>,
            axes: Optional<'_, '_>,
            norm: Optional<'_, '_>,
        ) -> Array<'py> {
            over(stringify!($name), transforms::$name, x, [s, axes], norm)
        }
    )*};
}

over_functions! {
    /// The discrete Fourier transform along several axes.
    fftn, "(x, /, *, s=None, axes=None, norm='backward')",
    "The axes, counted from either end; None for the last ones, as many as `s` has lengths, or all.":
    /// >>> print(tensor.fft.fftn(tensor.asarray([[1., 2.], [3., 4.]])))
    /// [[10.+0.j -2.+0.j]
    ///  [-4.+0.j  0.+0.j]]
    ;
    /// The inverse discrete Fourier transform along several axes.
    ifftn, "(x, /, *, s=None, axes=None, norm='backward')",
    "The axes, counted from either end; None for the last ones, as many as `s` has lengths, or all.":
    /// >>> print(tensor.fft.ifftn(tensor.asarray([[10., -2.], [-4., 0.]])))
    /// [[1.+0.j 2.+0.j]
    ///  [3.+0.j 4.+0.j]]
    ;
    /// The discrete Fourier transform of real numbers along several axes, of the last of which it is the first half.
    rfftn, "(x, /, *, s=None, axes=None, norm='backward')",
    "The axes, counted from either end; None for the last ones, as many as `s` has lengths, or all.":
    /// >>> tensor.fft.rfftn(tensor.ones((4, 6))).shape
    /// (4, 4)
    ;
    /// The inverse of `rfftn`. The last of the axes gets 2 * (m - 1) elements of m, where `s` does not say otherwise.
    irfftn, "(x, /, *, s=None, axes=None, norm='backward')",
    "The axes, counted from either end; None for the last ones, as many as `s` has lengths, or all.":
    /// >>> tensor.fft.irfftn(tensor.ones((4, 4))).shape
    /// (4, 6)
    ;
    /// The discrete Fourier transform of matrices: `fftn` along the last two axes, unless others are named.
    fft2, "(x, /, *, s=None, axes=(-2, -1), norm='backward')",
    "The axes, counted from either end.":
    /// >>> tensor.fft.fft2(tensor.ones((3, 4, 6))).shape
    /// (3, 4, 6)
    ;
    /// The inverse discrete Fourier transform of matrices: `ifftn` along the last two axes, unless others are named.
    ifft2, "(x, /, *, s=None, axes=(-2, -1), norm='backward')",
    "The axes, counted from either end.":
    /// >>> tensor.fft.ifft2(tensor.ones((3, 4, 6))).shape
    /// (3, 4, 6)
    ;
    /// The discrete Fourier transform of real matrices: `rfftn` along the last two axes, unless others are named.
    rfft2, "(x, /, *, s=None, axes=(-2, -1), norm='backward')",
    "The axes, counted from either end.":
    /// >>> tensor.fft.rfft2(tensor.ones((3, 4, 6))).shape
    /// (3, 4, 4)
    ;
    /// The inverse of `rfft2`: `irfftn` along the last two axes, unless others are named.
    irfft2, "(x, /, *, s=None, axes=(-2, -1), norm='backward')",
    "The axes, counted from either end.":
    /// >>> tensor.fft.irfft2(tensor.ones((3, 4, 4))).shape
    /// (3, 4, 6)
    ;
}

macro_rules! frequency_functions {
    ($($(#[$doc:meta])* $name:ident: $(#[$example:meta])*;)*) => {$(
        $(#[$doc])*
        ///
        /// Parameters:
        ///     n (SupportsIndex): The number of samples that are transformed.
        ///     d (float): The distance of samples; frequencies are in its reciprocal.
        ///     dtype (DTypeLike | None): The dtype of the elements; None for the device's default float.
        #[doc = parameter!(place)]
        ///
        /// Returns:
        ///     ndarray: A new array of one dimension.
        ///
        /// >>> from situ import tensor
        $(#[$example])*
        #[pyfunction]
        #[pyo3(signature = (n, /, *, d=1.0, dtype=None, device=None, usm_type=None, sycl_queue=None, queue=None))]
        #[allow(clippy::too_many_arguments, reason = "the Array API's signature, and the keywords of placement")]
        fn $name<'py>(
            n: Object<'_, 'py>,
            d: f64,
            dtype: Optional<'_, '_>,
            device: Optional<'_, '_>,
            usm_type: Optional<'_, '_>,
            sycl_queue: Optional<'_, '_>,
            queue: Optional<'_, '_>,
        ) -> Array<'py> {
            let (py, place) = (n.py(), Place { device, usm_type, sycl_queue, queue });
            let n = integer(stringify!($name), "n", n, "")?;
            let (dtype, kind, queue) = (named_dtype(dtype)?, place.kind_or_device()?, place.queue(py)?);
            let made = gil::released(py, move || Ok(transforms::$name(n, d, dtype, kind, &queue)?))?;
            PyArray::new(made).into_object(py)
        }
    )*};
}

frequency_functions! {
    /// The frequencies that the elements of a transform stand for: 0 and the positive ones, then the negative ones.
    fftfreq:
    /// >>> tensor.fft.fftfreq(4, d=0.5)
    /// ndarray([ 0. ,  0.5, -1. , -0.5])
    ;
    /// The frequencies that the elements of a transform of real numbers stand for: 0 and the positive ones.
    rfftfreq:
    /// >>> tensor.fft.rfftfreq(4, d=0.5)
    /// ndarray([0. , 0.5, 1. ])
    ;
}

/// An `axes` argument of a shift.
fn axes(function: &str, axes: Optional<'_, '_>) -> PyResult<Axes> {
    axes.map_or(Ok(Axes::All), |axes| integers(function, "axes", axes).map(Axes::Some))
}

/// An array with the first element along each axis in the middle, where a transform then has the frequency 0.
///
/// Parameters:
///     x (ndarray): The array.
///     axes (SupportsIndex | Sequence[SupportsIndex] | None): The axes, counted from either end; None for all of them.
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> tensor.fft.fftshift(tensor.arange(5))
/// ndarray([3, 4, 0, 1, 2])
#[pyfunction]
#[pyo3(name = "fftshift", signature = (x, /, *, axes=None))]
fn shift<'py>(x: Object<'_, 'py>, axes: Optional<'_, '_>) -> Array<'py> {
    let (source, axes) = (tensor(x, "fftshift", "x")?, self::axes("fftshift", axes)?);
    made(x, source, || transforms::fftshift(source, axes))
}

/// The inverse of `fftshift`.
///
/// Parameters:
///     x (ndarray): The array.
///     axes (SupportsIndex | Sequence[SupportsIndex] | None): The axes, counted from either end; None for all of them.
///
/// Returns:
///     ndarray: A new array.
///
/// >>> from situ import tensor
/// >>> tensor.fft.ifftshift(tensor.asarray([3, 4, 0, 1, 2]))
/// ndarray([0, 1, 2, 3, 4])
#[pyfunction]
#[pyo3(name = "ifftshift", signature = (x, /, *, axes=None))]
fn shift_back<'py>(x: Object<'_, 'py>, axes: Optional<'_, '_>) -> Array<'py> {
    let (source, axes) = (tensor(x, "ifftshift", "x")?, self::axes("ifftshift", axes)?);
    made(x, source, || transforms::ifftshift(source, axes))
}

macro_rules! module_of {
    ($py:expr, $($name:ident)*) => {{
        let module = PyModule::new($py, "situ.tensor.fft")?;
        $(module.add_function(wrap_pyfunction!($name, &module)?)?;)*
        Ok(module)
    }};
}

/// The functions of `situ.tensor.fft`, whose names are public there as soon as they are here.
pub(crate) fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    module_of!(py, fft ifft rfft irfft hfft ihfft fftn ifftn rfftn irfftn fft2 ifft2 rfft2 irfft2
               fftfreq rfftfreq shift shift_back)
}
