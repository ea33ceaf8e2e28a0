//! Every kernel form, run on the host over layouts of all kinds and compared with the meaning in Rust.
//!
//! `SITU_TEST_POINTS` sets the number of layouts, `SITU_TEST_SEED` which they are.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod host;

use std::collections::BTreeSet;
use std::sync::Arc;

use host::meaning::{Bytes, cast, evaluate, same, shown};
use host::points::Points;
use host::runner::{Memory, all_limits, at, limits, run, work};
use situ_codegen::{DeviceLimits, Dialect, Work, work_for};
use situ_hal::{Command, Elementwise, ProgramRef};
use situ_ir::{Op, Program};
use situ_types::DType;

/// An operand with what it lies in.
#[derive(Clone, Debug)]
enum Operand {
    /// Bytes, the first element's place among them, and steps in elements.
    Memory {
        bytes: Vec<u8>,
        start: usize,
        strides: Vec<isize>,
    },
    Immediate(Bytes),
    Index,
}

/// What a program over operands comes to.
fn planned(program: &Program, shape: &[usize], operands: &mut [Operand], limits: &DeviceLimits) -> Work {
    let mut command = Elementwise::new(ProgramRef::Shared(Arc::new(program.clone())), shape.into());
    for operand in operands {
        match operand {
            Operand::Memory { bytes, start, strides } => {
                command.push_memory(at(bytes.as_mut_ptr() as usize + *start), strides);
            }
            Operand::Immediate(value) => command.push_immediate(*value),
            Operand::Index => command.push_index(),
        }
    }
    work_for(&Command::Elementwise(command), limits).unwrap()
}

/// The names of the kernels that have run.
struct Kernels {
    names: BTreeSet<String>,
    limits: DeviceLimits,
}

impl Default for Kernels {
    fn default() -> Kernels {
        Kernels::on(limits())
    }
}

impl Kernels {
    fn on(limits: DeviceLimits) -> Kernels {
        Kernels { names: BTreeSet::new(), limits }
    }

    /// What the walk over dense operands is called.
    fn dense(&self) -> &'static str {
        if self.limits.is_processor { "chunks" } else { "dense" }
    }

    fn run(&mut self, program: &Program, shape: &[usize], operands: &mut [Operand]) {
        let work = planned(program, shape, operands, &self.limits);
        self.names.extend(work.launches.iter().map(|launch| launch.kernel.emit_bare(Dialect::Host).kernel));
        run(&work);
    }
}

/// The position of every element, in order.
fn positions(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    (0..shape.iter().product::<usize>()).map(move |mut number| {
        let mut position = vec![0; shape.len()];
        for (coordinate, size) in position.iter_mut().zip(shape).rev() {
            (*coordinate, number) = (number % size, number / size);
        }
        position
    })
}

fn byte_of(start: usize, strides: &[isize], position: &[usize], size: usize) -> usize {
    let elements: isize = strides.iter().zip(position).map(|(step, &at)| step * at as isize).sum();
    start.wrapping_add_signed(elements * size as isize)
}

/// Runs a program and compares every byte of its outputs' memory.
fn check(kernels: &mut Kernels, program: &Program, shape: &[usize], mut operands: Vec<Operand>) {
    let inputs = program.inputs().len();
    let mut wanted: Vec<Vec<u8>> = operands[inputs..]
        .iter()
        .map(|operand| if let Operand::Memory { bytes, .. } = operand { bytes.clone() } else { panic!("in memory") })
        .collect();
    for (number, position) in positions(shape).enumerate() {
        let values: Vec<Bytes> = (0..inputs)
            .map(|n| match &operands[n] {
                Operand::Memory { bytes, start, strides } => {
                    let size = program.operand_dtype(n).size();
                    let at = byte_of(*start, strides, &position, size);
                    let mut value = [0; 16];
                    value[..size].copy_from_slice(&bytes[at..at + size]);
                    value
                }
                Operand::Immediate(value) => *value,
                Operand::Index => u128::from(number as u64).to_ne_bytes(),
            })
            .collect();
        for (output, value) in evaluate(program, &values).into_iter().enumerate() {
            let Operand::Memory { start, strides, .. } = &operands[inputs + output] else { panic!("in memory") };
            let size = program.operand_dtype(inputs + output).size();
            let at = byte_of(*start, strides, &position, size);
            wanted[output][at..at + size].copy_from_slice(&value[..size]);
        }
    }
    kernels.run(program, shape, &mut operands);
    for (output, wanted) in wanted.iter().enumerate() {
        let dtype = program.operand_dtype(inputs + output);
        let Operand::Memory { bytes, start, strides } = &operands[inputs + output] else { panic!("in memory") };
        let (skipped, size) = (start % dtype.size(), dtype.size());
        for (i, (got, wanted)) in bytes[skipped..].chunks(size).zip(wanted[skipped..].chunks(size)).enumerate() {
            assert!(
                got == wanted || (got.len() == size && same(dtype, got, wanted)),
                "{program}\nover {shape:?}, steps {strides:?}: element {i} of output {output} is {}, not {}",
                shown(dtype, got),
                shown(dtype, wanted)
            );
        }
    }
}

