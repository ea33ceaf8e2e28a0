//! Scans.

use std::sync::Arc;

use situ_hal::{Command, Mapped, Operand, ReductionRef, Scan};
use situ_ir::tree::Direction;
use situ_ir::{Combine, Op, Program, Reduction};
use situ_types::DType;
use smallvec::smallvec;

use crate::array::{Input, mapped};
use crate::host::layouts::{cases, place, steps};
use crate::host::meaning::{same, shown};
use crate::host::points::Points;
use crate::host::runner::{Memory, at, run, work};
use crate::{LENGTHS, combinations, plain};

fn command(reduction: &Arc<Reduction>, shape: &[usize], inputs: &[Input], out: usize, out_steps: &[isize]) -> Command {
    Command::Scan(Box::new(Scan {
        reduction: ReductionRef::Shared(Arc::clone(reduction)),
        inputs: mapped(shape, inputs),
        direction: Direction::Along,
        out: at(out),
        out_steps: out_steps.into(),
    }))
}

/// Writes what a scan gives to where it belongs, from an element on.
fn expect(reduction: &Reduction, shape: &[usize], inputs: &[Input], wanted: &mut Memory, before: usize, out: &[isize]) {
    let size = reduction.result().size();
    let length = *shape.last().unwrap();
    for sequence in 0..shape[..shape.len() - 1].iter().product() {
        let elements = (0..length)
            .map(|n| inputs.iter().map(|input| input.read(shape, sequence * length + n, n)).collect::<Vec<_>>());
        for (n, value) in reduction.evaluate_scan(elements).unwrap().into_iter().enumerate() {
            let to = (before as isize + place(sequence * length + n, shape, out)) as usize * size;
            wanted.bytes_mut()[to..to + size].copy_from_slice(&value.to_bytes()[..size]);
        }
    }
}

/// Whether two results are the same, element for element.
fn compare(reduction: &Reduction, shape: &[usize], found: &Memory, wanted: &Memory) {
    let dtype = reduction.result();
    let size = dtype.size();
    for (n, (found, wanted)) in found.bytes().chunks(size).zip(wanted.bytes().chunks(size)).enumerate() {
        assert!(
            found == wanted || found.len() == size && same(dtype, found, wanted),
            "{:?} over {shape:?}: element {n} is {}, not {}",
            reduction.combine(),
            shown(dtype, found),
            shown(dtype, wanted),
        );
    }
}

fn check(points: &mut Points, reduction: &Arc<Reduction>, shape: &[usize], inputs: &[Input]) {
    let (out_steps, before, after) = steps(points, shape);
    let size = reduction.result().size();
    let mut found = Memory::noise((before + after + 2) * size);
    let mut wanted = found.clone();
    expect(reduction, shape, inputs, &mut wanted, before, &out_steps);
    let out = found.bytes_mut().as_mut_ptr() as usize + before * size;
    run(&work(&command(reduction, shape, inputs, out, &out_steps)));
    compare(reduction, shape, &found, &wanted);
}

/// A plain scan of dense rows or columns.
fn check_dense(points: &mut Points, op: Op, dtype: DType, sequences: usize, length: usize, across: bool) {
    let steps = if across { vec![1, sequences as isize] } else { vec![length as isize, 1] };
    let is_wild = points.below(4) == 0;
    let input = Input::array(points, dtype, (steps, 0, sequences * length - 1), is_wild);
    check(points, &plain(Combine::Op(op), dtype), &[sequences, length], &[input]);
}

#[test]
fn every_length() {
    let points = &mut Points(11);
    for dtype in [DType::F32, DType::C128] {
        for length in LENGTHS {
            for sequences in [1, 3, 40, 600] {
                if sequences * length < 300_000 {
                    check_dense(points, Op::Add, dtype, sequences, length, false);
                    check_dense(points, Op::Add, dtype, sequences, length, true);
                }
            }
        }
    }
}

#[test]
fn many_chunks() {
    let points = &mut Points(12);
    check_dense(points, Op::Add, DType::F32, 2, 300 * 4096 + 5, false);
    check_dense(points, Op::Add, DType::F32, 17, 300 * 256 + 5, true);
}

#[test]
fn every_way_to_combine() {
    let points = &mut Points(13);
    for (combine, dtype) in combinations() {
        let Combine::Op(op) = combine else { continue };
        check_dense(points, op, dtype, 2, 4300, false);
        check_dense(points, op, dtype, 30, 270, true);
    }
}

#[test]
fn a_result_may_take_its_inputs_place() {
    let points = &mut Points(14);
    for (shape, steps) in [([3, 9000], [9000, 1]), ([40, 700], [1, 40]), ([5, 70], [70, 1])] {
        let reduction = plain(Combine::Op(Op::Add), DType::F64);
        let size = shape[0] * shape[1];
        let input = Input::array(points, DType::F64, (steps.to_vec(), 0, size - 1), false);
        let mut wanted = Memory::noise(size * 8);
        expect(&reduction, &shape, std::slice::from_ref(&input), &mut wanted, 0, &steps);
        let Input::Array { memory, .. } = &input else { panic!("an array") };
        run(&work(&command(&reduction, &shape, std::slice::from_ref(&input), memory.address(), &steps)));
        compare(&reduction, &shape, memory, &wanted);
    }
}

#[test]
fn layouts_of_all_kinds() {
    let convert = |from, to, result| {
        let (map, finish) = (Program::convert(from, to), Program::convert(to, result));
        Arc::new(Reduction::new(map, Combine::Op(Op::Add), finish).unwrap())
    };
    let reductions = [
        plain(Combine::Op(Op::Add), DType::F32),
        convert(DType::F16, DType::F32, DType::F16),
        convert(DType::I8, DType::I64, DType::I64),
        convert(DType::I64, DType::F64, DType::F32),
    ];
    cases(|points| {
        let reduction = &reductions[points.below(reductions.len())];
        let mut shape: Vec<usize> = (0..points.below(3)).map(|_| 1 + points.below(9)).collect();
        let longest = [30, 600, 6000][points.below(3)];
        shape.push(1 + points.below(longest));
        let input = match reduction.map().inputs()[0] {
            DType::I64 => Input::Index,
            dtype => Input::random(points, dtype, &shape, false),
        };
        check(points, reduction, &shape, &[input]);
    });
}

#[test]
fn positions_beyond_32_bits() {
    const FAR: usize = 1 << 31;
    // Nothing but the pages that are written is really there.
    let mut bytes = vec![0u8; FAR + 5000];
    (bytes[10], bytes[FAR + 4998]) = (3, 1);
    let mut inputs = Mapped::new([2, 5000][..].into());
    inputs.push(Operand::Memory(at(bytes.as_ptr() as usize)), &[FAR as isize, 1]);
    let out = Memory::noise(10_000);
    let command = Scan {
        reduction: ReductionRef::Shared(plain(Combine::Op(Op::Maximum), DType::U8)),
        inputs,
        direction: Direction::Along,
        out: at(out.address()),
        out_steps: smallvec![5000, 1],
    };
    run(&work(&Command::Scan(Box::new(command))));
    let wanted = [&[0; 10][..], &[3; 4990], &[0; 4998], &[1; 2]].concat();
    assert!(out.bytes() == wanted);
}
