//! Where the work-items of a group wait for each other: at barriers, and where a device has no sub-groups of its own,
//! where values are exchanged.

use situ_hal::Result;
use situ_ir::kernel::{Block, Expression, For, Kernel, Position, Statement, SubGroup, Value};

use super::geometry::Geometry;
use super::unsupported;
use crate::DeviceLimits;

/// Work-items of a sub-group.
const SUB_GROUP: usize = situ_ir::kernel::SUB_GROUP;

/// Whether any statement of a block, or of one within it, is one of some.
fn any(block: &Block, which: &dyn Fn(&Statement) -> bool) -> bool {
    block.iter().any(|statement| {
        which(statement)
            || match statement {
                Statement::If(_, then, otherwise) => any(then, which) || any(otherwise, which),
                Statement::Loop(body) | Statement::For(For { body, .. }) => any(body, which),
                _ => false,
            }
    })
}

/// Whether work-items exchange values.
pub(super) fn exchanges(block: &Block) -> bool {
    any(block, &|statement| matches!(statement, Statement::Define(_, Expression::Exchange(..))))
}

/// Whether work-items wait for each other.
pub(super) fn waits(block: &Block) -> bool {
    any(block, &|statement| matches!(statement, Statement::Barrier(_))) || exchanges(block)
}

/// An error for a kernel that exchanges values where not all sub-groups of a group may come, on a device on which a
/// sub-group waits for the others.
pub(super) fn refuse_scattered_exchanges(kernel: &Kernel, geometry: &Geometry, limits: &DeviceLimits) -> Result<()> {
    let threads: usize = geometry.local.iter().product();
    if limits.sub_groups || threads <= SUB_GROUP || !exchanges(kernel.body()) || Flow::of(kernel).is_together {
        return Ok(());
    }
    let detail = format!(
        "it exchanges values in sub-groups under a condition that may differ within a group, and the device has no \
         sub-groups of {SUB_GROUP}; exchange them outside of the condition, or launch over groups of {SUB_GROUP}"
    );
    Err(unsupported(kernel, detail))
}

/// What all work-items of a group agree on.
#[derive(Debug)]
struct Flow<'k> {
    kernel: &'k Kernel,
    /// By number of a value.
    values: Vec<bool>,
    /// By number of a variable.
    variables: Vec<bool>,
    /// Whether something was found to differ since the last look.
    has_changed: bool,
    /// Whether all come to every exchange.
    is_together: bool,
}

/// What may keep some from what follows.
#[derive(Clone, Copy, Debug, Default)]
struct Left {
    the_loop: bool,
    the_kernel: bool,
}

impl<'k> Flow<'k> {
    fn of(kernel: &'k Kernel) -> Flow<'k> {
        let (values, variables) = (vec![true; kernel.values().len()], vec![true; kernel.variables().len()]);
        let mut flow = Flow { kernel, values, variables, has_changed: true, is_together: true };
        while flow.has_changed {
            flow.has_changed = false;
            flow.block(kernel.body(), true);
        }
        flow
    }

    fn agree(&self, values: &[Value]) -> bool {
        values.iter().all(|value| self.values[value.index()])
    }

    fn expression(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Constant(_) | Expression::Extent(..) => true,
            Expression::Position(position, _) => !matches!(position, Position::GlobalId | Position::LocalId),
            Expression::SubGroup(what) => *what == SubGroup::GroupCount,
            Expression::Apply(_, args) => self.agree(args),
            Expression::Cast(value) => self.agree(&[*value]),
            Expression::Select(args) => self.agree(args),
            Expression::Get(variable) => self.variables[variable.index()],
            Expression::Load(array, at) => !self.kernel.array(*array).is_written && self.agree(at),
            Expression::Exchange(..) | Expression::Atomic(..) | Expression::CompareExchange(..) => false,
        }
    }

    fn differ(of: &mut [bool], number: usize, has_changed: &mut bool) {
        *has_changed |= std::mem::replace(&mut of[number], false);
    }

    /// Goes through a block that all come to, or some.
    fn block(&mut self, block: &Block, mut all: bool) -> Left {
        let mut left = Left::default();
        for statement in block {
            let found = match statement {
                Statement::Define(value, expression) => {
                    if !(all && self.expression(expression)) {
                        Flow::differ(&mut self.values, value.index(), &mut self.has_changed);
                    }
                    self.is_together &= all || !matches!(expression, Expression::Exchange(..));
                    Left::default()
                }
                Statement::Set(variable, value) => {
                    if !(all && self.agree(&[*value])) {
                        Flow::differ(&mut self.variables, variable.index(), &mut self.has_changed);
                    }
                    Left::default()
                }
                Statement::If(condition, then, otherwise) => {
                    let inner = all && self.agree(&[*condition]);
                    let (a, b) = (self.block(then, inner), self.block(otherwise, inner));
                    Left { the_loop: a.the_loop || b.the_loop, the_kernel: a.the_kernel || b.the_kernel }
                }
                Statement::Loop(body) => self.repeated(body, all),
                Statement::For(each) => {
                    let inner = all && self.agree(&[each.start, each.stop, each.step]);
                    if !inner {
                        Flow::differ(&mut self.values, each.counter.index(), &mut self.has_changed);
                    }
                    self.repeated(&each.body, inner)
                }
                Statement::Break | Statement::Continue => Left { the_loop: !all, the_kernel: false },
                Statement::Return => Left { the_loop: !all, the_kernel: !all },
                _ => Left::default(),
            };
            left = Left { the_loop: left.the_loop || found.the_loop, the_kernel: left.the_kernel || found.the_kernel };
            all &= !(found.the_loop || found.the_kernel);
        }
        left
    }

    /// A loop's body: who leaves early misses the next round.
    fn repeated(&mut self, body: &Block, all: bool) -> Left {
        let mut left = self.block(body, all);
        if left.the_loop {
            left = self.block(body, false);
        }
        Left { the_loop: false, the_kernel: left.the_kernel }
    }
}
