//! Elementwise programs, against the interpreter, over every kind of operand.

use std::sync::Arc;

use situ_hal::{Address, Command, Elementwise, ProgramRef};
use situ_ir::{Op, Program, Value};
use situ_types::DType;

use crate::Source;
use crate::bench::{Bench, compare};
use crate::layout::{Layout, any_shape, simplified};

/// How an operand of a program is given.
#[derive(Clone, Debug)]
enum Given {
    Memory(Layout),
    Immediate([u8; 16]),
    Position,
    /// Where an input is, element for element.
    SameAs(usize),
}

/// Runs a program over random operands of a shape.
fn check(bench: &Bench, source: &mut Source, program: &Program, shape: &[usize]) {
    let (inputs, operands) = (program.inputs().len(), program.inputs().len() + program.outputs().len());
    let mut given: Vec<Given> = vec![];
    for n in 0..operands {
        let (is_input, dtype) = (n < inputs, program.operand_dtype(n));
        let is_free = |k: &usize| {
            let is_taken = given.iter().any(|other| matches!(other, Given::SameAs(of) if of == k));
            program.operand_dtype(*k) == dtype
                && !is_taken
                && matches!(&given[*k], Given::Memory(layout) if !layout.steps.contains(&0))
        };
        given.push(match source.below(8) {
            0 if is_input => Given::Immediate(source.element(dtype).to_bytes()),
            1 if is_input && dtype == DType::I64 && shape.len() == 1 => Given::Position,
            2 | 3 if !is_input => match (0..inputs).find(is_free) {
                Some(input) => Given::SameAs(input),
                None => Given::Memory(Layout::any(source, shape, false)),
            },
            _ => Given::Memory(Layout::any(source, shape, is_input)),
        });
    }
    let home = |n: usize| if let Given::SameAs(other) = given[n] { other } else { n };
    let still = Layout::new(shape, &vec![0; shape.len()]);
    let mut layouts: Vec<Layout> = (0..operands)
        .map(|n| if let Given::Memory(layout) = &given[home(n)] { layout.clone() } else { still.clone() })
        .collect();
    // Positions are counted along a single axis, which then stays as it is.
    let has_position = given.iter().any(|given| matches!(given, Given::Position));
    let lengths = if has_position { shape.to_vec() } else { simplified(shape, &mut layouts) };
    let memory: Vec<_> = (0..operands).map(|n| layouts[n].operand(source, program.operand_dtype(n))).collect();
    let program = ProgramRef::Shared(Arc::new(program.clone()));
    compare(bench, &memory, |addresses: &[Address]| {
        let mut command = Elementwise::new(program.clone(), lengths.as_slice().into());
        for n in 0..operands {
            match &given[n] {
                Given::Immediate(bytes) => command.push_immediate(*bytes),
                Given::Position => command.push_index(),
                Given::Memory(_) | Given::SameAs(_) => {
                    let start = layouts[n].start(program.operand_dtype(n).size());
                    command.push_memory(addresses[home(n)].offset(start), &layouts[n].steps);
                }
            }
        }
        Command::Elementwise(command)
    });
}

/// Every op, at some of its dtypes: all of them would be hundreds of kernels where kernels are compiled.
pub(crate) fn every_op(bench: &Bench) {
    let mut source = Source(2);
    for &op in Op::ALL {
        let domain: Vec<DType> = op.rule().domain.iter().copied().filter(|dtype| bench.knows(*dtype)).collect();
        for turn in 0..2 {
            let dtype = domain[(op as usize * 5 + turn * 3) % domain.len()];
            let program = Program::single(op, &vec![dtype; op.arity()], dtype).unwrap();
            check(bench, &mut source, &program, &[700]);
            let shape = any_shape(&mut source);
            check(bench, &mut source, &program, &shape);
        }
    }
}

/// Conversions between all dtypes.
pub(crate) fn every_conversion(bench: &Bench) {
    let mut source = Source(3);
    let dtypes: Vec<DType> = DType::ALL.into_iter().filter(|dtype| bench.knows(*dtype)).collect();
    for from in &dtypes {
        for to in &dtypes {
            let shape = any_shape(&mut source);
            check(bench, &mut source, &Program::convert(*from, *to), &shape);
        }
    }
}

/// Programs of several steps and results.
pub(crate) fn any_program(bench: &Bench) {
    let mut source = Source(4);
    for round in 0..80 {
        let program = random_program(bench, &mut source, if round % 20 == 0 { 40 } else { 2 + round % 8 });
        let shape = if round % 40 == 1 { vec![200_001] } else { any_shape(&mut source) };
        check(bench, &mut source, &program, &shape);
    }
}

fn random_program(bench: &Bench, source: &mut Source, length: usize) -> Program {
    // What these tell of the sign of a NaN that was computed differs between processors.
    const SIGNS: [Op; 3] = [Op::Signbit, Op::Copysign, Op::Nextafter];
    let dtypes: Vec<DType> = DType::ALL.into_iter().filter(|dtype| bench.knows(*dtype)).collect();
    let mut builder = Program::builder();
    let mut values: Vec<(Value, DType)> = vec![];
    for _ in 0..1 + source.below(3) {
        let dtype = source.pick(&dtypes);
        values.push((builder.input(dtype), dtype));
    }
    while values.len() < length {
        let (value, dtype) = source.pick(&values);
        let alike: Vec<Value> = values.iter().filter(|(_, other)| *other == dtype).map(|(value, _)| *value).collect();
        let truths: Vec<Value> = values.iter().filter(|(_, d)| *d == DType::Bool).map(|(value, _)| *value).collect();
        let fits = |op: &Op| op.rule().domain.contains(&dtype) && !SIGNS.contains(op);
        let ops: Vec<Op> = Op::ALL.iter().copied().filter(fits).collect();
        values.push(match source.below(5) {
            0 => {
                let to = source.pick(&dtypes);
                (builder.cast(value, to).unwrap(), to)
            }
            1 if !truths.is_empty() => {
                let condition = source.pick(&truths);
                (builder.select(condition, value, source.pick(&alike)).unwrap(), dtype)
            }
            _ => {
                let op = source.pick(&ops);
                let args: Vec<Value> = (0..op.arity()).map(|_| source.pick(&alike)).collect();
                (builder.apply(op, &args).unwrap(), op.rule().out.apply(dtype))
            }
        });
    }
    let mut outputs = vec![values[values.len() - 1].0];
    (0..source.below(3)).for_each(|_| outputs.push(source.pick(&values).0));
    builder.finish(&outputs).unwrap()
}
