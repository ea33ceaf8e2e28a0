//! Gather, scatter, and what they say about wrong indices.

use std::collections::HashMap;

use situ_codegen::{Dialect, Work};
use situ_hal::{Command, IndexCheck, IndexMode, IndexOperand, Indexed};
use situ_types::DType;
use smallvec::smallvec;

use crate::host::points::Points;
use crate::host::runner::{Memory, at, run, strided, work};
use crate::{cases, place, shape, steps};

const INTEGERS: [DType; 8] =
    [DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64];
const MODES: [IndexMode; 3] = [IndexMode::Checked, IndexMode::Wrap, IndexMode::Clip];

/// An index operand and its memory.
struct Guide {
    memory: Memory,
    strides: Vec<isize>,
    first: usize,
    dtype: DType,
    length: usize,
    step: isize,
    mode: IndexMode,
    verdict: bool,
}

impl Guide {
    /// Indices that move along some axes of a shape, most of them in an axis of a length up to `longest`.
    fn new(points: &mut Points, shape: &[usize], longest: usize, verdicts: bool) -> Guide {
        let (mut strides, before, after) = steps(points, shape);
        let keep = points.below(16);
        strides.iter_mut().enumerate().filter(|(axis, _)| keep >> axis & 1 == 1).for_each(|(_, step)| *step = 0);
        let dtype = INTEGERS[points.below(8)];
        let (width, length) = (dtype.size(), 1 + points.below(longest));
        let sorted = points.below(4) == 0;
        let wrong = points.below(3) == 0;
        let mut memory = Memory::noise((before + after + 1) * width);
        let count = memory.bytes().len() / width;
        for (n, element) in memory.bytes_mut().chunks_exact_mut(width).enumerate() {
            let number = if sorted { n * 2 * length / count } else { points.below(2 * length) };
            let mut index = number as i64 - length as i64;
            if wrong && points.below(50) == 0 {
                index = points.number() as i64 >> points.below(63);
            } else if dtype.is_unsigned_integer() {
                index = index.rem_euclid(length as i64);
            }
            element.copy_from_slice(&index.to_ne_bytes()[..width]);
        }
        let mode = MODES[points.below(3)];
        let verdict = verdicts && mode == IndexMode::Checked && points.below(2) == 0;
        Guide { memory, strides, first: before * width, dtype, length, step: 0, mode, verdict }
    }

    /// The operand, with its verdict at an address if somebody asks for one.
    fn operand(&self, verdict: usize) -> IndexOperand {
        let indices = strided(self.memory.address() + self.first, &self.strides);
        let Guide { dtype, length, step, mode, .. } = *self;
        IndexOperand { indices, dtype, length, step, mode, verdict: self.verdict.then(|| at(verdict)) }
    }

    /// The index for a position.
    fn value(&self, position: usize, shape: &[usize]) -> i128 {
        let width = self.dtype.size();
        let at = (self.first as isize + place(position, shape, &self.strides) * width as isize) as usize;
        let mut bytes = [0u8; 8];
        bytes[..width].copy_from_slice(&self.memory.bytes()[at..at + width]);
        let unused = 64 - 8 * width as u32;
        match self.dtype.is_unsigned_integer() {
            true => u64::from_ne_bytes(bytes).into(),
            false => (i64::from_ne_bytes(bytes) << unused >> unused).into(),
        }
    }

    fn inside(&self, index: i128) -> isize {
        let length = self.length as i128;
        (match self.mode {
            IndexMode::Checked => (if index < 0 { index + length } else { index }).clamp(0, length - 1),
            IndexMode::Wrap => index.rem_euclid(length),
            IndexMode::Clip => index.clamp(0, length - 1),
        }) as isize
    }

    /// The verdict there should be.
    fn expected(&self, shape: &[usize]) -> [i64; 2] {
        let length = self.length as i128;
        let indices = (0..shape.iter().product()).map(|position| self.value(position, shape));
        let outside = indices.enumerate().find(|(_, index)| !(-length..length).contains(index));
        outside.map_or([-1, 0], |(position, index)| [position as i64, index as i64])
    }
}

