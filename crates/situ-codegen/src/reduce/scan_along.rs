//! A scan along sequences: a block takes a chunk of one, or several that are shorter.
//!
//! A thread takes a *slot*: neighbours that are combined one after another. They are read and written by neighbouring
//! threads, and go through local memory.

use situ_ir::tree::RADIX;

use super::levels;
use super::scan_kernel::{Phase, ScanKernel};
use crate::Dialect;
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

/// Declares what threads keep, and which chunk of which sequences the block has.
fn shares(kernel: &ScanKernel) -> String {
    let of = unsigned(kernel.operands.wide);
    format!(
        "    SHARED part ends[{ends}];
    SHARED part tops[{RADIX}];
    PRIVATE(run, own);
    const {of} block = {block};
    const {of} share = block / groups;
    const {of} chunk = block - share * groups;
    const {of} first = share << ({digits}u - slot_digits);
    const {of} begin = chunk * {CHUNK}u;\n",
        ends = THREADS as usize + THREADS as usize / RADIX,
        block = kernel.block(),
        digits = THREADS.trailing_zeros(),
    )
}

/// Reads the values of all slots, by way of local memory.
fn staged_read(kernel: &ScanKernel) -> String {
    let (operands, map, passes) = (&kernel.operands, kernel.reducer.map(), passes(kernel));
    let (room, each, slots, row) = (CHUNK / passes, RADIX / passes, THREADS as usize / passes, RADIX + 1);
    format!(
        "    SHARED part stage[{stage}];
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
        stage = room + room / RADIX,
        place = place(kernel),
        declared = operands.room(map, each, 12),
        places = operands.kept_places(map, "sequence", 20),
        coordinates = operands.reduced_coordinates("position", 20),
        loads = operands.loads(map, "n", 20),
        leaf = operands.leaf(map, "n", "position"),
    )
}

/// Writes the values of all slots, by way of local memory.
fn staged_write(kernel: &ScanKernel) -> String {
    let (operands, passes) = (&kernel.operands, passes(kernel));
    let (each, slots, row) = (RADIX / passes, THREADS as usize / passes, RADIX + 1);
    format!(
        "    for (u32 pass = 0; pass < {passes}u; pass++) {{
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
    )
}

/// Opens a loop over the values of a thread's slot, at their coordinates, where a block is one work-item: what neighbouring
/// threads read need not be neighbours then.
fn each_value(kernel: &ScanKernel, places: &str) -> String {
    let of = unsigned(kernel.operands.wide);
    format!(
        "    EACH_THREAD {{
        const {of} sequence = first + (THREAD_X >> slot_digits);
        const {of} from = begin + (THREAD_X & ((1u << slot_digits) - 1u)) * {RADIX}u;
        if (sequence < size && from < length) {{
            const u32 count = length - from < {RADIX}u ? (u32)(length - from) : {RADIX}u;
{places}            for (u32 k = 0; k < count; k++) {{
                const {of} position = from + k;
{coordinates}",
        coordinates = kernel.operands.reduced_coordinates("position", 16),
    )
}

/// Reads the values of all slots.
fn plain_read(kernel: &ScanKernel) -> String {
    let (operands, map) = (&kernel.operands, kernel.reducer.map());
    format!(
        "{each}                MINE(own).at[k] = {leaf};
            }}
        }}
    }}\n",
        each = each_value(kernel, &operands.kept_places(map, "sequence", 12)),
        leaf = operands.leaf_here(map, "position"),
    )
}

/// Writes the values of all slots.
fn plain_write(kernel: &ScanKernel) -> String {
    format!(
        "{each}                {store}
            }}
        }}
    }}\n",
        each = each_value(kernel, &kernel.operands.kept_coordinates("sequence", 12)),
        store = kernel.store("MINE(own).at[k]"),
    )
}

/// The kernel's body.
pub(super) fn body(kernel: &ScanKernel, dialect: Dialect) -> String {
    let operands = &kernel.operands;
    let (row, last) = (RADIX + 1, RADIX - 1);
    let is_plain = dialect == Dialect::Processor;
    let read = shares(kernel) + &if is_plain { plain_read(kernel) } else { staged_read(kernel) };
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
    }}\n"
    );
    let write = if is_plain { plain_write(kernel) } else { staged_write(kernel) };
    read + &scanned + &written + &write
}
