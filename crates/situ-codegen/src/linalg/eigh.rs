//! Eigenvalues of Hermitian matrices, by Jacobi's method.

use situ_hal::{Address, Linalg};
use situ_types::DType;
use smallvec::smallvec;

use super::size::Pairs;
use super::{MOST_SWEEPS, largest_of, names, pointee};
use crate::dialect::{suffix, unsigned};
use crate::signature::{Parameter, Parameters, Role, Signature};
use crate::work::Work;
use crate::{Dialect, Kernel};

/// Rows of a matrix at most: two matrices of that size fit into a block's own memory.
const ROWS: usize = 32;

/// What the text depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EighKernel {
    dtype: DType,
    pairs: Pairs,
    wants_vectors: bool,
}

pub(super) fn plan(command: &Linalg, order: usize, operands: [Address; 2], wants_vectors: bool) -> Option<Work> {
    if order > ROWS {
        return None;
    }
    let mut work = Work::default();
    let kernel = EighKernel { dtype: command.dtype, pairs: Pairs::of(order), wants_vectors };
    work.launch(Kernel::Eigh(kernel), command.count, |parameter| match parameter {
        Parameter::Address(Role::Status) => command.status.into(),
        Parameter::Address(Role::Values) => operands[1].into(),
        Parameter::Address(_) => operands[0].into(),
        _ => order.into(),
    });
    Some(work)
}

impl EighKernel {
    /// What is done with vectors, where they are wanted.
    fn vectors<'a>(&self, text: &'a str) -> &'a str {
        if self.wants_vectors { text } else { "" }
    }
}

impl Signature for EighKernel {
    fn name(&self) -> String {
        let wanted = if self.wants_vectors { "eigh" } else { "eigvalsh" };
        format!("situ_{wanted}_{}", suffix(self.dtype))
    }

    fn about(&self) -> String {
        format!("Eigenvalues of Hermitian matrices of up to {} rows, a block for each.", self.pairs.columns())
    }

    fn parameters(&self) -> Parameters {
        smallvec![
            Parameter::Address(Role::Matrix),
            Parameter::Address(Role::Values),
            Parameter::Address(Role::Status),
            Parameter::Length(0),
        ]
    }

    fn pointee(&self, role: Role) -> String {
        pointee(self.dtype, role)
    }

    fn before(&self, _dialect: Dialect) -> String {
        names(self.dtype) + &largest_of(self.dtype, self.threads())
    }

