//! Reductions that are made once and kept for ever: there are only so many rows and dtypes.

use std::sync::OnceLock;

use situ_ir::product::accumulator;
use situ_ir::statistic::{Finish, Values};
use situ_ir::{Combine, Op, Program, ProgramBuilder, Reduction, Statistic, Value};
use situ_types::DType;

use crate::Result;

const DTYPES: usize = DType::ALL.len();

/// The reduction of a row over elements of one dtype, converted to another first.
pub(super) fn of(statistic: Statistic, from: DType, dtype: DType) -> Result<&'static Reduction> {
    static MADE: [[[OnceLock<&'static Reduction>; DTYPES]; DTYPES]; Statistic::ALL.len()] =
        [const { [const { [const { OnceLock::new() }; DTYPES] }; DTYPES] }; Statistic::ALL.len()];

    let slot = &MADE[statistic as usize][from as usize][dtype as usize];
    match slot.get() {
        Some(reduction) => Ok(reduction),
        None => {
            let reduction = make(statistic, from, dtype)?;
            Ok(slot.get_or_init(|| Box::leak(Box::new(reduction))))
        }
    }
}

fn make(statistic: Statistic, from: DType, dtype: DType) -> Result<Reduction> {
    over(statistic, Program::convert(from, from), dtype)
}

/// The reduction of a row over what a program computes, converted to a dtype first.
pub(super) fn over(statistic: Statistic, elements: Program, dtype: DType) -> Result<Reduction> {
    let (mut map, element) = elements.extend();
    let value = mapped(&mut map, statistic.values(), element, dtype)?;
    let map = map.finish(&[value])?;
    let finish = if statistic.is_position() {
        Program::convert(DType::I64, DType::I64)
    } else {
        finished(accumulator(dtype), statistic.finish(), None, dtype)?
    };
    Ok(Reduction::new(map, statistic.combine(), finish)?)
}

/// The value of an element.
fn mapped(map: &mut ProgramBuilder, values: Values, element: Value, dtype: DType) -> Result<Value> {
    let value = match values {
        Values::Ones => map.cast(element, DType::Bool)?,
        _ => element,
    };
    let mut value = map.cast(value, dtype)?;
    if values == Values::Lengths {
        value = map.apply(Op::Abs, &[value])?;
    }
    Ok(map.cast(value, accumulator(dtype))?)
}

/// The program from a combined value to the result.
fn finished(accumulator: DType, finish: Finish, last: Option<Op>, dtype: DType) -> Result<Program> {
    let mut program = Program::builder();
    let combined = program.input(accumulator);
    let mut value = combined;
    if finish == Finish::ByCount {
        let count = program.input(accumulator);
        value = program.apply(Op::Divide, &[combined, count])?;
    }
    if let Some(op) = last {
        value = program.apply(op, &[value])?;
    }
    let value = program.cast(value, dtype)?;
    Ok(program.finish(&[value])?)
}

/// What becomes of a sum of squared deviations, divided by a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deviation {
    /// Nothing more.
    Square,
    /// Its root is taken.
    Root,
}

/// The reduction for a variance or its root, over elements of one dtype that are converted to another first.
pub(super) fn of_deviation(deviation: Deviation, from: DType, dtype: DType) -> Result<&'static Reduction> {
    static MADE: [[[OnceLock<&'static Reduction>; DTYPES]; DTYPES]; 2] =
        [const { [const { [const { OnceLock::new() }; DTYPES] }; DTYPES] }; 2];

    let slot = &MADE[deviation as usize][from as usize][dtype as usize];
    if let Some(reduction) = slot.get() {
        return Ok(reduction);
    }
    let mut map = Program::builder();
    let element = map.input(from);
    let value = mapped(&mut map, Values::Floats, element, dtype)?;
    let last = (deviation == Deviation::Root).then_some(Op::Sqrt);
    let finish = finished(accumulator(dtype), Finish::ByCount, last, dtype)?;
    let reduction = Reduction::new(map.finish(&[value])?, Combine::Moments, finish)?;
    Ok(slot.get_or_init(|| Box::leak(Box::new(reduction))))
}
