//! Cholesky factors: a thread for each row.

use situ_hal::{Address, Linalg};
use situ_types::DType;
use smallvec::smallvec;

use super::{names, pointee};
use crate::dialect::suffix;
use crate::signature::{Parameter, Parameters, Role, Signature};
use crate::work::Work;
use crate::{Dialect, Kernel};

/// Rows of a matrix at most, and threads of a block: as many as there are in step on a GPU.
const ROWS: u32 = 32;

/// What the text depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CholeskyKernel {
    dtype: DType,
}

pub(super) fn plan(command: &Linalg, order: usize, matrix: Address) -> Option<Work> {
    if order > ROWS as usize {
        return None;
    }
    let mut work = Work::default();
    let kernel = Kernel::Cholesky(CholeskyKernel { dtype: command.dtype });
    work.launch(kernel, command.count, |parameter| match parameter {
        Parameter::Address(Role::Status) => command.status.into(),
        Parameter::Address(_) => matrix.into(),
        _ => order.into(),
    });
    Some(work)
}

impl Signature for CholeskyKernel {
    fn name(&self) -> String {
        format!("situ_cholesky_{}", suffix(self.dtype))
    }

    fn about(&self) -> String {
        format!("Cholesky factors of matrices of up to {ROWS} rows, a block for each.")
    }

    fn parameters(&self) -> Parameters {
        smallvec![Parameter::Address(Role::Matrix), Parameter::Address(Role::Status), Parameter::Length(0)]
    }

    fn pointee(&self, role: Role) -> String {
        pointee(self.dtype, role)
    }

    fn before(&self, _dialect: Dialect) -> String {
        names(self.dtype)
    }

    // Columns come one after another, and within each, rows are independent: each thread works out the diagonal element by
    // itself, which takes no longer than to wait for another one's.
    fn body(&self, _dialect: Dialect) -> String {
        let (t, r) = (suffix(self.dtype), suffix(self.dtype.real_part()));
        format!(
            "    const u32 order = (u32)length_0;
    GLOBAL number *own = matrix + (u64)BLOCK_X * order * order;
    // Rows follow each other in memory, one element too far apart for neighbours to be in the same bank.
    SHARED number rows[{ROWS}][{apart}];
    SHARED real diagonal[{ROWS}];
    SHARED i32 failed;
    EACH_THREAD {{
        if (THREAD_X == 0u) failed = 0;
        for (u32 n = THREAD_X; n < order * order; n += {ROWS}u) rows[n % order][n / order] = own[n];
    }}
    BARRIER();
    for (u32 column = 0; column < order; column++) {{
        EACH_THREAD {{
            const u32 row = THREAD_X;
            if (row >= column && row < order) {{
                real square = 0;
                number sum = from_real_{t}(0);
                for (u32 k = 0; k < column; k++) {{
                    square = plus_square_{t}(square, rows[column][k]);
                    sum = plus_inner_{t}(sum, rows[column][k], rows[row][k]);
                }}
                const real left = re_{t}(rows[column][column]) - square;
                const real root = SQRT_{r}(left);
                if (row == column) {{
                    diagonal[column] = root;
                    if (!(left > 0) && failed == 0) failed = (i32)column + 1;
                }} else {{
                    rows[row][column] = over_real_{t}(sub_{t}(rows[row][column], sum), root);
                }}
            }}
        }}
        BARRIER();
    }}
    EACH_THREAD {{
        if (THREAD_X == 0u) status[BLOCK_X] = failed;
        for (u32 n = THREAD_X; n < order * order; n += {ROWS}u) {{
            const u32 row = n % order, column = n / order;
            own[n] = row > column ? rows[row][column] : from_real_{t}(row == column ? diagonal[row] : 0);
        }}
    }}\n",
            apart = ROWS + 1,
        )
    }

    fn is_wide(&self) -> bool {
        false
    }

    fn threads(&self) -> u32 {
        ROWS
    }
}
