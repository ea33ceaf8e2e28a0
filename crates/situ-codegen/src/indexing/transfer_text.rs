//! Gather and scatter: the kernel.

use super::Mode;
use super::kernel::{THREADS, about_space, coordinates, offset, unit_type};
use super::signature::{Axes, Parameter, Role, Signature, divisors, signed, steps, unsigned};
use super::transfer::{EACH, Form, Guide};
use crate::dialect::type_name;

impl Guide {
    /// What a value of an index is computed in.
    pub(super) fn computed_in(self) -> &'static str {
        if self.dtype.is_unsigned_integer() { "u64" } else { "i64" }
    }

    /// The library's function that brings an index into its axis.
    fn function(self) -> String {
        let kind = match self.mode {
            Mode::Checked => "checked",
            Mode::Wrap => "wrapped",
            Mode::Clip => "clipped",
        };
        format!("{kind}_index_{}", self.computed_in())
    }

    fn about(self) -> String {
        let mode = match (self.mode, self.notes) {
            (Mode::Checked, false) => "checked before",
            (Mode::Checked, true) => "checked here",
            (Mode::Wrap, _) => "wrapped",
            (Mode::Clip, _) => "clipped",
        };
        format!("{} {mode}", self.dtype)
    }
}

impl Form {
    /// The guides with their numbers.
    fn numbered(&self) -> impl Iterator<Item = (u8, Guide)> {
        (0u8..).zip(self.guides.iter().copied())
    }
}

impl Signature for Form {
    fn name(&self) -> String {
        format!("{}_{}", if self.scatters { "scatter" } else { "gather" }, self.width)
    }

    fn about(&self) -> String {
        let guides: Vec<String> = self.guides.iter().map(|guide| guide.about()).collect();
        let space = about_space(self.axes, self.wide);
        let list = if guides.is_empty() { "none".to_owned() } else { guides.join(", ") };
        format!("Elements of {} bytes by index; {space}; indices: {list}.", self.width)
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut all = vec![Parameter::Address(Role::Array), Parameter::Address(Role::Elements), Parameter::Size];
        all.extend(divisors(Axes::Space, self.axes));
        all.extend(steps(Role::Array, self.axes));
        all.extend(steps(Role::Elements, self.axes));
        for (n, guide) in self.numbered() {
            all.extend([Parameter::Address(Role::Indices(n)), Parameter::Length(n), Parameter::Along(n)]);
            all.extend(steps(Role::Indices(n), self.axes));
            all.extend(guide.notes.then_some(Parameter::Address(Role::Mark(n))));
        }
        if self.guides.iter().any(|guide| guide.notes) {
            all.extend((0..self.axes).map(Parameter::Flat));
        }
        all
    }

    fn pointee(&self, role: Role) -> String {
        let element = unit_type(self.width);
        match role {
            Role::Array if self.scatters => element,
            Role::Elements if !self.scatters => element,
            Role::Indices(n) => format!("const {}", type_name(self.guides[n as usize].dtype)),
            Role::Mark(_) => "u64".into(),
            _ => format!("const {element}"),
        }
    }

    fn body(&self) -> String {
        let (of, place_of) = (unsigned(self.wide), signed(self.wide));
        let element = unit_type(self.width);
        let each = format!("UNROLL for (u32 j = 0; j < {EACH}u; j++)");
        let position = |indent| {
            let margin = " ".repeat(indent);
            format!(
                "{margin}const {of} position = first + j * {THREADS}u < size ? first + j * {THREADS}u : size - 1u;\n"
            ) + &coordinates(Axes::Space, self.axes, self.wide, indent)
        };
        let mut text = format!(
            "    EACH_THREAD {{\n        const {of} first = ({of})BLOCK_X * {}u + THREAD_X;\n        \
             {place_of} place[{EACH}], element[{EACH}];\n",
            THREADS * EACH
        );
        for (n, guide) in self.numbered() {
            text += &format!("        {} index_{n}[{EACH}];\n", guide.computed_in());
        }
        text += &format!("        {each} {{\n{}", position(12));
        text += &format!("            place[j] = {};\n", offset(Role::Array, self.axes));
        text += &format!("            element[j] = {};\n", offset(Role::Elements, self.axes));
        for (n, _) in self.numbered() {
            text += &format!("            index_{n}[j] = indices_{n}[{}];\n", offset(Role::Indices(n), self.axes));
        }
        text += "        }\n";
        for (n, guide) in self.numbered() {
            let inside = guide.function();
            text +=
                &format!("        {each} place[j] += ({place_of}){inside}(index_{n}[j], length_{n}) * along_{n};\n");
        }
        let (from, to) = match self.scatters {
            false => ("array[place[j]]", "elements[element[j]]"),
            true => ("elements[element[j]]", "array[place[j]]"),
        };
        text += &format!("        {element} moved[{EACH}];\n        {each} moved[j] = {from};\n");
        // Threads beyond the last element do that one again: without a branch, all reads are under way at once.
        text += &format!("        {each} {to} = moved[j];\n");
        for (n, guide) in self.numbered().filter(|(_, guide)| guide.notes) {
            let flat: Vec<String> = (0..self.axes).map(|axis| format!("(u64)c{axis} * flat_{axis}")).collect();
            text += &format!(
                "        {each} {{\n            if (is_outside_{}(index_{n}[j], length_{n})) {{\n{}                \
                 note_outside(mark_{n}, {});\n            }}\n        }}\n",
                guide.computed_in(),
                position(16),
                flat.join(" + "),
            );
        }
        text + "    }\n"
    }

    fn is_wide(&self) -> bool {
        self.wide
    }

    fn threads(&self) -> u32 {
        THREADS
    }
}
