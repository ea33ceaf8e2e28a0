//! Rows of elements: sequences that are sorted, and how they lie in memory.

use situ_hal::{Sort, Strided};
use situ_types::Space;

use super::ordered::Ordered;
use crate::coordinates::{about_space, coordinates, divisors, offset, space_value, step_value};
use crate::signature::{Axes, Parameter, Parameters, Role};
use crate::work::Value;

/// How rows are read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RowAccess {
    /// One after another, without gaps.
    Dense,
    /// By steps along the row, and along so many axes from row to row.
    Strided(u8),
}

impl RowAccess {
    pub(super) fn about(self) -> String {
        match self {
            RowAccess::Dense => "rows dense".into(),
            RowAccess::Strided(axes) => format!("rows strided, {}", about_space(axes, true)),
        }
    }

    /// Access to operands of both kinds goes along the axes of the one that has some.
    pub(super) fn or(self, other: RowAccess) -> RowAccess {
        if self == RowAccess::Dense { other } else { self }
    }

    /// The parameters that divide a row's number into coordinates.
    pub(super) fn push_axes(self, all: &mut Parameters) {
        if let RowAccess::Strided(axes) = self {
            all.extend(divisors(Axes::Space, axes));
        }
    }

    /// The parameters that lead to elements of operands, each with its number along rows.
    pub(super) fn push_steps(self, all: &mut Parameters, operands: &[(Role, u8)]) {
        if let RowAccess::Strided(axes) = self {
            for &(role, number) in operands {
                all.extend((0..axes).map(|axis| Parameter::Step(role, axis)));
                all.push(Parameter::Along(number));
            }
        }
    }

    /// Declares the coordinates of `row`.
    pub(super) fn coordinates(self, indent: usize) -> String {
        match self {
            RowAccess::Dense => String::new(),
            RowAccess::Strided(axes) => coordinates(Axes::Space, axes, true, "row", indent),
        }
    }

    /// Where an operand's elements of `row` begin.
    pub(super) fn start(self, role: Role) -> String {
        match self {
            RowAccess::Dense => format!("{} + row * length", role.name()),
            RowAccess::Strided(axes) => format!("{} + ({})", role.name(), offset(role, axes)),
        }
    }

    /// The element of the operand with a number, at a position in a row that begins at a pointer.
    pub(super) fn element(self, start: &str, number: u8, position: &str) -> String {
        match self {
            RowAccess::Dense => format!("{start}[{position}]"),
            RowAccess::Strided(_) => format!("{start}[(i64)({position}) * {}]", Parameter::Along(number).name()),
        }
    }
}

/// The number of the input among what moves along rows; that of the elements in order; that of their positions.
pub(super) const INPUT: u8 = 0;
pub(super) const VALUES: u8 = 1;
pub(super) const INDICES: u8 = 2;

/// The rows of a sort.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    pub(super) command: &'a Sort,
    pub(super) ordered: Ordered,
    pub(super) length: usize,
    /// From row to row, of the input, the elements in order and their positions.
    space: Space,
}

impl<'a> Rows<'a> {
    pub(super) fn new(command: &'a Sort) -> Rows<'a> {
        let others = command.shape.len().saturating_sub(1);
        let still = vec![0; others];
        let outer = |operand: Option<&'a Strided>| operand.map_or(&still[..], |operand| &operand.strides[..others]);
        let operands = [Some(&command.input), command.values.as_ref(), command.indices.as_ref()];
        let mut space = Space::new(&command.shape[..others], operands.map(outer));
        space.simplify();
        let ordered = Ordered(command.dtype);
        Rows { command, ordered, length: command.length(), space }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.space.size()
    }

    fn operand(&self, number: u8) -> Option<&Strided> {
        match number {
            INPUT => Some(&self.command.input),
            VALUES => self.command.values.as_ref(),
            _ => self.command.indices.as_ref(),
        }
    }

    /// Steps along the rows of an operand.
    pub(super) fn along(&self, number: u8) -> isize {
        self.operand(number).and_then(|operand| operand.strides.last()).copied().unwrap_or(0)
    }

    /// Steps of the input from one row to the next.
    pub(super) fn across(&self) -> isize {
        self.space.steps(INPUT as usize).next_back().unwrap_or(0)
    }

    /// How an operand with so many elements per row lies in memory. One that is not there may be anything.
    pub(super) fn access(&self, number: u8, length: usize) -> RowAccess {
        let is_dense = self.operand(number).is_none_or(|operand| {
            let mut space = Space::new(&self.command.shape, [&operand.strides[..]]);
            space.simplify();
            length == self.length && space.is_dense(0)
        });
        if is_dense { RowAccess::Dense } else { self.strided() }
    }

    /// Access to rows wherever they are.
    pub(super) fn strided(&self) -> RowAccess {
        RowAccess::Strided(self.space.axes.len() as u8)
    }

    /// An operand's address; that of the input for one that is not there.
    pub(super) fn address(&self, number: u8) -> Value {
        self.operand(number).unwrap_or(&self.command.input).address.into()
    }

    /// The value of a parameter that belongs to the rows.
    pub(super) fn value(&self, parameter: Parameter) -> Value {
        match parameter {
            Parameter::Sequence => self.length.into(),
            Parameter::Count => self.command.count.into(),
            Parameter::Flip => if self.command.descending { 255u64 } else { 0 }.into(),
            Parameter::Kept => u64::from(self.command.values.is_some()).into(),
            Parameter::Along(number) => Value::Word(self.along(number) as i64),
            Parameter::Step(Role::Input(_), axis) => step_value(&self.space, INPUT as usize, axis),
            Parameter::Step(Role::Values, axis) => step_value(&self.space, VALUES as usize, axis),
            Parameter::Step(_, axis) => step_value(&self.space, INDICES as usize, axis),
            Parameter::Address(Role::Input(_)) => self.address(INPUT),
            Parameter::Address(Role::Values) => self.address(VALUES),
            Parameter::Address(_) => self.address(INDICES),
            other => space_value(&self.space, true, other),
        }
    }
}
