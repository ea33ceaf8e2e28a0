//! Values to where a mask is true.

use situ_hal::{MaskExpand, Values};
use smallvec::smallvec;

use super::element_type;
use super::mask_count::mask_space;
use super::mask_move::Movement;
use super::mask_select::Masked;
use crate::coordinates::{about_space, coordinates, is_wide, offset, push_space, space_value, step_value, steps};
use crate::signature::{Axes, Parameter, Parameters, Role, Signature, THREADS, unsigned};
use crate::work::{Argument, Value, Work};
use crate::{Dialect, Kernel};

/// Positions that a thread looks at.
const EACH: u32 = 8;

/// Values to the elements of an array where a mask is true.
pub(crate) fn mask_expand(command: &MaskExpand) -> Work {
    let MaskExpand { shape, mask, array, width, values } = command;
    let mut work = Work::default();
    if shape.contains(&0) {
        return work;
    }
    let space = &mask_space(shape, [mask, array].map(|operand| &operand.strides[..]));
    let value = match *values {
        Values::Immediate(bytes) => Value::At(Argument::Value(bytes, *width as u8)),
        Values::Cycled { address, length: 1, .. } => address.into(),
        Values::Cycled { address, stride, length } => {
            let masked = Masked { space, mask, array: Some(array), most: 8 };
            masked.push_move(&mut work, Movement::Cycled(*width as u8), |parameter, _| match parameter {
                Parameter::Address(_) => address.into(),
                Parameter::ValueStep => Value::Word(stride as i64),
                _ => length.into(),
            });
            return work;
        }
    };
    let size = space.size();
    let wide = is_wide([size, space.reach(0), space.reach(1)]);
    let is_immediate = matches!(values, Values::Immediate(_));
    let kernel = MaskFill { width: *width as u8, axes: space.axes.len() as u8, is_immediate, wide };
    let blocks = size.div_ceil((THREADS * EACH) as usize);
    work.launch(Kernel::MaskFill(kernel), blocks, |parameter| match parameter {
        Parameter::Address(Role::Mask) => mask.address.into(),
        Parameter::Address(Role::Array) => array.address.into(),
        Parameter::Address(_) | Parameter::Immediate(_) => value,
        Parameter::Step(Role::Mask, axis) => step_value(space, 0, axis),
        Parameter::Step(_, axis) => step_value(space, 1, axis),
        other => space_value(space, wide, other),
    });
    work
}

/// What the text of writing one value depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MaskFill {
    width: u8,
    axes: u8,
    is_immediate: bool,
    wide: bool,
}

impl Signature for MaskFill {
    fn name(&self) -> String {
        format!("mask_fill_{}", self.width)
    }

    fn about(&self) -> String {
        let space = about_space(self.axes, self.wide);
        format!("One value of {} bytes to where a mask is true; {space}.", self.width)
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![Parameter::Address(Role::Mask), Parameter::Address(Role::Array)];
        all.push(if self.is_immediate { Parameter::Immediate } else { Parameter::Address }(Role::Values));
        push_space(&mut all, self.axes);
        all.extend(steps(Role::Mask, self.axes));
        all.extend(steps(Role::Array, self.axes));
        all
    }

    fn pointee(&self, role: Role) -> String {
        match role {
            Role::Mask => "const u8".into(),
            Role::Values if !self.is_immediate => format!("const {}", element_type(self.width)),
            _ => element_type(self.width),
        }
    }

    fn body(&self, _dialect: Dialect) -> String {
        let of = unsigned(self.wide);
        let each = format!("UNROLL for (u32 j = 0; j < {EACH}u; j++)");
        let past = format!("first + j * {THREADS}u");
        let value = if self.is_immediate { "values" } else { "values[0]" };
        let loaded = format!("        const {} value = {value};\n", element_type(self.width));
        let position = format!("                const {of} position = {past};\n")
            + &coordinates(Axes::Space, self.axes, self.wide, "position", 16);
        format!(
            "    EACH_THREAD {{
        const {of} first = ({of})BLOCK_X * {block}u + THREAD_X;
{loaded}        u8 truth[{EACH}];
        {each} {{
            truth[j] = 0;
            if ({past} < size) {{
{position}                truth[j] = mask[{from}];
            }}
        }}
        {each} {{
            if (truth[j] != 0) {{
{position}                array[{to}] = value;
            }}
        }}
    }}\n",
            block = THREADS * EACH,
            from = offset(Role::Mask, self.axes),
            to = offset(Role::Array, self.axes),
        )
    }

    fn is_wide(&self) -> bool {
        self.wide
    }
}
