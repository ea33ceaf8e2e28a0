//! The parameters of kernels: one list, from which both the text and the arguments of a launch are made.

use crate::Argument;

/// Above this many parameters, those that are numbers come from a table in memory.
pub(super) const TABLE_LIMIT: usize = 72;

/// What an address is that of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Array,
    Elements,
    /// The n-th index operand.
    Indices(u8),
    /// Where the least position of an index outside is noted, of the n-th operand.
    Mark(u8),
    Verdict,
    Mask,
    Out,
    Values,
    /// A number per segment.
    Totals,
    Answer,
    /// How much each bin holds, or would if there were room.
    Fills,
    /// Places in the array, bin after bin.
    Places,
    /// What belongs to those places.
    Binned,
    /// Where in the bins a position's place is.
    Slots,
    /// How many found that bins would be in vain.
    Votes,
}

/// Two kinds of axes that positions are divided into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axes {
    /// Those of the iteration space.
    Space,
    /// Those whose coordinates are wanted.
    Coordinates,
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    Address(Role),
    /// A value itself, instead of its address.
    Immediate,
    /// Number of positions.
    Size,
    Extent(Axes, u8),
    Multiplier(Axes, u8),
    Shift(Axes, u8),
    /// Elements of an operand from one position along an axis to the next.
    Step(Role, u8),
    /// Positions in C order from one along an axis to the next.
    Flat(u8),
    /// The length of the axis that indices go along.
    Length(u8),
    /// Elements of the array from one position along that axis to the next.
    Along(u8),
    /// Positions per block.
    Segment,
    /// Whether blocks are told where their results begin.
    Ranked,
    Capacity,
    /// How many values there are before they begin again.
    Cycle,
    ValueStep,
    /// The first tile of a launch.
    FirstTile,
    /// Tiles from one that is looked at to the next.
    TileStep,
    Tiles,
    Blocks,
    /// What is added to a place, so that none is negative.
    Origin,
    /// How many places there are.
    Span,
    /// Blocks that each bin has.
    Parts,
    /// Binary digits of a place within its bin.
    BinDigits,
}

impl Role {
    pub(super) fn name(self) -> String {
        match self {
            Role::Array => "array".into(),
            Role::Elements => "elements".into(),
            Role::Indices(n) => format!("indices_{n}"),
            Role::Mark(n) => format!("mark_{n}"),
            Role::Verdict => "verdict".into(),
            Role::Mask => "mask".into(),
            Role::Out => "out".into(),
            Role::Values => "values".into(),
            Role::Totals => "totals".into(),
            Role::Answer => "answer".into(),
            Role::Fills => "fills".into(),
            Role::Places => "places".into(),
            Role::Binned => "binned".into(),
            Role::Slots => "slots".into(),
            Role::Votes => "votes".into(),
        }
    }
}

impl Axes {
    /// What numbers of the axes are called.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Axes::Space => "",
            Axes::Coordinates => "result_",
        }
    }
}

impl Parameter {
    pub(super) fn name(self) -> String {
        match self {
            Parameter::Address(role) => role.name(),
            Parameter::Immediate => "value".into(),
            Parameter::Size => "size".into(),
            Parameter::Extent(axes, axis) => format!("{}extent_{axis}", axes.prefix()),
            Parameter::Multiplier(axes, axis) => format!("{}multiplier_{axis}", axes.prefix()),
            Parameter::Shift(axes, axis) => format!("{}shift_{axis}", axes.prefix()),
            Parameter::Step(role, axis) => format!("{}_step_{axis}", role.name()),
            Parameter::Flat(axis) => format!("flat_{axis}"),
            Parameter::Length(n) => format!("length_{n}"),
            Parameter::Along(n) => format!("along_{n}"),
            Parameter::Segment => "segment".into(),
            Parameter::Ranked => "ranked".into(),
            Parameter::Capacity => "capacity".into(),
            Parameter::Cycle => "cycle".into(),
            Parameter::ValueStep => "values_step".into(),
            Parameter::FirstTile => "first_tile".into(),
            Parameter::TileStep => "tile_step".into(),
            Parameter::Tiles => "tiles".into(),
            Parameter::Blocks => "blocks".into(),
            Parameter::Origin => "origin".into(),
            Parameter::Span => "span".into(),
            Parameter::Parts => "parts".into(),
            Parameter::BinDigits => "bin_digits".into(),
        }
    }

    /// The type of a parameter that is a number.
    pub(super) fn word_type(self, wide: bool) -> &'static str {
        match self {
            Parameter::Size | Parameter::Extent(..) | Parameter::Multiplier(..) | Parameter::Segment => unsigned(wide),
            Parameter::Step(..) | Parameter::Along(_) | Parameter::Origin => signed(wide),
            Parameter::Shift(..) | Parameter::Ranked | Parameter::FirstTile | Parameter::Tiles => "u32",
            Parameter::TileStep | Parameter::Blocks | Parameter::Parts | Parameter::BinDigits => "u32",
            Parameter::Length(_) | Parameter::ValueStep => "i64",
            _ => "u64",
        }
    }

    /// A number as an argument of the parameter's type.
    pub(super) fn argument(self, word: i64, wide: bool) -> Argument {
        match self.word_type(wide) {
            "u32" => Argument::U32(word as u32),
            "i32" => Argument::I32(word as i32),
            "i64" => Argument::I64(word),
            _ => Argument::U64(word as u64),
        }
    }
}

/// The type of positions.
pub(super) fn unsigned(wide: bool) -> &'static str {
    if wide { "u64" } else { "u32" }
}

/// The type of steps and places.
pub(super) fn signed(wide: bool) -> &'static str {
    if wide { "i64" } else { "i32" }
}

/// What divides a position into coordinates: every axis but the outermost has a divisor.
pub(super) fn divisors(axes: Axes, count: u8) -> impl Iterator<Item = Parameter> {
    (1..count)
        .flat_map(move |n| [Parameter::Extent(axes, n), Parameter::Multiplier(axes, n), Parameter::Shift(axes, n)])
}

/// The steps of an operand.
pub(super) fn steps(role: Role, count: u8) -> impl Iterator<Item = Parameter> {
    (0..count).map(move |axis| Parameter::Step(role, axis))
}

/// A kernel's own part of its text.
pub(super) trait Signature {
    /// What the kernel is called.
    fn name(&self) -> String;
    /// One line about it.
    fn about(&self) -> String;
    /// Its parameters, in order.
    fn parameters(&self) -> Vec<Parameter>;
    /// The type of what an address is that of, `const` if it is only read.
    fn pointee(&self, role: Role) -> String;
    /// What the body calls, if the library does not have it.
    fn before(&self) -> String {
        String::new()
    }
    /// What it does.
    fn body(&self) -> String;
    /// Whether positions have 64 bits.
    fn is_wide(&self) -> bool;
    /// Threads per block.
    fn threads(&self) -> u32;
}
