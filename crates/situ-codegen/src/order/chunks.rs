//! The launches that sort rows on a processor.

use super::chunk_pass::{ChunkCounts, ChunkPass};
use super::ordered::DIGITS;
use super::radix::buffers;
use super::rows::{INDICES, INPUT, RowAccess, Rows, VALUES};
use crate::signature::{Parameter, Role};
use crate::work::{Value, Work};
use crate::{DeviceLimits, Kernel};

/// The fewest elements of a part: fewer take less time than it takes to begin with them.
const LEAST: usize = 1 << 13;

/// Parts per core, so that one that is late does not keep the others waiting.
const EACH: usize = 2;

/// The launches that sort rows of any length.
pub(super) fn plan(rows: &Rows<'_>, limits: &DeviceLimits) -> Work {
    let (ordered, length, count) = (rows.ordered, rows.length, rows.command.count);
    let positions = rows.command.indices.as_ref().map(|_| if length > u32::MAX as usize { 8 } else { 4 });
    let input = rows.access(INPUT, length);
    let output = rows.access(VALUES, count).or(rows.access(INDICES, count));
    let passes = ordered.digits();
    let parts = (EACH * limits.cores).div_ceil(rows.count()).min(length.div_ceil(LEAST));
    let segment = length.div_ceil(parts);
    let (parts, mut work) = (length.div_ceil(segment), Work::default());
    let blocks = rows.count() * parts;
    let totals = work.reserve(blocks * DIGITS as usize * size_of::<u64>());
    // Results without gaps have room for what comes before them.
    let result = |number: u8| (output == RowAccess::Dense).then(|| rows.address(number));
    let values = rows.command.values.as_ref().and_then(|_| result(VALUES));
    let elements = buffers(&mut work, rows.count() * length * ordered.width(), passes, values);
    let position_bytes = rows.count() * length * positions.map_or(0, usize::from);
    let others = buffers(&mut work, position_bytes, passes, result(INDICES));
    for number in 0..passes {
        let (is_first, is_last) = (number == 0, number + 1 == passes);
        // Which of the two places a pass reads, or writes: counted from the last one.
        let (from, to) = ((passes - 1 - number) as usize % 2, (passes - number) as usize % 2);
        let input = if is_first { input } else { RowAccess::Dense };
        let output = if is_last { output } else { RowAccess::Dense };
        let value = |parameter| match parameter {
            Parameter::Address(Role::Input(_)) if !is_first => elements[from],
            Parameter::Address(Role::Values) if !is_last => elements[to],
            Parameter::Address(Role::Positions) => others[from],
            Parameter::Address(Role::NextPositions) => others[to],
            Parameter::Address(Role::Totals) => Value::scratch(totals),
            Parameter::Parts => parts.into(),
            Parameter::Segment => segment.into(),
            Parameter::FirstBit => u64::from(8 * number).into(),
            Parameter::Generated => u64::from(is_first).into(),
            Parameter::Final => u64::from(is_last).into(),
            Parameter::Kept if !is_last => 1u64.into(),
            Parameter::Count if !is_last => length.into(),
            other => rows.value(other),
        };
        work.launch(Kernel::ChunkCounts(ChunkCounts { ordered, input }), blocks, value);
        work.launch(Kernel::ChunkPass(ChunkPass { ordered, positions, input, output }), blocks, value);
    }
    work
}
