//! The commands a queue executes.

use std::borrow::Cow;
use std::sync::Arc;

use situ_ir::{Program, StepKind};
use situ_types::{Dims, Strides};
use smallvec::SmallVec;

/// A place in memory that some device can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address(pub *mut u8);

// SAFETY: an address is a number until a backend dereferences it, and the contract in the crate's header says when a
// backend may: while the allocation is alive and only in the order its events give.
unsafe impl Send for Address {}
// SAFETY: as above; sharing the number itself races with nothing.
unsafe impl Sync for Address {}

impl Address {
    /// This address moved by a number of bytes.
    pub fn offset(self, bytes: isize) -> Address {
        Address(self.0.wrapping_offset(bytes))
    }

    /// The address as a number.
    pub fn value(self) -> usize {
        self.0 as usize
    }
}

/// One operand of an elementwise command.
#[derive(Clone, Debug)]
pub enum Operand {
    /// Elements in memory; strides count elements, one per axis of the command's shape.
    Memory {
        /// The first element.
        address: Address,
        /// Element steps along the axes.
        strides: Strides,
    },
    /// One value for every element; the bytes of a [`Scalar`](situ_types::Scalar) of the program's input dtype.
    Immediate([u8; 16]),
    /// The element's own position along the command's single axis, as an int64.
    Index,
}

/// An elementwise program with its operands: inputs first, then outputs.
#[derive(Clone, Debug)]
pub struct Elementwise {
    /// What to compute.
    pub program: Arc<Program>,
    /// The iteration space, with as few axes as possible and at least one.
    pub shape: Dims,
    /// Inputs, then outputs. Outputs are always memory. An output may coincide exactly with an input, element for
    /// element, but never overlaps one partially.
    pub operands: SmallVec<[Operand; 3]>,
}

/// A piece of work for a queue.
#[derive(Clone, Debug)]
pub enum Command {
    /// Nothing; completes after everything submitted to the queue before (and its wait list), and everything
    /// submitted after waits for it.
    Barrier,
    /// Nothing; completes after its wait list.
    Marker,
    /// Bytes from one place to another; the two do not overlap.
    Copy {
        /// To.
        dst: Address,
        /// From.
        src: Address,
        /// How many.
        bytes: usize,
    },
    /// A repeated pattern.
    Fill {
        /// First byte to write.
        dst: Address,
        /// The pattern; the first `width` bytes count.
        pattern: [u8; 16],
        /// 1, 2, 4, 8 or 16.
        width: usize,
        /// Repetitions.
        count: usize,
    },
    /// A hint that the memory will be used on the queue's device soon.
    Prefetch {
        /// First byte.
        address: Address,
        /// How many.
        bytes: usize,
    },
    /// A hint about how the memory will be used; the number is the backend's own.
    Advise {
        /// First byte.
        address: Address,
        /// How many.
        bytes: usize,
        /// The backend's advice code.
        advice: i32,
    },
    /// An elementwise program.
    Elementwise(Elementwise),
}

impl Command {
    /// What to call this command in an error.
    pub fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Command::Barrier => "barrier",
            Command::Marker => "marker",
            Command::Copy { .. } => "copy",
            Command::Fill { .. } => "fill",
            Command::Prefetch { .. } => "prefetch",
            Command::Advise { .. } => "mem_advise",
            Command::Elementwise(e) => {
                let ops: Vec<&str> = e
                    .program
                    .steps()
                    .iter()
                    .filter_map(|s| match s.kind {
                        StepKind::Apply(op) => Some(op.name()),
                        StepKind::Cast => None,
                    })
                    .collect();
                match ops[..] {
                    [] => "copy",
                    [one] => one,
                    _ => return Cow::Owned(ops.join(", ")),
                }
            }
        })
    }
}
