//! Gather and scatter: what is launched.

use situ_types::DType;
use smallvec::SmallVec;

use super::Mode;
use super::check::{answer, marks};
use super::kernel::{Kernel, THREADS};
use super::signature::{Axes, Parameter, Role};
use super::space::{Divisor, Space, is_wide};
use super::work::{Strided, Value, Work};

/// Elements that a thread moves.
pub(super) const EACH: u32 = 4;

/// Indices along one axis of an array.
#[derive(Clone, Copy, Debug)]
pub struct Indices<'a> {
    /// The indices.
    pub indices: Strided<'a>,
    /// Their dtype, an integer.
    pub dtype: DType,
    /// Length of the axis; not 0 unless the iteration space is empty.
    pub length: usize,
    /// Elements of the array from one position along the axis to the next.
    pub step: isize,
    /// What to do with indices outside.
    pub mode: Mode,
    /// Whether somebody asks for the first index that lies outside.
    pub verdict: bool,
}

/// Elements of an array, found by index, and as many elements elsewhere, which do not overlap.
///
/// The operands that arguments refer to are the array, the elements, the indices in their order, and then, in the same
/// order, the verdicts, of those that have none too.
#[derive(Clone, Copy, Debug)]
pub struct Transfer<'a> {
    /// The iteration space.
    pub shape: &'a [usize],
    /// Bytes per element: 1, 2, 4, 8 or 16.
    pub width: usize,
    /// The array that is indexed.
    pub array: Strided<'a>,
    /// The elements that are read or written one after another.
    pub elements: Strided<'a>,
    /// One operand per indexed axis.
    pub indices: &'a [Indices<'a>],
}

/// What the text of a gather or scatter depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    pub(super) scatters: bool,
    pub(super) width: u8,
    pub(super) axes: u8,
    pub(super) wide: bool,
    pub(super) guides: SmallVec<[Guide; 2]>,
}

/// What a text depends on of one index operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Guide {
    pub(super) dtype: DType,
    pub(super) mode: Mode,
    /// Whether indices outside are noted.
    pub(super) notes: bool,
}

/// Elements of the array to the elements elsewhere.
pub fn gather(transfer: &Transfer<'_>) -> Work {
    plan(transfer, false)
}

/// Elements from elsewhere to the array. Of several for one place, any one stays.
pub fn scatter(transfer: &Transfer<'_>) -> Work {
    plan(transfer, true)
}

pub(super) const ARRAY: usize = 0;
const ELEMENTS: usize = 1;
/// The first of the index operands in the space.
const INDICES: usize = 2;

fn plan(transfer: &Transfer<'_>, scatters: bool) -> Work {
    let mut work = Work::default();
    let marks = marks(&mut work, transfer.indices.iter().map(|guide| guide.verdict));
    if !transfer.shape.contains(&0) {
        let laid = Laid::new(transfer, scatters);
        let blocks = laid.space.size().div_ceil((THREADS * EACH) as usize);
        work.launch(Kernel::Transfer(laid.form.clone()), blocks, |parameter| laid.value(parameter, &marks));
    }
    push_answers(&mut work, transfer, &marks);
    work
}

/// Adds the launches that answer those who ask for the first index outside.
pub(super) fn push_answers(work: &mut Work, transfer: &Transfer<'_>, marks: &[usize]) {
    let guides = transfer.indices;
    for (n, guide) in guides.iter().enumerate().filter(|(_, guide)| guide.verdict) {
        let operands = (INDICES + n, INDICES + guides.len() + n);
        answer(work, transfer.shape, guide.indices.strides, guide.dtype, marks[n], operands);
    }
}

/// A transfer over something, laid out for a kernel.
#[derive(Debug)]
pub(super) struct Laid<'a> {
    guides: &'a [Indices<'a>],
    /// Its axes, the nearest to each other inside.
    pub(super) space: Space,
    /// Elements of the array from one position along the axis of each index operand to the next.
    along: SmallVec<[i64; 2]>,
    pub(super) form: Form,
}

