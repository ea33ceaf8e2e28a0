//! Which integers fit in 32 bits, in which a GPU computes faster than in 64.
//!
//! The ids of work-items, the lengths of axes and what is computed from them are int64s in the IR. At most launches all of
//! them are small, and so are sums and quotients of them. For every int64 of a kernel this says between which numbers it
//! lies.

use situ_ir::kernel::{Block, Expression, For, Kernel, Parameter, Position, Statement, SubGroup, Value};
use situ_types::{DType, Scalar};

use super::variant::{LARGEST, Variant};

/// Work-items that a group may have on any device.
const GROUP: i64 = 1024;

/// Rounds after which a variable that still grows may hold anything.
const ROUNDS: usize = 4;

/// From a number to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) low: i64,
    pub(super) high: i64,
}

const ANY: Range = Range { low: i64::MIN, high: i64::MAX };

impl Range {
    const fn new(low: i64, high: i64) -> Range {
        Range { low, high }
    }

    /// Any number, unless both ends are numbers.
    fn wide(low: i128, high: i128) -> Range {
        match (i64::try_from(low), i64::try_from(high)) {
            (Ok(low), Ok(high)) => Range { low, high },
            _ => ANY,
        }
    }

    fn joined(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn magnitude(self) -> i128 {
        i128::from(self.low).abs().max(i128::from(self.high).abs())
    }

    /// Whether 32 bits are enough.
    pub(super) fn is_narrow(self) -> bool {
        i32::try_from(self.low).is_ok() && i32::try_from(self.high).is_ok()
    }
}

/// Between which numbers the int64s of a kernel lie.
#[derive(Debug)]
pub(super) struct Ranges<'k> {
    kernel: &'k Kernel,
    wide: bool,
    values: Vec<Range>,
    variables: Vec<Range>,
}

