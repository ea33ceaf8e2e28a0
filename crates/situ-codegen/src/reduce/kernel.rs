//! The kernel of a reduction: its key, its parameters, its text.

use situ_ir::tree::{Direction, LANES};

use super::combiner::Reducer;
use super::operands::Operands;
use super::{across, along, along_lanes};
use crate::Dialect;
use crate::signature::{Parameter, Parameters, Role, Signature};

/// What the text of a reduction depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReduceKernel {
    pub(super) reducer: Reducer,
    pub(super) direction: Direction,
    /// Whether a sequence is spread over several blocks.
    pub(super) spread: bool,
    pub(super) operands: Operands,
}

impl ReduceKernel {
    /// Statements that finish a result and write it, whose number and combined value are given as expressions.
    pub(super) fn store(&self, result: &str, whole: &str, indent: usize) -> String {
        let margin = " ".repeat(indent);
        let numbers: String = (0..self.reducer.numbers()).map(|n| format!(", {}", Role::Number(n).name())).collect();
        let store = self.operands.store(self.reducer.result_type(), &format!("finished({whole}{numbers})"));
        format!("{}{margin}{store}\n", self.operands.kept_coordinates(&format!("({result})"), indent))
    }

    /// How many reads a thread has under way at a time, a power of two: enough to keep the memory busy, and no more than
    /// there are registers for.
    pub(super) fn in_flight(&self) -> usize {
        // Measured on an H200: with twice as many the maximum of float64 along columns took 303 µs instead of 137.
        let is_wide = self.direction == Direction::Across && self.operands.widest >= 8;
        let bytes = if self.reducer.is_plain() && !is_wide { 128 } else { 64 };
        (bytes / (self.operands.width * self.operands.widest) as usize).clamp(4, 16)
    }

    /// Local memory that the levels above can have, and room for how many parts it is.
    pub(super) fn local_parts(&self) -> (&'static str, usize) {
        match self.direction {
            Direction::Along => ("lanes", along::warps(self.reducer.part_size(self.operands.wide)) * LANES),
            Direction::Across => ("sums", across::THREADS as usize * self.operands.columns_at_once()),
        }
    }

    /// How many blocks leave something for the last of them.
    pub(super) fn blocks_of_strip(&self) -> &'static str {
        match self.direction {
            Direction::Along => "groups",
            Direction::Across => "blocks",
        }
    }
}

impl Signature for ReduceKernel {
    fn name(&self) -> String {
        let direction = match self.direction {
            Direction::Along => "along",
            Direction::Across => "across",
        };
        format!("situ_reduce_{}_{direction}", self.reducer.name())
    }

    fn about(&self) -> String {
        self.reducer.about()
    }

    fn parameters(&self) -> Parameters {
        let mut all = Parameters::new();
        self.operands.push_addresses(self.reducer.map(), &mut all);
        all.extend((0..self.reducer.numbers()).map(|n| Parameter::Immediate(Role::Number(n))));
        all.push(Parameter::Address(Role::Out));
        if self.spread {
            all.extend([Role::Totals, Role::Arrivals].map(Parameter::Address));
            all.extend([Parameter::Groups, Parameter::Room]);
        }
        match self.direction {
            Direction::Along if self.spread => all.push(Parameter::Chunks),
            Direction::Along => all.extend([Parameter::Each, Parameter::Chunks]),
            Direction::Across if self.spread => {
                all.extend([Parameter::ColumnDigits, Parameter::Strips, Parameter::Blocks]);
            }
            Direction::Across => all.extend([Parameter::ColumnDigits, Parameter::Strips]),
        }
        self.operands.push_steps(self.reducer.map(), self.operands.kept, &mut all);
        all
    }

    fn pointee(&self, role: Role) -> String {
        match role {
            Role::Input(n) => self.operands.pointee(self.reducer.map(), n),
            Role::Number(n) => self.reducer.number(n).into(),
            Role::Totals => "part".into(),
            Role::Arrivals => "u32".into(),
            _ => self.reducer.result_type().into(),
        }
    }

    fn before(&self, dialect: Dialect) -> String {
        self.reducer.functions(dialect, self.operands.wide) + &self.operands.types(self.reducer.map())
    }

    fn body(&self, dialect: Dialect) -> String {
        match self.direction {
            Direction::Along if dialect == Dialect::Processor => along_lanes::body(self),
            Direction::Along => along::body(self),
            Direction::Across => across::body(self),
        }
    }

    fn is_wide(&self) -> bool {
        self.operands.wide
    }

    /// Two blocks at a time, so that one reads while the other combines what it has.
    fn bound(&self, _dialect: Dialect) -> String {
        format!("RESIDENT({}, {})", self.threads(), 2 * across::THREADS / self.threads())
    }

    fn threads(&self) -> u32 {
        match self.direction {
            Direction::Along => (along::WARP * along::warps(self.reducer.part_size(self.operands.wide))) as u32,
            Direction::Across => across::THREADS,
        }
    }
}
