//! Singular values, by Jacobi's one-sided method.
//!
//! Columns are turned in pairs until all are orthogonal to each other: then they are `U S`, and what they were turned by is `V`.
//! Each pair has some threads, which share its rows.

use situ_hal::{Address, Linalg, SingularVectors};
use situ_types::DType;
use smallvec::smallvec;

use super::size::Pairs;
use super::{MOST_SWEEPS, largest_of, names, pointee};
use crate::dialect::{suffix, unsigned};
use crate::signature::{Parameter, Parameters, Role, Signature};
use crate::work::{Value, Work};
use crate::{Dialect, Kernel};

/// Rows and columns up to which matrices are turned in a block's own memory.
const NEAR: usize = 32;

/// Columns of larger ones, which are turned where they are, and half of their rows.
const COLUMNS: usize = 128;

/// What the text depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SvdKernel {
    dtype: DType,
    pairs: Pairs,
    /// Whether matrices are turned in a block's own memory.
    is_near: bool,
    wants_vectors: bool,
}

pub(super) fn plan(
    command: &Linalg,
    [rows, columns]: [usize; 2],
    [matrix, values]: [Address; 2],
    vectors: Option<SingularVectors>,
) -> Option<Work> {
    // Each column of U that the matrix does not have waits for the one before.
    let missing = vectors.map_or(0, |vectors| vectors.left_columns - columns);
    if columns > COLUMNS || rows > 2 * COLUMNS || missing > NEAR {
        return None;
    }
    let is_near = rows <= NEAR;
    let mut work = Work::default();
    let room = if is_near || vectors.is_none() { 0 } else { command.count * columns * columns * command.dtype.size() };
    let turned = work.reserve(room);
    let kernel =
        SvdKernel { dtype: command.dtype, pairs: Pairs::of(columns), is_near, wants_vectors: vectors.is_some() };
    work.launch(Kernel::Svd(kernel), command.count, |parameter| match (parameter, vectors) {
        (Parameter::Address(Role::Status), _) => command.status.into(),
        (Parameter::Address(Role::Values), _) => values.into(),
        (Parameter::Address(Role::Left), Some(vectors)) => vectors.left.into(),
        (Parameter::Address(Role::Right), Some(vectors)) => vectors.right.into(),
        (Parameter::Address(Role::Turned), _) => Value::scratch(turned),
        (Parameter::Address(_), _) => matrix.into(),
        (Parameter::Length(0), _) => rows.into(),
        (Parameter::Length(1), _) => columns.into(),
        (_, vectors) => vectors.map_or(0, |vectors| vectors.left_columns).into(),
    });
    Some(work)
}

impl SvdKernel {
    /// Threads of a pair.
    fn lanes(&self) -> u32 {
        (32 / self.pairs.count).max(8)
    }

    fn if_vectors(&self, text: impl FnOnce() -> String) -> String {
        if self.wants_vectors { text() } else { String::new() }
    }

    /// Where matrices are turned.
    fn declarations(&self) -> String {
        let columns = self.pairs.columns();
        if !self.is_near {
            let turned = self.if_vectors(|| {
                "    GLOBAL number *v = turned + (u64)BLOCK_X * columns * columns;\n    const u32 v_step = columns;\n".into()
            });
            return format!("    GLOBAL number *a = own;\n    const u32 a_step = rows;\n{turned}");
        }
        // Columns are one element too far apart for neighbours to be in the same bank.
        let apart = NEAR + 1;
        let turned = self.if_vectors(|| {
            let apart = columns + 1;
            format!("    SHARED number v[{columns} * {apart}];\n    const u32 v_step = {apart}u;\n")
        });

        format!("    SHARED number a[{columns} * {apart}];\n    const u32 a_step = {apart}u;\n{turned}")
    }