    // A round brings every row together with another one. What becomes of the elements where two pairs of rows meet follows
    // from both rotations, so that a round takes two phases: finding the rotations, and applying them.
    fn body(&self, _dialect: Dialect) -> String {
        let (t, r, threads) = (suffix(self.dtype), suffix(self.dtype.real_part()), self.threads());
        let (columns, u) = (self.pairs.columns(), suffix(unsigned(self.dtype)));
        let begun = format!(
            "        for (u32 n = THREAD_X; n < {columns}u * {columns}u; n += {threads}u) {{
            const u32 i = n % {columns}u, j = n / {columns}u;
            v[i][j] = from_real_{t}(i == j && i < order ? 1 : 0);
        }}\n"
        );
        let turned = format!(
            "                for (u32 n = THREAD_X; n < pair_count * order; n += {threads}u) {{
                    const u32 at = n % pair_count, i = n / pair_count;
                    const u32 p = lesser_of_pair(at, round, odd), q = greater_of_pair(at, round, odd);
                    const rotation_{t} by = rotations[at];
                    const number first = v[i][p], second = v[i][q];
                    v[i][p] = rotated_first_{t}(by, first, second);
                    v[i][q] = rotated_second_{t}(by, first, second);
                }}\n"
        );
        let written = "        for (u32 n = THREAD_X; n < order * order; n += {threads}u) {
            const u32 i = n % order, j = n / order;
            own[(u64)ranks[j] * order + i] = v[i][j];
        }\n"
        .replace("{threads}", &threads.to_string());
        format!(
            "    const u32 order = (u32)length_0, pair_count = (order + 1u) / 2u, odd = 2u * pair_count - 1u;
    GLOBAL number *own = matrix + (u64)BLOCK_X * order * order;
    GLOBAL real *own_values = values + (u64)BLOCK_X * order;
    // A row and a column more than there may be, which stay zero, and one more between neighbours in a bank.
    SHARED number a[{columns}][{apart}];
{declared}    SHARED rotation_{t} rotations[{pairs}];
    SHARED real extents[{threads}];
    SHARED u32 ranks[{columns}];
    SHARED u32 is_open;
    EACH_THREAD {{
        real extent = 0;
        for (u32 n = THREAD_X; n < {columns}u * {columns}u; n += {threads}u) {{
            const u32 j = n / {columns}u, i = n % {columns}u;
            number element = from_real_{t}(0);
            if (i < order && j <= i) element = own[j * order + i];
            if (i == j) element = from_real_{t}(re_{t}(element));
            if (j <= i) a[i][j] = element;
            if (j < i) a[j][i] = conj_{t}(element);
            const real own_extent = extent_{t}(element);
            extent = extent < own_extent ? own_extent : extent;
        }}
        extents[THREAD_X] = extent;
{begun}    }}
    BARRIER();
    fold_larger_{r}(extents);
    const {u} exponent = exponent_of_extent_{r}(extents[0]);
    const real scale = inverse_power_at_{r}(exponent), negligible = extents[0] * scale * (real){epsilon};
    BARRIER();
    EACH_THREAD {{
        for (u32 n = THREAD_X; n < {columns}u * {columns}u; n += {threads}u) {{
            a[n / {columns}u][n % {columns}u] = times_real_{t}(a[n / {columns}u][n % {columns}u], scale);
        }}
    }}
    u32 goes_on = 1;
    for (u32 sweep = 0; sweep < {MOST_SWEEPS}u && goes_on; sweep++) {{
        EACH_THREAD {{
            if (THREAD_X == 0u) is_open = 0;
        }}
        BARRIER();
        for (u32 round = 0; round < odd; round++) {{
            EACH_THREAD {{
                if (THREAD_X < pair_count) {{
                    const u32 p = lesser_of_pair(THREAD_X, round, odd), q = greater_of_pair(THREAD_X, round, odd);
                    const number product = a[p][q];
                    rotation_{t} by = no_rotation_{t}();
                    if (extent_{t}(product) > negligible) {{
                        by = rotation_between_{t}(re_{t}(a[p][p]), re_{t}(a[q][q]), product);
                        LOCAL_OR_u32(&is_open, 1u);
                    }}
                    rotations[THREAD_X] = by;
                }}
            }}
            BARRIER();
            EACH_THREAD {{
                for (u32 n = THREAD_X; n < pair_count * pair_count; n += {threads}u) {{
                    const u32 i = n / pair_count, j = n % pair_count;
                    const u32 p = lesser_of_pair(i, round, odd), q = greater_of_pair(i, round, odd);
                    const rotation_{t} by = rotations[i], other = rotations[j];
                    if (i == j && by.moved != 0) {{
                        a[p][p] = from_real_{t}(re_{t}(a[p][p]) - by.moved);
                        a[q][q] = from_real_{t}(re_{t}(a[q][q]) + by.moved);
                        a[p][q] = from_real_{t}(0);
                        a[q][p] = from_real_{t}(0);
                    }}
                    if (i < j) {{
                        const u32 s = lesser_of_pair(j, round, odd), t = greater_of_pair(j, round, odd);
                        const rotation_{t} across = conjugate_rotation_{t}(by);
                        const number ps = rotated_first_{t}(other, a[p][s], a[p][t]);
                        const number pt = rotated_second_{t}(other, a[p][s], a[p][t]);
                        const number qs = rotated_first_{t}(other, a[q][s], a[q][t]);
                        const number qt = rotated_second_{t}(other, a[q][s], a[q][t]);
                        const number whole_ps = rotated_first_{t}(across, ps, qs);
                        const number whole_qs = rotated_second_{t}(across, ps, qs);
                        const number whole_pt = rotated_first_{t}(across, pt, qt);
                        const number whole_qt = rotated_second_{t}(across, pt, qt);
                        a[p][s] = whole_ps;
                        a[q][s] = whole_qs;
                        a[p][t] = whole_pt;
                        a[q][t] = whole_qt;
                        a[s][p] = conj_{t}(whole_ps);
                        a[s][q] = conj_{t}(whole_qs);
                        a[t][p] = conj_{t}(whole_pt);
                        a[t][q] = conj_{t}(whole_qt);
                    }}
                }}
{turned}            }}
            BARRIER();
        }}
        goes_on = is_open;
        BARRIER();
    }}
    EACH_THREAD {{
        if (THREAD_X == 0u) status[BLOCK_X] = (i32)goes_on;
        if (THREAD_X < order) {{
            const real value = re_{t}(a[THREAD_X][THREAD_X]);
            u32 rank = 0;
            for (u32 j = 0; j < order; j++) {{
                const real other = re_{t}(a[j][j]);
                if (other < value || (!(value < other) && j < THREAD_X)) rank++;
            }}
            ranks[THREAD_X] = rank;
            own_values[rank] = value * power_at_{r}(exponent);
        }}
    }}
{then}",
            apart = columns + 1,
            pairs = self.pairs.count,
            declared = self.vectors(&format!("    SHARED number v[{columns}][{}];\n", columns + 1)),
            begun = self.vectors(&begun),
            turned = self.vectors(&turned),
            epsilon = if self.dtype.real_part() == DType::F32 { "0x1p-24" } else { "0x1p-53" },
            then = self.vectors(&format!("    BARRIER();\n    EACH_THREAD {{\n{written}    }}\n")),
        )
    }

    fn is_wide(&self) -> bool {
        false
    }

    fn threads(&self) -> u32 {
        [32, 32, 128, 256][(self.pairs.count.trailing_zeros() as usize - 1).min(3)]
    }
}
