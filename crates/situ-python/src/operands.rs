//! Operands from Python: arrays of situ, numbers, and what NumPy makes arrays of.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use situ_tensor::{Arg, Tensor, Weak};
use situ_types::Order;

use crate::args::{self, numpy, plain_number, type_name, weak};
use crate::array::PyArray;
use crate::creation::{device_data, from_host_like, from_numpy_like, is_numpy};

/// An operand, kept alive for the call.
pub(crate) enum Operand<'a, 'py> {
    Array(&'a Bound<'py, PyArray>),
    /// Something of the host's, brought to the queue of an array of the same call.
    Brought(Tensor),
    Weak(Weak),
}

impl<'a, 'py> Operand<'a, 'py> {
    /// What `situ-tensor` takes.
    #[inline]
    pub(crate) fn arg(&self) -> Arg<'_> {
        match self {
            Operand::Array(array) => Arg::Array(array.get().tensor()),
            Operand::Brought(tensor) => Arg::Array(tensor),
            Operand::Weak(weak) => Arg::Weak(*weak),
        }
    }

    /// Parses an array, a number, memory on a device, or what the host has as an array or scalar of NumPy or a buffer,
    /// as ctypes' numbers are, which goes to the queue of `near`. `None` for anything else.
    #[inline(never)]
    pub(crate) fn parse(object: &'a Bound<'py, PyAny>, near: &Tensor) -> PyResult<Option<Operand<'a, 'py>>> {
        if let Ok(array) = object.cast::<PyArray>() {
            return Ok(Some(Operand::Array(array)));
        }
        if let Some(weak) = weak(object)? {
            return Ok(Some(Operand::Weak(weak)));
        }
        if is_numpy(object)? {
            return Ok(Some(Operand::Brought(from_numpy_like(object, near)?)));
        }
        if let Some(tensor) = device_data(object)? {
            return Ok(Some(Operand::Brought(tensor)));
        }
        match buffer(object) {
            Some(view) => Ok(Some(Operand::Brought(from_numpy_like(&view, near)?))),
            None => Ok(None),
        }
    }

    /// Parses what goes into an array: also anything that NumPy makes an array of.
    pub(crate) fn value(object: &'a Bound<'py, PyAny>, target: &Tensor) -> PyResult<Operand<'a, 'py>> {
        if let Ok(array) = object.cast::<PyArray>() {
            return Ok(Operand::Array(array));
        }
        match weak(object)? {
            Some(weak) => Ok(Operand::Weak(weak)),
            None => from_numpy_like(object, target).map(Operand::Brought),
        }
    }
}

/// A view of an object with the buffer protocol.
fn buffer<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    object.py().import("builtins").and_then(|builtins| builtins.call_method1("memoryview", (object,))).ok()
}

/// Indices or a mask: an array of situ, or anything NumPy makes an array of, brought to another array's queue.
pub(crate) fn indices(object: &Bound<'_, PyAny>, near: &Tensor) -> PyResult<Tensor> {
    indices_named(object, near, "operand")
}

/// The same for an argument that errors name.
pub(crate) fn indices_named(object: &Bound<'_, PyAny>, near: &Tensor, name: &str) -> PyResult<Tensor> {
    if let Ok(array) = object.cast::<PyArray>() {
        return Ok(array.get().tensor().clone());
    }
    let host = numpy(object.py())?.call_method1("asarray", (object,))?;
    let is_empty_list = host.getattr("size")?.extract::<usize>()? == 0 && !host.is(object);
    let host = if is_empty_list { host.call_method1("astype", ("int64",))? } else { host };
    from_host_like(&host, near, name)
}

/// An argument that must be an array of situ.
pub(crate) fn array<'a, 'py>(
    object: &'a Bound<'py, PyAny>,
    function: &str,
    name: &str,
) -> PyResult<&'a Bound<'py, PyArray>> {
    object.cast::<PyArray>().map_err(|_| {
        PyTypeError::new_err(format!(
            "{function}: {name} must be an array of situ, got {}; convert it with situ.tensor.asarray first",
            type_name(object)
        ))
    })
}

/// The same, as `situ-tensor` takes it.
pub(crate) fn tensor<'a>(object: &'a Bound<'_, PyAny>, function: &str, name: &str) -> PyResult<&'a Tensor> {
    Ok(array(object, function, name)?.get().tensor())
}

/// An `out` argument.
pub(crate) fn output<'a, 'py>(object: Option<&'a Bound<'py, PyAny>>) -> PyResult<Option<&'a Bound<'py, PyArray>>> {
    let Some(object) = object.filter(|object| !object.is_none()) else { return Ok(None) };
    let array = object.cast::<PyArray>();
    let wrong = |_| PyTypeError::new_err(format!("out: expected an array of situ, got {}", type_name(object)));
    array.map(Some).map_err(wrong)
}

/// An `order` argument.
pub(crate) fn order(object: &Bound<'_, PyAny>) -> PyResult<Order> {
    args::order(&object.cast::<PyString>()?.to_cow()?, "CFAK")
}

/// The operands of one call, at least one of them an array.
pub(crate) struct Operands<'a, 'py, const N: usize>([Operand<'a, 'py>; N]);

impl<'a, 'py, const N: usize> Operands<'a, 'py, N> {
    /// Parses them; NumPy's go where the first array is.
    pub(crate) fn parse(function: &str, objects: [&'a Bound<'py, PyAny>; N]) -> PyResult<Operands<'a, 'py, N>> {
        let Some(near) = objects.iter().find_map(|object| object.cast::<PyArray>().ok()) else {
            return Err(PyTypeError::new_err(format!(
                "{function}: at least one operand must be an array of situ; convert with situ.tensor.asarray first"
            )));
        };
        let near = near.get().tensor();
        let mut parsed = [const { Operand::Weak(Weak::Bool(false)) }; N];
        for (i, (parsed, object)) in parsed.iter_mut().zip(objects).enumerate() {
            *parsed = Operand::parse(object, near)?.ok_or_else(|| {
                let found = type_name(object);
                PyTypeError::new_err(format!("{function}: operand {} is a {found}, not an array", i + 1))
            })?;
        }
        Ok(Operands(parsed))
    }

    /// What `situ-tensor` takes.
    pub(crate) fn args(&self) -> [Arg<'_>; N] {
        self.0.each_ref().map(Operand::arg)
    }
}

/// An operand that needs no parsing: an array, a float or an integer of usual size.
#[inline(always)]
pub(crate) fn plain<'a>(object: &'a Bound<'_, PyAny>) -> Option<Arg<'a>> {
    match object.cast_exact::<PyArray>() {
        Ok(array) => Some(Arg::Array(array.get().tensor())),
        Err(_) => plain_number(object).map(Arg::Weak),
    }
}

/// The operands where none needs parsing and one is an array: the usual case.
#[inline(always)]
pub(crate) fn all_plain<'a, const N: usize>(objects: &[&'a Bound<'_, PyAny>; N]) -> Option<[Arg<'a>; N]> {
    let (mut args, mut any_array) = ([Arg::Weak(Weak::Bool(false)); N], false);
    for (arg, object) in args.iter_mut().zip(objects) {
        *arg = plain(object)?;
        any_array |= matches!(arg, Arg::Array(_));
    }
    any_array.then_some(args)
}
