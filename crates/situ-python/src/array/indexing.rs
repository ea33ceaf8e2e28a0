//! `x[key]` and `x[key] = value`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_tensor::{Arg, Item, Tensor};
use smallvec::SmallVec;

use super::PyArray;
use super::key::{Part, first_axis};
use crate::errors::Raised;
use crate::gil;
use crate::offload::beside;
use crate::operands::Operand;

type Parts<'py> = SmallVec<[Part<'py>; 4]>;
type Items<'a> = SmallVec<[Item<'a>; 4]>;

/// The parts of a key.
fn parts<'py>(key: &Bound<'py, PyAny>, beside: &Tensor) -> PyResult<Parts<'py>> {
    match key.cast_exact::<PyTuple>() {
        Ok(tuple) => tuple.iter_borrowed().map(|item| Part::parse(&item, beside)).collect(),
        Err(_) => Ok(SmallVec::from_iter([Part::parse(key, beside)?])),
    }
}

#[pymethods]
impl PyArray {
    fn __getitem__<'py>(slf: &Bound<'py, Self>, key: &Bound<'py, PyAny>) -> PyResult<PyArray> {
        let (py, array) = (slf.py(), slf.get());
        let tensor = array.tensor();
        // The usual keys take the shortest way.
        if let Some(item) = first_axis(key)? {
            return Ok(array.derived(py, tensor.index(&[item]).map_err(Raised::from)?));
        }
        let parts = parts(&beside(slf, key)?, tensor)?;
        let items: Items<'_> = parts.iter().map(Part::item).collect();
        let is_view = items.iter().all(|item| !matches!(item, Item::Array(_) | Item::Bool(_)));
        if is_view {
            return Ok(array.derived(py, tensor.index(&items).map_err(Raised::from)?));
        }
        // The result's size is known only when the device has looked at a mask, or at indices: that may take a while.
        let copied = gil::released(py, || Ok(tensor.index(&items)?))?;
        Ok(array.derived(py, copied))
    }

    fn __setitem__<'py>(slf: &Bound<'py, Self>, key: &Bound<'py, PyAny>, value: &Bound<'py, PyAny>) -> PyResult<()> {
        let py = slf.py();
        let tensor = slf.get().tensor();
        let value = beside(slf, value)?;
        let value = Operand::value(&value, tensor)?;
        if let Some(item) = first_axis(key)?
            && let Operand::Weak(number) = value
            && !gil::is_long_with(tensor)
        {
            return Ok(tensor.set_index(&[item], Arg::Weak(number)).map_err(Raised::from)?);
        }
        let parts = parts(&beside(slf, key)?, tensor)?;
        let items: Items<'_> = parts.iter().map(Part::item).collect();
        let value = value.arg();
        let is_element = items.len() == tensor.shape().len() && items.iter().all(|item| matches!(item, Item::Int(_)));
        let is_small = |arg: &Arg<'_>| matches!(arg, Arg::Weak(_)) || matches!(arg, Arg::Array(t) if t.size() == 1);
        let is_view = items.iter().all(|item| !matches!(item, Item::Array(_) | Item::Bool(_)));
        let is_one = is_element && is_small(&value) && !tensor.queue().is_remote();
        let takes_long = !is_view || !is_one && gil::is_long_with(tensor);
        gil::released_if(takes_long, py, || Ok(tensor.set_index(&items, value)?))
    }

    fn __delitem__(&self, _key: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyValueError::new_err("elements of an array cannot be deleted; select those to keep with a mask"))
    }
}
