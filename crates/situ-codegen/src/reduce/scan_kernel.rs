//! The kernels of a scan: their key, their parameters, their text.

use super::combiner::Reducer;
use super::operands::Operands;
use super::{scan_across, scan_along};
use crate::Dialect;
use crate::signature::{Parameter, Parameters, Role, Signature};

/// Which part of a scan a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    /// The totals of chunks, and by the last block what comes before each.
    Totals,
    /// The results. If the flag is set, something may come before a chunk.
    Results(bool),
}

/// How sequences lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// Along them: values go through local memory.
    Along,
    /// Across them: neighbouring threads take neighbouring sequences.
    Across,
}

/// What the text of a scan depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ScanKernel {
    pub(super) reducer: Reducer,
    pub(super) form: Form,
    pub(super) phase: Phase,
    pub(super) operands: Operands,
}

impl ScanKernel {
    /// Whether sequences are longer than chunks.
    pub(super) fn has_totals(&self) -> bool {
        self.phase != Phase::Results(false)
    }

    /// The block's number. Results are made from the end on: what the totals were made of last is still in the cache.
    pub(super) fn block(&self) -> &'static str {
        match self.phase {
            Phase::Results(true) => "(blocks - 1u - BLOCK_X)",
            Phase::Results(false) | Phase::Totals => "BLOCK_X",
        }
    }

    /// Statements that finish a value and write it at the coordinates, declared before.
    pub(super) fn store(&self, value: &str) -> String {
        self.operands.store(self.reducer.result_type(), &format!("finished({value})"))
    }
}

impl Signature for ScanKernel {
    fn name(&self) -> String {
        let form = match self.form {
            Form::Along => "along",
            Form::Across => "across",
        };
        let phase = match self.phase {
            Phase::Totals => "_totals",
            Phase::Results(_) => "",
        };
        format!("situ_scan_{}_{form}{phase}", self.reducer.name())
    }

    fn about(&self) -> String {
        self.reducer.about()
    }

    fn parameters(&self) -> Parameters {
        let mut all = Parameters::new();
        self.operands.push_addresses(self.reducer.map(), &mut all);
        if self.phase == Phase::Totals {
            all.push(Parameter::Address(Role::Arrivals));
        } else {
            all.push(Parameter::Address(Role::Out));
        }
        if self.has_totals() {
            all.extend([Parameter::Address(Role::Totals), Parameter::Room]);
        }
        all.push(Parameter::Groups);
        if self.phase == Phase::Results(true) {
            all.push(Parameter::Blocks);
        }
        match self.form {
            Form::Along => all.push(Parameter::SlotDigits),
            Form::Across => all.extend([Parameter::ColumnDigits, Parameter::Strips]),
        }
        let is_written = self.phase != Phase::Totals;
        let out_axes = if is_written { self.operands.kept + self.operands.reduced } else { 0 };
        self.operands.push_steps(self.reducer.map(), out_axes, &mut all);
        all
    }

    fn pointee(&self, role: Role) -> String {
        match role {
            Role::Input(n) => self.operands.pointee(self.reducer.map(), n),
            Role::Totals => "part".into(),
            Role::Arrivals => "u32".into(),
            _ => self.reducer.result_type().into(),
        }
    }

    fn before(&self, dialect: Dialect) -> String {
        self.reducer.functions(dialect, self.operands.wide)
            + "// Neighbours that a thread combines one after another.\ntypedef struct { part at[16]; } run;\n\n"
    }

    fn body(&self, dialect: Dialect) -> String {
        match self.form {
            Form::Along => scan_along::body(self, dialect),
            Form::Across => scan_across::body(self),
        }
    }

    fn is_wide(&self) -> bool {
        self.operands.wide
    }

    /// Several blocks at a time, so that some read while others combine what they have: as many as have registers for
    /// their values.
    fn bound(&self, _dialect: Dialect) -> String {
        let threads: u32 = match self.reducer.part_size(self.operands.wide) {
            0..=4 => 1024,
            5..=8 => 768,
            _ => 512,
        };
        format!("RESIDENT({}, {})", self.threads(), threads.div_ceil(self.threads()))
    }

    fn threads(&self) -> u32 {
        match self.form {
            Form::Along => scan_along::THREADS,
            Form::Across => scan_across::THREADS,
        }
    }

    /// The result may be an input.
    fn may_alias(&self) -> bool {
        true
    }
}
