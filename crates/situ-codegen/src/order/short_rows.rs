//! Short rows: every element counts how many come before it.

use smallvec::smallvec;

use super::ordered::Ordered;
use super::rows::{INDICES, INPUT, RowAccess, Rows, VALUES};
use crate::signature::{Parameter, Parameters, Role, Signature, THREADS};
use crate::work::Work;
use crate::{Dialect, Kernel};

/// What the text depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShortRows {
    ordered: Ordered,
    /// Whether positions are wanted.
    positions: bool,
    rows: RowAccess,
}

impl ShortRows {
    /// The launch that sorts rows, if they are so short that comparing all with all is less work than sorting by digits.
    pub(super) fn plan(rows: &Rows<'_>) -> Option<Work> {
        let (threads, length) = (THREADS as usize, rows.length);
        if length > (32 * rows.ordered.digits() as usize).min(threads) {
            return None;
        }
        let kernel =
            ShortRows { ordered: rows.ordered, positions: rows.command.indices.is_some(), rows: rows.strided() };
        let each = threads / length;
        let is_across = rows.across().unsigned_abs() < rows.along(INPUT).unsigned_abs();
        let mut work = Work::default();
        work.launch(Kernel::ShortRows(kernel), rows.count().div_ceil(each), |parameter| match parameter {
            Parameter::Size => rows.count().into(),
            Parameter::Each => each.into(),
            Parameter::Across => u64::from(is_across).into(),
            other => rows.value(other),
        });
        Some(work)
    }
}

impl Signature for ShortRows {
    fn name(&self) -> String {
        let positions = if self.positions { "_positions" } else { "" };
        format!("situ_sort_short_{}{positions}", self.ordered.name())
    }

    fn about(&self) -> String {
        format!("Short rows, sorted; {}.", self.rows.about())
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![Parameter::Address(Role::Input(0)), Parameter::Address(Role::Values)];
        let mut operands = vec![(Role::Input(0), INPUT), (Role::Values, VALUES)];
        if self.positions {
            all.extend([Parameter::Address(Role::Indices(0)), Parameter::Kept]);
            operands.push((Role::Indices(0), INDICES));
        }
        all.extend([
            Parameter::Size,
            Parameter::Sequence,
            Parameter::Count,
            Parameter::Each,
            Parameter::Across,
            Parameter::Flip,
        ]);
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
        self.ordered.place_of() + &self.ordered.comparisons()
    }

    fn body(&self, _dialect: Dialect) -> String {
        let written = if self.positions {
            let (start, index) =
                (self.rows.start(Role::Indices(0)), self.rows.element("to_indices", INDICES, "before"));
            format!("                GLOBAL i64 *to_indices = {start};\n                {index} = (i64)position;\n")
        } else {
            String::new()
        };
        let position = "        // Neighbouring threads take neighbours in memory.
        const u32 row_in = across ? THREAD_X % each : THREAD_X / row_length;
        const u32 position = across ? THREAD_X / each : THREAD_X % row_length;
        const u64 row = (u64)BLOCK_X * each + row_in;
        if (row_in < each && position < row_length && row < size) {\n";
        format!(
            "    SHARED word places[{THREADS}];
    PRIVATE(word, own);
    const u32 row_length = (u32)length;
    EACH_THREAD {{
{position}{coordinates}            GLOBAL const word *from = {from};
            MINE(own) = {element};
            places[THREAD_X] = place_of(MINE(own));
        }}
    }}
    BARRIER();
    EACH_THREAD {{
{position}{coordinates}            const word place = places[THREAD_X];
            const u32 step = across ? each : 1u;
            u32 at = across ? row_in : row_in * row_length;
            u32 before = 0;
            for (u32 n = 0; n < row_length; n++, at += step) {{
                const word other = places[at];
                const u32 is_before = flip ? comes_before(place, other) : comes_before(other, place);
                before += is_before || (n < position && is_same(other, place));
            }}
            if (before < count) {{
                GLOBAL word *to = {to};
                {is_kept}{value} = MINE(own);
{written}            }}
        }}
    }}\n",
            coordinates = self.rows.coordinates(12),
            from = self.rows.start(Role::Input(0)),
            element = self.rows.element("from", INPUT, "position"),
            to = self.rows.start(Role::Values),
            is_kept = if self.positions { "if (kept) " } else { "" },
            value = self.rows.element("to", VALUES, "before"),
        )
    }

    fn is_wide(&self) -> bool {
        true
    }
}
