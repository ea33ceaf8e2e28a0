//! Arrays without contents, or with the same number everywhere.

use pyo3::prelude::*;
use situ_runtime::Queue;
use situ_tensor::{Error, Tensor, Weak};
use situ_types::{DType, Layout, UsmKind};

use super::{Object, Optional, Place, made_of, named_dtype};
use crate::args;
use crate::array::PyArray;
use crate::errors::Raised;
use crate::operands;

/// What a new array will be.
pub(super) struct Blank {
    pub(super) layout: Layout,
    pub(super) dtype: DType,
    pub(super) kind: UsmKind,
    pub(super) queue: Queue,
}

/// A dense layout of the shape and order that are given.
pub(super) fn dense(function: &str, shape: Object<'_, '_>, order: &str) -> PyResult<Layout> {
    let (shape, order) = (args::shape(shape)?, args::order(order, "CF")?);
    let layout = Layout::dense(&shape, order);
    Ok(layout.map_err(|source| Raised::from(Error::Layout { operation: function.into(), source }))?)
}

/// An array of the shape.
fn of_shape(
    function: &str,
    shape: Object<'_, '_>,
    dtype: Optional<'_, '_>,
    order: &str,
    place: Place<'_, '_>,
) -> PyResult<Blank> {
    let layout = dense(function, shape, order)?;
    let (dtype, kind) = (named_dtype(dtype)?, place.kind_or_device()?);
    let queue = place.queue(shape.py())?;
    let dtype = dtype.unwrap_or_else(|| queue.device().float_support().default_float());
    Ok(Blank { layout, dtype, kind, queue })
}

/// An array like another one, except for what is given.
pub(super) fn like(
    function: &str,
    x: Object<'_, '_>,
    dtype: Option<DType>,
    order: &str,
    place: Place<'_, '_>,
) -> PyResult<Blank> {
    let tensor = operands::tensor(x, function, "x")?;
    let layout = tensor.layout().like(args::order(order, "CFAK")?);
    let kind = place.kind()?.unwrap_or(tensor.kind());
    let queue = place.queue_or(|| Ok(tensor.queue().clone()))?;
    let dtype = dtype.unwrap_or_else(|| queue.device().float_support().nearest(tensor.dtype()));
    Ok(Blank { layout, dtype, kind, queue })
}

impl Blank {
    /// The array with undefined contents, or filled with an integer.
    fn make<'py>(self, py: Python<'py>, function: &str, value: Option<i128>) -> PyResult<Bound<'py, PyArray>> {
        let Blank { layout, dtype, kind, queue } = self;
        made_of(py, layout.size().saturating_mul(dtype.size()), &queue, || {
            Ok(match value {
                None => Tensor::empty_in(function, layout, dtype, kind, &queue)?,
                Some(value) => Tensor::full_in(function, layout, Weak::Int(value).to_scalar(dtype)?, kind, &queue)?,
            })
        })
    }
}

macro_rules! blank_functions {
    ($($(#[$doc:meta])* $name:ident = $value:expr, $shown:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// Parameters:
        ///     shape (ShapeLike): The lengths of its axes, or the only one.
        ///     dtype (DTypeLike | None): The dtype of the elements; None for the device's default float.
        #[doc = parameter!(dense_order)]
        #[doc = parameter!(place)]
        ///
        /// Returns:
        ///     ndarray: A new array.
        ///
        /// >>> from situ import tensor
        #[doc = concat!(">>> tensor.", stringify!($name), "(3, dtype='int8')")]
        #[doc = $shown]
        #[pyfunction]
        #[pyo3(signature = (shape, *, dtype=None, order="C", device=None, usm_type=None, sycl_queue=None, queue=None))]
        fn $name<'py>(
            shape: Object<'_, 'py>,
            dtype: Optional<'_, '_>,
            order: &str,
            device: Optional<'_, '_>,
            usm_type: Optional<'_, '_>,
            sycl_queue: Optional<'_, '_>,
            queue: Optional<'_, '_>,
        ) -> PyResult<Bound<'py, PyArray>> {
            let place = Place { device, usm_type, sycl_queue, queue };
            let blank = of_shape(stringify!($name), shape, dtype, order, place)?;
            blank.make(shape.py(), stringify!($name), $value)
        }
    )*};
}

macro_rules! like_functions {
    ($($(#[$doc:meta])* $name:ident = $value:expr, $shown:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// Parameters:
        ///     x (ndarray): The array whose shape, dtype and place the new one has, unless others are named.
        ///     dtype (DTypeLike | None): The dtype of the elements; None for that of `x`.
        #[doc = parameter!(order)]
        #[doc = parameter!(place)]
        ///
        /// Returns:
        ///     ndarray: A new array.
        ///
        /// >>> from situ import tensor
        #[doc = concat!(">>> tensor.", stringify!($name), "(tensor.arange(3))")]
        #[doc = $shown]
        #[pyfunction]
        #[pyo3(signature = (x, /, *, dtype=None, order="K", device=None, usm_type=None, sycl_queue=None, queue=None))]
        fn $name<'py>(
            x: Object<'_, 'py>,
            dtype: Optional<'_, '_>,
            order: &str,
            device: Optional<'_, '_>,
            usm_type: Optional<'_, '_>,
            sycl_queue: Optional<'_, '_>,
            queue: Optional<'_, '_>,
        ) -> PyResult<Bound<'py, PyArray>> {
            let place = Place { device, usm_type, sycl_queue, queue };
            let blank = like(stringify!($name), x, named_dtype(dtype)?, order, place)?;
            blank.make(x.py(), stringify!($name), $value)
        }
    )*};
}

blank_functions! {
    /// A new array whose contents are undefined.
    empty = None, "ndarray([...], dtype=int8)";
    /// A new array of zeros.
    zeros = Some(0), "ndarray([0, 0, 0], dtype=int8)";
    /// A new array of ones.
    ones = Some(1), "ndarray([1, 1, 1], dtype=int8)";
}

like_functions! {
    /// A new array like another one, whose contents are undefined.
    empty_like = None, "ndarray([...])";
    /// A new array of zeros like another one.
    zeros_like = Some(0), "ndarray([0, 0, 0])";
    /// A new array of ones like another one.
    ones_like = Some(1), "ndarray([1, 1, 1])";
}

/// Puts the functions into the module.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(empty, module)?)?;
    module.add_function(wrap_pyfunction!(zeros, module)?)?;
    module.add_function(wrap_pyfunction!(ones, module)?)?;
    module.add_function(wrap_pyfunction!(empty_like, module)?)?;
    module.add_function(wrap_pyfunction!(zeros_like, module)?)?;
    module.add_function(wrap_pyfunction!(ones_like, module)?)
}
