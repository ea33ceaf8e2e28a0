//! Which registers of a loop have to go along when work-items move closer together.

use std::collections::BTreeSet;

use super::plan::{Code, Count, Exit, Packing, Register, Step};

/// Of a loop whose next iteration reads some variables.
pub(super) fn of(
    code: &Code,
    count: Option<&Count>,
    variables: &[Register],
    within: &[Register],
    exits: &[Exit],
) -> Packing {
    let mut accesses = Accesses::default();
    accesses.code(code);
    if let Some(count) = count {
        accesses.read.extend([count.bounds[2], count.trips, count.counter]);
        accesses.written.insert(count.counter);
    }
    // Values that the body defines are not there yet at the start of an iteration. Variables always are, and may be read by
    // a value that is what they were before the loop.
    let is_before = |register: &Register| variables.contains(register) || !accesses.written.contains(register);
    let mut read: BTreeSet<Register> = accesses.read.iter().copied().filter(is_before).collect();
    read.extend(within);
    if let Some(count) = count {
        read.insert(count.counter);
    }
    // Work-items outside of the loop may need what those inside of it assign to: that has to be assigned elsewhere.
    let (left, written) = (exits.iter().map(|exit| exit.left), exits.iter().filter(|exit| exit.is_read));
    accesses.assigned.extend(left);
    Packing {
        assigned: accesses.assigned.difference(&read).copied().collect(),
        read: read.into_iter().collect(),
        written: written.map(|exit| exit.left).collect(),
    }
}

#[derive(Default)]
struct Accesses {
    read: BTreeSet<Register>,
    written: BTreeSet<Register>,
    assigned: BTreeSet<Register>,
}

impl Accesses {
    fn code(&mut self, code: &Code) {
        code.iter().for_each(|step| self.step(step));
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Compute(compute) => {
                self.read.extend(&compute.args);
                self.written.insert(compute.to);
            }
            Step::Fused { args, to, .. } => {
                self.read.extend(args);
                self.written.insert(*to);
            }
            Step::Copy { from, to } => {
                self.read.insert(*from);
                self.written.insert(*to);
            }
            Step::Assign(assign) => {
                self.read.insert(assign.value);
                self.assigned.insert(assign.variable);
            }
            Step::Load { from, to, .. } => {
                self.read.extend(&from.at);
                self.written.insert(*to);
            }
            Step::Store { to, from } => {
                self.read.extend(&to.at);
                self.read.insert(*from);
            }
            Step::Change(change) => {
                self.read.extend(&change.at.at);
                self.read.insert(change.value);
                if let super::plan::ChangeKind::Compare(expected) = change.kind {
                    self.read.insert(expected);
                }
                self.written.extend(change.to);
            }
            Step::Exchange { value, place, to, .. } => {
                self.read.insert(*value);
                self.read.extend(*place);
                self.written.insert(*to);
            }
            Step::If { condition, then, otherwise, .. } => {
                self.read.insert(*condition);
                self.code(then);
                self.code(otherwise);
            }
            Step::Loop(repeat) => {
                if let Some(count) = &repeat.count {
                    self.read.extend(count.bounds);
                    self.written.extend([count.counter, count.next, count.trips, count.goes_on]);
                }
                self.code(&repeat.body);
                for exit in &repeat.exits {
                    self.read.insert(exit.variable);
                    self.assigned.extend([exit.variable, exit.left]);
                }
            }
            Step::Guard { condition, values, .. } => {
                self.read.insert(*condition);
                self.read.extend(values);
            }
            Step::Break | Step::Continue | Step::Return | Step::Barrier(_) => {}
        }
    }
}
