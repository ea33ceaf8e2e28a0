//! One cheap op and a plain copy over every kind of layout.

use situ_conformance::Source;
use situ_ir::{Op, Program};
use situ_types::DType;

use super::setting::{Case, TestOperand, check, check_on, machines};

/// Strides of an array with its axes stored in the given order, and gaps between elements of the innermost.
fn permuted(shape: &[usize], order: &[usize], gap: isize) -> Vec<isize> {
    let mut strides = vec![0; shape.len()];
    let mut step = gap;
    for &axis in order.iter().rev() {
        strides[axis] = step;
        step *= shape[axis].max(1) as isize + (axis % 2) as isize;
    }
    strides
}

fn any_strides(source: &mut Source, shape: &[usize], may_broadcast: bool) -> Vec<isize> {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, source.below(i + 1));
    }
    if source.below(2) == 0 {
        order.sort();
    }
    let mut strides = permuted(shape, &order, 1 + source.below(2) as isize);
    for stride in &mut strides {
        match source.below(6) {
            0 => *stride = -*stride,
            1 | 2 if may_broadcast => *stride = 0,
            _ => {}
        }
    }
    strides
}

#[test]
fn any_layout_of_any_shape() {
    let mut source = Source(20);
    let add = [DType::U8, DType::F16, DType::F32, DType::I64, DType::C128]
        .map(|dtype| Program::single(Op::Add, &[dtype, dtype], dtype).unwrap());
    let copy = [DType::Bool, DType::F64].map(|dtype| Program::convert(dtype, dtype));
    let programs: Vec<&Program> = add.iter().chain(&copy).collect();
    let machines = machines();
    for round in 0..3000 {
        let lengths = [0, 1, 2, 3, 5, 17, 47, 48, 49, 130, 300];
        let shape: Vec<usize> = (0..1 + source.below(4)).map(|_| lengths[source.below(lengths.len())]).collect();
        if shape.iter().product::<usize>() > 6000 {
            continue;
        }
        let program = programs[source.below(programs.len())];
        let mut operands = vec![];
        for _ in program.inputs() {
            operands.push(TestOperand::Strided(any_strides(&mut source, &shape, true)));
        }
        let output = TestOperand::Strided(any_strides(&mut source, &shape, false));
        operands.push(if source.below(4) == 0 { TestOperand::Same(0) } else { output.clone() });
        if let TestOperand::Same(0) = operands[operands.len() - 1] {
            operands[0] = output;
        }
        let machine = machines[source.below(machines.len())];
        check_on(&[machine], program, &Case { shape, operands }, round);
    }
}

#[test]
fn rows_of_three_and_size_one_axes() {
    let add = Program::single(Op::Add, &[DType::F64, DType::F64], DType::F64).unwrap();
    let row = |strides: &[isize]| TestOperand::Strided(strides.to_vec());
    for (shape, strides) in [
        (vec![500, 3], [[3, 1, 0], [0, 1, 0], [3, 1, 0]]),
        (vec![500, 3], [[1, 500, 0], [4, 1, 0], [3, 1, 0]]),
        (vec![40, 1, 60], [[60, 7, 1], [0, 0, 1], [60, 60, 1]]),
        (vec![40, 1, 60], [[1, 1, 40], [1, 0, 0], [60, 60, 1]]),
        (vec![300, 200], [[1, 300, 0], [200, 1, 0], [200, 1, 0]]),
        (vec![200, 300], [[300, 1, 0], [1, 200, 0], [1, 200, 0]]),
    ] {
        let operands = strides.iter().map(|s| row(&s[..shape.len()])).collect();
        check(&add, &Case { shape, operands }, 9);
    }
}

