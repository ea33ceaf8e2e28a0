//! What things are called in a kernel's text.

use std::collections::HashMap;

use situ_ir::kernel::{Kernel, Parameter};

/// Names of arrays and numbers, by what the kernel calls them.
///
/// Each is followed by a word, so that none is a keyword, a name of the library, or the compiler's.
#[derive(Clone, Debug)]
pub(super) struct Names {
    /// By number.
    pub(super) arrays: Vec<String>,
    /// By number of the parameter; empty for arrays.
    pub(super) scalars: Vec<String>,
}

impl Names {
    pub(super) fn of(kernel: &Kernel) -> Names {
        let mut taken = HashMap::new();
        let arrays = kernel.arrays().iter().map(|info| distinct(&mut taken, &info.name)).collect();
        let scalars = kernel.parameters().iter().map(|parameter| match parameter {
            Parameter::Array(_) => String::new(),
            Parameter::Scalar(_, name) => distinct(&mut taken, name) + "_value",
        });
        let scalars = scalars.collect();
        Names { arrays, scalars }
    }
}

/// A name that nothing before it has.
fn distinct(taken: &mut HashMap<String, usize>, name: &str) -> String {
    let name = plain(name);
    let count = taken.entry(name.clone()).or_insert(0);
    *count += 1;
    // A name of digits only in its last part is not made by anything else.
    if *count == 1 { name } else { format!("{name}_no{count}") }
}

/// A name in letters, digits and underscores that every dialect takes.
pub(super) fn plain(name: &str) -> String {
    let letters: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if letters.starts_with(|c: char| c.is_ascii_alphabetic()) { letters } else { format!("k{letters}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_distinct() {
        let mut taken = HashMap::new();
        let names = ["x", "größe", "x", "_y", "größe", "2"].map(|name| distinct(&mut taken, name));
        assert_eq!(names, ["x", "gr__e", "x_no2", "k_y", "gr__e_no2", "k2"]);
    }
}
