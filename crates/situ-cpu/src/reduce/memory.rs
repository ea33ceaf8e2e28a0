//! Memory for values on their way.

use crate::bytes::LINE;

/// A cache line, so that no vector straddles two.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line(#[allow(dead_code, reason = "read and written through pointers only")] [u8; LINE]);

/// Memory of undefined contents, aligned to a cache line.
#[derive(Debug)]
pub(super) struct Memory(Vec<Line>);

impl Memory {
    pub(super) fn new(bytes: usize) -> Memory {
        Memory(Vec::with_capacity(bytes.div_ceil(LINE)))
    }

    pub(super) fn start(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

/// A pointer that threads share, each of which writes to places of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared<T>(pub(super) *mut T);

// SAFETY: whoever dereferences it vouches that no other thread uses the same place.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// The place so many elements on. (A method, so that closures capture the whole, not the pointer in it.)
    pub(super) fn at(self, elements: usize) -> *mut T {
        self.0.wrapping_add(elements)
    }
}