    /// Columns that are missing are made of a unit vector each, the one that lies nearest to being orthogonal to those before.
    fn completion(&self) -> String {
        let (t, r, threads) = (suffix(self.dtype), suffix(self.dtype.real_part()), self.threads());
        format!(
            "    // Columns without a direction of their own, and those that the matrix does not have.
    const u32 left_columns = (u32)length_2;
    for (u32 made = full; made < left_columns; made++) {{
        EACH_THREAD {{
            real least = 2;
            u32 best = 0;
            for (u32 i = THREAD_X; i < rows; i += {threads}u) {{
                real square = 0;
                for (u32 j = 0; j < made; j++) square = plus_square_{t}(square, own_left[(u64)j * rows + i]);
                if (square < least) {{
                    least = square;
                    best = i;
                }}
            }}
            firsts[THREAD_X] = least;
            bests[THREAD_X] = best;
        }}
        GLOBAL_BARRIER();
        EACH_THREAD {{
            u32 best = 0;
            for (u32 n = 1; n < {threads}u; n++) best = firsts[n] < firsts[best] ? n : best;
            for (u32 i = THREAD_X; i < rows; i += {threads}u) {{
                own_left[(u64)made * rows + i] = from_real_{t}(i == bests[best] ? 1 : 0);
            }}
        }}
        GLOBAL_BARRIER();
        // Once more for what rounding leaves the first time.
        for (u32 pass = 0; pass < 2u; pass++) {{
            EACH_THREAD {{
                for (u32 j = THREAD_X; j < made; j += {threads}u) {{
                    number sum = from_real_{t}(0);
                    for (u32 i = 0; i < rows; i++) {{
                        sum = plus_inner_{t}(sum, own_left[(u64)j * rows + i], own_left[(u64)made * rows + i]);
                    }}
                    own[j] = sum;
                }}
            }}
            GLOBAL_BARRIER();
            EACH_THREAD {{
                for (u32 i = THREAD_X; i < rows; i += {threads}u) {{
                    number left = own_left[(u64)made * rows + i];
                    for (u32 j = 0; j < made; j++) left = minus_product_{t}(left, own_left[(u64)j * rows + i], own[j]);
                    own_left[(u64)made * rows + i] = left;
                }}
            }}
            GLOBAL_BARRIER();
        }}
        EACH_THREAD {{
            real square = 0;
            for (u32 i = 0; i < rows; i++) square = plus_square_{t}(square, own_left[(u64)made * rows + i]);
            lengths[THREAD_X] = SQRT_{r}(square);
        }}
        GLOBAL_BARRIER();
        EACH_THREAD {{
            for (u32 i = THREAD_X; i < rows; i += {threads}u) {{
                GLOBAL number *at = own_left + (u64)made * rows + i;
                *at = over_real_{t}(*at, lengths[THREAD_X]);
            }}
        }}
        GLOBAL_BARRIER();
    }}\n"
        )
    }
}

impl Signature for SvdKernel {
    fn name(&self) -> String {
        let wanted = if self.wants_vectors { "svd" } else { "svdvals" };
        format!("situ_{wanted}_{}", suffix(self.dtype))
    }

    fn about(&self) -> String {
        format!("Singular values of matrices of up to {} columns, a block for each.", self.pairs.columns())
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![
            Parameter::Address(Role::Matrix),
            Parameter::Address(Role::Values),
            Parameter::Address(Role::Status),
            Parameter::Length(0),
            Parameter::Length(1),
        ];
        if self.wants_vectors {
            all.extend([Parameter::Address(Role::Left), Parameter::Address(Role::Right), Parameter::Length(2)]);
            if !self.is_near {
                all.push(Parameter::Address(Role::Turned));
            }
        }
        all
    }

    fn pointee(&self, role: Role) -> String {
        pointee(self.dtype, role)
    }

    fn before(&self, _dialect: Dialect) -> String {
        names(self.dtype) + &largest_of(self.dtype, self.threads())
    }

