//! Makes plans of kernels: statements become steps, values get registers, masks get buffers.
//!
//! A register is used again when its value is not needed any more, so that those of a block stay in the first-level cache. A
//! variable keeps its register; reading it costs nothing where it is not assigned to before the value's last use. What does
//! not depend on what the kernel does (numbers, shapes, ids) is taken out of all loops.

use std::collections::HashMap;

use situ_ir::kernel::{Array, Block, Expression, For, Kernel, Parameter, Space, Statement, Value};
use situ_ir::{Op, StepKind};
use situ_types::DType;
use smallvec::SmallVec;

use super::cost;
use super::fused::Fused;
use super::linear::LinearRule;
use super::liveness::{Liveness, Variables};
use super::mixed;
use super::packing;
use super::plan::{
    Assign, Change, ChangeKind, Code, Compute, Count, Element, Exit, Given, Plan, Register, Registers, Repeat, Step,
};
use super::same;
use super::sums;
use super::uses::{Product, Uses};
use super::visit::assignments;
use crate::elementwise::{Loop, loop_by_one, loop_of};
use crate::isa::Isa;

/// A kernel as steps for an instruction set.
pub(super) fn lower(kernel: &Kernel, isa: Isa) -> Plan {
    let body = same::once(kernel);
    let uses = Uses::of(kernel, &body, kernel.may_contract() && Fused::exist(isa));
    let liveness = Liveness::of(&body);
    let mut lowering = Lowering {
        kernel,
        isa,
        uses,
        liveness,
        widths: vec![],
        given: HashMap::new(),
        places: vec![None; kernel.values().len()],
        variables: vec![],
        free: Default::default(),
        position: 0,
        depth: 0,
        exits: vec![],
        masks: 0,
        packs: false,
    };
    lowering.variables = kernel.variables().iter().map(|dtype| lowering.fresh(dtype.size())).collect();
    for (n, parameter) in kernel.parameters().iter().enumerate() {
        if let Parameter::Scalar(value, _) = parameter {
            let register = lowering.given(Given::Parameter(n), kernel.dtype(*value).size());
            lowering.places[value.index()] = Some(register);
        }
    }
    let body = lowering.block(&body, &Variables::new());
    let zeroed = lowering.liveness.at_start.iter().map(|&variable| lowering.variables[variable]).collect();
    let given: Vec<(Register, Given)> = lowering.given.into_iter().map(|((given, _), at)| (at, given)).collect();
    let is_written = |register: &Register| !given.iter().any(|(given, _)| given == register);
    let lane_bytes = (0..lowering.widths.len()).filter(is_written).map(|r| lowering.widths[r]).sum();
    let picoseconds = cost::of_code(&body, &lowering.widths, &given);
    let is_open = cost::is_open(&body, &given);
    Plan {
        widths: lowering.widths,
        given,
        zeroed,
        masks: lowering.masks,
        packs: lowering.packs,
        lane_bytes,
        dtypes: kernel.arrays().iter().map(|info| info.dtype).collect(),
        sums: sums::of_code(&body, kernel.arrays().len()),
        is_open,
        picoseconds,
        body,
    }
}

struct Lowering<'a> {
    kernel: &'a Kernel,
    isa: Isa,
    uses: Uses,
    liveness: Liveness,
    widths: Vec<usize>,
    /// By what is given and how wide it is.
    given: HashMap<(Given, usize), Register>,
    /// Where each value is.
    places: Vec<Option<Register>>,
    variables: Vec<Register>,
    /// Registers that hold nothing any more, by the logarithm of their width.
    free: [Vec<Register>; 5],
    position: usize,
    /// Masks in use around the statement.
    depth: usize,
    /// Of the loops around the statement.
    exits: Vec<Vec<Exit>>,
    masks: usize,
    packs: bool,
}

