//! Namespaces whose functions all run on one queue, and the arrays that belong to one.
//!
//! An array belongs to the namespace whose function made it. Its operators and methods then do what functions of the
//! namespace do: operands from elsewhere are brought to the queue first, and results belong to the namespace again.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use situ_runtime::Queue;
use situ_tensor::Tensor;
use situ_types::UsmKind;

use crate::array::PyArray;
use crate::creation::nested::DEEPEST;
use crate::creation::{device_data, from_host_on, is_array};
use crate::errors::{ExecutionPlacementError, Outcome};
use crate::queue::PyQueue;

type Object<'py> = Bound<'py, PyAny>;

/// The queue of a namespace, and how its functions are called: the base of what `situ.utils.make_offload` makes.
#[pyclass(name = "Binding", module = "situ._native", frozen, subclass)]
#[derive(Debug)]
pub(crate) struct PyBinding {
    queue: Queue,
    /// Whether arrays that functions return belong to the namespace, which then is one of arrays.
    owns_results: bool,
}

#[pymethods]
impl PyBinding {
    #[new]
    #[pyo3(signature = (queue, owns_results))]
    fn new(queue: &Bound<'_, PyQueue>, owns_results: bool) -> PyBinding {
        PyBinding { queue: queue.get().0.clone(), owns_results }
    }

    /// The queue that everything runs on.
    fn get_queue(&self) -> PyQueue {
        PyQueue(self.queue.clone())
    }

    /// Calls a function with its operands on the queue. `written` has a bit for each argument that it writes to, `taken`
    /// for each that it takes from the host itself.
    #[pyo3(signature = (function, written, taken, args, options, /))]
    fn _call<'py>(
        slf: &Bound<'py, Self>,
        function: &Object<'py>,
        written: u32,
        taken: u32,
        args: &Bound<'py, PyTuple>,
        options: &Bound<'py, PyDict>,
    ) -> PyResult<Object<'py>> {
        let binding = slf.get();
        let kind =
            args.iter_borrowed().find_map(|arg| arg.cast::<PyArray>().ok().map(|array| array.get().tensor().kind()));
        let kind = kind.unwrap_or(UsmKind::Device);
        let mut moved: Option<Vec<Object<'py>>> = None;
        for (n, arg) in args.iter_borrowed().enumerate() {
            let has = |bits: u32| n < 32 && bits >> n & 1 == 1;
            let brought = if has(written) {
                binding.writable(function, &arg)?
            } else if has(taken) && is_array(&arg)? {
                continue;
            } else {
                binding.brought(&arg, kind)?
            };
            if !brought.is(&*arg) {
                moved.get_or_insert_with(|| args.iter().collect())[n] = brought;
            }
        }
        let moved = moved.map(|args| PyTuple::new(slf.py(), args)).transpose()?;
        let args = moved.as_ref().unwrap_or(args);
        if options.is_empty() {
            return Self::owned(slf, function.call1(args)?);
        }
        let brought = PyDict::new(slf.py());
        for (name, value) in options.copy()? {
            let is_written = name.cast::<PyString>().is_ok_and(|name| name == "out");
            let value = if is_written { binding.writable(function, &value)? } else { binding.brought(&value, kind)? };
            brought.set_item(name, value)?;
        }
        Self::owned(slf, function.call(args, Some(&brought))?)
    }
}

impl PyBinding {
    pub(crate) fn queue(&self) -> &Queue {
        &self.queue
    }

