//! What the standard library can tell on systems other than Linux: how many processors there are.

use super::CoreSet;

/// As many processors as the program may use, numbered from 0 for want of their real numbers.
pub(super) fn allowed() -> CoreSet {
    let count = std::thread::available_parallelism().map_or(1, |n| n.get());
    CoreSet::new((0..).take(count))
}

/// Refuses: the processors' real numbers are not known.
pub(super) fn bind_current_thread(_cores: &CoreSet) -> bool {
    false
}

/// Bytes of memory in the machine.
pub(super) fn physical_memory() -> Option<u64> {
    #[cfg(target_os = "macos")]
    {
        // SAFETY: `sysconf` takes a number and returns a number; it touches no memory of ours.
        let (pages, page) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
        u64::try_from(pages).ok()?.checked_mul(u64::try_from(page).ok()?)
    }
    #[cfg(not(target_os = "macos"))]
    None
}
