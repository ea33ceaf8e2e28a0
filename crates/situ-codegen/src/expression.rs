//! The steps of a program as C expressions over named values.

use std::fmt::Write as _;

use situ_ir::{Op, OutRule, Program, Step, StepKind};
use situ_types::DType;

use crate::Dialect;
use crate::dialect::{suffix, type_name};
use crate::library;

/// Which of a function's versions are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// Those for every argument.
    Whole,
    /// Those without a branch, where there are such. They set `*rare` for arguments that are not for them.
    Usual,
}

/// How many steps of a program have a version without a branch.
pub(crate) fn usual_steps(program: &Program, dialect: Dialect) -> usize {
    let has_usual = |step: &&Step| match step.kind {
        StepKind::Apply(op) => {
            let inside = computed_in(op, program.dtype_of(step.args[0]), dialect);
            usual_name(op, inside, dialect).is_some()
        }
        StepKind::Cast | StepKind::Select => false,
    };
    program.steps().iter().filter(has_usual).count()
}

/// The statements that compute a program's steps: `v0`, `v1` … are its values, inputs first.
pub(crate) fn statements(program: &Program, dialect: Dialect, version: Version, indent: &str) -> String {
    let mut text = String::new();
    for (i, step) in program.steps().iter().enumerate() {
        let args: Vec<String> = step.args.iter().map(|arg| format!("v{}", arg.index())).collect();
        let from = program.dtype_of(step.args[0]);
        let expression = match step.kind {
            StepKind::Apply(op) => apply(op, from, &args, dialect, version),
            StepKind::Cast => format!("cast_{}_{}({})", suffix(from), suffix(step.dtype), args[0]),
            StepKind::Select => format!("{} ? {} : {}", args[0], args[1], args[2]),
        };
        let number = program.inputs().len() + i;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{indent}{} v{number} = {expression};", type_name(step.dtype));
    }
    text
}

/// An op applied to named values of one dtype.
///
/// Half-precision numbers are widened first and the result is rounded, unless the library has every function of the
/// expression for them.
pub(crate) fn apply(op: Op, dtype: DType, args: &[String], dialect: Dialect, version: Version) -> String {
    let inside = computed_in(op, dtype, dialect);
    let call = |args: &[String]| match usual_name(op, inside, dialect) {
        Some(name) if version == Version::Usual => format!("{name}({}, rare)", args.join(", ")),
        _ => rewritten(op, suffix(inside), args),
    };
    if inside == dtype {
        return call(args);
    }
    let wide: Vec<String> = args.iter().map(|arg| format!("widen_f16({arg})")).collect();
    match op.rule().out {
        OutRule::Truth => call(&wide),
        OutRule::Same | OutRule::Part => format!("narrow_f16({})", call(&wide)),
    }
}

/// The dtype whose functions compute an op.
fn computed_in(op: Op, dtype: DType, dialect: Dialect) -> DType {
    let is_there = |name| library::defines(dialect, &format!("{name}_f16"));
    if dtype != DType::F16 || calls(op.c_expression()).all(is_there) { dtype } else { DType::F32 }
}

/// The version without a branch of the function that an op is, if there is one.
fn usual_name(op: Op, dtype: DType, dialect: Dialect) -> Option<String> {
    let (function, arguments) = op.c_expression().strip_suffix(')')?.split_once('(')?;
    let name = format!("{function}_usual_{}", suffix(dtype));
    (arguments == op.arguments().join(", ") && library::defines(dialect, &name)).then_some(name)
}

/// The functions a row calls.
fn calls(row: &str) -> impl Iterator<Item = &str> {
    words(row).filter_map(|(word, is_call)| is_call.then_some(word))
}

/// A row's expression with its arguments' names replaced and the dtype's suffix on every function.
fn rewritten(op: Op, suffix: &str, args: &[String]) -> String {
    let row = op.c_expression();
    let mut text = String::new();
    let mut copied = 0;
    for (word, is_call) in words(row) {
        let start = word.as_ptr() as usize - row.as_ptr() as usize;
        text.push_str(&row[copied..start]);
        copied = start + word.len();
        match op.arguments().iter().position(|&name| name == word) {
            Some(argument) if !is_call => text.push_str(&args[argument]),
            _ => text.push_str(word),
        }
        if is_call {
            text.push('_');
            text.push_str(suffix);
        }
    }
    text + &row[copied..]
}

/// The names in a row, and whether each is a function being called.
fn words(row: &str) -> impl Iterator<Item = (&str, bool)> {
    row.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))
        .map(|word| {
            let end = word.as_ptr() as usize - row.as_ptr() as usize + word.len();
            (word, row[end..].starts_with('('))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(op: Op, dtype: DType) -> String {
        apply(op, dtype, &["x".into(), "y".into(), "z".into()][..op.arity()], Dialect::Host, Version::Whole)
    }

    fn usual(op: Op, dtype: DType) -> String {
        apply(op, dtype, &["x".into(), "y".into(), "z".into()][..op.arity()], Dialect::Host, Version::Usual)
    }

    #[test]
    fn functions_without_a_branch_are_called_where_they_are_there() {
        assert_eq!(usual(Op::Pow, DType::F64), "pow_usual_f64(x, y, rare)");
        assert_eq!(usual(Op::Sin, DType::F16), "narrow_f16(sin_usual_f32(widen_f16(x), rare))");
        assert_eq!(usual(Op::Pow, DType::I32), "pow_i32(x, y)");
        assert_eq!(usual(Op::Sin, DType::C64), "sin_c64(x)");
    }

    #[test]
    fn functions_carry_their_dtype() {
        assert_eq!(text(Op::Greater, DType::F32), "lt_f32(y, x)");
        assert_eq!(text(Op::Isfinite, DType::I8), "!(is_nan_i8(x) || is_inf_i8(x))");
        assert_eq!(text(Op::Square, DType::C64), "mul_c64(x, x)");
        assert_eq!(text(Op::Positive, DType::Bool), "x");
    }

    #[test]
    fn half_precision_goes_through_single_where_it_must() {
        assert_eq!(text(Op::Add, DType::F16), "narrow_f16(add_f32(widen_f16(x), widen_f16(y)))");
        assert_eq!(text(Op::Equal, DType::F16), "eq_f32(widen_f16(x), widen_f16(y))");
        assert_eq!(text(Op::Nextafter, DType::F16), "nextafter_f16(x, y)");
        assert_eq!(text(Op::Positive, DType::F16), "x");
    }
}
