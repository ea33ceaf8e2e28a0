//! Values that are computed once though a kernel says so several times.
//!
//! Nobody writes `square = x * x` where `x * x` does, twice; and what is asked for in several places, a length or an id, comes
//! from several places as well. What was computed in a block is there in the blocks within it, too.

use std::collections::HashMap;

use situ_ir::Op;
use situ_ir::kernel::{Array, Block, Expression, Kernel, Position, Statement, SubGroup, Value};
use situ_types::DType;
use smallvec::SmallVec;

use super::liveness::Variables;
use super::visit::{assignments, operands_mut};

/// What is computed: the same for the same key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Constant([u8; 16], DType),
    Apply(Op, SmallVec<[Value; 3]>),
    Cast(Value, DType),
    Select([Value; 3]),
    /// A variable after so many changes of any.
    Get(usize, usize),
    Extent(Array, usize),
    Position(Position, usize),
    SubGroup(SubGroup),
}

/// A kernel's statements with every value computed once.
pub(super) fn once(kernel: &Kernel) -> Block {
    let values = kernel.values().len();
    let mut pass = Pass {
        kernel,
        instead: vec![None; values],
        opposites: vec![None; values],
        changed: vec![0; kernel.variables().len()],
        changes: 0,
    };
    pass.block(kernel.body(), HashMap::new())
}

struct Pass<'a> {
    kernel: &'a Kernel,
    /// Earlier values that are used instead.
    instead: Vec<Option<Value>>,
    /// Of truth values that are the opposite of others, those.
    opposites: Vec<Option<Value>>,
    /// The last change of each variable.
    changed: Vec<usize>,
    changes: usize,
}

impl Pass<'_> {
    /// A block, where some values have been computed already.
    fn block(&mut self, block: &Block, mut known: HashMap<Key, Value>) -> Block {
        let mut result = Block::new();
        for statement in block {
            let mut statement = statement.clone();
            operands_mut(&mut statement, &mut |value| *value = self.instead[value.index()].unwrap_or(*value));
            if let Statement::Define(value, expression) = &statement
                && let Some(key) = self.key(*value, expression)
            {
                if let Some(earlier) = known.get(&key) {
                    self.instead[value.index()] = Some(*earlier);
                    continue;
                }
                known.insert(key, *value);
            }
            match &mut statement {
                Statement::Define(value, Expression::Apply(Op::LogicalNot, args)) => {
                    self.opposites[value.index()] = args.first().copied();
                }
                Statement::Set(variable, _) => self.change([variable.index()]),
                Statement::If(condition, then, otherwise) => {
                    *then = self.block(then, known.clone());
                    self.change(assignments(then));
                    *otherwise = self.block(otherwise, known.clone());
                    self.change(assignments(otherwise));
                    // Where there is one block only it does not matter which.
                    if let (Some(opposite), true) = (self.opposites[condition.index()], otherwise.is_empty()) {
                        *condition = opposite;
                        std::mem::swap(then, otherwise);
                    }
                }
                Statement::Loop(body) => *body = self.repeat(body, &known),
                Statement::For(counted) => counted.body = self.repeat(&counted.body, &known),
                _ => {}
            }
            result.push(statement);
        }
        result
    }

    fn repeat(&mut self, body: &Block, known: &HashMap<Key, Value>) -> Block {
        let assigned: Variables = assignments(body);
        // What it assigns to has changed before its second iteration.
        self.change(assigned.iter().copied());
        let body = self.block(body, known.clone());
        self.change(assigned);
        body
    }

    fn change(&mut self, variables: impl IntoIterator<Item = usize>) {
        self.changes += 1;
        for variable in variables {
            self.changed[variable] = self.changes;
        }
    }

    /// What an expression computes, if it is the same each time.
    fn key(&self, value: Value, expression: &Expression) -> Option<Key> {
        let dtype = self.kernel.dtype(value);
        Some(match expression {
            Expression::Constant(number) => Key::Constant(number.to_bytes(), dtype),
            Expression::Apply(op, args) => Key::Apply(*op, args.clone()),
            Expression::Cast(from) => Key::Cast(*from, dtype),
            Expression::Select(args) => Key::Select(*args),
            Expression::Get(variable) => Key::Get(variable.index(), self.changed[variable.index()]),
            Expression::Extent(array, axis) => Key::Extent(*array, *axis),
            Expression::Position(position, axis) => Key::Position(*position, *axis),
            Expression::SubGroup(what) => Key::SubGroup(*what),
            Expression::Load(..)
            | Expression::Exchange(..)
            | Expression::Atomic(..)
            | Expression::CompareExchange(..) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use situ_ir::kernel::KernelBuilder;
    use situ_types::Scalar;

    use super::*;

    fn count(block: &Block, op: Op) -> usize {
        let of = |statement: &Statement| match statement {
            Statement::Define(_, Expression::Apply(other, _)) => usize::from(*other == op),
            Statement::If(_, then, otherwise) => count(then, op) + count(otherwise, op),
            Statement::Loop(body) => count(body, op),
            Statement::For(counted) => count(&counted.body, op),
            _ => 0,
        };
        block.iter().map(of).sum()
    }

    #[test]
    fn a_square_is_computed_once_until_its_variable_changes() {
        let mut k = KernelBuilder::new("squares", 1).unwrap();
        let x = k.array("x", DType::F32, 1).unwrap();
        let one = k.constant(Scalar::F32(1.0));
        let variable = k.variable(DType::F32);
        k.set(variable, one).unwrap();
        let square = |k: &mut KernelBuilder| {
            let (a, b) = (k.get(variable).unwrap(), k.get(variable).unwrap());
            let square = k.apply(Op::Multiply, &[a, b]).unwrap();
            let at = k.constant(Scalar::I64(0));
            k.store(x, &[at], square).unwrap();
        };
        square(&mut k);
        square(&mut k);
        k.open_loop();
        // Another one in each iteration.
        square(&mut k);
        square(&mut k);
        let value = k.get(variable).unwrap();
        let more = k.apply(Op::Add, &[value, one]).unwrap();
        k.set(variable, more).unwrap();
        square(&mut k);
        k.leave().unwrap();
        k.close().unwrap();
        square(&mut k);
        let kernel = k.finish().unwrap();
        assert_eq!(count(kernel.body(), Op::Multiply), 6);
        assert_eq!(count(&once(&kernel), Op::Multiply), 4);
    }
}
