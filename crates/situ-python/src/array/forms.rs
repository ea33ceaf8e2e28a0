//! What an array is, and what it became when its shape, its flags, its queue or its namespace were set.
//!
//! Earlier forms stay until the array goes, because other threads may be reading them without holding the interpreter.

use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::PyTraverseError;
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use situ_tensor::Tensor;

use super::exporter::{Exporter, Keeper};

/// Every form an array has had, the newest in one step.
#[derive(Debug)]
pub(super) struct Forms {
    /// What it was made as. Most arrays never become anything else, so the rest costs them a null pointer.
    first: Kept,
    newest: AtomicPtr<Form>,
}

/// A tensor, and a reference that shows the collector whose memory it is in.
#[derive(Debug)]
struct Kept {
    tensor: Tensor,
    keeper: Option<Py<Keeper>>,
}

#[derive(Debug)]
struct Form {
    kept: Kept,
    namespace: Mutex<Option<Py<PyAny>>>,
    earlier: AtomicPtr<Form>,
}

impl Kept {
    #[inline]
    fn new(tensor: Tensor) -> Kept {
        let lent = tensor.contents().ok().filter(|contents| contents.owner().is_some());
        let keeper = lent.and_then(Exporter::keeper);
        Kept { tensor, keeper }
    }
}

impl Forms {
    #[inline]
    pub(super) fn new(tensor: Tensor) -> Forms {
        Forms { first: Kept::new(tensor), newest: AtomicPtr::new(ptr::null_mut()) }
    }

    #[inline]
    fn newest(&self) -> Option<&Form> {
        // SAFETY: a form is published whole, its tensor never changed afterwards, and freed only when `self` is dropped.
        unsafe { self.newest.load(Ordering::Acquire).as_ref() }
    }

    /// Those that came after the first, the newest first.
    fn later(&self) -> impl Iterator<Item = &Form> {
        // SAFETY: as above.
        std::iter::successors(self.newest(), |form| unsafe { form.earlier.load(Ordering::Relaxed).as_ref() })
    }

    #[inline]
    pub(super) fn tensor(&self) -> &Tensor {
        self.newest().map_or(&self.first.tensor, |form| &form.kept.tensor)
    }

    /// The namespace that was set, if one was.
    pub(super) fn namespace(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let namespace = self.newest()?.namespace.try_lock().ok()?;
        namespace.as_ref().map(|namespace| namespace.clone_ref(py))
    }

    /// Makes this the array's form from now on.
    pub(super) fn push(&self, tensor: Tensor, namespace: Option<Py<PyAny>>) {
        let (kept, earlier) = (Kept::new(tensor), AtomicPtr::new(ptr::null_mut()));
        let form = Box::into_raw(Box::new(Form { kept, namespace: Mutex::new(namespace), earlier }));
        let mut before = self.newest.load(Ordering::Relaxed);
        loop {
            // SAFETY: nobody else knows the form before the exchange below succeeds.
            unsafe { &*form }.earlier.store(before, Ordering::Relaxed);
            match self.newest.compare_exchange_weak(before, form, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => before = now,
            }
        }
    }

    /// Whether it never became anything but what it was made as.
    #[inline]
    pub(super) fn is_as_made(&self) -> bool {
        self.newest().is_none()
    }

    /// Whether it refers to objects of Python's.
    #[inline]
    pub(super) fn has_python_parts(&self) -> bool {
        self.first.keeper.is_some() || self.newest().is_some()
    }

    /// Shows the collector every object that it refers to.
    pub(super) fn traverse(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.first.keeper)?;
        for form in self.later() {
            visit.call(&form.kept.keeper)?;
            // Somebody who is at it holds the GIL, as the collector does.
            if let Ok(namespace) = form.namespace.try_lock() {
                visit.call(&*namespace)?;
            }
        }
        Ok(())
    }

    /// Lets go of every namespace.
    pub(super) fn forget_namespaces(&self) {
        for form in self.later() {
            let namespace = form.namespace.try_lock().ok().and_then(|mut namespace| namespace.take());
            drop(namespace);
        }
    }
}

impl Drop for Forms {
    fn drop(&mut self) {
        let mut next = *self.newest.get_mut();
        // One after the other: an array that was reshaped a million times must not need a million stack frames.
        while !next.is_null() {
            // SAFETY: every form came from `Box::into_raw`, is in this list once, and nobody can borrow from it any
            // more.
            let mut form = unsafe { Box::from_raw(next) };
            next = *form.earlier.get_mut();
        }
    }
}
