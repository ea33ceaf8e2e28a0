//! Every op at every dtype of its domain.

use situ_ir::{Op, Program};
use situ_types::DType;

use super::super::kernel::Loop;
use super::reference::{Source, apply, same};
use super::setting::{Case, Form, check};

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
            for form in [Form::Strided(vec![0]), Form::Immediate] {
                for n in [1, 7, 65, 1000] {
                    let mut case = Case::dense(&[n], arity + 1);
                    case.forms[scalar] = form.clone();
                    check(program, &case, n as u64);
                }
            }
        }
        let mut case = Case::dense(&[300], arity + 1);
        case.forms[..arity].fill(Form::Immediate);
        check(program, &case, 5);
    });
}

#[test]
fn strided_reversed_and_transposed_operands() {
    every_op(|program, arity| {
        for n in [1, 7, 64, 1000] {
            for (input, output) in [(2, 1), (1, 3), (-1, 1), (-2, -1), (3, -3)] {
                let mut case = Case { shape: vec![n], forms: vec![Form::Strided(vec![input]); arity] };
                case.forms.push(Form::Strided(vec![output]));
                check(program, &case, n as u64);
            }
        }
        let mut case = Case::dense(&[9, 70], arity + 1);
        case.forms[0] = Form::Strided(vec![1, 9]);
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
                    let mut case = Case { shape: vec![n], forms: vec![Form::Strided(strides.clone()); arity] };
                    case.forms.push(Form::Same(target));
                    check(program, &case, n as u64);
                }
            }
        }
    });
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
            let others: Vec<u16> = (0..=u16::MAX).map(|_| source.next() as u16).collect();
            let inputs: Vec<*const u8> =
                (0..op.arity()).map(|k| if k == 0 { first.as_ptr() } else { others.as_ptr() }.cast()).collect();
            let mut out = vec![std::mem::MaybeUninit::<u8>::new(0); first.len() * to.size()];
            // SAFETY: every input and the output have 65536 elements, and the processor has the instruction set.
            unsafe { body(&mut out, &inputs) };
            for i in 0..first.len() {
                let args: Vec<[u8; 16]> = (0..op.arity())
                    .map(|k| u128::to_ne_bytes(u128::from(if k == 0 { first[i] } else { others[i] })))
                    .collect();
                let wanted = apply(op, DType::F16, &args);
                // SAFETY: the loop has written every byte.
                let got: Vec<u8> =
                    out[i * to.size()..][..to.size()].iter().map(|b| unsafe { b.assume_init() }).collect();
                assert!(same(to, &got, &wanted[..to.size()]), "{op} of {args:?} on {isa:?}");
            }
        }
    }
}
