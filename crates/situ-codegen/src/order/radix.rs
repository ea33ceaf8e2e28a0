//! Long rows: sorted by one digit after another, the least significant first.

use super::digits::{DigitBases, DigitCounts};
use super::ordered::DIGITS;
use super::radix_pass::RadixPass;
use super::rows::{INDICES, INPUT, RowAccess, Rows, VALUES};
use crate::Kernel;
use crate::signature::{Parameter, Role};
use crate::work::{Value, Work};

/// Blocks that count digits: as many as keep a large device busy.
const BLOCKS: usize = 528;

/// From how many elements of a row on their number takes more than 30 bits, beside which a word has two for other things.
const WIDE: usize = 1 << 30;

/// Scratch memory of a sort.
#[derive(Debug)]
struct Scratch {
    /// Counts of digits: of rows, of each of their digits.
    totals: usize,
    /// How many tiles have begun, for each digit.
    begun: usize,
    /// What tiles say to later ones, for passes in turn: the other one is cleared meanwhile.
    status: [usize; 2],
}

/// The two places between which elements, or positions, go to and fro. The last pass reads from the first.
pub(super) fn buffers(work: &mut Work, bytes: usize, passes: u32, result: Option<Value>) -> [Value; 2] {
    let first = Value::scratch(if passes > 1 { work.reserve(bytes) } else { 0 });
    [first, if passes > 2 { result.unwrap_or_else(|| Value::scratch(work.reserve(bytes))) } else { first }]
}

/// The launches that sort rows of any length.
pub(super) fn plan(rows: &Rows<'_>) -> Work {
    let (ordered, length, count, wide) = (rows.ordered, rows.length, rows.command.count, rows.length >= WIDE);
    let positions = rows.command.indices.as_ref().map(|_| if length > u32::MAX as usize { 8 } else { 4 });
    let input = rows.access(INPUT, length);
    let output = rows.access(VALUES, count).or(rows.access(INDICES, count));
    let pass = RadixPass { ordered, positions, input, output, wide };
    let (passes, tiles) = (ordered.digits(), length.div_ceil(pass.tile_size()));
    let (blocks, word) = (rows.count() * tiles, if wide { size_of::<u64>() } else { size_of::<u32>() });

    let mut work = Work::default();
    let row_digits = (passes * DIGITS) as usize;
    let totals = work.reserve(rows.count() * row_digits * word);
    let begun = work.reserve(passes as usize * size_of::<u32>());
    let mut status = [0; 2];
    status[0] = work.reserve(blocks * DIGITS as usize * word);
    work.zeroed = work.scratch;
    status[1] = work.reserve(blocks * DIGITS as usize * word);
    let scratch = Scratch { totals, begun, status };
    // Results without gaps have room for what comes before them.
    let result = |number: u8| (output == RowAccess::Dense).then(|| rows.address(number));
    let values = rows.command.values.as_ref().and_then(|_| result(VALUES));
    let elements = buffers(&mut work, rows.count() * length * ordered.width(), passes, values);
    let position_bytes = rows.count() * length * positions.map_or(0, usize::from);
    let others = buffers(&mut work, position_bytes, passes, result(INDICES));

    push_totals(&mut work, rows, DigitCounts { ordered, input, wide }, scratch.totals);
    for number in 0..passes {
        let (is_first, is_last) = (number == 0, number + 1 == passes);
        // Which of the two places a pass reads, or writes: counted from the last one.
        let (from, to) = ((passes - 1 - number) as usize % 2, (passes - number) as usize % 2);
        let kernel = RadixPass {
            input: if is_first { input } else { RowAccess::Dense },
            output: if is_last { output } else { RowAccess::Dense },
            ..pass
        };
        work.launch(Kernel::RadixPass(kernel), blocks, |parameter| match parameter {
            Parameter::Address(Role::Input(_)) if !is_first => elements[from],
            Parameter::Address(Role::Values) if !is_last => elements[to],
            Parameter::Address(Role::Positions) => others[from],
            Parameter::Address(Role::NextPositions) => others[to],
            Parameter::Address(Role::Totals) => Value::scratch(scratch.totals),
            Parameter::Address(Role::Begun) => Value::scratch(scratch.begun + number as usize * size_of::<u32>()),
            Parameter::Address(Role::Status) => Value::scratch(scratch.status[number as usize % 2]),
            Parameter::Address(Role::NextStatus) => Value::scratch(scratch.status[(number as usize + 1) % 2]),
            Parameter::Tiles => tiles.into(),
            Parameter::FirstBit => u64::from(8 * number).into(),
            Parameter::Generated => u64::from(is_first).into(),
            Parameter::Final => u64::from(is_last).into(),
            Parameter::Kept if !is_last => 1u64.into(),
            other => rows.value(other),
        });
    }
    work
}

/// Adds the launches after which the totals say, for each digit, how many elements of a row have lower ones.
fn push_totals(work: &mut Work, rows: &Rows<'_>, kernel: DigitCounts, totals: usize) {
    let tile = kernel.tile();
    let parts = BLOCKS.div_ceil(rows.count()).min(rows.length.div_ceil(tile));
    let segment = rows.length.div_ceil(parts).next_multiple_of(tile);
    let parts = rows.length.div_ceil(segment);
    work.launch(Kernel::DigitCounts(kernel), rows.count() * parts, |parameter| match parameter {
        Parameter::Address(Role::Totals) => Value::scratch(totals),
        Parameter::Parts => parts.into(),
        Parameter::Segment => segment.into(),
        other => rows.value(other),
    });
    let bases = DigitBases { wide: kernel.wide };
    work.launch(Kernel::DigitBases(bases), rows.count() * kernel.ordered.digits() as usize, |_| Value::scratch(totals));
}
