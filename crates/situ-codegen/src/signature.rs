//! The parameters of kernels: one list, from which both the text and the arguments of a launch are made.

use smallvec::SmallVec;

use crate::{Argument, Dialect};

/// Threads per block, unless a kernel says otherwise.
pub(crate) const THREADS: u32 = 256;

/// Above this many parameters, those that are numbers come from a table in memory.
pub(crate) const TABLE_LIMIT: usize = 72;

/// What an address is that of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The n-th input of a program.
    Input(u8),
    /// The n-th output of a program.
    Output(u8),
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
    /// The n-th number that a finishing program reads after what was combined.
    Number(u8),
    /// How many blocks have done their part.
    Arrivals,
    /// How many blocks have begun.
    Begun,
    /// Positions that go with elements which are sorted.
    Positions,
    /// Where they go.
    NextPositions,
    /// What tiles say to later ones.
    Status,
    /// The same for the next launch.
    NextStatus,
    Sorted,
    /// Where the first element of each run was.
    Firsts,
    RunLengths,
    /// The n-th parameter of a kernel that a user has written.
    Given(u16),
    /// Where a user's kernel tells what went wrong.
    Report,
    /// The number of each element's run.
    Inverse,
    /// What is known of each of many arrays.
    Pieces,
    Matrix,
    /// Vectors on a matrix's left side.
    Left,
    /// Vectors on its right side.
    Right,
    /// What columns have been turned by.
    Turned,
}

/// The kinds of axes that positions are divided into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axes {
    /// Those of the iteration space.
    Space,
    /// Those whose coordinates are wanted.
    Result,
    /// Those of a space whose innermost axes are divided into tiles.
    Tiles,
    /// Those that a reduction keeps.
    Kept,
    /// Those that it combines values along.
    Reduced,
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    Address(Role),
    /// A value itself, instead of its address.
    Immediate(Role),
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
    /// Values of a sequence.
    Sequence,
    /// Results of a block.
    Each,
    /// Chunks that a block combines for each of its results.
    Chunks,
    /// What is left of a sequence for the last of its blocks to combine.
    Groups,
    /// Room for that, with every level above.
    Room,
    /// Binary digits of the number of threads side by side along results.
    ColumnDigits,
    /// Binary digits of the number of threads that share a sequence.
    SlotDigits,
    /// How many blocks it takes side by side along results.
    Strips,
    /// How many of a sequence's first elements are wanted.
    Count,
    /// The first binary digit of those that are sorted by.
    FirstBit,
    /// What digits are combined with, so that the greatest come first.
    Flip,
    /// Whether positions begin here.
    Generated,
    /// Whether positions end here.
    Final,
    /// Whether elements are written.
    Kept,
    /// Whether neighbouring threads take neighbouring sequences.
    Across,
    /// How many arrays there are.
    Pieces,
    /// The key of a stream of random numbers.
    Key,
    /// The lower half of the number of its first block.
    FirstBlock,
    /// The upper half.
    FirstBlockUpper,
    /// The first of some integers.
    Low,
    /// How many integers there are to choose from.
    Choices,
    /// How many lower halves of products would make some of them more likely.
    Surplus,
    /// The length of an axis of an array that a user's kernel has.
    ArrayExtent(u16, u8),
    /// Elements of it from one along the axis to the next.
    ArrayStep(u16, u8),
    /// Where in a block's own memory it begins, in bytes.
    ArrayOffset(u16),
    /// Work-items along an axis of the range.
    GlobalSize(u8),
    /// Work-items of a group along an axis.
    LocalSize(u8),
    /// Groups along an axis.
    GroupCount(u8),
}

impl Role {
    /// What the operand with a number is to a program with so many inputs, which come before its outputs.
    pub(crate) fn of_operand(number: usize, inputs: usize) -> Role {
        match number.checked_sub(inputs) {
            None => Role::Input(number as u8),
            Some(output) => Role::Output(output as u8),
        }
    }

