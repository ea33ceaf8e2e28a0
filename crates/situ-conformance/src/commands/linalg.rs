//! Linear algebra of matrices that are small enough for kernels.

use situ_hal::{Address, Command, Linalg, Problem, SingularVectors};
use situ_types::DType;

const NOWHERE: Address = Address(64 as *mut u8);

/// Every problem in every size that there is a text for.
pub(super) fn commands() -> Vec<Command> {
    let mut commands = Vec::new();
    for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
        let mut push = |problem| {
            commands.push(Command::Linalg(Box::new(Linalg { dtype, count: 100, problem, status: NOWHERE })));
        };
        push(Problem::Cholesky { order: 32, matrix: NOWHERE });
        for order in [4, 8, 16, 32] {
            for wants_vectors in [true, false] {
                push(Problem::Eigh { order, matrix: NOWHERE, values: NOWHERE, wants_vectors });
            }
        }
        for (rows, columns) in
            [(4, 4), (8, 8), (16, 16), (32, 32), (36, 4), (36, 8), (36, 16), (36, 32), (64, 64), (128, 128)]
        {
            let vectors = SingularVectors { left_columns: rows, left: NOWHERE, right: NOWHERE };
            for vectors in [Some(vectors), None] {
                push(Problem::Svd { rows, columns, matrix: NOWHERE, values: NOWHERE, vectors });
            }
        }
    }
    commands
}
