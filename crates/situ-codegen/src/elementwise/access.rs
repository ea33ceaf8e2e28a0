//! The operands of a kernel, by name.

use situ_ir::{Program, Step};
use situ_types::DType;

use super::form::{Form, Reach};
use super::plan::THREADS;
use crate::dialect::type_name;

/// A kernel being written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernel<'a> {
    pub(super) program: &'a Program,
    pub(super) form: &'a Form,
    pub(super) name: &'a str,
    /// Whether there is a function `element_usual`, which says of rare elements that they are for `element`.
    pub(super) has_usual: bool,
}

impl Kernel<'_> {
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

    pub(super) fn reach(&self, operand: usize) -> Reach {
        self.form.reach(operand)
    }

    /// The element's type.
    pub(super) fn element(&self, operand: usize) -> &'static str {
        type_name(self.program.operand_dtype(operand))
    }

    /// The parameter's name.
    pub(super) fn operand(&self, operand: usize) -> String {
        match operand.checked_sub(self.inputs().end) {
            None => format!("in{operand}"),
            Some(output) => format!("out{output}"),
        }
    }

    /// The type of sizes and positions.
    pub(super) fn size_type(&self) -> &'static str {
        if self.form.wide { "u64" } else { "u32" }
    }

    /// The type of steps and offsets.
    pub(super) fn step_type(&self) -> &'static str {
        if self.form.wide { "i64" } else { "i32" }
    }

    /// The operands as parameters.
    pub(super) fn operand_parameters(&self) -> Vec<String> {
        let parameter = |n: usize| {
            let (element, name) = (self.element(n), self.operand(n));
            match self.reach(n) {
                Reach::Index => None,
                Reach::Immediate => Some(format!("{element} {name}")),
                _ if n < self.inputs().end => Some(format!("const GLOBAL {element} *{name}")),
                _ => Some(format!("GLOBAL {element} *{name}")),
            }
        };
        self.operands().filter_map(parameter).collect()
    }

    /// The parameters that split a position into coordinates along so many axes.
    pub(super) fn divisor_parameters(&self, axes: usize) -> Vec<String> {
        let size = self.size_type();
        let of_axis =
            |axis: usize| [format!("{size} part{axis}"), format!("{size} magic{axis}"), format!("u32 shift{axis}")];
        (0..axes - 1).flat_map(of_axis).collect()
    }

    /// The steps as parameters, for operands in memory for which they are wanted, along the axes from `first` on.
    pub(super) fn step_parameters(&self, first: usize, wanted: impl Fn(usize) -> bool) -> Vec<String> {
        let named = |n: usize| (first..self.form.axes as usize).map(move |axis| (n, axis));
        let stepped = self.operands().filter(|&n| self.reach(n).is_memory() && wanted(n));
        let parameter = |(n, axis): (usize, usize)| format!("{} step_{}_{axis}", self.step_type(), self.operand(n));
        stepped.flat_map(named).map(parameter).collect()
    }

    /// Statements that split `position` into coordinates `at0`, `at1` … along so many axes.
    pub(super) fn coordinates(&self, position: &str, axes: usize, indent: &str) -> String {
        let size = self.size_type();
        let mut text = String::new();
        let mut left = position.to_owned();
        for axis in 0..axes - 1 {
            let next = format!("left{axis}");
            text += &format!("{indent}{size} {next} = quotient_{size}({left}, magic{axis}, shift{axis});\n");
            text += &format!("{indent}{size} at{axis} = {left} - {next} * part{axis};\n");
            left = next;
        }
        text + &format!("{indent}{size} at{} = {left};\n", axes - 1)
    }

    /// An operand's offset at coordinates along the axes from `first` on.
    pub(super) fn offset(&self, operand: usize, first: usize) -> String {
        let (name, step) = (self.operand(operand), self.step_type());
        let along = |axis: usize| format!("({step})at{axis} * step_{name}_{axis}");
        (first..self.form.axes as usize).map(along).collect::<Vec<_>>().join(" + ")
    }

    /// One element of an operand in memory.
    pub(super) fn load(&self, operand: usize, offset: &str) -> String {
        let name = self.operand(operand);
        if self.form.loose {
            return format!("load_{}({name} + ({offset}))", self.element(operand));
        }
        format!("{name}[{offset}]")
    }

    /// A statement that writes one element.
    pub(super) fn store(&self, operand: usize, offset: &str, value: &str) -> String {
        let name = self.operand(operand);
        if self.form.loose {
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

    /// What the compiler is told about threads and registers. With several groups a thread of double precision it would
    /// take too few registers for them, or too many; measured on an H200.
    fn bound(&self) -> String {
        let in_double = |step: &Step| self.program.dtype_of(step.args[0]) == DType::F64;
        if self.form.vectors == 1 || !self.program.steps().iter().any(in_double) {
            return format!("BOUNDED({THREADS})");
        }
        format!("RESIDENT({THREADS}, {})", if self.has_usual { 4 } else { 5 })
    }

    /// The kernel's declaration, up to its opening brace.
    pub(super) fn declaration(&self, parameters: &[String]) -> String {
        const LINE: usize = 118;
        let mut text = format!("KERNEL {} {}(", self.bound(), self.name);
        let mut length = text.len();
        for (i, parameter) in parameters.iter().enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            if length + separator.len() + parameter.len() > LINE {
                text += separator.trim_end();
                text += "\n    ";
                length = 4;
            } else {
                text += separator;
                length += separator.len();
            }
            text += parameter;
            length += parameter.len();
        }
        text + ") {\n"
    }
}
