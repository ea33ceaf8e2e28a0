//! The kernel for results whose values are neighbours: a warp per chunk, a block per group of chunks or for the chunks of
//! several results.

use situ_ir::tree::{CHUNK, LANES, RADIX};

use super::kernel::ReduceKernel;
use super::levels;
use crate::signature::unsigned;

/// Threads of a warp, with [`EACH`] lanes of its chunk each.
pub(super) const WARP: usize = 32;

/// Lanes of a thread.
const EACH: usize = LANES / WARP;

/// The most bytes of a block's lanes.
const LANE_BYTES: usize = 40 << 10;

/// Warps of a block: as many as a group has chunks, or half of them, if local memory has no room for more.
pub(super) fn warps(part_size: usize) -> usize {
    if RADIX * LANES * part_size <= LANE_BYTES { RADIX } else { RADIX / 2 }
}

/// Chunks that a block combines at most, over all its results.
pub(super) const MOST_CHUNKS: usize = RADIX * RADIX;

/// The values of `rounds` rounds from `round` on, or of those that there are: all are read before the first is combined.
fn batch(kernel: &ReduceKernel, rounds: usize, is_whole: bool) -> String {
    let (operands, map, of) = (&kernel.operands, kernel.reducer.map(), unsigned(kernel.operands.wide));
    let width = operands.width as usize;
    let (reads, step) = (LANES / (WARP * width), WARP * width);
    let count = rounds * reads;
    let position = format!("begin + round * {LANES}u + n * {step}u + thread * {width}u");
    let guard = if is_whole { String::new() } else { format!("if (round + n / {reads}u < rounds) ") };
    format!(
        "{room}                    UNROLL for (u32 n = 0; n < {count}u; n++) {guard}{{
                        const {of} position = {position};
{coordinates}{loads}                    }}
                    UNROLL for (u32 n = 0; n < {count}u; n++) {guard}{{
                        UNROLL for (u32 j = 0; j < {width}u; j++) {{
                            const {term} value = {leaf};
                            const u32 k = n % {reads}u * {width}u + j;
                            {taken_in}
                        }}
                    }}\n",
        room = operands.room(map, count, 20),
        coordinates = operands.reduced_coordinates("position", 24),
        loads = operands.loads(map, "n", 24),
        leaf = operands.leaf(map, "n", &format!("{position} + j")),
        term = kernel.reducer.value_type(),
        taken_in =
            kernel
                .reducer
                .taken_in("own[k]", &format!("round + n / {reads}u"), &format!("n < {reads}u && round == 0"),),
    )
}

/// Declares which chunks of which results a block has.
pub(super) fn shares(kernel: &ReduceKernel) -> String {
    let (of, group) = (unsigned(kernel.operands.wide), RADIX * CHUNK);
    if kernel.spread {
        format!(
            "    const {of} first = BLOCK_X / groups;
    const {of} group = BLOCK_X - first * groups;
    const {of} left = (length - group * {group}u + {last}u) / {CHUNK}u;
    const u32 items = left < {RADIX}u ? (u32)left : {RADIX}u;\n",
            last = CHUNK - 1,
        )
    } else {
        format!(
            "    const {of} first = ({of})BLOCK_X * each;
    const {of} group = 0;
    const u32 items = (size - first < each ? (u32)(size - first) : each) * chunks;\n"
        )
    }
}

