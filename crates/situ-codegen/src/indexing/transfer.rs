//! Gather and scatter: what is launched.

use situ_hal::{Address, IndexMode, Indexed};
use situ_types::{DType, Space};
use smallvec::SmallVec;

use super::bins;
use super::index_check::{push_marks, push_verdict};
use crate::coordinates::{is_wide, space_value, step_value};
use crate::signature::{Parameter, Role, THREADS};
use crate::work::{Value, Work};
use crate::{DeviceLimits, Kernel};

/// Elements that a thread moves.
pub(super) const EACH: u32 = 4;

/// What the text of a gather or scatter depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TransferKernel {
    pub(super) scatters: bool,
    pub(super) width: u8,
    /// Whether elements of 16 bytes lie where only their halves are at home.
    pub(super) unaligned: bool,
    pub(super) axes: u8,
    pub(super) wide: bool,
    pub(super) indices: SmallVec<[IndexKind; 2]>,
}

/// What a text depends on of one index operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct IndexKind {
    pub(super) dtype: DType,
    pub(super) mode: IndexMode,
    /// Whether indices outside are noted.
    pub(super) notes: bool,
}

/// Numbers of the space's operands.
pub(super) const ARRAY: usize = 0;
const ELEMENTS: usize = 1;
/// The first of the index operands, after which positions are counted where somebody asks for them.
const INDICES: usize = 2;

/// A gather or scatter. Of several elements for one place, any one stays.
pub(crate) fn transfer(command: &Indexed, scatters: bool, limits: &DeviceLimits) -> Work {
    let mut work = Work::default();
    if command.shape.contains(&0) {
        let marks = push_marks(&mut work, asked(command));
        push_verdicts(&mut work, command, &marks);
        return work;
    }
    let layout = TransferLayout::new(command, scatters);
    if let Some(work) = bins::plan(command, &layout, limits) {
        return work;
    }
    let marks = push_marks(&mut work, asked(command));
    let blocks = layout.space.size().div_ceil((THREADS * EACH) as usize);
    work.launch(Kernel::Transfer(layout.kernel.clone()), blocks, |parameter| layout.value(parameter, &marks));
    push_verdicts(&mut work, command, &marks);
    work
}

/// Of which index operands somebody asks for the first index outside.
pub(super) fn asked(command: &Indexed) -> impl Iterator<Item = bool> {
    command.indices.iter().map(|operand| operand.verdict.is_some())
}

/// Adds the launches that answer those who ask for the first index outside.
pub(super) fn push_verdicts(work: &mut Work, command: &Indexed, marks: &[usize]) {
    for (operand, &mark) in command.indices.iter().zip(marks) {
        if let Some(verdict) = operand.verdict {
            push_verdict(work, &command.shape, &operand.indices, operand.dtype, mark, verdict);
        }
    }
}

/// A transfer over something, laid out for a kernel.
#[derive(Debug)]
pub(super) struct TransferLayout<'a> {
    command: &'a Indexed,
    /// Its axes, the nearest to each other inside.
    pub(super) space: Space,
    /// Elements of the array from one position along the axis of each index operand to the next.
    along: SmallVec<[isize; 2]>,
    pub(super) kernel: TransferKernel,
}

