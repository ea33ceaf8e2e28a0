//! Where values are used for the last time, and what happens in between.
//!
//! Statements are numbered in the order in which they are written. A value that a loop uses and that was defined before the
//! loop is used until the loop's end.

use situ_ir::Op;
use situ_ir::kernel::{Block, Expression, Kernel, Statement, Value};
use situ_types::DType;

use super::visit::{operands, operands_of};

/// A product that goes into sums and nowhere else: rounded once with them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    pub(super) factors: [Value; 2],
}

/// What is known of a kernel's values, by their numbers.
#[derive(Debug)]
pub(super) struct Uses {
    /// The statement that defines each.
    pub(super) defined: Vec<usize>,
    /// The statement that uses it last.
    pub(super) last: Vec<usize>,
    /// How many operands it is.
    pub(super) count: Vec<usize>,
    /// Whether it is assigned to a variable or stored as it is.
    pub(super) is_moved: Vec<bool>,
    /// What it is where it is computed with the sums it goes into.
    pub(super) products: Vec<Option<Product>>,
    /// Statements that assign to variables, in order.
    pub(super) assigned: Vec<(usize, usize)>,
    /// Statements that may change memory, in order.
    pub(super) changes: Vec<usize>,
    /// Values whose last use is at a statement.
    pub(super) ending: Vec<Vec<Value>>,
}

struct OpenLoop {
    first: usize,
    /// Values from before it that it uses.
    held: Vec<Value>,
}

struct Walk<'a> {
    uses: Uses,
    kernel: &'a Kernel,
    loops: Vec<OpenLoop>,
    position: usize,
}

impl Uses {
    /// Of a kernel with such statements, where products may go into sums or not.
    pub(super) fn of(kernel: &Kernel, body: &Block, contracts: bool) -> Uses {
        let values = kernel.values().len();
        let uses = Uses {
            defined: vec![0; values],
            last: vec![0; values],
            count: vec![0; values],
            is_moved: vec![false; values],
            products: vec![None; values],
            assigned: vec![],
            changes: vec![],
            ending: vec![],
        };
        let mut walk = Walk { uses, kernel, loops: vec![], position: 0 };
        walk.count(body);
        if contracts {
            walk.contract(body);
        }
        walk.block(body);
        let mut uses = walk.uses;
        uses.ending = vec![vec![]; walk.position + 1];
        for value in kernel_values(kernel, body) {
            uses.ending[uses.last[value.index()]].push(value);
        }
        uses
    }

    /// Whether a variable is assigned to after one statement, up to another.
    pub(super) fn is_assigned(&self, variable: usize, after: usize, until: usize) -> bool {
        self.assigned.iter().any(|&(at, which)| which == variable && at > after && at <= until)
    }

    /// Whether memory may change after one statement, up to another.
    pub(super) fn is_changed(&self, after: usize, until: usize) -> bool {
        self.changes.iter().any(|&at| at > after && at <= until)
    }
}

/// All of a kernel's values that a statement defines or a parameter is, in order.
fn kernel_values(kernel: &Kernel, body: &Block) -> impl Iterator<Item = Value> {
    let mut all = vec![];
    for parameter in kernel.parameters() {
        if let situ_ir::kernel::Parameter::Scalar(value, _) = parameter {
            all.push(*value);
        }
    }
    collect(body, &mut all);
    all.into_iter()
}

fn collect(block: &Block, all: &mut Vec<Value>) {
    for statement in block {
        match statement {
            Statement::Define(value, _) => all.push(*value),
            Statement::If(_, then, otherwise) => {
                collect(then, all);
                collect(otherwise, all);
            }
            Statement::Loop(body) => collect(body, all),
            Statement::For(counted) => {
                all.push(counted.counter);
                collect(&counted.body, all);
            }
            _ => {}
        }
    }
}

