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
    /// Axes of the space, 1 for the dense walk and the one through chunks.
    pub(super) axes: u8,
    /// Whether sizes and steps take 64 bits.
    pub(super) wide: bool,
    /// Whether some element lies at an address its type would not be at.
    pub(super) unaligned: bool,
    accesses: Accesses,
}

/// How each operand is accessed, four bits each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Accesses(u128);

/// The order in which elements are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Walk {
    Dense,
    Rows,
    Chunks,
    Strided,
    Tiled,
}

/// How a kernel gets at an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(crate) enum Access {
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
    pub(crate) const fn is_memory(self) -> bool {
        !matches!(self, Access::Immediate | Access::Index)
    }
}

impl Accesses {
    /// Notes how an operand is accessed; once per operand.
    #[inline]
    pub(crate) const fn note(&mut self, operand: usize, access: Access) {
        self.0 |= (access as u128) << (4 * operand);
    }

    pub(crate) const fn of(self, operand: usize) -> Access {
        Access::ALL[(self.0 >> (4 * operand)) as usize & 7]
    }
}

impl Variant {
    pub(super) const fn new(walk: Walk, width: usize, axes: usize) -> Variant {
        let (width, axes, accesses) = (width as u8, axes as u8, Accesses(0));
        Variant { walk, width, vectors: 1, axes, wide: false, unaligned: false, accesses }
    }

    /// Notes how an operand is accessed; once per operand.
    #[inline]
    pub(super) const fn note(&mut self, operand: usize, access: Access) {
        self.accesses.note(operand, access);
    }

    pub(super) const fn access(&self, operand: usize) -> Access {
        self.accesses.of(operand)
    }
}
