//! What lies where a mask is true, side by side: what is launched.

use situ_hal::{MaskSelect, Strided, Taken};
use situ_types::Space;

use super::mask_count::{MaskAccess, Segments, mask_space, push_ranks};
use super::mask_move::{MaskMove, Movement};
use crate::Kernel;
use crate::coordinates::{is_wide, length_value, space_value, step_value};
use crate::signature::{Axes, Parameter, Role};
use crate::work::{Value, Work};

/// What lies where a mask is true, side by side, but not more than there is room for.
pub(crate) fn mask_select(command: &MaskSelect) -> Work {
    let MaskSelect { shape, mask, taken, out, capacity } = command;
    let mut work = Work::default();
    if shape.contains(&0) || *capacity == 0 {
        return work;
    }
    let (kind, array, dims) = match taken {
        Taken::Elements { array, width } => (Movement::Selected(*width as u8), Some(array), &[][..]),
        Taken::Coordinates(dims) => (Movement::Coordinates(dims.len() as u8), None, &dims[..]),
    };
    let strides = [mask].into_iter().chain(array).map(|operand| &operand.strides[..]);
    let masked = Masked { space: &mask_space(shape, strides), mask, array, most: 8 };
    masked.push_move(&mut work, kind, |parameter, wide| match parameter {
        Parameter::Address(_) => (*out).into(),
        other => length_value(dims, wide, other).unwrap_or((*capacity).into()),
    });
    work
}

/// A mask and what is moved by it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Masked<'a> {
    /// The mask is its first operand, the array its second.
    pub(super) space: &'a Space,
    pub(super) mask: &'a Strided,
    pub(super) array: Option<&'a Strided>,
    /// Tiles of a segment at most.
    pub(super) most: usize,
}

impl Masked<'_> {
    /// Adds the launches that move what lies where the mask is true. The values of parameters that only one kind of
    /// movement has are asked for.
    pub(super) fn push_move(self, work: &mut Work, kind: Movement, own: impl Fn(Parameter, bool) -> Value) {
        let Masked { space, mask, array, most } = self;
        let segments = Segments::new(space.size(), most);
        let totals = push_ranks(work, space, mask.address, segments);
        let reaches = (0..space.operands()).map(|operand| space.reach(operand));
        let wide = is_wide(reaches.chain([space.size().saturating_add(segments.length)]));
        let axes = space.axes.len() as u8;
        let kernel = MaskMove { kind, mask: MaskAccess::new(space, mask.address), axes, wide };
        work.launch(Kernel::MaskMove(kernel), segments.count, |parameter| match (parameter, array) {
            (Parameter::Address(Role::Mask), _) => mask.address.into(),
            (Parameter::Address(Role::Array), Some(array)) => array.address.into(),
            (Parameter::Address(Role::Totals), _) => Value::scratch(totals),
            (Parameter::Ranked, _) => u64::from(segments.count > 1).into(),
            (Parameter::Segment, _) => segments.length.into(),
            (Parameter::Step(Role::Mask, axis), _) => step_value(space, 0, axis),
            (Parameter::Step(_, axis), _) => step_value(space, 1, axis),
            (
                Parameter::Size
                | Parameter::Extent(Axes::Space, _)
                | Parameter::Multiplier(Axes::Space, _)
                | Parameter::Shift(Axes::Space, _),
                _,
            ) => space_value(space, wide, parameter),
            (other, _) => own(other, wide),
        });
    }
}
