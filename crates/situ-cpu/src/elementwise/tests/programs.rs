//! Programs of several steps, against the same steps one element at a time.

use situ_conformance::Source;
use situ_ir::{Op, Program, Value};
use situ_types::DType;

use super::setting::{Case, TestOperand, check, check_on, machines};

#[test]
fn outputs_may_be_inputs_intermediates_or_repeated() {
    let mut builder = Program::builder();
    let (x, y) = (builder.input(DType::F64), builder.input(DType::F64));
    let sum = builder.apply(Op::Add, &[x, y]).unwrap();
    let product = builder.apply(Op::Multiply, &[sum, x]).unwrap();
    let program = builder.finish(&[sum, product, x, sum]).unwrap();
    for n in [0, 1, 65, 1000] {
        check(&program, &Case::dense(&[n], 6), n as u64);
    }
}

#[test]
fn one_step_need_not_be_the_output_nor_read_every_input() {
    let mut builder = Program::builder();
    let (x, y) = (builder.input(DType::F64), builder.input(DType::F64));
    builder.apply(Op::Add, &[x, y]).unwrap();
    let unused = builder.finish(&[x]).unwrap();
    let mut builder = Program::builder();
    let (z, _) = (builder.input(DType::C64), builder.input(DType::C64));
    let part = builder.apply(Op::Imag, &[z]).unwrap();
    let first = builder.finish(&[part]).unwrap();
    for shape in [&[1][..], &[65], &[1000], &[20, 30], &[4, 3, 40]] {
        check(&unused, &Case::dense(shape, 3), 1);
        check(&first, &Case::dense(shape, 3), 1);
        let mut case = Case::dense(shape, 3);
        let TestOperand::Strided(strides) = &mut case.operands[0] else { continue };
        strides.iter_mut().for_each(|stride| *stride *= 2);
        check(&first, &case, 1);
    }
}

#[test]
fn outputs_may_exchange_their_inputs() {
    let mut builder = Program::builder();
    let (x, y) = (builder.input(DType::F32), builder.input(DType::F32));
    let program = builder.finish(&[y, x]).unwrap();
    let mut case = Case::dense(&[1000], 4);
    case.operands[2..].clone_from_slice(&[TestOperand::Same(0), TestOperand::Same(1)]);
    check(&program, &case, 1);
}

#[test]
fn an_overwritten_input_is_read_to_the_end_first() {
    let mut builder = Program::builder();
    let x = builder.input(DType::I32);
    let square = builder.apply(Op::Square, &[x]).unwrap();
    let difference = builder.apply(Op::Subtract, &[square, x]).unwrap();
    let program = builder.finish(&[square, difference]).unwrap();
    let mut case = Case::dense(&[1000], 3);
    case.operands[1] = TestOperand::Same(0);
    check(&program, &case, 1);
}

#[test]
fn positions_and_immediates_are_inputs() {
    let mut builder = Program::builder();
    let (i, step, start) = (builder.input(DType::I64), builder.input(DType::F64), builder.input(DType::I8));
    let position = builder.cast(i, DType::F64).unwrap();
    let start = builder.cast(start, DType::F64).unwrap();
    let scaled = builder.apply(Op::Multiply, &[position, step]).unwrap();
    let sum = builder.apply(Op::Add, &[scaled, start]).unwrap();
    let program = builder.finish(&[sum, i, start]).unwrap();
    for n in [1, 300, 5000] {
        let mut case = Case::dense(&[n], 6);
        case.operands[..3].clone_from_slice(&[TestOperand::Index, TestOperand::Immediate, TestOperand::Immediate]);
        check(&program, &case, n as u64);
    }
}

#[test]
fn positions_of_few_elements_and_of_many() {
    let mut builder = Program::builder();
    let (i, first) = (builder.input(DType::I64), builder.input(DType::I64));
    let sum = builder.apply(Op::Add, &[i, first]).unwrap();
    let program = builder.finish(&[sum]).unwrap();
    for n in [1, 9, 1023, 1024, 1025, 5000] {
        let mut case = Case::dense(&[n], 3);
        case.operands[..2].clone_from_slice(&[TestOperand::Index, TestOperand::Immediate]);
        check(&program, &case, 1);
    }
}

#[test]
fn any_program_over_any_operands() {
    let machines = machines();
    let mut source = Source(99);
    for round in 0..1500 {
        let length = if round % 50 == 0 { 60 } else { 2 + source.below(8) };
        let program = any_program(&mut source, length);
        let shapes: [&[usize]; 5] = [&[700], &[3, 150], &[130, 5], &[1], &[6, 4, 20]];
        let shape = shapes[source.below(5)];
        let mut case = Case::dense(shape, program.inputs().len() + program.outputs().len());
        for n in 0..case.operands.len() {
            let is_input = n < program.inputs().len();
            let TestOperand::Strided(strides) = &mut case.operands[n] else { continue };
            match source.below(8) {
                0 if is_input => strides.fill(0),
                1 if is_input => strides[0] = 0,
                2 if is_input => case.operands[n] = TestOperand::Immediate,
                3 if is_input && shape.len() == 1 && program.inputs()[n] == DType::I64 => {
                    case.operands[n] = TestOperand::Index
                }
                4 => strides.iter_mut().for_each(|s| *s *= 2),
                5 => strides.iter_mut().for_each(|s| *s *= -1),
                _ if is_input => {}
                _ => {
                    let dtype = program.operand_dtype(n);
                    let twin = (0..program.inputs().len()).find(|&k| {
                        program.inputs()[k] == dtype
                            && matches!(&case.operands[k], TestOperand::Strided(s) if !s.contains(&0))
                            && !case.operands.iter().any(|operand| matches!(operand, TestOperand::Same(j) if *j == k))
                    });
                    case.operands[n] = twin.map_or(case.operands[n].clone(), TestOperand::Same);
                }
            }
        }
        let machine = machines[source.below(machines.len())];
        check_on(&[machine], &program, &case, round);
    }
}

fn any_program(source: &mut Source, length: usize) -> Program {
    const DTYPES: [DType; 6] = [DType::I8, DType::I64, DType::F16, DType::F32, DType::F64, DType::C128];
    let mut builder = Program::builder();
    let mut values: Vec<(Value, DType)> = vec![];
    for _ in 0..1 + source.below(3) {
        let dtype = DTYPES[source.below(DTYPES.len())];
        values.push((builder.input(dtype), dtype));
    }
    while values.len() < length {
        let (value, dtype) = values[source.below(values.len())];
        let fitting: Vec<Op> = Op::ALL.iter().copied().filter(|op| op.rule().domain.contains(&dtype)).collect();
        if source.below(4) == 0 {
            let to = DTYPES[source.below(DTYPES.len())];
            values.push((builder.cast(value, to).unwrap(), to));
        } else {
            let op = fitting[source.below(fitting.len())];
            let same: Vec<Value> = values.iter().filter(|(_, other)| *other == dtype).map(|(v, _)| *v).collect();
            let args: Vec<Value> = (0..op.arity()).map(|_| same[source.below(same.len())]).collect();
            values.push((builder.apply(op, &args).unwrap(), op.rule().out.apply(dtype)));
        }
    }
    let mut outputs = vec![values[values.len() - 1].0];
    for _ in 0..source.below(3) {
        outputs.push(values[source.below(values.len())].0);
    }
    builder.finish(&outputs).unwrap()
}
