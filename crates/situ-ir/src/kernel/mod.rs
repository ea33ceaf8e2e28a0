//! Kernels that users write: typed, structured programs that run once for every work-item of a range.
//!
//! A kernel is a tree of [`Statement`]s: definitions of values, assignments to variables, stores, branches, loops. There
//! are no jumps but out of the innermost loop, on with it, and out of the kernel, because both targets want structure: C
//! text prints it, and masks follow from it. Values are defined once and can be used where their definition is seen, to the
//! end of its block; what changes is a variable. Everything has a dtype, nothing is converted unless a [`Expression::Cast`]
//! says so.
//!
//! Kernels are made by a [`KernelBuilder`], which refuses what is not well formed, so that every [`Kernel`] is. They are
//! independent of shapes: the sizes of arrays and of the range are known when a kernel is launched.
//!
//! ```
//! use situ_ir::Op;
//! use situ_ir::kernel::{KernelBuilder, Position};
//! use situ_types::DType;
//!
//! let mut k = KernelBuilder::new("scale", 1)?;
//! let (x, out) = (k.array("x", DType::F32, 1)?, k.array("out", DType::F32, 1)?);
//! let factor = k.scalar("factor", DType::F32);
//! let i = k.position(Position::GlobalId, 0)?;
//! let element = k.load(x, &[i])?;
//! let scaled = k.apply(Op::Multiply, &[element, factor])?;
//! k.store(out, &[i], scaled)?;
//! let kernel = k.finish()?;
//! assert_eq!(kernel.to_string(), "\
//! kernel scale over 1 axis (x: float32[1], out: float32[1], factor %0: float32) {
//!   %1 = global_id 0: int64
//!   %2 = x[%1]: float32
//!   %3 = multiply %2 %0: float32
//!   out[%1] = %3
//! }");
//! # Ok::<(), situ_ir::kernel::KernelError>(())
//! ```

mod builder;
mod error;
mod geometry;
pub mod interpret;
mod print;

use situ_types::{DType, Dims, Scalar};
use smallvec::SmallVec;

pub use self::builder::KernelBuilder;
pub use self::error::KernelError;
pub use self::geometry::{ArrayLayout, Fault, NdRange, REPORT_WORDS, RangeError};
use crate::Op;

/// The most axes of a range.
pub const MAX_AXES: usize = 3;

/// How many work-items of a group work in step where the device does not say otherwise: a sub-group.
pub const SUB_GROUP: usize = 32;

/// The result of an expression, or a number that the kernel is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(u32);

/// Something of a work-item's own that can be assigned to. It is zero before its first assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable(u32);

/// An array that a kernel uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Array(u32);

impl Value {
    /// Its number, counted from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Variable {
    /// Its number, counted from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Array {
    /// Its number, counted from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Whose an array is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Everybody's: memory of the device.
    Global,
    /// One for each work-group. Its contents are undefined at first.
    Local,
    /// One for each work-item. It is zero at first.
    Private,
}

/// What is known of an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayInfo {
    /// What the kernel calls it.
    pub name: String,
    /// Of its elements.
    pub dtype: DType,
    /// How many axes it has.
    pub ndim: usize,
    /// Whose it is.
    pub space: Space,
    /// Its shape, where the kernel says it, and its elements then lie without gaps, the last axis first. Otherwise it is
    /// a parameter, and shape and, in global memory, strides are given at the launch.
    pub shape: Option<Dims>,
    /// Whether the kernel writes to it.
    pub is_written: bool,
    /// Whether the kernel reads it.
    pub is_read: bool,
}

/// What a kernel is given at its launch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// An array.
    Array(Array),
    /// A number, and what the kernel calls it.
    Scalar(Value, String),
}

/// What a work-item can know of where it is. Ids and offsets count from 0 along an axis of the range; all are int64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    /// Which work-item this is.
    GlobalId,
    /// How many work-items there are.
    GlobalSize,
    /// Which work-item of its group this is.
    LocalId,
    /// How many work-items a group has.
    LocalSize,
    /// Which group this is.
    GroupId,
    /// How many groups there are.
    GroupCount,
}

