//! A scan along sequences: a block takes a chunk of one, or several that are shorter.
//!
//! A thread takes a *slot*: neighbours that are combined one after another. They are read and written by neighbouring
//! threads, and go through local memory.

use situ_ir::tree::RADIX;

use super::levels;
use super::scan_kernel::{Phase, ScanKernel};
use crate::signature::unsigned;

/// Threads of a block, and slots of a chunk.
pub(super) const THREADS: u32 = (RADIX * RADIX) as u32;

/// Values of a chunk.
pub(super) const CHUNK: usize = RADIX * RADIX * RADIX;

/// The most bytes of local memory for a chunk's values; wider ones pass through it in parts.
const STAGE: usize = 40 << 10;

/// How many parts that takes.
fn passes(kernel: &ScanKernel) -> usize {
    let bytes = (CHUNK + CHUNK / RADIX) * kernel.reducer.part_size(kernel.operands.wide);
    bytes.div_ceil(STAGE).next_power_of_two()
}

/// Declares where the n-th of a thread's values in local memory is, and of which sequence and position it is.
fn place(kernel: &ScanKernel) -> String {
    let of = unsigned(kernel.operands.wide);
    let room = CHUNK / passes(kernel);
    format!(
        "                const u32 staged = n * {THREADS}u + THREAD_X, place = pass * {room}u + staged;
                const {of} sequence = first + (place >> (slot_digits + 4u));
                const {of} position = begin + (place & (({RADIX}u << slot_digits) - 1u));\n"
    )
}

/// The kernel's body.
pub(super) fn body(kernel: &ScanKernel) -> String {
    let (operands, map) = (&kernel.operands, kernel.reducer.map());
    let of = unsigned(operands.wide);
    let passes = passes(kernel);
    let (room, each, slots) = (CHUNK / passes, RADIX / passes, THREADS as usize / passes);
    let (row, last, digits) = (RADIX + 1, RADIX - 1, THREADS.trailing_zeros());
    let read = format!(
        "    SHARED part stage[{stage}];
    SHARED part ends[{ends}];
    SHARED part tops[{RADIX}];
    PRIVATE(run, own);
    const {of} block = {block};
    const {of} share = block / groups;
    const {of} chunk = block - share * groups;
    const {of} first = share << ({digits}u - slot_digits);
    const {of} begin = chunk * {CHUNK}u;
    for (u32 pass = 0; pass < {passes}u; pass++) {{
        EACH_THREAD {{
{declared}            UNROLL for (u32 n = 0; n < {each}u; n++) {{
{place}                if (sequence < size && position < length) {{
{places}{coordinates}{loads}                }}
            }}
            UNROLL for (u32 n = 0; n < {each}u; n++) {{
{place}                if (sequence < size && position < length) stage[staged + staged / {RADIX}u] = {leaf};
            }}
        }}
        BARRIER();
        EACH_THREAD {{
            if (THREAD_X / {slots}u == pass) {{
                UNROLL for (u32 k = 0; k < {RADIX}u; k++) MINE(own).at[k] = stage[THREAD_X % {slots}u * {row}u + k];
            }}
        }}
        BARRIER();
    }}\n",
        block = kernel.block(),
        stage = room + room / RADIX,
        ends = THREADS as usize + THREADS as usize / RADIX,
        place = place(kernel),
        declared = operands.room(map, each, 12),
        places = operands.kept_places(map, "sequence", 20),
        coordinates = operands.reduced_coordinates("position", 20),
        loads = operands.loads(map, "n", 20),
        leaf = operands.leaf(map, "n", "position"),
    );
    // Slots that begin a sequence begin anew. What lies beyond its end is combined with nothing that counts.
    let scanned = format!(
        "    EACH_THREAD {{
        UNROLL for (u32 k = 1; k < {RADIX}u; k++) MINE(own).at[k] = combine(MINE(own).at[k - 1u], MINE(own).at[k]);
        ends[THREAD_X + THREAD_X / {RADIX}u] = MINE(own).at[{last}];
    }}
    BARRIER();
    EACH_THREAD {{
        if (THREAD_X < {RADIX}u) {{
            LOCAL part *group = ends + THREAD_X * {row}u;
            part running = group[0];
            for (u32 k = 1; k < {RADIX}u; k++) {{
                const part value = group[k];
                running = (k & ((1u << slot_digits) - 1u)) == 0 ? value : combine(running, value);
                group[k] = running;
            }}
            tops[THREAD_X] = running;
        }}
    }}
    BARRIER();
    EACH_THREAD {{
        if (THREAD_X == 0) {{
            part running = tops[0];
            for (u32 k = 1; k < {RADIX}u; k++) {{
                const part value = tops[k];
                running = (k * {RADIX}u & ((1u << slot_digits) - 1u)) == 0 ? value : combine(running, value);
                tops[k] = running;
            }}
        }}
    }}
    BARRIER();\n"
    );
    if kernel.phase == Phase::Totals {
        let levels = levels::scan(operands.wide, THREADS, "share");
        return format!(
            "{read}{scanned}    const u32 digits = 0;
    EACH_THREAD {{
        if (THREAD_X == 0) {{
            totals[share * room + chunk] = tops[{last}];
            FENCE();
        }}
    }}\n{levels}"
        );
    }
    let carried = if kernel.has_totals() {
        "        if (chunk > 0u) {
            before = totals[share * room + chunk];
            is_first = 0;
        }\n"
    } else {
        ""
    };
    let written = format!(
        "    EACH_THREAD {{
        const u32 slot = THREAD_X & ((1u << slot_digits) - 1u);
        part before;
        u32 is_first = 1u;
{carried}        if (slot >= {RADIX}u) {{
            const part top = tops[THREAD_X / {RADIX}u - 1u];
            before = is_first ? top : combine(before, top);
            is_first = 0;
        }}
        if (slot % {RADIX}u > 0u) {{
            const part end = ends[THREAD_X + THREAD_X / {RADIX}u - 1u];
            before = is_first ? end : combine(before, end);
            is_first = 0;
        }}
        if (!is_first) {{
            UNROLL for (u32 k = 0; k < {RADIX}u; k++) MINE(own).at[k] = combine(before, MINE(own).at[k]);
        }}
    }}
    for (u32 pass = 0; pass < {passes}u; pass++) {{
        EACH_THREAD {{
            if (THREAD_X / {slots}u == pass) {{
                UNROLL for (u32 k = 0; k < {RADIX}u; k++) stage[THREAD_X % {slots}u * {row}u + k] = MINE(own).at[k];
            }}
        }}
        BARRIER();
        EACH_THREAD {{
            UNROLL for (u32 n = 0; n < {each}u; n++) {{
{place}                if (sequence < size && position < length) {{
{kept}{coordinates}                    {store}
                }}
            }}
        }}
        BARRIER();
    }}\n",
        place = place(kernel),
        kept = operands.kept_coordinates("sequence", 20),
        coordinates = operands.reduced_coordinates("position", 20),
        store = kernel.store(&format!("stage[staged + staged / {RADIX}u]")),
    );
    read + &scanned + &written
}
