//! The kernel for results whose values are neighbours, where a block is one work-item: it goes through the lanes of a chunk
//! in loops that its compiler makes vectors of.

use situ_ir::tree::{CHUNK, LANES, RADIX};

use super::along::{MOST_CHUNKS, results, shares, warps};
use super::kernel::ReduceKernel;
use crate::signature::unsigned;

/// Rounds that a lane takes in before the next lane has its turn.
const ROUNDS_AT_ONCE: usize = 4;

/// Takes in the values of so many rounds from `round` on, in all lanes before an end; `is_first` is whether there are none
/// before them.
fn rounds(kernel: &ReduceKernel, count: usize, end: &str, is_first: &str) -> String {
    let (operands, map, of) = (&kernel.operands, kernel.reducer.map(), unsigned(kernel.operands.wide));
    let (lane, round, turns) = match count {
        1 => ("k".to_owned(), "round", String::new()),
        _ => (format!("n * {LANES}u + k"), "(round + n)", format!("UNROLL for (u32 n = 0; n < {count}u; n++) ")),
    };
    // Compilers see that neighbours are read where nothing but the lane is added to an address.
    let (rows, coordinates, leaf) = if operands.reduced == 1 {
        let rows = operands.rows(map, &format!("begin + round * {LANES}u"), 12);
        (rows, String::new(), operands.leaf_in_row(map, &lane, "position"))
    } else {
        (String::new(), operands.reduced_coordinates("position", 16), operands.leaf_here(map, "position"))
    };
    format!(
        "{rows}            for (u32 k = 0; k < {end}; k++) {turns}{{
                const {of} position = begin + {round} * {LANES}u + k;
{coordinates}                const {term} value = {leaf};
                {taken_in}
            }}\n",
        term = kernel.reducer.value_type(),
        taken_in = kernel.reducer.taken_in_by_lane(round, is_first),
    )
}

/// What each lane of a chunk comes to.
fn lanes(kernel: &ReduceKernel) -> String {
    let all = format!("{LANES}u");
    format!(
        "        {runs}
        u32 round = 0;
        if (rounds > 0u) {{
{first}            round = 1u;
        }}
        for (; round + {ROUNDS_AT_ONCE}u <= rounds; round += {ROUNDS_AT_ONCE}u) {{
{several}        }}
        for (; round < rounds; round++) {{
{one}        }}
        if (rest > 0u) {{
{last}        }}
        for (u32 k = 0; k < live; k++) lanes[k] = {closed};\n",
        runs = kernel.reducer.lanes(LANES, kernel.operands.wide),
        first = rounds(kernel, 1, &all, "1"),
        several = rounds(kernel, ROUNDS_AT_ONCE, &all, "0"),
        one = rounds(kernel, 1, &all, "0"),
        last = rounds(kernel, 1, "rest", "rounds == 0u"),
        closed = kernel.reducer.closed_lane("rounds + (k < rest ? 1u : 0u)"),
    )
}

/// The same in vectors, where sums of floating-point numbers are all there is to do: memory is then read in order.
fn lanes_in_vectors(of: &str) -> String {
    const WIDTH: usize = 8;
    let vectors = LANES / WIDTH;
    format!(
        "        if (rounds > 0u) {{
            GLOBAL const {of} *row = from0 + begin;
            {of}{WIDTH} sums[{vectors}];
            UNROLL for (u32 v = 0; v < {vectors}u; v++) sums[v] = vload{WIDTH}(v, row);
            for (u32 round = 1; round < rounds; round++) {{
                row += {LANES};
                UNROLL for (u32 v = 0; v < {vectors}u; v++) sums[v] += vload{WIDTH}(v, row);
            }}
            UNROLL for (u32 v = 0; v < {vectors}u; v++) vstore{WIDTH}(sums[v], v, lanes);
        }}
        GLOBAL const {of} *row = from0 + (begin + rounds * {LANES}u);
        for (u32 k = 0; k < rest; k++) lanes[k] = rounds == 0u ? row[k] : combine(lanes[k], row[k]);\n"
    )
}

/// The kernel's body.
pub(super) fn body(kernel: &ReduceKernel) -> String {
    let (operands, map) = (&kernel.operands, kernel.reducer.map());
    let of = unsigned(operands.wide);
    let lanes = match kernel.reducer.plain_sum().filter(|_| operands.is_one_row()) {
        Some(of) => lanes_in_vectors(of),
        None => lanes(kernel),
    };
    let chunks = format!(
        "    SHARED part lanes[{all}];
    SHARED part done[{MOST_CHUNKS}];
{shares}    for (u32 item = 0; item < items; item++) {{
        const {of} result = first + item / chunks;
        const {of} begin = (group * {RADIX}u + item % chunks) * {CHUNK}u;
        const u32 count = length - begin < {CHUNK}u ? (u32)(length - begin) : {CHUNK}u;
{places}        const u32 rounds = count / {LANES}u, rest = count % {LANES}u, live = rounds > 0u ? {LANES}u : rest;
{lanes}        for (u32 apart = {half}u; apart > 0u; apart /= 2u) {{
            const u32 pairs = live > apart ? (live - apart < apart ? live - apart : apart) : 0u;
            for (u32 k = 0; k < pairs; k++) lanes[k] = combine(lanes[k], lanes[k + apart]);
        }}
        done[item] = lanes[0];
    }}\n",
        all = warps(kernel.reducer.part_size(operands.wide)) * LANES,
        shares = shares(kernel),
        places = operands.kept_places(map, "result", 8),
        half = LANES / 2,
    );
    chunks + &results(kernel)
}