impl Lowering<'_> {
    fn fresh(&mut self, width: usize) -> Register {
        self.widths.push(width);
        self.widths.len() - 1
    }

    fn allocate(&mut self, width: usize) -> Register {
        let free = self.free[width.ilog2() as usize].pop();
        free.unwrap_or_else(|| self.fresh(width))
    }

    fn release(&mut self, register: Register) {
        self.free[self.widths[register].ilog2() as usize].push(register);
    }

    fn given(&mut self, given: Given, width: usize) -> Register {
        if let Some(register) = self.given.get(&(given, width)) {
            return *register;
        }
        let register = self.fresh(width);
        self.given.insert((given, width), register);
        register
    }

    fn mask(&mut self) -> usize {
        self.depth += 1;
        self.masks = self.masks.max(self.depth);
        self.depth - 1
    }

    /// The register of a value that has been defined.
    fn of(&self, value: Value) -> Register {
        debug_assert!(self.places[value.index()].is_some(), "value %{} has no register", value.index());
        self.places[value.index()].unwrap_or_default()
    }

    fn all(&self, values: &[Value]) -> Registers {
        values.iter().map(|&value| self.of(value)).collect()
    }

    fn element(&self, array: Array, at: &[Value]) -> Element {
        Element { array, at: self.all(at) }
    }

    /// A register for a value that is being defined.
    fn define(&mut self, value: Value) -> Register {
        let register = self.allocate(self.kernel.dtype(value).size());
        self.places[value.index()] = Some(register);
        register
    }

    /// Whether a value is in a register of its own.
    fn owns(&self, value: Value) -> bool {
        let register = self.of(value);
        !self.variables.contains(&register) && !self.given.values().any(|&given| given == register)
    }

    fn end_values(&mut self) {
        for value in self.uses.ending[self.position].clone() {
            if self.places[value.index()].is_some() && self.owns(value) {
                self.release(self.of(value));
            }
        }
    }

    /// Steps of a block, where work-items that are elsewhere will read some variables.
    fn block(&mut self, block: &Block, elsewhere: &Variables) -> Code {
        let mut code = Code::new();
        for statement in block {
            self.position += 1;
            if let (Statement::Break, Some(exits)) = (statement, self.exits.last()) {
                code.extend(exits.iter().filter_map(|exit| exit.taken()).map(Step::Assign));
            }
            if let Some(step) = self.statement(statement, elsewhere) {
                code.push(step);
            }
            // The others have done so before their blocks.
            if !matches!(statement, Statement::If(..) | Statement::Loop(_) | Statement::For(_)) {
                self.end_values();
            }
        }
        code
    }

    fn statement(&mut self, statement: &Statement, elsewhere: &Variables) -> Option<Step> {
        Some(match statement {
            Statement::Define(value, expression) => return self.expression(*value, expression),
            Statement::Set(variable, value) => {
                let is_over = self.uses.last[value.index()] == self.position;
                Step::Assign(Assign {
                    variable: self.variables[variable.index()],
                    value: self.of(*value),
                    moves: is_over && self.owns(*value),
                    blends: elsewhere.contains(&variable.index()),
                })
            }
            Statement::Store(array, at, value) => Step::Store { to: self.element(*array, at), from: self.of(*value) },
            Statement::If(condition, then, otherwise) => {
                let live = self.liveness.at(statement);
                let condition = self.of(*condition);
                self.end_values();
                let masks = [self.mask(), self.mask()];
                let then = self.block(then, &(elsewhere | &live.within));
                let otherwise = self.block(otherwise, &(elsewhere | &live.after));
                self.depth -= 2;
                Step::If { condition, then, otherwise, masks }
            }
            Statement::Loop(body) => self.repeat(statement, body, None, elsewhere),
            Statement::For(counted) => self.repeat(statement, &counted.body, Some(counted), elsewhere),
            Statement::Break => Step::Break,
            Statement::Continue => Step::Continue,
            Statement::Return => Step::Return,
            Statement::Barrier(Some(report)) => Step::Barrier(*report),
            Statement::Barrier(None) | Statement::Fence => return None,
            Statement::Guard(guard) => {
                let mask = self.mask();
                self.depth -= 1;
                Step::Guard {
                    condition: self.of(guard.condition),
                    report: guard.report,
                    values: guard.values.iter().map(|&value| self.of(value)).collect(),
                    mask,
                }
            }
        })
    }

    fn repeat(&mut self, statement: &Statement, body: &Block, counted: Option<&For>, elsewhere: &Variables) -> Step {
        let live = self.liveness.at(statement);
        let count = counted.map(|counted| {
            let dtype = self.kernel.dtype(counted.counter);
            let bounds = [counted.start, counted.stop, counted.step].map(|bound| self.of(bound));
            Count {
                dtype,
                counter: self.define(counted.counter),
                bounds,
                next: self.allocate(dtype.size()),
                trips: self.allocate(DType::U64.size()),
                goes_on: self.allocate(DType::Bool.size()),
                add: self.loop_of(Op::Add, dtype),
            }
        });
        self.end_values();
        let facts = Jumps::of(body);
        let depth = self.depth;
        let mask = self.mask();
        let continued = facts.continues.then(|| self.mask());
        let exits = self.exits(body, &live.after, elsewhere);
        self.exits.push(exits);
        // Who has left has taken along what is needed; who waits for the next iteration has not.
        let inside = if facts.continues { live.within.clone() } else { Variables::new() };
        let code = self.block(body, &inside);
        let exits = self.exits.pop().unwrap_or_default();
        self.depth = depth;
        self.position += 1;
        self.end_values();
        if let Some(count) = &count {
            [count.next, count.trips, count.goes_on].into_iter().for_each(|register| self.release(register));
        }
        exits.iter().for_each(|exit| self.release(exit.left));
        self.packs |= facts.breaks && !facts.ends;
        let has_private = self.kernel.arrays().iter().any(|info| info.space == Space::Private);
        let registers = |variables: &Variables| variables.iter().map(|&v| self.variables[v]).collect::<Vec<_>>();
        let packing = (!facts.ends && !has_private)
            .then(|| packing::of(&code, count.as_ref(), &self.variables, &registers(&live.within), &exits));
        Step::Loop(Repeat { body: code, count, mask, continued, has_ends: facts.ends, packing, exits })
    }

    /// Variables that a loop assigns to and that are read after it, or by those who do not come to it.
    fn exits(&mut self, body: &Block, after: &Variables, elsewhere: &Variables) -> Vec<Exit> {
        let needed =
            assignments(body).into_iter().filter(|variable| after.contains(variable) || elsewhere.contains(variable));
        needed
            .map(|n| {
                let variable = self.variables[n];
                let left = self.allocate(self.widths[variable]);
                Exit { variable, left, is_read: after.contains(&n), is_kept: elsewhere.contains(&n) }
            })
            .collect()
    }

    fn loop_of(&self, op: Op, dtype: DType) -> Loop {
        let result = op.result(dtype).unwrap_or(dtype);
        loop_of(self.isa, StepKind::Apply(op), dtype, result)
    }

    fn compute(&mut self, kind: StepKind, args: &[Value], to: Value) -> Step {
        let last = args.last().map_or(DType::Bool, |&arg| self.kernel.dtype(arg));
        let linear = match kind {
            StepKind::Apply(op) => LinearRule::of(op, last),
            _ => None,
        };
        let decisive = match kind {
            StepKind::Apply(Op::LogicalAnd) if last == DType::Bool => Some(false),
            StepKind::Apply(Op::LogicalOr) if last == DType::Bool => Some(true),
            _ => None,
        };
        Step::Compute(Compute {
            body: loop_of(self.isa, kind, last, self.kernel.dtype(to)),
            by_one: loop_by_one(self.isa, kind, last),
            mixed: mixed::loops(self.isa, kind, last),
            args: self.all(args),
            to: self.define(to),
            linear,
            decisive,
        })
    }

    fn is_unused(&self, value: Value) -> bool {
        self.uses.last[value.index()] == self.uses.defined[value.index()]
    }

    fn expression(&mut self, value: Value, expression: &Expression) -> Option<Step> {
        let dtype = self.kernel.dtype(value);
        let fixed = match expression {
            Expression::Constant(number) => Some(Given::Constant(number.to_bytes())),
            Expression::Extent(array, axis) => Some(Given::Extent(*array, *axis)),
            Expression::Position(position, axis) => Some(Given::Position(*position, *axis)),
            Expression::SubGroup(what) => Some(Given::SubGroup(*what)),
            _ => None,
        };
        if let Some(given) = fixed {
            self.places[value.index()] = Some(self.given(given, dtype.size()));
            return None;
        }
        if self.is_unused(value) && !expression.has_effect() || self.uses.products[value.index()].is_some() {
            return None;
        }
        Some(match expression {
            Expression::Apply(op, args) => {
                if let Some(step) = self.fused(value, *op, args) {
                    return Some(step);
                }
                self.compute(StepKind::Apply(*op), args, value)
            }
            Expression::Cast(from) => {
                let from_dtype = self.kernel.dtype(*from);
                Step::Compute(Compute {
                    body: loop_of(self.isa, StepKind::Cast, from_dtype, dtype),
                    by_one: None,
                    mixed: None,
                    args: self.all(&[*from]),
                    to: self.define(value),
                    linear: None,
                    decisive: None,
                })
            }
            Expression::Select(args) => self.compute(StepKind::Select, args, value),
            Expression::Get(variable) => {
                let (from, last) = (self.variables[variable.index()], self.uses.last[value.index()]);
                if !self.uses.is_assigned(variable.index(), self.position, last) {
                    self.places[value.index()] = Some(from);
                    return None;
                }
                Step::Copy { from, to: self.define(value) }
            }
            Expression::Load(array, at) => {
                let is_changed = self.uses.is_changed(self.position, self.uses.last[value.index()]);
                let may_borrow = !is_changed && !self.uses.is_moved[value.index()];
                let from = self.element(*array, at);
                Step::Load { from, to: self.define(value), may_borrow }
            }
            Expression::Exchange(exchange, of, place) => {
                let body = match exchange {
                    situ_ir::kernel::Exchange::Reduce(op) => Some(self.loop_of(*op, dtype)),
                    _ => None,
                };
                let (of, place) = (self.of(*of), place.map(|place| self.of(place)));
                Step::Exchange { exchange: *exchange, body, value: of, place, to: self.define(value) }
            }
            Expression::Atomic(atomic, array, at, by) => {
                let body = atomic.op().map(|op| self.loop_of(op, dtype));
                self.change(value, *array, at, ChangeKind::Atomic(*atomic, body), *by)
            }
            Expression::CompareExchange(array, at, [expected, new]) => {
                self.change(value, *array, at, ChangeKind::Compare(self.of(*expected)), *new)
            }
            Expression::Constant(_) | Expression::Extent(..) | Expression::Position(..) | Expression::SubGroup(_) => {
                return None;
            }
        })
    }

    fn change(&mut self, value: Value, array: Array, at: &[Value], kind: ChangeKind, by: Value) -> Step {
        let (at, by) = (self.element(array, at), self.of(by));
        let to = if self.is_unused(value) { None } else { Some(self.define(value)) };
        Step::Change(Change { at, dtype: self.kernel.dtype(value), kind, value: by, to })
    }

    /// A sum that takes a product in.
    fn fused(&mut self, value: Value, op: Op, args: &SmallVec<[Value; 3]>) -> Option<Step> {
        let &[a, b] = &args[..] else { return None };
        let product = |value: Value| self.uses.products[value.index()];
        let (Product { factors }, other, fused) = match (op, product(a), product(b)) {
            (Op::Add, Some(product), _) => (product, b, Fused::Plus),
            (Op::Add, None, Some(product)) => (product, a, Fused::Plus),
            (Op::Subtract, Some(product), _) => (product, b, Fused::Minus),
            (Op::Subtract, None, Some(product)) => (product, a, Fused::From),
            _ => return None,
        };
        let args = self.all(&[factors[0], factors[1], other]);
        let to = self.define(value);
        Some(Step::Fused { loops: fused.loops(self.isa, self.kernel.dtype(value)), args, to })
    }
}

/// Where a loop's work-items go.
#[derive(Debug, Default)]
struct Jumps {
    /// On with this loop.
    continues: bool,
    /// Out of it.
    breaks: bool,
    /// Out of the kernel, or to the others of their group.
    ends: bool,
}

impl Jumps {
    fn of(body: &Block) -> Jumps {
        let mut jumps = Jumps::default();
        jumps.visit(body, false);
        jumps
    }

    fn visit(&mut self, block: &Block, is_nested: bool) {
        for statement in block {
            match statement {
                Statement::Continue => self.continues |= !is_nested,
                Statement::Break => self.breaks |= !is_nested,
                Statement::Return | Statement::Guard(_) | Statement::Barrier(_) => self.ends = true,
                Statement::Define(_, Expression::Exchange(..)) => self.ends = true,
                Statement::If(_, then, otherwise) => {
                    self.visit(then, is_nested);
                    self.visit(otherwise, is_nested);
                }
                Statement::Loop(body) => self.visit(body, true),
                Statement::For(counted) => self.visit(&counted.body, true),
                _ => {}
            }
        }
    }
}
