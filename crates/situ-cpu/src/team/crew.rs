//! The helper threads themselves: starting and stopping them.

use super::affinity::Station;
use super::fork_join::ForkJoin;
use super::sync::{Arc, Builder, JoinHandle};

/// The started helper threads of one team, as its leader sees them.
#[derive(Debug, Default)]
pub(super) struct Crew {
    /// `None` until the first need.
    threads: Option<Vec<JoinHandle<()>>>,
    /// The process the threads live in. A forked child inherits the handles, not the threads.
    process: u32,
}

impl Crew {
    /// Starts the helpers if that has not been tried yet: one less than there are cores, fewer if the system refuses.
    pub(super) fn muster(
        &mut self,
        fork_join: &Arc<ForkJoin>,
        name: &str,
        cores: &std::sync::Arc<[u32]>,
        helpers: usize,
    ) {
        if self.threads.is_some() {
            return;
        }
        self.process = std::process::id();
        fork_join.note_leaders_core();
        let mut threads = Vec::with_capacity(helpers);
        for index in 1..=helpers {
            let (fork_join, cores) = (Arc::clone(fork_join), cores.clone());
            let life = move || {
                let station = Station::take(cores);
                fork_join.serve(&station, has_room(helpers + 1));
            };
            match Builder::new().name(format!("situ-{name}-{index}")).spawn(life) {
                Ok(thread) => threads.push(thread),
                // Out of threads now is out of threads for the next one too.
                Err(_) => break,
            }
        }
        fork_join.set_helpers(threads.len());
        self.threads = Some(threads);
    }

    /// Forgets threads that stayed behind in the process this one was forked from.
    ///
    /// Their locks may be held for ever and their handles must not be touched, not even to detach them.
    pub(super) fn forget_if_forked(&mut self, fork_join: &ForkJoin) {
        if self.process != std::process::id() {
            std::mem::forget(self.threads.replace(Vec::new()));
            fork_join.set_helpers(0);
        }
    }

    /// Stops the helpers and waits for their end.
    pub(super) fn dismiss(&mut self, fork_join: &ForkJoin) {
        self.forget_if_forked(fork_join);
        let threads = self.threads.take().unwrap_or_default();
        if threads.is_empty() {
            return;
        }
        fork_join.stop();
        for thread in threads {
            // A helper's bodies are caught, so there is no panic to pass on.
            let _ = thread.join();
        }
    }
}

/// Whether a spinning thread takes nothing from the others of a team of `width`.
///
/// Asked by the helper itself, after it was limited to the team's cores, so that a container's quota counts too.
fn has_room(width: usize) -> bool {
    cfg!(loom) || std::thread::available_parallelism().is_ok_and(|room| room.get() >= width)
}
