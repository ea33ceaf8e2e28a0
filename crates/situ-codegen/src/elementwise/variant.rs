//! What a kernel is specialised on.

/// The most operands a program may have to become one kernel.
pub const MAX_OPERANDS: usize = 32;

/// What a kernel is specialised on, besides its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub(super) walk: Walk,
    /// Elements a thread moves at once (dense, rows), takes in all (strided), or along a tile's side (tiled).
    pub(super) width: u8,
    /// How often a thread moves that many: more than once on the dense walk of a long program.
    pub(super) vectors: u8,
    /// Axes of the space, 1 for the dense walk.
    pub(super) axes: u8,
    /// Whether sizes and steps take 64 bits.
    pub(super) wide: bool,
    /// Whether some element lies at an address its type would not be at.
    pub(super) unaligned: bool,
    /// How operands are accessed, four bits each.
    access: u128,
}

/// The order in which elements are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Walk {
    Dense,
    Rows,
    Strided,
    Tiled,
}

/// How a kernel gets at an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(super) enum Access {
    /// It is an argument.
    Immediate,
    /// It is the position.
    Index,
    /// The same element all along the inner axis.
    Repeated,
    /// Densely along the inner axis; for a strided walk, densely along all of them.
    Dense,
    /// By its steps along all axes.
    Stepped,
    /// By way of local memory.
    Staged,
}

impl Access {
    const ALL: [Access; 6] =
        [Access::Immediate, Access::Index, Access::Repeated, Access::Dense, Access::Stepped, Access::Staged];

    /// Whether it lies in memory.
    pub(super) const fn is_memory(self) -> bool {
        !matches!(self, Access::Immediate | Access::Index)
    }
}

impl Variant {
    pub(super) const fn new(walk: Walk, width: usize, axes: usize) -> Variant {
        Variant { walk, width: width as u8, vectors: 1, axes: axes as u8, wide: false, unaligned: false, access: 0 }
    }

    /// Notes how an operand is accessed; once per operand.
    #[inline]
    pub(super) const fn note(&mut self, operand: usize, access: Access) {
        self.access |= (access as u128) << (4 * operand);
    }

    pub(super) const fn access(&self, operand: usize) -> Access {
        Access::ALL[(self.access >> (4 * operand)) as usize & 7]
    }
}
