//! What a pool says about itself.

use situ_types::UsmKind;

/// Memory of one kind, or of all kinds together.
///
/// Every byte reserved is in use, waiting, cached, or in a slab that still has other blocks in use; so `reserved` can
/// be more than the sum of the other three. Bytes of blocks are what they keep from others, rounding included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes of blocks that have been allocated and not freed.
    pub in_use_bytes: usize,
    /// Number of such blocks.
    pub in_use_blocks: usize,
    /// The most bytes that were in use at one time; approximate while several threads allocate at once.
    pub peak_bytes: usize,
    /// Bytes of blocks that have been freed while commands still used them.
    pub waiting_bytes: usize,
    /// Number of such blocks.
    pub waiting_blocks: usize,
    /// Bytes that are wholly unused: what the limit applies to.
    pub cached_bytes: usize,
    /// Bytes held from the driver.
    pub reserved_bytes: usize,
    /// Allocations served from memory the pool already had.
    pub hits: u64,
    /// Allocations for which the driver was asked.
    pub misses: u64,
}

/// What a pool holds and has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// By kind of memory.
    pub kinds: [Usage; 3],
    /// All kinds together.
    pub total: Usage,
    /// How often everything unused was given back: on request, or because memory ran short.
    pub trims: u64,
}

impl PoolStats {
    /// The memory of one kind.
    pub fn kind(&self, kind: UsmKind) -> &Usage {
        &self.kinds[kind as usize]
    }

    /// The totals of these kinds, except for the peak, which is not a sum.
    pub(super) fn new(kinds: [Usage; 3], peak_bytes: usize, trims: u64) -> PoolStats {
        let total = kinds.iter().fold(Usage { peak_bytes, ..Usage::default() }, |sum, kind| Usage {
            in_use_bytes: sum.in_use_bytes + kind.in_use_bytes,
            in_use_blocks: sum.in_use_blocks + kind.in_use_blocks,
            peak_bytes,
            waiting_bytes: sum.waiting_bytes + kind.waiting_bytes,
            waiting_blocks: sum.waiting_blocks + kind.waiting_blocks,
            cached_bytes: sum.cached_bytes + kind.cached_bytes,
            reserved_bytes: sum.reserved_bytes + kind.reserved_bytes,
            hits: sum.hits + kind.hits,
            misses: sum.misses + kind.misses,
        });
        PoolStats { kinds, total, trims }
    }
}