/// The array's own steps along some axes, and along those of the guides; all its elements are apart.
fn array_steps(points: &mut Points, shape: &[usize], guides: &mut [Guide]) -> (Vec<isize>, usize, usize) {
    let moves = |axis: usize| guides.iter().any(|guide| guide.strides[axis] != 0);
    let own: Vec<usize> = (0..shape.len()).filter(|&axis| !moves(axis)).collect();
    let all: Vec<usize> = guides.iter().map(|g| g.length).chain(own.iter().map(|&axis| shape[axis])).collect();
    let (found, before, after) = steps(points, &all);
    let mut strides = vec![0; shape.len()];
    own.iter().zip(&found[guides.len()..]).for_each(|(&axis, &step)| strides[axis] = step);
    guides.iter_mut().zip(&found).for_each(|(guide, &step)| {
        guide.step = if guide.length == 1 { 1 << 50 } else { step };
    });
    (strides, before, after)
}

/// Elements moved by the launches that a function plans, if it does, against those of a loop; whether they were.
pub fn transfers(
    points: &mut Points,
    scatters: bool,
    lengths: &[usize],
    plan: impl Fn(&mut Points, &Command) -> Option<Work>,
) -> bool {
    let (shape, width) = (shape(points), 1usize << points.below(5));
    let mut guides: Vec<Guide> =
        lengths.iter().map(|&longest| Guide::new(points, &shape, longest, !scatters)).collect();
    let (own, array_before, array_after) = array_steps(points, &shape, &mut guides);
    let (strides, before, after) = steps(points, &shape);
    // Elements of 16 bytes may lie where only their halves are at home.
    let off = if width == 16 { 8 * points.below(2) } else { 0 };
    let array = Memory::noise((array_before + array_after + 1) * width + off);
    // Another memory, in which nothing is as in the first.
    let elements =
        Memory::new((before + after + 1) * width, |n| Memory::noise(16).bytes()[n % 16] ^ (n / 16 * 37) as u8);
    let (array_at, element_at) = (array_before * width + off, before * width);
    let (mut array_found, mut elements_found) = (array.clone(), elements.clone());
    let verdicts = Memory::noise(16 * guides.len().max(1));
    let operand = |(n, guide): (usize, &Guide)| guide.operand(verdicts.address() + 16 * n);
    let indexed = Box::new(Indexed {
        shape: shape[..].into(),
        width,
        array: strided(array_found.address() + array_at, &own),
        elements: strided(elements_found.address() + element_at, &strides),
        indices: guides.iter().enumerate().map(operand).collect(),
    });
    let command = if scatters { Command::Scatter(indexed) } else { Command::Gather(indexed) };
    let Some(work) = plan(points, &command) else { return false };
    run(&work);

    let mut candidates: HashMap<usize, Vec<usize>> = HashMap::new();
    for position in 0..shape.iter().product() {
        let mut from = place(position, &shape, &own);
        for guide in &guides {
            let inside = guide.inside(guide.value(position, &shape));
            from += if guide.length == 1 { 0 } else { inside * guide.step };
        }
        let from = (array_at as isize + from * width as isize) as usize;
        let to = (element_at as isize + place(position, &shape, &strides) * width as isize) as usize;
        let (from, to) = if scatters { (to, from) } else { (from, to) };
        candidates.entry(to).or_default().push(from);
    }
    let (sources, before, found) = match scatters {
        false => (array.bytes(), elements.bytes(), elements_found.bytes_mut()),
        true => (elements.bytes(), array.bytes(), array_found.bytes_mut()),
    };
    for (&to, froms) in &candidates {
        let is_one = froms.iter().any(|&from| found[to..to + width] == sources[from..from + width]);
        assert!(is_one, "{shape:?} {width} {work:?}");
        found[to..to + width].copy_from_slice(&before[to..to + width]);
    }
    assert!(found == before, "something else was written: {shape:?} {width} {work:?}");
    for (n, guide) in guides.iter().enumerate().filter(|(_, guide)| guide.verdict) {
        assert_eq!(verdict_at(&verdicts, n), guide.expected(&shape), "{shape:?} {work:?}");
    }
    true
}