impl Position {
    /// Every one, in order.
    pub const ALL: [Position; 6] = [
        Position::GlobalId,
        Position::GlobalSize,
        Position::LocalId,
        Position::LocalSize,
        Position::GroupId,
        Position::GroupCount,
    ];

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Position::GlobalId => "global_id",
            Position::GlobalSize => "global_size",
            Position::LocalId => "local_id",
            Position::LocalSize => "local_size",
            Position::GroupId => "group_id",
            Position::GroupCount => "group_count",
        }
    }

    /// Whether only a range with groups has it.
    pub const fn needs_groups(self) -> bool {
        matches!(self, Position::LocalId | Position::LocalSize | Position::GroupId | Position::GroupCount)
    }
}

/// How the work-items of a sub-group exchange values. All of the sub-group's work-items take part.
///
/// Sub-groups are made of work-items that follow each other, the last axis first. The last one may be smaller than the
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exchange {
    /// Everybody's values, combined two by two by an op that is associative and commutative up to rounding.
    Reduce(Op),
    /// The value of the work-item at a place in the sub-group; its own if there is no such place.
    Shuffle,
    /// The value of the work-item whose place is this one's, bits changed by a mask; its own if there is no such place.
    ShuffleXor,
    /// The value of the work-item that many places later; its own if there is no such place.
    ShuffleDown,
    /// The value of the work-item that many places earlier; its own if there is no such place.
    ShuffleUp,
}

/// What a work-item can know of its sub-group. All are int64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubGroup {
    /// This work-item's place in it.
    Id,
    /// How many work-items it has.
    Size,
    /// Which sub-group of its group it is.
    GroupId,
    /// How many of them the group has.
    GroupCount,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A number.
    Constant(Scalar),
    /// An op of the table over values of the dtype it computes in.
    Apply(Op, SmallVec<[Value; 3]>),
    /// A value converted.
    Cast(Value),
    /// The second value where the first, a truth value, holds, else the third. Both exist.
    Select([Value; 3]),
    /// What a variable holds now.
    Get(Variable),
    /// An element.
    Load(Array, Indices),
    /// The length of an axis of an array, an int64.
    Extent(Array, usize),
    /// Where the work-item is along an axis of the range.
    Position(Position, usize),
    /// Where it is in its sub-group.
    SubGroup(SubGroup),
    /// What the work-items of a sub-group give each other: a value, and for shuffles an int64, a place.
    Exchange(Exchange, Value, Option<Value>),
    /// An element changed, while nobody else does so, and what it was before.
    Atomic(Atomic, Array, Indices, Value),
    /// The last value put where an element is equal to the one before it, bit for bit; what the element was before.
    CompareExchange(Array, Indices, [Value; 2]),
}

impl Expression {
    /// Whether computing it can be seen by anybody else, or by itself later.
    pub const fn has_effect(&self) -> bool {
        matches!(self, Expression::Atomic(..) | Expression::CompareExchange(..) | Expression::Exchange(..))
    }
}

/// The indices of an element, one int64 per axis. They lie inside the array: who is not sure guards them.
pub type Indices = SmallVec<[Value; 3]>;

/// What becomes of an element that is changed while nobody else changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atomic {
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The lesser one; NaN wins.
    Minimum,
    /// The greater one; NaN wins.
    Maximum,
    /// The bits set in both. Of integers.
    And,
    /// The bits set in either. Of integers.
    Or,
    /// The bits set in one of them. Of integers.
    Xor,
    /// The value.
    Exchange,
}

impl Atomic {
    /// Every one, in order.
    pub const ALL: [Atomic; 8] = [
        Atomic::Add,
        Atomic::Subtract,
        Atomic::Minimum,
        Atomic::Maximum,
        Atomic::And,
        Atomic::Or,
        Atomic::Xor,
        Atomic::Exchange,
    ];

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Atomic::Add => "add",
            Atomic::Subtract => "sub",
            Atomic::Minimum => "min",
            Atomic::Maximum => "max",
            Atomic::And => "and",
            Atomic::Or => "or",
            Atomic::Xor => "xor",
            Atomic::Exchange => "exchange",
        }
    }

    /// The op of the table that says what it means, over the element and the value; an exchange is none.
    pub const fn op(self) -> Option<Op> {
        Some(match self {
            Atomic::Add => Op::Add,
            Atomic::Subtract => Op::Subtract,
            Atomic::Minimum => Op::Minimum,
            Atomic::Maximum => Op::Maximum,
            Atomic::And => Op::BitwiseAnd,
            Atomic::Or => Op::BitwiseOr,
            Atomic::Xor => Op::BitwiseXor,
            Atomic::Exchange => return None,
        })
    }
}

