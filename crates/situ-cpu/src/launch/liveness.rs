//! Which variables work-items will still read.
//!
//! An assignment under a mask has to keep the others' values only if they will look at them. Where they are is known: in the
//! other block of an `if`, behind a loop they have left, or before its next iteration.

use std::collections::{BTreeSet, HashMap};

use situ_ir::kernel::{Block, Expression, Statement};

/// Variables, by number.
pub(super) type Variables = BTreeSet<usize>;

/// What is read from two places on.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    /// Of an `if`: from the start of the second block on. Of a loop: from the next iteration on.
    pub(super) within: Variables,
    /// After the statement.
    pub(super) after: Variables,
}

/// For every `if` and loop of a kernel.
#[derive(Debug, Default)]
pub(super) struct Liveness {
    by_statement: HashMap<*const Statement, Live>,
    /// What is read without having been assigned to.
    pub(super) at_start: Variables,
}

/// Where jumps go.
#[derive(Clone, Copy)]
struct Targets<'a> {
    broken: &'a Variables,
    continued: &'a Variables,
}

impl Liveness {
    pub(super) fn of(body: &Block) -> Liveness {
        let mut liveness = Liveness::default();
        let nothing = Variables::new();
        liveness.at_start = liveness.block(body, Variables::new(), Targets { broken: &nothing, continued: &nothing });
        liveness
    }

    /// Of a statement of the kernel that is an `if` or a loop.
    pub(super) fn at(&self, statement: &Statement) -> Live {
        self.by_statement.get(&std::ptr::from_ref(statement)).cloned().unwrap_or_default()
    }

    /// What is read from the start of a block on.
    fn block(&mut self, block: &Block, mut live: Variables, targets: Targets<'_>) -> Variables {
        for statement in block.iter().rev() {
            live = self.statement(statement, live, targets);
        }
        live
    }

    fn statement(&mut self, statement: &Statement, mut live: Variables, targets: Targets<'_>) -> Variables {
        match statement {
            Statement::Define(_, Expression::Get(variable)) => {
                live.insert(variable.index());
            }
            Statement::Set(variable, _) => {
                live.remove(&variable.index());
            }
            Statement::If(_, then, otherwise) => {
                let within = self.block(otherwise, live.clone(), targets);
                let yes = self.block(then, live.clone(), targets);
                let before = &yes | &within;
                self.by_statement.insert(statement, Live { within, after: live });
                return before;
            }
            Statement::Loop(body) => return self.repeat(statement, body, live, false),
            Statement::For(counted) => return self.repeat(statement, &counted.body, live, true),
            Statement::Break => return targets.broken.clone(),
            Statement::Continue => return targets.continued.clone(),
            Statement::Return => return Variables::new(),
            _ => {}
        }
        live
    }

    fn repeat(&mut self, statement: &Statement, body: &Block, after: Variables, may_end: bool) -> Variables {
        let mut within = if may_end { after.clone() } else { Variables::new() };
        loop {
            let targets = Targets { broken: &after, continued: &within };
            let mut next = self.block(body, within.clone(), targets);
            if may_end {
                next.extend(&after);
            }
            if next == within {
                self.by_statement.insert(statement, Live { within: next.clone(), after });
                return next;
            }
            within = next;
        }
    }
}