fn verdict_at(verdicts: &Memory, n: usize) -> [i64; 2] {
    [0, 8].map(|at| i64::from_ne_bytes(std::array::from_fn(|i| verdicts.bytes()[16 * n + at + i])))
}

#[test]
fn gathered_elements_and_verdicts() {
    cases(|points| {
        let guides = points.below(4);
        assert!(transfers(points, false, &[40; 3][..guides], |_, command| Some(work(command))));
    });
}

#[test]
fn scattered_elements() {
    cases(|points| {
        let guides = points.below(4);
        assert!(transfers(points, true, &[40; 3][..guides], |_, command| Some(work(command))));
    });
}

#[test]
fn the_first_index_outside() {
    cases(|points| {
        let shape = shape(points);
        let guide = Guide::new(points, &shape, 40, false);
        let verdict = Memory::noise(16);
        let IndexOperand { indices, dtype, length, .. } = guide.operand(0);
        let (shape_of, verdict_at) = (shape[..].into(), at(verdict.address()));
        let check = IndexCheck { shape: shape_of, indices, dtype, length, verdict: verdict_at };
        let work = work(&Command::IndexCheck(Box::new(check)));
        run(&work);
        assert_eq!(self::verdict_at(&verdict, 0), guide.expected(&shape), "{shape:?} {work:?}");
    });
}

#[test]
fn rows_are_moved_as_wide_as_everything_allows() {
    // Rows of elements of 2 bytes, taken by index.
    let name = |row: usize, array: usize, elements: usize, step: isize, pitch: isize| {
        let (indices, mode) = (strided(64, &[1, 0]), IndexMode::Clip);
        let operand = IndexOperand { indices, dtype: DType::I64, length: 100, step, mode, verdict: None };
        let gather = Command::Gather(Box::new(Indexed {
            shape: smallvec![32, row],
            width: 2,
            array: strided(array, &[0, 1]),
            elements: strided(elements, &[pitch, 1]),
            indices: smallvec![operand],
        }));
        work(&gather).launches[0].kernel.emit(Dialect::Cuda).kernel
    };
    assert_eq!(name(24, 64, 96, 24, 24), "gather_16");
    assert_eq!([8, 4, 2].map(|n| name(24, 64 + n, 96, 24, 24)), ["gather_8", "gather_4", "gather_2"]);
    assert_eq!([8, 4, 2].map(|n| name(24, 64, 96 + n, 24, 24)), ["gather_8", "gather_4", "gather_2"]);
    assert_eq!([28, 26, -25].map(|step| name(24, 64, 96, step, 24)), ["gather_8", "gather_4", "gather_2"]);
    assert_eq!([-28, 26, 25].map(|pitch| name(24, 64, 96, 24, pitch)), ["gather_8", "gather_4", "gather_2"]);
    assert_eq!([20, 22, 23].map(|row| name(row, 64, 96, 24, 24)), ["gather_8", "gather_4", "gather_2"]);
}

#[test]
fn places_beyond_32_bits() {
    const FAR: usize = 1 << 31;
    // Nothing but the pages that are written is really there.
    let mut array = vec![0u8; FAR + 3];
    (array[0], array[2], array[FAR], array[FAR + 2]) = (1, 2, 3, 4);
    let (indices, out) = ([1u8, 0, 1, 0], Memory::noise(16));
    let operand = IndexOperand {
        indices: strided(indices.as_ptr() as usize, &[1, 0]),
        dtype: DType::U8,
        length: 2,
        step: FAR as isize,
        mode: IndexMode::Checked,
        verdict: None,
    };
    run(&work(&Command::Gather(Box::new(Indexed {
        shape: smallvec![2, 2],
        width: 1,
        array: strided(array.as_ptr() as usize, &[0, 2]),
        elements: strided(out.address(), &[2, 1]),
        indices: smallvec![operand],
    }))));
    assert_eq!(out.bytes()[..4], [3, 4, 1, 2]);
}
