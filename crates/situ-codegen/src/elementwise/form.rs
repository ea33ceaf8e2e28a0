//! What a kernel is specialised on.

/// The most operands a program may have to become one kernel.
pub const MAX_OPERANDS: usize = 32;

/// What a kernel is specialised on, besides its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
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
    pub(super) loose: bool,
    /// How operands are reached, four bits each.
    reach: u128,
}

/// The order in which elements are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Walk {
    Dense,
    Rows,
    Strided,
    Tiled,
}

/// How a kernel reaches an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(super) enum Reach {
    /// It is an argument.
    Immediate,
    /// It is the position.
    Index,
    /// The same element all along the inner axis.
    Repeated,
    /// Densely along the inner axis; for a strided walk, densely along all of them.
    Along,
    /// By its steps along all axes.
    Stepped,
    /// By way of shared memory.
    Staged,
}

impl Reach {
    const ALL: [Reach; 6] =
        [Reach::Immediate, Reach::Index, Reach::Repeated, Reach::Along, Reach::Stepped, Reach::Staged];

    /// Whether it lies in memory.
    pub(super) const fn is_memory(self) -> bool {
        !matches!(self, Reach::Immediate | Reach::Index)
    }
}

impl Form {
    pub(super) const fn new(walk: Walk, width: usize, axes: usize) -> Form {
        Form { walk, width: width as u8, vectors: 1, axes: axes as u8, wide: false, loose: false, reach: 0 }
    }

    /// Notes how an operand is reached; once per operand.
    #[inline]
    pub(super) const fn note(&mut self, operand: usize, reach: Reach) {
        self.reach |= (reach as u128) << (4 * operand);
    }

    pub(super) const fn reach(&self, operand: usize) -> Reach {
        Reach::ALL[(self.reach >> (4 * operand)) as usize & 7]
    }
}
