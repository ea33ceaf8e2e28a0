//! What is done with one element.

use std::fmt::Write as _;

use situ_ir::Program;

use crate::Dialect;
use crate::dialect::type_name;
use crate::expression::{Version, has_usual, statements};

/// A function that runs a program for one element: inputs `v0`, `v1` … by value, outputs through pointers.
pub fn element_function(program: &Program, dialect: Dialect, name: &str) -> String {
    format!("INLINE {}", function(program, dialect, name, Version::Whole))
}

/// The same for elements as they usually are, if that saves a branch; for others it sets `*rare`, its last parameter, and its
/// outputs mean nothing.
///
/// Functions of real numbers have ends of their range that need more work. A branch to it after every function would keep
/// their instructions apart, which fill each other's pauses.
pub fn usual_element_function(program: &Program, dialect: Dialect, name: &str) -> Option<String> {
    has_usual(program, dialect).then(|| format!("INLINE {}", function(program, dialect, name, Version::Usual)))
}

/// The functions a kernel runs for one element: `element`, and `element_usual` if there is one and the kernel wants it.
pub(super) fn elements(program: &Program, dialect: Dialect, wants_usual: bool) -> (String, bool) {
    let usual = if wants_usual { usual_element_function(program, dialect, "element_usual") } else { None };
    match usual {
        // Beside the usual one, the whole function is called rarely.
        Some(usual) => (format!("{usual}\nOUTLINE {}", function(program, dialect, "element", Version::Whole)), true),
        None => (element_function(program, dialect, "element"), false),
    }
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
