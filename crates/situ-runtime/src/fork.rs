//! Noticing that this process is a forked child of one that used situ.
//!
//! Fork copies memory but not threads: queues would wait forever for executors that do not exist, and locks may have
//! been held by threads that are gone. So once a queue exists, a child of this process refuses every use.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Error, Result};

static FORKED: AtomicBool = AtomicBool::new(false);

/// Watches for forks from now on.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        #[cfg(unix)]
        {
            extern "C" fn in_child() {
                FORKED.store(true, Ordering::Relaxed);
            }
            // SAFETY: the handler only stores to an atomic, which is allowed between fork and exec.
            unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        }
    });
}

/// Whether this process was forked from one that used situ.
pub(crate) fn is_child() -> bool {
    FORKED.load(Ordering::Relaxed)
}

/// An error in such a process.
pub(crate) fn check() -> Result<()> {
    if is_child() { Err(Error::Forked) } else { Ok(()) }
}
