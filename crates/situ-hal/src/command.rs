//! The commands a queue executes.

use std::borrow::Cow;
use std::sync::Arc;

use situ_ir::{Program, StepKind};
use situ_types::Dims;
use smallvec::SmallVec;

use crate::{
    Fft, IndexCheck, Indexed, Join, Launch, Linalg, MaskCount, MaskExpand, MaskSelect, Product, Random, RawLaunch,
    Reduce, Repeat, RunCount, RunSelect, Scan, Search, Sort,
};

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
// A discriminant as wide as what follows leaves no odd bytes to copy, whose partial stores and loads stall a processor.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub enum Operand {
    /// Elements in memory, from this one on.
    Memory(Address),
    /// One value for every element; the bytes of a [`Scalar`](situ_types::Scalar) of the program's input dtype.
    Immediate([u8; 16]),
    /// The element's own position along the command's single axis, as an int64.
    Index,
}

/// A program that lives for ever, or as long as somebody needs it. The programs of single ops are of the first kind,
/// and not counting references to them is a good part of a small call.
#[derive(Clone, Debug)]
pub enum ProgramRef {
    /// Lives for ever.
    Static(&'static Program),
    /// Is counted.
    Shared(Arc<Program>),
}

impl std::ops::Deref for ProgramRef {
    type Target = Program;

    fn deref(&self) -> &Program {
        match self {
            ProgramRef::Static(program) => program,
            ProgramRef::Shared(program) => program,
        }
    }
}

/// An elementwise program with its operands: inputs first, the program's constants as the last of them, then outputs.
///
/// Outputs are always memory. An output may coincide exactly with an input, element for element; otherwise the ranges
/// of addresses they lie in do not meet, not even where their elements would pass between each other.
#[derive(Clone, Debug)]
pub struct Elementwise {
    /// What to compute.
    pub program: ProgramRef,
    /// The iteration space, with as few axes as possible and at least one.
    pub shape: Dims,
    operands: SmallVec<[Operand; LINE_OPERANDS]>,
    steps: Steps,
}

/// How operands are walked through.
#[derive(Clone, Debug)]
enum Steps {
    /// There is one axis, with one element step per operand. Small calls are like this, and each makes a command and
    /// drops it.
    Line([isize; LINE_OPERANDS]),
    /// One run of element steps per operand, one step per axis.
    Given(SmallVec<[isize; 8]>),
}

/// The most operands of an [`Elementwise::line`].
pub const LINE_OPERANDS: usize = 4;

impl Elementwise {
    /// A command without operands yet.
    pub fn new(program: ProgramRef, shape: Dims) -> Elementwise {
        Elementwise { program, shape, operands: SmallVec::new(), steps: Steps::Given(SmallVec::new()) }
    }

    /// A command over one axis, with the operands' element steps along it: zeros for those that are not in memory. The
    /// first `used` operands count.
    #[inline(always)]
    pub fn line(
        program: ProgramRef,
        count: usize,
        operands: [Operand; LINE_OPERANDS],
        steps: [isize; LINE_OPERANDS],
        used: usize,
    ) -> Elementwise {
        let shape = SmallVec::from_buf_and_len([count, 0, 0, 0], 1);
        Elementwise { program, shape, operands: SmallVec::from_buf_and_len(operands, used), steps: Steps::Line(steps) }
    }

    /// Adds an operand in memory with its element steps, one per axis.
    pub fn push_memory(&mut self, address: Address, steps: &[isize]) {
        debug_assert_eq!(steps.len(), self.shape.len());
        self.push(Operand::Memory(address), steps);
    }

    /// Adds an operand that is the same for every element.
    pub fn push_immediate(&mut self, bytes: [u8; 16]) {
        self.push(Operand::Immediate(bytes), &[]);
    }

    /// Adds the program's constants as operands; they follow the inputs that are given.
    pub fn push_constants(&mut self) {
        let program = self.program.clone();
        program.constants().for_each(|value| self.push_immediate(value.to_bytes()));
    }

    /// Adds the element's position as an operand.
    pub fn push_index(&mut self) {
        self.push(Operand::Index, &[]);
    }

