//! Gather and scatter through bins: whether elements are sorted, and how.

use super::transfer::TransferKernel;
use super::transfer_kernel::each;
use super::unit_type;
use crate::Dialect;
use crate::group::SUM_U32;
use crate::signature::{Parameter, Parameters, Role, Signature, THREADS, signed};

/// Elements that a thread has of a tile.
pub(super) const EACH: u32 = 8;

/// Elements that a block sorts at a time, and those of a bin that a block moves at a time.
pub(super) const TILE: usize = (THREADS * EACH) as usize;

/// Binary digits of a place within its bin: with the bin's number they are 32.
pub(super) const LOCAL_DIGITS: u32 = 24;

/// The slot of what is in no bin.
pub(super) const NOWHERE: &str = "0xffffffffu";

/// Blocks that take a look at the indices.
pub(super) const PROBES: u32 = 64;

/// What says that elements are better moved as they come.
pub(super) fn is_straight() -> String {
    format!("votes[0] > {}u", PROBES / 2)
}

/// Looks at some indices, whether they lead to places near each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BinProbe(pub(super) TransferKernel);

impl Signature for BinProbe {
    fn name(&self) -> String {
        format!("{}_{}_probe", if self.0.scatters { "scatter" } else { "gather" }, self.0.width)
    }

    fn about(&self) -> String {
        format!("Whether bins would be in vain: {}", self.0.about())
    }

    fn parameters(&self) -> Parameters {
        let mut all = self.0.parameters();
        all.push(Parameter::Address(Role::Votes));
        all.extend([Parameter::TileStep, Parameter::Origin, Parameter::BinDigits]);
        all
    }

    fn pointee(&self, role: Role) -> String {
        if role == Role::Votes { "u32".into() } else { self.0.pointee(role) }
    }

    fn body(&self, _dialect: Dialect) -> String {
        // Elements of a sector, less one.
        let near = 32 / self.0.width as u32 - 1;
        format!(
            "    SHARED u32 counts[{THREADS}], listed[{THREADS}], alike;
    EACH_THREAD {{
{places}        listed[THREAD_X] = (u32)(place[0] + origin);
        counts[THREAD_X] = 0;
        if (THREAD_X == 0) alike = 0;
    }}
    BARRIER();
    EACH_THREAD {{
        LOCAL_ADD_u32(&counts[listed[THREAD_X] >> bin_digits], 1u);
        if (THREAD_X != 0 && listed[THREAD_X] - listed[THREAD_X - 1u] + {near}u <= {two_near}u) LOCAL_ADD_u32(&alike, 1u);
    }}
    BARRIER();
    EACH_THREAD {{
        // Places next to each other need no bins, and neither do those of few.
        if (counts[THREAD_X] > {many}u) LOCAL_ADD_u32(&alike, {THREADS}u);
    }}
    BARRIER();
    EACH_THREAD {{
        if (THREAD_X == 0 && alike > {half}u) ATOMIC_ADD_u32(votes, 1u);
    }}\n",
            places = self.0.places("(BLOCK_X * tile_step)", 1),
            two_near = 2 * near,
            many = THREADS / 4,
            half = THREADS / 2,
        )
    }

    fn is_wide(&self) -> bool {
        self.0.wide
    }
}

/// Sorts the places of a gather or scatter into bins, a tile at a time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BinSort(pub(super) TransferKernel);

impl BinSort {
    /// What is done with elements that need no bins.
    fn straight(&self) -> String {
        let each = each(EACH);
        if self.0.scatters {
            return format!("            {each} array[MINE(own).place[j]] = MINE(own).moved[j];\n");
        }
        format!(
            "            {element} moved[{EACH}];
            {each} moved[j] = array[MINE(own).place[j]];
            {each} elements[MINE(own).element[j]] = moved[j];\n",
            element = unit_type(self.0.width),
        )
    }

    /// Puts a place in the block's list, in the order of bins. What is gathered takes note of its slot.
    fn list(&self) -> String {
        let listed = "const u32 bin = (u32)(MINE(own).place[j] >> bin_digits);
            const u32 n = starts[bin] + MINE(own).rank[j];
            listed[n] = bin << 24 | ((u32)MINE(own).place[j] & ((1u << bin_digits) - 1u));\n";
        if self.0.scatters {
            return format!("            {listed}            kept[n] = MINE(own).moved[j];\n");
        }
        format!(
            "            {listed}            const u32 slot = bases[bin] + n;
            const u32 is_kept = slot < capacity;
            slots[BLOCK_X * {TILE}u + j * {THREADS}u + THREAD_X] = is_kept ? (u32)(bin * capacity + slot) : {NOWHERE};
            if (!is_kept) elements[MINE(own).element[j]] = array[MINE(own).place[j]];\n"
        )
    }
}

