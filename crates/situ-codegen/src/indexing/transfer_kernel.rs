//! Gather and scatter: the kernel.

use situ_hal::IndexMode;
use smallvec::smallvec;

use super::transfer::{EACH, IndexKind, TransferKernel};
use super::{element_type, unit_type};
use crate::Dialect;
use crate::coordinates::{about_space, coordinates, offset, push_space, steps};
use crate::dialect::type_name;
use crate::signature::{Axes, Parameter, Parameters, Role, Signature, THREADS, signed, unsigned};

impl IndexKind {
    /// What a value of an index is computed in.
    pub(super) fn computed_in(self) -> &'static str {
        if self.dtype.is_unsigned_integer() { "u64" } else { "i64" }
    }

    /// The library's function that brings an index into its axis.
    fn function(self) -> String {
        let kind = match self.mode {
            IndexMode::Checked => "checked",
            IndexMode::Wrap => "wrapped",
            IndexMode::Clip => "clipped",
        };
        format!("{kind}_index_{}", self.computed_in())
    }

    fn about(self) -> String {
        let mode = match (self.mode, self.notes) {
            (IndexMode::Checked, false) => "checked before",
            (IndexMode::Checked, true) => "checked here",
            (IndexMode::Wrap, _) => "wrapped",
            (IndexMode::Clip, _) => "clipped",
        };
        format!("{} {mode}", self.dtype)
    }
}

impl TransferKernel {
    /// The type of an element.
    fn element(&self) -> String {
        if self.unaligned { element_type(self.width) } else { unit_type(self.width) }
    }

    /// The index operands with their numbers.
    fn numbered(&self) -> impl Iterator<Item = (u8, IndexKind)> {
        (0u8..).zip(self.indices.iter().copied())
    }

    /// Declares the position that a thread's element numbered `j` has, counted from `first`, and its coordinates.
    /// Threads beyond the last element do that one again: without a branch, all reads are under way at once.
    pub(super) fn position(&self, indent: usize) -> String {
        let (of, margin) = (unsigned(self.wide), " ".repeat(indent));
        let next = format!("first + j * {THREADS}u");
        format!("{margin}const {of} position = {next} < size ? {next} : size - 1u;\n")
            + &coordinates(Axes::Space, self.axes, self.wide, "position", indent)
    }

    /// Sets `place[j]` and `element[j]`, where each of so many elements is in the array and among the elements. The
    /// first tile that threads are at is that with the number `tile`.
    pub(super) fn places(&self, tile: &str, count: u32) -> String {
        let (of, place_of) = (unsigned(self.wide), signed(self.wide));
        let each = each(count);
        let mut text = format!(
            "        const {of} first = ({of}){tile} * {}u + THREAD_X;\n        \
             {place_of} place[{count}], element[{count}];\n",
            THREADS * count
        );
        for (n, index) in self.numbered() {
            text += &format!("        {} index_{n}[{count}];\n", index.computed_in());
        }
        text += &format!("        {each} {{\n{}", self.position(12));
        text += &format!("            place[j] = {};\n", offset(Role::Array, self.axes));
        text += &format!("            element[j] = {};\n", offset(Role::Elements, self.axes));
        for (n, _) in self.numbered() {
            text += &format!("            index_{n}[j] = indices_{n}[{}];\n", offset(Role::Indices(n), self.axes));
        }
        text += "        }\n";
        for (n, index) in self.numbered() {
            let inside = index.function();
            text +=
                &format!("        {each} place[j] += ({place_of}){inside}(index_{n}[j], length_{n}) * along_{n};\n");
        }
        text
    }

    /// Notes those indices among so many that lie outside, where somebody asks for them.
    pub(super) fn notes(&self, count: u32) -> String {
        let mut text = String::new();
        for (n, index) in self.numbered().filter(|(_, index)| index.notes) {
            let flat: Vec<String> = (0..self.axes).map(|axis| format!("(u64)c{axis} * flat_{axis}")).collect();
            text += &format!(
                "        {} {{\n            if (is_outside_{}(index_{n}[j], length_{n})) {{\n{}                \
                 note_outside(mark_{n}, {});\n            }}\n        }}\n",
                each(count),
                index.computed_in(),
                self.position(16),
                flat.join(" + "),
            );
        }
        text
    }
}

/// The head of a loop over what a thread has.
pub(super) fn each(count: u32) -> String {
    format!("UNROLL for (u32 j = 0; j < {count}u; j++)")
}

impl Signature for TransferKernel {
    fn name(&self) -> String {
        format!("{}_{}", if self.scatters { "scatter" } else { "gather" }, self.width)
    }

    fn about(&self) -> String {
        let indices: Vec<String> = self.indices.iter().map(|index| index.about()).collect();
        let space = about_space(self.axes, self.wide);
        let list = if indices.is_empty() { "none".to_owned() } else { indices.join(", ") };
        format!("Elements of {} bytes by index; {space}; indices: {list}.", self.width)
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![Parameter::Address(Role::Array), Parameter::Address(Role::Elements)];
        push_space(&mut all, self.axes);
        all.extend(steps(Role::Array, self.axes));
        all.extend(steps(Role::Elements, self.axes));
        for (n, index) in self.numbered() {
            all.extend([Parameter::Address(Role::Indices(n)), Parameter::Length(n), Parameter::Along(n)]);
            all.extend(steps(Role::Indices(n), self.axes));
            all.extend(index.notes.then_some(Parameter::Address(Role::Mark(n))));
        }
        if self.indices.iter().any(|index| index.notes) {
            all.extend((0..self.axes).map(Parameter::Flat));
        }
        all
    }

    fn pointee(&self, role: Role) -> String {
        let element = self.element();
        match role {
            Role::Array if self.scatters => element,
            Role::Elements if !self.scatters => element,
            Role::Indices(n) => format!("const {}", type_name(self.indices[n as usize].dtype)),
            Role::Mark(_) => "u64".into(),
            _ => format!("const {element}"),
        }
    }

    fn body(&self, _dialect: Dialect) -> String {
        let (element, each) = (self.element(), each(EACH));
        let (from, to) = match self.scatters {
            false => ("array[place[j]]", "elements[element[j]]"),
            true => ("elements[element[j]]", "array[place[j]]"),
        };
        format!(
            "    EACH_THREAD {{
{places}        {element} moved[{EACH}];
        {each} moved[j] = {from};
        {each} {to} = moved[j];
{notes}    }}\n",
            places = self.places("BLOCK_X", EACH),
            notes = self.notes(EACH),
        )
    }

    fn is_wide(&self) -> bool {
        self.wide
    }
}
