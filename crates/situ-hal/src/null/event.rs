//! Null events: the fate of one command, and how it is brought about.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::queue::perform;
use super::{Call, STATE, faults};
use crate::{Command, Event, EventStatus, HalError, Profile, Result};

/// The first failure on a queue that nobody has asked it for yet.
pub(super) type FirstError = Arc<Mutex<Option<HalError>>>;

/// A command with what it waits for, or what became of it.
pub(super) struct Task {
    progress: Mutex<Progress>,
    over: Condvar,
    /// When it was submitted, on a queue that records times.
    submitted: Option<u64>,
    first_error: FirstError,
}

/// Waiting while there is work, over once there is an outcome, running in between.
struct Progress {
    work: Option<Work>,
    outcome: Option<Outcome>,
}

struct Outcome {
    error: Option<HalError>,
    profile: Option<Profile>,
}

/// A command that has not been started.
pub(super) struct Work {
    pub(super) command: Command,
    /// The wait list: all of it must succeed.
    pub(super) after: Vec<Arc<Task>>,
    /// What the queue puts before it: all of it must be over, successful or not.
    pub(super) behind: Vec<Arc<Task>>,
}

impl Work {
    fn execute(&self) -> Result<()> {
        if let Some(error) = self.after.iter().find_map(|task| task.error()) {
            return Err(error);
        }
        faults::pass(Call::Execute).map_err(|fault| fault.error(self.command.name(), 0))?;
        // SAFETY: whoever submitted the command promised that its addresses stay valid until it is complete, which it
        // is not yet, and that what it conflicts with is among the tasks it has waited for.
        unsafe { perform(&self.command) }
    }
}

impl Event for Task {
    fn status(&self) -> EventStatus {
        let progress = self.progress.lock();
        match (&progress.work, &progress.outcome) {
            (Some(_), _) => EventStatus::Submitted,
            (None, None) => EventStatus::Running,
            (None, Some(Outcome { error: None, .. })) => EventStatus::Complete,
            (None, Some(Outcome { error: Some(_), .. })) => EventStatus::Failed,
        }
    }

    /// Nothing here takes time, so any limit is long enough, except zero: that is a poll and runs nothing.
    fn wait(&self, limit: Option<Duration>) -> bool {
        if limit != Some(Duration::ZERO) {
            finish(self.obstacles());
            self.run();
        }
        self.is_over()
    }

    fn error(&self) -> Option<HalError> {
        self.progress.lock().outcome.as_ref()?.error.clone()
    }

    fn profile(&self) -> Option<Profile> {
        self.progress.lock().outcome.as_ref()?.profile
    }
}

impl Task {
    pub(super) fn new(work: Work, profiling: bool, first_error: FirstError) -> Task {
        Task {
            progress: Mutex::new(Progress { work: Some(work), outcome: None }),
            over: Condvar::new(),
            submitted: profiling.then(|| STATE.lock().tick()),
            first_error,
        }
    }

    /// The task that an event is, or `None` for an event of another backend.
    pub(super) fn of(event: &Arc<dyn Event>) -> Option<Arc<Task>> {
        let any: Arc<dyn Any + Send + Sync> = event.clone();
        any.downcast().ok()
    }

    pub(super) fn is_over(&self) -> bool {
        self.status().is_over()
    }

    /// What must be over before this task can start, in the order of submission where the queue knows it.
    fn obstacles(&self) -> Vec<Arc<Task>> {
        let progress = self.progress.lock();
        let Some(work) = &progress.work else { return Vec::new() };
        work.behind.iter().chain(&work.after).filter(|task| !task.is_over()).cloned().collect()
    }

    /// Runs the task, unless it has been or is being run, and returns when it is over. Its obstacles must be gone.
    fn run(&self) {
        let mut progress = self.progress.lock();
        let Some(work) = progress.work.take() else {
            while progress.outcome.is_none() {
                self.over.wait(&mut progress);
            }
            return;
        };
        drop(progress);
        let start = self.submitted.map(|_| STATE.lock().tick());
        let error = work.execute().err();
        if let Some(error) = &error {
            self.first_error.lock().get_or_insert_with(|| error.clone());
        }
        let profile = self.submitted.zip(start).map(|(submit, start)| {
            let end = STATE.lock().tick();
            Profile { submit, start, end }
        });
        self.progress.lock().outcome = Some(Outcome { error, profile });
        self.over.notify_all();
    }

    fn take_predecessors(&mut self) -> Vec<Arc<Task>> {
        match self.progress.get_mut().work.take() {
            Some(work) => work.after.into_iter().chain(work.behind).collect(),
            None => Vec::new(),
        }
    }
}

/// Runs these tasks and all they wait for, each once and after what it waits for, otherwise in the order given.
///
/// With a stack of its own, because a chain of waiting tasks can be longer than the thread's stack is deep.
pub(super) fn finish(mut tasks: Vec<Arc<Task>>) {
    tasks.reverse();
    while let Some(task) = tasks.last() {
        let obstacles = task.obstacles();
        if obstacles.is_empty() {
            task.run();
            tasks.pop();
        } else {
            tasks.extend(obstacles.into_iter().rev());
        }
    }
}

impl Drop for Task {
    /// Takes a chain of abandoned tasks apart link by link, where dropping it whole would recurse once per link.
    fn drop(&mut self) {
        let mut tasks = self.take_predecessors();
        while let Some(task) = tasks.pop() {
            if let Some(mut unshared) = Arc::into_inner(task) {
                tasks.append(&mut unshared.take_predecessors());
            }
        }
    }
}

impl fmt::Debug for Task {
    /// Leaves out the predecessors, of which there can be any number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("status", &self.status()).finish_non_exhaustive()
    }
}
