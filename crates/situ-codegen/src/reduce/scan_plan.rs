//! Which kernels do a scan, and how their blocks share the sequences.

use situ_hal::{Operand, Result, Scan};
use situ_ir::tree::RADIX;

use super::combiner::Reducer;
use super::operands::{Given, MOST};
use super::plan::check;
use super::scan_kernel::{Form, Phase, ScanKernel};
use super::{levels, scan_across, scan_along};
use crate::Kernel;
use crate::signature::{Parameter, Role};
use crate::work::{Value, Work};

/// Fewer sequences side by side leave too many threads idle.
const LEAST_COLUMNS: usize = 16;

/// How the blocks of a launch share the sequences.
#[derive(Clone, Copy, Debug)]
struct Shares {
    blocks: usize,
    /// Chunks of a sequence.
    groups: usize,
    /// Sequences side by side that have totals of their own, and how many such strips there are.
    strip: usize,
    strips: usize,
    /// Binary digits of the number of slots of a sequence, or of the number of threads side by side.
    digits: u32,
}

/// What a scan reads lies closer together along other sequences than along its own.
fn form(command: &Scan) -> Form {
    let first = command.inputs.operands().iter().position(|operand| matches!(operand, Operand::Memory(_)));
    let is_across = first.is_some_and(|n| match *command.inputs.strides(n) {
        [.., kept, along] => kept.unsigned_abs() < along.unsigned_abs(),
        _ => false,
    });
    if is_across && command.sequences() >= LEAST_COLUMNS { Form::Across } else { Form::Along }
}

fn along(sequences: usize, length: usize) -> Shares {
    let groups = length.div_ceil(scan_along::CHUNK);
    let slots = length.div_ceil(RADIX).next_power_of_two().min(scan_along::THREADS as usize);
    let blocks = sequences.div_ceil(scan_along::THREADS as usize / slots) * groups;
    Shares { blocks, groups, strip: 1, strips: sequences, digits: slots.trailing_zeros() }
}

fn across(sequences: usize, length: usize) -> Shares {
    let groups = length.div_ceil(scan_across::CHUNK);
    let rows = length.div_ceil(RADIX).next_power_of_two().min(RADIX);
    let strip = scan_across::THREADS as usize / rows;
    let strips = sequences.div_ceil(strip);
    Shares { blocks: strips * groups, groups, strip, strips, digits: strip.trailing_zeros() }
}

/// What a scan comes to.
pub(crate) fn scan(command: &Scan) -> Result<Work> {
    let reducer = Reducer(command.reduction.clone());
    let given = Given {
        map: reducer.map(),
        inputs: &command.inputs,
        kept: command.inputs.shape.len().saturating_sub(1),
        out: command.out,
        out_dtype: reducer.result(),
        out_steps: &command.out_steps,
        most: MOST,
    };
    check(&given, "scan")?;
    let mut work = Work::default();
    let (sequences, length) = (command.sequences(), command.length());
    if sequences == 0 || length == 0 {
        return Ok(work);
    }
    let operands = given.operands(None);
    let form = form(command);
    let shares = match form {
        Form::Along => along(sequences, length),
        Form::Across => across(sequences, length),
    };
    let is_carried = shares.groups > 1;
    let (mut arrivals, mut totals, room) = (0, 0, levels::room(shares.groups));
    if is_carried {
        work.zeroed = shares.strips * size_of::<u32>();
        arrivals = work.reserve(work.zeroed);
        totals = work.reserve(shares.strips * shares.strip * room * reducer.part_size(operands.wide));
    }
    let phases = [Phase::Totals, Phase::Results(is_carried)];
    for &phase in if is_carried { &phases[..] } else { &phases[1..] } {
        let kernel = ScanKernel { reducer: reducer.clone(), form, phase, operands };
        work.launch(Kernel::Scan(kernel), shares.blocks, |parameter| match parameter {
            Parameter::Address(Role::Totals) => Value::scratch(totals),
            Parameter::Address(Role::Arrivals) => Value::scratch(arrivals),
            Parameter::Groups => shares.groups.into(),
            Parameter::Room => room.into(),
            Parameter::SlotDigits | Parameter::ColumnDigits => u64::from(shares.digits).into(),
            Parameter::Strips => shares.strips.into(),
            Parameter::Blocks => shares.blocks.into(),
            other => given.value(&operands, other).unwrap_or(Value::Word(0)),
        });
    }
    Ok(work)
}