impl<'a> TransferLayout<'a> {
    pub(super) fn new(command: &'a Indexed, scatters: bool) -> TransferLayout<'a> {
        let Indexed { shape, array, elements, indices, .. } = command;
        let strides = [&array.strides, &elements.strides].into_iter();
        let all = strides.chain(indices.iter().map(|operand| &operand.indices.strides));
        let mut space = Space::new(shape, all.map(|strides| &strides[..]));
        if asked(command).any(|asked| asked) {
            // Positions in the order of the whole space, whatever becomes of its axes here.
            space.push_position();
        }
        // Along an axis of length 1 there is nowhere to go, and its step can be anything.
        let along = indices.iter().map(|operand| if operand.length > 1 { operand.step } else { 0 });
        let kinds = indices.iter().map(|operand| IndexKind {
            dtype: operand.dtype,
            mode: operand.mode,
            notes: operand.verdict.is_some(),
        });
        let kernel =
            TransferKernel { scatters, width: 0, unaligned: false, axes: 0, wide: false, indices: kinds.collect() };
        let mut layout = TransferLayout { command, space, along: along.collect(), kernel };
        layout.space.simplify();
        layout.order();
        let width = layout.widen(command.width);
        let (space, kernel) = (&layout.space, &mut layout.kernel);
        (kernel.width, kernel.axes) = (width as u8, space.axes.len() as u8);
        kernel.unaligned = width == 16 && !(array.address.value() | elements.address.value()).is_multiple_of(width);
        let swings = swings(command, &layout.along);
        let reach = swings.fold(space.reach(ARRAY), |all, swing| all.saturating_add(swing.unsigned_abs()));
        let walks = (ELEMENTS..INDICES + indices.len()).map(|operand| space.reach(operand));
        kernel.wide = is_wide([space.size(), reach].into_iter().chain(walks));
        layout
    }

    /// Puts the axes along which what is written lies nearest together inside: neighbouring threads should write to
    /// neighbouring places.
    fn order(&mut self) {
        let written = if self.kernel.scatters { ARRAY } else { ELEMENTS };
        let along = &self.along;
        self.space.sort_by_key(|axis| {
            let moves = |n: &usize| axis.steps[INDICES + n] != 0;
            match axis.steps[written] {
                0 => (0..along.len()).filter(moves).map(|n| along[n].unsigned_abs()).min().unwrap_or(0),
                own => own.unsigned_abs(),
            }
        });
        self.space.merge();
    }

    /// Takes elements that lie side by side on both sides, whatever the indices, as fewer and wider ones; how wide.
    fn widen(&mut self, width: usize) -> usize {
        let indices = INDICES..INDICES + self.along.len();
        let Some((inner, outer)) = self.space.axes.split_last_mut() else { return width };
        if inner.steps[indices].iter().any(|&step| step != 0) || inner.steps[..INDICES] != [1, 1] {
            return width;
        }
        let steps = outer.iter().flat_map(|axis| &axis.steps[..INDICES]).chain(&self.along);
        let alignment = steps.fold(inner.length as isize, |all, step| all | step) as usize;
        let addresses = self.command.array.address.value() | self.command.elements.address.value();
        let bytes = alignment.wrapping_mul(width) | addresses | 16;
        let wider = 1 << bytes.trailing_zeros();
        let factor = (wider / width).max(1) as isize;
        if factor == 1 {
            return width;
        }
        inner.length /= factor as usize;
        for axis in outer {
            axis.steps[..INDICES].iter_mut().for_each(|step| *step /= factor);
        }
        self.along.iter_mut().for_each(|step| *step /= factor);
        inner.steps[INDICES..].iter_mut().for_each(|step| *step *= factor);
        wider
    }

    /// The first of the array's elements that indices lead to, counted from where its address is, and how many there
    /// are up to the last; `None` if elements are also found without indices.
    pub(super) fn span(&self) -> Option<(isize, usize)> {
        let swings = || swings(self.command, &self.along);
        let lowest = swings().fold(0, |all: isize, swing| all.saturating_add(swing.min(0)));
        let reach = swings().fold(0, |all: usize, swing| all.saturating_add(swing.unsigned_abs()));
        (self.space.reach(ARRAY) == 0).then_some((lowest, reach.saturating_add(1)))
    }

    /// The array's address, so many elements further.
    pub(super) fn array(&self, elements: isize) -> Address {
        self.command.array.address.offset(elements.wrapping_mul(self.kernel.width.into()))
    }

    /// The value of a parameter of the kernel.
    pub(super) fn value(&self, parameter: Parameter, marks: &[usize]) -> Value {
        let (space, indices) = (&self.space, &self.command.indices);
        match parameter {
            Parameter::Address(Role::Array) => self.array(0).into(),
            Parameter::Address(Role::Elements) => self.command.elements.address.into(),
            Parameter::Address(Role::Indices(n)) => indices[n as usize].indices.address.into(),
            Parameter::Address(Role::Mark(n)) => Value::scratch(marks[n as usize]),
            Parameter::Step(Role::Array, axis) => step_value(space, ARRAY, axis),
            Parameter::Step(Role::Elements, axis) => step_value(space, ELEMENTS, axis),
            Parameter::Step(Role::Indices(n), axis) => step_value(space, INDICES + n as usize, axis),
            Parameter::Flat(axis) => step_value(space, INDICES + indices.len(), axis),
            Parameter::Length(n) => indices[n as usize].length.into(),
            Parameter::Along(n) => Value::Word(self.along[n as usize] as i64),
            other => space_value(space, self.kernel.wide, other),
        }
    }
}

/// How far each index operand takes one along the array, from its axis's first element to its last.
fn swings(command: &Indexed, along: &[isize]) -> impl Iterator<Item = isize> {
    let lengths = command.indices.iter().map(|operand| isize::try_from(operand.length).unwrap_or(isize::MAX));
    lengths.zip(along).map(|(length, step)| length.saturating_sub(1).saturating_mul(*step))
}
