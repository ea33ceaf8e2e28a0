//! Commands that between them need every kind of kernel, for backends that have them compiled. Their operands are nowhere:
//! they are to be planned, not run.

mod arrange;
mod elementwise;
mod indexing;
mod launch;
mod linalg;
mod order;
mod product;
mod random;
mod reduce;

use situ_hal::Command;

/// The commands of each kind, with its name.
pub fn commands() -> [(&'static str, Vec<Command>); 9] {
    [
        ("elementwise", elementwise::commands()),
        ("arrange", arrange::commands()),
        ("indexing", indexing::commands()),
        ("order", order::commands()),
        ("product", product::commands()),
        ("random", random::commands()),
        ("reduce", reduce::commands()),
        ("launch", launch::commands()),
        ("linalg", linalg::commands()),
    ]
}
