//! `x.flags`: how an array's elements lie, and whether they may be written.

use pyo3::PyTraverseError;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt};

use super::PyArray;
use crate::args::{shown, type_name};

/// How an array's elements lie in memory, and whether they may be written. Follows the array when that changes.
///
/// >>> from situ import tensor
/// >>> flags = tensor.ones((2, 3)).flags
/// >>> flags["C"], flags["F"], flags["WRITABLE"]
/// (True, False, True)
#[pyclass(name = "Flags", module = "situ.tensor", frozen)]
#[derive(Debug)]
pub(crate) struct PyFlags(Py<PyArray>);

/// dpctl's bits.
const C_CONTIGUOUS: u8 = 1;
const F_CONTIGUOUS: u8 = 2;
const WRITABLE: u8 = 4;

impl PyFlags {
    fn bits(&self) -> u8 {
        let tensor = self.0.get().tensor();
        let bit = |set: bool, bit: u8| if set { bit } else { 0 };
        bit(tensor.layout().is_c_contiguous(), C_CONTIGUOUS)
            | bit(tensor.layout().is_f_contiguous(), F_CONTIGUOUS)
            | bit(tensor.is_writable(), WRITABLE)
    }

    fn has(&self, bits: u8) -> bool {
        self.bits() & bits == bits
    }

    fn set(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let writable = value.cast::<PyBool>().map_err(|_| {
            PyTypeError::new_err(format!("flags.writable: expected True or False, got {}", type_name(value)))
        })?;
        let (array, writable) = (self.0.get(), writable.is_true());
        let tensor = array.tensor();
        if writable && tensor.is_lent() {
            return Err(PyValueError::new_err(
                "flags.writable: the memory belongs to another library, which lent it for reading only; write to a copy \
                 made with situ.tensor.copy(x)",
            ));
        }
        if writable != tensor.is_writable() {
            array.transform(value.py(), tensor.clone().with_writable(writable));
        }
        Ok(())
    }
}

#[pymethods]
impl PyFlags {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0)
    }

    /// Whether the elements lie densely, the last axis varying fastest.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.ones((2, 3)).flags.c_contiguous
    /// True
    #[getter]
    fn c_contiguous(&self) -> bool {
        self.has(C_CONTIGUOUS)
    }

    /// Whether the elements lie densely, the first axis varying fastest.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.ones((2, 3), order='F').flags.f_contiguous
    /// True
    #[getter]
    fn f_contiguous(&self) -> bool {
        self.has(F_CONTIGUOUS)
    }

    /// Whether the elements may be written. Can be set, except over memory that was lent for reading only.
    ///
    /// >>> from situ import tensor
    /// >>> x = tensor.ones(3)
    /// >>> x.flags.writable = False
    /// >>> x[0] = 2
    /// Traceback (most recent call last):
    /// ValueError: ...
    #[getter]
    fn writable(&self) -> bool {
        self.has(WRITABLE)
    }

    #[setter]
    fn set_writable(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set(value)
    }

    /// NumPy's spelling of `writable`.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.ones(3).flags.writeable
    /// True
    #[getter]
    fn writeable(&self) -> bool {
        self.writable()
    }

    #[setter]
    fn set_writeable(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set(value)
    }

    /// Whether the array is both C- and F-contiguous.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.ones(3).flags.fc
    /// True
    #[getter]
    fn fc(&self) -> bool {
        self.has(C_CONTIGUOUS | F_CONTIGUOUS)
    }

    /// Whether the array is F- or C-contiguous.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.ones((2, 3), order='F').flags.forc
    /// True
    #[getter]
    fn forc(&self) -> bool {
        self.c_contiguous() || self.f_contiguous()
    }

    /// Whether the array is F- but not C-contiguous.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.ones((2, 3), order='F').flags.fnc
    /// True
    #[getter]
    fn fnc(&self) -> bool {
        self.f_contiguous() && !self.c_contiguous()
    }

    /// The same as `forc`.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.ones((2, 3)).flags.contiguous
    /// True
    #[getter]
    fn contiguous(&self) -> bool {
        self.forc()
    }

    /// All as a number: 1 for C-contiguous, 2 for F-contiguous, 4 for writable.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.ones(3).flags.flags
    /// 7
    #[getter]
    fn flags(&self) -> u8 {
        self.bits()
    }

    fn __getitem__(&self, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        match name.extract::<&str>() {
            Ok("C" | "C_CONTIGUOUS") => Ok(self.c_contiguous()),
            Ok("F" | "F_CONTIGUOUS") => Ok(self.f_contiguous()),
            Ok("W" | "WRITABLE" | "WRITEABLE") => Ok(self.writable()),
            Ok("FC") => Ok(self.fc()),
            Ok("FNC") => Ok(self.fnc()),
            Ok("FORC" | "CONTIGUOUS") => Ok(self.forc()),
            _ => Err(PyKeyError::new_err(format!(
                "{} is not a flag; the flags are C_CONTIGUOUS (C), F_CONTIGUOUS (F), WRITABLE (W), FC, FNC, FORC and \
                 CONTIGUOUS",
                shown(name)
            ))),
        }
    }

    fn __setitem__(&self, name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match name.extract::<&str>() {
            Ok("W" | "WRITABLE" | "WRITEABLE") => self.set(value),
            _ => Err(PyValueError::new_err(format!(
                "only the flag WRITABLE (W) can be set, not {}; the others follow from shape and strides",
                shown(name)
            ))),
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        match other.cast::<PyFlags>() {
            Ok(flags) => flags.get().bits() == self.bits(),
            Err(_) => {
                other.is_instance_of::<PyInt>() && other.extract::<u8>().is_ok_and(|number| number == self.bits())
            }
        }
    }

    fn __repr__(&self) -> String {
        let word = |set: bool| if set { "True" } else { "False" };
        format!(
            "  C_CONTIGUOUS : {}\n  F_CONTIGUOUS : {}\n  WRITABLE : {}",
            word(self.c_contiguous()),
            word(self.f_contiguous()),
            word(self.writable())
        )
    }
}

#[pymethods]
impl PyArray {
    /// How the elements lie in memory, and whether they may be written.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.zeros((2, 3)).flags.c_contiguous
    /// True
    #[getter]
    fn flags(slf: &Bound<'_, Self>) -> PyFlags {
        PyFlags(slf.clone().unbind())
    }
}
