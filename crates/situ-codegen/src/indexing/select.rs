//! What lies where a mask is true, side by side: what is launched.

use super::kernel::Kernel;
use super::mask::{MaskForm, Segments, push_ranks};
use super::moved::{Kind, Moved};
use super::signature::{Axes, Parameter, Role};
use super::space::{Divisor, Space, is_wide};
use super::transfer::space_value;
use super::work::{Strided, Value, Work};

/// What is kept where a mask is true.
#[derive(Clone, Copy, Debug)]
pub enum Taken<'a> {
    /// The elements of an array.
    Elements {
        /// The array.
        array: Strided<'a>,
        /// Bytes per element: 1, 2, 4, 8 or 16.
        width: usize,
    },
    /// The position itself, as one run of int64 per axis of this shape, which has as many elements as the iteration
    /// space. The runs are as long as the capacity and follow each other.
    Coordinates(&'a [usize]),
}

/// What lies where a mask is true, side by side, but not more than there is room for. The operands are the mask, where
/// the result goes, and the array, if there is one.
pub fn select(shape: &[usize], mask: Strided<'_>, taken: Taken<'_>, capacity: usize) -> Work {
    let mut work = Work::default();
    if shape.contains(&0) || capacity == 0 {
        return work;
    }
    let array = match taken {
        Taken::Elements { array, .. } => Some(array.strides),
        Taken::Coordinates(_) => None,
    };
    let space = Space::new(shape, [mask.strides].into_iter().chain(array));
    let segments = Segments::new(space.size(), 8);
    let totals = push_ranks(&mut work, &space, mask.address, segments);
    let (kind, dims) = match taken {
        Taken::Elements { width, .. } => (Kind::Selected(width as u8), &[][..]),
        Taken::Coordinates([]) => (Kind::Coordinates(0), &[][..]),
        Taken::Coordinates(dims) => (Kind::Coordinates(dims.len() as u8), dims),
    };
    push_moved(&mut work, &space, mask.address, kind, (segments, totals), |parameter, wide| match parameter {
        Parameter::Address(_) => Value::operand(1),
        Parameter::Extent(Axes::Coordinates, axis) => dims[axis as usize].into(),
        Parameter::Multiplier(Axes::Coordinates, axis) => Divisor::new(dims[axis as usize], wide).multiplier.into(),
        Parameter::Shift(Axes::Coordinates, axis) => u64::from(Divisor::new(dims[axis as usize], wide).shift).into(),
        _ => capacity.into(),
    });
    work
}

/// Adds the launch that moves what lies where the mask is true: the space's first operand, the array being its second.
/// The values of parameters that only one kind has are asked for.
pub(super) fn push_moved(
    work: &mut Work,
    space: &Space,
    address: usize,
    kind: Kind,
    (segments, totals): (Segments, usize),
    own: impl Fn(Parameter, bool) -> Value,
) {
    let reaches = (0..space.steps.len()).map(|operand| space.reach(operand));
    let wide = is_wide(reaches.chain([(space.size() as u64).saturating_add(segments.length as u64)]));
    let form = Moved { kind, mask: MaskForm::new(space, address), axes: space.axes() as u8, wide };
    work.launch(Kernel::Moved(form), segments.count, |parameter| match parameter {
        Parameter::Address(Role::Mask) => Value::operand(0),
        Parameter::Address(Role::Array) => Value::operand(2),
        Parameter::Address(Role::Totals) => Value::scratch(totals),
        Parameter::Ranked => u64::from(segments.count > 1).into(),
        Parameter::Segment => segments.length.into(),
        Parameter::Step(Role::Mask, axis) => space.steps[0][axis as usize].into(),
        Parameter::Step(_, axis) => space.steps[1][axis as usize].into(),
        Parameter::Size
        | Parameter::Extent(Axes::Space, _)
        | Parameter::Multiplier(Axes::Space, _)
        | Parameter::Shift(Axes::Space, _) => space_value(space, wide, parameter),
        other => own(other, wide),
    });
}
