//! What is done with one element.

use std::fmt::Write as _;

use situ_ir::{Op, Program, Step, StepKind};
use situ_types::DType;

use crate::Dialect;
use crate::dialect::type_name;
use crate::expression::{Version, statements, usual_steps};

/// A function that runs a program for one element: inputs `v0`, `v1` … by value, outputs through pointers.
pub fn element_function(program: &Program, dialect: Dialect, name: &str) -> String {
    format!("INLINE {}", function(program, dialect, name, Version::Whole))
}

/// The same for elements as they usually are, if some function then needs no branch; for others it sets `*rare`, its
/// last parameter, and its outputs mean nothing.
pub fn usual_element_function(program: &Program, dialect: Dialect, name: &str) -> Option<String> {
    let usual = || format!("INLINE {}", function(program, dialect, name, Version::Usual));
    (usual_steps(program, dialect) > 0).then(usual)
}

/// The function of [`element_function`], called where its text is too long to be repeated.
pub(crate) fn long_element_function(program: &Program, dialect: Dialect, name: &str) -> String {
    format!("OUTLINE {}", function(program, dialect, name, Version::Whole))
}

/// Whether rare elements are worth a function of their own.
///
/// Functions of real numbers have arguments that need more work. A branch to it after every function keeps their
/// instructions apart, which could fill each other's pauses. With one function alone there is little to gain, and
/// kernels whose elements are all rare would take longer; but angles that far are rare in any data, and in single
/// precision the memory hardly waits for what is done with the others.
pub(super) fn has_usual(program: &Program, dialect: Dialect) -> bool {
    let is_angle = |step: &Step| {
        matches!(step.kind, StepKind::Apply(Op::Sin | Op::Cos)) && program.dtype_of(step.args[0]) == DType::F32
    };
    let least = if program.steps().iter().any(is_angle) { 1 } else { 2 };
    usual_steps(program, dialect) >= least
}

/// The functions a kernel runs for one element: `element`, and `element_usual` if it is wanted.
pub(super) fn elements(program: &Program, dialect: Dialect, wants_usual: bool) -> String {
    if !wants_usual {
        return element_function(program, dialect, "element");
    }
    let usual = function(program, dialect, "element_usual", Version::Usual);
    let whole = function(program, dialect, "element", Version::Whole);
    format!("INLINE {usual}\nOUTLINE {whole}")
}

fn function(program: &Program, dialect: Dialect, name: &str, version: Version) -> String {
    let inputs = program.inputs().iter().enumerate().map(|(i, &dtype)| format!("{} v{i}", type_name(dtype)));
    let outputs = program.outputs().iter().enumerate();
    let results = outputs.clone().map(|(i, &value)| format!("{} *out{i}", type_name(program.dtype_of(value))));
    let rare = (version == Version::Usual).then(|| "u32 *rare".to_owned());
    let parameters: Vec<String> = inputs.chain(results).chain(rare).collect();
    let mut text = format!("void {name}({}) {{\n", parameters.join(", "));
    text.push_str(&statements(program, dialect, version, "    "));
    for (i, value) in outputs {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    *out{i} = v{};", value.index());
    }
    text + "}\n"
}
