//! What threads meet at: locks and atomics of parking_lot and the standard library, or loom's when it checks a model.

#[cfg(not(loom))]
pub(crate) use parking_lot::{Mutex, MutexGuard};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicUsize, Ordering, fence};

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicUsize, Ordering, fence};

#[cfg(loom)]
pub(crate) use modelled::{Mutex, MutexGuard};

#[cfg(loom)]
mod modelled {
    pub(crate) use loom::sync::MutexGuard;

    #[derive(Debug)]
    pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Mutex(loom::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
            match self.0.lock() {
                Ok(guard) => guard,
                Err(poisoned) => poisoned.into_inner(),
            }
        }

        pub(crate) fn get_mut(&mut self) -> &mut T {
            match self.0.get_mut() {
                Ok(value) => value,
                Err(poisoned) => poisoned.into_inner(),
            }
        }
    }
}
