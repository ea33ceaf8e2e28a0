//! Which integers fit in 32 bits, in which a GPU computes faster than in 64.
//!
//! The ids of work-items, the lengths of axes and what is computed from them are int64s in the IR. At most launches all of
//! them are small, and so are sums and quotients of them. For every int64 of a kernel this says between which numbers it
//! lies. It goes through the kernel until variables hold nothing new; one that goes on growing may hold anything, but for
//! what conditions say about it, as that of `while n < limit` does inside the loop.

use situ_ir::kernel::{Block, Expression, For, Kernel, Parameter, Position, Statement, SubGroup, Value};
use situ_types::{DType, Scalar};

use super::range::{ANY, Range, applied, of_dtype};
use super::variant::{FEW_GROUPS, LARGEST, Variant};

/// Work-items that a group may have on any device.
const GROUP: i64 = 1024;

/// Rounds after which a variable that still grows may hold anything.
const ROUNDS: usize = 4;

/// Before the first assignment.
const ZERO: Range = Range::new(0, 0);

/// What is known of a variable at some place.
#[derive(Clone, Copy, Debug)]
struct Known {
    range: Range,
    /// Which assignment this is about.
    version: usize,
}

/// Between which numbers the int64s of a kernel lie.
#[derive(Debug)]
pub(super) struct Ranges<'k> {
    kernel: &'k Kernel,
    variant: &'k Variant,
    values: Vec<Range>,
    /// Whatever a variable holds at any time.
    variables: Vec<Range>,
    /// What is assigned to it in a round.
    assigned: Vec<Range>,
    /// What is known here.
    known: Vec<Known>,
    versions: usize,
    /// The truth values that an op has computed.
    truths: Vec<Option<&'k Expression>>,
    /// The variables that values have been read from, and the assignments.
    origins: Vec<Option<(usize, usize)>>,
}