impl Walk<'_> {
    fn count(&mut self, block: &Block) {
        for statement in block {
            operands(statement, &mut |value| self.uses.count[value.index()] += 1);
            match statement {
                Statement::If(_, then, otherwise) => {
                    self.count(then);
                    self.count(otherwise);
                }
                Statement::Loop(body) => self.count(body),
                Statement::For(counted) => self.count(&counted.body),
                _ => {}
            }
        }
    }

    /// Finds products that go into sums of the same block and nowhere else.
    fn contract(&mut self, block: &Block) {
        let mut products: Vec<(Value, [Value; 2])> = vec![];
        // Terms of sums that have taken no product in.
        let mut sums: Vec<[Value; 2]> = vec![];
        for statement in block {
            match statement {
                Statement::Define(value, Expression::Apply(op, args)) => {
                    let is_real = matches!(self.kernel.dtype(*value), DType::F32 | DType::F64);
                    match (op, &args[..]) {
                        (Op::Multiply, &[a, b]) if is_real => products.push((*value, [a, b])),
                        (Op::Add | Op::Subtract, &[a, b]) if is_real => sums.push([a, b]),
                        _ => {}
                    }
                }
                Statement::If(_, then, otherwise) => {
                    self.contract(then);
                    self.contract(otherwise);
                }
                Statement::Loop(body) => self.contract(body),
                Statement::For(counted) => self.contract(&counted.body),
                _ => {}
            }
        }
        // The last first: its sum would have to wait for it.
        for (product, factors) in products.into_iter().rev() {
            let takes = |terms: &[Value; 2]| terms[0] != terms[1] && terms.contains(&product);
            let taken = sums.iter().filter(|terms| takes(terms)).count();
            if taken > 0 && taken == self.uses.count[product.index()] {
                self.uses.products[product.index()] = Some(Product { factors });
                sums.retain(|terms| !takes(terms));
            }
        }
    }

    fn define(&mut self, value: Value) {
        self.uses.defined[value.index()] = self.position;
        self.uses.last[value.index()] = self.position;
    }

    fn used(&mut self, value: Value) {
        if let Some(Product { factors }) = self.uses.products[value.index()] {
            factors.into_iter().for_each(|factor| self.used(factor));
        }
        let (defined, last) = (self.uses.defined[value.index()], &mut self.uses.last[value.index()]);
        *last = (*last).max(self.position);
        if let Some(outermost) = self.loops.iter_mut().find(|open| open.first > defined) {
            outermost.held.push(value);
        }
    }

    fn block(&mut self, block: &Block) {
        for statement in block {
            self.position += 1;
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let at = self.position;
        match statement {
            Statement::Define(value, expression) => {
                if self.uses.products[value.index()].is_none() {
                    operands_of(expression, &mut |value| self.used(value));
                }
                self.define(*value);
                if matches!(expression, Expression::Atomic(..) | Expression::CompareExchange(..)) {
                    self.uses.changes.push(at);
                }
            }
            Statement::Set(variable, value) => {
                self.used(*value);
                self.uses.is_moved[value.index()] = true;
                self.uses.assigned.push((at, variable.index()));
            }
            Statement::Store(_, _, value) => {
                operands(statement, &mut |value| self.used(value));
                self.uses.is_moved[value.index()] = true;
                self.uses.changes.push(at);
            }
            Statement::If(condition, then, otherwise) => {
                self.used(*condition);
                self.block(then);
                self.block(otherwise);
            }
            Statement::Loop(body) => self.repeat(body, &[]),
            Statement::For(counted) => {
                let bounds = [counted.start, counted.stop, counted.step];
                bounds.into_iter().for_each(|bound| self.used(bound));
                self.define(counted.counter);
                self.repeat(&counted.body, &[counted.start, counted.step, counted.counter]);
            }
            Statement::Barrier(_) | Statement::Fence => self.uses.changes.push(at),
            Statement::Guard(_) => operands(statement, &mut |value| self.used(value)),
            Statement::Break | Statement::Continue | Statement::Return => {}
        }
    }

    /// A loop that needs some values to its end.
    fn repeat(&mut self, body: &Block, needed: &[Value]) {
        self.loops.push(OpenLoop { first: self.position, held: needed.to_vec() });
        self.block(body);
        // An end of its own, so that nothing that the body frees last is taken before it is over.
        self.position += 1;
        let Some(over) = self.loops.pop() else { return };
        for value in over.held {
            self.used(value);
        }
    }
}
