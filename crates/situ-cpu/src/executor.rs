//! The thread that runs a device's tasks, one after another, each spread over the device's team.
//!
//! Who waits for a task need not wait for that thread to wake up: if nobody is at work, it runs what is ready itself.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use situ_hal::{Address, Command, Event, HalError};

use crate::device::CpuDevice;
use crate::elementwise::Machine;
use crate::event::{Task, Work};
use crate::launch::Interrupted;
use crate::topology::CoreSet;
use crate::{bytes, elementwise, fft, indexing, launch, linalg, product, random, reduce, sort};

/// How long an executor that has run a task looks out for more before it sleeps. A hand-over to a sleeping thread costs
/// 7 to 17 µs, on some virtual machines 50, to a waking one well under one.
const LINGER: Duration = Duration::from_micros(40);

/// The longest work, in nanoseconds, that who waits takes upon itself: it may have to look at other things in between.
pub(crate) const LONGEST_FAVOUR: u64 = 20_000_000;

#[derive(Debug, Default)]
struct State {
    ready: VecDeque<Arc<Task>>,
    /// Whether a task is being run, on whichever thread; there is one at a time.
    busy: bool,
    /// Whether the thread is there.
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

    /// Runs ready tasks on the calling thread until the given one is over, unless somebody else is at work or the next
    /// task would take too long: it has to be over by the deadline. `may_work` is asked before each.
    pub(crate) fn lend_a_hand(&self, awaited: &Task, deadline: Option<Instant>, may_work: impl Fn() -> bool) {
        while !awaited.status().is_over() && may_work() {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()).as_nanos());
            let left = left.map_or(LONGEST_FAVOUR, |left| left.min(LONGEST_FAVOUR.into()) as u64);
            let Some(task) = self.shared.take_shorter(left) else { return };
            run(&task);
            self.shared.rest();
        }
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
            self.rest();
            let started = Instant::now();
            while self.count.load(Ordering::Acquire) == 0 && started.elapsed() < LINGER {
                std::hint::spin_loop();
            }
        }
    }

    /// Waits for a task; `None` when the thread is to end.
    fn next(&self) -> Option<Arc<Task>> {
        let mut state = self.state.lock();
        loop {
            if let Some(task) = self.take(&mut state) {
                return Some(task);
            }
            if state.stopped && state.ready.is_empty() {
                state.running = false;
                return None;
            }
            self.bell.wait(&mut state);
        }
    }

    /// The next task, if nobody is at work and it takes at most so many nanoseconds.
    fn take_shorter(&self, limit: u64) -> Option<Arc<Task>> {
        // Somebody who has the lock is about to work, or hands something over to who is.
        let mut state = self.state.try_lock()?;
        let is_short = state.ready.front().is_some_and(|task| task.nanoseconds() <= limit);
        if is_short { self.take(&mut state) } else { None }
    }

    /// The next task, if nobody is at work.
    fn take(&self, state: &mut State) -> Option<Arc<Task>> {
        if state.busy {
            return None;
        }
        let task = state.ready.pop_front()?;
        state.busy = true;
        self.count.store(state.ready.len(), Ordering::Release);
        Some(task)
    }

    /// Lets others work.
    fn rest(&self) {
        let mut state = self.state.lock();
        state.busy = false;
        let is_wanted = !state.ready.is_empty() || state.stopped;
        drop(state);
        if is_wanted {
            self.bell.notify_one();
        }
    }
}

/// Executes a ready task and ends it, whatever happens.
fn run(task: &Task) {
    let Some(Work { command, scratch, device }) = task.start() else {
        task.complete(None);
        return;
    };
    // SAFETY: the submitter promised that the command's memory is valid until the task is over, and the task is not
    // over before `complete` below; its dependencies are. The same holds for its scratch memory.
    let outcome = catch_unwind(AssertUnwindSafe(|| unsafe {
        execute(&command, task.nanoseconds(), &device, scratch, &|| task.is_interrupted())
    }));
    let error = outcome.err().map(|_| HalError::Failed {
        operation: command.name(),
        detail: "the command panicked; this is a bug in situ".into(),
    });
    task.complete(error);
    // Last: this may be the last handle to the device, whose destructor stops the executor this runs on.
    drop(device);
}