    /// Adds an operand; steps that are not given are zeros.
    fn push(&mut self, operand: Operand, steps: &[isize]) {
        if let Steps::Line(steps) = self.steps {
            self.steps = Steps::Given(SmallVec::from_slice(&steps[..self.operands.len()]));
        }
        self.operands.push(operand);
        if let Steps::Given(all) = &mut self.steps {
            all.extend_from_slice(steps);
            all.resize(self.operands.len() * self.shape.len(), 0);
        }
    }

    /// Inputs, then outputs.
    #[inline]
    pub fn operands(&self) -> &[Operand] {
        &self.operands
    }

    /// The element steps of an operand, one per axis; zeros for an operand that is not in memory.
    #[inline]
    pub fn strides(&self, operand: usize) -> &[isize] {
        let axes = self.shape.len();
        &self.steps()[operand * axes..(operand + 1) * axes]
    }

    /// The element steps of all operands, one after another.
    #[inline]
    pub fn steps(&self) -> &[isize] {
        match &self.steps {
            Steps::Line(steps) => &steps[..self.operands.len()],
            Steps::Given(all) => all,
        }
    }
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
    /// Elements of an array, found by index, one after another into another place.
    Gather(Box<Indexed>),
    /// Elements, one after another, into places of an array found by index. Of several for one place the last stays,
    /// or, on a device that does not work one after another, any one of them.
    Scatter(Box<Indexed>),
    /// Whether every index lies in its axis.
    IndexCheck(Box<IndexCheck>),
    /// How much of a mask is true.
    MaskCount(Box<MaskCount>),
    /// What lies where a mask is true, side by side.
    MaskSelect(Box<MaskSelect>),
    /// Values to where a mask is true.
    MaskExpand(Box<MaskExpand>),
    /// Arrays to places of their own.
    Join(Box<Join>),
    /// Elements, each several times.
    Repeat(Box<Repeat>),
    /// Values combined along axes.
    Reduce(Box<Reduce>),
    /// Values combined along an axis, up to each of them.
    Scan(Box<Scan>),
    /// Elements in their order along an axis.
    Sort(Box<Sort>),
    /// Where elements belong in a sorted sequence.
    Search(Box<Search>),
    /// How many runs of equal elements a sorted sequence has.
    RunCount(Box<RunCount>),
    /// The runs of equal elements of a sorted sequence, side by side.
    RunSelect(Box<RunSelect>),
    /// Products of matrices.
    Product(Box<Product>),
    /// A problem of linear algebra. Devices that have no library for it refuse it.
    Linalg(Box<Linalg>),
    /// Random numbers.
    Random(Box<Random>),
    /// Fourier transforms along an axis.
    Fft(Box<Fft>),
    /// A kernel that a user wrote, over a range.
    Launch(Box<Launch>),
    /// Runs a kernel in a language of the device's own. Only devices that have one get such.
    RawLaunch(Box<RawLaunch>),
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
            Command::Gather(_) => "gather",
            Command::Scatter(_) => "scatter",
            Command::IndexCheck(_) => "index check",
            Command::MaskCount(_) => "mask count",
            Command::MaskSelect(_) => "mask select",
            Command::MaskExpand(_) => "mask expand",
            Command::Join(_) => "join",
            Command::Repeat(_) => "repeat",
            Command::Reduce(_) => "reduce",
            Command::Scan(_) => "scan",
            Command::Sort(_) => "sort",
            Command::Search(_) => "search",
            Command::RunCount(_) => "run count",
            Command::RunSelect(_) => "run select",
            Command::Product(_) => "matrix product",
            Command::Linalg(linalg) => linalg.problem.name(),
            Command::Random(_) => "random numbers",
            Command::Fft(_) => "Fourier transform",
            Command::Launch(launch) => return Cow::Owned(format!("kernel {}", launch.kernel.name())),
            Command::RawLaunch(launch) => return Cow::Owned(format!("kernel {}", launch.kernel.name())),
            Command::Elementwise(e) => {
                let ops: Vec<&str> = e
                    .program
                    .steps()
                    .iter()
                    .filter_map(|s| match s.kind {
                        StepKind::Apply(op) => Some(op.name()),
                        StepKind::Select => Some("where"),
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
