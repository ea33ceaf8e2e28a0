//! The levels of the tree above what a block combines: by the last block to arrive, in the same launch.

use situ_ir::tree::RADIX;

use super::kernel::ReduceKernel;
use crate::signature::{Signature, unsigned};

/// How many parts a sequence of so many and every level above it have.
pub(super) fn room(mut count: usize) -> usize {
    let mut room = count;
    while count > 1 {
        count = count.div_ceil(RADIX);
        room += count;
    }
    room
}

/// Ends all blocks but the last of those that share a strip, of which there are so many. Who has left something for it has
/// let a fence follow.
pub(super) fn last_block(strip: &str, blocks: &str) -> String {
    format!(
        "    SHARED u32 is_last;
    BARRIER();
    EACH_THREAD {{
        if (THREAD_X == 0) {{
            is_last = ATOMIC_ADD_u32(arrivals + {strip}, 1u) + 1u == {blocks};
            FENCE();
        }}
    }}
    BARRIER();
    if (!is_last) return;\n"
    )
}

/// Combines the groups of a level, from `level` in a kind of memory: opens a loop in which `whole` is what a group comes
/// to.
fn groups(kernel: &ReduceKernel, memory: &str, level: &str) -> String {
    let (of, threads) = (unsigned(kernel.operands.wide), kernel.threads());
    let at_once = kernel.reducer.parts_at_once();
    format!(
        "            for ({of} n = THREAD_X; n < above << digits; n += {threads}u) {{
                const {of} group = n >> digits;
                const {of} left = count - group * {RADIX}u;
                {memory} const part *own = {level} + (((u64)group * {RADIX}u << digits) + (n & ((1u << digits) - 1u)));
                part whole = own[0];
                if (left >= {RADIX}u) {{
                    for (u32 next = 1; next < {RADIX}u; next += {at_once}u) {{
                        part others[{at_once}];
                        UNROLL for (u32 k = 0; k < {at_once}u; k++) others[k] = own[(u64)(next + k) << digits];
                        UNROLL for (u32 k = 0; k < {at_once}u; k++) whole = combine_next(whole, others[k]);
                    }}
                }} else {{
                    for (u32 k = 1; k < left; k++) whole = combine_next(whole, own[(u64)k << digits]);
                }}\n"
    )
}

/// Combines what the blocks of a strip left in `totals`, side by side for as many results as the strip has, and writes
/// the results. `digits` is there, the binary digits of that number. Levels that fit stay in local memory, where the
/// next one finds them sooner.
pub(super) fn reduce(kernel: &ReduceKernel, strip: &str) -> String {
    let (of, threads) = (unsigned(kernel.operands.wide), kernel.threads());
    let arrived = last_block(strip, kernel.blocks_of_strip());
    let (local, room) = kernel.local_parts();
    format!(
        "{arrived}    GLOBAL part *level = totals + ((u64)({strip}) * room << digits);
    {of} count = groups, above = (count + {last}u) / {RADIX}u;
    while (above << digits > {half}u) {{
        GLOBAL part *next = level + ((u64)count << digits);
        EACH_THREAD {{
{globally}                next[n] = whole;
            }}
        }}
        GLOBAL_BARRIER();
        level = next;
        count = above;
        above = (count + {last}u) / {RADIX}u;
    }}
    EACH_THREAD {{
{globally}                {local}[n] = whole;
            }}
    }}
    BARRIER();
    LOCAL part *here = {local};
    while (above > 1u) {{
        LOCAL part *next = here + (above << digits);
        count = above;
        above = (count + {last}u) / {RADIX}u;
        EACH_THREAD {{
{locally}                next[n] = whole;
            }}
        }}
        BARRIER();
        here = next;
    }}
    EACH_THREAD {{
        for (u32 n = THREAD_X; n < 1u << digits; n += {threads}u) {{
            const {of} own = (({of})({strip}) << digits) + n;
            if (own < size) {{
{store}            }}
        }}
    }}\n",
        last = RADIX - 1,
        half = room / 2,
        globally = groups(kernel, "GLOBAL", "level"),
        locally = groups(kernel, "LOCAL", "here"),
        store = kernel.store("own", "here[n]", 16),
    )
}

/// Replaces each of the totals that the blocks of a strip left by what comes before it. The first stays undefined:
/// nothing does.
pub(super) fn scan(wide: bool, threads: u32, strip: &str) -> String {
    let of = unsigned(wide);
    let arrived = last_block(strip, "groups");
    let last = RADIX - 1;
    let each_group = format!(
        "            for ({of} n = THREAD_X; n < above << digits; n += {threads}u) {{
                const {of} group = n >> digits;
                const u32 members = count - group * {RADIX}u < {RADIX}u ? (u32)(count - group * {RADIX}u) : {RADIX}u;
                GLOBAL part *own = level + (((u64)group * {RADIX}u << digits) + (n & ((1u << digits) - 1u)));
                part values[{RADIX}];
                UNROLL for (u32 k = 0; k < {RADIX}u; k++) {{
                    if (k < members) values[k] = own[(u64)k << digits];
                }}\n"
    );
    format!(
        "{arrived}    GLOBAL part *level = totals + ((u64)({strip}) * room << digits);
    {of} counts[{RADIX}];
    u32 depth = 0;
    counts[0] = groups;
    // Upwards: the scan of every group, and its total.
    for (;; depth++) {{
        const {of} count = counts[depth], above = (count + {last}u) / {RADIX}u;
        GLOBAL part *next = level + ((u64)count << digits);
        EACH_THREAD {{
{each_group}                UNROLL for (u32 k = 1; k < {RADIX}u; k++) {{
                    if (k < members) {{
                        values[k] = combine(values[k - 1u], values[k]);
                        own[(u64)k << digits] = values[k];
                    }}
                }}
                next[n] = own[(u64)(members - 1u) << digits];
            }}
        }}
        GLOBAL_BARRIER();
        if (above == 1u) break;
        level = next;
        counts[depth + 1u] = above;
    }}
    // Downwards: what comes before a group, and with that before each of its members.
    for (;; depth--) {{
        const {of} count = counts[depth], above = (count + {last}u) / {RADIX}u;
        GLOBAL const part *next = level + ((u64)count << digits);
        EACH_THREAD {{
{each_group}                const part before = next[n];
                if (group > 0u) own[0] = before;
                UNROLL for (u32 k = 1; k < {RADIX}u; k++) {{
                    if (k < members) {{
                        own[(u64)k << digits] = group > 0u ? combine(before, values[k - 1u]) : values[k - 1u];
                    }}
                }}
            }}
        }}
        GLOBAL_BARRIER();
        if (depth == 0u) break;
        level -= (u64)counts[depth - 1u] << digits;
    }}\n"
    )
}