/// Programs with one and several operands, outputs, widths and kinds of steps.
fn programs() -> Vec<Program> {
    use DType::{Bool, C128, F16, F32, F64, I8, I16, U8};
    let mut chain = Program::builder();
    let (a, b, c) = (chain.input(F32), chain.input(I16), chain.input(F32));
    let wide = chain.cast(b, F32).unwrap();
    let sum = chain.apply(Op::Add, &[a, wide]).unwrap();
    let less = chain.apply(Op::Less, &[sum, c]).unwrap();
    let chosen = chain.select(less, a, c).unwrap();
    vec![
        Program::single(Op::Add, &[F32, F32], F32).unwrap(),
        Program::single(Op::Multiply, &[U8, U8], U8).unwrap(),
        Program::single(Op::Subtract, &[I8, F64], F64).unwrap(),
        Program::single(Op::Equal, &[F16, F16], F16).unwrap(),
        Program::convert(C128, C128),
        Program::convert(Bool, F16),
        waves(F32),
        waves(F64),
        Program::single(Op::Exp, &[F16], F16).unwrap(),
        chain.finish(&[chosen, less, sum]).unwrap(),
    ]
}

/// A program of functions with rare elements: sin(a b) exp(-b), and its exponential alone.
fn waves(dtype: DType) -> Program {
    let mut waves = Program::builder();
    let (a, b) = (waves.input(dtype), waves.input(dtype));
    let angle = waves.apply(Op::Multiply, &[a, b]).unwrap();
    let sine = waves.apply(Op::Sin, &[angle]).unwrap();
    let fall = waves.apply(Op::Negative, &[b]).unwrap();
    let decay = waves.apply(Op::Exp, &[fall]).unwrap();
    let product = waves.apply(Op::Multiply, &[sine, decay]).unwrap();
    waves.finish(&[product, decay]).unwrap()
}

/// A layout of a shape: axes in any order, forwards or backwards, with gaps, perhaps repeated, at any offset.
fn memory(points: &mut Points, shape: &[usize], dtype: DType, is_input: bool) -> Operand {
    let style = points.below(6);
    let mut order: Vec<usize> = (0..shape.len()).rev().collect();
    if style > 1 {
        for i in (1..order.len()).rev() {
            order.swap(i, points.below(i + 1));
        }
    }
    let mut strides = vec![0; shape.len()];
    let (mut run, mut first) = (1, 0);
    for axis in order {
        if is_input && style % 2 == 1 && points.below(3) == 0 {
            continue;
        }
        let gap = if style > 3 && points.below(2) == 0 { 1 + points.below(3) } else { 1 };
        let step = (run * gap) as isize;
        run = run * gap * shape[axis] + if style > 4 { points.below(5) } else { 0 };
        let backwards = style > 2 && points.below(4) == 0;
        strides[axis] = if backwards { -step } else { step };
        first += if backwards { step as usize * (shape[axis].max(1) - 1) } else { 0 };
    }
    // Usually as aligned as the allocator's blocks are; sometimes only as an element; rarely not even that.
    let odd = match points.below(8) {
        0..5 => 0,
        5..7 => dtype.size() * points.below(5),
        _ => 1,
    };
    let elements: Vec<u8> = (0..run + 8).flat_map(|_| points.element(dtype)[..dtype.size()].to_vec()).collect();
    let mut bytes = vec![0; elements.len() + 128];
    let odd = odd + bytes.as_ptr().align_offset(16);
    bytes[odd..odd + elements.len()].copy_from_slice(&elements);
    Operand::Memory { bytes, start: odd + first * dtype.size(), strides }
}

fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[test]
fn every_layout() {
    all_limits().into_iter().for_each(layouts_on);
}

