//! Sums, the usual kind of atomic change: those of numbers that the processor adds itself.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use situ_ir::kernel::Atomic;
use situ_types::DType;

use super::plan::ChangeKind;

/// The work-items of a change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    /// The first element of the array.
    pub(super) at: *mut u8,
    /// How many elements further each work-item's is.
    pub(super) offsets: *const i64,
    pub(super) values: *const u8,
    pub(super) mask: *const u8,
    /// Where the elements' old values go, if anybody wants them.
    pub(super) to: Option<*mut u8>,
    pub(super) count: usize,
}

/// Changes the elements of those who take part, in order.
///
/// Safe to call where offsets, values and mask are there for so many work-items, and the elements of those who take part can be
/// changed.
pub(super) type AddEach = unsafe fn(&Lanes);

/// Of a change that is a sum or a difference of such numbers, which other threads may change as well or not.
pub(super) fn of(kind: ChangeKind, dtype: DType, is_shared: bool) -> Option<AddEach> {
    fn choose<T: Addend>(is_difference: bool, is_shared: bool) -> AddEach {
        match (is_difference, is_shared) {
            (false, false) => add_each::<T, false, false>,
            (false, true) => add_each::<T, false, true>,
            (true, false) => add_each::<T, true, false>,
            (true, true) => add_each::<T, true, true>,
        }
    }
    let is_difference = match kind {
        ChangeKind::Atomic(Atomic::Add, _) => false,
        ChangeKind::Atomic(Atomic::Subtract, _) => true,
        _ => return None,
    };
    Some(match dtype {
        DType::I32 | DType::U32 => choose::<u32>(is_difference, is_shared),
        DType::I64 | DType::U64 => choose::<u64>(is_difference, is_shared),
        DType::F32 => choose::<f32>(is_difference, is_shared),
        DType::F64 => choose::<f64>(is_difference, is_shared),
        _ => return None,
    })
}

/// A number that can be added to.
trait Addend: Copy {
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;

    /// Changes a number that others may change at the same time; what it was.
    ///
    /// # Safety
    ///
    /// The number is valid, aligned, and changed by atomic operations only.
    unsafe fn change(at: *mut Self, to: impl Fn(Self) -> Self) -> Self;
}

macro_rules! addends {
    ($($type:ty, $atomic:ty, $plus:expr, $minus:expr, $from:expr, $to:expr;)*) => {$(
        impl Addend for $type {
            #[inline(always)]
            fn plus(self, other: $type) -> $type {
                $plus(self, other)
            }

            #[inline(always)]
            fn minus(self, other: $type) -> $type {
                $minus(self, other)
            }

            #[inline(always)]
            unsafe fn change(at: *mut $type, to: impl Fn($type) -> $type) -> $type {
                // SAFETY: passed on from the caller; the two types have one layout.
                let element = unsafe { <$atomic>::from_ptr(at.cast()) };
                let mut old = element.load(Ordering::Relaxed);
                loop {
                    let new = $to(to($from(old)));
                    match element.compare_exchange_weak(old, new, Ordering::AcqRel, Ordering::Relaxed) {
                        Ok(_) => return $from(old),
                        Err(now) => old = now,
                    }
                }
            }
        }
    )*};
}
addends! {
    u32, AtomicU32, u32::wrapping_add, u32::wrapping_sub, u32::from, u32::from;
    u64, AtomicU64, u64::wrapping_add, u64::wrapping_sub, u64::from, u64::from;
    f32, AtomicU32, std::ops::Add::add, std::ops::Sub::sub, f32::from_bits, f32::to_bits;
    f64, AtomicU64, std::ops::Add::add, std::ops::Sub::sub, f64::from_bits, f64::to_bits;
}

/// # Safety
///
/// As for [`AddEach`].
unsafe fn add_each<T: Addend, const IS_DIFFERENCE: bool, const IS_SHARED: bool>(lanes: &Lanes) {
    let at = lanes.at.cast::<T>();
    for lane in 0..lanes.count {
        // SAFETY: passed on from the caller.
        unsafe {
            if lanes.mask.add(lane).read() == 0 {
                continue;
            }
            let element = at.wrapping_offset(lanes.offsets.add(lane).read() as isize);
            let value = lanes.values.cast::<T>().add(lane).read();
            let change = |old: T| if IS_DIFFERENCE { old.minus(value) } else { old.plus(value) };
            let old = if IS_SHARED {
                T::change(element, change)
            } else {
                let old = element.read();
                element.write(change(old));
                old
            };
            if let Some(to) = lanes.to {
                to.cast::<T>().add(lane).write(old);
            }
        }
    }
}
