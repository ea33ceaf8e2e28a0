//! Loops that write with non-temporal stores, and the choice of them.

use std::mem::MaybeUninit;

use situ_conformance::{Source, holds};
use situ_ir::interpret::{apply, cast};
use situ_ir::{Op, Program, StepKind};
use situ_types::{DType, Scalar};

use super::super::table::loop_streamed;
use super::setting::{Case, TestOperand, check};
use crate::bytes::LINE;
use crate::isa::Isa;

/// Room that begins so many elements after a line.
struct Room {
    bytes: Vec<MaybeUninit<u8>>,
    start: usize,
}

const UNTOUCHED: u8 = 0xA5;

impl Room {
    fn new(elements: usize, width: usize, shift: usize) -> Room {
        let bytes = vec![MaybeUninit::new(UNTOUCHED); (elements + shift) * width + 3 * LINE];
        let start = bytes.as_ptr().align_offset(LINE) + shift * width;
        Room { bytes, start }
    }

    fn filled(elements: &[Scalar], width: usize, shift: usize) -> Room {
        let mut room = Room::new(elements.len(), width, shift);
        for (place, element) in room.bytes[room.start..].chunks_mut(width).zip(elements) {
            place.copy_from_slice(&element.to_bytes().map(MaybeUninit::new)[..width]);
        }
        room
    }

    fn read(&self) -> Vec<u8> {
        // SAFETY: all of it was initialised when it was made.
        self.bytes.iter().map(|byte| unsafe { byte.assume_init() }).collect()
    }
}

/// Runs the streamed loop of an op over operands, on each instruction set that has one, and checks every result.
fn check_loop(op: Op, dtype: DType, operands: &[Vec<Scalar>], shift: usize) {
    let (count, to) = (operands[0].len(), op.rule().out.apply(dtype));
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        let Some(body) = loop_streamed(isa, StepKind::Apply(op), dtype) else { continue };
        let inputs: Vec<Room> = operands.iter().map(|elements| Room::filled(elements, dtype.size(), 1)).collect();
        let inputs: Vec<*const u8> = inputs.iter().map(|room| room.bytes[room.start..].as_ptr().cast()).collect();
        let mut out = Room::new(count, to.size(), shift);
        let (start, end) = (out.start, out.start + count * to.size());
        // SAFETY: inputs and output have that many elements, aligned to their width, and the processor has the
        // instruction set.
        unsafe { body(&mut out.bytes[start..end], &inputs) };
        crate::bytes::fence();
        let got = out.read();
        for (i, got) in got[start..end].chunks(to.size()).enumerate() {
            let args: Vec<Scalar> = operands.iter().map(|elements| elements[i]).collect();
            let wanted = apply(op, &args).unwrap();
            assert!(holds(got, wanted), "{op} {dtype} {isa:?}: element {i} of {count}, {args:?}");
        }
        assert!(got[..start].iter().chain(&got[end..]).all(|byte| *byte == UNTOUCHED), "{op} {dtype} {isa:?} {count}");
    }
}

#[test]
fn any_elements_from_any_place_on() {
    for &op in Op::ALL {
        for &dtype in op.rule().domain {
            let mut source = Source(op as u64);
            for (count, shift) in [(0, 0), (5, 3), (64, 0), (1100, 0), (1100, 1), (2500, 7)] {
                let operands: Vec<Vec<Scalar>> =
                    (0..op.arity()).map(|_| (0..count).map(|_| source.element(dtype)).collect()).collect();
                check_loop(op, dtype, &operands, shift);
            }
        }
    }
}