impl Signature for BinSort {
    fn name(&self) -> String {
        format!("{}_{}_to_bins", if self.0.scatters { "scatter" } else { "gather" }, self.0.width)
    }

    fn about(&self) -> String {
        format!("Sorted into bins: {}", self.0.about())
    }

    fn parameters(&self) -> Parameters {
        let mut all = self.0.parameters();
        let other = if self.0.scatters { Role::Binned } else { Role::Slots };
        all.extend([Role::Votes, Role::Fills, Role::Places, other].map(Parameter::Address));
        all.extend([Parameter::FirstTile, Parameter::Origin, Parameter::BinDigits, Parameter::Capacity]);
        all
    }

    fn pointee(&self, role: Role) -> String {
        match role {
            Role::Votes => "const u32".into(),
            Role::Fills | Role::Places | Role::Slots => "u32".into(),
            Role::Binned => unit_type(self.0.width),
            other => self.0.pointee(other),
        }
    }

    fn before(&self, _dialect: Dialect) -> String {
        let (place_of, element) = (signed(self.0.wide), unit_type(self.0.width));
        let other = if self.0.scatters { format!("{element} moved") } else { format!("{place_of} element") };
        let share = format!(
            "// What a thread has of a tile.
typedef struct {{ {place_of} place[{EACH}]; u32 rank[{EACH}]; {other}[{EACH}]; }} share;\n\n"
        );
        share + &SUM_U32.scan(THREADS)
    }

    fn body(&self, _dialect: Dialect) -> String {
        let TransferKernel { scatters, width, .. } = self.0;
        let each = each(EACH);
        let (kept, other, write) = match scatters {
            true => (
                format!("    SHARED {} kept[{TILE}];\n", unit_type(width)),
                "MINE(own).moved[j] = elements[element[j]];",
                "            if (slot < capacity) {
                places[bin * capacity + slot] = place;
                binned[bin * capacity + slot] = kept[n];
            } else {
                array[((u64)bin << bin_digits) + place] = kept[n];
            }\n",
            ),
            false => (
                String::new(),
                "MINE(own).element[j] = element[j];",
                "            if (slot < capacity) places[bin * capacity + slot] = place;\n",
            ),
        };
        format!(
            "    SHARED u32 counts[{twice}], starts[{THREADS}], bases[{THREADS}], listed[{TILE}];
{kept}    PRIVATE(share, own);
    EACH_THREAD {{
{places}        {each} MINE(own).place[j] = place[j] + origin;
        {each} {other}
{notes}        counts[THREAD_X] = 0;
    }}
    if ({is_straight}) {{
        EACH_THREAD {{
{straight}        }}
        return;
    }}
    BARRIER();
    EACH_THREAD {{
        {each} MINE(own).rank[j] = LOCAL_ADD_u32(&counts[MINE(own).place[j] >> bin_digits], 1u);
    }}
    BARRIER();
    scan_sum_u32(counts);
    EACH_THREAD {{
        const u32 start = THREAD_X == 0 ? 0u : counts[THREAD_X - 1u];
        const u32 count = counts[THREAD_X] - start;
        starts[THREAD_X] = start;
        // Where in the bin the first in the list would go, were it in this bin.
        bases[THREAD_X] = (count == 0 ? 0u : ATOMIC_ADD_u32(fills + THREAD_X, count)) - start;
    }}
    BARRIER();
    EACH_THREAD {{
        {each} {{
{list}        }}
    }}
    BARRIER();
    EACH_THREAD {{
        {each} {{
            const u32 n = j * {THREADS}u + THREAD_X;
            const u32 bin = listed[n] >> 24, place = listed[n] & 0xffffffu;
            const u32 slot = bases[bin] + n;
{write}        }}
    }}\n",
            twice = 2 * THREADS,
            places = self.0.places("(BLOCK_X + first_tile)", EACH),
            notes = self.0.notes(EACH),
            is_straight = is_straight(),
            straight = self.straight(),
            list = self.list(),
        )
    }

    fn is_wide(&self) -> bool {
        self.0.wide
    }
}
