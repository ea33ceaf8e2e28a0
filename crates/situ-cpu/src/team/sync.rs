//! The primitives the team is built from, so that `--cfg loom` can swap in loom's model-checked ones.

#[cfg(loom)]
pub(super) use loom::{
    sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering},
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread::{Builder, JoinHandle},
};
#[cfg(not(loom))]
pub(super) use std::{
    sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering},
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread::{Builder, JoinHandle},
};

use std::sync::PoisonError;

/// Locks a mutex whose data no panic can leave half-changed.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
