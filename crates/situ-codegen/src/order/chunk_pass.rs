//! Long rows on a processor: sorted by one digit after another, a core at a time going through its part of a row.
//!
//! A core needs no neighbours: it counts the digits of its part, and, once all have, knows where each of its elements goes.
//! There are no barriers, no tickets and no waiting, and as many parts as keep the cores busy.

use smallvec::smallvec;

use super::ordered::{DIGITS, Ordered};
use super::rows::{INDICES, INPUT, RowAccess, VALUES};
use crate::Dialect;
use crate::signature::{Parameter, Parameters, Role, Signature, unsigned};

/// The part of a row that a block does: `begin` to `end` of `row`.
const PART: &str = "    const u64 row = BLOCK_X / parts;
    const u32 part = (u32)(BLOCK_X % parts);
    const u64 begin = part * segment;
    const u64 end = length - begin < segment ? length : begin + segment;\n";

/// Counts how often each value of one digit occurs in parts of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChunkCounts {
    pub(super) ordered: Ordered,
    pub(super) input: RowAccess,
}

impl Signature for ChunkCounts {
    fn name(&self) -> String {
        format!("situ_chunk_digits_{}", self.ordered.name())
    }

    fn about(&self) -> String {
        format!("How often each value of a digit occurs in parts of rows; {}.", self.input.about())
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![Parameter::Address(Role::Input(0)), Parameter::Address(Role::Totals)];
        all.extend([Parameter::Sequence, Parameter::Parts, Parameter::Segment, Parameter::FirstBit, Parameter::Flip]);
        self.input.push_axes(&mut all);
        self.input.push_steps(&mut all, &[(Role::Input(0), INPUT)]);
        all
    }

    fn pointee(&self, role: Role) -> String {
        match role {
            Role::Totals => "u64".into(),
            _ => format!("const {}", self.ordered.element()),
        }
    }

    fn before(&self, _dialect: Dialect) -> String {
        self.ordered.place_of() + &self.ordered.digit_of()
    }

    fn body(&self, _dialect: Dialect) -> String {
        format!(
            "{PART}{coordinates}    GLOBAL const word *from = {start};
    u32 counts[{DIGITS}];
    EACH_THREAD {{
        for (u32 digit = 0; digit < {DIGITS}u; digit++) counts[digit] = 0;
        for (u64 n = begin; n < end; n++) counts[digit_of({element}, shift, flip)]++;
        for (u32 digit = 0; digit < {DIGITS}u; digit++) totals[(u64)BLOCK_X * {DIGITS}u + digit] = counts[digit];
    }}\n",
            coordinates = self.input.coordinates(4),
            start = self.input.start(Role::Input(0)),
            element = self.input.element("from", INPUT, "n"),
        )
    }

    fn is_wide(&self) -> bool {
        true
    }

    fn threads(&self) -> u32 {
        1
    }
}

/// Brings the elements of parts of rows to where they belong by one digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChunkPass {
    pub(super) ordered: Ordered,
    /// Bytes of the positions that go with elements, if any do.
    pub(super) positions: Option<u8>,
    pub(super) input: RowAccess,
    pub(super) output: RowAccess,
}

impl ChunkPass {
    fn position(&self) -> Option<&'static str> {
        self.positions.map(|width| unsigned(width == 8))
    }

    /// The operands that results go to.
    fn outputs(&self) -> &'static [(Role, u8)] {
        &[(Role::Values, VALUES), (Role::Indices(0), INDICES)][..if self.positions.is_some() { 2 } else { 1 }]
    }

    /// Writes the position that goes with an element.
    fn write_position(&self) -> String {
        let Some(of) = self.position() else { return String::new() };
        let index = self.output.element("to_indices", INDICES, "place");
        format!(
            "                const {of} position = generated ? ({of})n : positions[row * length + n];
                if (last) {index} = (i64)position;
                else next_positions[row * length + place] = position;\n"
        )
    }
}

impl Signature for ChunkPass {
    fn name(&self) -> String {
        let positions = self.positions.map_or(String::new(), |width| format!("_positions_{width}"));
        format!("situ_chunk_{}{positions}", self.ordered.name())
    }

    fn about(&self) -> String {
        let (input, output) = (self.input.about(), self.output.about());
        format!("Parts of rows sorted by one digit; from {input}; to {output}.")
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![Parameter::Address(Role::Input(0)), Parameter::Address(Role::Values)];
        if self.positions.is_some() {
            all.extend([Role::Positions, Role::NextPositions, Role::Indices(0)].map(Parameter::Address));
            all.extend([Parameter::Generated, Parameter::Final]);
        }
        all.extend([Parameter::Kept, Parameter::Address(Role::Totals), Parameter::Sequence, Parameter::Parts]);
        all.extend([Parameter::Segment, Parameter::FirstBit, Parameter::Flip, Parameter::Count]);
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
            _ => "const u64".into(),
        }
    }

    fn before(&self, _dialect: Dialect) -> String {
        self.ordered.place_of() + &self.ordered.digit_of()
    }

    fn body(&self, _dialect: Dialect) -> String {
        let to_indices = self.positions.map_or(String::new(), |_| {
            format!("    GLOBAL i64 *to_indices = {};\n", self.output.start(Role::Indices(0)))
        });
        format!(
            "{PART}{coordinates}    GLOBAL const word *from = {from};
    GLOBAL word *to = {to};
{to_indices}    u64 places[{DIGITS}];
    EACH_THREAD {{
        u64 below = 0;
        for (u32 digit = 0; digit < {DIGITS}u; digit++) {{
            places[digit] = below;
            for (u32 n = 0; n < parts; n++) {{
                const u64 count_there = totals[(row * parts + n) * {DIGITS}u + digit];
                if (n < part) places[digit] += count_there;
                below += count_there;
            }}
        }}
        for (u64 n = begin; n < end; n++) {{
            const word element = {element};
            const u64 place = places[digit_of(element, shift, flip)]++;
            // It is beyond the row only if the input has changed since its digits were counted.
            if (place < count) {{
                if (kept) {target} = element;
{position}            }}
        }}
    }}\n",
            coordinates = self.input.or(self.output).coordinates(4),
            from = self.input.start(Role::Input(0)),
            to = self.output.start(Role::Values),
            element = self.input.element("from", INPUT, "n"),
            target = self.output.element("to", VALUES, "place"),
            position = self.write_position(),
        )
    }

    fn is_wide(&self) -> bool {
        true
    }

    fn threads(&self) -> u32 {
        1
    }
}
