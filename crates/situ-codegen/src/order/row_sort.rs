//! Rows that a block has room for, each sorted by one block in its local memory.

use smallvec::smallvec;

use super::ordered::Ordered;
use super::rows::{INDICES, INPUT, RowAccess, Rows, VALUES};
use super::tile::Tile;
use crate::signature::{Parameter, Parameters, Role, Signature, THREADS};
use crate::work::Work;
use crate::{Dialect, Kernel};

/// Bytes of a row's elements that a block has room for, beside what it ranks them with.
const ROOM: usize = 32 << 10;

/// Elements that a thread has at most: more than that, and there are not enough registers for them.
const MOST: usize = 32;

/// What the text depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowSort {
    ordered: Ordered,
    /// Elements that a thread has: as many as keep all of them busy.
    each: u32,
    /// Whether positions are wanted.
    positions: bool,
    rows: RowAccess,
}

impl RowSort {
    /// The launch that sorts rows, if a block has room for one.
    pub(super) fn plan(rows: &Rows<'_>) -> Option<Work> {
        let most = (ROOM / rows.ordered.width() / THREADS as usize).min(MOST);
        let each = rows.length.div_ceil(THREADS as usize).next_power_of_two().max(2);
        if each > most {
            return None;
        }
        let positions = rows.command.indices.is_some();
        let kernel = RowSort { ordered: rows.ordered, each: each as u32, positions, rows: rows.strided() };
        let mut work = Work::default();
        work.launch(Kernel::RowSort(kernel), rows.count(), |parameter| rows.value(parameter));
        Some(work)
    }

    fn tile(&self) -> Tile {
        Tile { ordered: self.ordered, each: self.each }
    }

    fn outputs(&self) -> &'static [(Role, u8)] {
        &[(Role::Values, VALUES), (Role::Indices(0), INDICES)][..if self.positions { 2 } else { 1 }]
    }

    /// Brings what threads have to where it belongs in the tile.
    fn exchange(&self, own: &str, staged: &str) -> String {
        let (items, first) = (self.tile().items(), self.tile().first());
        format!(
            "    EACH_THREAD {{
        {items} {{
            if (i < MINE(own).items) staged.{staged}[MINE(own).rank[i]] = MINE(own).{own}[i];
        }}
    }}
    BARRIER();
    EACH_THREAD {{
{first}        {items} {{
            if (i < MINE(own).items) MINE(own).{own}[i] = staged.{staged}[first + i * 32u];
        }}
    }}
    BARRIER();\n"
        )
    }
}

impl Signature for RowSort {
    fn name(&self) -> String {
        let positions = if self.positions { "_positions" } else { "" };
        format!("situ_sort_rows_{}{positions}", self.ordered.name())
    }

    fn about(&self) -> String {
        format!("Rows of up to {} elements, sorted; {}.", self.tile().size(), self.rows.about())
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![Parameter::Address(Role::Input(0)), Parameter::Address(Role::Values)];
        if self.positions {
            all.extend([Parameter::Address(Role::Indices(0)), Parameter::Kept]);
        }
        all.extend([Parameter::Sequence, Parameter::Count, Parameter::Flip]);
        let mut operands = vec![(Role::Input(0), INPUT)];
        operands.extend(self.outputs());
        self.rows.push_axes(&mut all);
        self.rows.push_steps(&mut all, &operands);
        all
    }

    fn pointee(&self, role: Role) -> String {
        match role {
            Role::Input(_) => format!("const {}", self.ordered.element()),
            Role::Indices(_) => "i64".into(),
            _ => self.ordered.element(),
        }
    }

    fn before(&self, _dialect: Dialect) -> String {
        let positions = if self.positions { format!(" u16 position[{}];", self.each) } else { String::new() };
        self.tile().before(&positions, self.positions.then_some("u16"))
    }

    fn body(&self, _dialect: Dialect) -> String {
        let tile = self.tile();
        let (items, first) = (tile.items(), tile.first());
        let (mut begun, mut exchanged) = ("", self.exchange("element", "elements"));
        let (mut is_kept, mut start, mut written) = ("", String::new(), String::new());
        if self.positions {
            start = format!("    GLOBAL i64 *to_indices = {};\n", self.rows.start(Role::Indices(0)));
            begun = "                MINE(own).position[i] = (u16)n;\n";
            exchanged += &self.exchange("position", "positions");
            let index = self.rows.element("to_indices", INDICES, "n");
            written = format!("            if (n < count) {index} = MINE(own).position[i];\n");
            is_kept = "kept && ";
        }
        let (clear, rank) = (tile.clear(), tile.rank(""));
        let pass = format!("    EACH_THREAD {{\n{clear}    }}\n    BARRIER();\n{rank}    BARRIER();\n{exchanged}");
        format!(
            "{declarations}    const u64 row = BLOCK_X;
    const u32 left = (u32)length;
{coordinates}    GLOBAL const word *from = {from};
    GLOBAL word *to = {values};
{start}    EACH_THREAD {{
{count}        {items} {{
            if (i < MINE(own).items) {{
                const u32 n = first + i * 32u;
                MINE(own).element[i] = {element};
{begun}            }}
        }}
    }}
    for (u32 shift = 0; shift < {bits}u; shift += 8u) {{
{pass}    }}
    EACH_THREAD {{
{first}        {items} {{
            const u32 n = first + i * 32u;
            if ({is_kept}n < count) {to} = MINE(own).element[i];
{written}        }}
    }}\n",
            declarations = tile.declarations(),
            coordinates = self.rows.coordinates(4),
            from = self.rows.start(Role::Input(0)),
            values = self.rows.start(Role::Values),
            count = tile.count_items(),
            element = self.rows.element("from", INPUT, "n"),
            bits = 8 * self.ordered.digits(),
            pass = pass.lines().map(|line| format!("    {line}\n")).collect::<String>(),
            to = self.rows.element("to", VALUES, "n"),
        )
    }

    fn is_wide(&self) -> bool {
        true
    }

    /// As many blocks as there are registers for.
    fn bound(&self, _dialect: Dialect) -> String {
        let words = self.each * (self.ordered.width().div_ceil(4) as u32 + 1 + u32::from(self.positions));
        format!(
            "RESIDENT({THREADS}, {})",
            if words <= 16 {
                6
            } else if words <= 48 {
                3
            } else {
                2
            }
        )
    }
}
