//! The queue that creation uses where none is given, scoped to a thread.

use std::cell::RefCell;

use crate::{Queue, Result};

thread_local! {
    static STACK: RefCell<Vec<Queue>> = const { RefCell::new(Vec::new()) };
}

/// Runs `body` with a default queue for the arrays it creates on this thread.
///
/// ```
/// use situ_runtime::{Device, Queue, scope};
/// let queue = Queue::on(&Device::default_device()?)?;
/// scope::with_queue(&queue, || assert_eq!(scope::current_queue().ok().as_ref(), Some(&queue)));
/// # Ok::<(), situ_runtime::Error>(())
/// ```
pub fn with_queue<R>(queue: &Queue, body: impl FnOnce() -> R) -> R {
    struct Pop;
    impl Drop for Pop {
        fn drop(&mut self) {
            STACK.with_borrow_mut(|stack| stack.pop());
        }
    }
    STACK.with_borrow_mut(|stack| stack.push(queue.clone()));
    let _pop = Pop;
    body()
}

/// The queue of the innermost [`with_queue`], else the cached queue of the default device.
pub fn current_queue() -> Result<Queue> {
    match STACK.with_borrow(|stack| stack.last().cloned()) {
        Some(queue) => Ok(queue),
        None => Queue::of_default_device(),
    }
}