impl<'k> Ranges<'k> {
    pub(super) fn of(kernel: &'k Kernel, variant: &Variant) -> Ranges<'k> {
        let values = vec![ANY; kernel.values().len()];
        // Variables are 0 at first.
        let variables = vec![Range::new(0, 0); kernel.variables().len()];
        let mut ranges = Ranges { kernel, wide: variant.wide, values, variables };
        for (n, parameter) in kernel.parameters().iter().enumerate() {
            if let Parameter::Scalar(value, _) = parameter
                && variant.is_narrow(n)
            {
                ranges.values[value.index()] = Range::new(-LARGEST, LARGEST);
            }
        }
        for round in 0.. {
            let before = ranges.variables.clone();
            ranges.block(kernel.body());
            if ranges.variables == before {
                break;
            }
            if round >= ROUNDS {
                for (now, before) in ranges.variables.iter_mut().zip(before) {
                    *now = if *now == before { before } else { ANY };
                }
            }
        }
        ranges
    }

    /// Between which numbers a value lies.
    pub(super) fn value(&self, value: Value) -> Range {
        if self.kernel.dtype(value) == DType::I64 { self.values[value.index()] } else { ANY }
    }

    /// Whether a value is an int64 for which 32 bits are enough.
    pub(super) fn is_narrow(&self, value: Value) -> bool {
        self.value(value).is_narrow()
    }

    /// Whether the same holds for whatever a variable holds.
    pub(super) fn is_narrow_variable(&self, variable: usize) -> bool {
        self.kernel.variables()[variable] == DType::I64 && self.variables[variable].is_narrow()
    }

    fn block(&mut self, block: &Block) {
        for statement in block {
            match statement {
                Statement::Define(value, expression) if self.kernel.dtype(*value) == DType::I64 => {
                    self.values[value.index()] = self.expression(expression);
                }
                Statement::Set(variable, value) => {
                    let held = &mut self.variables[variable.index()];
                    *held = held.joined(self.values[value.index()]);
                }
                Statement::If(_, then, otherwise) => {
                    self.block(then);
                    self.block(otherwise);
                }
                Statement::Loop(body) => self.block(body),
                Statement::For(each) => {
                    self.values[each.counter.index()] = self.counter(each);
                    self.block(&each.body);
                }
                _ => {}
            }
        }
    }

    /// A counter lies between start and stop.
    fn counter(&self, each: &For) -> Range {
        let [start, stop, step] = [each.start, each.stop, each.step].map(|value| self.value(value));
        let up = Range::new(start.low, start.high.max(stop.high.saturating_sub(1)));
        let down = Range::new(start.low.min(stop.low.saturating_add(1)), start.high);
        match (step.low > 0, step.high < 0) {
            (true, _) => up,
            (_, true) => down,
            _ => up.joined(down),
        }
    }

    /// Whether a counter passes its stop by a step without an overflow of its own dtype, of 32 bits if it is narrow.
    pub(super) fn passes_stop(&self, each: &For) -> bool {
        let [stop, step] = [each.stop, each.step].map(|value| self.value(value));
        // The last number before the stop, and a step.
        let past = Range::wide(
            i128::from(stop.low) + (i128::from(step.low) + 1).min(0),
            i128::from(stop.high) + (i128::from(step.high) - 1).max(0),
        );
        past != ANY && (past.is_narrow() || !self.is_narrow(each.counter))
    }

    fn expression(&self, expression: &Expression) -> Range {
        let largest = if self.wide { i64::MAX } else { LARGEST };
        match expression {
            Expression::Constant(Scalar::I64(number)) => Range::new(*number, *number),
            Expression::Apply(op, args) => {
                let args: Vec<Range> = args.iter().map(|&arg| self.value(arg)).collect();
                applied(op.c_expression(), &args)
            }
            Expression::Cast(value) => of_dtype(self.kernel.dtype(*value)),
            Expression::Select([_, yes, no]) => self.value(*yes).joined(self.value(*no)),
            Expression::Get(variable) => self.variables[variable.index()],
            Expression::Extent(..) => Range::new(0, largest),
            Expression::Position(Position::LocalId, _) => Range::new(0, GROUP - 1),
            Expression::Position(Position::LocalSize, _) => Range::new(1, GROUP),
            Expression::Position(Position::GlobalSize | Position::GroupCount, _) => Range::new(1, largest),
            Expression::Position(..) => Range::new(0, largest),
            Expression::SubGroup(SubGroup::Id) => Range::new(0, 31),
            Expression::SubGroup(_) => Range::new(0, GROUP),
            Expression::Exchange(_, value, Some(_)) => self.value(*value),
            _ => ANY,
        }
    }
}

/// The integers of a dtype.
fn of_dtype(dtype: DType) -> Range {
    match dtype {
        DType::Bool => Range::new(0, 1),
        DType::I8 => Range::new(i8::MIN.into(), i8::MAX.into()),
        DType::I16 => Range::new(i16::MIN.into(), i16::MAX.into()),
        DType::I32 => Range::new(i32::MIN.into(), i32::MAX.into()),
        DType::U8 => Range::new(0, u8::MAX.into()),
        DType::U16 => Range::new(0, u16::MAX.into()),
        DType::U32 => Range::new(0, u32::MAX.into()),
        _ => ANY,
    }
}

/// What the library's functions of integers make of such ranges.
fn applied(function: &str, args: &[Range]) -> Range {
    let end = |n: usize, of: fn(&Range) -> i64| args.get(n).map_or(0, |arg| i128::from(of(arg)));
    let [low, high]: [[i128; 2]; 2] = [[0, 1].map(|n| end(n, |arg| arg.low)), [0, 1].map(|n| end(n, |arg| arg.high))];
    let products = || {
        let all = [low[0] * low[1], low[0] * high[1], high[0] * low[1], high[0] * high[1]];
        Range::wide(all.into_iter().fold(i128::MAX, i128::min), all.into_iter().fold(i128::MIN, i128::max))
    };
    match (function, args) {
        ("a", &[a]) => a,
        ("add(a, b)", _) => Range::wide(low[0] + low[1], high[0] + high[1]),
        ("sub(a, b)", _) => Range::wide(low[0] - high[1], high[0] - low[1]),
        ("mul(a, b)", _) => products(),
        ("mul(a, a)", &[a]) => Range::wide(0, a.magnitude() * a.magnitude()),
        ("neg(a)", _) => Range::wide(-high[0], -low[0]),
        ("abs(a)", &[a]) => Range::wide(0, a.magnitude()),
        ("min(a, b)", &[a, b]) => Range::new(a.low.min(b.low), a.high.min(b.high)),
        ("max(a, b)", &[a, b]) => Range::new(a.low.max(b.low), a.high.max(b.high)),
        ("floor_div(a, b)", &[a, b]) if a.low >= 0 && b.low >= 0 => Range::new(0, a.high),
        ("floor_div(a, b)", &[a, _]) => Range::wide(-a.magnitude(), a.magnitude()),
        ("modulo(a, b)", &[_, b]) if b.low >= 0 => Range::new(0, (b.high - 1).max(0)),
        ("modulo(a, b)", &[_, b]) => Range::wide(-b.magnitude(), b.magnitude()),
        ("and(a, b)", &[a, b]) if a.low >= 0 && b.low >= 0 => Range::new(0, a.high.min(b.high)),
        ("and(a, b)", &[a, _]) if a.low >= 0 => Range::new(0, a.high),
        ("and(a, b)", &[_, b]) if b.low >= 0 => Range::new(0, b.high),
        ("shr(a, b)", &[a, _]) => Range::new(a.low.min(0), a.high.max(0)),
        _ => ANY,
    }
}

#[cfg(test)]
mod tests {
    use situ_ir::Op;

    use super::*;

    #[test]
    fn results_lie_where_the_ops_put_them() {
        // Every op of two small integers, computed, lies in the range that is told for it.
        let ranges = [Range::new(-3, 4), Range::new(0, 5), Range::new(-7, -2), Range::new(2, 2)];
        let integers = |op: &&Op| op.rule().domain.contains(&DType::I64) && op.result(DType::I64) == Some(DType::I64);
        let mut narrow = 0;
        for op in Op::ALL.iter().filter(integers) {
            for a in ranges {
                for b in ranges {
                    let args = &[a, b, b][..op.arity()];
                    let told = applied(op.c_expression(), args);
                    narrow += usize::from(told.is_narrow());
                    for x in a.low..=a.high {
                        for y in b.low..=b.high {
                            let args = &[x, y, y].map(Scalar::I64)[..op.arity()];
                            let Some(Scalar::I64(result)) = situ_ir::interpret::apply(*op, args) else {
                                panic!("{op}")
                            };
                            assert!(
                                told.low <= result && result <= told.high,
                                "{op} of {args:?} is {result}: {told:?}"
                            );
                        }
                    }
                }
            }
        }
        assert!(narrow > 100);
    }
}
