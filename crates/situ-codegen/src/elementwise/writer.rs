//! The operands of a kernel, by name.

use situ_ir::Program;

use super::variant::{Access, Variant};
use crate::coordinates;
use crate::dialect::type_name;
use crate::signature::{Role, signed, unsigned};

/// A kernel being written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writer<'a> {
    pub(super) program: &'a Program,
    pub(super) variant: &'a Variant,
    /// Whether there is a function `element_usual`, which says of rare elements that they are for `element`.
    pub(super) has_usual: bool,
}

impl Writer<'_> {
    /// The numbers of the inputs.
    pub(super) fn inputs(&self) -> std::ops::Range<usize> {
        0..self.program.inputs().len()
    }

    /// The numbers of the outputs among the operands.
    pub(super) fn outputs(&self) -> std::ops::Range<usize> {
        self.inputs().end..self.inputs().end + self.program.outputs().len()
    }

    /// Every operand's number.
    pub(super) fn operands(&self) -> std::ops::Range<usize> {
        0..self.outputs().end
    }

    pub(super) fn access(&self, operand: usize) -> Access {
        self.variant.access(operand)
    }

    /// The element's type.
    pub(super) fn element(&self, operand: usize) -> &'static str {
        type_name(self.program.operand_dtype(operand))
    }

    fn role(&self, operand: usize) -> Role {
        Role::of_operand(operand, self.inputs().end)
    }

    /// The parameter's name.
    pub(super) fn operand(&self, operand: usize) -> String {
        self.role(operand).name()
    }

    /// The type of sizes and positions.
    pub(super) fn size_type(&self) -> &'static str {
        unsigned(self.variant.wide)
    }

    /// The type of steps and offsets.
    pub(super) fn step_type(&self) -> &'static str {
        signed(self.variant.wide)
    }

    /// An operand's offset at the coordinates along the first axes.
    pub(super) fn offset(&self, operand: usize, axes: u8) -> String {
        coordinates::offset(self.role(operand), axes)
    }

    /// One element of an operand in memory.
    pub(super) fn load(&self, operand: usize, offset: &str) -> String {
        let name = self.operand(operand);
        if self.variant.unaligned {
            return format!("load_{}({name} + ({offset}))", self.element(operand));
        }
        format!("{name}[{offset}]")
    }

    /// A statement that writes one element.
    pub(super) fn store(&self, operand: usize, offset: &str, value: &str) -> String {
        let name = self.operand(operand);
        if self.variant.unaligned {
            return format!("store_{}({name} + ({offset}), {value});", self.element(operand));
        }
        format!("{name}[{offset}] = {value};")
    }

    /// A statement that computes one element's outputs from its inputs, each given as an expression.
    pub(super) fn compute(&self, input: impl Fn(usize) -> String, output: impl Fn(usize) -> String) -> String {
        let arguments: Vec<String> = self.inputs().map(input).chain(self.outputs().map(output)).collect();
        format!("element({});", arguments.join(", "))
    }

    /// The same by the function for usual elements, where there is one.
    pub(super) fn compute_usual(&self, input: impl Fn(usize) -> String, output: impl Fn(usize) -> String) -> String {
        if !self.has_usual {
            return self.compute(input, output);
        }
        let arguments: Vec<String> = self.inputs().map(input).chain(self.outputs().map(output)).collect();
        format!("element_usual({}, &rare);", arguments.join(", "))
    }
}
