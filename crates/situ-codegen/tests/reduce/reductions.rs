//! Reductions.

use std::sync::Arc;

use situ_hal::{Command, Mapped, Operand, Reduce, ReductionRef};
use situ_ir::tree::Direction;
use situ_ir::{Combine, Op, Program, Reduction};
use situ_types::{DType, Scalar};
use smallvec::{SmallVec, smallvec};

use crate::array::{Input, element, mapped};
use crate::host::layouts::{cases, place, steps};
use crate::host::meaning::{same, shown};
use crate::host::points::Points;
use crate::host::runner::{Memory, at, run, work};
use crate::{LENGTHS, combinations, plain};

/// Runs a reduction over inputs and compares every byte of the result's memory.
fn check(
    points: &mut Points,
    reduction: &Arc<Reduction>,
    (shape, kept): (&[usize], usize),
    direction: Direction,
    inputs: &[Input],
) {
    let dtype = reduction.result();
    let size = dtype.size();
    let (out_steps, before, after) = steps(points, &shape[..kept]);
    let numbers: Vec<Scalar> =
        reduction.finish().inputs()[1..].iter().map(|&dtype| element(points, dtype, false)).collect();
    let mut found = Memory::noise((before + after + 2) * size);
    let mut wanted = found.clone();
    let results: usize = shape[..kept].iter().product();
    let length: usize = shape[kept..].iter().product();
    for result in 0..results {
        let sequence = (0..length)
            .map(|n| inputs.iter().map(|input| input.read(shape, result * length + n, n)).collect::<Vec<_>>());
        let value = reduction.evaluate(sequence, direction, &numbers).unwrap();
        let to = ((before as isize + place(result, &shape[..kept], &out_steps)) * size as isize) as usize;
        wanted.bytes_mut()[to..to + size].copy_from_slice(&value.to_bytes()[..size]);
    }
    let command = Reduce {
        reduction: ReductionRef::Shared(Arc::clone(reduction)),
        inputs: mapped(shape, inputs),
        kept,
        direction,
        numbers: numbers.iter().map(|number| number.to_bytes()).collect(),
        out: at(found.bytes_mut().as_mut_ptr() as usize + before * size),
        out_steps: out_steps.into(),
    };
    let work = work(&Command::Reduce(Box::new(command)));
    run(&work);
    for (n, (found, wanted)) in found.bytes().chunks(size).zip(wanted.bytes().chunks(size)).enumerate() {
        assert!(
            found == wanted || found.len() == size && same(dtype, found, wanted),
            "{:?} over {shape:?}, {kept} kept, {direction:?}: element {n} is {}, not {}\n{work:?}",
            reduction.combine(),
            shown(dtype, found),
            shown(dtype, wanted),
        );
    }
}

/// A plain reduction of dense rows or columns.
fn check_dense(
    points: &mut Points,
    combine: Combine,
    dtype: DType,
    results: usize,
    length: usize,
    direction: Direction,
) {
    let reduction = plain(combine, dtype);
    let all = (results * length).max(1) - 1;
    let steps = match direction {
        Direction::Along => vec![length as isize, 1],
        Direction::Across => vec![1, results as isize],
    };
    let is_wild = points.below(4) == 0;
    let input = Input::array(points, dtype, (steps, 0, all), is_wild);
    check(points, &reduction, (&[results, length], 1), direction, &[input]);
}

#[test]
fn every_length_along() {
    let points = &mut Points(1);
    for dtype in [DType::F32, DType::F64] {
        for length in LENGTHS {
            for results in [1, 3, 40] {
                if results * length < 600_000 {
                    check_dense(points, Combine::Op(Op::Add), dtype, results, length, Direction::Along);
                    check_dense(points, Combine::Moments, dtype, results, length, Direction::Along);
                }
            }
        }
    }
}

#[test]
fn every_length_across() {
    let points = &mut Points(2);
    for dtype in [DType::F32, DType::F64] {
        for length in LENGTHS {
            for results in [1, 3, 4, 8, 40, 516, 2100] {
                if results * length < 600_000 {
                    check_dense(points, Combine::Op(Op::Add), dtype, results, length, Direction::Across);
                    check_dense(points, Combine::Moments, dtype, results, length, Direction::Across);
                }
            }
        }
    }
}

#[test]
fn short_rows() {
    let points = &mut Points(8);
    for (length, step) in [(16, 16), (16, 20), (12, 12), (8, 8), (5, 5), (3, 4), (40, 40), (260, 260)] {
        for dtype in [DType::F32, DType::F64] {
            let layout = (vec![step as isize, 1], 0, 700 * step);
            let input = Input::array(points, dtype, layout, false);
            let input = &[input];
            check(points, &plain(Combine::Op(Op::Add), dtype), (&[700, length], 1), Direction::Across, input);
            check(points, &plain(Combine::Moments, dtype), (&[700, length], 1), Direction::Across, input);
        }
    }
}

