//! Letting go of other libraries' memory that commands still use, without waiting for them.
//!
//! Whoever drops the last array over such memory may hold a lock that the commands need to finish: the interpreter's,
//! when a stream runs a function of the host. A thread waits instead.

use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::buffer::Owner;
use crate::event::HalEvent;

/// How long the end of the process waits for owners to be let go of.
const PATIENCE: Duration = Duration::from_secs(5);

struct Leaving {
    owner: Owner,
    after: Vec<HalEvent>,
}

impl Leaving {
    fn part(self) {
        for event in &self.after {
            event.wait(None);
        }
        drop(self.owner);
    }
}

/// How many owners the thread has not let go of yet.
static LEFT: Mutex<usize> = Mutex::new(0);
static NONE_LEFT: Condvar = Condvar::new();

/// Drops an owner once these events are over: at once if they are, else on a thread of its own.
pub(crate) fn after(owner: Owner, mut events: Vec<HalEvent>) {
    events.retain(|event| !event.status().is_over());
    let leaving = Leaving { owner, after: events };
    if leaving.after.is_empty() {
        return leaving.part();
    }
    static THREAD: OnceLock<Option<Sender<Leaving>>> = OnceLock::new();
    *LEFT.lock() += 1;
    let refused = match THREAD.get_or_init(start) {
        Some(thread) => thread.send(leaving).err().map(|error| error.0),
        None => Some(leaving),
    };
    if let Some(leaving) = refused {
        leaving.part();
        gone();
    }
}

fn start() -> Option<Sender<Leaving>> {
    let (sender, receiver) = channel::<Leaving>();
    let part = || {
        for leaving in receiver {
            leaving.part();
            gone();
        }
    };
    std::thread::Builder::new().name("situ-deferred_drop".into()).spawn(part).ok()?;
    Some(sender)
}

fn gone() {
    let mut left = LEFT.lock();
    *left -= 1;
    if *left == 0 {
        NONE_LEFT.notify_all();
    }
}

/// Waits until every owner is gone, for a while.
pub(crate) fn finish() {
    let mut left = LEFT.lock();
    NONE_LEFT.wait_while_for(&mut left, |left| *left > 0, PATIENCE);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use situ_hal::{Event, EventStatus, HalError, Profile};

    use super::*;

    /// A command that is over when the test says so.
    #[derive(Debug, Default)]
    struct Held {
        over: Mutex<bool>,
        changed: Condvar,
    }

    impl Held {
        fn let_go(&self) {
            *self.over.lock() = true;
            self.changed.notify_all();
        }
    }

    impl Event for Held {
        fn status(&self) -> EventStatus {
            if *self.over.lock() { EventStatus::Complete } else { EventStatus::Running }
        }

        fn wait(&self, _limit: Option<Duration>) -> bool {
            self.changed.wait_while(&mut self.over.lock(), |over| !*over);
            true
        }

        fn error(&self) -> Option<HalError> {
            None
        }

        fn profile(&self) -> Option<Profile> {
            None
        }
    }

    struct Watched(Arc<AtomicBool>);

    impl Drop for Watched {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }

    #[test]
    fn an_owner_goes_when_its_commands_are_over_and_nobody_waits() {
        let (gone, command) = (Arc::new(AtomicBool::new(false)), Arc::new(Held::default()));
        after(Box::new(Watched(gone.clone())), vec![command.clone()]);
        assert!(!gone.load(Ordering::Acquire), "the command is still running");
        command.let_go();
        finish();
        assert!(gone.load(Ordering::Acquire));
    }

    #[test]
    fn without_commands_it_goes_at_once() {
        let (gone, command) = (Arc::new(AtomicBool::new(false)), Arc::new(Held::default()));
        command.let_go();
        after(Box::new(Watched(gone.clone())), vec![command]);
        assert!(gone.load(Ordering::Acquire));
    }
}
