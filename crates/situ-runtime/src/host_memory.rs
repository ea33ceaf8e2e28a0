//! What the operating system knows about the host's memory.

/// Whether there is memory of this process where a range begins and where it ends. Nothing can be said about holes in
/// between, nor about whether it may be written.
pub fn is_mapped(start: usize, bytes: usize) -> bool {
    let Some(last) = start.checked_add(bytes.saturating_sub(1)) else { return false };
    is_page_mapped(start) && is_page_mapped(last)
}

#[cfg(unix)]
fn is_page_mapped(address: usize) -> bool {
    // SAFETY: asks a number of the system.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096).max(1);
    let mut resident = 0;
    // SAFETY: the system looks at its tables and not at the memory; one page has one byte of answer.
    unsafe { libc::mincore((address / page * page) as *mut libc::c_void, 1, &raw mut resident) == 0 }
}

#[cfg(not(unix))]
fn is_page_mapped(_: usize) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_memory_of_this_process_is_mapped() {
        let here = vec![1u8; 100_000];
        let start = here.as_ptr() as usize;
        assert!(is_mapped(start, here.len()));
        assert!(is_mapped(start, 0));
        for far in [0, 64, 1 << 62, 1 << 63, usize::MAX - 8] {
            assert!(!is_mapped(far, 1), "{far:#x}");
        }
        assert!(!is_mapped(start, 1 << 46));
        assert!(!is_mapped(start, usize::MAX));
    }
}
