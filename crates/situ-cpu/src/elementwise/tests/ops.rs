//! Every op at every dtype of its domain.

use situ_conformance::{Source, holds};
use situ_ir::interpret::{apply, cast};
use situ_ir::{Op, Program};
use situ_types::{DType, F16, Scalar};

use super::super::kernel::Loop;
use super::setting::{Case, TestOperand, check};

fn every_op(mut visit: impl FnMut(&Program, usize)) {
    for &op in Op::ALL {
        for &dtype in op.rule().domain {
            visit(&Program::single(op, &vec![dtype; op.arity()], dtype).unwrap(), op.arity());
        }
    }
}

#[test]
fn dense_operands_of_any_length() {
    every_op(|program, arity| {
        for n in [0, 1, 7, 63, 64, 65, 1000] {
            check(program, &Case::dense(&[n], arity + 1), n as u64);
        }
    });
}

#[test]
fn one_value_on_either_side() {
    every_op(|program, arity| {
        for scalar in 0..arity {
            for operand in [TestOperand::Strided(vec![0]), TestOperand::Immediate] {
                for n in [1, 7, 65, 1000] {
                    let mut case = Case::dense(&[n], arity + 1);
                    case.operands[scalar] = operand.clone();
                    check(program, &case, n as u64);
                }
            }
        }
        let mut case = Case::dense(&[300], arity + 1);
        case.operands[..arity].fill(TestOperand::Immediate);
        check(program, &case, 5);
    });
}

#[test]
fn strided_reversed_and_transposed_operands() {
    every_op(|program, arity| {
        for n in [1, 7, 64, 1000] {
            for (input, output) in [(2, 1), (1, 3), (-1, 1), (-2, -1), (3, -3)] {
                let mut case = Case { shape: vec![n], operands: vec![TestOperand::Strided(vec![input]); arity] };
                case.operands.push(TestOperand::Strided(vec![output]));
                check(program, &case, n as u64);
            }
        }
        let mut case = Case::dense(&[9, 70], arity + 1);
        case.operands[0] = TestOperand::Strided(vec![1, 9]);
        check(program, &case, 1);
    });
}

#[test]
fn in_place_on_any_operand() {
    every_op(|program, arity| {
        if program.operand_dtype(arity).size() != program.operand_dtype(0).size() {
            return; // Its results cannot lie where its operands do, element for element.
        }
        for target in 0..arity {
            for strides in [vec![1], vec![2], vec![-1]] {
                for n in [1, 65, 1000] {
                    let mut case =
                        Case { shape: vec![n], operands: vec![TestOperand::Strided(strides.clone()); arity] };
                    case.operands.push(TestOperand::Same(target));
                    check(program, &case, n as u64);
                }
            }
        }
    });
}

/// Blocks without rare elements take another way than those with one, and those after them.
#[test]
fn rare_elements_among_usual_ones() {
    for dtype in [DType::I8, DType::I32, DType::U64, DType::F16, DType::F32, DType::F64] {
        let of = |value: f64| cast(Scalar::F64(value), dtype);
        for place in [None, Some(0), Some(255), Some(300), Some(1023), Some(4999)] {
            // 3 to a small power everywhere, but for a zero to a large one.
            let (mut bases, mut exponents) = (vec![of(3.0); 5000], vec![of(2.0); 5000]);
            if let Some(place) = place {
                (bases[place], exponents[place]) = (of(0.0), of(100.0));
            }
            let (a, b) = (packed(&bases), packed(&exponents));
            for isa in crate::isa::Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
                let body = super::super::table::loop_of(isa, situ_ir::StepKind::Apply(Op::Pow), dtype, dtype);
                let mut out = vec![std::mem::MaybeUninit::<u8>::new(0xaa); a.len()];
                // SAFETY: both inputs and the output have 5000 elements in memory that the allocator aligns to 16
                // bytes, and the processor has the instruction set.
                unsafe { body(&mut out, &[a.as_ptr(), b.as_ptr()]) };
                // SAFETY: it has been initialised.
                let got: Vec<u8> = out.iter().map(|byte| unsafe { byte.assume_init() }).collect();
                for (i, got) in got.chunks(dtype.size()).enumerate() {
                    let wanted = apply(Op::Pow, &[bases[i], exponents[i]]).unwrap();
                    assert!(holds(got, wanted), "{dtype} {place:?} {isa:?} element {i}");
                }
            }
        }
    }
}

/// Elements side by side.
fn packed(elements: &[Scalar]) -> Vec<u8> {
    elements.iter().flat_map(|element| element.to_bytes()[..element.dtype().size()].to_vec()).collect()
}

#[test]
fn half_precision_is_what_single_precision_rounds_to() {
    for &op in Op::ALL.iter().filter(|op| op.rule().domain.contains(&DType::F16)) {
        let mut source = Source(op as u64);
        let to = op.rule().out.apply(DType::F16);
        for isa in crate::isa::Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
            let kind = situ_ir::StepKind::Apply(op);
            let body: Loop = super::super::table::loop_of(isa, kind, DType::F16, to);
            let first: Vec<u16> = (0..=u16::MAX).collect();
            let others: Vec<u16> = (0..=u16::MAX).map(|_| source.number() as u16).collect();
            let inputs: Vec<*const u8> =
                (0..op.arity()).map(|k| if k == 0 { first.as_ptr() } else { others.as_ptr() }.cast()).collect();
            let mut out = vec![std::mem::MaybeUninit::<u8>::new(0); first.len() * to.size()];
            // SAFETY: every input and the output have 65536 elements, and the processor has the instruction set.
            unsafe { body(&mut out, &inputs) };
            for i in 0..first.len() {
                let args: Vec<Scalar> = (0..op.arity())
                    .map(|k| Scalar::F16(F16::from_bits(if k == 0 { first[i] } else { others[i] })))
                    .collect();
                let wanted = apply(op, &args).unwrap();
                // SAFETY: the loop has written every byte.
                let got: Vec<u8> =
                    out[i * to.size()..][..to.size()].iter().map(|b| unsafe { b.assume_init() }).collect();
                assert!(holds(&got, wanted), "{op} of {args:?} on {isa:?}");
            }
        }
    }
}
