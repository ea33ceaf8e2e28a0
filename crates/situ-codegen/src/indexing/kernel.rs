//! What all kernels have in common: their frame, and the way from a position to places in memory.

use super::bins_moving::{Brought, Visited};
use super::bins_sorting::{Probed, Sorted};
use super::check::{Answer, Check};
use super::expand::Fill;
use super::mask::Counts;
use super::moved::Moved;
use super::signature::{Axes, Parameter, Role, Signature, TABLE_LIMIT, signed, unsigned};
use super::totals::Totals;
use super::transfer::Form;
use crate::{Dialect, Source, library};

/// Threads per block, unless a kernel says otherwise.
pub(super) const THREADS: u32 = 256;

/// A kernel: everything that its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// Gathers or scatters.
    Transfer(Form),
    /// Looks whether sorting is worth it.
    Probed(Probed),
    /// Sorts places into bins.
    Sorted(Sorted),
    /// Gathers or scatters bin after bin.
    Visited(Visited),
    /// Brings what was gathered from bins to where it belongs.
    Brought(Brought),
    /// Looks for an index outside its axis.
    Check(Check),
    /// Tells which index that was.
    Answer(Answer),
    /// Counts what is true in each segment of a mask.
    Counts(Counts),
    /// Adds up numbers of segments.
    Totals(Totals),
    /// Moves what lies where a mask is true.
    Moved(Moved),
    /// Writes one value where a mask is true.
    Fill(Fill),
}

impl Kernel {
    fn signature(&self) -> &dyn Signature {
        match self {
            Kernel::Transfer(form) => form,
            Kernel::Probed(form) => form,
            Kernel::Sorted(form) => form,
            Kernel::Visited(form) => form,
            Kernel::Brought(form) => form,
            Kernel::Check(form) => form,
            Kernel::Answer(form) => form,
            Kernel::Counts(form) => form,
            Kernel::Totals(form) => form,
            Kernel::Moved(form) => form,
            Kernel::Fill(form) => form,
        }
    }

    pub(super) fn parameters(&self) -> Vec<Parameter> {
        self.signature().parameters()
    }

    pub(super) fn is_wide(&self) -> bool {
        self.signature().is_wide()
    }

    pub(super) fn threads(&self) -> u32 {
        self.signature().threads()
    }

    /// The kernel's text.
    pub fn emit(&self, dialect: Dialect) -> Source {
        let signature = self.signature();
        let (name, wide) = (signature.name(), signature.is_wide());
        let parameters = signature.parameters();
        let is_tabled = parameters.len() > TABLE_LIMIT;
        let (mut given, mut loaded) = (Vec::new(), String::new());
        for parameter in parameters {
            let called = parameter.name();
            match parameter {
                Parameter::Address(role) => {
                    given.push(format!("GLOBAL {} *RESTRICT {called}", signature.pointee(role)))
                }
                Parameter::Immediate => given.push(format!("const {} {called}", signature.pointee(Role::Values))),
                word if is_tabled => {
                    let (of, n) = (word.word_type(wide), loaded.lines().count());
                    loaded += &format!("    const {of} {called} = ({of})table[{n}];\n");
                }
                word => given.push(format!("const {} {called}", word.word_type(wide))),
            }
        }
        if is_tabled {
            given.push("GLOBAL const i64 *RESTRICT table".into());
        }
        let (about, before, body) = (signature.about(), signature.before(), signature.body());
        let threads = signature.threads();
        let list = given.join(",\n    ");
        let text = format!("{before}// {about}\nKERNEL BOUNDED({threads}) {name}(\n    {list}) {{\n{loaded}{body}}}\n");
        Source { text: library::complete(dialect, &text), kernel: name }
    }
}

/// The type that is as wide as an element, wherever elements of that width lie.
pub(super) fn element_type(width: u8) -> String {
    if width == 16 { "e16".into() } else { unit_type(width) }
}

/// The type that is as wide, for addresses that are multiples of it.
pub(super) fn unit_type(width: u8) -> String {
    format!("w{width}")
}

/// Declares the coordinates `c0`, `c1`… of a `position`, each line so far to the right.
pub(super) fn coordinates(axes: Axes, count: u8, wide: bool, indent: usize) -> String {
    let (of, steps_of, prefix) = (unsigned(wide), signed(wide), axes.prefix());
    let margin = " ".repeat(indent);
    let mut text = String::new();
    let mut rest = "position".to_owned();
    for axis in (1..count).rev() {
        text += &format!(
            "{margin}const {of} q{axis} = axis_quotient_{of}({rest}, {prefix}multiplier_{axis}, {prefix}shift_{axis});\n"
        );
        text +=
            &format!("{margin}const {steps_of} c{axis} = ({steps_of})({rest} - q{axis} * {prefix}extent_{axis});\n");
        rest = format!("q{axis}");
    }
    text + &format!("{margin}const {steps_of} c0 = ({steps_of}){rest};\n")
}

/// The offset of an operand at the coordinates.
pub(super) fn offset(role: Role, count: u8) -> String {
    let part = |axis: u8| format!("c{axis} * {}", Parameter::Step(role, axis).name());
    (0..count).map(part).collect::<Vec<_>>().join(" + ")
}

/// Words about axes and positions.
pub(super) fn about_space(axes: u8, wide: bool) -> String {
    let bits = if wide { 64 } else { 32 };
    let plural = if axes == 1 { "axis" } else { "axes" };
    format!("{axes} {plural}, {bits}-bit positions")
}
