//! Letting go of other libraries' memory that commands still use, without waiting for them.
//!
//! Whoever drops the last array over such memory may hold a lock that the commands need to finish: the interpreter's, when
//! a stream runs a function of the host. A thread waits instead.

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
    std::thread::Builder::new().name("situ-farewell".into()).spawn(part).ok()?;
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