#[test]
fn many_blocks_share_long_sequences() {
    let points = &mut Points(3);
    // More groups than one level above holds.
    check_dense(points, Combine::Op(Op::Add), DType::F32, 2, 17 * 65536 + 9_001, Direction::Along);
    check_dense(points, Combine::Op(Op::Add), DType::F32, 3, 260 * 256 + 17, Direction::Across);
    check_dense(points, Combine::Op(Op::Add), DType::F32, 2, 4200 * 256 + 77, Direction::Across);
    // More than local memory holds.
    check_dense(points, Combine::Op(Op::Add), DType::F32, 17, 160 * 256 + 77, Direction::Across);
    check_dense(points, Combine::ArgMin, DType::I16, 1, 300_000, Direction::Along);
    check_dense(points, Combine::Moments, DType::F64, 2, 17 * 65536 + 9_001, Direction::Along);
    check_dense(points, Combine::Moments, DType::F64, 17, 160 * 256 + 77, Direction::Across);
}

#[test]
fn many_results_share_a_block() {
    let points = &mut Points(4);
    for length in [100, 4096, 5000, 9 * 4096, 40_000] {
        check_dense(points, Combine::Op(Op::Add), DType::F32, 800_000 / length, length, Direction::Along);
    }
}

#[test]
fn every_way_to_combine() {
    let points = &mut Points(5);
    let shapes = [
        (3, 77, Direction::Along),
        (5, 300, Direction::Across),
        (1, 5000, Direction::Along),
        (40, 20, Direction::Across),
        (2, 70_000, Direction::Along),
    ];
    for (n, (combine, dtype)) in combinations().into_iter().enumerate() {
        for k in [n, n + 1] {
            let (results, length, direction) = shapes[k % shapes.len()];
            check_dense(points, combine, dtype, results, length, direction);
        }
    }
}

/// The square of a distance, divided by a number at the end.
fn distance(from: DType, dtype: DType) -> Arc<Reduction> {
    let mut map = Program::builder();
    let [element, other] = [from, dtype].map(|dtype| map.input(dtype));
    let value = map.cast(element, dtype).unwrap();
    let distance = map.apply(Op::Subtract, &[value, other]).unwrap();
    let square = map.apply(Op::Square, &[distance]).unwrap();
    let finish = Program::single(Op::Divide, &[dtype, dtype], dtype).unwrap();
    Arc::new(Reduction::new(map.finish(&[square]).unwrap(), Combine::Op(Op::Add), finish).unwrap())
}

/// The sum of squared deviations, divided by a number at the end.
fn deviation(from: DType, dtype: DType) -> Arc<Reduction> {
    let finish = Program::single(Op::Divide, &[dtype, dtype], dtype).unwrap();
    Arc::new(Reduction::new(Program::convert(from, dtype), Combine::Moments, finish).unwrap())
}

/// A sum of products of elements with their positions and a number.
fn moment() -> Arc<Reduction> {
    let mut map = Program::builder();
    let [element, position, scale] = [DType::F32, DType::I64, DType::F64].map(|dtype| map.input(dtype));
    let (value, position) = (map.cast(element, DType::F64).unwrap(), map.cast(position, DType::F64).unwrap());
    let scaled = map.apply(Op::Multiply, &[position, scale]).unwrap();
    let product = map.apply(Op::Multiply, &[value, scaled]).unwrap();
    let finish = Program::convert(DType::F64, DType::F32);
    Arc::new(Reduction::new(map.finish(&[product]).unwrap(), Combine::Op(Op::Add), finish).unwrap())
}

/// Reductions whose maps and finishing programs compute something.
fn computing() -> Vec<Arc<Reduction>> {
    let convert = |from, to, op, result| {
        let (map, finish) = (Program::convert(from, to), Program::convert(to, result));
        Arc::new(Reduction::new(map, Combine::Op(op), finish).unwrap())
    };
    let sine = Program::single(Op::Sin, &[DType::F32], DType::F32).unwrap();
    let doubled = Program::single(Op::Multiply, &[DType::I64, DType::I64], DType::I64).unwrap();
    vec![
        plain(Combine::Op(Op::Add), DType::F32),
        plain(Combine::ArgMax, DType::F64),
        distance(DType::F32, DType::F32),
        distance(DType::I8, DType::F64),
        deviation(DType::F32, DType::F32),
        deviation(DType::F16, DType::F32),
        deviation(DType::I8, DType::F64),
        moment(),
        convert(DType::F16, DType::F32, Op::Add, DType::F16),
        convert(DType::U8, DType::U64, Op::Add, DType::U64),
        convert(DType::Bool, DType::I64, Op::Add, DType::I64),
        Arc::new(Reduction::new(sine, Combine::ArgMin, doubled).unwrap()),
    ]
}

