//! Numbers that sums of products are computed in, and those in memory that become them.

use situ_types::F16;

/// What one place of a vector holds.
pub(super) trait Lane: Copy + Default + Send + Sync + 'static {
    /// Whether whatever memory holds is a number as it is.
    const TAKES_ANY: bool = true;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// What can be computed with, of what memory may hold.
    #[inline(always)]
    fn normalised(self) -> Self {
        self
    }
}

macro_rules! lanes {
    ($($type:ty: $add:path, $mul:path;)*) => {$(
        impl Lane for $type {
            #[inline(always)]
            fn add(self, other: Self) -> Self { $add(self, other) }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { $mul(self, other) }
        }
    )*};
}
lanes! {
    f32: std::ops::Add::add, std::ops::Mul::mul;
    f64: std::ops::Add::add, std::ops::Mul::mul;
    u32: u32::wrapping_add, u32::wrapping_mul;
    u64: u64::wrapping_add, u64::wrapping_mul;
}

/// A truth value, whose sum is *or* and whose product is *and*: 1 or 0, though memory of others may hold any byte for true.
#[derive(Clone, Copy, Debug, Default)]
#[repr(transparent)]
pub(super) struct Truth(pub(super) u8);

impl Lane for Truth {
    const TAKES_ANY: bool = false;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Truth(self.0 | other.0)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Truth(self.0 & other.0)
    }
    #[inline(always)]
    fn normalised(self) -> Self {
        Truth(self.0.min(1))
    }
}

/// A number in memory, which becomes a lane and comes back from one. Integers wrap, so that those of fewer bits can be
/// computed in more, and their sign is nobody's business.
pub(super) trait Stored<L: Lane>: Copy + Send + Sync + 'static {
    /// Whether it is a lane as it lies in memory.
    const IS_LANE: bool;
    fn widened(self) -> L;
    fn narrowed(lane: L) -> Self;
}

impl<L: Lane> Stored<L> for L {
    const IS_LANE: bool = true;
    #[inline(always)]
    fn widened(self) -> L {
        self.normalised()
    }
    #[inline(always)]
    fn narrowed(lane: L) -> L {
        lane
    }
}

macro_rules! narrow {
    ($($type:ty => $lane:ty: $widen:expr, $narrow:expr;)*) => {$(
        impl Stored<$lane> for $type {
            const IS_LANE: bool = false;
            #[inline(always)]
            fn widened(self) -> $lane { $widen(self) }
            #[inline(always)]
            fn narrowed(lane: $lane) -> $type { $narrow(lane) }
        }
    )*};
}
narrow! {
    u8 => u32: u32::from, |lane| lane as u8;
    u16 => u32: u32::from, |lane| lane as u16;
    F16 => f32: F16::to_f32, F16::from_f32;
}