    /// The number of the operand that this is to a program with so many inputs.
    pub(crate) fn operand(self, inputs: usize) -> usize {
        match self {
            Role::Output(n) => inputs + n as usize,
            Role::Input(n) => n as usize,
            _ => 0,
        }
    }

    pub(crate) fn name(self) -> String {
        match self {
            Role::Input(n) => format!("in{n}"),
            Role::Output(n) => format!("out{n}"),
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
            Role::Number(n) => format!("number_{n}"),
            Role::Arrivals => "arrivals".into(),
            Role::Begun => "begun".into(),
            Role::Positions => "positions".into(),
            Role::NextPositions => "next_positions".into(),
            Role::Status => "status".into(),
            Role::NextStatus => "next_status".into(),
            Role::Sorted => "sorted".into(),
            Role::Firsts => "firsts".into(),
            Role::RunLengths => "run_lengths".into(),
            Role::Inverse => "inverse".into(),
            Role::Pieces => "pieces".into(),
            Role::Matrix => "matrix".into(),
            Role::Left => "left".into(),
            Role::Right => "right".into(),
            Role::Turned => "turned".into(),
            Role::Given(n) => format!("given_{n}"),
            Role::Report => "report".into(),
        }
    }
}

impl Axes {
    /// What numbers of the axes are called.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Axes::Space => "",
            Axes::Result => "result_",
            Axes::Tiles => "tile_",
            Axes::Kept => "kept_",
            Axes::Reduced => "reduced_",
        }
    }

    /// What the coordinate along an axis is called.
    pub(crate) fn coordinate(self, axis: u8) -> String {
        match self {
            Axes::Space | Axes::Result => format!("c{axis}"),
            Axes::Tiles => format!("tile_{axis}"),
            Axes::Kept => format!("k{axis}"),
            Axes::Reduced => format!("r{axis}"),
        }
    }

    /// What the position divided by all axes from one on is called.
    pub(crate) fn quotient(self, axis: u8) -> String {
        match self {
            Axes::Kept => format!("kq{axis}"),
            Axes::Reduced => format!("rq{axis}"),
            _ => format!("q{axis}"),
        }
    }
}

impl Parameter {
    pub(crate) fn name(self) -> String {
        match self {
            Parameter::Address(role) | Parameter::Immediate(role) => role.name(),
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
            Parameter::Sequence => "length".into(),
            Parameter::Each => "each".into(),
            Parameter::Chunks => "chunks".into(),
            Parameter::Groups => "groups".into(),
            Parameter::Room => "room".into(),
            Parameter::ColumnDigits => "column_digits".into(),
            Parameter::SlotDigits => "slot_digits".into(),
            Parameter::Strips => "strips".into(),
            Parameter::Count => "count".into(),
            Parameter::FirstBit => "shift".into(),
            Parameter::Flip => "flip".into(),
            Parameter::Generated => "generated".into(),
            Parameter::Final => "last".into(),
            Parameter::Kept => "kept".into(),
            Parameter::Across => "across".into(),
            Parameter::Pieces => "pieces_count".into(),
            Parameter::Key => "key".into(),
            Parameter::FirstBlock => "first_block".into(),
            Parameter::FirstBlockUpper => "first_block_upper".into(),
            Parameter::Low => "low".into(),
            Parameter::Choices => "choices".into(),
            Parameter::Surplus => "surplus".into(),
            Parameter::ArrayExtent(n, axis) => format!("given_{n}_extent_{axis}"),
            Parameter::ArrayStep(n, axis) => format!("given_{n}_step_{axis}"),
            Parameter::ArrayOffset(n) => format!("given_{n}_offset"),
            Parameter::GlobalSize(axis) => format!("global_size_{axis}"),
            Parameter::LocalSize(axis) => format!("local_size_{axis}"),
            Parameter::GroupCount(axis) => format!("group_count_{axis}"),
        }
    }