    fn moved<'py>(&self, py: Python<'py>, tensor: &Tensor) -> PyResult<Object<'py>> {
        let moved: Outcome<Tensor> = py.detach(|| Ok(tensor.to_queue(&self.queue)?));
        Ok(PyArray::new(moved?).into_object(py)?.into_any())
    }

    /// An operand on the queue, host data in memory of a kind. Numbers, and whatever else is no array, stay as they are.
    fn brought<'py>(&self, object: &Object<'py>, kind: UsmKind) -> PyResult<Object<'py>> {
        self.brought_from(object, kind, 0)
    }

    /// The same at so many levels of sequences.
    fn brought_from<'py>(&self, object: &Object<'py>, kind: UsmKind, depth: usize) -> PyResult<Object<'py>> {
        let py = object.py();
        if let Ok(array) = object.cast::<PyArray>() {
            let tensor = array.get().tensor();
            return if *tensor.queue() == self.queue { Ok(object.clone()) } else { self.moved(py, tensor) };
        }
        if is_plain(object) {
            return Ok(object.clone());
        }
        if let Ok(list) = object.cast_exact::<PyList>() {
            let items = self.each(list.iter(), kind, depth)?;
            return items.map_or_else(|| Ok(object.clone()), |items| Ok(PyList::new(py, items)?.into_any()));
        }
        if let Ok(tuple) = object.cast_exact::<PyTuple>() {
            let items = self.each(tuple.iter(), kind, depth)?;
            return items.map_or_else(|| Ok(object.clone()), |items| Ok(PyTuple::new(py, items)?.into_any()));
        }
        if is_array(object)? {
            let brought = from_host_on(object, kind, &self.queue)?;
            return Ok(PyArray::new(brought).into_object(py)?.into_any());
        }
        match device_data(object)? {
            Some(tensor) => self.moved(py, &tensor),
            None => Ok(object.clone()),
        }
    }

    /// The operands in a sequence, unless all of them stay as they are.
    fn each<'py>(
        &self,
        items: impl Iterator<Item = Object<'py>>,
        kind: UsmKind,
        depth: usize,
    ) -> PyResult<Option<Vec<Object<'py>>>> {
        let depth = deeper(depth)?;
        let mut any_moved = false;
        let brought = items.map(|item| {
            let brought = self.brought_from(&item, kind, depth)?;
            any_moved |= !brought.is(&item);
            Ok(brought)
        });
        let brought = brought.collect::<PyResult<Vec<_>>>()?;
        Ok(any_moved.then_some(brought))
    }

    /// An argument that is written to: what is written must be where the caller sees it.
    fn writable<'py>(&self, function: &Object<'py>, object: &Object<'py>) -> PyResult<Object<'py>> {
        if object.is_none() {
            return Ok(object.clone());
        }
        match object.cast::<PyArray>() {
            Ok(array) if *array.get().tensor().queue() == self.queue => Ok(object.clone()),
            Ok(array) if array.get().tensor().context() == self.queue.context() => {
                self.moved(object.py(), array.get().tensor())
            }
            _ => {
                let name = function.getattr("__name__").map_or_else(|_| "call".into(), |name| name.to_string());
                Err(ExecutionPlacementError::new_err(format!(
                    "{name}: an array that is written to must be in the context of the namespace's queue, on {}: a copy \
                     there would keep what was written for itself; move it first: x.make_available(namespace.get_queue())",
                    self.queue.device().label()
                )))
            }
        }
    }

    /// What a function returned, its arrays on the queue and of the namespace where that is one of arrays. Arrays that
    /// others have are left as they are.
    fn owned<'py>(slf: &Bound<'py, Self>, result: Object<'py>) -> PyResult<Object<'py>> {
        Self::owned_from(slf, result, 0)
    }

    /// The same at so many levels of sequences.
    fn owned_from<'py>(slf: &Bound<'py, Self>, result: Object<'py>, depth: usize) -> PyResult<Object<'py>> {
        let (py, binding) = (slf.py(), slf.get());
        if !binding.owns_results {
            return Ok(result);
        }
        if let Ok(array) = result.cast::<PyArray>() {
            if array.get().binding(py).is_some_and(|owner| owner.is(slf)) {
                return Ok(result);
            }
            let tensor = array.get().tensor();
            let here: Outcome<Tensor> = if *tensor.queue() == binding.queue {
                Ok(tensor.clone())
            } else {
                py.detach(|| Ok(tensor.to_queue(&binding.queue)?))
            };
            return Ok(PyArray::of_namespace(here?, slf).into_object(py)?.into_any());
        }
        let owned = |items: &mut dyn Iterator<Item = Object<'py>>| {
            let depth = deeper(depth)?;
            items.map(|item| Self::owned_from(slf, item, depth)).collect::<PyResult<Vec<_>>>()
        };
        if let Ok(list) = result.cast_exact::<PyList>() {
            return Ok(PyList::new(py, owned(&mut list.iter())?)?.into_any());
        }
        if let Ok(tuple) = result.cast::<PyTuple>() {
            let made = PyTuple::new(py, owned(&mut tuple.iter())?)?;
            // A tuple with names is made by its class.
            return match result.getattr_opt("_make")? {
                Some(make) => make.call1((made,)),
                None => Ok(made.into_any()),
            };
        }
        Ok(result)
    }
}

