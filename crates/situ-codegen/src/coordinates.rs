//! The way from a position to places in memory.

use situ_types::Space;

use crate::divisor::Divisor;
use crate::signature::{Axes, Parameter, Parameters, Role, signed, unsigned};
use crate::work::Value;

/// Declares the coordinates of a position, outermost first: `c0`, `c1` … along the axes of the space. Lines are
/// indented by so many spaces.
pub(crate) fn coordinates(axes: Axes, count: u8, wide: bool, position: &str, indent: usize) -> String {
    let (of, steps_of, prefix) = (unsigned(wide), signed(wide), axes.prefix());
    let margin = " ".repeat(indent);
    let mut text = String::new();
    let mut rest = position.to_owned();
    for axis in (1..count).rev() {
        let (quotient, coordinate) = (axes.quotient(axis), axes.coordinate(axis));
        text += &format!(
            "{margin}const {of} {quotient} = quotient_{of}({rest}, {prefix}multiplier_{axis}, {prefix}shift_{axis});\n\
             {margin}const {steps_of} {coordinate} = ({steps_of})({rest} - {quotient} * {prefix}extent_{axis});\n"
        );
        rest = quotient;
    }
    text + &format!("{margin}const {steps_of} {} = ({steps_of}){rest};\n", axes.coordinate(0))
}

/// The offset of an operand at the coordinates along the first axes.
pub(crate) fn offset(role: Role, count: u8) -> String {
    let part = |axis: u8| format!("{} * {}", Axes::Space.coordinate(axis), Parameter::Step(role, axis).name());
    (0..count).map(part).collect::<Vec<_>>().join(" + ")
}

/// The parameters that divide a position into coordinates: every axis but the outermost has a divisor.
pub(crate) fn divisors(axes: Axes, count: u8) -> impl Iterator<Item = Parameter> {
    (1..count)
        .flat_map(move |n| [Parameter::Extent(axes, n), Parameter::Multiplier(axes, n), Parameter::Shift(axes, n)])
}

/// The parameters that are an operand's steps along the first axes.
pub(crate) fn steps(role: Role, count: u8) -> impl Iterator<Item = Parameter> {
    (0..count).map(move |axis| Parameter::Step(role, axis))
}

/// The parameters of a space: its size, and its divisors.
pub(crate) fn push_space(all: &mut Parameters, count: u8) {
    all.push(Parameter::Size);
    all.extend(divisors(Axes::Space, count));
}

/// The value of a parameter that belongs to axes of these lengths.
pub(crate) fn length_value(lengths: &[usize], wide: bool, parameter: Parameter) -> Option<Value> {
    let divisor = |axis: u8| Divisor::new(lengths[axis as usize], wide);
    Some(match parameter {
        Parameter::Extent(_, axis) => lengths[axis as usize].into(),
        Parameter::Multiplier(_, axis) => divisor(axis).multiplier.into(),
        Parameter::Shift(_, axis) => u64::from(divisor(axis).shift).into(),
        _ => return None,
    })
}

/// The value of a parameter that belongs to an iteration space; of any other, the number of its points.
pub(crate) fn space_value(space: &Space, wide: bool, parameter: Parameter) -> Value {
    let length = |axis: u8| space.axes[axis as usize].length;
    match parameter {
        Parameter::Extent(_, axis) => length(axis).into(),
        Parameter::Multiplier(_, axis) => Divisor::new(length(axis), wide).multiplier.into(),
        Parameter::Shift(_, axis) => u64::from(Divisor::new(length(axis), wide).shift).into(),
        _ => space.size().into(),
    }
}

/// The step of an operand of a space along an axis.
pub(crate) fn step_value(space: &Space, operand: usize, axis: u8) -> Value {
    Value::Word(space.axes[axis as usize].steps[operand] as i64)
}

/// Whether numbers so large need 64 bits.
pub(crate) fn is_wide(numbers: impl IntoIterator<Item = usize>) -> bool {
    numbers.into_iter().any(|number| number >= 1 << 31)
}

/// Words about axes and positions.
pub(crate) fn about_space(axes: u8, wide: bool) -> String {
    let bits = if wide { 64 } else { 32 };
    let plural = if axes == 1 { "axis" } else { "axes" };
    format!("{axes} {plural}, {bits}-bit positions")
}
