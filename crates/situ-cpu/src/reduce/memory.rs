//! Memory for values on their way.

use std::mem::MaybeUninit;

use situ_ir::tree::LANES;

use crate::bytes::LINE;

/// A cache line, so that no vector straddles two.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line(#[allow(dead_code, reason = "read and written through pointers only")] [u8; LINE]);

/// Memory of undefined contents, aligned to a cache line. A little of it is kept in place, where it costs nothing.
#[derive(Debug)]
pub(super) struct Memory {
    few: MaybeUninit<[Line; FEW]>,
    many: Vec<Line>,
}

/// Lines that are kept in place.
const FEW: usize = 2;

impl Memory {
    pub(super) fn new(bytes: usize) -> Memory {
        let lines = bytes.div_ceil(LINE);
        Memory { few: MaybeUninit::uninit(), many: if lines <= FEW { Vec::new() } else { Vec::with_capacity(lines) } }
    }

    /// Where it begins, as long as it is not moved.
    #[inline]
    pub(super) fn start(&mut self) -> *mut u8 {
        if self.many.capacity() == 0 { self.few.as_mut_ptr().cast() } else { self.many.as_mut_ptr().cast() }
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

/// Room for what is known of the lanes of a chunk, of any dtype.
#[derive(Debug)]
pub(super) struct Lanes(MaybeUninit<[Line; LANES * 32 / LINE]>);

impl Lanes {
    pub(super) fn new() -> Lanes {
        Lanes(MaybeUninit::uninit())
    }

    /// Where they begin, as long as they are not moved.
    #[inline]
    pub(super) fn start(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}
