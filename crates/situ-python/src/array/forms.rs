//! What an array is, and what it became when its shape, its flags, its queue or its namespace were set.
//!
//! Earlier forms stay until the array goes, because other threads may be reading them without holding the interpreter.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::prelude::*;
use situ_tensor::Tensor;

/// Every form an array has had, the newest in one step.
#[derive(Debug)]
pub(super) struct Forms {
    /// What it was made as. Most arrays never become anything else, so the rest costs them a null pointer.
    first: Tensor,
    newest: AtomicPtr<Form>,
}

#[derive(Debug)]
struct Form {
    tensor: Tensor,
    namespace: Option<Py<PyAny>>,
    earlier: AtomicPtr<Form>,
}

impl Forms {
    pub(super) fn new(tensor: Tensor) -> Forms {
        Forms { first: tensor, newest: AtomicPtr::new(ptr::null_mut()) }
    }

    #[inline]
    fn newest(&self) -> Option<&Form> {
        // SAFETY: a form is published whole, never changed afterwards, and freed only when `self` is dropped.
        unsafe { self.newest.load(Ordering::Acquire).as_ref() }
    }

    #[inline]
    pub(super) fn tensor(&self) -> &Tensor {
        self.newest().map_or(&self.first, |form| &form.tensor)
    }

    /// The namespace that was set, if one was.
    pub(super) fn namespace(&self) -> Option<&Py<PyAny>> {
        self.newest().and_then(|form| form.namespace.as_ref())
    }

    /// Makes this the array's form from now on.
    pub(super) fn push(&self, tensor: Tensor, namespace: Option<Py<PyAny>>) {
        let form = Box::into_raw(Box::new(Form { tensor, namespace, earlier: AtomicPtr::new(ptr::null_mut()) }));
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
