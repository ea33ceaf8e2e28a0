//! Loops compiled for the vectors that the processor at hand has.

use pulp::Arch;

/// Runs a function. What is inlined into it is compiled for several kinds of processors, and this one's is chosen.
#[inline(always)]
pub(crate) fn vectorised<R>(run: impl FnOnce() -> R) -> R {
    Arch::new().dispatch(run)
}