impl<'k> Ranges<'k> {
    pub(super) fn of(kernel: &'k Kernel, variant: &'k Variant) -> Ranges<'k> {
        let (values, variables) = (kernel.values().len(), kernel.variables().len());
        let mut ranges = Ranges {
            kernel,
            variant,
            values: vec![ANY; values],
            variables: vec![ZERO; variables],
            assigned: Vec::new(),
            known: Vec::new(),
            versions: 0,
            truths: vec![None; values],
            origins: vec![None; values],
        };
        for (n, parameter) in kernel.parameters().iter().enumerate() {
            if let Parameter::Scalar(value, _) = parameter
                && variant.is_narrow(n)
            {
                ranges.values[value.index()] = Range::new(-LARGEST, LARGEST);
            }
        }
        for round in 0.. {
            ranges.round();
            let before = ranges.variables.clone();
            for ((held, assigned), before) in ranges.variables.iter_mut().zip(&ranges.assigned).zip(&before) {
                *held = if round < ROUNDS { before.joined(*assigned) } else { before.widened(*assigned) };
            }
            if ranges.variables == before {
                break;
            }
        }
        // What conditions say holds for what is assigned, too; each round knows a little more.
        for _ in 0..2 {
            ranges.round();
            ranges.variables.clone_from(&ranges.assigned);
        }
        ranges.round();
        ranges
    }

    /// Goes through the kernel.
    fn round(&mut self) {
        self.assigned = vec![ZERO; self.variables.len()];
        self.known = vec![Known { range: ANY, version: 0 }; self.variables.len()];
        self.block(self.kernel.body());
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

    fn block(&mut self, block: &'k Block) {
        for statement in block {
            match statement {
                Statement::Define(value, expression) => self.define(*value, expression),
                Statement::Set(variable, value) => {
                    let range = self.value(*value);
                    let held = &mut self.assigned[variable.index()];
                    *held = held.joined(range);
                    self.learn(variable.index(), range);
                }
                Statement::Guard(guard) => self.suppose(guard.condition, true),
                Statement::If(condition, then, otherwise) => self.branch(*condition, then, otherwise),
                Statement::Loop(body) => self.repeat(body),
                Statement::For(each) => {
                    self.values[each.counter.index()] = self.counter(each);
                    self.repeat(&each.body);
                }
                _ => {}
            }
        }
    }

    /// Notes a new assignment to a variable.
    fn learn(&mut self, variable: usize, range: Range) {
        self.versions += 1;
        self.known[variable] = Known { range, version: self.versions };
    }

    fn define(&mut self, value: Value, expression: &'k Expression) {
        match expression {
            Expression::Get(variable) => {
                self.origins[value.index()] = Some((variable.index(), self.known[variable.index()].version));
            }
            Expression::Apply(..) if self.kernel.dtype(value) == DType::Bool => {
                self.truths[value.index()] = Some(expression);
            }
            _ => {}
        }
        if self.kernel.dtype(value) == DType::I64 {
            self.values[value.index()] = self.expression(expression);
        }
    }

    fn branch(&mut self, condition: Value, then: &'k Block, otherwise: &'k Block) {
        let before = self.known.clone();
        self.suppose(condition, true);
        self.block(then);
        let after_then = std::mem::replace(&mut self.known, before);
        self.suppose(condition, false);
        self.block(otherwise);
        if leaves(then) {
            return;
        }
        if leaves(otherwise) {
            self.known = after_then;
            return;
        }
        for (variable, one) in after_then.into_iter().enumerate() {
            let other = self.known[variable];
            if one.version == other.version {
                self.known[variable].range = one.range.joined(other.range);
            } else {
                self.learn(variable, one.range.joined(other.range));
            }
        }
    }

    /// A body that may come after itself, or not at all.
    fn repeat(&mut self, body: &'k Block) {
        let mut changed = Vec::new();
        assigned_in(body, &mut changed);
        let before = self.known.clone();
        changed.iter().for_each(|&variable| self.learn(variable, ANY));
        self.block(body);
        self.known = before;
        changed.into_iter().for_each(|variable| self.learn(variable, ANY));
    }

    /// Takes a condition to hold, or not to.
    fn suppose(&mut self, condition: Value, holds: bool) {
        let Some(Expression::Apply(op, args)) = self.truths[condition.index()] else { return };
        let [a, b] = [0, 1].map(|n| args.get(n).copied().unwrap_or(condition));
        match (op.c_expression(), holds) {
            ("lt(a, b)", true) | ("le(b, a)", false) => self.suppose_less(a, b, 1),
            ("lt(b, a)", true) | ("le(a, b)", false) => self.suppose_less(b, a, 1),
            ("le(a, b)", true) | ("lt(b, a)", false) => self.suppose_less(a, b, 0),
            ("le(b, a)", true) | ("lt(a, b)", false) => self.suppose_less(b, a, 0),
            ("truth(a) && truth(b)", true) | ("truth(a) || truth(b)", false) => {
                self.suppose(a, holds);
                self.suppose(b, holds);
            }
            ("!truth(a)", _) => self.suppose(a, !holds),
            _ => {}
        }
    }

    /// Takes one value to be less than another, by so much at least.
    fn suppose_less(&mut self, less: Value, more: Value, by: i64) {
        let [low, high] = [self.value(less).low.saturating_add(by), self.value(more).high.saturating_sub(by)];
        for (value, range) in [(less, Range::new(i64::MIN, high)), (more, Range::new(low, i64::MAX))] {
            if let Some((variable, version)) = self.origins[value.index()]
                && self.known[variable].version == version
                && self.kernel.dtype(value) == DType::I64
            {
                self.known[variable].range = self.known[variable].range.met(range);
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
        let largest = if self.variant.wide { i64::MAX } else { LARGEST };
        match expression {
            Expression::Constant(Scalar::I64(number)) => Range::new(*number, *number),
            Expression::Apply(op, args) => {
                let args: Vec<Range> = args.iter().map(|&arg| self.value(arg)).collect();
                applied(op.c_expression(), &args)
            }
            Expression::Cast(value) => of_dtype(self.kernel.dtype(*value)),
            Expression::Select([_, yes, no]) => self.value(*yes).joined(self.value(*no)),
            Expression::Get(variable) => self.variables[variable.index()].met(self.known[variable.index()].range),
            Expression::Extent(..) => Range::new(0, largest),
            Expression::Position(Position::LocalId, _) => Range::new(0, GROUP - 1),
            Expression::Position(Position::LocalSize, _) => Range::new(1, GROUP),
            Expression::Position(Position::GroupId, _) if self.variant.has_few_groups => Range::new(0, FEW_GROUPS - 1),
            Expression::Position(Position::GroupCount, _) if self.variant.has_few_groups => Range::new(1, FEW_GROUPS),
            Expression::Position(Position::GlobalSize | Position::GroupCount, _) => Range::new(1, largest),
            Expression::Position(..) => Range::new(0, largest),
            Expression::SubGroup(SubGroup::Id) => Range::new(0, 31),
            Expression::SubGroup(_) => Range::new(0, GROUP),
            Expression::Exchange(_, value, Some(_)) => self.value(*value),
            _ => ANY,
        }
    }
}

/// Whether nobody comes to the end of a block.
fn leaves(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Break | Statement::Continue | Statement::Return => true,
        Statement::If(_, then, otherwise) => leaves(then) && leaves(otherwise),
        _ => false,
    })
}

