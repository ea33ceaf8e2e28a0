//! A tile of elements, sorted by one digit in a block's local memory: the text that radix sorts of any length share.
//!
//! Each warp takes neighbouring elements, 32 at a time. It first counts its digits, so that others can be told early; the
//! block adds the counts up; then each warp gives its elements their ranks, one element per thread at a time. Threads with
//! the same digit find each other through a word of local memory per digit, in which each sets its bit: that was faster
//! than asking all threads for each bit of the digit.

use super::ordered::{DIGITS, Ordered};
use crate::group::SUM_U32;
use crate::signature::THREADS;

/// Warps of a block.
const WARPS: u32 = THREADS / 32;

/// Counts that a block keeps: one per warp and digit.
const COUNTS: u32 = WARPS * DIGITS;

/// A tile of a block's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Tile {
    pub(super) ordered: Ordered,
    /// Elements that a thread has.
    pub(super) each: u32,
}

impl Tile {
    /// Elements of a tile.
    pub(super) fn size(self) -> u32 {
        THREADS * self.each
    }

    /// For every element of a thread.
    pub(super) fn items(self) -> String {
        format!("UNROLL for (u32 i = 0; i < {}u; i++)", self.each)
    }

    /// The types `share`, what a thread has of a tile with other members, and `stage`, what a block has of it, one after
    /// another; and the functions that the text calls. Positions take a type of their own, if there are any.
    pub(super) fn before(self, members: &str, positions: Option<&str>) -> String {
        let (each, size) = (self.each, self.size());
        let positions = positions.map_or(String::new(), |of| format!(" {of} positions[{size}];"));
        self.ordered.place_of()
            + &self.ordered.digit_of()
            + &SUM_U32.scan(THREADS)
            + &format!(
                "// What a thread has of a tile: elements, of which the first few are there, and their ranks.
typedef struct {{ word element[{each}]; u32 digits[{quarter}], rank[{each}], items, total, start, mask;{members} }} share;

// What a block has of a tile, one after another.
typedef union {{ u32 counts[{COUNTS}]; word elements[{size}];{positions} }} stage;\n\n",
                quarter = each.div_ceil(4),
            )
    }

    /// Declares a block's part: `staged`, and what ranks are found with.
    pub(super) fn declarations(self) -> String {
        format!(
            "    SHARED stage staged;
    SHARED u32 masks[{COUNTS}], sums[{twice}], uniform;
    PRIVATE(share, own);\n",
            twice = 2 * THREADS,
        )
    }

    /// Clears the counts, one phase or part of it.
    pub(super) fn clear(self) -> String {
        format!(
            "        for (u32 n = THREAD_X; n < {COUNTS}u; n += {THREADS}u) {{
            staged.counts[n] = 0;
            masks[n] = 0;
        }}
        if (THREAD_X == 0) uniform = 0;\n"
        )
    }

    /// Declares `first`, the place in the tile of a thread's first element; the others follow 32 apart.
    pub(super) fn first(self) -> String {
        format!("        const u32 first = THREAD_X / 32u * {}u + THREAD_X % 32u;\n", 32 * self.each)
    }

    /// Sets how many of a tile's `left` elements a thread has, and declares `first`.
    pub(super) fn count_items(self) -> String {
        let (first, each) = (self.first(), self.each);
        format!(
            "{first}        MINE(own).items = left <= first ? 0u : (left - first + 31u) / 32u;
        if (MINE(own).items > {each}u) MINE(own).items = {each}u;\n"
        )
    }

    /// Finds the rank of each of the tile's `left` elements by the digit that begins at `shift`, after counts have been
    /// cleared and elements are there. What is missing has the last digit, and comes last. `told` is done as soon as a
    /// thread knows how often its digit occurs. No barrier comes after it.
    pub(super) fn rank(self, told: &str) -> String {
        let (items, size, first) = (self.items(), self.size(), self.first());
        let digit = "(MINE(own).digits[i / 4u] >> i % 4u * 8u & 255u)";
        format!(
            "    EACH_THREAD {{
        {items} {{
            const u32 digit = i < MINE(own).items ? digit_of(MINE(own).element[i], shift, flip) : 255u;
            // Four to a word.
            MINE(own).digits[i / 4u] = (i % 4u == 0 ? 0u : MINE(own).digits[i / 4u]) | digit << i % 4u * 8u;
            LOCAL_ADD_u32(&staged.counts[THREAD_X / 32u * {DIGITS}u + digit], 1u);
        }}
    }}
    BARRIER();
    EACH_THREAD {{
        u32 total = 0;
        UNROLL for (u32 w = 0; w < {WARPS}u; w++) {{
            const u32 own_count = staged.counts[w * {DIGITS}u + THREAD_X];
            staged.counts[w * {DIGITS}u + THREAD_X] = total;
            total += own_count;
        }}
        MINE(own).total = total;
        sums[THREAD_X] = total;
{told}    }}
    BARRIER();
    scan_sum_u32(sums);
    EACH_THREAD {{
        const u32 start = sums[THREAD_X] - MINE(own).total;
        UNROLL for (u32 w = 0; w < {WARPS}u; w++) staged.counts[w * {DIGITS}u + THREAD_X] += start;
        MINE(own).start = start;
        if (MINE(own).total == (THREAD_X == 255u ? {size}u : left)) uniform = 1u;
    }}
    BARRIER();
    if (uniform) {{
        // Where all have one digit, everything stays where it is, and bits of one word would be set one after another.
        EACH_THREAD {{
    {first}            {items} MINE(own).rank[i] = first + i * 32u;
        }}
    }} else {{
        {items} {{
            EACH_THREAD {{
                const u32 at = THREAD_X / 32u * {DIGITS}u + {digit};
                LOCAL_OR_u32(&masks[at], 1u << THREAD_X % 32u);
            }}
            WARP_BARRIER();
            EACH_THREAD {{
                const u32 at = THREAD_X / 32u * {DIGITS}u + {digit};
                const u32 lower = (1u << THREAD_X % 32u) - 1u;
                MINE(own).mask = masks[at];
                MINE(own).rank[i] = staged.counts[at] + POPCOUNT_u32(MINE(own).mask & lower);
            }}
            WARP_BARRIER();
            EACH_THREAD {{
                const u32 at = THREAD_X / 32u * {DIGITS}u + {digit};
                // The last one with the digit speaks for all.
                if (MINE(own).mask >> THREAD_X % 32u == 1u) {{
                    staged.counts[at] = MINE(own).rank[i] + 1u;
                    masks[at] = 0;
                }}
            }}
            WARP_BARRIER();
        }}
    }}\n"
        )
    }
}
