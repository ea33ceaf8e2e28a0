//! The kernel that runs a program: its key, its parameters, its text.

use std::hash::{Hash, Hasher};
use std::ptr;
use std::sync::Arc;

use situ_hal::ProgramRef;
use situ_ir::{Program, Step, StepKind};
use situ_types::DType;

use super::element::{elements, has_usual};
use super::variant::{Access, Variant, Walk};
use super::writer::Writer;
use super::{chunks, direct, strided, tiled};
use crate::coordinates::{divisors, push_space, steps};
use crate::dialect::{suffix, type_name};
use crate::expression::usual_steps;
use crate::signature::{Axes, Parameter, Parameters, Role, Signature};
use crate::{Dialect, signature};

/// A program in a variant.
///
/// Programs that live for ever are told apart by where they are, which costs next to nothing; others by what they say.
#[derive(Clone, Debug)]
pub struct ElementwiseKernel {
    pub(super) program: ProgramRef,
    pub(super) variant: Variant,
}

impl PartialEq for ElementwiseKernel {
    fn eq(&self, other: &ElementwiseKernel) -> bool {
        self.variant == other.variant
            && match (&self.program, &other.program) {
                (ProgramRef::Static(a), ProgramRef::Static(b)) => ptr::eq(*a, *b),
                (ProgramRef::Shared(a), ProgramRef::Shared(b)) => Arc::ptr_eq(a, b) || a == b,
                _ => false,
            }
    }
}

impl Eq for ElementwiseKernel {}

impl Hash for ElementwiseKernel {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.program {
            ProgramRef::Static(program) => (ptr::from_ref(*program) as usize).hash(state),
            ProgramRef::Shared(program) => program.hash(state),
        }
        self.variant.hash(state);
    }
}

impl ElementwiseKernel {
    fn role(&self, operand: usize) -> Role {
        Role::of_operand(operand, self.program.inputs().len())
    }

    fn operands(&self) -> std::ops::Range<usize> {
        0..self.program.inputs().len() + self.program.outputs().len()
    }

    fn writer(&self, dialect: Dialect) -> Writer<'_> {
        Writer { program: &self.program, variant: &self.variant, has_usual: self.has_usual(dialect) }
    }

    /// Whether rare elements are done apart from the others.
    fn has_usual(&self, dialect: Dialect) -> bool {
        match self.variant.walk {
            Walk::Dense | Walk::Rows => has_usual(&self.program, dialect),
            // Vectors are made of what has no branch.
            Walk::Chunks => usual_steps(&self.program, dialect) > 0,
            Walk::Strided | Walk::Tiled => false,
        }
    }
}

impl Signature for ElementwiseKernel {
    /// What a kernel is called in a profile: the ops it applies, the dtype of its result and its walk.
    fn name(&self) -> String {
        const LENGTH: usize = 60;
        let program: &Program = &self.program;
        let mut words = vec!["situ".to_owned()];
        let ops = program.steps().iter().filter_map(|step| match step.kind {
            StepKind::Apply(op) => Some(op.name()),
            StepKind::Select => Some("where"),
            StepKind::Cast => None,
        });
        for op in ops {
            if words.iter().map(|word| word.len() + 1).sum::<usize>() + op.len() > LENGTH {
                words.push("more".to_owned());
                break;
            }
            words.push(op.to_owned());
        }
        if words.len() == 1 {
            words.push(if program.steps().is_empty() { "copy" } else { "convert" }.to_owned());
        }
        let from = program.inputs().first().copied().unwrap_or(program.operand_dtype(0));
        let to = program.operand_dtype(program.inputs().len());
        words.push(suffix(from).to_owned());
        if from != to {
            words.push(suffix(to).to_owned());
        }
        let walk = match self.variant.walk {
            Walk::Dense => "dense",
            Walk::Rows => "rows",
            Walk::Chunks => "chunks",
            Walk::Strided => "strided",
            Walk::Tiled => "tiled",
        };
        words.push(walk.to_owned());
        words.join("_")
    }

    fn about(&self) -> String {
        self.program.to_string()
    }

    fn parameters(&self) -> Parameters {
        let (variant, axes) = (&self.variant, self.variant.axes);
        let mut all = Parameters::new();
        for n in self.operands() {
            match variant.access(n) {
                Access::Index => {}
                Access::Immediate => all.push(Parameter::Immediate(self.role(n))),
                _ => all.push(Parameter::Address(self.role(n))),
            }
        }
        let (stepped, along) = match variant.walk {
            Walk::Dense => {
                all.push(Parameter::Size);
                return all;
            }
            Walk::Chunks => {
                all.extend([Parameter::Size, Parameter::Segment]);
                return all;
            }
            Walk::Rows => {
                push_space(&mut all, axes);
                (Access::is_memory as fn(Access) -> bool, axes - 1)
            }
            Walk::Strided => {
                push_space(&mut all, axes);
                ((|access| access == Access::Stepped) as fn(Access) -> bool, axes)
            }
            Walk::Tiled => {
                all.extend([axes - 2, axes - 1].map(|axis| Parameter::Extent(Axes::Space, axis)));
                all.extend(divisors(Axes::Tiles, axes));
                (Access::is_memory as fn(Access) -> bool, axes)
            }
        };
        for n in self.operands().filter(|&n| stepped(variant.access(n))) {
            all.extend(steps(self.role(n), along));
        }
        all
    }

    fn pointee(&self, role: Role) -> String {
        let n = role.operand(self.program.inputs().len());
        let element = type_name(self.program.operand_dtype(n));
        match role {
            Role::Input(_) if self.variant.access(n).is_memory() => format!("const {element}"),
            _ => element.to_owned(),
        }
    }

    fn before(&self, dialect: Dialect) -> String {
        let writer = self.writer(dialect);
        let types = match self.variant.walk {
            Walk::Dense | Walk::Rows => direct::vector_types(&writer),
            Walk::Chunks | Walk::Strided | Walk::Tiled => String::new(),
        };
        elements(&self.program, dialect, writer.has_usual) + "\n" + &types
    }

    fn body(&self, dialect: Dialect) -> String {
        let writer = self.writer(dialect);
        match self.variant.walk {
            Walk::Dense => direct::dense(&writer),
            Walk::Rows => direct::rows(&writer),
            Walk::Chunks => chunks::chunks(&writer),
            Walk::Strided => strided::strided(&writer),
            Walk::Tiled => tiled::tiled(&writer),
        }
    }

    fn is_wide(&self) -> bool {
        self.variant.wide
    }

    /// With several groups a thread of double precision the compiler would take too few registers for them, or too many;
    /// measured on an H200.
    fn bound(&self, dialect: Dialect) -> String {
        const THREADS: u32 = signature::THREADS;
        if self.variant.walk == Walk::Chunks {
            return String::new();
        }
        let in_double = |step: &Step| self.program.dtype_of(step.args[0]) == DType::F64;
        if self.variant.vectors == 1 || !self.program.steps().iter().any(in_double) {
            return format!("BOUNDED({THREADS})");
        }
        format!("RESIDENT({THREADS}, {})", if self.has_usual(dialect) { 4 } else { 5 })
    }

    /// A chunk is one thread's.
    fn threads(&self) -> u32 {
        if self.variant.walk == Walk::Chunks { 1 } else { signature::THREADS }
    }

    /// An output may be an input.
    fn may_alias(&self) -> bool {
        true
    }
}
