//! Where elements belong among sorted ones: a binary search by every thread.

use situ_hal::{Question, Search};
use situ_ir::order::Side;
use situ_types::{DType, Space};
use smallvec::smallvec;

use super::ordered::Ordered;
use crate::coordinates::{about_space, coordinates, is_wide, offset, push_space, space_value, step_value, steps};
use crate::signature::{Axes, Parameter, Parameters, Role, Signature, THREADS, signed, unsigned};
use crate::work::Work;
use crate::{Dialect, Kernel};

/// What the text depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SearchKernel {
    dtype: DType,
    question: Question,
    axes: u8,
    wide: bool,
}

/// Numbers of the space's operands.
const NEEDLES: usize = 0;
const OUT: usize = 1;

/// What a search comes to.
pub(crate) fn search(command: &Search) -> Work {
    let Search { dtype, question, length, step, .. } = *command;
    let mut work = Work::default();
    let mut space = Space::new(&command.shape, [&command.needles.strides[..], &command.out.strides]);
    space.collapse();
    if space.is_empty() {
        return work;
    }
    let blocks = space.size().div_ceil(THREADS as usize);
    let sorted_reach = length.saturating_mul(step.unsigned_abs().max(1));
    let numbers = [space.reach(NEEDLES), space.reach(OUT), sorted_reach, blocks.saturating_mul(THREADS as usize)];
    let wide = is_wide(numbers);
    let kernel = SearchKernel { dtype, question, axes: space.axes.len() as u8, wide };
    work.launch(Kernel::Search(kernel), blocks, |parameter| match parameter {
        Parameter::Address(Role::Sorted) => command.sorted.into(),
        Parameter::Address(Role::Elements) => command.needles.address.into(),
        Parameter::Address(_) => command.out.address.into(),
        Parameter::Sequence => length.into(),
        Parameter::Along(_) => (step as i64).into(),
        Parameter::Step(Role::Elements, axis) => step_value(&space, NEEDLES, axis),
        Parameter::Step(_, axis) => step_value(&space, OUT, axis),
        other => space_value(&space, wide, other),
    });
    work
}

impl SearchKernel {
    fn ordered(&self) -> Ordered {
        Ordered(self.dtype)
    }
}

impl Signature for SearchKernel {
    fn name(&self) -> String {
        let question = match self.question {
            Question::Position(Side::Left) => "left",
            Question::Position(Side::Right) => "right",
            Question::Equal(true) => "equal",
            Question::Equal(false) => "none",
        };
        format!("situ_search_{}_{question}", self.ordered().name())
    }

    fn about(&self) -> String {
        let what = match self.question {
            Question::Position(_) => "Where each element belongs among sorted ones",
            Question::Equal(_) => "Whether sorted elements have one that is equal to each",
        };
        format!("{what}; {}.", about_space(self.axes, self.wide))
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![Parameter::Address(Role::Sorted), Parameter::Address(Role::Elements)];
        all.extend([Parameter::Address(Role::Out), Parameter::Sequence, Parameter::Along(0)]);
        push_space(&mut all, self.axes);
        all.extend(steps(Role::Elements, self.axes));
        all.extend(steps(Role::Out, self.axes));
        all
    }

    fn pointee(&self, role: Role) -> String {
        match (role, self.question) {
            (Role::Sorted | Role::Elements, _) => format!("const {}", self.ordered().element()),
            (_, Question::Position(_)) => "i64".into(),
            (_, Question::Equal(_)) => "u8".into(),
        }
    }

    fn before(&self, _dialect: Dialect) -> String {
        let ordered = self.ordered();
        ordered.place_of() + &ordered.comparisons() + &ordered.differs()
    }

    fn body(&self, _dialect: Dialect) -> String {
        let (of, steps_of) = (unsigned(self.wide), signed(self.wide));
        // Whether the sorted element comes before the place that is looked for.
        let is_before = match self.question {
            Question::Position(Side::Right) => "!comes_before(needle, middle)",
            Question::Position(Side::Left) | Question::Equal(_) => "comes_before(middle, needle)",
        };
        let answer = match self.question {
            Question::Position(_) => "(i64)found".into(),
            Question::Equal(wanted) => format!(
                "(found < length && is_same(place_of(sorted[({steps_of})found * along_0]), needle) && !differs(needle)) == {}u",
                u32::from(wanted)
            ),
        };
        format!(
            "    EACH_THREAD {{
        const {of} position = BLOCK_X * {THREADS}u + THREAD_X;
        if (position < size) {{
{coordinates}            const word needle = place_of(elements[{from}]);
            {of} found = 0, left = length;
            while (left > 0) {{
                const {of} half_way = left / 2u;
                const word middle = place_of(sorted[({steps_of})(found + half_way) * along_0]);
                if ({is_before}) {{
                    found += half_way + 1u;
                    left -= half_way + 1u;
                }} else {{
                    left = half_way;
                }}
            }}
            out[{to}] = {answer};
        }}
    }}\n",
            coordinates = coordinates(Axes::Space, self.axes, self.wide, "position", 12),
            from = offset(Role::Elements, self.axes),
            to = offset(Role::Out, self.axes),
        )
    }

    fn is_wide(&self) -> bool {
        self.wide
    }
}
