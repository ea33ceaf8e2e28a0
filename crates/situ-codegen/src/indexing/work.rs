//! What a command comes to: launches, and memory for them.

use smallvec::SmallVec;

use super::kernel::Kernel;
use super::signature::{Parameter, TABLE_LIMIT};
use crate::Argument;

/// An operand in memory.
#[derive(Clone, Copy, Debug)]
pub struct Strided<'a> {
    /// Its address, as a number; how well it is aligned decides how wide accesses can be.
    pub address: usize,
    /// Element steps, one per axis of the iteration space.
    pub strides: &'a [isize],
}

/// One launch of a kernel.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The kernel.
    pub kernel: Kernel,
    /// How many blocks.
    pub grid: u32,
    /// How many threads in a block.
    pub block: u32,
    /// What it is given.
    pub arguments: SmallVec<[Argument; 16]>,
}

/// The launches of one command, one after another, and their scratch memory, which is aligned to 16 bytes.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// The launches, in order.
    pub launches: SmallVec<[Launch; 3]>,
    /// Bytes of scratch memory.
    pub scratch: usize,
    /// How many of its first bytes are 0 before the first launch.
    pub zeroed: usize,
    /// Numbers to be copied to scratch memory before the first launch, and where to. Only spaces with many axes have
    /// any.
    pub tables: Vec<(usize, Vec<i64>)>,
}

/// The value of a parameter.
pub(super) enum Value {
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

impl Value {
    /// An operand's address, or its value.
    pub(super) fn operand(number: usize) -> Value {
        Value::At(Argument::Operand(number as u32, 0))
    }

    /// The same, so many bytes further.
    pub(super) fn operand_from(number: usize, bytes: i64) -> Value {
        Value::At(Argument::Operand(number as u32, bytes))
    }

    pub(super) fn scratch(offset: usize) -> Value {
        Value::At(Argument::Scratch(offset as u64))
    }
}

impl Work {
    /// Room for so many bytes of scratch memory; where it begins.
    pub(super) fn reserve(&mut self, bytes: usize) -> usize {
        let start = self.scratch.next_multiple_of(16);
        self.scratch = start + bytes;
        start
    }

    /// Adds a launch, with the values of the kernel's parameters.
    pub(super) fn launch(&mut self, kernel: Kernel, blocks: usize, value: impl Fn(Parameter) -> Value) {
        let parameters = kernel.parameters();
        let is_tabled = parameters.len() > TABLE_LIMIT;
        let mut arguments = SmallVec::with_capacity(parameters.len().min(TABLE_LIMIT + 1));
        let mut table = Vec::new();
        for parameter in parameters {
            match value(parameter) {
                Value::At(argument) => arguments.push(argument),
                Value::Word(word) if is_tabled => table.push(word),
                Value::Word(word) => arguments.push(parameter.argument(word, kernel.is_wide())),
            }
        }
        if is_tabled {
            let start = self.reserve(table.len() * size_of::<i64>());
            self.tables.push((start, table));
            arguments.push(Argument::Scratch(start as u64));
        }
        let block = kernel.threads();
        self.launches.push(Launch { kernel, grid: u32::try_from(blocks).unwrap_or(u32::MAX), block, arguments });
    }
}
