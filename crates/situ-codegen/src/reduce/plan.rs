//! Which kernel combines values, and how its blocks share them.

use situ_hal::{HalError, Reduce, Result};
use situ_ir::tree::{CHUNK, Direction, RADIX};

use super::across::{THREADS, most_columns, parts};
use super::along::MOST_CHUNKS;
use super::combiner::Reducer;
use super::kernel::ReduceKernel;
use super::levels;
use super::operands::{Given, MOST};
use crate::elementwise::MAX_OPERANDS;
use crate::signature::{Parameter, Role};
use crate::work::{Argument, Value, Work};
use crate::{DeviceLimits, Kernel};

/// So many blocks keep every GPU busy.
const ENOUGH_BLOCKS: usize = 512;

/// So many per core keep a processor busy, which goes through idle threads too.
const ENOUGH_EACH: usize = 2;

/// Fewer values are not worth waking another core of a processor for.
const LEAST_VALUES: usize = 1 << 14;

/// Refuses maps of too many inputs.
pub(super) fn check(given: &Given<'_>, operation: &'static str) -> Result<()> {
    let inputs = given.inputs.operands().len();
    if inputs >= MAX_OPERANDS {
        let detail =
            format!("a map of {inputs} inputs does not fit into one kernel, which takes {MAX_OPERANDS}; split it");
        return Err(HalError::Unsupported { operation: operation.into(), detail });
    }
    Ok(())
}

/// How the blocks of a launch share the values.
#[derive(Clone, Copy, Debug)]
struct Shares {
    /// How many there are.
    blocks: usize,
    /// Parts of a sequence for the last of its blocks to combine; one if a block combines all of it.
    groups: usize,
    /// Results side by side that have a last block of their own, and how many such strips there are.
    strip: usize,
    strips: usize,
    /// Results of a block, and chunks of each.
    each: usize,
    chunks: usize,
    column_digits: u32,
}

/// Many short sequences share a block, long ones are shared by blocks.
fn along(results: usize, length: usize, limits: &DeviceLimits) -> Shares {
    let chunks = length.div_ceil(CHUNK).min(RADIX);
    let groups = length.div_ceil(CHUNK * RADIX);
    let mut each = 1;
    if groups == 1 {
        // No warp of the block is idle if there are so many results, and as many again keep it at work.
        let even = RADIX >> chunks.trailing_zeros().min(RADIX.trailing_zeros());
        each = (CHUNK * RADIX / length).clamp(even, MOST_CHUNKS / chunks);
        each -= each % even;
        let enough = if limits.is_processor {
            (results.saturating_mul(length) / LEAST_VALUES).clamp(1, ENOUGH_EACH * limits.cores)
        } else {
            ENOUGH_BLOCKS
        };
        while each > 1 && results.div_ceil(each) < enough {
            each /= 2;
        }
    }
    let blocks = results.div_ceil(each) * groups;
    Shares { blocks, groups, strip: 1, strips: results, each, chunks, column_digits: 0 }
}

/// A block has as many threads side by side as it takes for its other threads to have a group of rows each.
fn across(results: usize, length: usize, width: usize) -> Shares {
    let rows = length.div_ceil(RADIX).next_power_of_two().min(RADIX);
    let most = THREADS as usize / rows;
    let columns = results.div_ceil(width).next_power_of_two().min(most);
    let strip = columns * width;
    let (strips, side) = (results.div_ceil(strip), THREADS as usize / columns);
    let groups = length.div_ceil(side * RADIX / parts(side));
    let blocks = strips * length.div_ceil(side * RADIX);
    let column_digits = columns.trailing_zeros();
    Shares { blocks, groups, strip, strips, each: 1, chunks: 1, column_digits }
}

/// What a reduction comes to.
pub(crate) fn reduce(command: &Reduce, limits: &DeviceLimits) -> Result<Work> {
    let reducer = Reducer(command.reduction.clone());
    let (results, length) = (command.results(), command.length());
    let given = Given {
        map: reducer.map(),
        inputs: &command.inputs,
        kept: command.kept,
        out: command.out,
        out_dtype: reducer.result(),
        out_steps: &command.out_steps,
        most: match command.direction {
            Direction::Along => MOST,
            // Positions are taken to be wide, before that is known.
            Direction::Across => MOST.min(most_columns(reducer.part_size(true))),
        },
    };
    check(&given, "reduce")?;
    let mut work = Work::default();
    if results == 0 || length == 0 {
        return Ok(work);
    }
    let direction = command.direction;
    let last = Some(command.inputs.shape.len() - 1);
    let operands = match direction {
        Direction::Along => given.operands(last),
        Direction::Across => {
            let columns = given.operands(command.kept.checked_sub(1));
            let rows = given.operands(last);
            // Short sequences may lie one after another.
            let is_in_rows = columns.width == 1 && rows.width > 1 && length.is_multiple_of(rows.width as usize);
            if is_in_rows { rows } else { columns }
        }
    };
    let shares = match direction {
        Direction::Along => along(results, length, limits),
        Direction::Across => across(results, length, operands.columns_at_once()),
    };
    let spread = shares.groups > 1;
    let (mut arrivals, mut totals, room) = (0, 0, levels::room(shares.groups));
    if spread {
        work.zeroed = shares.strips * size_of::<u32>();
        arrivals = work.reserve(work.zeroed);
        totals = work.reserve(shares.strips * shares.strip * room * reducer.part_size(operands.wide));
    }
    let kernel = ReduceKernel { reducer: reducer.clone(), direction, spread, operands };
    let number = |n: u8| {
        let size = reducer.finish().inputs()[1 + n as usize].size();
        Value::At(Argument::Value(command.numbers[n as usize], size as u8))
    };
    work.launch(Kernel::Reduce(kernel), shares.blocks, |parameter| match parameter {
        Parameter::Immediate(Role::Number(n)) => number(n),
        Parameter::Address(Role::Totals) => Value::scratch(totals),
        Parameter::Address(Role::Arrivals) => Value::scratch(arrivals),
        Parameter::Groups => shares.groups.into(),
        Parameter::Room => room.into(),
        Parameter::Each => shares.each.into(),
        Parameter::Chunks => shares.chunks.into(),
        Parameter::ColumnDigits => u64::from(shares.column_digits).into(),
        Parameter::Strips => shares.strips.into(),
        Parameter::Blocks => (shares.blocks / shares.strips).into(),
        other => given.value(&operands, other).unwrap_or(Value::Word(0)),
    });
    Ok(work)
}
