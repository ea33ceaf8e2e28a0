//! What a command comes to: launches, and memory for them.

use situ_hal::Address;
use smallvec::SmallVec;

use crate::kernel::Kernel;
use crate::signature::{Parameter, TABLE_LIMIT};

/// One argument of a kernel's launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// An address in an operand.
    Address(Address),
    /// The scratch memory's address, moved by so many bytes.
    Scratch(u64),
    /// A value by its bytes, of which so many count.
    Value([u8; 16], u8),
    /// A number.
    U32(u32),
    /// A number.
    I32(i32),
    /// A number.
    U64(u64),
    /// A number.
    I64(i64),
}

/// One launch of a kernel, over blocks of threads.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The kernel.
    pub kernel: Kernel,
    /// How many blocks along each axis.
    pub grid: [u32; 3],
    /// How many threads in a block along each axis.
    pub block: [u32; 3],
    /// Bytes of a block's own memory, beside what the kernel declares.
    pub local: u32,
    /// What it is given, in order.
    pub arguments: SmallVec<[Argument; 16]>,
}

/// The launches of one command, one after another, and their scratch memory, which is aligned to 16 bytes.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// The launches, in order. There are none where there is nothing to do.
    pub launches: SmallVec<[Launch; 1]>,
    /// Bytes of scratch memory.
    pub scratch: usize,
    /// How many of its first bytes are 0 before the first launch.
    pub zeroed: usize,
    /// Numbers to be copied to scratch memory before the first launch, and where to. Only spaces with many axes
    /// and joins of many arrays have any.
    pub tables: Vec<(usize, Vec<i64>)>,
    /// Whether the command can be done with less scratch memory, if [asked for](crate::DeviceLimits::without_scratch).
    /// What has been done of this work by then does no harm.
    pub has_leaner: bool,
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Word(i64),
    At(Argument),
}

impl From<usize> for Value {
    fn from(number: usize) -> Value {
        Value::Word(number as i64)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Value {
        Value::Word(number as i64)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Word(number)
    }
}

impl From<Address> for Value {
    fn from(address: Address) -> Value {
        Value::At(Argument::Address(address))
    }
}

impl Value {
    /// An address in scratch memory.
    pub(crate) fn scratch(offset: usize) -> Value {
        Value::At(Argument::Scratch(offset as u64))
    }
}

impl Work {
    /// Room for so many bytes of scratch memory; where it begins.
    pub(crate) fn reserve(&mut self, bytes: usize) -> usize {
        let start = self.scratch.next_multiple_of(16);
        self.scratch = start + bytes;
        start
    }

    /// Adds a launch over a line of blocks, with the values of the kernel's parameters.
    pub(crate) fn launch(&mut self, kernel: Kernel, blocks: usize, value: impl Fn(Parameter) -> Value) {
        let (parameters, wide) = (kernel.parameters(), kernel.is_wide());
        let is_tabled = parameters.len() > TABLE_LIMIT;
        let mut arguments = SmallVec::new();
        let mut table = Vec::new();
        for parameter in parameters {
            match value(parameter) {
                Value::At(argument) => arguments.push(argument),
                Value::Word(word) if is_tabled => table.push(word),
                Value::Word(word) => arguments.push(parameter.argument(word, wide)),
            }
        }
        if is_tabled {
            let start = self.reserve(table.len() * size_of::<i64>());
            self.tables.push((start, table));
            arguments.push(Argument::Scratch(start as u64));
        }
        let (grid, block) = (u32::try_from(blocks).unwrap_or(u32::MAX), kernel.threads());
        let (grid, block) = ([grid, 1, 1], [block, 1, 1]);
        self.launches.push(Launch { kernel, grid, block, local: 0, arguments });
    }
}
