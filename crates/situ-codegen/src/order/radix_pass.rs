//! One pass of a radix sort: rows sorted by one digit, in one sweep over memory.
//!
//! A block takes the next tile, counts its digits, tells later tiles of the row, ranks its elements, learns from earlier
//! tiles where its own begin, and writes them to where they belong: side by side in local memory first, so that those with
//! one digit are written together. Elements move as they are, and their digits are found anew, because keys do not say all
//! that there is to an element.

use smallvec::smallvec;

use super::look_back::Words;
use super::ordered::{DIGITS, Ordered};
use super::rows::{INDICES, INPUT, RowAccess, VALUES};
use super::tile::Tile;
use crate::Dialect;
use crate::signature::{Parameter, Parameters, Role, Signature, unsigned};

/// What the text depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RadixPass {
    pub(super) ordered: Ordered,
    /// Bytes of the positions that go with elements, if they are wanted.
    pub(super) positions: Option<u8>,
    pub(super) input: RowAccess,
    /// How results are written. What is not dense is the sort's own result, not that of a pass before the last.
    pub(super) output: RowAccess,
    /// Whether places in a row take more than 30 bits.
    pub(super) wide: bool,
}

impl RadixPass {
    /// Elements that a thread has of a tile, and blocks that a processor has room for: measured on an H200, for elements of
    /// 4 and 8 bytes with positions of 4 and without. No tile takes more than 32 KiB.
    fn shares(&self) -> (u32, u32) {
        match (self.ordered.width(), self.positions) {
            (..=4, None) => (28, 3),
            (8, None) => (16, 3),
            (_, None) => (8, 3),
            (..=4, Some(4)) => (20, 3),
            (8, Some(4)) => (12, 3),
            (..=8, Some(_)) => (12, 2),
            (_, Some(_)) => (8, 2),
        }
    }

    fn tile(&self) -> Tile {
        Tile { ordered: self.ordered, each: self.shares().0 }
    }

    /// Elements of a tile.
    pub(super) fn tile_size(&self) -> usize {
        self.tile().size() as usize
    }

    fn words(&self) -> Words {
        Words { wide: self.wide, step: DIGITS, window: 4 }
    }

    fn position(&self) -> Option<&'static str> {
        self.positions.map(|width| unsigned(width == 8))
    }

    /// Whether the kernel can only be the one that writes the sort's results.
    fn is_last(&self) -> bool {
        self.output != RowAccess::Dense
    }

    /// The operands that results go to.
    fn outputs(&self) -> &'static [(Role, u8)] {
        &[(Role::Values, VALUES), (Role::Indices(0), INDICES)][..if self.positions.is_some() { 2 } else { 1 }]
    }

    /// `if` a place is among those that are wanted, and something else is so. A place is beyond the row only if the input
    /// has changed since its digits were counted.
    fn wanted(&self, also: Option<&str>) -> String {
        let has_room = if self.is_last() { "place < count" } else { "place < length" };
        format!("if ({has_room}{}) ", also.map_or(String::new(), |also| format!(" && {also}")))
    }

    /// Writes the staged elements, and keeps their places if positions follow.
    fn write(&self) -> String {
        let (items, wanted) = (self.tile().items(), self.wanted(self.positions.map(|_| "kept")));
        let noted = if self.positions.is_some() { "                MINE(own).place[i] = place;\n" } else { "" };
        format!(
            "    EACH_THREAD {{
        {items} {{
            const u32 n = i * {DIGITS}u + THREAD_X;
            if (n < left) {{
                const word element = staged.elements[n];
                const {of} place = offsets[digit_of(element, shift, flip)] + n;
{noted}                {wanted}{to} = element;
            }}
        }}
    }}\n",
            of = self.words().of(),
            to = self.output.element("to", VALUES, "place"),
        )
    }

    /// Reads the positions that go with elements, while the elements themselves are still being written.
    fn read_positions(&self, position: &str) -> String {
        let (items, first, size) = (self.tile().items(), self.tile().first(), self.tile().size());
        format!(
            "    EACH_THREAD {{
{first}        if (generated) {{
            {items} MINE(own).position[i] = ({position})(begin + first + i * 32u);
        }} else if (left == {size}u) {{
            {items} MINE(own).position[i] = positions[row * length + begin + first + i * 32u];
        }} else {{
            {items} {{
                const u64 n = begin + (i < MINE(own).items ? first + i * 32u : 0u);
                MINE(own).position[i] = positions[row * length + n];
            }}
        }}
    }}\n"
        )
    }

    /// Brings positions to where their elements went.
    fn write_positions(&self) -> String {
        let items = self.tile().items();
        let index = format!("{} = (i64)staged.positions[n];", self.output.element("to_indices", INDICES, "place"));
        let wanted = self.wanted(None);
        let written = match self.is_last() {
            true => format!("                {wanted}{index}\n"),
            false => format!(
                "                {wanted}{{
                    if (last) {index}
                    else next_positions[row * length + place] = staged.positions[n];
                }}\n"
            ),
        };
        format!(
            "    BARRIER();
    EACH_THREAD {{
        {items} staged.positions[MINE(own).rank[i]] = MINE(own).position[i];
    }}
    BARRIER();
    EACH_THREAD {{
        {items} {{
            const u32 n = i * {DIGITS}u + THREAD_X;
            if (n < left) {{
                const {of} place = MINE(own).place[i];
{written}            }}
        }}
    }}\n",
            of = self.words().of(),
        )
    }
}

