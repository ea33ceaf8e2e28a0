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
        let total = kinds.into_iter().fold(Usage::default(), Usage::plus);
        PoolStats { kinds, total: Usage { peak_bytes, ..total }, trims }
    }

    /// Two pools together.
    pub fn plus(self, other: PoolStats) -> PoolStats {
        PoolStats {
            kinds: std::array::from_fn(|kind| self.kinds[kind].plus(other.kinds[kind])),
            total: self.total.plus(other.total),
            trims: self.trims + other.trims,
        }
    }
}

impl Usage {
    fn plus(self, other: Usage) -> Usage {
        Usage {
            in_use_bytes: self.in_use_bytes + other.in_use_bytes,
            in_use_blocks: self.in_use_blocks + other.in_use_blocks,
            peak_bytes: self.peak_bytes + other.peak_bytes,
            waiting_bytes: self.waiting_bytes + other.waiting_bytes,
            waiting_blocks: self.waiting_blocks + other.waiting_blocks,
            cached_bytes: self.cached_bytes + other.cached_bytes,
            reserved_bytes: self.reserved_bytes + other.reserved_bytes,
            hits: self.hits + other.hits,
            misses: self.misses + other.misses,
        }
    }

    /// Every figure with its name.
    pub fn entries(&self) -> [(&'static str, u64); 9] {
        [
            ("in_use_bytes", self.in_use_bytes as u64),
            ("in_use_blocks", self.in_use_blocks as u64),
            ("peak_bytes", self.peak_bytes as u64),
            ("waiting_bytes", self.waiting_bytes as u64),
            ("waiting_blocks", self.waiting_blocks as u64),
            ("cached_bytes", self.cached_bytes as u64),
            ("reserved_bytes", self.reserved_bytes as u64),
            ("hits", self.hits),
            ("misses", self.misses),
        ]
    }
}