fn layouts_on(limits: DeviceLimits) {
    let mut points = Points(setting("SITU_TEST_SEED", 1) as u64);
    let mut kernels = Kernels::on(limits);
    let programs = programs();
    for _ in 0..setting("SITU_TEST_POINTS", 200) {
        let program = &programs[points.below(programs.len())];
        let axes = [1, 1, 2, 2, 2, 3, 3, 4, 5][points.below(9)];
        let largest = [5000, 100, 24, 9, 6][axes - 1];
        let shape: Vec<usize> =
            (0..axes).map(|_| if points.below(20) == 0 { 0 } else { 1 + points.below(largest) }).collect();
        let operands = (0..program.inputs().len() + program.outputs().len())
            .map(|n| {
                let (dtype, is_input) = (program.operand_dtype(n), n < program.inputs().len());
                if is_input && points.below(8) == 0 {
                    Operand::Immediate(points.element(dtype))
                } else {
                    memory(&mut points, &shape, dtype, is_input)
                }
            })
            .collect();
        check(&mut kernels, program, &shape, operands);
    }
    for walk in [kernels.dense(), "rows", "strided", "tiled"] {
        assert!(kernels.names.iter().any(|name| name.ends_with(walk)), "no layout took the {walk} walk");
    }
}

#[test]
fn positions_are_operands() {
    let mut kernels = Kernels::default();
    let program = Program::convert(DType::I64, DType::F32);
    for (count, step) in [(1usize, 1isize), (3, 1), (1000, 1), (1000, 3), (1000, -1)] {
        let first = if step < 0 { count - 1 } else { 0 };
        let bytes = vec![0; 4 * count * step.unsigned_abs()];
        let out = Operand::Memory { bytes, start: 4 * first, strides: vec![step] };
        check(&mut kernels, &program, &[count], vec![Operand::Index, out]);
    }
}

#[test]
fn an_output_may_be_an_input() {
    let program = Program::single(Op::Add, &[DType::U8, DType::U8], DType::U8).unwrap();
    let layouts = [(vec![1003], vec![1]), (vec![40, 40], vec![1, 40]), (vec![33, 7], vec![16, 2])];
    let cases = all_limits().into_iter().flat_map(|limits| layouts.clone().map(|layout| (layout, limits)));
    for ((shape, strides), limits) in cases {
        let mut bytes: Vec<u8> = (0..1700).map(|i| i as u8).collect();
        let mut expected = bytes.clone();
        for position in positions(&shape) {
            let at = byte_of(0, &strides, &position, 1);
            expected[at] = expected[at].wrapping_mul(2);
        }
        // The same memory three times over: the test's operands own theirs, so the addresses are given by hand.
        let mut command = Elementwise::new(ProgramRef::Shared(Arc::new(program.clone())), shape[..].into());
        let address = at(bytes.as_mut_ptr() as usize);
        (0..3).for_each(|_| command.push_memory(address, &strides));
        run(&work_for(&Command::Elementwise(command), &limits).unwrap());
        assert_eq!(bytes, expected);
    }
}

/// Patterns of every width, also where an access of 16 bytes would not be aligned.
#[test]
fn patterns_are_repeated() {
    for (width, count, start) in [(1, 1000, 3), (2, 77, 2), (4, 5000, 4), (8, 999, 8), (16, 321, 0), (16, 321, 8)] {
        let mut memory = Memory::noise(start + width * count + 40);
        let pattern: Bytes = std::array::from_fn(|n| n as u8 * 7 + 1);
        let mut expected = memory.clone();
        expected.bytes_mut()[start..][..width * count]
            .chunks_mut(width)
            .for_each(|to| to.copy_from_slice(&pattern[..width]));
        let dst = at(memory.bytes_mut().as_mut_ptr() as usize + start);
        run(&work(&Command::Fill { dst, pattern, width, count }));
        assert!(memory == expected, "{width} {count} {start}");
    }
}

/// Steps that take 64 bits, over memory that is mostly never touched.
#[test]
fn far_apart() {
    let mut kernels = Kernels::default();
    let program = Program::single(Op::Add, &[DType::U8, DType::U8], DType::U8).unwrap();
    const FAR: usize = (1 << 31) + 16;
    for (shape, far_steps, near_steps) in [
        (vec![2, 64], vec![FAR as isize, 1], vec![64, 1]),
        (vec![2, 63], vec![FAR as isize, 1], vec![63, 1]),
        (vec![2, 40, 50], vec![FAR as isize, 1, 40], vec![2000, 50, 1]),
    ] {
        let length: usize = shape.iter().product();
        let mut far = vec![0u8; FAR + 4096];
        let near: Vec<u8> = (0..length).map(|i| (i * 7) as u8).collect();
        for (i, position) in positions(&shape).enumerate() {
            far[byte_of(0, &far_steps, &position, 1)] = (i * i) as u8;
        }
        let mut operands = [
            Operand::Memory { bytes: far, start: 0, strides: far_steps.clone() },
            Operand::Memory { bytes: near, start: 0, strides: near_steps.clone() },
            Operand::Memory { bytes: vec![0; length], start: 0, strides: near_steps },
        ];
        kernels.run(&program, &shape, &mut operands);
        let [_, _, Operand::Memory { bytes, .. }] = operands else { panic!("in memory") };
        let wanted: Vec<u8> = (0..length).map(|i| ((i * i) as u8).wrapping_add((i * 7) as u8)).collect();
        assert_eq!(bytes, wanted, "{shape:?}");
    }
    let walks: BTreeSet<_> = kernels.names.iter().filter_map(|name| name.rsplit('_').next()).collect();
    assert_eq!(walks, ["rows", "strided", "tiled"].into());
}

