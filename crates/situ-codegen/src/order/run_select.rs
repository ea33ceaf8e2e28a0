//! Runs of equal elements, side by side: in one sweep over the sorted elements.
//!
//! A block takes the next tile, lists where in it runs begin, and learns from earlier tiles how many begin before it. A run
//! goes on for as long as elements are equal to its first one; for the last run of a tile that is found by looking further
//! and further ahead.

use situ_hal::RunSelect;
use situ_types::DType;
use smallvec::smallvec;

use super::look_back::Words;
use super::ordered::Ordered;
use super::run_count::starts;
use crate::group::SUM_U32;
use crate::signature::{Parameter, Parameters, Role, Signature, THREADS};
use crate::work::{Value, Work};
use crate::{Dialect, Kernel};

/// Elements that a thread looks at, as many as there are bytes in what it reads of their verdicts.
const EACH: u32 = 16;

/// Elements of a tile.
const TILE: u32 = THREADS * EACH;

/// Words of tiles.
const WORDS: Words = Words { wide: true, step: 1, window: 4 };

/// What the text depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunMove {
    dtype: DType,
    /// What is wanted of runs.
    values: bool,
    firsts: bool,
    counts: bool,
    inverse: bool,
}

/// What is asked about the runs of equal elements of a sorted sequence.
pub(crate) fn run_select(command: &RunSelect) -> Work {
    let mut work = Work::default();
    let wanted = [command.values, command.firsts, command.counts, command.inverse].map(|place| place.is_some());
    let [values, firsts, counts, inverse] = wanted;
    if command.length == 0 || command.capacity == 0 || !wanted.contains(&true) {
        return work;
    }
    let tiles = command.length.div_ceil(TILE as usize);
    let begun = work.reserve(size_of::<u32>());
    let status = work.reserve(tiles * size_of::<u64>());
    work.zeroed = work.scratch;
    let kernel = RunMove { dtype: command.dtype, values, firsts, counts, inverse };
    let given = |place: Option<_>| place.unwrap_or(command.sorted).into();
    work.launch(Kernel::RunMove(kernel), tiles, |parameter| match parameter {
        Parameter::Address(Role::Values) => given(command.values),
        Parameter::Address(Role::Firsts) => given(command.firsts),
        Parameter::Address(Role::RunLengths) => given(command.counts),
        Parameter::Address(Role::Inverse) => given(command.inverse),
        Parameter::Address(Role::Positions) => given(command.positions),
        Parameter::Address(Role::Status) => Value::scratch(status),
        Parameter::Address(Role::Begun) => Value::scratch(begun),
        Parameter::Address(_) => command.sorted.into(),
        Parameter::Capacity => command.capacity.into(),
        _ => command.length.into(),
    });
    work
}

impl RunMove {
    fn ordered(&self) -> Ordered {
        Ordered(self.dtype)
    }

    /// What is done for the runs that begin in a tile.
    fn write_runs(&self) -> String {
        let mut text = String::new();
        if self.values {
            text += "            values[run] = sorted[start];\n";
        }
        if self.firsts {
            text += "            firsts[run] = positions[start];\n";
        }
        if self.counts {
            text += "            const u64 next = k + 1u < found ? begin + list[k + 1u] : run_end(sorted, start, end, size);
            run_lengths[run] = (i64)(next - start);\n";
        }
        text
    }

    /// Tells every element of the tile the number of its run.
    fn write_inverse(&self) -> String {
        if !self.inverse {
            return String::new();
        }
        format!(
            "    EACH_THREAD {{
        // How many runs have begun by each of the thread's elements.
        const u32 own = POPCOUNT_u32(MINE(bits));
        UNROLL for (u32 j = 0; j < {EACH}u; j++) {{
            runs[THREAD_X * {EACH}u + j] = (u16)(counts[THREAD_X] - own + POPCOUNT_u32(MINE(bits) & ((2u << j) - 1u)));
        }}
    }}
    BARRIER();
    EACH_THREAD {{
        for (u64 n = begin + THREAD_X; n < end; n += {THREADS}u) {{
            const u64 run = before + runs[n - begin] - 1u;
            // A sort leaves positions unwritten where its input changes meanwhile.
            const u64 position = (u64)positions[n];
            if (run < capacity && position < size) inverse[position] = (i64)run;
        }}
    }}\n"
        )
    }
}

impl Signature for RunMove {
    fn name(&self) -> String {
        let parts =
            [(self.values, "values"), (self.firsts, "firsts"), (self.counts, "counts"), (self.inverse, "inverse")];
        let parts: Vec<&str> = parts.into_iter().filter_map(|(wanted, name)| wanted.then_some(name)).collect();
        format!("situ_runs_{}_{}", self.ordered().name(), parts.join("_"))
    }

