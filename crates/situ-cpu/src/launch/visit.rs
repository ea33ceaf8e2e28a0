//! The operands of statements, and what they assign to.

use situ_ir::kernel::{Block, Expression, Statement, Value};

use super::liveness::Variables;

/// Calls `visit` with every value that an expression reads.
pub(super) fn operands_of(expression: &Expression, visit: &mut dyn FnMut(Value)) {
    match expression {
        Expression::Constant(_)
        | Expression::Get(_)
        | Expression::Extent(..)
        | Expression::Position(..)
        | Expression::SubGroup(_) => {}
        Expression::Apply(_, args) => args.iter().copied().for_each(visit),
        Expression::Cast(value) => visit(*value),
        Expression::Select(args) => args.iter().copied().for_each(visit),
        Expression::Load(_, at) => at.iter().copied().for_each(visit),
        Expression::Exchange(_, value, place) => {
            visit(*value);
            place.iter().copied().for_each(visit);
        }
        Expression::Atomic(_, _, at, value) => {
            at.iter().copied().for_each(&mut *visit);
            visit(*value);
        }
        Expression::CompareExchange(_, at, values) => at.iter().chain(values).copied().for_each(visit),
    }
}

/// Calls `visit` with every value that a statement reads itself, not in a block of its own.
pub(super) fn operands(statement: &Statement, visit: &mut dyn FnMut(Value)) {
    match statement {
        Statement::Define(_, expression) => operands_of(expression, visit),
        Statement::Set(_, value) | Statement::If(value, ..) => visit(*value),
        Statement::Store(_, at, value) => {
            at.iter().copied().for_each(&mut *visit);
            visit(*value);
        }
        Statement::For(counted) => [counted.start, counted.stop, counted.step].into_iter().for_each(visit),
        Statement::Guard(guard) => {
            visit(guard.condition);
            guard.values.iter().copied().for_each(visit);
        }
        Statement::Loop(_)
        | Statement::Break
        | Statement::Continue
        | Statement::Return
        | Statement::Barrier(_)
        | Statement::Fence => {}
    }
}

/// Calls `visit` with every value that a statement reads itself, not in a block of its own, to be replaced by another.
pub(super) fn operands_mut(statement: &mut Statement, visit: &mut dyn FnMut(&mut Value)) {
    match statement {
        Statement::Define(_, expression) => match expression {
            Expression::Constant(_)
            | Expression::Get(_)
            | Expression::Extent(..)
            | Expression::Position(..)
            | Expression::SubGroup(_) => {}
            Expression::Apply(_, args) => args.iter_mut().for_each(visit),
            Expression::Cast(value) => visit(value),
            Expression::Select(args) => args.iter_mut().for_each(visit),
            Expression::Load(_, at) => at.iter_mut().for_each(visit),
            Expression::Exchange(_, value, place) => {
                visit(value);
                place.iter_mut().for_each(visit);
            }
            Expression::Atomic(_, _, at, value) => {
                at.iter_mut().for_each(&mut *visit);
                visit(value);
            }
            Expression::CompareExchange(_, at, values) => at.iter_mut().chain(values).for_each(visit),
        },
        Statement::Set(_, value) | Statement::If(value, ..) => visit(value),
        Statement::Store(_, at, value) => {
            at.iter_mut().for_each(&mut *visit);
            visit(value);
        }
        Statement::For(counted) => {
            [&mut counted.start, &mut counted.stop, &mut counted.step].into_iter().for_each(visit);
        }
        Statement::Guard(guard) => {
            visit(&mut guard.condition);
            guard.values.iter_mut().for_each(visit);
        }
        Statement::Loop(_)
        | Statement::Break
        | Statement::Continue
        | Statement::Return
        | Statement::Barrier(_)
        | Statement::Fence => {}
    }
}

/// The variables that a block and those within it assign to.
pub(super) fn assignments(block: &Block) -> Variables {
    let mut found = Variables::new();
    for statement in block {
        match statement {
            Statement::Set(variable, _) => {
                found.insert(variable.index());
            }
            Statement::If(_, then, otherwise) => {
                found.extend(assignments(then));
                found.extend(assignments(otherwise));
            }
            Statement::Loop(body) => found.extend(assignments(body)),
            Statement::For(counted) => found.extend(assignments(&counted.body)),
            _ => {}
        }
    }
    found
}