#[test]
fn layouts_of_all_kinds() {
    let reductions = computing();
    cases(|points| {
        let reduction = &reductions[points.below(reductions.len())];
        let mut shape: Vec<usize> = (0..points.below(3)).map(|_| 1 + points.below(9)).collect();
        let kept = shape.len();
        match points.below(3) {
            0 => shape.push(1 + points.below(9000)),
            1 => shape.extend([1 + points.below(40), 4 * (1 + points.below(60))]),
            _ => shape.extend([1 + points.below(400), 1 + points.below(7)]),
        }
        let direction = if points.below(2) == 0 { Direction::Along } else { Direction::Across };
        let inputs: Vec<Input> = (reduction.map().inputs().iter())
            .map(|&dtype| match dtype {
                DType::I64 => Input::Index,
                _ if points.below(6) == 0 => Input::Immediate(element(points, dtype, false)),
                _ => Input::random(points, dtype, &shape, false),
            })
            .collect();
        check(points, reduction, (&shape, kept), direction, &inputs);
    });
}

#[test]
fn elements_may_lie_anywhere() {
    let points = &mut Points(6);
    let reduction = plain(Combine::Op(Op::Add), DType::F32);
    for direction in [Direction::Along, Direction::Across] {
        let Input::Array { mut memory, steps, dtype, .. } =
            Input::array(points, DType::F32, (vec![700, 1], 1, 3 * 700), false)
        else {
            panic!("an array");
        };
        let end = memory.bytes().len();
        memory.bytes_mut().copy_within(4..end, 1);
        let input = Input::Array { memory, first: 1, steps, dtype };
        check(points, &reduction, (&[3, 700], 1), direction, &[input]);
    }
}

#[test]
fn the_first_of_equals_is_found_and_what_is_not_a_number_before_all() {
    let points = &mut Points(7);
    for (combine, length) in [(Combine::ArgMax, 300), (Combine::ArgMin, 300), (Combine::ArgMax, 140_000)] {
        for (direction, kind) in
            [(Direction::Along, 0), (Direction::Across, 0), (Direction::Along, 1), (Direction::Across, 1)]
        {
            let mut input = Input::array(points, DType::F32, (vec![length as isize, 1], 0, 2 * length), false);
            let Input::Array { memory, .. } = &mut input else { panic!("an array") };
            for (n, place) in memory.bytes_mut().chunks_exact_mut(4).enumerate() {
                let number = match n % length {
                    129 | 280 if kind == 1 => f32::NAN,
                    position => ((position * 7) % 100 % 50) as f32,
                };
                place.copy_from_slice(&number.to_ne_bytes());
            }
            check(points, &plain(combine, DType::F32), (&[2, length], 1), direction, &[input]);
        }
    }
}

#[test]
fn a_table_holds_the_numbers_of_many_axes() {
    let points = &mut Points(9);
    let shape = [2; 15];
    for (kept, direction) in [(6, Direction::Along), (6, Direction::Across), (14, Direction::Across)] {
        let reduction = distance(DType::F32, DType::F32);
        let inputs = [0, 1].map(|_| Input::array(points, DType::F32, (apart(15), 0, 3 << 16), false));
        check(points, &reduction, (&shape, kept), direction, &inputs);
    }
}

/// Steps of axes of length 2 that cannot be merged.
fn apart(axes: usize) -> Vec<isize> {
    (0..axes).map(|axis| (1 << (axes - axis)) + 1 - axis as isize % 2).collect()
}

#[test]
fn positions_beyond_32_bits() {
    const FAR: usize = 1 << 31;
    // Nothing but the pages that are written is really there.
    let mut bytes = vec![0u8; FAR + 70_000];
    (bytes[10], bytes[FAR + 69_999]) = (3, 1);
    for direction in [Direction::Along, Direction::Across] {
        let mut inputs = Mapped::new([2, 70_000][..].into());
        inputs.push(Operand::Memory(at(bytes.as_ptr() as usize)), &[FAR as isize, 1]);
        let out = Memory::noise(16);
        let command = Reduce {
            reduction: ReductionRef::Shared(plain(Combine::ArgMax, DType::U8)),
            inputs,
            kept: 1,
            direction,
            numbers: SmallVec::new(),
            out: at(out.address()),
            out_steps: smallvec![1],
        };
        run(&work(&Command::Reduce(Box::new(command))));
        assert_eq!(out.bytes(), [10u64.to_ne_bytes(), 69_999u64.to_ne_bytes()].concat());
    }
}
