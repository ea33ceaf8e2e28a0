//! Keeping a helper on the cores of its device, and off the core its leader is on.

use std::sync::Arc;

/// A logical processor that is none.
pub(super) const NOWHERE: usize = usize::MAX;

/// Where a helper thread may run.
///
/// At first that is every core of the device. A guest system may take an idle virtual core for one that is busy
/// elsewhere, and put a woken thread onto the core of the thread that woke it, every time: there it would not help but
/// stand in the leader's way. A helper that finds itself there moves away and leaves that core to leaders, until it
/// meets one somewhere else. One core fewer is enough, for there is one helper less than there are cores.
///
/// All of it is best effort: where the system refuses (a core went offline, or the container forbids it) the thread
/// runs wherever it is put, which is slower and still right.
#[derive(Debug)]
pub(super) struct Station {
    cores: Arc<[u32]>,
}

impl Station {
    /// Limits the calling thread to `cores`, or not at all if there are none.
    pub(super) fn take(cores: Arc<[u32]>) -> Self {
        limit_to(cores.iter().copied());
        Self { cores }
    }

    /// Moves the calling thread elsewhere within its cores if it runs on `core`.
    pub(super) fn keep_off(&self, core: usize) {
        if core != NOWHERE && core == current_core() {
            limit_to(self.cores.iter().copied().filter(|&other| other as usize != core));
        }
    }
}

/// The logical processor the calling thread runs on, a moment ago.
#[cfg(all(target_os = "linux", not(loom)))]
pub(super) fn current_core() -> usize {
    // SAFETY: a call without arguments; it returns -1 where the system cannot tell.
    usize::try_from(unsafe { libc::sched_getcpu() }).unwrap_or(NOWHERE)
}

#[cfg(all(target_os = "linux", not(loom)))]
fn limit_to(cores: impl Iterator<Item = u32>) {
    const BITS: usize = libc::c_ulong::BITS as usize;
    // Not `cpu_set_t`, which ends at 1024 processors.
    let mut mask: Vec<libc::c_ulong> = Vec::new();
    for core in cores {
        let (word, bit) = (core as usize / BITS, core as usize % BITS);
        mask.resize(mask.len().max(word + 1), 0);
        mask[word] |= 1 << bit;
    }
    if mask.is_empty() {
        return;
    }
    // SAFETY: the kernel reads `size_of_val(mask)` bytes from the vector, which are there, and takes a mask of any
    // length; process 0 means the calling thread.
    unsafe { libc::sched_setaffinity(0, size_of_val(mask.as_slice()), mask.as_ptr().cast()) };
}

/// Elsewhere there is no such call, or only a hint, and the system's own placement does.
#[cfg(any(not(target_os = "linux"), loom))]
pub(super) fn current_core() -> usize {
    NOWHERE
}

#[cfg(any(not(target_os = "linux"), loom))]
fn limit_to(_cores: impl Iterator<Item = u32>) {}