/// Blocks, bands and their edges: an operand or the output turned round, in place or not, with a row or a column beside
/// it.
#[test]
fn turned_operands_of_any_size() {
    let mut source = Source(21);
    let dtypes = [DType::U8, DType::F16, DType::F32, DType::I64, DType::C128];
    let add = dtypes.map(|dtype| Program::single(Op::Add, &[dtype, dtype], dtype).unwrap());
    let less = dtypes.map(|dtype| Program::single(Op::Less, &[dtype, dtype], dtype).unwrap());
    let copy = dtypes.map(|dtype| Program::convert(dtype, dtype));
    let programs: Vec<&Program> = add.iter().chain(&less).chain(&copy).collect();
    let machines = machines();
    for round in 0..1500 {
        let longest = if source.below(4) == 0 { 300 } else { 41 };
        let shape = vec![1 + source.below(if longest > 41 { 30 } else { 41 }), 1 + source.below(longest)];
        let (rows, columns) = (shape[0] as isize, shape[1] as isize);
        let turned = [vec![1, rows], vec![1, rows + 2], vec![-1, rows], vec![1, -rows], vec![-2, -2 * rows]];
        let plain = [vec![columns, 1], vec![columns + 5, 1], vec![0, 1], vec![1, 0], vec![2 * columns, 2]];
        let mut operands: Vec<TestOperand> = vec![];
        let program = programs[source.below(programs.len())];
        for _ in program.inputs() {
            let layouts = if source.below(2) == 0 { &turned } else { &plain };
            operands.push(TestOperand::Strided(layouts[source.below(5)].clone()));
        }
        let out = if source.below(3) == 0 { &turned } else { &plain };
        let out = TestOperand::Strided(out[source.below(2)].clone());
        let may_be_in_place = program.operand_dtype(0) == program.operand_dtype(operands.len());
        if may_be_in_place && source.below(4) == 0 {
            operands[0] = out;
            operands.push(TestOperand::Same(0));
        } else {
            operands.push(out);
        }
        let machine = machines[source.below(machines.len())];
        check_on(&[machine], program, &Case { shape, operands }, round);
    }
}

#[test]
fn a_choice_among_turned_operands() {
    let mut source = Source(22);
    for (round, dtype) in
        [DType::U8, DType::F16, DType::F32, DType::F64, DType::C128].into_iter().cycle().take(150).enumerate()
    {
        let mut builder = Program::builder();
        let values = [DType::Bool, dtype, dtype].map(|dtype| builder.input(dtype));
        let chosen = builder.select(values[0], values[1], values[2]).unwrap();
        let choose = builder.finish(&[chosen]).unwrap();
        let shape = vec![1 + source.below(40), 1 + source.below(60)];
        let (rows, columns) = (shape[0] as isize, shape[1] as isize);
        let layouts = [vec![columns, 1], vec![1, rows], vec![0, 1], vec![1, 0], vec![-columns, -1]];
        let mut operands: Vec<TestOperand> =
            (0..3).map(|_| TestOperand::Strided(layouts[source.below(5)].clone())).collect();
        operands.push(TestOperand::Strided(layouts[source.below(2)].clone()));
        check(&choose, &Case { shape, operands }, round as u64);
    }
}

#[test]
fn large_commands_are_shared_out_and_small_ones_are_not() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    let sin = Program::single(Op::Sin, &[DType::F64], DType::F64).unwrap();
    let machines = machines();
    for (n, parallel) in [(100, false), (500_000, true)] {
        let mut data = vec![0.5f64; n];
        let address = situ_hal::Address(data.as_mut_ptr().cast());
        let mut command =
            situ_hal::Elementwise::new(situ_hal::ProgramRef::Shared(sin.clone().into()), [n].as_slice().into());
        command.push_memory(address, &[1]);
        command.push_memory(address, &[1]);
        let chunks = AtomicUsize::new(0);
        let machine = super::super::Machine { threads: 2, ..machines[0] };
        // SAFETY: both operands are the vector's own memory.
        unsafe {
            super::super::execute(&command, super::super::cost(&command), &machine, &|n, body| {
                chunks.fetch_add(n, Ordering::Relaxed);
                (0..n).for_each(body);
            });
        }
        assert_eq!(chunks.into_inner() == 8, parallel);
        assert!(data.iter().all(|x| *x == 0.5f64.sin()));
    }
}
