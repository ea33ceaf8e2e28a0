//! The kernel for results that are neighbours themselves: neighbouring threads take neighbouring results, and a thread
//! combines the values of one group of the tree.

use situ_ir::tree::RADIX;

use super::kernel::ReduceKernel;
use super::levels;
use crate::signature::unsigned;

/// Threads of a block.
pub(super) const THREADS: u32 = 512;

/// Reads of so many rows from `row + k` on, and then what combines them.
fn rows(kernel: &ReduceKernel, rows: usize) -> String {
    let (operands, map, of) = (&kernel.operands, kernel.reducer.map(), unsigned(kernel.operands.wide));
    format!(
        "{room}                    UNROLL for (u32 n = 0; n < {rows}u; n++) {{
                        const {of} position = row + k + n;
{coordinates}{loads}                    }}
                    UNROLL for (u32 n = 0; n < {rows}u; n++) {{
                        UNROLL for (u32 j = 0; j < {width}u; j++) {{
                            const part value = {leaf};
                            own[j] = n == 0 && k == 0 ? value : combine_next(own[j], value);
                        }}
                    }}\n",
        width = operands.width,
        room = operands.room(map, rows, 20),
        coordinates = operands.reduced_coordinates("position", 24),
        loads = operands.loads(map, "n", 24),
        leaf = operands.leaf(map, "n", "row + k + n"),
    )
}

/// The kernel's body.
pub(super) fn body(kernel: &ReduceKernel) -> String {
    let (operands, map) = (&kernel.operands, kernel.reducer.map());
    let (of, width) = (unsigned(operands.wide), operands.width as usize);
    let (batch, width_digits) = (operands.in_flight(), width.trailing_zeros());
    let result = if kernel.spread {
        format!(
            "            totals[(((u64)strip * room + first / {}u + group) << digits) + column] = whole;\n            FENCE();\n",
            RADIX * RADIX
        )
    } else {
        let store = kernel.store("(strip << digits) + column", "whole", 12);
        format!("            if ((strip << digits) + column >= size) continue;\n{store}")
    };
    let groups = format!(
        "    SHARED part sums[{all}];
    const {of} strip = BLOCK_X % strips;
    const u32 digits = column_digits + {width_digits}u, side = {THREADS}u >> column_digits;
    const {of} first = ({of})(BLOCK_X / strips) * (side * {RADIX}u);
    EACH_THREAD {{
        const {of} row = first + (THREAD_X >> column_digits) * {RADIX}u;
        const {of} column = (strip << digits) + (THREAD_X & ((1u << column_digits) - 1u)) * {width}u;
        if (row < length && column < size) {{
            const u32 count = length - row < {RADIX}u ? (u32)(length - row) : {RADIX}u;
{places}            part own[{width}];
            u32 k = 0;
            if (count == {RADIX}u) {{
                for (; k < {RADIX}u; k += {batch}u) {{
{batched}                }}
            }} else {{
                for (; k < count; k++) {{
{single}                }}
            }}
            UNROLL for (u32 j = 0; j < {width}u; j++) sums[THREAD_X * {width}u + j] = own[j];
        }}
    }}
    BARRIER();
    const {of} left = (length - first + {last}u) / {RADIX}u;
    const u32 present = left < side ? (u32)left : side;
    EACH_THREAD {{
        for (u32 n = THREAD_X; n < (present + {last}u) / {RADIX}u << digits; n += {THREADS}u) {{
            const u32 group = n >> digits, column = n & ((1u << digits) - 1u);
            const u32 begin = group * {RADIX}u;
            const u32 end = present - begin < {RADIX}u ? present : begin + {RADIX}u;
            part whole = sums[(begin << digits) + column];
            for (u32 k = begin + 1u; k < end; k++) whole = combine_next(whole, sums[(k << digits) + column]);
{result}        }}
    }}\n",
        all = THREADS as usize * width,
        last = RADIX - 1,
        places = operands.kept_places(map, "column", 12),
        batched = rows(kernel, batch),
        single = rows(kernel, 1),
    );
    if kernel.spread { groups + &levels::reduce(kernel, "strip") } else { groups }
}
