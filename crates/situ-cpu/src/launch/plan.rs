//! A kernel as a list of steps over registers, each of which is carried out for a block of work-items at once.

use situ_ir::kernel::{Array, Atomic, Exchange, Position, SubGroup};
use situ_types::DType;
use smallvec::SmallVec;

use super::fused::FusedLoops;
use super::linear::LinearRule;
use crate::elementwise::Loop;

/// The number of a register: a value or a variable of all work-items of a block.
pub(super) type Register = usize;

/// A register for each operand.
pub(super) type Registers = SmallVec<[Register; 3]>;

/// The number of a mask: a byte for each work-item of a block, 1 where it takes part.
pub(super) type MaskBuffer = usize;

/// Steps, one after another.
pub(super) type Code = Vec<Step>;

/// A kernel that can be run.
#[derive(Debug)]
pub(super) struct Plan {
    /// Bytes of an element of each register.
    pub(super) widths: Vec<usize>,
    /// What registers hold that no step writes to.
    pub(super) given: Vec<(Register, Given)>,
    /// Variables that may be read before they are assigned to.
    pub(super) zeroed: Vec<Register>,
    /// What is done.
    pub(super) body: Code,
    /// How many masks there are.
    pub(super) masks: usize,
    /// Bytes of a work-item that steps write to.
    pub(super) lane_bytes: usize,
    /// The dtype of each array.
    pub(super) dtypes: Vec<DType>,
    /// Which arrays work-items add to and do nothing else with.
    pub(super) sums: Vec<bool>,
    /// Whether work-items leave a loop one by one, and those left are packed.
    pub(super) packs: bool,
    /// Whether a loop runs nobody knows how often.
    pub(super) is_open: bool,
    /// A guess at one work-item's share of the time, in picoseconds.
    pub(super) picoseconds: u64,
}

/// What a register holds from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Given {
    /// A number.
    Constant([u8; 16]),
    /// What is given for a parameter.
    Parameter(usize),
    /// The length of an axis.
    Extent(Array, usize),
    /// Where a work-item is.
    Position(Position, usize),
    /// Where it is in its sub-group.
    SubGroup(SubGroup),
}

/// An element of an array.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) array: Array,
    /// Of its indices.
    pub(super) at: Registers,
}

/// Something that is done for all work-items of a block that take part.
#[derive(Debug)]
pub(super) enum Step {
    Compute(Compute),
    /// A product and a sum, rounded once.
    Fused {
        loops: &'static FusedLoops,
        args: Registers,
        to: Register,
    },
    /// A variable's value, kept from being changed.
    Copy {
        from: Register,
        to: Register,
    },
    Assign(Assign),
    Load {
        from: Element,
        to: Register,
        /// Whether nothing can change memory until the value's last use.
        may_borrow: bool,
    },
    Store {
        to: Element,
        from: Register,
    },
    Change(Change),
    Exchange {
        exchange: Exchange,
        /// Combines values.
        body: Option<Loop>,
        value: Register,
        place: Option<Register>,
        to: Register,
    },
    If {
        condition: Register,
        then: Code,
        otherwise: Code,
        masks: [MaskBuffer; 2],
    },
    Loop(Repeat),
    Break,
    Continue,
    Return,
    Barrier(usize),
    Guard {
        condition: Register,
        report: usize,
        values: SmallVec<[Register; 2]>,
        mask: MaskBuffer,
    },
}

/// An op, a conversion or a choice.
#[derive(Debug)]
pub(super) struct Compute {
    pub(super) body: Loop,
    /// The same where the last operand is one element.
    pub(super) by_one: Option<Loop>,
    /// The same of two operands, where the first or the second is one element.
    pub(super) mixed: Option<[Loop; 2]>,
    pub(super) args: Registers,
    pub(super) to: Register,
    /// What becomes of evenly spaced integers.
    pub(super) linear: Option<LinearRule>,
    /// The truth value that decides an op of two: otherwise the result is the other operand.
    pub(super) decisive: Option<bool>,
}

/// An assignment to a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assign {
    pub(super) variable: Register,
    pub(super) value: Register,
    /// Whether the value is not used any more.
    pub(super) moves: bool,
    /// Whether work-items that do not take part will read the variable.
    pub(super) blends: bool,
}

/// An element changed by one work-item at a time.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) at: Element,
    pub(super) dtype: DType,
    pub(super) kind: ChangeKind,
    pub(super) value: Register,
    /// Where the element's old value goes, if anybody wants it.
    pub(super) to: Option<Register>,
}

/// How an element is changed.
#[derive(Clone, Copy, Debug)]
pub(super) enum ChangeKind {
    /// By an op that its loop computes, or by being replaced.
    Atomic(Atomic, Option<Loop>),
    /// By being replaced where it is what is expected.
    Compare(Register),
}

/// A loop.
#[derive(Debug)]
pub(super) struct Repeat {
    pub(super) body: Code,
    pub(super) count: Option<Count>,
    /// Who is in the loop.
    pub(super) mask: MaskBuffer,
    /// Who waits for the next iteration, if that can be.
    pub(super) continued: Option<MaskBuffer>,
    /// Whether work-items can end in it.
    pub(super) has_ends: bool,
    /// What has to go along where work-items move closer together, if they can.
    pub(super) packing: Option<Packing>,
    /// Variables it assigns to that are read by others than those inside.
    pub(super) exits: Vec<Exit>,
}

/// A variable that a loop assigns to. Those inside assign without looking at who has left; so whoever leaves takes the value
/// along, into a register that takes the variable's place after the loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    pub(super) variable: Register,
    pub(super) left: Register,
    /// Whether it is read after the loop.
    pub(super) is_read: bool,
    /// Whether work-items that do not come to the loop read it.
    pub(super) is_kept: bool,
}

impl Exit {
    /// What somebody does who leaves.
    pub(super) fn taken(self) -> Option<Assign> {
        let Exit { variable, left, .. } = self;
        self.is_read.then_some(Assign { variable: left, value: variable, moves: false, blends: true })
    }
}

/// The integers of a loop.
#[derive(Debug)]
pub(super) struct Count {
    pub(super) dtype: DType,
    pub(super) counter: Register,
    pub(super) bounds: [Register; 3],
    /// Where the next integer is computed.
    pub(super) next: Register,
    /// How many iterations there are, a uint64.
    pub(super) trips: Register,
    /// Where a comparison's result goes.
    pub(super) goes_on: Register,
    /// The loop of an addition.
    pub(super) add: Loop,
}

/// The registers of a loop.
#[derive(Debug, Default)]
pub(super) struct Packing {
    /// Those it reads.
    pub(super) read: Vec<Register>,
    /// Others that it assigns to.
    pub(super) assigned: Vec<Register>,
    /// Those that are read afterwards.
    pub(super) written: Vec<Register>,
}

impl Plan {
    /// Whether work-items ask for their places in sub-groups.
    pub(super) fn has_sub_groups(&self) -> bool {
        self.given.iter().any(|(_, given)| matches!(given, Given::SubGroup(_)))
    }
}
