//! A scan across sequences: neighbouring threads take neighbouring ones, and a thread the values that are combined one
//! after another.

use situ_ir::tree::RADIX;

use super::levels;
use super::scan_kernel::{Phase, ScanKernel};
use crate::signature::unsigned;

/// Threads of a block.
pub(super) const THREADS: u32 = 512;

/// Values of a chunk.
pub(super) const CHUNK: usize = RADIX * RADIX;

/// The kernel's body.
pub(super) fn body(kernel: &ScanKernel) -> String {
    let (operands, map) = (&kernel.operands, kernel.reducer.map());
    let (of, last) = (unsigned(operands.wide), RADIX - 1);
    let read = format!(
        "    SHARED part ends[{THREADS}];
    PRIVATE(run, own);
    const {of} block = {block};
    const {of} strip = block % strips;
    const {of} chunk = block / strips;
    const u32 digits = column_digits, side = {THREADS}u >> digits, columns = 1u << digits;
    EACH_THREAD {{
        const {of} row = chunk * {CHUNK}u + (THREAD_X >> digits) * {RADIX}u;
        const {of} column = (strip << digits) + (THREAD_X & (columns - 1u));
        if (row < length && column < size) {{
{places}{declared}            UNROLL for (u32 n = 0; n < {RADIX}u; n++) {{
                const {of} position = row + n;
                if (position < length) {{
{coordinates}{loads}                }}
            }}
            UNROLL for (u32 n = 0; n < {RADIX}u; n++) {{
                if (row + n < length) {{
                    const part value = {leaf};
                    MINE(own).at[n] = n == 0 ? value : combine(MINE(own).at[n == 0 ? 0 : n - 1u], value);
                }}
            }}
            ends[THREAD_X] = MINE(own).at[{last}];
        }}
    }}
    BARRIER();
    EACH_THREAD {{
        if (THREAD_X < columns) {{
            part running = ends[THREAD_X];
            for (u32 k = 1; k < side; k++) {{
                running = combine(running, ends[(k << digits) + THREAD_X]);
                ends[(k << digits) + THREAD_X] = running;
            }}
        }}
    }}
    BARRIER();\n",
        block = kernel.block(),
        places = operands.kept_places(map, "column", 12),
        declared = operands.room(map, RADIX, 12),
        coordinates = operands.reduced_coordinates("position", 20),
        loads = operands.loads(map, "n", 20),
        leaf = operands.leaf(map, "n", "row + n"),
    );
    if kernel.phase == Phase::Totals {
        let levels = levels::scan(operands.wide, THREADS, "strip");
        return format!(
            "{read}    EACH_THREAD {{
        if (THREAD_X < columns) {{
            totals[(((u64)strip * room + chunk) << digits) + THREAD_X] = ends[((side - 1u) << digits) + THREAD_X];
            FENCE();
        }}
    }}\n{levels}"
        );
    }
    let carried = if kernel.has_totals() {
        "            if (chunk > 0u) {
                before = totals[(((u64)strip * room + chunk) << digits) + (THREAD_X & (columns - 1u))];
                is_first = 0;
            }\n"
    } else {
        ""
    };
    let written = format!(
        "    EACH_THREAD {{
        const {of} row = chunk * {CHUNK}u + (THREAD_X >> digits) * {RADIX}u;
        const {of} column = (strip << digits) + (THREAD_X & (columns - 1u));
        if (row < length && column < size) {{
            part before;
            u32 is_first = 1u;
{carried}            if (THREAD_X >= columns) {{
                const part end = ends[THREAD_X - columns];
                before = is_first ? end : combine(before, end);
                is_first = 0;
            }}
{kept}            UNROLL for (u32 n = 0; n < {RADIX}u; n++) {{
                const {of} position = row + n;
                if (position < length) {{
                    const part value = is_first ? MINE(own).at[n] : combine(before, MINE(own).at[n]);
{coordinates}                    {store}
                }}
            }}
        }}
    }}\n",
        kept = operands.kept_coordinates("column", 12),
        coordinates = operands.reduced_coordinates("position", 20),
        store = kernel.store("value"),
    );
    read + &written
}
