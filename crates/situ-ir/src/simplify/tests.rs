use super::*;

/// Numbers that special cases are about, in every dtype.
fn samples(dtype: DType) -> impl Iterator<Item = Scalar> {
    let reals = [0.0, -0.0, 1.0, -1.0, 2.0, -2.5, 0.5, 3.0, 100.0, -128.0, 1e300, f64::INFINITY, f64::NAN];
    reals.into_iter().map(move |value| cast(Scalar::F64(value), dtype))
}

/// Both programs give the same for every sample of their one input. Powers of inexact numbers may be more exact.
fn assert_same_meaning(program: &Program, simple: &Program) {
    assert_eq!(program.given(), simple.given());
    for x in samples(program.given()[0]) {
        let (before, after) = (program.evaluate(&[x]).unwrap(), simple.evaluate(&[x]).unwrap());
        for (before, after) in before.into_iter().zip(after) {
            assert_eq!(before.dtype(), after.dtype());
            let tolerance = match before.dtype().real_part() {
                DType::F16 => 1e-3,
                DType::F32 => 1e-6,
                _ => 1e-15,
            };
            let is_close = match (cast(before, DType::C128), cast(after, DType::C128)) {
                (Scalar::C128(a), Scalar::C128(b)) => (a.re - b.re).hypot(a.im - b.im) <= a.re.hypot(a.im) * tolerance,
                _ => false,
            };
            // A complex square beyond all numbers has parts that are not numbers, in one way or another.
            let is_lost = before.dtype().kind() == DTypeKind::Complex
                && !apply(Op::Isfinite, &[before]).eq(&Some(Scalar::Bool(true)));
            let same = is_close || is_lost || before.is_identical(after);
            assert!(same, "{program}\nof {x:?}: {before:?}, {simple}: {after:?}");
        }
    }
}

/// An op of an input and a known number, in the order given.
fn with_known(op: Op, dtype: DType, known: Scalar, known_first: bool) -> Program {
    let mut builder = Program::builder();
    let (x, known) = (builder.input(dtype), builder.constant(known));
    let args = if known_first { [known, x] } else { [x, known] };
    let result = builder.apply(op, &args).unwrap();
    builder.finish(&[result]).unwrap()
}

#[test]
fn known_powers_mean_what_they_meant() {
    let mut simpler = 0;
    for &dtype in Op::Pow.rule().domain {
        for exponent in [-1.0, 0.0, 1.0, 2.0, 3.0, 0.5] {
            if exponent < 0.0 && dtype.kind() == DTypeKind::Integer {
                continue;
            }
            for known_first in [false, true] {
                let program = with_known(Op::Pow, dtype, cast(Scalar::F64(exponent), dtype), known_first);
                let Some(simple) = program.simplified() else { continue };
                simpler += 1;
                assert_same_meaning(&program, &simple);
            }
        }
    }
    // Of integers: 0 (0.5 as well), 1 and 2; of floats also -1 and the base 2; of complex numbers 2.
    assert_eq!(simpler, 8 * 4 + 3 * 5 + 2);
}

#[test]
fn results_known_beforehand_are_those_of_the_meaning() {
    let mut known = 0;
    for &op in Op::ALL {
        for &dtype in op.rule().domain {
            let Some(answer) = op.known_result(dtype) else { continue };
            known += 1;
            assert!(samples(dtype).all(|x| apply(op, &[x]) == Some(Scalar::Bool(answer))), "{op} {dtype}");
        }
    }
    assert_eq!(known, 27, "three questions about truth values and eight dtypes of integers");
}

#[test]
fn comparisons_with_numbers_out_of_range_are_settled() {
    let ops = Op::ALL.iter().copied().filter(|op| op.is_comparison());
    let mut settled = 0;
    for op in ops {
        for (dtype, number) in [(DType::I8, 128), (DType::I8, -129), (DType::U16, -1), (DType::U32, 1 << 32)] {
            for known_first in [false, true] {
                let mut builder = Program::builder();
                let (x, number) = (builder.input(dtype), builder.constant(Scalar::I64(number)));
                let wide = builder.cast(x, DType::I64).unwrap();
                let args = if known_first { [number, wide] } else { [wide, number] };
                let result = builder.apply(op, &args).unwrap();
                let program = builder.finish(&[result]).unwrap();
                let simple = program.simplified().unwrap();
                assert!(simple.steps().is_empty() && simple.constants().count() == 1);
                assert_same_meaning(&program, &simple);
                settled += 1;
            }
        }
    }
    assert_eq!(settled, 6 * 4 * 2);
    assert_eq!(with_known(Op::Less, DType::I8, Scalar::I8(127), false).simplified(), None);
}

#[test]
fn what_follows_from_constants_is_one_and_what_nobody_needs_is_gone() {
    let mut builder = Program::builder();
    let x = builder.input(DType::F32);
    let (two, three) = (builder.constant(Scalar::I32(2)), builder.constant(Scalar::I32(3)));
    let six = builder.apply(Op::Multiply, &[two, three]).unwrap();
    let six = builder.cast(six, DType::F32).unwrap();
    let nobodys = builder.apply(Op::Sin, &[x]).unwrap();
    let condition = builder.apply(Op::Isnan, &[two]).unwrap();
    let chosen = builder.select(condition, nobodys, x).unwrap();
    let result = builder.apply(Op::Add, &[chosen, six]).unwrap();
    let program = builder.finish(&[result, six]).unwrap();
    let simple = program.simplified().unwrap();
    assert_eq!(simple.to_string(), "(%0: float32, %1 = F32(6.0)) {\n  %2 = add %0 %1: float32\n} -> %2, %1");
    assert_same_meaning(&program, &simple);
    assert_eq!(simple.simplified(), None);
}