/// The level of what a sequence at this level holds. One that holds itself has no end of them.
fn deeper(depth: usize) -> PyResult<usize> {
    if depth == DEEPEST {
        return Err(PyValueError::new_err(format!(
            "a sequence among operands or results is nested deeper than {DEEPEST} levels; make it an array, or flatten it, first"
        )));
    }
    Ok(depth + 1)
}

/// Whether an argument is none that could hold an array: the usual ones, which need no looking at.
fn is_plain(object: &Object<'_>) -> bool {
    object.is_none()
        || object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyBool>()
        || object.is_exact_instance_of::<PyString>()
        || object.is_exact_instance_of::<PyComplex>()
        || object.is_instance_of::<PyType>()
}

/// The namespace that an operator of an array is one of, if any: its own, or that of the other operand. Of two that
/// are bound to different queues it is neither, and where to compute is as ambiguous as for other arrays.
#[inline]
fn namespace_of<'py>(array: &Bound<'py, PyArray>, other: &Object<'py>) -> Option<Bound<'py, PyBinding>> {
    let other = other.cast_exact::<PyArray>().ok();
    if array.get().is_as_made() && other.is_none_or(|other| other.get().is_as_made()) {
        return None;
    }
    agreed(array, other)
}

#[cold]
fn agreed<'py>(array: &Bound<'py, PyArray>, other: Option<&Bound<'py, PyArray>>) -> Option<Bound<'py, PyBinding>> {
    let py = array.py();
    match (array.get().binding(py), other.and_then(|other| other.get().binding(py))) {
        (Some(one), Some(other)) => (one.get().queue == other.get().queue).then_some(one),
        (one, other) => one.or(other),
    }
}

/// Computes an operator of an array and another operand: as its namespace does, where it has one.
#[inline]
pub(crate) fn operator<'py>(
    array: &Bound<'py, PyArray>,
    other: &Object<'py>,
    compute: impl Fn(&Bound<'py, PyArray>, &Object<'py>) -> PyResult<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    match namespace_of(array, other) {
        None => compute(array, other),
        Some(namespace) => {
            let (binding, kind) = (namespace.get(), array.get().tensor().kind());
            let (array, other) = (binding.brought(array, kind)?, binding.brought(other, kind)?);
            let result = compute(array.cast()?, &other)?.into_bound(array.py());
            Ok(PyBinding::owned(&namespace, result)?.unbind())
        }
    }
}

/// What a method of an array computed: of the array's namespace, where it has one.
#[inline]
pub(crate) fn like<'py>(array: &Bound<'py, PyArray>, result: Object<'py>) -> PyResult<Object<'py>> {
    match array.get().binding(array.py()) {
        None => Ok(result),
        Some(namespace) => PyBinding::owned(&namespace, result),
    }
}

/// An operand beside an array whose namespace, where it has one, brings it.
#[inline]
pub(crate) fn beside<'py>(array: &Bound<'py, PyArray>, object: &Object<'py>) -> PyResult<Object<'py>> {
    match array.get().binding(array.py()) {
        None => Ok(object.clone()),
        Some(namespace) => namespace.get().brought(object, array.get().tensor().kind()),
    }
}

/// Puts the class into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyBinding>()
}
