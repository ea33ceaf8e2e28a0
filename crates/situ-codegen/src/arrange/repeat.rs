//! Each element several times.

use situ_hal::{Address, Elementwise, Repeat, Result, Times};
use situ_types::{Space, Strides};
use smallvec::smallvec;

use crate::command::copy;
use crate::coordinates::{about_space, coordinates, is_wide, offset, push_space, space_value, step_value, steps};
use crate::indexing::{element_type, unit_type};
use crate::signature::{Axes, Parameter, Parameters, Role, Signature, THREADS, signed, unsigned};
use crate::work::{Value, Work};
use crate::{DeviceLimits, Dialect, Kernel, elementwise};

/// Elements that a thread writes.
const EACH: u32 = 4;

/// Numbers of the space's operands: where elements come from, where they go, and their place along the repeated axis.
const FROM: usize = 0;
const TO: usize = 1;
const PLACE: usize = 2;

/// What the text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RepeatKernel {
    width: u8,
    /// Whether elements of 16 bytes lie where only their halves are at home.
    unaligned: bool,
    axes: u8,
    wide: bool,
}

/// Elements, each several times.
pub(crate) fn repeat(command: &Repeat, limits: &DeviceLimits) -> Result<Work> {
    match command.times {
        Times::Every(count) => elementwise::plan(&copies(command, count), limits),
        Times::Each { ends, total } => Ok(repeat_each(command, ends, total)),
    }
}

/// A copy to a space in which repetitions are an axis.
fn copies(command: &Repeat, count: usize) -> Elementwise {
    let last = command.shape.len() - 1;
    let (mut shape, mut from, mut to) =
        (command.shape.clone(), command.source.strides.clone(), command.target.strides.clone());
    shape.push(count);
    from.push(0);
    to.push(to[last]);
    to[last] = to[last].wrapping_mul(count as isize);
    let mut space = Space::new(&shape, [&from[..], &to]);
    space.collapse();
    let mut copies = Elementwise::new(copy(command.width), space.lengths().collect());
    let steps = |operand: usize| space.steps(operand).collect::<Strides>();
    copies.push_memory(command.source.address, &steps(FROM));
    copies.push_memory(command.target.address, &steps(TO));
    copies
}

/// Elements, each as often as integers say.
fn repeat_each(command: &Repeat, ends: Address, total: usize) -> Work {
    let Repeat { shape, source, target, .. } = command;
    let mut work = Work::default();
    let Some((&length, _)) = shape.split_last().filter(|_| !shape.contains(&0) && total > 0) else { return work };
    let last = shape.len() - 1;
    // The space of what is written, where the repeated axis is as long as the target.
    let (mut lengths, mut from) = (shape.clone(), source.strides.clone());
    (lengths[last], from[last]) = (total, 0);
    let mut place = Strides::from_elem(0, shape.len());
    place[last] = 1;
    let mut space = Space::new(&lengths, [&from[..], &target.strides, &place]);
    space.simplify();
    space.sort_by_key(|axis| axis.steps[TO].unsigned_abs());
    space.merge();
    let mut along = if length > 1 { source.strides[last] } else { 0 };
    let width = widen(&mut space, &mut along, command);
    let addresses = source.address.value() | target.address.value();
    let swing = along.unsigned_abs().saturating_mul(length - 1);
    let reach = space.reach(FROM).saturating_add(swing);
    let kernel = RepeatKernel {
        width: width as u8,
        unaligned: !addresses.is_multiple_of(width),
        axes: space.axes.len() as u8,
        wide: is_wide([space.size(), reach, space.reach(TO), length, total]),
    };
    let (wide, blocks) = (kernel.wide, space.size().div_ceil((THREADS * EACH) as usize));
    work.launch(Kernel::Repeat(kernel), blocks, |parameter| match parameter {
        Parameter::Address(Role::Array) => source.address.into(),
        Parameter::Address(Role::Elements) => target.address.into(),
        Parameter::Address(_) => ends.into(),
        Parameter::Step(Role::Array, axis) => step_value(&space, FROM, axis),
        Parameter::Step(Role::Elements, axis) => step_value(&space, TO, axis),
        Parameter::Step(_, axis) => step_value(&space, PLACE, axis),
        Parameter::Length(_) => length.into(),
        Parameter::Along(_) => Value::Word(along as i64),
        other => space_value(&space, wide, other),
    });
    work
}

