//! A counted reference that costs less than [`Arc`](std::sync::Arc) where it matters to small calls: the last owner
//! lets go without an atomic exchange, and what lives for ever is not counted at all.

use std::fmt;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use crate::sync::{AtomicUsize, Ordering, fence};

/// Owners beyond this number mean that references are being lost, and would soon overflow the count.
const TOO_MANY: usize = isize::MAX as usize;

/// The count of what lives for ever.
const FOR_EVER: usize = 0;

/// A value shared by its owners and dropped with the last of them, unless it was made to live for ever. Buffers and the
/// layouts of arrays are such values.
///
/// ```
/// use situ_runtime::Counted;
///
/// let one = Counted::new(vec![1, 2]);
/// let other = one.clone();
/// assert!(Counted::is_same(&one, &other));
/// assert_eq!(*other, [1, 2]);
/// ```
pub struct Counted<T>(NonNull<Inner<T>>);

struct Inner<T> {
    owners: AtomicUsize,
    value: T,
}

// SAFETY: owners on several threads share the value, and any of them may be the one that drops it.
unsafe impl<T: Send + Sync> Send for Counted<T> {}
// SAFETY: as above; a reference to an owner can be made an owner.
unsafe impl<T: Send + Sync> Sync for Counted<T> {}

impl<T> Counted<T> {
    /// A value with its first owner.
    #[inline(always)]
    pub fn new(value: T) -> Counted<T> {
        Self::with_owners(1, value)
    }

    /// A value that is never dropped.
    pub fn for_ever(value: T) -> Counted<T> {
        Self::with_owners(FOR_EVER, value)
    }

    #[inline(always)]
    fn with_owners(owners: usize, value: T) -> Counted<T> {
        Self::write(Shell::new(), owners, value)
    }

    /// A value with its first owner, where another one was.
    #[inline(always)]
    pub(crate) fn new_in(shell: Shell<T>, value: T) -> Counted<T> {
        Self::write(shell, 1, value)
    }

    /// The place comes first, so that the parts of the value can go straight there.
    #[inline(always)]
    fn write(shell: Shell<T>, owners: usize, value: T) -> Counted<T> {
        let place = ManuallyDrop::new(shell).0.cast::<Inner<T>>();
        // SAFETY: the shell owned room for this, which now belongs to the value.
        unsafe { place.write(Inner { owners: AtomicUsize::new(owners), value }) };
        Counted(place)
    }

    /// Lets go of the value; who was its last owner gets it.
    #[inline(always)]
    pub(crate) fn into_last(self) -> Option<Last<T>> {
        let this = ManuallyDrop::new(self);
        if this.lets_go() { Some(Last(this.0)) } else { None }
    }

    /// Gives up an owner; whether it was the last one.
    #[inline(always)]
    fn lets_go(&self) -> bool {
        let owners = &self.inner().owners;
        // The only owner stays the only one: nobody else has anything to make another from. What earlier owners did
        // comes before what they released.
        match owners.load(Ordering::Acquire) {
            FOR_EVER => false,
            1 => true,
            _ => {
                let was_last = owners.fetch_sub(1, Ordering::Release) == 1;
                if was_last {
                    fence(Ordering::Acquire);
                }
                was_last
            }
        }
    }

    /// How many owners it has.
    #[inline]
    pub(crate) fn owners(&self) -> &AtomicUsize {
        &self.inner().owners
    }

    /// Whether both are the same value, not only equal ones.
    #[inline]
    pub fn is_same(a: &Counted<T>, b: &Counted<T>) -> bool {
        a.0 == b.0
    }

    #[inline]
    fn inner(&self) -> &Inner<T> {
        // SAFETY: the value is there as long as it has an owner, and this is one.
        unsafe { self.0.as_ref() }
    }
}

impl<T> Deref for Counted<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.inner().value
    }
}

impl<T> Clone for Counted<T> {
    #[inline]
    fn clone(&self) -> Counted<T> {
        let owners = &self.inner().owners;
        if owners.load(Ordering::Relaxed) != FOR_EVER && owners.fetch_add(1, Ordering::Relaxed) > TOO_MANY {
            std::process::abort();
        }
        Counted(self.0)
    }
}

impl<T> Drop for Counted<T> {
    #[inline]
    fn drop(&mut self) {
        if self.lets_go() {
            drop(Last(self.0));
        }
    }
}

/// A value without an owner, to be dropped or made use of.
pub(crate) struct Last<T>(NonNull<Inner<T>>);

impl<T> Last<T> {
    /// Its place. The value itself is forgotten.
    #[inline]
    pub(crate) fn vacate(self) -> Shell<T> {
        Shell(ManuallyDrop::new(self).0.cast())
    }
}

impl<T> Deref for Last<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: nobody else has it.
        unsafe { &self.0.as_ref().value }
    }
}

impl<T> DerefMut for Last<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut self.0.as_mut().value }
    }
}

impl<T> Drop for Last<T> {
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: it came from a `Box`, and nobody else refers to it any more.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// Room for a counted value. Asking the allocator for it, and giving it back, takes longer than filling it.
pub(crate) struct Shell<T>(NonNull<MaybeUninit<Inner<T>>>);

impl<T> Shell<T> {
    #[inline]
    pub(crate) fn new() -> Shell<T> {
        Shell(NonNull::from(Box::leak(Box::new_uninit())))
    }
}

impl<T> Drop for Shell<T> {
    fn drop(&mut self) {
        // SAFETY: it came from a `Box`, and holds nothing.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

impl<T: fmt::Debug> fmt::Debug for Counted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_last_owner_drops_the_value() {
        let seen = Arc::new(());
        let one = Counted::new(seen.clone());
        let other = one.clone();
        drop(one);
        assert_eq!(Arc::strong_count(&seen), 2);
        assert!(Arc::ptr_eq(&other, &seen));
        drop(other);
        assert_eq!(Arc::strong_count(&seen), 1);
    }

    #[test]
    fn what_lives_for_ever_is_not_counted() {
        let seen = Arc::new(());
        let kept = Counted::for_ever(seen.clone());
        drop(kept.clone());
        drop(kept);
        assert_eq!(Arc::strong_count(&seen), 2);
    }

    #[test]
    fn owners_on_many_threads() {
        let seen = Arc::new(());
        let shared = Counted::new(seen.clone());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let mine = shared.clone();
                scope.spawn(move || (0..1000).for_each(|_| drop(mine.clone())));
            }
            drop(shared);
        });
        assert_eq!(Arc::strong_count(&seen), 1);
    }
}

#[cfg(test)]
#[cfg(loom)]
mod model {
    use loom::cell::UnsafeCell;

    use super::*;

    /// Dropping it writes what every owner has read, which loom takes for a race unless one comes after the other.
    struct Watched {
        seen: UnsafeCell<u32>,
    }

    // SAFETY: loom watches every access.
    unsafe impl Sync for Watched {}

    impl Drop for Watched {
        fn drop(&mut self) {
            // SAFETY: loom watches every access.
            self.seen.with_mut(|seen| unsafe { *seen += 1 });
        }
    }

    #[test]
    fn loom_reading_comes_before_dropping() {
        loom::model(|| {
            let one = Counted::new(Watched { seen: UnsafeCell::new(0) });
            let other = one.clone();
            let thread = loom::thread::spawn(move || {
                // SAFETY: loom watches every access.
                other.seen.with(|seen| assert_eq!(unsafe { *seen }, 0));
                drop(other.clone());
            });
            // SAFETY: as above.
            one.seen.with(|seen| assert_eq!(unsafe { *seen }, 0));
            drop(one);
            thread.join().unwrap();
        });
    }
}
