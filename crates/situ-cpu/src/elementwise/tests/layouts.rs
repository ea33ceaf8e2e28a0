//! One cheap op and a plain copy over every kind of layout.

use situ_ir::{Op, Program};
use situ_types::DType;

use super::reference::Source;
use super::setting::{Case, Form, check, check_on, machines};

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
        let mut forms = vec![];
        for _ in program.inputs() {
            forms.push(Form::Strided(any_strides(&mut source, &shape, true)));
        }
        let output = Form::Strided(any_strides(&mut source, &shape, false));
        forms.push(if source.below(4) == 0 { Form::Same(0) } else { output.clone() });
        if let Form::Same(0) = forms[forms.len() - 1] {
            forms[0] = output;
        }
        let machine = machines[source.below(machines.len())];
        check_on(&[machine], program, &Case { shape, forms }, round);
    }
}

#[test]
fn rows_of_three_and_size_one_axes() {
    let add = Program::single(Op::Add, &[DType::F64, DType::F64], DType::F64).unwrap();
    let row = |strides: &[isize]| Form::Strided(strides.to_vec());
    for (shape, strides) in [
        (vec![500, 3], [[3, 1, 0], [0, 1, 0], [3, 1, 0]]),
        (vec![500, 3], [[1, 500, 0], [4, 1, 0], [3, 1, 0]]),
        (vec![40, 1, 60], [[60, 7, 1], [0, 0, 1], [60, 60, 1]]),
        (vec![40, 1, 60], [[1, 1, 40], [1, 0, 0], [60, 60, 1]]),
        (vec![300, 200], [[1, 300, 0], [200, 1, 0], [200, 1, 0]]),
        (vec![200, 300], [[300, 1, 0], [1, 200, 0], [1, 200, 0]]),
    ] {
        let forms = strides.iter().map(|s| row(&s[..shape.len()])).collect();
        check(&add, &Case { shape, forms }, 9);
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
