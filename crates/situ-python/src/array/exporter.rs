//! Python objects whose memory arrays look at, shown to the cycle collector.
//!
//! A buffer keeps the object, and several arrays may share the buffer, so that none of them could tell the collector
//! that the reference is its own. So there is a [`Keeper`] between them: the buffer and every array over it refer to
//! the keeper, which refers to the object. Arrays show the collector their reference; the buffer's is shown by the
//! keeper itself, as one to itself, but only while every owner of the buffer is an array that shows one. A command or a
//! capsule that also has the buffer makes the count differ, and what is then not shown keeps everything alive.

use std::any::Any;
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, ffi};
use situ_runtime::pool::Pin;
use situ_runtime::{Buffer, OwnerCount};

/// Stands for an object whose memory is used.
#[pyclass(name = "_Keeper", module = "situ._native", frozen)]
#[derive(Debug)]
pub(crate) struct Keeper {
    object: Py<PyAny>,
    /// The buffer's reference to this keeper, which the buffer counts.
    this: OnceLock<ManuallyDrop<Py<Keeper>>>,
    /// How many owners the buffer has; null before it is made and once it goes.
    owners: AtomicPtr<OwnerCount>,
}

#[pymethods]
impl Keeper {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.object)?;
        // SAFETY: the count lives as long as the buffer, which takes it away from here, holding the GIL, when it goes.
        let owners = unsafe { self.owners.load(Ordering::Relaxed).as_ref() };
        if let (Some(this), Some(owners)) = (self.this.get(), owners) {
            // SAFETY: this very object.
            let references = unsafe { ffi::Py_REFCNT(this.as_ptr()) };
            if owners.get() as isize == references as isize - 1 {
                visit.call(&**this)?;
            }
        }
        Ok(())
    }
}

/// What keeps a buffer's memory: a Python object and, where the memory is our own, a pin on it.
#[derive(Debug)]
pub(crate) struct Exporter {
    keeper: ManuallyDrop<Py<Keeper>>,
    _pin: Option<Pin>,
}

impl Exporter {
    /// The owner of a buffer over an object's memory.
    pub(crate) fn new(object: &Bound<'_, PyAny>, pin: Option<Pin>) -> PyResult<Exporter> {
        let object = object.clone();
        let keeper =
            Keeper { object: object.clone().unbind(), this: OnceLock::new(), owners: AtomicPtr::new(ptr::null_mut()) };
        let keeper = Py::new(object.py(), keeper)?;
        Ok(Exporter { keeper: ManuallyDrop::new(keeper), _pin: pin })
    }

    fn of(buffer: &Buffer) -> Option<&Exporter> {
        (buffer.owner()? as &dyn Any).downcast_ref()
    }

    /// The keeper of a buffer's memory, if it is a Python object's. To be called with the GIL.
    pub(crate) fn keeper(buffer: &Buffer) -> Option<Py<Keeper>> {
        let exporter = Exporter::of(buffer)?;
        Python::try_attach(|py| {
            let keeper = exporter.keeper.get();
            // SAFETY: a copy of the reference that this owner counts; `owners` says when it is no longer good.
            keeper.this.get_or_init(|| ManuallyDrop::new(unsafe { ptr::read(&*exporter.keeper) }));
            keeper.owners.store(ptr::from_ref(buffer.owner_count()).cast_mut(), Ordering::Relaxed);
            exporter.keeper.clone_ref(py)
        })
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        // When the interpreter is gone, so is the object.
        Python::try_attach(|_| {
            self.keeper.get().owners.store(ptr::null_mut(), Ordering::Relaxed);
            // SAFETY: taken once, here, and never used again.
            drop(unsafe { ManuallyDrop::take(&mut self.keeper) });
        });
    }
}
