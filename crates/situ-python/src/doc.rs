//! Docstrings.
//!
//! A function's docstring is all there is to know about it, and the type stubs are made from it: a sentence, a list of
//! its parameters with their types, what it returns, and an example that the tests execute.
//!
//! ```text
//! Elements of an array at indices along an axis.
//!
//! Parameters:
//!     x (ndarray): The array.
//!     axis (SupportsIndex | None): The axis.
//!
//! Returns:
//!     ndarray: A new array.
//!
//! >>> from situ import tensor
//! >>> tensor.take(tensor.arange(5), [1, 3])
//! ndarray([1, 3])
//! ```
//!
//! A type is written in Python, over the names of `situ/_typing.py`. Parameters that many functions have are described
//! once, here: `#[doc = parameter!(order)]`.

use situ_ir::{DTypeRule, Lift, Op};
use situ_types::DTypeKind;

/// The description of a parameter that many functions have.
macro_rules! parameter {
    (dtype) => {
        "    dtype (DTypeLike | None): The dtype of the elements; None for the usual one."
    };
    (order) => {
        "    order (str): How a new array lies in memory: 'C', 'F', 'A', or 'K' for an order like the operands'."
    };
    (dense_order) => {
        "    order (str): 'C' for elements in order of the last axis first, 'F' for the first axis first."
    };
    (out) => {
        "    out (ndarray | None): An array to write to instead of a new one, of the result's shape and dtype."
    };
    (mode) => {
        "    mode (str): For an index outside the axis: 'raise' is an IndexError, and negative ones count from the end; \
         'wrap' takes it modulo the length, 'clip' the nearest end."
    };
    (casting) => {
        "    casting (str): What a conversion may lose: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'."
    };
    (place) => {
        "    device (DeviceLike | None): Where the array goes: a selector such as 'cpu' or 'cuda:0', a device, or a queue.
    usm_type (str | None): The kind of its memory: 'device' (the usual one), 'shared' or 'host'.
    sycl_queue (Queue | None): The queue the array belongs to, where `device` does not say it.
    queue (DeviceLike | None): Another name for `sycl_queue`, which takes a selector as well."
    };
}

/// The parameters of an elementwise function, as Python writes them.
pub(crate) fn signature(op: Op) -> &'static str {
    match op.arity() {
        1 => "(x, /, *, out=None, order='K')",
        _ => "(x1, x2, /, *, out=None, order='K')",
    }
}

/// The docstring of an elementwise function.
pub(crate) fn elementwise(op: Op) -> String {
    let (name, dtypes) = (op.name(), dtypes(&op.rule()));
    let operands = match op.arity() {
        1 => format!("    x (ndarray): The array{dtypes}"),
        _ => format!(
            "    x1 (ndarray | ArrayOperand): The first operand{dtypes}\n    \
             x2 (ndarray | ArrayOperand): The second; one of the two is an array of situ, and the other may be a number."
        ),
    };
    let example = op.example().map_or(String::new(), |(given, shown)| {
        let given = operands_of(given).join(", ");
        format!("\n>>> from situ import tensor\n>>> print(tensor.{name}({given}))\n{shown}\n")
    });
    let (signature, doc, out, order) = (signature(op), op.doc(), parameter!(out), parameter!(order));
    format!(
        "{name}{signature}\n\n{doc}\n\nParameters:\n{operands}\n{out}\n{order}\n\nReturns:\n    ndarray: A new array, or \
         `out`.\n{example}"
    )
}

/// Which dtypes an op computes in, and what happens to others.
fn dtypes(rule: &DTypeRule) -> String {
    let kinds = [
        (DTypeKind::Bool, "bool"),
        (DTypeKind::Integer, "integer"),
        (DTypeKind::Float, "floating-point"),
        (DTypeKind::Complex, "complex"),
    ];
    let has = |kind: DTypeKind| rule.domain.iter().any(|dtype| dtype.kind() == kind);
    let names: Vec<&str> = kinds.iter().filter(|(kind, _)| has(*kind)).map(|(_, name)| *name).collect();
    if names.len() == kinds.len() {
        return ".".into();
    }
    let others = match rule.lift {
        Lift::Never => "others are refused",
        Lift::ByWidth => "narrower kinds are converted",
        Lift::DefaultFloat => "narrower kinds are converted to the default one",
    };
    format!(", of a {} dtype; {others}.", names.join(" or "))
}

/// The arguments of an example: what stands in brackets becomes an array.
fn operands_of(given: &str) -> Vec<String> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, letter) in given.char_indices().chain([(given.len(), ',')]) {
        match letter {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                found.push(given[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let array = |text: &str| if text.starts_with('[') { format!("tensor.asarray({text})") } else { text.to_owned() };
    found.into_iter().map(array).collect()
}
