//! Random numbers, by the meaning that `situ_ir::random` gives them.

use std::ptr;

use crate::Random;

/// # Safety
///
/// As for [`perform`](super::queue::perform).
pub(super) unsafe fn random(command: &Random) -> Option<()> {
    let &Random { out, count, stream, distribution } = command;
    let width = distribution.dtype().size();
    for i in 0..count {
        let bytes = distribution.element(stream, i as u64).to_bytes();
        // SAFETY: the caller vouches for `count` elements from `out` on, and no element is wider than the bytes.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), out.0.add(i * width), width) };
    }
    Some(())
}