/// Takes elements that lie side by side on both sides, and are repeated together, as fewer and wider ones; how wide.
fn widen(space: &mut Space, along: &mut isize, command: &Repeat) -> usize {
    let width = command.width;
    let Some((inner, outer)) = space.axes.split_last_mut() else { return width };
    if inner.steps[..] != [1, 1, 0] {
        return width;
    }
    let moves = outer.iter().flat_map(|axis| &axis.steps[..PLACE]).chain([&*along]);
    let all = moves.fold(inner.length as isize, |all, step| all | step) as usize;
    let bytes = all.wrapping_mul(width) | command.source.address.value() | command.target.address.value() | 16;
    let wider = (1 << bytes.trailing_zeros()).max(width);
    let factor = (wider / width) as isize;
    inner.length /= factor as usize;
    outer.iter_mut().flat_map(|axis| &mut axis.steps[..PLACE]).for_each(|step| *step /= factor);
    *along /= factor;
    wider
}

impl RepeatKernel {
    fn element(&self) -> String {
        if self.unaligned { element_type(self.width) } else { unit_type(self.width) }
    }
}

impl Signature for RepeatKernel {
    fn name(&self) -> String {
        format!("repeat_{}", self.width)
    }

    fn about(&self) -> String {
        let space = about_space(self.axes, self.wide);
        format!("Elements of {} bytes, each as often as integers say; {space}.", self.width)
    }

    fn parameters(&self) -> Parameters {
        let roles = [Role::Array, Role::Elements, Role::Indices(0)];
        let mut all: Parameters = smallvec![];
        all.extend(roles.map(Parameter::Address));
        all.extend([Parameter::Length(0), Parameter::Along(0)]);
        push_space(&mut all, self.axes);
        roles.into_iter().for_each(|role| all.extend(steps(role, self.axes)));
        all
    }

    fn pointee(&self, role: Role) -> String {
        match role {
            Role::Array => format!("const {}", self.element()),
            Role::Indices(_) => "const i64".into(),
            _ => self.element(),
        }
    }

    fn body(&self, _dialect: Dialect) -> String {
        let (of, place_of, element) = (unsigned(self.wide), signed(self.wide), self.element());
        let each = format!("UNROLL for (u32 j = 0; j < {EACH}u; j++)");
        let next = format!("first + j * {THREADS}u");
        // Threads beyond the last element do that one again: without a branch, all reads are under way at once.
        format!(
            "    EACH_THREAD {{
        const {of} first = ({of})BLOCK_X * {block}u + THREAD_X;
        {place_of} place[{EACH}], element[{EACH}];
        {each} {{
            const {of} position = {next} < size ? {next} : size - 1u;
{coordinates}            const i64 at = (i64)({at});
            i64 found = 0, past = length_0 - 1;
            while (found < past) {{
                const i64 middle = found + (past - found) / 2;
                if (indices_0[middle] > at) past = middle;
                else found = middle + 1;
            }}
            place[j] = {from} + ({place_of})found * along_0;
            element[j] = {to};
        }}
        {element} moved[{EACH}];
        {each} moved[j] = array[place[j]];
        {each} elements[element[j]] = moved[j];
    }}\n",
            block = THREADS * EACH,
            coordinates = coordinates(Axes::Space, self.axes, self.wide, "position", 12),
            at = offset(Role::Indices(0), self.axes),
            from = offset(Role::Array, self.axes),
            to = offset(Role::Elements, self.axes),
        )
    }

    fn is_wide(&self) -> bool {
        self.wide
    }
}