/// Pieces without hard elements take another way than those with one, and the stretches after them.
#[test]
fn hard_elements_among_usual_ones() {
    for dtype in [DType::F32, DType::F64] {
        let of = |value: f64| cast(Scalar::F64(value), dtype);
        for place in [0, 31, 130, 999, 2999] {
            let mut angles = vec![of(0.7); 3000];
            angles[place] = of(1e9);
            check_loop(Op::Sin, dtype, &[angles.clone()], 0);
            check_loop(Op::Cos, dtype, &[angles], 3);
            let (mut bases, mut exponents) = (vec![of(3.0); 3000], vec![of(2.0); 3000]);
            (bases[place], exponents[place]) = (of(0.0), of(100.0));
            check_loop(Op::Pow, dtype, &[bases, exponents], 0);
        }
    }
}

/// Elements of 16 bytes need not begin at a multiple of 16.
#[test]
fn results_that_never_begin_at_a_line() {
    let mut source = Source(7);
    let elements: Vec<Scalar> = (0..500).map(|_| source.element(DType::C128)).collect();
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        let Some(body) = loop_streamed(isa, StepKind::Apply(Op::Square), DType::C128) else { continue };
        let input = Room::filled(&elements, 16, 0);
        let mut out = Room::new(501, 16, 0);
        let (start, end) = (out.start + 8, out.start + 8 + 500 * 16);
        // SAFETY: input and output have that many elements, aligned as complex numbers have to be.
        unsafe { body(&mut out.bytes[start..end], &[input.bytes[input.start..].as_ptr().cast()]) };
        for (got, element) in out.read()[start..end].chunks(16).zip(&elements) {
            let wanted = apply(Op::Square, &[*element]).unwrap();
            assert!(holds(got, wanted), "{isa:?}");
        }
    }
}

/// Programs whose last step is long or moves one operand, over operands of every kind.
#[test]
fn programs_that_end_with_non_temporal_stores() {
    let double = |op: Op| Program::single(op, &vec![DType::F64; op.arity()], DType::F64).unwrap();
    let lifted = Program::single(Op::Sin, &[DType::I32], DType::F64).unwrap();
    for (program, arity) in [(&double(Op::Sin), 1), (&double(Op::Pow), 2), (&double(Op::Add), 2), (&lifted, 1)] {
        for n in [512, 513, 3000, 40_000] {
            check(program, &Case::dense(&[n], arity + 1), n as u64);
            for operand in [
                TestOperand::Strided(vec![0]),
                TestOperand::Strided(vec![2]),
                TestOperand::Strided(vec![-1]),
                TestOperand::Immediate,
            ] {
                let mut case = Case::dense(&[n], arity + 1);
                case.operands[arity - 1] = operand;
                check(program, &case, n as u64);
            }
        }
        // A row for all rows, rows with gaps, and columns.
        for strides in [vec![0, 1], vec![700, 1], vec![1, 40]] {
            let mut case = Case::dense(&[40, 600], arity + 1);
            case.operands[arity - 1] = TestOperand::Strided(strides.clone());
            check(program, &case, 3);
            let mut case = Case::dense(&[40, 600], arity + 1);
            case.operands[arity] = TestOperand::Strided(vec![700, 1]);
            case.operands[arity - 1] = TestOperand::Strided(strides);
            check(program, &case, 4);
        }
        let mut case = Case::dense(&[3000], arity + 1);
        if program.operand_dtype(0) == DType::F64 {
            case.operands[arity] = TestOperand::Same(0);
            check(program, &case, 5);
        }
    }
}

#[test]
fn programs_whose_last_step_takes_what_is_computed_once() {
    let mut builder = Program::builder();
    let (x, c) = (builder.input(DType::F64), builder.input(DType::F64));
    let constant = builder.apply(Op::Sin, &[c]).unwrap();
    let constant = builder.apply(Op::Exp, &[constant]).unwrap();
    let sum = builder.apply(Op::Add, &[x, constant]).unwrap();
    let program = builder.finish(&[sum]).unwrap();
    for operand in [TestOperand::Immediate, TestOperand::Strided(vec![0])] {
        let mut case = Case::dense(&[3000], 3);
        case.operands[1] = operand;
        check(&program, &case, 1);
    }
}
