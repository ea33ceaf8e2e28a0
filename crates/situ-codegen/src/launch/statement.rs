//! Statements, with the IR's structure.

use situ_ir::kernel::{Block, For, Guard, Statement, Value};
use situ_types::{DType, Scalar};

use super::text::Writer;
use super::waiting::waits;
use crate::Dialect;
use crate::dialect::{suffix, type_name};

impl Writer<'_> {
    pub(super) fn block(&mut self, block: &Block) {
        block.iter().for_each(|statement| self.statement(statement));
    }

    fn inner(&mut self, block: &Block) {
        self.depth += 1;
        self.block(block);
        self.depth -= 1;
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Define(value, expression) => self.define(*value, expression),
            Statement::Set(variable, value) => {
                let value = self.value(*value);
                self.line(format!("n{} = {value};", variable.index()));
            }
            Statement::Store(array, at, value) => {
                let store = self.store(*array, at, *value);
                self.line(store);
            }
            Statement::If(condition, then, otherwise) => {
                let condition = self.value(*condition);
                self.line(format!("if ({condition}) {{"));
                self.inner(then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.inner(otherwise);
                }
                self.line("}");
            }
            Statement::Loop(body) => {
                self.line("for (;;) {");
                self.end_of_the_dead(body);
                self.inner(body);
                self.line("}");
            }
            Statement::For(each) => self.for_each(each),
            Statement::Break => self.line("break;"),
            Statement::Continue => self.line("continue;"),
            Statement::Return => self.line(self.leave()),
            Statement::Barrier(None) => self.line("GLOBAL_BARRIER();"),
            // OpenCL has no way to tell who waits.
            Statement::Barrier(Some(_)) if self.dialect == Dialect::OpenCl => self.line("GLOBAL_BARRIER();"),
            Statement::Barrier(Some(report)) => {
                let digits = usize::BITS - self.kernel.reports().len().leading_zeros();
                self.unless(&format!("all_arrive({report}u, {digits}u, threads)"), *report, &[]);
            }
            Statement::Fence => self.line("FENCE();"),
            Statement::Guard(Guard { condition, report, values }) => {
                let condition = self.value(*condition);
                self.unless(&condition, *report, values);
            }
        }
    }

    /// Leaves a loop in which nobody waits for a work-item that has failed.
    fn end_of_the_dead(&mut self, body: &Block) {
        if self.lives_on && !waits(body) {
            self.line("    if (!alive) break;");
        }
    }

    /// Reports and ends the work-item unless a condition holds. Where others wait for it, it only does no more harm.
    fn unless(&mut self, condition: &str, report: usize, values: &[Value]) {
        let told: Vec<String> = (0..2).map(|n| values.get(n).map_or("0".into(), |&value| self.value(value))).collect();
        let alive = if self.lives_on { "alive && " } else { "" };
        self.line(format!("if ({alive}!{condition}) {{"));
        self.depth += 1;
        self.line(format!("report_fault(report, {report}, item, {});", told.join(", ")));
        self.line(if self.lives_on { "alive = 0;" } else { self.leave() });
        self.depth -= 1;
        self.line("}");
    }

    /// A loop over integers. What a step comes to beyond the stop might be too large for the counter.
    fn for_each(&mut self, each: &For) {
        let dtype = self.kernel.dtype(each.counter);
        let is_narrow = self.ranges.is_narrow(each.counter);
        let dtype = if is_narrow { DType::I32 } else { dtype };
        let (of, name) = (type_name(dtype), suffix(dtype));
        let [start, stop, step] = [each.start, each.stop, each.step].map(|value| self.value(value));
        let counter = format!("v{}", each.counter.index());
        let constant = self.integer(each.step);
        let is_up = constant.map_or(self.ranges.value(each.step).low > 0, |number| number > 0);
        let is_down = constant.map_or(self.ranges.value(each.step).high < 0, |number| number < 0);
        let advance = match constant {
            Some(1) => Some(format!("{counter}++")),
            Some(-1) => Some(format!("{counter}--")),
            _ if !is_up && !is_down => None,
            _ if self.ranges.passes_stop(each) => Some(format!("{counter} += {step}")),
            _ if is_narrow => None,
            _ => Some(format!("{counter} = advance_{name}({counter}, {step}, {stop})")),
        };
        match advance {
            Some(advance) => {
                let compared = if is_up { "<" } else { ">" };
                self.line(format!("for ({of} {counter} = {start}; {counter} {compared} {stop}; {advance}) {{"));
            }
            None => {
                let whole = suffix(self.kernel.dtype(each.counter));
                let left = format!("left_{}", each.counter.index());
                self.line(format!("u64 {left} = range_count_{whole}({start}, {stop}, {step});"));
                let advance = format!("{left}--, {counter} = ({of})add_{whole}({counter}, {step})");
                self.line(format!("for ({of} {counter} = ({of}){start}; {left} != 0; {advance}) {{"));
            }
        }
        self.end_of_the_dead(&each.body);
        self.inner(&each.body);
        self.line("}");
    }

    /// The integer that a value is known to be.
    fn integer(&self, value: Value) -> Option<i128> {
        Some(match self.constants[value.index()]? {
            Scalar::I8(number) => number.into(),
            Scalar::I16(number) => number.into(),
            Scalar::I32(number) => number.into(),
            Scalar::I64(number) => number.into(),
            Scalar::U8(number) => number.into(),
            Scalar::U16(number) => number.into(),
            Scalar::U32(number) => number.into(),
            Scalar::U64(number) => number.into(),
            _ => return None,
        })
    }
}
