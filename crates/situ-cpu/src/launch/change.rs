//! Elements that are changed by one work-item at a time, also while other threads change them.

use std::mem::MaybeUninit;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use situ_ir::kernel::Space;

use super::add::{self, Lanes};
use super::frame::{Form, Frame, Mask};
use super::memory::Reach;
use super::plan::{Change, ChangeKind};
use crate::elementwise::Loop;

/// What an element becomes: another value, given the old one and the work-item's.
#[derive(Clone, Copy)]
enum Becomes {
    Computed(Loop),
    Replaced,
    /// Replaced if it is this.
    ReplacedIf(*const u8),
}

/// Elements too wide for the processor's atomic operations are changed under one of these.
static LOCKS: [Mutex<()>; 64] = [const { Mutex::new(()) }; 64];

impl Becomes {
    /// The new element.
    ///
    /// # Safety
    ///
    /// The old one and the value are of the dtype, and so many bytes long.
    unsafe fn apply(self, old: &[u8; 16], value: *const u8, width: usize) -> [u8; 16] {
        let mut new = [0u8; 16];
        // SAFETY: an element is at most 16 bytes; what is on the stack is aligned below.
        unsafe {
            match self {
                Becomes::Computed(body) => {
                    #[repr(align(16))]
                    struct Aligned([u8; 16]);
                    let (from, mut to) = (Aligned(*old), Aligned(new));
                    let out = std::slice::from_raw_parts_mut(to.0.as_mut_ptr().cast::<MaybeUninit<u8>>(), width);
                    body(out, &[from.0.as_ptr(), value]);
                    new = to.0;
                }
                Becomes::Replaced => value.copy_to_nonoverlapping(new.as_mut_ptr(), width),
                Becomes::ReplacedIf(expected) => {
                    let is_expected = std::slice::from_raw_parts(expected, width) == &old[..width];
                    let from = if is_expected { value } else { old.as_ptr() };
                    from.copy_to_nonoverlapping(new.as_mut_ptr(), width);
                }
            }
        }
        new
    }
}

/// Changes an element; what it was.
///
/// # Safety
///
/// The element and the value are aligned, valid and so many bytes long. If the element is shared, others change it through
/// this function only.
unsafe fn change_one(at: *mut u8, value: *const u8, width: usize, becomes: Becomes, is_shared: bool) -> [u8; 16] {
    macro_rules! exchange {
        ($atomic:ty, $type:ty) => {{
            // SAFETY: passed on from the caller.
            let element = unsafe { <$atomic>::from_ptr(at.cast()) };
            let mut old = element.load(Ordering::Relaxed);
            loop {
                let mut bytes = [0; 16];
                bytes[..width].copy_from_slice(&old.to_ne_bytes());
                // SAFETY: as above.
                let new = unsafe { becomes.apply(&bytes, value, width) };
                let new = <$type>::from_ne_bytes(std::array::from_fn(|i| new[i]));
                match element.compare_exchange_weak(old, new, Ordering::AcqRel, Ordering::Relaxed) {
                    Ok(_) => return bytes,
                    Err(now) => old = now,
                }
            }
        }};
    }
    match width {
        1 if is_shared => exchange!(AtomicU8, u8),
        2 if is_shared => exchange!(AtomicU16, u16),
        4 if is_shared => exchange!(AtomicU32, u32),
        8 if is_shared && at.addr().is_multiple_of(8) => exchange!(AtomicU64, u64),
        _ => {
            // Elements of two words, and pairs of single precision that are aligned as single ones.
            let _lock = is_shared.then(|| LOCKS[at.addr() / 16 % LOCKS.len()].lock());
            let mut old = [0; 16];
            // SAFETY: passed on from the caller; nobody else changes the element meanwhile.
            unsafe {
                at.copy_to_nonoverlapping(old.as_mut_ptr(), width);
                let new = becomes.apply(&old, value, width);
                at.copy_from_nonoverlapping(new.as_ptr(), width);
            }
            old
        }
    }
}

impl Frame<'_> {
    /// # Safety
    ///
    /// Those who take part can change their elements.
    pub(super) unsafe fn change(&mut self, change: &Change, mask: Mask) {
        match self.reach(&change.at) {
            Reach::One(first) => self.write_offsets(first, 0),
            Reach::Line { first, step } => self.write_offsets(first, step),
            Reach::Each => {}
        }
        let array = &self.arrays[change.at.array.index()];
        let (at, width, is_shared) =
            (array.at, array.width, array.space == Space::Global && self.launched.is_shared && !array.is_copy);
        let value = self.spread(change.value);
        let becomes = match change.kind {
            ChangeKind::Atomic(_, Some(body)) => Becomes::Computed(body),
            ChangeKind::Atomic(_, None) => Becomes::Replaced,
            ChangeKind::Compare(expected) => Becomes::ReplacedIf(self.spread(expected)),
        };
        let to = change.to.map(|to| self.cells[to].own);
        let (offsets, count) = (self.offsets.cast_const(), self.lanes);
        let lanes = Lanes { at, offsets, values: value, mask: mask.at, to, count };
        // SAFETY: masks, offsets and registers have an element for each work-item, and those who take part can change theirs.
        unsafe {
            match add::of(change.kind, change.dtype, is_shared) {
                Some(add) => add(&lanes),
                None => change_each(&lanes, width, becomes, is_shared),
            }
        }
        if let Some(to) = change.to {
            self.wrote(to, Form::Each);
        }
    }
}

/// Changes the elements of those who take part, in order.
///
/// # Safety
///
/// As for [`change_one`], for each of them.
unsafe fn change_each(lanes: &Lanes, width: usize, becomes: Becomes, is_shared: bool) {
    for lane in 0..lanes.count {
        // SAFETY: passed on from the caller.
        unsafe {
            if lanes.mask.add(lane).read() == 0 {
                continue;
            }
            let element = lanes.at.wrapping_offset(lanes.offsets.add(lane).read() as isize * width as isize);
            let becomes = match becomes {
                Becomes::ReplacedIf(first) => Becomes::ReplacedIf(first.add(lane * width)),
                other => other,
            };
            let old = change_one(element, lanes.values.add(lane * width), width, becomes, is_shared);
            if let Some(to) = lanes.to {
                to.add(lane * width).copy_from_nonoverlapping(old.as_ptr(), width);
            }
        }
    }
}