    fn about(&self) -> String {
        "Runs of equal elements, side by side.".into()
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![Parameter::Address(Role::Sorted), Parameter::Address(Role::Status)];
        all.extend([Parameter::Address(Role::Begun), Parameter::Size, Parameter::Capacity]);
        let optional = [
            (self.values, Role::Values),
            (self.firsts, Role::Firsts),
            (self.counts, Role::RunLengths),
            (self.inverse, Role::Inverse),
            (self.firsts || self.inverse, Role::Positions),
        ];
        all.extend(optional.into_iter().filter_map(|(wanted, role)| wanted.then_some(Parameter::Address(role))));
        all
    }

    fn pointee(&self, role: Role) -> String {
        match role {
            Role::Sorted => format!("const {}", self.ordered().element()),
            Role::Values => self.ordered().element(),
            Role::Status => WORDS.of().into(),
            Role::Begun => "u32".into(),
            Role::Positions => "const i64".into(),
            _ => "i64".into(),
        }
    }

    fn before(&self, _dialect: Dialect) -> String {
        let run_end = if self.counts {
            "// Where a run ends whose elements up to a place are equal: steps ahead, each twice the last, then halves of it.
OUTLINE u64 run_end(GLOBAL const word *sorted, u64 start, u64 from, u64 size) {
    u64 step = 1;
    while (size - from >= step && is_equal(sorted[start], sorted[from + step - 1u])) {
        from += step;
        step *= 2u;
    }
    u64 left = size - from < step ? size - from : step - 1u;
    while (left > 0) {
        const u64 half_way = left / 2u;
        if (is_equal(sorted[start], sorted[from + half_way])) {
            from += half_way + 1u;
            left -= half_way + 1u;
        } else {
            left = half_way;
        }
    }
    return from;
}\n\n"
        } else {
            ""
        };
        starts(self.dtype) + run_end + &SUM_U32.scan(THREADS) + &WORDS.look_back()
    }

    fn body(&self, _dialect: Dialect) -> String {
        let (partial, complete) = (WORDS.partial(), WORDS.complete());
        let runs = if self.inverse { format!("    SHARED u16 runs[{TILE}];\n") } else { String::new() };
        format!(
            "    SHARED w16 truths[{THREADS}];
    SHARED u32 counts[{twice}], begun_tile;
    SHARED u64 runs_before;
    SHARED u16 list[{TILE}];
{runs}    PRIVATE(u32, bits);
    EACH_THREAD {{
        if (THREAD_X == 0) begun_tile = ATOMIC_ADD_u32(begun, 1u);
    }}
    BARRIER();
    const u32 tile = begun_tile;
    const u64 begin = (u64)tile * {TILE}u;
    const u64 end = size - begin < {TILE}u ? size : begin + {TILE}u;
    EACH_THREAD {{
        UNROLL for (u32 j = 0; j < {EACH}u; j++) {{
            const u64 n = begin + j * {THREADS}u + THREAD_X;
            ((LOCAL u8 *)truths)[j * {THREADS}u + THREAD_X] = n < end ? (u8)is_start(sorted, n) : 0;
        }}
    }}
    BARRIER();
    EACH_THREAD {{
        MINE(bits) = true_bits(truths[THREAD_X]);
        counts[THREAD_X] = POPCOUNT_u32(MINE(bits));
    }}
    BARRIER();
    scan_sum_u32(counts);
    const u32 found = counts[{last}];
    EACH_THREAD {{
        if (THREAD_X == 0) {{
            volatile GLOBAL u64 *word_at = (volatile GLOBAL u64 *)(status + tile);
            u64 before = 0;
            if (tile != 0) {{
                *word_at = found | {partial};
                before = look_back(word_at, tile);
            }}
            *word_at = (before + found) | {complete};
            runs_before = before;
        }}
        u32 left = MINE(bits);
        for (u32 n = counts[THREAD_X] - POPCOUNT_u32(left); left != 0; n++) {{
            list[n] = (u16)(THREAD_X * {EACH}u + CTZ_u32(left));
            left &= left - 1u;
        }}
    }}
    BARRIER();
    const u64 before = runs_before;
    EACH_THREAD {{
        for (u32 k = THREAD_X; k < found && before + k < capacity; k += {THREADS}u) {{
            const u64 run = before + k, start = begin + list[k];
{write_runs}        }}
    }}
{inverse}",
            twice = 2 * THREADS,
            last = THREADS - 1,
            write_runs = self.write_runs(),
            inverse = self.write_inverse(),
        )
    }

    fn is_wide(&self) -> bool {
        true
    }
}
