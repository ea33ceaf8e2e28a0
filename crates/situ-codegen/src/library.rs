//! The device library: small C functions, of which a kernel gets those it uses.
//!
//! The library is a list of files in `src/library`, after the dialect's prelude. A line `// for f32 f64` says for which
//! dtypes the items after it are made, a line `// once` that they are as they stand. In items made for dtypes the names
//! `T` (the element's type), `R` (its real part's) and `U` (unsigned integers as wide as that) and every part of a name
//! set off by an underscore, such as in `sin_T`, are replaced. For truth values `T` is `u8`, and the part of a name
//! `bool`.
//!
//! Items are separated by empty lines: functions, tables, types or groups of definitions, each under its comment. An
//! item may use only what comes before it. [`complete`] puts before a kernel the items it names, with what they name.

mod index;
mod item;
mod token;

use std::collections::BTreeSet;

use crate::Dialect;
use index::{Index, Place};

macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("library/", $name, ".c")))
    };
}

/// The library's files, in the order of their use.
const FILES: &[(&str, &str)] = &[
    file!("division"),
    file!("memory"),
    file!("indexing"),
    file!("order"),
    file!("integer"),
    file!("boolean"),
    file!("floating"),
    file!("half"),
    file!("complex_basic"),
    file!("cast"),
    file!("linalg"),
    file!("kernels"),
    file!("math_parts"),
    file!("math_exp"),
    file!("math_log"),
    file!("math_log_base"),
    file!("math_logaddexp"),
    file!("math_trig_parts"),
    file!("math_far"),
    file!("math_trig"),
    file!("math_inverse_trig"),
    file!("math_hyperbolic"),
    file!("math_inverse_hyperbolic"),
    file!("math_roots"),
    file!("math_power"),
    file!("math_division"),
    file!("math_weights"),
    file!("math_weights_f64"),
    file!("random"),
    file!("complex_parts"),
    file!("complex_twofold"),
    file!("complex_division"),
    file!("complex_root"),
    file!("complex_log"),
    file!("complex_exponential"),
    file!("complex_hyperbolic"),
    file!("complex_inverse"),
    file!("complex_precise_log"),
    file!("complex_power"),
    file!("complex_single"),
];

/// The first of the library's files with mathematics, whose last digits depend on every product and every sum being rounded.
const MATHEMATICS: &str = "math_parts";

/// What a text needs of the library, in order.
fn needed(index: &Index, text: &str) -> BTreeSet<Place> {
    let mut needed = BTreeSet::new();
    let mut unread = vec![text.to_owned()];
    while let Some(text) = unread.pop() {
        for name in token::names(&text) {
            if let Some(place) = index.place_of(name)
                && needed.insert(place)
            {
                unread.push(index.text_of(place));
            }
        }
    }
    needed
}

/// Whether a text needs functions in which no product and sum may be rounded as one.
pub fn needs_mathematics(dialect: Dialect, text: &str) -> bool {
    let index = Index::of(dialect);
    needed(index, text).iter().any(|&place| index.is_mathematics(place))
}

/// A text with every library item it needs before it, down to the dialect's own names.
pub fn complete(dialect: Dialect, text: &str) -> String {
    let index = Index::of(dialect);
    let needed = needed(index, text);
    let mut completed = String::new();
    let mut was_line = false;
    for place in needed {
        let item = index.text_of(place);
        // Lines without a comment stand together.
        let is_line = !item.contains('\n');
        if was_line && !is_line {
            completed.push('\n');
        }
        completed.push_str(&item);
        completed.push_str(if is_line { "\n" } else { "\n\n" });
        was_line = is_line;
    }
    if was_line { completed + "\n" + text } else { completed + text }
}

/// Whether the library defines a name in this dialect.
pub fn defines(dialect: Dialect, name: &str) -> bool {
    Index::of(dialect).place_of(name).is_some()
}
