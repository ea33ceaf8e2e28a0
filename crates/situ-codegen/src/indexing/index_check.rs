//! Whether indices lie in their axes.

use situ_hal::{Address, IndexCheck, Strided};
use situ_types::{DType, Space};
use smallvec::{SmallVec, smallvec};

use crate::coordinates::{about_space, coordinates, is_wide, offset, push_space, space_value, step_value, steps};
use crate::dialect::type_name;
use crate::signature::{Axes, Parameter, Parameters, Role, Signature, THREADS, unsigned};
use crate::work::{Value, Work};
use crate::{Dialect, Kernel};

/// Indices that a thread looks at.
const EACH: u32 = 8;

/// Whether every index lies in its axis.
pub(crate) fn index_check(command: &IndexCheck) -> Work {
    let IndexCheck { shape, indices, dtype, length, verdict } = command;
    let mut work = Work::default();
    let mark = push_marks(&mut work, [true].into_iter())[0];
    if !shape.contains(&0) {
        let space = simplified(shape, indices);
        let size = space.size();
        let wide = is_wide([size, space.reach(0)]);
        let kernel = IndexCheckKernel { dtype: *dtype, axes: space.axes.len() as u8, wide };
        let blocks = size.div_ceil((THREADS * EACH) as usize);
        work.launch(Kernel::IndexCheck(kernel), blocks, |parameter| match parameter {
            Parameter::Address(Role::Mark(_)) => Value::scratch(mark),
            Parameter::Address(_) => indices.address.into(),
            Parameter::Step(_, axis) => step_value(&space, 0, axis),
            Parameter::Length(_) => (*length).into(),
            other => space_value(&space, wide, other),
        });
    }
    push_verdict(&mut work, shape, indices, *dtype, mark, *verdict);
    work
}

fn simplified(shape: &[usize], indices: &Strided) -> Space {
    let mut space = Space::new(shape, [&indices.strides[..]]);
    space.simplify();
    space
}

/// A place in zeroed scratch memory for each index operand that is asked about. What is noted there is the complement
/// of a position, so that the least position is the largest number, and 0 stands for none.
pub(super) fn push_marks(work: &mut Work, asked: impl Iterator<Item = bool>) -> SmallVec<[usize; 2]> {
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

/// Adds the launch that turns a mark into a verdict.
pub(super) fn push_verdict(
    work: &mut Work,
    shape: &[usize],
    indices: &Strided,
    dtype: DType,
    mark: usize,
    verdict: Address,
) {
    let space = simplified(shape, indices);
    let kernel = IndexVerdict { dtype, axes: space.axes.len() as u8 };
    work.launch(Kernel::IndexVerdict(kernel), 1, |parameter| match parameter {
        Parameter::Address(Role::Mark(_)) => Value::scratch(mark),
        Parameter::Address(Role::Verdict) => verdict.into(),
        Parameter::Address(_) => indices.address.into(),
        Parameter::Step(_, axis) => step_value(&space, 0, axis),
        other => space_value(&space, true, other),
    });
}

/// What the text of a check depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IndexCheckKernel {
    dtype: DType,
    axes: u8,
    wide: bool,
}

impl Signature for IndexCheckKernel {
    fn name(&self) -> String {
        "index_check".into()
    }

    fn about(&self) -> String {
        format!("Notes the first index outside its axis; {}.", about_space(self.axes, self.wide))
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![Parameter::Address(Role::Indices(0)), Parameter::Address(Role::Mark(0))];
        all.push(Parameter::Length(0));
        push_space(&mut all, self.axes);
        all.extend(steps(Role::Indices(0), self.axes));
        all
    }

    fn pointee(&self, role: Role) -> String {
        if role == Role::Mark(0) { "u64".into() } else { format!("const {}", type_name(self.dtype)) }
    }

    fn body(&self, _dialect: Dialect) -> String {
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
            coordinates = coordinates(Axes::Space, self.axes, self.wide, "position", 12),
            offset = offset(Role::Indices(0), self.axes),
        )
    }

    fn is_wide(&self) -> bool {
        self.wide
    }
}

/// What the text of a verdict depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IndexVerdict {
    dtype: DType,
    axes: u8,
}

impl Signature for IndexVerdict {
    fn name(&self) -> String {
        "index_verdict".into()
    }

    fn about(&self) -> String {
        "Says which index lay outside its axis, and where.".into()
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![Parameter::Address(Role::Indices(0)), Parameter::Address(Role::Mark(0))];
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

    fn body(&self, _dialect: Dialect) -> String {
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
