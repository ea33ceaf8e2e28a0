//! The thread that runs a device's tasks, one after another, each spread over the device's team.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use situ_hal::{Command, HalError};

use crate::device::CpuDevice;
use crate::event::Task;
use crate::topology::CoreSet;
use crate::{bytes, elementwise, indexing};

/// How long an executor with nothing to do looks out for more before it sleeps. A hand-over to a sleeping thread
/// costs 7 to 17 µs, to a waking one well under one.
const LINGER: Duration = Duration::from_micros(40);

/// Work estimated above this many nanoseconds is worth waking sleeping helpers for: they arrive some 50 µs later.
const WAKE: u64 = 150_000;

#[derive(Debug, Default)]
struct State {
    ready: VecDeque<Arc<Task>>,
    running: bool,
    stopped: bool,
}

#[derive(Debug)]
struct Shared {
    cores: CoreSet,
    is_bound: bool,
    state: Mutex<State>,
    bell: Condvar,
    /// Length of `ready`, readable without the lock.
    count: AtomicUsize,
}

/// The executor of one device. Its thread starts with the first task and ends some time after [`stop`](Self::stop),
/// once its tasks are done; it is never joined, so that no destructor can hang on it.
#[derive(Debug)]
pub(crate) struct Executor {
    shared: Arc<Shared>,
}

impl Executor {
    pub(crate) fn new(cores: CoreSet, is_bound: bool) -> Executor {
        let shared =
            Shared { cores, is_bound, state: Mutex::default(), bell: Condvar::new(), count: AtomicUsize::new(0) };
        Executor { shared: Arc::new(shared) }
    }

    /// Accepts a task whose dependencies are over.
    pub(crate) fn push(&self, task: Arc<Task>) {
        let mut state = self.shared.state.lock();
        if !state.running {
            let shared = self.shared.clone();
            let name = format!("situ-exec-{}", shared.cores);
            match std::thread::Builder::new().name(name).spawn(move || shared.work()) {
                Ok(_) => state.running = true,
                Err(_) => {
                    // No thread to be had: the caller does the work itself rather than losing it.
                    drop(state);
                    run(&task);
                    return;
                }
            }
        }
        state.ready.push_back(task);
        self.shared.count.store(state.ready.len(), Ordering::Release);
        drop(state);
        self.shared.bell.notify_one();
    }

    /// Lets the thread end once nothing is left to do.
    pub(crate) fn stop(&self) {
        // With a limit, because in a forked child the lock may be held by a thread that is not there.
        if let Some(mut state) = self.shared.state.try_lock_for(Duration::from_millis(200)) {
            state.stopped = true;
        }
        self.shared.bell.notify_one();
    }
}

impl Shared {
    fn work(&self) {
        if self.is_bound {
            self.cores.bind_current_thread();
        }
        while let Some(task) = self.next() {
            run(&task);
        }
    }

    fn next(&self) -> Option<Arc<Task>> {
        let started = Instant::now();
        while self.count.load(Ordering::Acquire) == 0 && started.elapsed() < LINGER {
            std::hint::spin_loop();
        }
        let mut state = self.state.lock();
        loop {
            if let Some(task) = state.ready.pop_front() {
                self.count.store(state.ready.len(), Ordering::Release);
                return Some(task);
            }
            if state.stopped {
                state.running = false;
                return None;
            }
            self.bell.wait(&mut state);
        }
    }
}

/// Executes a ready task and ends it, whatever happens.
fn run(task: &Task) {
    let Some((command, device)) = task.start() else {
        task.complete(None);
        return;
    };
    // SAFETY: the submitter promised that the command's memory is valid until the task is over, and the task is not
    // over before `complete` below; its dependencies are.
    let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { execute(&command, cost(&command), &device) }));
    let error = outcome.err().map(|_| HalError::Failed {
        operation: command.name(),
        detail: "the command panicked; this is a bug in situ".into(),
    });
    task.complete(error);
    // Last: this may be the last handle to the device, whose destructor stops the executor this runs on.
    drop(device);
}

/// Executes a command, thought to take so long, on the calling thread and the device's team.
///
/// # Safety
///
/// As [`situ_hal::Queue::submit`], and everything the command must wait for is over.
#[inline]
pub(crate) unsafe fn execute(command: &Command, nanoseconds: u64, device: &CpuDevice) {
    let machine = device.machine();
    let wake = nanoseconds > WAKE;
    let fork = |chunks: usize, body: &(dyn Fn(usize) + Sync)| device.team().run(chunks, wake, body);
    match command {
        Command::Barrier | Command::Marker | Command::Prefetch { .. } | Command::Advise { .. } => {}
        Command::Copy { dst, src, bytes } => {
            // SAFETY: the caller's promise, passed on.
            unsafe { bytes::copy(dst.0, src.0, *bytes, machine, &fork) }
        }
        Command::Fill { dst, pattern, width, count } => {
            // SAFETY: as above.
            unsafe { bytes::fill(dst.0, pattern, *width, *count, machine, &fork) }
        }
        Command::Elementwise(command) => {
            // SAFETY: as above.
            unsafe { elementwise::execute(command, nanoseconds, machine, &fork) }
        }
        Command::Gather(command) => {
            // SAFETY: as above.
            unsafe { indexing::gather(command, nanoseconds, machine, &fork) }
        }
        Command::Scatter(command) => {
            // SAFETY: as above.
            unsafe { indexing::scatter(command, nanoseconds, machine, &fork) }
        }
        Command::IndexCheck(command) => {
            // SAFETY: as above.
            unsafe { indexing::check(command, nanoseconds, machine, &fork) }
        }
        Command::MaskCount(command) => {
            // SAFETY: as above.
            unsafe { indexing::count(command, nanoseconds, machine, &fork) }
        }
        Command::MaskSelect(command) => {
            // SAFETY: as above.
            unsafe { indexing::select(command, nanoseconds, machine, &fork) }
        }
        Command::MaskExpand(command) => {
            // SAFETY: as above.
            unsafe { indexing::expand(command, nanoseconds, machine, &fork) }
        }
    }
}

/// A rough estimate, in nanoseconds, of one thread's work for a command.
#[inline]
pub(crate) fn cost(command: &Command) -> u64 {
    match command {
        Command::Barrier | Command::Marker | Command::Prefetch { .. } | Command::Advise { .. } => 0,
        // About 10 GB/s.
        Command::Copy { bytes, .. } => *bytes as u64 / 10,
        Command::Fill { width, count, .. } => (width * count) as u64 / 10,
        Command::Elementwise(command) => elementwise::cost(command),
        Command::Gather(command) | Command::Scatter(command) => indexing::cost::transfer(command),
        Command::IndexCheck(command) => indexing::cost::check(command),
        Command::MaskCount(command) => indexing::cost::count(command),
        Command::MaskSelect(command) => indexing::cost::select(command),
        Command::MaskExpand(command) => indexing::cost::expand(command),
    }
}
