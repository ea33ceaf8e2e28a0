//! Values to where a mask is true.

use super::kernel::{Kernel, THREADS, about_space, coordinates, element_type, offset};
use super::mask::{Segments, push_ranks};
use super::moved::Kind;
use super::select::push_moved;
use super::signature::{Axes, Parameter, Role, Signature, divisors, steps, unsigned};
use super::space::{Space, is_wide};
use super::transfer::space_value;
use super::work::{Strided, Value, Work};

/// Positions that a thread looks at.
const EACH: u32 = 8;

/// What is written where a mask is true.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// One value, given with the launch.
    Immediate,
    /// Values in memory, one after another, and again from the first after the last.
    Cycled {
        /// Elements from one to the next.
        stride: isize,
        /// How many; not 0.
        length: usize,
    },
}

/// Values of a width to the elements of an array where a mask is true. The operands are the mask, the values, and the
/// array. Neither mask nor values overlap the array.
pub fn expand(shape: &[usize], mask: Strided<'_>, array: Strided<'_>, width: usize, values: Values) -> Work {
    let mut work = Work::default();
    if shape.contains(&0) {
        return work;
    }
    let space = Space::new(shape, [mask.strides, array.strides].into_iter());
    match values {
        Values::Cycled { stride, length } if length > 1 => {
            let segments = Segments::new(space.size(), 8);
            let totals = push_ranks(&mut work, &space, mask.address, segments);
            let kind = Kind::Cycled(width as u8);
            push_moved(&mut work, &space, mask.address, kind, (segments, totals), |parameter, _| match parameter {
                Parameter::Address(_) => Value::operand(1),
                Parameter::ValueStep => Value::Word(stride as i64),
                _ => length.into(),
            });
        }
        _ => {
            let size = space.size();
            let wide = is_wide([size as u64, space.reach(0), space.reach(1)]);
            let is_immediate = matches!(values, Values::Immediate);
            let form = Fill { width: width as u8, axes: space.axes() as u8, is_immediate, wide };
            work.launch(Kernel::Fill(form), size.div_ceil((THREADS * EACH) as usize), |parameter| match parameter {
                Parameter::Address(Role::Mask) => Value::operand(0),
                Parameter::Address(Role::Array) => Value::operand(2),
                Parameter::Address(_) | Parameter::Immediate => Value::operand(1),
                Parameter::Step(Role::Mask, axis) => space.steps[0][axis as usize].into(),
                Parameter::Step(_, axis) => space.steps[1][axis as usize].into(),
                other => space_value(&space, wide, other),
            });
        }
    }
    work
}

/// What the text of writing one value depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fill {
    width: u8,
    axes: u8,
    is_immediate: bool,
    wide: bool,
}

impl Signature for Fill {
    fn name(&self) -> String {
        format!("mask_fill_{}", self.width)
    }

    fn about(&self) -> String {
        let space = about_space(self.axes, self.wide);
        format!("One value of {} bytes to where a mask is true; {space}.", self.width)
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut all = vec![Parameter::Address(Role::Mask), Parameter::Address(Role::Array)];
        all.push(if self.is_immediate { Parameter::Immediate } else { Parameter::Address(Role::Values) });
        all.push(Parameter::Size);
        all.extend(divisors(Axes::Space, self.axes));
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

    fn body(&self) -> String {
        let of = unsigned(self.wide);
        let each = format!("UNROLL for (u32 j = 0; j < {EACH}u; j++)");
        let past = format!("first + j * {THREADS}u");
        let loaded = if self.is_immediate {
            String::new()
        } else {
            format!("        const {} value = values[0];\n", element_type(self.width))
        };
        let position = format!("                const {of} position = {past};\n")
            + &coordinates(Axes::Space, self.axes, self.wide, 16);
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

    fn threads(&self) -> u32 {
        THREADS
    }
}