impl<'a> Laid<'a> {
    pub(super) fn new(transfer: &Transfer<'a>, scatters: bool) -> Laid<'a> {
        let guides = transfer.indices;
        let operands = [transfer.array.strides, transfer.elements.strides].into_iter();
        let mut space = Space::new(transfer.shape, operands.chain(guides.iter().map(|guide| guide.indices.strides)));
        // Positions in the order of the whole space, whatever becomes of its axes here.
        space.push_flat();
        // Along an axis of length 1 there is nowhere to go, and its step can be anything.
        let mut along: SmallVec<[i64; 2]> =
            guides.iter().map(|guide| if guide.length > 1 { guide.step as i64 } else { 0 }).collect();
        space.order_by(|space, axis| nearness(space, axis, &along, scatters));
        let width = widen(transfer, &mut space, &mut along);
        let form = Form {
            scatters,
            width: width as u8,
            axes: space.axes() as u8,
            wide: false,
            guides: guides
                .iter()
                .map(|&Indices { dtype, mode, verdict, .. }| Guide { dtype, mode, notes: verdict })
                .collect(),
        };
        let mut laid = Laid { guides, space, along, form };
        let reach = laid.swings().fold(laid.space.reach(ARRAY), |all, swing| all.saturating_add(swing.unsigned_abs()));
        let walks = (ELEMENTS..INDICES + guides.len()).map(|operand| laid.space.reach(operand));
        laid.form.wide = is_wide([laid.space.size() as u64, reach].into_iter().chain(walks));
        laid
    }

    /// How far each index operand takes one along the array, from its axis's first element to its last.
    fn swings(&self) -> impl Iterator<Item = i64> {
        let lengths = self.guides.iter().map(|guide| i64::try_from(guide.length).unwrap_or(i64::MAX));
        lengths.zip(&self.along).map(|(length, step)| length.saturating_sub(1).saturating_mul(*step))
    }

    /// The first of the array's elements that indices lead to, counted from where its address is, and how many there
    /// are up to the last; `None` if elements are also found without indices.
    pub(super) fn span(&self) -> Option<(i64, u64)> {
        let lowest = self.swings().fold(0, |all: i64, swing| all.saturating_add(swing.min(0)));
        let reach = self.swings().fold(0, |all: u64, swing| all.saturating_add(swing.unsigned_abs()));
        (self.space.reach(ARRAY) == 0).then_some((lowest, reach.saturating_add(1)))
    }

    /// The value of a parameter of the kernel.
    pub(super) fn value(&self, parameter: Parameter, marks: &[usize]) -> Value {
        let (space, guides) = (&self.space, self.guides);
        match parameter {
            Parameter::Address(Role::Array) => Value::operand(ARRAY),
            Parameter::Address(Role::Elements) => Value::operand(ELEMENTS),
            Parameter::Address(Role::Indices(n)) => Value::operand(INDICES + n as usize),
            Parameter::Address(Role::Mark(n)) => Value::scratch(marks[n as usize]),
            Parameter::Step(Role::Array, axis) => space.steps[ARRAY][axis as usize].into(),
            Parameter::Step(Role::Elements, axis) => space.steps[ELEMENTS][axis as usize].into(),
            Parameter::Step(Role::Indices(n), axis) => space.steps[INDICES + n as usize][axis as usize].into(),
            Parameter::Flat(axis) => space.steps[INDICES + guides.len()][axis as usize].into(),
            Parameter::Length(n) => guides[n as usize].length.into(),
            Parameter::Along(n) => self.along[n as usize].into(),
            other => space_value(space, self.form.wide, other),
        }
    }
}

/// The value of a parameter that belongs to an iteration space.
pub(super) fn space_value(space: &Space, wide: bool, parameter: Parameter) -> Value {
    let divisor = |axis: u8| Divisor::new(space.shape[axis as usize], wide);
    match parameter {
        Parameter::Extent(Axes::Space, axis) => space.shape[axis as usize].into(),
        Parameter::Multiplier(Axes::Space, axis) => divisor(axis).multiplier.into(),
        Parameter::Shift(Axes::Space, axis) => u64::from(divisor(axis).shift).into(),
        _ => space.size().into(),
    }
}

/// How far apart what is written lies along an axis: neighbouring threads should write to neighbouring places.
fn nearness(space: &Space, axis: usize, along: &[i64], scatters: bool) -> u64 {
    let own = if scatters { space.steps[ARRAY][axis] } else { space.steps[ELEMENTS][axis] };
    if own != 0 {
        return own.unsigned_abs();
    }
    let moves = |n: &usize| space.steps[INDICES + n][axis] != 0;
    (0..along.len()).filter(moves).map(|n| along[n].unsigned_abs()).min().unwrap_or(0)
}

/// Takes elements that lie side by side on both sides, whatever the indices, as fewer and wider ones; how wide.
fn widen(transfer: &Transfer<'_>, space: &mut Space, along: &mut [i64]) -> usize {
    let (inner, width) = (space.axes() - 1, transfer.width);
    let indexed = space.steps[INDICES..INDICES + transfer.indices.len()].iter().any(|steps| steps[inner] != 0);
    if indexed || space.steps[ARRAY][inner] != 1 || space.steps[ELEMENTS][inner] != 1 {
        return width;
    }
    let outer = space.steps[..INDICES].iter().flat_map(|steps| &steps[..inner]).chain(along.iter());
    let alignment = outer.fold(space.shape[inner] as i64, |all, step| all | step) as usize;
    let bytes = alignment.wrapping_mul(width) | transfer.array.address | transfer.elements.address | 16;
    let wider = 1 << bytes.trailing_zeros();
    let factor = (wider / width).max(1) as i64;
    if factor == 1 {
        return width;
    }
    space.shape[inner] /= factor as usize;
    for steps in &mut space.steps[..INDICES] {
        steps[..inner].iter_mut().for_each(|step| *step /= factor);
    }
    along.iter_mut().for_each(|step| *step /= factor);
    if let Some(flat) = space.steps.last_mut() {
        flat[inner] *= factor;
    }
    wider
}
