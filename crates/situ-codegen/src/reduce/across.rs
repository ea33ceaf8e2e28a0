//! The kernel for results that are neighbours themselves: neighbouring threads take neighbouring results, and a thread
//! combines the values of one group of the tree.

use situ_ir::tree::RADIX;

use super::kernel::ReduceKernel;
use super::levels;
use crate::signature::unsigned;

/// Threads of a block.
pub(super) const THREADS: u32 = 512;

/// The most bytes of what a block's threads know.
const SUM_BYTES: usize = 32 << 10;

/// The most results that a thread combines side by side, a power of two.
pub(super) fn most_columns(part_size: usize) -> usize {
    SUM_BYTES / (THREADS as usize * part_size.next_power_of_two())
}

/// The values of a thread's rows from `k` on: all are read before the first is combined.
fn batch(kernel: &ReduceKernel, reads: usize) -> String {
    let (operands, map, of) = (&kernel.operands, kernel.reducer.map(), unsigned(kernel.operands.wide));
    let (rows, columns) = (operands.rows_at_once(), operands.columns_at_once());
    let row = if rows > 1 { format!("k + n * {rows}u + j") } else { "k + n".into() };
    let (column, first) = if columns > 1 { ("j", "n") } else { ("0", "n + j") };
    format!(
        "{room}                UNROLL for (u32 n = 0; n < {reads}u; n++) if (k + n * {rows}u < count) {{
                    const {of} position = row + k + n * {rows}u;
{coordinates}{loads}                }}
                UNROLL for (u32 n = 0; n < {reads}u; n++) if (k + n * {rows}u < count) {{
                    UNROLL for (u32 j = 0; j < {width}u; j++) {{
                        const {term} value = {leaf};
                        {taken_in}
                    }}
                }}\n",
        width = operands.width,
        room = operands.room(map, reads, 16),
        coordinates = operands.reduced_coordinates("position", 20),
        loads = operands.loads(map, "n", 20),
        leaf = operands.leaf(map, "n", &format!("row + {row}")),
        term = kernel.reducer.value_type(),
        taken_in = kernel.reducer.taken_in(&format!("own[{column}]"), &row, &format!("k + {first} == 0")),
    )
}

/// Combines the rows that a block has of a level, group by group: opens a loop in which `whole` is what a group comes to.
fn combined() -> String {
    format!(
        "        for (u32 n = THREAD_X; n < (present + {last}u) / {RADIX}u << digits; n += {THREADS}u) {{
            const u32 group = n >> digits, column = n & ((1u << digits) - 1u);
            const u32 begin = group * {RADIX}u;
            const u32 end = present - begin < {RADIX}u ? present : begin + {RADIX}u;
            part whole = held[(begin << digits) + column];
            for (u32 k = begin + 1u; k < end; k++) whole = combine_next(whole, held[(k << digits) + column]);\n",
        last = RADIX - 1,
    )
}

/// The parts that a block leaves of each sequence, if it has groups of so many rows.
pub(super) fn parts(side: usize) -> usize {
    (if side >= RADIX * RADIX { side / RADIX } else { side }).div_ceil(RADIX)
}

/// The kernel's body.
pub(super) fn body(kernel: &ReduceKernel) -> String {
    let (operands, map) = (&kernel.operands, kernel.reducer.map());
    let (of, width) = (unsigned(operands.wide), operands.columns_at_once());
    let width_digits = width.trailing_zeros();
    let reads = kernel.in_flight().min(RADIX / operands.rows_at_once());
    let result = if kernel.spread {
        format!(
            "            const {of} own = block * (rows / {RADIX}u) + group;
            totals[(((u64)strip * room + own) << digits) + column] = whole;
            FENCE();\n"
        )
    } else {
        let store = kernel.store("(strip << digits) + column", "whole", 12);
        format!("            if ((strip << digits) + column >= size) continue;\n{store}")
    };
    let groups = format!(
        "    SHARED part sums[{all}];
    SHARED part tops[{tops}];
    const {of} strip = BLOCK_X % strips;
    const {of} block = BLOCK_X / strips;
    const u32 digits = column_digits + {width_digits}u, side = {THREADS}u >> column_digits;
    const {of} first = block * (side * {RADIX}u);
    EACH_THREAD {{
        const {of} row = first + (THREAD_X >> column_digits) * {RADIX}u;
        const {of} column = (strip << digits) + (THREAD_X & ((1u << column_digits) - 1u)) * {width}u;
        if (row < length && column < size) {{
            const u32 count = length - row < {RADIX}u ? (u32)(length - row) : {RADIX}u;
{places}            {runs}
            for (u32 k = 0; k < count; k += {at_once}u) {{
{batch}            }}
            UNROLL for (u32 j = 0; j < {width}u; j++) sums[THREAD_X * {width}u + j] = {closed};
        }}
    }}
    BARRIER();
    const {of} left = (length - first + {last}u) / {RADIX}u;
    u32 present = left < side ? (u32)left : side, rows = side;
    LOCAL const part *held = sums;
    if (rows >= {square}u) {{
        EACH_THREAD {{
{combined}            tops[n] = whole;
        }}
        }}
        BARRIER();
        held = tops;
        present = (present + {last}u) / {RADIX}u;
        rows /= {RADIX}u;
    }}
    EACH_THREAD {{
{combined}{result}        }}
    }}\n",
        combined = combined(),
        square = RADIX * RADIX,
        tops = THREADS as usize * width / RADIX,
        all = THREADS as usize * width,
        last = RADIX - 1,
        places = operands.kept_places(map, "column", 12),
        at_once = reads * operands.rows_at_once(),
        batch = batch(kernel, reads),
        runs = kernel.reducer.runs(width),
        closed = kernel.reducer.closed("own[j]", "count"),
    );
    if kernel.spread { groups + &levels::reduce(kernel, "strip") } else { groups }
}