/// Executes a command, thought to take so long, on the calling thread and the device's team. Kernels end early once
/// they are interrupted.
///
/// # Safety
///
/// As [`situ_hal::Queue::submit`], and everything the command must wait for is over. There are as many bytes of scratch memory
/// as [`scratch`] says.
#[inline]
pub(crate) unsafe fn execute(
    command: &Command,
    nanoseconds: u64,
    device: &CpuDevice,
    scratch: Address,
    is_interrupted: Interrupted<'_>,
) {
    let machine = device.machine();
    let fork = |chunks: usize, body: &(dyn Fn(usize) + Sync)| {
        device.team().run(chunks, device.momentum().is_worth_waking(nanoseconds), body);
        device.momentum().piece_ended();
    };
    // All but the elementwise ones are out of line: the way of small commands takes little of the instruction cache.
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
        Command::Join(command) => {
            // SAFETY: as above.
            unsafe { elementwise::join(command, nanoseconds, machine, &fork) }
        }
        Command::Repeat(command) => {
            // SAFETY: as above.
            unsafe { indexing::repeat(command, nanoseconds, machine, &fork) }
        }
        Command::Reduce(command) => {
            // SAFETY: as above.
            unsafe { reduce::reduce(command, nanoseconds, machine, &fork) }
        }
        Command::Scan(command) => {
            // SAFETY: as above.
            unsafe { reduce::scan(command, nanoseconds, machine, &fork) }
        }
        Command::Sort(command) => {
            // SAFETY: as above.
            unsafe { sort::sort(command, machine, &fork, scratch.0) }
        }
        Command::Search(command) => {
            // SAFETY: as above.
            unsafe { sort::search(command, nanoseconds, machine, &fork) }
        }
        Command::RunCount(command) => {
            // SAFETY: as above.
            unsafe { sort::run_count(command, nanoseconds, machine, &fork) }
        }
        Command::RunSelect(command) => {
            // SAFETY: as above.
            unsafe { sort::run_select(command, nanoseconds, machine, &fork) }
        }
        Command::Product(command) => {
            // SAFETY: as above.
            unsafe { product::product(command, nanoseconds, machine, &fork) }
        }
        Command::Linalg(command) => {
            // SAFETY: as above.
            unsafe { linalg::linalg(command, machine, &fork, scratch, || device.linalg_pool()) }
        }
        Command::Random(command) => {
            // SAFETY: as above.
            unsafe { random::random(command, nanoseconds, machine, &fork) }
        }
        Command::Fft(command) => {
            // SAFETY: as above.
            unsafe { fft::fft(command, machine, &fork, scratch.0) }
        }
        Command::Launch(command) => {
            // SAFETY: as above.
            unsafe { launch::launch(command, machine, &fork, is_interrupted) }
        }
        // The processor has no language of its own, and gets no such command.
        Command::RawLaunch(_) => {}
    }
}

/// Bytes of scratch memory that a command needs.
#[inline]
pub(crate) fn scratch(command: &Command, machine: &Machine) -> usize {
    match command {
        Command::Sort(command) => sort::scratch(command, machine),
        Command::Linalg(command) => linalg::scratch(command, machine),
        Command::Fft(command) => fft::scratch(command, machine),
        _ => 0,
    }
}

/// A rough estimate, in nanoseconds, of one thread's work for a command.
#[inline]
pub(crate) fn cost(command: &Command) -> u64 {
    match command {
        Command::Barrier
        | Command::Marker
        | Command::Prefetch { .. }
        | Command::Advise { .. }
        | Command::RawLaunch(_) => 0,
        // About 10 GB/s.
        Command::Copy { bytes, .. } => *bytes as u64 / 10,
        Command::Fill { width, count, .. } => (width * count) as u64 / 10,
        Command::Elementwise(command) => elementwise::cost(command),
        Command::Gather(command) | Command::Scatter(command) => indexing::cost::transfer(command),
        Command::IndexCheck(command) => indexing::cost::check(command),
        Command::MaskCount(command) => indexing::cost::count(command),
        Command::MaskSelect(command) => indexing::cost::select(command),
        Command::MaskExpand(command) => indexing::cost::expand(command),
        Command::Join(command) => elementwise::cost_of_join(command),
        Command::Repeat(command) => indexing::cost::repeat(command),
        Command::Reduce(command) => reduce::cost(command),
        Command::Scan(command) => reduce::cost_of_scan(command),
        Command::Sort(command) => sort::cost::sort(command),
        Command::Search(command) => sort::cost::search(command),
        Command::RunCount(command) => sort::cost::run_count(command),
        Command::RunSelect(command) => sort::cost::run_select(command),
        Command::Product(command) => product::cost(command),
        Command::Linalg(command) => linalg::cost(command),
        Command::Random(command) => random::cost(command),
        Command::Fft(command) => fft::cost(command),
        Command::Launch(command) => launch::cost(command),
    }
}