    /// The type of a parameter that is a number.
    pub(crate) fn word_type(self, wide: bool) -> &'static str {
        match self.argument(0, wide) {
            Argument::U32(_) => "u32",
            Argument::I32(_) => "i32",
            Argument::I64(_) => "i64",
            _ => "u64",
        }
    }

    /// A number as an argument of the parameter's type.
    pub(crate) fn argument(self, word: i64, wide: bool) -> Argument {
        match self {
            Parameter::Size | Parameter::Extent(..) | Parameter::Multiplier(..) | Parameter::Segment if !wide => {
                Argument::U32(word as u32)
            }
            Parameter::Sequence | Parameter::Groups | Parameter::Room if !wide => Argument::U32(word as u32),
            Parameter::Step(..) | Parameter::Along(_) | Parameter::Origin if !wide => Argument::I32(word as i32),
            Parameter::Step(..) | Parameter::Along(_) | Parameter::Origin => Argument::I64(word),
            Parameter::Length(_) | Parameter::ValueStep => Argument::I64(word),
            Parameter::ArrayExtent(..) | Parameter::ArrayStep(..) | Parameter::GlobalSize(_) if !wide => {
                Argument::I32(word as i32)
            }
            Parameter::ArrayExtent(..) | Parameter::ArrayStep(..) | Parameter::GlobalSize(_) => Argument::I64(word),
            Parameter::ArrayOffset(_) | Parameter::LocalSize(_) | Parameter::GroupCount(_) => {
                Argument::U32(word as u32)
            }
            Parameter::Shift(..) | Parameter::Ranked | Parameter::FirstTile | Parameter::Tiles => {
                Argument::U32(word as u32)
            }
            Parameter::TileStep | Parameter::Blocks | Parameter::Parts | Parameter::BinDigits => {
                Argument::U32(word as u32)
            }
            Parameter::Each | Parameter::Chunks | Parameter::ColumnDigits | Parameter::SlotDigits => {
                Argument::U32(word as u32)
            }
            Parameter::Strips | Parameter::FirstBit | Parameter::Generated | Parameter::Final => {
                Argument::U32(word as u32)
            }
            Parameter::Flip | Parameter::Kept | Parameter::Across | Parameter::Pieces => Argument::U32(word as u32),
            _ => Argument::U64(word as u64),
        }
    }
}

/// The type of positions.
pub(crate) fn unsigned(wide: bool) -> &'static str {
    if wide { "u64" } else { "u32" }
}

/// The type of steps and places.
pub(crate) fn signed(wide: bool) -> &'static str {
    if wide { "i64" } else { "i32" }
}

/// Parameters in their order. Most kernels have so few that nothing is allocated for them.
pub(crate) type Parameters = SmallVec<[Parameter; 24]>;

/// A kernel's own part of its text.
pub(crate) trait Signature {
    /// What the kernel is called.
    fn name(&self) -> String;
    /// Some lines about it.
    fn about(&self) -> String;
    /// Its parameters, in order.
    fn parameters(&self) -> Parameters;
    /// What a parameter is called.
    fn parameter_name(&self, parameter: Parameter) -> String {
        parameter.name()
    }
    /// The type of what an address is that of, `const` if it is only read; or the type of a value itself.
    fn pointee(&self, role: Role) -> String;
    /// What the body calls, if the library does not have it.
    fn before(&self, _dialect: Dialect) -> String {
        String::new()
    }
    /// What it does.
    fn body(&self, dialect: Dialect) -> String;
    /// Whether positions have 64 bits.
    fn is_wide(&self) -> bool;
    /// Threads per block.
    fn threads(&self) -> u32 {
        THREADS
    }
    /// What the compiler is told about threads and registers.
    fn bound(&self, _dialect: Dialect) -> String {
        format!("BOUNDED({})", self.threads())
    }
    /// Whether what is written may be read through another address.
    fn may_alias(&self) -> bool {
        false
    }
    /// A parameter that no argument is for: a block's own memory, where a dialect has it handed over.
    fn local_parameter(&self, _dialect: Dialect) -> Option<&'static str> {
        None
    }
    /// Whether a product and the sum it goes into may be rounded once.
    fn may_contract(&self) -> bool {
        false
    }
}
