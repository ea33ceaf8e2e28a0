//! One fork-join call, as the leader and its helpers see it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;

use super::gate::Gate;
use super::sync::{Mutex, lock};

/// What a panicking body threw.
pub(super) type Payload = Box<dyn Any + Send>;

/// The work of one `run`, on the leader's stack. How much of it is left stands at the gate.
pub(super) struct Job<'a> {
    body: &'a (dyn Fn(usize) + Sync),
    panic: Mutex<Option<Payload>>,
    /// Whether sleeping helpers are worth waking for it.
    pub(super) wake: bool,
    /// Lets the model see who uses the job when.
    #[cfg(loom)]
    used: loom::cell::UnsafeCell<()>,
}

impl<'a> Job<'a> {
    pub(super) fn new(body: &'a (dyn Fn(usize) + Sync), wake: bool) -> Self {
        Self {
            body,
            panic: Mutex::new(None),
            wake,
            #[cfg(loom)]
            used: loom::cell::UnsafeCell::new(()),
        }
    }

    /// Claims chunks and runs them until none are left; never unwinds.
    ///
    /// A panic ends the job early: the chunks nobody has claimed yet are skipped, since `run` is going to unwind.
    pub(super) fn work(&self, gate: &Gate) {
        let chunks = AssertUnwindSafe(|| {
            while let Some(chunk) = gate.claim() {
                #[cfg(loom)]
                self.used.with(|_| ());
                (self.body)(chunk);
            }
        });
        if let Err(payload) = catch_unwind(chunks) {
            gate.skip_unclaimed();
            let mut first = lock(&self.panic);
            if first.is_none() {
                *first = Some(payload);
            } else {
                // Dropping it could panic again, here where nothing may unwind.
                std::mem::forget(payload);
            }
        }
    }

    /// Ends the job; the panic of a body, if there was one.
    pub(super) fn finish(mut self) -> Option<Payload> {
        #[cfg(loom)]
        self.used.with_mut(|_| ());
        self.panic.get_mut().unwrap_or_else(PoisonError::into_inner).take()
    }
}