/// The kernel's body.
pub(super) fn body(kernel: &ReduceKernel) -> String {
    let (operands, map) = (&kernel.operands, kernel.reducer.map());
    let (of, width) = (unsigned(operands.wide), operands.width as usize);
    let warps = warps(kernel.reducer.part_size(operands.wide));
    let shares = shares(kernel);
    let at_once = (kernel.in_flight() * WARP * width / LANES).max(1);
    let half = (at_once / 2).max(1);
    let step = WARP * width;
    let chunks = format!(
        "    SHARED part lanes[{all}];
    SHARED part done[{MOST_CHUNKS}];
    PRIVATE(u32, lane_count);
{shares}    for (u32 start = 0; start < items; start += {warps}u) {{
        EACH_THREAD {{
            const u32 thread = THREAD_X % {WARP}u, item = start + THREAD_X / {WARP}u;
            MINE(lane_count) = 0;
            if (item < items) {{
                const {of} result = first + item / chunks;
                const {of} begin = (group * {RADIX}u + item % chunks) * {CHUNK}u;
                const u32 count = length - begin < {CHUNK}u ? (u32)(length - begin) : {CHUNK}u;
{places}                const u32 rounds = count / {LANES}u;
                {runs}
                u32 round = 0;
                for (; round + {at_once}u <= rounds; round += {at_once}u) {{
{whole}                }}
                for (; round < rounds; round += {half}u) {{
{partial}                }}
                round = rounds;
                const u32 rest = count % {LANES}u;
                UNROLL for (u32 k = 0; k < {EACH}u; k++) {{
                    const u32 lane = k / {width}u * {step}u + thread * {width}u + k % {width}u;
                    if (lane < rest) {{
                        const {of} position = begin + round * {LANES}u + lane;
{coordinates}                        const {term} value = {leaf};
                        {taken_in}
                    }}
                    if (lane < count) lanes[THREAD_X / {WARP}u * {LANES}u + lane] = {closed};
                }}
                MINE(lane_count) = count < {LANES}u ? count : {LANES}u;
            }}
        }}
        WARP_BARRIER();
        EACH_THREAD {{
            const u32 thread = THREAD_X % {WARP}u, live = MINE(lane_count);
            LOCAL part *own = lanes + (THREAD_X / {WARP}u * {LANES}u + thread);
            if (thread + 64u < live) own[0] = combine(own[0], own[64]);
            if (thread + 96u < live) own[32] = combine(own[32], own[96]);
            if (thread + 32u < live) own[0] = combine(own[0], own[32]);
        }}
        WARP_BARRIER();
        for (u32 apart = 16u; apart > 0u; apart /= 2u) {{
            EACH_THREAD {{
                const u32 thread = THREAD_X % {WARP}u;
                LOCAL part *own = lanes + (THREAD_X / {WARP}u * {LANES}u + thread);
                if (thread < apart && thread + apart < MINE(lane_count)) own[0] = combine(own[0], own[apart]);
            }}
            WARP_BARRIER();
        }}
        EACH_THREAD {{
            if (THREAD_X % {WARP}u == 0 && MINE(lane_count) > 0u) {{
                done[start + THREAD_X / {WARP}u] = lanes[THREAD_X / {WARP}u * {LANES}u];
            }}
        }}
        WARP_BARRIER();
    }}
    BARRIER();\n",
        all = warps * LANES,
        places = operands.kept_places(map, "result", 16),
        whole = batch(kernel, at_once, true),
        partial = batch(kernel, half, false),
        coordinates = operands.reduced_coordinates("position", 24),
        leaf = operands.leaf_here(map, "position"),
        term = kernel.reducer.value_type(),
        runs = kernel.reducer.runs(EACH),
        taken_in = kernel.reducer.taken_in("own[k]", "round", "round == 0"),
        closed = kernel.reducer.closed("own[k]", "rounds + (lane < rest ? 1u : 0u)"),
    );
    chunks + &results(kernel)
}

/// Combines the chunks of each result, of which `done` has what they come to, and writes it or leaves it to the last block.
pub(super) fn results(kernel: &ReduceKernel) -> String {
    let result = if kernel.spread {
        "            totals[first * room + group] = whole;\n            FENCE();\n".to_owned()
    } else {
        kernel.store("first + THREAD_X", "whole", 12)
    };
    let combined = format!(
        "    EACH_THREAD {{
        if (THREAD_X * chunks < items) {{
            const u32 own = THREAD_X * chunks;
            const u32 end = items - own < chunks ? items : own + chunks;
            part whole = done[own];
            for (u32 n = own + 1u; n < end; n++) whole = combine_next(whole, done[n]);
{result}        }}
    }}\n"
    );
    let above = if kernel.spread {
        "    const u32 digits = 0;\n".to_owned() + &levels::reduce(kernel, "first")
    } else {
        String::new()
    };
    combined + &above
}