/// Rare elements are found again where the usual ones were, also in rows that lie backwards.
#[test]
fn rare_elements_in_rows() {
    let mut kernels = Kernels::default();
    let values = |of: fn(usize) -> f64| (0..9 * 64).flat_map(|i| of(i).to_ne_bytes()).collect::<Vec<u8>>();
    let backwards = |bytes| Operand::Memory { bytes, start: 8 * 64 * 8, strides: vec![-64, 1] };
    let forwards = |bytes| Operand::Memory { bytes, start: 0, strides: vec![64, 1] };
    let far = values(|i| if i % 3 == 0 { 1e9 + i as f64 } else { i as f64 });
    let steep = values(|i| if i % 5 == 0 { -800.0 } else { i as f64 / 100.0 });
    let operands = vec![backwards(far), forwards(steep), forwards(values(|_| 0.0)), forwards(values(|_| 0.0))];
    check(&mut kernels, &waves(DType::F64), &[9, 64], operands);
    assert!(kernels.names.iter().all(|name| name.ends_with("rows")), "{:?}", kernels.names);
}

/// A single function of angles has its rare elements apart, too.
#[test]
fn rare_angles() {
    for limits in all_limits() {
        rare_angles_on(limits);
    }
}

fn rare_angles_on(limits: DeviceLimits) {
    let mut kernels = Kernels::on(limits);
    for op in [Op::Sin, Op::Cos] {
        let program = Program::single(op, &[DType::F32], DType::F32).unwrap();
        let angle = |i: u16| if i % 9 == 4 { 1e6 + f32::from(i) } else { f32::from(i) };
        let dense = |bytes| Operand::Memory { bytes, start: 0, strides: vec![1] };
        let given = (0..1003).flat_map(|i| angle(i).to_ne_bytes()).collect();
        check(&mut kernels, &program, &[1003], vec![dense(given), dense(vec![0; 4 * 1003])]);
    }
    assert!(kernels.names.iter().all(|name| name.ends_with(kernels.dense())), "{:?}", kernels.names);
}

/// So many elements that a thread takes several groups of them; few are rare, and the last block is not full.
#[test]
fn long_programs_over_much() {
    let mut points = Points(setting("SITU_TEST_SEED", 1) as u64);
    const PERIOD: usize = 1 << 12;
    for (dtype, count) in [(DType::F64, (1 << 21) + 1237), (DType::F32, (1 << 22) + 3)] {
        let program = waves(dtype);
        let size = dtype.size();
        let one = |points: &mut Points, i: usize| match i % 512 {
            7 => points.element(dtype),
            _ => cast(DType::F64, dtype, u128::from(((i % 90) as f64 / 8.0).to_bits()).to_ne_bytes()),
        };
        let inputs: [Vec<Bytes>; 2] =
            std::array::from_fn(|_| (0..PERIOD).map(|i| one(&mut points, i)).collect::<Vec<Bytes>>());
        let memory = |values: &dyn Fn(usize) -> Bytes| {
            let bytes = (0..count).flat_map(|i| values(i % PERIOD)[..size].to_vec()).collect();
            Operand::Memory { bytes, start: 0, strides: vec![1] }
        };
        let mut operands = vec![memory(&|i| inputs[0][i]), memory(&|i| inputs[1][i])];
        operands.extend([memory(&|_| [0; 16]), memory(&|_| [0; 16])]);
        let limits = limits();
        let work = planned(&program, &[count], &mut operands, &limits);
        let text = work.launches[0].kernel.emit_bare(Dialect::Host).text;
        assert!(
            limits.is_processor || text.contains("for (u32 v = 0; v < 2; v++)"),
            "one group a thread, or memory that is not aligned"
        );
        run(&work);
        let wanted: Vec<Vec<Bytes>> = (0..PERIOD).map(|i| evaluate(&program, &[inputs[0][i], inputs[1][i]])).collect();
        for (output, operand) in operands[2..].iter().enumerate() {
            let Operand::Memory { bytes, .. } = operand else { panic!("in memory") };
            for (i, got) in bytes.chunks(size).enumerate() {
                let wanted = &wanted[i % PERIOD][output][..size];
                assert!(same(dtype, got, wanted), "element {i} is {}, not {}", shown(dtype, got), shown(dtype, wanted));
            }
        }
    }
}