/// The variables that a block assigns to.
fn assigned_in(block: &Block, variables: &mut Vec<usize>) {
    for statement in block {
        match statement {
            Statement::Set(variable, _) => variables.push(variable.index()),
            Statement::If(_, then, otherwise) => {
                assigned_in(then, variables);
                assigned_in(otherwise, variables);
            }
            Statement::Loop(body) => assigned_in(body, variables),
            Statement::For(each) => assigned_in(&each.body, variables),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use situ_ir::Op;
    use situ_ir::kernel::KernelBuilder;

    use super::*;

    #[test]
    fn a_condition_bounds_what_is_counted_in_its_loop() {
        // while n < limit: n += 1, and another that nothing bounds.
        let mut k = KernelBuilder::new("count", 1).unwrap();
        let limit = k.scalar("limit", DType::I64);
        let (n, other) = (k.variable(DType::I64), k.variable(DType::I64));
        let one = k.constant(Scalar::I64(1));
        k.open_loop();
        let now = k.get(n).unwrap();
        let goes_on = k.apply(Op::Less, &[now, limit]).unwrap();
        let is_over = k.apply(Op::LogicalNot, &[goes_on]).unwrap();
        k.open_if(is_over).unwrap();
        k.leave().unwrap();
        k.close().unwrap();
        for variable in [n, other] {
            let now = k.get(variable).unwrap();
            let next = k.apply(Op::Add, &[now, one]).unwrap();
            k.set(variable, next).unwrap();
        }
        k.close().unwrap();
        let kernel = k.finish().unwrap();
        let variant = Variant::usual(&kernel);
        let ranges = Ranges::of(&kernel, &variant);
        assert_eq!(ranges.variables[0], Range::new(0, LARGEST));
        assert!(!ranges.is_narrow_variable(1));
    }

    #[test]
    fn what_is_known_before_a_loop_is_not_known_in_it() {
        let mut k = KernelBuilder::new("grow", 1).unwrap();
        let n = k.variable(DType::I64);
        let (two, many) = (k.constant(Scalar::I64(2)), k.constant(Scalar::I64(1000)));
        k.set(n, two).unwrap();
        let zero = k.constant(Scalar::I64(0));
        k.open_for(zero, many, two).unwrap();
        let now = k.get(n).unwrap();
        let square = k.apply(Op::Multiply, &[now, now]).unwrap();
        k.set(n, square).unwrap();
        k.close().unwrap();
        let kernel = k.finish().unwrap();
        assert!(!Ranges::of(&kernel, &Variant::usual(&kernel)).is_narrow_variable(0));
    }
}
