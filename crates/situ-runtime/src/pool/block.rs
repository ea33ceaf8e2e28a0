//! The handle of a piece of pooled memory.

use situ_hal::Address;
use situ_types::UsmKind;

use super::class;
use super::regions::Region;

/// A piece of memory from a [`Pool`](super::Pool).
///
/// A plain handle: dropping it gives nothing back, and it keeps nothing alive. Whoever holds it also holds the pool,
/// and returns it with [`Pool::free`](super::Pool::free) or [`Pool::free_after`](super::Pool::free_after).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub(super) address: Address,
    pub(super) bytes: usize,
    pub(super) kind: UsmKind,
    pub(super) origin: Origin,
}

/// Where the memory of a block goes back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// To the slab of this size class.
    Slab(u8),
    /// To the driver's region that begins so many bytes before the block.
    Region { offset: usize },
}

impl Block {
    /// The first byte.
    pub fn address(&self) -> Address {
        self.address
    }

    /// Bytes that may be used: at least as many as were asked for.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The kind of memory.
    pub fn kind(&self) -> UsmKind {
        self.kind
    }

    pub(super) fn small(kind: UsmKind, class: usize, address: Address) -> Block {
        Block { address, bytes: class::size(class), kind, origin: Origin::Slab(class as u8) }
    }

    /// The driver's region that a large block lies in.
    pub(super) fn region(&self) -> Option<Region> {
        match self.origin {
            Origin::Slab(_) => None,
            Origin::Region { offset } => {
                let base = self.address.offset(-(offset as isize));
                Some(Region { kind: self.kind, base, bytes: self.footprint() })
            }
        }
    }

    /// Bytes of the driver's memory that this block keeps from others.
    pub(super) fn footprint(&self) -> usize {
        match self.origin {
            Origin::Slab(_) => self.bytes,
            Origin::Region { offset } => self.bytes + offset,
        }
    }
}