impl Signature for RadixPass {
    fn name(&self) -> String {
        let positions = self.positions.map_or(String::new(), |width| format!("_positions_{width}"));
        format!("situ_radix_{}{positions}", self.ordered.name())
    }

    fn about(&self) -> String {
        let (input, output) = (self.input.about(), self.output.about());
        format!("Rows sorted by one digit; from {input}; to {output}.")
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![Parameter::Address(Role::Input(0)), Parameter::Address(Role::Values)];
        if self.positions.is_some() {
            all.extend([Role::Positions, Role::NextPositions, Role::Indices(0)].map(Parameter::Address));
            all.extend([Parameter::Generated, Parameter::Final, Parameter::Kept]);
        }
        all.extend([Role::Totals, Role::Status, Role::NextStatus, Role::Begun].map(Parameter::Address));
        all.extend([Parameter::Sequence, Parameter::Tiles, Parameter::FirstBit, Parameter::Flip]);
        if self.is_last() {
            all.push(Parameter::Count);
        }
        self.input.or(self.output).push_axes(&mut all);
        self.input.push_steps(&mut all, &[(Role::Input(0), INPUT)]);
        self.output.push_steps(&mut all, self.outputs());
        all
    }

    fn pointee(&self, role: Role) -> String {
        let position = self.position().unwrap_or("u32");
        match role {
            Role::Input(_) => format!("const {}", self.ordered.element()),
            Role::Values => self.ordered.element(),
            Role::Positions => format!("const {position}"),
            Role::NextPositions => position.into(),
            Role::Indices(_) => "i64".into(),
            Role::Totals => format!("const {}", self.words().of()),
            Role::Begun => "u32".into(),
            _ => self.words().of().into(),
        }
    }

    fn before(&self, _dialect: Dialect) -> String {
        let (each, of) = (self.tile().each, self.words().of());
        let members = self.position().map(|position| format!(" {of} place[{each}]; {position} position[{each}];"));
        self.tile().before(&members.unwrap_or_default(), self.position()) + &self.words().look_back()
    }

    fn body(&self, _dialect: Dialect) -> String {
        let (tile, words) = (self.tile(), self.words());
        let (of, partial, complete) = (words.of(), words.partial(), words.complete());
        let (size, items) = (tile.size(), tile.items());
        let told = format!(
            "        // The first tile of a row knows all there is before it.
        *(volatile GLOBAL {of} *)(status + tile * {DIGITS}u + THREAD_X) = total | (part == 0 ? {complete} : {partial});
        next_status[tile * {DIGITS}u + THREAD_X] = 0;\n"
        );
        let to_indices = self.positions.map_or(String::new(), |_| {
            format!("    GLOBAL i64 *to_indices = {};\n", self.output.start(Role::Indices(0)))
        });
        format!(
            "{declarations}    SHARED {of} offsets[{DIGITS}];
    SHARED u32 begun_tile;
    EACH_THREAD {{
        if (THREAD_X == 0) begun_tile = ATOMIC_ADD_u32(begun, 1u);
{clear}    }}
    BARRIER();
    const u64 tile = begun_tile, row = begun_tile / tiles;
    const u32 part = begun_tile % tiles;
    const u64 begin = (u64)part * {size}u;
    const u32 left = length - begin < {size}u ? (u32)(length - begin) : {size}u;
{coordinates}    GLOBAL const word *from = {from};
    GLOBAL word *to = {to};
{to_indices}    EACH_THREAD {{
{count}        if (left == {size}u) {{
            {items} MINE(own).element[i] = {whole};
        }} else {{
            {items} {{
                const u64 n = begin + (i < MINE(own).items ? first + i * 32u : 0u);
                MINE(own).element[i] = {partly};
            }}
        }}
    }}
{rank}    EACH_THREAD {{
        {of} before = 0;
        if (part != 0) {{
            volatile GLOBAL {of} *word_at = (volatile GLOBAL {of} *)(status + tile * {DIGITS}u + THREAD_X);
            before = look_back(word_at, part);
            *word_at = (before + MINE(own).total) | {complete};
        }}
        // Where the first element staged would go, had it this digit.
        offsets[THREAD_X] = totals[row * {row_digits}u + shift * {eighth}u + THREAD_X] + before - MINE(own).start;
    }}
    BARRIER();
    EACH_THREAD {{
        {items} staged.elements[MINE(own).rank[i]] = MINE(own).element[i];
    }}
    BARRIER();
{read_positions}{write}{positions}",
            declarations = tile.declarations(),
            clear = tile.clear(),
            coordinates = self.input.or(self.output).coordinates(4),
            from = self.input.start(Role::Input(0)),
            to = self.output.start(Role::Values),
            count = tile.count_items(),
            whole = self.input.element("from", INPUT, "begin + first + i * 32u"),
            partly = self.input.element("from", INPUT, "n"),
            rank = tile.rank(&told),
            write = self.write(),
            read_positions = self.position().map_or(String::new(), |position| self.read_positions(position)),
            positions = self.position().map_or(String::new(), |_| self.write_positions()),
            row_digits = self.ordered.digits() * DIGITS,
            eighth = DIGITS / 8,
        )
    }

    fn is_wide(&self) -> bool {
        true
    }

    fn bound(&self, _dialect: Dialect) -> String {
        format!("RESIDENT({}, {})", self.threads(), self.shares().1)
    }
}
