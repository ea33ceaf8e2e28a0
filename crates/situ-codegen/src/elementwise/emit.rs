//! The text of a kernel.

use situ_ir::{Program, StepKind};

use super::access::Kernel;
use super::element::elements;
use super::form::{Form, Walk};
use super::{direct, strided, tiled};
use crate::dialect::suffix;
use crate::{Dialect, Source, library};

/// The kernel that runs a program in a form made by [`plan`](super::plan) for the same program.
pub fn emit(program: &Program, form: &Form, dialect: Dialect) -> Source {
    let Source { text, kernel } = emit_bare(program, form, dialect);
    Source { text: library::complete(dialect, &text), kernel }
}

/// The same kernel without the library's items, which [`library::complete`] puts before it: several can share them.
pub fn emit_bare(program: &Program, form: &Form, dialect: Dialect) -> Source {
    let name = name(program, form);
    let (element, has_usual) = elements(program, dialect, matches!(form.walk, Walk::Dense | Walk::Rows));
    let kernel = Kernel { program, form, name: &name, has_usual };
    let body = match form.walk {
        Walk::Dense => direct::dense(kernel),
        Walk::Rows => direct::rows(kernel),
        Walk::Strided => strided::strided(kernel),
        Walk::Tiled => tiled::tiled(kernel),
    };
    let comment: String = program.to_string().lines().map(|line| format!("// {line}\n")).collect();
    Source { text: format!("{comment}{element}\n{body}"), kernel: name }
}

/// What a kernel is called in a profile: the ops it applies, the dtype of its result and its walk.
fn name(program: &Program, form: &Form) -> String {
    const LENGTH: usize = 60;
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
    words.push(
        match form.walk {
            Walk::Dense => "dense",
            Walk::Rows => "rows",
            Walk::Strided => "strided",
            Walk::Tiled => "tiled",
        }
        .to_owned(),
    );
    words.join("_")
}