#[cfg(test)]
mod tests {
    use situ_hal::EventStatus;

    use super::*;
    use crate::event::Ledger;
    use crate::platform::root_device;

    /// A task, thought to take so long, that fills some bytes.
    fn fill(bytes: &mut [u8], nanoseconds: u64) -> Arc<Task> {
        let (dst, count) = (Address(bytes.as_mut_ptr()), bytes.len());
        let command = Command::Fill { dst, pattern: [7; 16], width: 1, count };
        let work = Work { command, scratch: Address(std::ptr::null_mut()), device: root_device().clone() };
        Task::new(work, nanoseconds, false, Arc::<Ledger>::default())
    }

    /// An executor whose thread never comes.
    fn deserted() -> Executor {
        let executor = Executor::new(root_device().topology().usable().clone(), false);
        executor.shared.state.lock().running = true;
        executor
    }

    #[test]
    fn who_waits_runs_what_is_ready() {
        let executor = deserted();
        let mut memory = [[0u8; 32]; 3];
        let tasks: Vec<_> = memory.iter_mut().map(|bytes| fill(bytes, 1000)).collect();
        tasks.iter().for_each(|task| executor.push(task.clone()));
        executor.lend_a_hand(&tasks[1], None, || true);
        let statuses: Vec<_> = tasks.iter().map(|task| task.status()).collect();
        assert_eq!(statuses, [EventStatus::Complete, EventStatus::Complete, EventStatus::Submitted]);
        executor.lend_a_hand(&tasks[2], Some(Instant::now() + Duration::from_secs(1)), || true);
        assert_eq!(memory, [[7; 32]; 3]);
        assert!(!executor.shared.state.lock().busy);
    }

    #[test]
    fn who_waits_leaves_long_work_to_the_thread() {
        let executor = deserted();
        let mut memory = [0u8; 32];
        let task = fill(&mut memory, 5_000_000);
        executor.push(task.clone());
        executor.lend_a_hand(&task, Some(Instant::now() + Duration::from_millis(1)), || true);
        assert_eq!(task.status(), EventStatus::Submitted);
        executor.lend_a_hand(&task, None, || true);
        assert_eq!(task.status(), EventStatus::Complete);
    }

    #[test]
    fn who_waits_keeps_to_the_time() {
        let executor = deserted();
        let mut memory = [0u8; 32];
        let tasks: Vec<_> = (0..50).map(|_| fill(&mut memory, 4_000_000)).collect();
        tasks.iter().for_each(|task| executor.push(task.clone()));
        let deadline = Instant::now() + Duration::from_millis(20);
        let late = std::cell::Cell::new(0);
        // Each takes as long as it was thought to, or longer on a busy machine.
        executor.lend_a_hand(&tasks[49], Some(deadline), || {
            late.set(late.get() + u32::from(Instant::now() > deadline));
            std::thread::sleep(Duration::from_millis(4));
            true
        });
        // The clock is read before, and the system may do something else in between.
        assert!(late.get() <= 1);
        assert_eq!(tasks[49].status(), EventStatus::Submitted);
    }

    #[test]
    fn who_may_not_work_does_not() {
        let executor = deserted();
        let mut memory = [0u8; 32];
        let task = fill(&mut memory, 1000);
        executor.push(task.clone());
        executor.lend_a_hand(&task, None, || false);
        assert_eq!(task.status(), EventStatus::Submitted);
        assert!(executor.shared.take_shorter(u64::MAX).is_some());
    }

    #[test]
    fn one_task_is_run_at_a_time() {
        let executor = deserted();
        let mut memory = [0u8; 32];
        let task = fill(&mut memory, 1000);
        executor.push(task.clone());
        executor.shared.state.lock().busy = true;
        executor.lend_a_hand(&task, None, || true);
        assert_eq!(task.status(), EventStatus::Submitted);
        executor.shared.rest();
        executor.lend_a_hand(&task, None, || true);
        assert_eq!(task.status(), EventStatus::Complete);
    }
}
