//! What is done with one element.

use std::fmt::Write as _;

use situ_ir::Program;

use crate::Dialect;
use crate::dialect::type_name;
use crate::expression::statements;

/// A function that runs a program for one element: inputs `v0`, `v1` … by value, outputs through pointers.
pub fn element_function(program: &Program, dialect: Dialect, name: &str) -> String {
    let inputs = program.inputs().iter().enumerate().map(|(i, &dtype)| format!("{} v{i}", type_name(dtype)));
    let outputs = program.outputs().iter().enumerate();
    let results = outputs.clone().map(|(i, &value)| format!("{} *out{i}", type_name(program.dtype_of(value))));
    let parameters: Vec<String> = inputs.chain(results).collect();
    let mut text = format!("INLINE void {name}({}) {{\n", parameters.join(", "));
    text.push_str(&statements(program, dialect, "    "));
    for (i, value) in outputs {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    *out{i} = v{};", value.index());
    }
    text + "}\n"
}