/// Statements, one after another.
pub type Block = Vec<Statement>;

/// What a work-item does.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// Computes a value.
    Define(Value, Expression),
    /// Assigns to a variable.
    Set(Variable, Value),
    /// Writes an element.
    Store(Array, Indices, Value),
    /// One block or the other, by a truth value.
    If(Value, Block, Block),
    /// A block, again and again until something leaves the loop.
    Loop(Block),
    /// A block for each integer of a range.
    For(For),
    /// Leaves the innermost loop.
    Break,
    /// Goes on with the next iteration of the innermost loop.
    Continue,
    /// Ends the work-item.
    Return,
    /// Waits for all work-items of the group, and makes what they have written to local and global memory seen by all
    /// of them. All of them come here, in the same iteration of every loop around; where one of the kernel's
    /// [reports](Kernel::reports) is named, it is due otherwise.
    Barrier(Option<usize>),
    /// Makes what this work-item has written seen before what it writes from now on.
    Fence,
    /// Ends the work-item, and has its launch fail, unless a truth value holds.
    Guard(Guard),
}

/// A loop over integers: from a start, by a step, as long as the stop is not reached. The three are evaluated before the
/// loop and have one integer dtype. A step of 0 means no iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct For {
    /// The integer, in the body.
    pub counter: Value,
    /// The first one.
    pub start: Value,
    /// The first that is too much.
    pub stop: Value,
    /// From one to the next.
    pub step: Value,
    /// What is done for each.
    pub body: Block,
}

/// What has to hold, and what to say where it does not.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    /// A truth value.
    pub condition: Value,
    /// Which of the kernel's [reports](Kernel::reports) is due otherwise.
    pub report: usize,
    /// Up to two int64s for the report's text.
    pub values: SmallVec<[Value; 2]>,
}

/// A kernel that is well formed.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    name: String,
    axes: usize,
    parameters: Vec<Parameter>,
    arrays: Vec<ArrayInfo>,
    /// The dtypes of all values.
    values: Vec<DType>,
    /// The dtypes of all variables.
    variables: Vec<DType>,
    reports: Vec<String>,
    body: Block,
    needs_groups: bool,
    has_barriers: bool,
    may_contract: bool,
    /// Axes of arrays whose lengths it asks for, each once.
    extents: Vec<(Array, usize)>,
    /// Equal for kernels that are equal.
    digest: u64,
}

impl Kernel {
    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many axes its range has, 1 to [`MAX_AXES`].
    pub fn axes(&self) -> usize {
        self.axes
    }

    /// What it is given, in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Its arrays, by number.
    pub fn arrays(&self) -> &[ArrayInfo] {
        &self.arrays
    }

    /// What is known of an array.
    pub fn array(&self, array: Array) -> &ArrayInfo {
        &self.arrays[array.index()]
    }

    /// The dtypes of its values, by number.
    pub fn values(&self) -> &[DType] {
        &self.values
    }

    /// The dtype of a value.
    pub fn dtype(&self, value: Value) -> DType {
        self.values[value.index()]
    }

    /// The dtypes of its variables, by number.
    pub fn variables(&self) -> &[DType] {
        &self.variables
    }

    /// What its guards report, by number. `{0}` and `{1}` stand for a guard's values.
    pub fn reports(&self) -> &[String] {
        &self.reports
    }

    /// What a work-item does.
    pub fn body(&self) -> &Block {
        &self.body
    }

    /// Whether it has to be launched with work-groups: it asks for places in one, or has local arrays, barriers or
    /// sub-groups.
    pub fn needs_groups(&self) -> bool {
        self.needs_groups
    }

    /// Whether work-items wait for each other.
    pub fn has_barriers(&self) -> bool {
        self.has_barriers
    }

    /// Whether a product and the sum it goes into may be rounded once, instead of each.
    pub fn may_contract(&self) -> bool {
        self.may_contract
    }

    /// The axes of arrays whose lengths it asks for, each once.
    pub fn extents(&self) -> &[(Array, usize)] {
        &self.extents
    }

    /// A number that is equal for equal kernels and hardly ever for others, to hash kernels by.
    pub fn digest(&self) -> u64 {
        self.digest
    }
}
