//! Elementwise functions as Python objects: rows of the op table, callable.
//!
//! They are called by the vectorcall protocol, which hands arguments over where they lie; a tuple and a dictionary for
//! each call would cost as much as computing on a small array. The stable ABI names the protocol from Python 3.12 on,
//! but the interpreter itself has had all parts of it since 3.9: a flag, the place of a function pointer in the object,
//! and a function that serves callers who come with a tuple. PyO3's classes cannot have it, so this one is made by
//! hand.

use std::ffi::{CStr, CString, c_int, c_ulong, c_void};
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

use pyo3::exceptions::PyTypeError;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyTuple, PyType};
use pyo3::{Borrowed, IntoPyObjectExt, ffi, intern};
use situ_ir::Op;
use situ_types::{DType, Order};

use crate::doc;
use crate::elementwise::call;
use crate::operands;

/// `Py_TPFLAGS_HAVE_VECTORCALL` of CPython's object.h.
const HAVE_VECTORCALL: c_ulong = 1 << 11;

/// `PY_VECTORCALL_ARGUMENTS_OFFSET`: a caller's mark in the number of arguments.
const MARK: usize = 1 << (usize::BITS - 1);

unsafe extern "C" {
    fn PyVectorcall_Call(
        function: *mut ffi::PyObject,
        args: *mut ffi::PyObject,
        options: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject;
}

/// A function as it lies in memory.
#[repr(C)]
struct Function {
    head: ffi::PyObject,
    vectorcall: ffi::vectorcallfunc,
    op: Op,
}

/// The op of a function.
///
/// # Safety
///
/// The object is a live [`Function`].
unsafe fn op_of(object: *mut ffi::PyObject) -> Op {
    // SAFETY: the caller's promise; the field is set when the object is made and never changes.
    unsafe { (*object.cast::<Function>()).op }
}

/// What a slot returns: the answer, or a null pointer and a Python exception.
fn answer(act: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls slots attached.
    let py = unsafe { Python::assume_attached() };
    let outcome = catch_unwind(AssertUnwindSafe(|| act(py)))
        .unwrap_or_else(|_| Err(PanicException::new_err("an elementwise function panicked; this is a bug in situ")));
    match outcome {
        Ok(object) => object.into_ptr(),
        Err(error) => {
            error.restore(py);
            std::ptr::null_mut()
        }
    }
}

/// A call, with its positional arguments first, and after them those that `names` names.
unsafe extern "C" fn vectorcall(
    function: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    answer(|py| {
        // SAFETY: the interpreter calls this for instances of the class below only.
        let op = unsafe { op_of(function) };
        // SAFETY: the interpreter passes a tuple that lives through the call, or a null pointer.
        let names = unsafe { Borrowed::from_ptr_or_opt(py, names) };
        let names = names.map(|names| names.cast::<PyTuple>()).transpose()?;
        let (positional, named) = (count & !MARK, names.map_or(0, |names| names.len()));
        let args = if positional + named == 0 {
            &[]
        } else {
            // SAFETY: the protocol promises so many live objects there.
            unsafe { slice::from_raw_parts(args, positional + named) }
        };
        // SAFETY: as above; they outlive the call.
        let object = |n: usize| unsafe { Borrowed::from_ptr(py, args[n]) };
        let (mut out, mut order) = (None, Order::K);
        for (n, name) in names.iter().flat_map(|names| names.iter_borrowed()).enumerate() {
            if name.is(intern!(py, "out")) || is(&name, "out")? {
                out = Some(object(positional + n));
            } else if is(&name, "order")? {
                order = operands::order(&object(positional + n))?;
            } else {
                return Err(PyTypeError::new_err(format!("{op} takes no argument {name:?}, only out and order")));
            }
        }
        match (op.arity(), positional) {
            (1, 1) => call(op, [&object(0)], out.as_deref(), order),
            (2, 2) => call(op, [&object(0), &object(1)], out.as_deref(), order),
            (1, given) => Err(PyTypeError::new_err(format!("{op} takes 1 array, got {given}"))),
            (takes, given) => Err(PyTypeError::new_err(format!("{op} takes {takes} arrays, got {given}"))),
        }
    })
}

fn is(name: &Bound<'_, PyAny>, wanted: &str) -> PyResult<bool> {
    Ok(name.cast::<PyString>()?.to_cow()? == wanted)
}

/// The attributes, with what they are for an op.
type Attribute = (&'static CStr, &'static CStr, fn(Python<'_>, Op) -> PyResult<Py<PyAny>>);

const ATTRIBUTES: [Attribute; 8] = [
    (c"nin", c"Number of inputs.\n\n>>> from situ import tensor\n>>> tensor.sin.nin, tensor.add.nin\n(1, 2)", |py, op| op.arity().into_py_any(py)),
    (c"nout", c"Number of outputs.\n\n>>> from situ import tensor\n>>> tensor.sin.nout\n1", |py, _| 1.into_py_any(py)),
    (c"__name__", c"Its name.", |py, op| op.name().into_py_any(py)),
    (c"__qualname__", c"Its name.", |py, op| op.name().into_py_any(py)),
    (c"__doc__", c"What it computes.", |py, op| doc::elementwise(op).into_py_any(py)),
    (c"__text_signature__", c"Its parameters.", |py, op| doc::signature(op).into_py_any(py)),
    (c"__signature__", c"Its parameters, for inspect.signature.", parameters),
    (c"types", c"The combinations of dtypes it computes with, in NumPy's letters.\n\n>>> from situ import tensor\n>>> tensor.sin.types\n['e->e', 'f->f', 'd->d', 'F->F', 'D->D']", |py, op| types(op).into_py_any(py)),
];

/// What `inspect` makes of a Python function with these parameters.
fn parameters(py: Python<'_>, op: Op) -> PyResult<Py<PyAny>> {
    let signature = doc::signature(op);
    let function = format!("lambda {}: None", &signature[1..signature.len() - 1]);
    let function = py.eval(&CString::new(function)?, None, None)?;
    Ok(py.import("inspect")?.getattr("signature")?.call1((function,))?.unbind())
}

fn types(op: Op) -> Vec<String> {
    let rule = op.rule();
    let signature = |dtype: &DType| {
        let inputs: String = std::iter::repeat_n(dtype.letter(), op.arity()).collect();
        format!("{inputs}->{}", rule.out.apply(*dtype).letter())
    };
    rule.domain.iter().map(signature).collect()
}

unsafe extern "C" fn get_attribute(object: *mut ffi::PyObject, which: *mut c_void) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls this for instances of the class below only.
    answer(|py| ATTRIBUTES[which as usize].2(py, unsafe { op_of(object) }))
}

unsafe extern "C" fn represent(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: as above.
    answer(|py| format!("<elementwise function {}>", unsafe { op_of(object) }).into_py_any(py))
}

/// What pickle and copy keep: its name in `situ.tensor`.
unsafe extern "C" fn reduce(object: *mut ffi::PyObject, _: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: as above.
    answer(|py| unsafe { op_of(object) }.name().into_py_any(py))
}

/// The class of all elementwise functions.
fn class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let made = CLASS.get_or_try_init(py, || {
        let mut members = [
            ffi::PyMemberDef {
                name: c"__vectorcalloffset__".as_ptr(),
                type_code: ffi::Py_T_PYSSIZET,
                offset: offset_of!(Function, vectorcall) as isize,
                flags: ffi::Py_READONLY,
                doc: std::ptr::null(),
            },
            ffi::PyMemberDef::default(),
        ];
        let attributes = ATTRIBUTES.iter().enumerate().map(|(n, (name, doc, _))| ffi::PyGetSetDef {
            name: name.as_ptr(),
            get: Some(get_attribute),
            set: None,
            doc: doc.as_ptr(),
            closure: n as *mut c_void,
        });
        // The class refers to these as long as it lives, which is as long as the process.
        let attributes = attributes.chain([ffi::PyGetSetDef::default()]).collect::<Vec<_>>().leak();
        let reduce = ffi::PyMethodDef {
            ml_name: c"__reduce__".as_ptr(),
            ml_meth: ffi::PyMethodDefPointer { PyCFunction: reduce },
            ml_flags: ffi::METH_NOARGS,
            ml_doc: std::ptr::null(),
        };
        let methods = vec![reduce, ffi::PyMethodDef::zeroed()].leak();
        let slot = |slot: c_int, pfunc: *mut c_void| ffi::PyType_Slot { slot, pfunc };
        let mut slots = [
            slot(ffi::Py_tp_members, members.as_mut_ptr().cast()),
            slot(ffi::Py_tp_getset, attributes.as_mut_ptr().cast()),
            slot(ffi::Py_tp_methods, methods.as_mut_ptr().cast()),
            slot(ffi::Py_tp_call, PyVectorcall_Call as *mut c_void),
            slot(ffi::Py_tp_repr, represent as *mut c_void),
            slot(0, std::ptr::null_mut()),
        ];
        let flags = ffi::Py_TPFLAGS_DEFAULT | ffi::Py_TPFLAGS_DISALLOW_INSTANTIATION | HAVE_VECTORCALL;
        let mut spec = ffi::PyType_Spec {
            name: c"situ.tensor.ElementwiseFunction".as_ptr(),
            basicsize: size_of::<Function>() as c_int,
            itemsize: 0,
            flags: flags as _,
            slots: slots.as_mut_ptr(),
        };
        // SAFETY: the spec, its slots and the members are complete and live through the call, which copies them; what
        // it does not copy lives for ever. A null result carries a Python error.
        let class = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpec(&raw mut spec)) }?;
        Ok::<_, PyErr>(class.cast_into::<PyType>()?.unbind())
    })?;
    Ok(made.bind(py))
}

fn function(py: Python<'_>, op: Op) -> PyResult<Py<PyAny>> {
    // SAFETY: the class is a type that the call makes an instance of; a null result carries a Python error.
    let object = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_GenericAlloc(class(py)?.as_type_ptr(), 0)) }?;
    let function = object.as_ptr().cast::<Function>();
    // SAFETY: the object is that large, and nobody else has seen it yet.
    unsafe {
        (&raw mut (*function).vectorcall).write(vectorcall);
        (&raw mut (*function).op).write(op);
    }
    Ok(object.unbind())
}

/// Puts the class into the module.
pub(crate) fn register_class(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("ElementwiseFunction", class(module.py())?)
}

/// Puts a function for every row of the op table into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // Functions of three operands have signatures of their own.
    let mut ops = Op::ALL.iter().filter(|op| op.arity() < 3);
    ops.try_for_each(|op| module.add(op.name(), function(module.py(), *op)?))
}
