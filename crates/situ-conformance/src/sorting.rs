//! Sorting, searching and runs, against one element after another.

use situ_hal::{Address, Command, Question, RunCount, RunSelect, Search, Sort, Strided};
use situ_ir::order::{self, Side};
use situ_types::{DType, Scalar};

use crate::Source;
use crate::bench::{Bench, Operand, compare};
use crate::layout::{Layout, any_shape};

fn at(address: Address, layout: &Layout, width: usize) -> Strided {
    Strided { address: address.offset(layout.start(width)), strides: layout.steps.iter().copied().collect() }
}

/// An element: any at all, or one of few, so that there are equal ones.
fn element(source: &mut Source, dtype: DType, variety: usize) -> Scalar {
    if variety == 0 { source.element(dtype) } else { Source(source.below(variety) as u64).element(dtype) }
}

/// How many different elements there are at most; 0 for no limit.
const VARIETIES: [usize; 3] = [0, 3, 40];

/// A shape whose last axis is short, long or very long.
fn sequences(source: &mut Source, round: usize) -> Vec<usize> {
    match round % 8 {
        0 => vec![30_000 + source.below(60_000)],
        1 => vec![1 + source.below(6), 1 + source.below(9000)],
        2 => vec![1 + source.below(900), 1 + source.below(20)],
        _ => any_shape(source),
    }
}

/// Elements of every dtype in their order, some or all of them, with and without their positions.
pub(crate) fn sorts(bench: &Bench) {
    let mut source = Source(31);
    let dtypes: Vec<DType> = DType::ALL.into_iter().filter(|&dtype| bench.knows(dtype)).collect();
    for round in 0..16 * dtypes.len() {
        let (dtype, shape) = (dtypes[round % dtypes.len()], sequences(&mut source, round / 3));
        let length = shape[shape.len() - 1];
        let count = if round % 3 == 0 { source.below(length + 1) } else { length };
        let mut first = shape.clone();
        first[shape.len() - 1] = count;
        let (input, variety) = (Layout::any(&mut source, &shape, true), source.pick(&VARIETIES));
        let [values, indices] = [0, 1].map(|_| Layout::any(&mut source, &first, false));
        let wanted = source.pick(&[(true, false), (false, true), (true, true)]);
        let descending = source.below(2) == 0;
        let operands = [
            input.filled(&mut source, dtype, |source, _| element(source, dtype, variety).to_bytes()),
            values.operand(&mut source, dtype),
            indices.operand(&mut source, DType::I64),
        ];
        compare(bench, &operands, |addresses| {
            Command::Sort(Box::new(Sort {
                shape: shape.as_slice().into(),
                dtype,
                input: at(addresses[0], &input, dtype.size()),
                descending,
                count,
                values: wanted.0.then(|| at(addresses[1], &values, dtype.size())),
                indices: wanted.1.then(|| at(addresses[2], &indices, 8)),
            }))
        });
    }
}

/// Sorted elements along a layout of one axis.
fn sorted(source: &mut Source, layout: &Layout, length: usize, dtype: DType) -> Operand {
    let variety = source.pick(&VARIETIES);
    let elements: Vec<Scalar> = (0..length).map(|_| element(source, dtype, variety)).collect();
    let order = order::sorted(&elements, false);
    let step = layout.steps[0];
    layout.filled(source, dtype, |source, i| {
        let nth = i as isize - layout.first as isize;
        let is_element = step != 0 && nth % step == 0 && (0..length as isize).contains(&(nth / step));
        if is_element { elements[order[(nth / step) as usize]] } else { source.element(dtype) }.to_bytes()
    })
}

/// Where needles of every dtype belong, and whether they are there.
pub(crate) fn searches(bench: &Bench) {
    let mut source = Source(32);
    let dtypes: Vec<DType> = DType::ALL.into_iter().filter(|&dtype| bench.knows(dtype)).collect();
    for round in 0..10 * dtypes.len() {
        let (dtype, shape) = (dtypes[round % dtypes.len()], any_shape(&mut source));
        let length = source.pick(&[0, 1, 2, 7, 16, 33, 1000, 20_000]);
        let (line, needles) = (Layout::any(&mut source, &[length], false), Layout::any(&mut source, &shape, true));
        let question = source.pick(&[
            Question::Position(Side::Left),
            Question::Position(Side::Right),
            Question::Equal(true),
            Question::Equal(false),
        ]);
        let answer = if let Question::Position(_) = question { DType::I64 } else { DType::Bool };
        let (out, variety) = (Layout::any(&mut source, &shape, false), source.pick(&VARIETIES));
        let operands = [
            sorted(&mut source, &line, length, dtype),
            needles.filled(&mut source, dtype, |source, _| element(source, dtype, variety).to_bytes()),
            out.operand(&mut source, answer),
        ];
        compare(bench, &operands, |addresses| {
            Command::Search(Box::new(Search {
                shape: shape.as_slice().into(),
                dtype,
                sorted: addresses[0].offset(line.start(dtype.size())),
                step: line.steps[0],
                length,
                needles: at(addresses[1], &needles, dtype.size()),
                question,
                out: at(addresses[2], &out, answer.size()),
            }))
        });
    }
}

/// Runs of equal elements of every dtype, counted and listed.
pub(crate) fn runs(bench: &Bench) {
    let mut source = Source(33);
    let dtypes: Vec<DType> = DType::ALL.into_iter().filter(|&dtype| bench.knows(dtype)).collect();
    for round in 0..8 * dtypes.len() {
        let dtype = dtypes[round % dtypes.len()];
        let length = source.pick(&[1, 2, 5, 63, 64, 65, 1000, 5000, 70_000]);
        let line = Layout::dense(&[length]);
        let elements = sorted(&mut source, &line, length, dtype);
        let number = Layout::dense(&[1]);
        let operands = [elements.clone(), number.operand(&mut source, DType::I64)];
        compare(bench, &operands, |addresses| {
            Command::RunCount(Box::new(RunCount {
                dtype,
                sorted: addresses[0].offset(line.start(dtype.size())),
                length,
                count: addresses[1].offset(number.start(8)),
            }))
        });

        let mut positions: Vec<usize> = (0..length).collect();
        (0..length).for_each(|i| positions.swap(i, source.below(length)));
        let capacity = source.pick(&[0, 1, length / 2, length]);
        let room = Layout::dense(&[capacity.max(1)]);
        let wanted: [bool; 4] = std::array::from_fn(|_| source.below(2) == 0);
        let positions = line.filled(&mut source, DType::I64, |_, i| {
            let nth = i.wrapping_sub(line.first);
            Scalar::I64(positions.get(nth).map_or(-1, |&position| position as i64)).to_bytes()
        });
        let operands = [
            elements,
            positions,
            room.operand(&mut source, dtype),
            room.operand(&mut source, DType::I64),
            room.operand(&mut source, DType::I64),
            line.operand(&mut source, DType::I64),
        ];
        compare(bench, &operands, |addresses| {
            let part = |n: usize, layout: &Layout, width: usize| {
                wanted[n].then(|| addresses[2 + n].offset(layout.start(width)))
            };
            Command::RunSelect(Box::new(RunSelect {
                dtype,
                sorted: addresses[0].offset(line.start(dtype.size())),
                length,
                capacity,
                positions: (wanted[1] || wanted[3]).then(|| addresses[1].offset(line.start(8))),
                values: part(0, &room, dtype.size()),
                firsts: part(1, &room, 8),
                counts: part(2, &room, 8),
                inverse: part(3, &line, 8),
            }))
        });
    }
}