    // A round brings every column together with another one. It takes two phases: each thread adds up squares and products of
    // its rows, and turns them by what all sums of the pair come to.
    fn body(&self, _dialect: Dialect) -> String {
        let (t, r, u) = (suffix(self.dtype), suffix(self.dtype.real_part()), suffix(unsigned(self.dtype)));
        let (threads, lanes, columns) = (self.threads(), self.lanes(), self.pairs.columns());
        let is_single = self.dtype.real_part() == DType::F32;
        let (epsilon, nothing) = if is_single { ("0x1p-23", "0x1p-90") } else { ("0x1p-52", "0x1p-206") };
        let own = self.if_vectors(|| {
            "    GLOBAL number *own_left = left + (u64)BLOCK_X * rows * (u32)length_2;
    GLOBAL number *own_right = right + (u64)BLOCK_X * columns * columns;\n"
                .into()
        });
        let identity = self.if_vectors(|| {
            format!(
                "        for (u32 n = THREAD_X; n < columns * columns; n += {threads}u) {{
            const u32 i = n % columns, j = n / columns;
            v[j * v_step + i] = from_real_{t}(i == j ? 1 : 0);
        }}\n"
            )
        });
        let turn_right = self.if_vectors(|| {
            format!(
                "                        for (u32 i = lane; i < columns; i += {lanes}u) {{
                            const number first = v[p * v_step + i], second = v[q * v_step + i];
                            v[p * v_step + i] = rotated_first_{t}(by, first, second);
                            v[q * v_step + i] = rotated_second_{t}(by, first, second);
                        }}\n"
            )
        });
        let write = self.if_vectors(|| {
            format!(
                "    EACH_THREAD {{
        for (u32 n = THREAD_X; n < columns * columns; n += {threads}u) {{
            const u32 i = n % columns, j = n / columns;
            own_right[(u64)i * columns + ranks[j]] = conj_{t}(v[j * v_step + i]);
        }}
        for (u32 n = THREAD_X; n < rows * columns; n += {threads}u) {{
            const u32 i = n % rows, j = n / rows;
            if (ranks[j] < full) own_left[(u64)ranks[j] * rows + i] = over_real_{t}(a[j * a_step + i], singular[j]);
        }}
    }}
    GLOBAL_BARRIER();\n{}",
                self.completion()
            )
        });
        let bests =
            self.if_vectors(|| format!("    SHARED u32 bests[{threads}];\n    SHARED real lengths[{threads}];\n"));
        format!(
            "    const u32 rows = (u32)length_0, columns = (u32)length_1;
    const u32 pair_count = (columns + 1u) / 2u, odd = 2u * pair_count - 1u;
    GLOBAL number *own = matrix + (u64)BLOCK_X * rows * columns;
    GLOBAL real *own_values = values + (u64)BLOCK_X * columns;
{own}{declarations}    SHARED real firsts[{threads}];
    SHARED real seconds[{threads}];
    SHARED number products[{threads}];
{bests}    SHARED real singular[{columns}];
    SHARED u32 ranks[{columns}];
    SHARED u32 is_open;
    SHARED u32 counted;
    EACH_THREAD {{
        real extent = 0;
        for (u32 n = THREAD_X; n < rows * columns; n += {threads}u) {{
            const real own_extent = extent_{t}(own[n]);
            extent = extent < own_extent ? own_extent : extent;
        }}
        firsts[THREAD_X] = extent;
        if (THREAD_X == 0u) counted = 0;
    }}
    BARRIER();
    fold_larger_{r}(firsts);
    const {u} exponent = exponent_of_extent_{r}(firsts[0]);
    const real scale = inverse_power_at_{r}(exponent), tolerance = (real){epsilon} * SQRT_{r}((real)rows);
    BARRIER();
    EACH_THREAD {{
        for (u32 n = THREAD_X; n < rows * columns; n += {threads}u) {{
            a[n / rows * a_step + n % rows] = times_real_{t}(own[n], scale);
        }}
{identity}    }}
    GLOBAL_BARRIER();
    u32 goes_on = 1;
    for (u32 sweep = 0; sweep < {MOST_SWEEPS}u && goes_on; sweep++) {{
        EACH_THREAD {{
            if (THREAD_X == 0u) is_open = 0;
        }}
        BARRIER();
        for (u32 round = 0; round < odd; round++) {{
            EACH_THREAD {{
                const u32 pair = THREAD_X / {lanes}u, lane = THREAD_X % {lanes}u;
                if (pair < pair_count) {{
                    const u32 p = lesser_of_pair(pair, round, odd), q = greater_of_pair(pair, round, odd);
                    real first_sum = 0, second_sum = 0;
                    number product = from_real_{t}(0);
                    if (q < columns) {{
                        for (u32 i = lane; i < rows; i += {lanes}u) {{
                            const number first = a[p * a_step + i], second = a[q * a_step + i];
                            first_sum = plus_square_{t}(first_sum, first);
                            second_sum = plus_square_{t}(second_sum, second);
                            product = plus_inner_{t}(product, first, second);
                        }}
                    }}
                    firsts[THREAD_X] = first_sum;
                    seconds[THREAD_X] = second_sum;
                    products[THREAD_X] = product;
                }}
            }}
            BARRIER();
            EACH_THREAD {{
                const u32 pair = THREAD_X / {lanes}u, lane = THREAD_X % {lanes}u;
                if (pair < pair_count) {{
                    const u32 p = lesser_of_pair(pair, round, odd), q = greater_of_pair(pair, round, odd);
                    real first_sum = 0, second_sum = 0;
                    number product = from_real_{t}(0);
                    UNROLL for (u32 n = pair * {lanes}u; n < (pair + 1u) * {lanes}u; n++) {{
                        first_sum += firsts[n];
                        second_sum += seconds[n];
                        product = add_{t}(product, products[n]);
                    }}
                    const real size = magnitude_{t}(product), limit = tolerance * SQRT_{r}(first_sum) * SQRT_{r}(second_sum);
                    if (size > limit && first_sum > (real){nothing} && second_sum > (real){nothing}) {{
                        const rotation_{t} by = rotation_between_{t}(first_sum, second_sum, product);
                        // What is left over after many sweeps is rounding, if it is not much.
                        if (lane == 0u) LOCAL_OR_u32(&is_open, size > 32 * limit ? 3u : 1u);
                        for (u32 i = lane; i < rows; i += {lanes}u) {{
                            const number first = a[p * a_step + i], second = a[q * a_step + i];
                            a[p * a_step + i] = rotated_first_{t}(by, first, second);
                            a[q * a_step + i] = rotated_second_{t}(by, first, second);
                        }}
{turn_right}                    }}
                }}
            }}
            GLOBAL_BARRIER();
        }}
        goes_on = is_open;
        BARRIER();
    }}
    EACH_THREAD {{
        if (THREAD_X == 0u) status[BLOCK_X] = goes_on > 1u ? 1 : 0;
        const u32 lane = THREAD_X % {lanes}u;
        for (u32 side = 0; side < 2u; side++) {{
            const u32 column = THREAD_X / {lanes}u * 2u + side;
            real sum = 0;
            if (column < columns) {{
                for (u32 i = lane; i < rows; i += {lanes}u) sum = plus_square_{t}(sum, a[column * a_step + i]);
            }}
            if (side == 0u) firsts[THREAD_X] = sum;
            if (side == 1u) seconds[THREAD_X] = sum;
        }}
    }}
    BARRIER();
    EACH_THREAD {{
        for (u32 column = THREAD_X; column < columns; column += {threads}u) {{
            real sum = 0;
            for (u32 n = column / 2u * {lanes}u; n < (column / 2u + 1u) * {lanes}u; n++) {{
                sum += column % 2u == 0u ? firsts[n] : seconds[n];
            }}
            singular[column] = SQRT_{r}(sum);
            if (sum > (real){nothing}) LOCAL_ADD_u32(&counted, 1u);
        }}
    }}
    BARRIER();
    const u32 full = counted;
    EACH_THREAD {{
        for (u32 column = THREAD_X; column < columns; column += {threads}u) {{
            const real value = singular[column];
            u32 rank = 0;
            for (u32 j = 0; j < columns; j++) {{
                const real other = singular[j];
                if (other > value || (!(value > other) && j < column)) rank++;
            }}
            ranks[column] = rank;
            own_values[rank] = value * power_at_{r}(exponent);
        }}
    }}
    BARRIER();
{write}",
            declarations = self.declarations(),
        )
    }

    fn is_wide(&self) -> bool {
        false
    }

    fn threads(&self) -> u32 {
        self.pairs.count * self.lanes()
    }
}
