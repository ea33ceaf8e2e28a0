//! Whether indices lie in their axes.

use situ_types::DType;
use smallvec::SmallVec;

use super::kernel::{Kernel, THREADS, about_space, coordinates, offset};
use super::signature::{Axes, Parameter, Role, Signature, divisors, steps, unsigned};
use super::space::{Space, is_wide};
use super::transfer::space_value;
use super::work::{Strided, Value, Work};
use crate::dialect::type_name;

/// Indices that a thread looks at.
const EACH: u32 = 8;

/// Whether every index lies in an axis of that length, counted from either end. The operands are the indices and the
/// verdict: two int64, the position in C order of the first index that lies outside, or -1, and that index, or 0.
pub fn check(shape: &[usize], indices: Strided<'_>, dtype: DType, length: usize) -> Work {
    let mut work = Work::default();
    let marks = marks(&mut work, [true].into_iter());
    if !shape.contains(&0) {
        let space = Space::new(shape, [indices.strides].into_iter());
        let size = space.size();
        let wide = is_wide([size as u64, space.reach(0)]);
        let form = Check { dtype, axes: space.axes() as u8, wide };
        work.launch(Kernel::Check(form), size.div_ceil((THREADS * EACH) as usize), |parameter| match parameter {
            Parameter::Address(Role::Mark(_)) => Value::scratch(marks[0]),
            Parameter::Address(_) => Value::operand(0),
            Parameter::Step(_, axis) => space.steps[0][axis as usize].into(),
            Parameter::Length(_) => length.into(),
            other => space_value(&space, wide, other),
        });
    }
    answer(&mut work, shape, indices.strides, dtype, marks[0], (0, 1));
    work
}

/// A place in zeroed scratch memory for each index operand that is asked about. What is noted there is the complement
/// of a position, so that the least position is the largest number, and 0 stands for none.
pub(super) fn marks(work: &mut Work, asked: impl Iterator<Item = bool>) -> SmallVec<[usize; 2]> {
    let mut next = 0;
    let marks = asked.map(|asked| {
        next += if asked { size_of::<u64>() } else { 0 };
        next.saturating_sub(size_of::<u64>())
    });
    let marks = marks.collect();
    work.reserve(next);
    work.zeroed = next;
    marks
}

/// Adds the launch that turns a mark into a verdict. `operands` are the numbers of the indices and of the verdict.
pub(super) fn answer(
    work: &mut Work,
    shape: &[usize],
    strides: &[isize],
    dtype: DType,
    mark: usize,
    operands: (usize, usize),
) {
    let space = Space::new(shape, [strides].into_iter());
    let form = Answer { dtype, axes: space.axes() as u8 };
    work.launch(Kernel::Answer(form), 1, |parameter| match parameter {
        Parameter::Address(Role::Mark(_)) => Value::scratch(mark),
        Parameter::Address(Role::Verdict) => Value::operand(operands.1),
        Parameter::Address(_) => Value::operand(operands.0),
        Parameter::Step(_, axis) => space.steps[0][axis as usize].into(),
        Parameter::Extent(_, axis) => space.shape[axis as usize].into(),
        other => space_value(&space, true, other),
    });
}

/// What the text of a check depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Check {
    dtype: DType,
    axes: u8,
    wide: bool,
}

impl Signature for Check {
    fn name(&self) -> String {
        "index_check".into()
    }

    fn about(&self) -> String {
        format!("Notes the first index outside its axis; {}.", about_space(self.axes, self.wide))
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut all = vec![Parameter::Address(Role::Indices(0)), Parameter::Address(Role::Mark(0))];
        all.extend([Parameter::Size, Parameter::Length(0)]);
        all.extend(divisors(Axes::Space, self.axes));
        all.extend(steps(Role::Indices(0), self.axes));
        all
    }

    fn pointee(&self, role: Role) -> String {
        if role == Role::Mark(0) { "u64".into() } else { format!("const {}", type_name(self.dtype)) }
    }

    fn body(&self) -> String {
        let of = unsigned(self.wide);
        let computed_in = if self.dtype.is_unsigned_integer() { "u64" } else { "i64" };
        let each = format!("UNROLL for (u32 j = 0; j < {EACH}u; j++)");
        let past = format!("first + j * {THREADS}u");
        format!(
            "    EACH_THREAD {{
        const {of} first = ({of})BLOCK_X * {block}u + THREAD_X;
        {computed_in} index[{EACH}];
        {each} {{
            const {of} position = {past} < size ? {past} : size - 1u;
{coordinates}            index[j] = indices_0[{offset}];
        }}
        {each} {{
            if ({past} < size && is_outside_{computed_in}(index[j], length_0)) note_outside(mark_0, {past});
        }}
    }}\n",
            block = THREADS * EACH,
            coordinates = coordinates(Axes::Space, self.axes, self.wide, 12),
            offset = offset(Role::Indices(0), self.axes),
        )
    }

    fn is_wide(&self) -> bool {
        self.wide
    }

    fn threads(&self) -> u32 {
        THREADS
    }
}

/// What the text of an answer depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Answer {
    dtype: DType,
    axes: u8,
}

impl Signature for Answer {
    fn name(&self) -> String {
        "index_verdict".into()
    }

    fn about(&self) -> String {
        "Says which index lay outside its axis, and where.".into()
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut all = vec![Parameter::Address(Role::Indices(0)), Parameter::Address(Role::Mark(0))];
        all.push(Parameter::Address(Role::Verdict));
        all.extend((1..self.axes).map(|axis| Parameter::Extent(Axes::Space, axis)));
        all.extend(steps(Role::Indices(0), self.axes));
        all
    }

    fn pointee(&self, role: Role) -> String {
        match role {
            Role::Mark(_) => "const u64".into(),
            Role::Verdict => "i64".into(),
            _ => format!("const {}", type_name(self.dtype)),
        }
    }

    fn body(&self) -> String {
        let mut text = "    EACH_THREAD {
        u64 rest = ~mark_0[0];
        verdict[0] = (i64)rest;
        verdict[1] = 0;
        if (mark_0[0] != 0) {
            i64 offset = 0;\n"
            .to_owned();
        for axis in (1..self.axes).rev() {
            text += &format!("            offset += (i64)(rest % extent_{axis}) * indices_0_step_{axis};\n");
            text += &format!("            rest /= extent_{axis};\n");
        }
        text + "            offset += (i64)rest * indices_0_step_0;
            verdict[1] = (i64)indices_0[offset];
        }
    }\n"
    }

    fn is_wide(&self) -> bool {
        true
    }

    fn threads(&self) -> u32 {
        1
    }
}
