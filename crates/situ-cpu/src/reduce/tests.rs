//! Reductions and scans against the tree as `situ-ir` defines it, on every instruction set and divided in every way.

use std::sync::Arc;

use proptest::prelude::*;
use situ_hal::{Address, Mapped, Operand, Reduce, ReductionRef, Scan};
use situ_ir::moments::Moments;
use situ_ir::scalar::{Element, Numeric};
use situ_ir::tree::{self, Direction};
use situ_ir::{Combine, Op, Program, Reduction};
use situ_types::{C128, DType, Dims, F16};

use super::{reduce, scan};
use crate::elementwise::Machine;
use crate::isa::Isa;

/// Work that is worth every thread.
const LONG: u64 = 1 << 40;

fn machines() -> impl Iterator<Item = Machine> {
    let isas = Isa::ALL.into_iter().filter(|isa| isa.is_available());
    isas.flat_map(|isa| [1, 3].map(|threads| Machine { isa, threads, last_level_cache: 1 << 20 }))
}

/// Runs bodies from the last to the first: whoever relies on their order is found out.
fn backwards(bodies: usize, body: &(dyn Fn(usize) + Sync)) {
    (0..bodies).rev().for_each(body);
}

/// Runs bodies on threads.
fn threaded(bodies: usize, body: &(dyn Fn(usize) + Sync)) {
    std::thread::scope(|scope| (0..bodies).for_each(|n| drop(scope.spawn(move || body(n)))));
}

fn reduction(from: DType, accumulate: DType, combine: Combine) -> ReductionRef {
    let state = combine.state(accumulate);
    let (map, finish) = (Program::convert(from, accumulate), Program::convert(state, state));
    ReductionRef::Shared(Arc::new(Reduction::new(map, combine, finish).unwrap()))
}

/// The inputs of a map over one array.
fn mapped(shape: &[usize], steps: &[isize], start: *const u8) -> Mapped {
    let mut inputs = Mapped::new(shape.into());
    inputs.push(Operand::Memory(Address(start.cast_mut())), steps);
    inputs
}

/// Element steps of a dense array whose axes lie in memory in this order, outermost first, and its number of elements.
fn steps_of(shape: &[usize], order: &[usize], gap: usize) -> (Vec<isize>, usize) {
    let (mut steps, mut step) = (vec![0; shape.len()], gap);
    for &axis in order.iter().rev() {
        steps[axis] = step as isize;
        step *= shape[axis];
    }
    (steps, step)
}

/// Positions of elements in memory, in C order of some axes.
fn places(shape: &[usize], steps: &[isize]) -> Vec<isize> {
    let mut places = vec![0];
    for (&length, &step) in shape.iter().zip(steps) {
        places = places.iter().flat_map(|at| (0..length as isize).map(move |i| at + i * step)).collect();
    }
    places
}

struct Case {
    kept: Vec<usize>,
    reduced: Vec<usize>,
    order: Vec<usize>,
    gap: usize,
    direction: Direction,
}

impl Case {
    fn check<T: Element + PartialEq, R: Element + PartialEq>(
        &self,
        reduction: &ReductionRef,
        fill: impl Fn(usize) -> T,
        expected: impl Fn(&[T]) -> R,
    ) {
        let shape = [&self.kept[..], &self.reduced].concat();
        let (steps, room) = steps_of(&shape, &self.order, self.gap);
        let memory: Vec<T> = (0..room).map(fill).collect();
        let kept = places(&self.kept, &steps[..self.kept.len()]);
        let reduced = places(&self.reduced, &steps[self.kept.len()..]);
        let sequence = |at: &isize| reduced.iter().map(|more| memory[(at + more) as usize]).collect::<Vec<T>>();
        let wanted: Vec<R> = kept.iter().map(|at| expected(&sequence(at))).collect();
        let (out_steps, _) = steps_of(&self.kept, &(0..self.kept.len()).collect::<Vec<_>>(), 1);
        for machine in machines() {
            let mut out = vec![R::default(); wanted.len()];
            let command = Reduce {
                reduction: reduction.clone(),
                inputs: mapped(&shape, &steps, memory.as_ptr().cast()),
                kept: self.kept.len(),
                direction: self.direction,
                numbers: Default::default(),
                out: Address(out.as_mut_ptr().cast()),
                out_steps: out_steps.iter().copied().collect(),
            };
            // SAFETY: the memory is as large as shapes and steps say.
            unsafe { reduce(&command, LONG, &machine, &backwards) };
            assert!(out == wanted, "{:?} {machine:?}", (&self.kept, &self.reduced, &self.order, self.gap));
        }
    }
}

/// Numbers whose sums differ with every order.
fn uneven(i: usize) -> f64 {
    ((i * 7919 + 13) % 1009) as f64 * 1.1e-3 + 1.0 / (i + 1) as f64
}

/// The sum of squared deviations.
fn squares(values: impl Iterator<Item = f64>, direction: Direction) -> f64 {
    let values: Vec<_> = values.map(|value| Moments::of(value, 1.0)).collect();
    tree::fold(&values, direction, Moments::join).unwrap().squares
}

#[test]
fn long_sequences() {
    for n in [1, 2, 9, 127, 128, 129, 1023, 1024, 1025, 4096, 4097, 65_536, 65_537, 200_001] {
        for gap in [1, 2] {
            let case = Case { kept: vec![], reduced: vec![n], order: vec![0], gap, direction: Direction::Along };
            let sum = reduction(DType::F64, DType::F64, Combine::Op(Op::Add));
            case.check(&sum, uneven, |values| tree::fold(values, Direction::Along, |a, b| a + b).unwrap());
            let sum = reduction(DType::F32, DType::F64, Combine::Op(Op::Add));
            let widened = |values: &[f32]| values.iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
            case.check(
                &sum,
                |i| uneven(i) as f32,
                |values| tree::fold(&widened(values), Direction::Along, |a, b| a + b).unwrap(),
            );
            let spread = reduction(DType::F64, DType::F64, Combine::Moments);
            case.check(&spread, uneven, |values| squares(values.iter().copied(), Direction::Along));
            let last = reduction(DType::I32, DType::I32, Combine::ArgMax);
            case.check(
                &last,
                |i| (i % 70_000) as i32,
                |values| {
                    let most = values.iter().max().unwrap();
                    values.iter().position(|value| value == most).unwrap() as i64
                },
            );
        }
    }
}

#[test]
fn what_is_not_a_number_is_found_first() {
    let nan = |i: usize| if i % 1500 == 1400 { f32::NAN } else { i as f32 };
    for combine in [Combine::ArgMax, Combine::ArgMin] {
        for (kept, reduced, order, direction) in
            [(vec![], vec![5000], vec![0], Direction::Along), (vec![7], vec![3000], vec![1, 0], Direction::Across)]
        {
            let case = Case { kept, reduced, order, gap: 1, direction };
            case.check(&reduction(DType::F32, DType::F32, combine), nan, |values| {
                let first = values.iter().position(|value| value.is_nan());
                let order = |a: &&f32, b: &&f32| a.total_cmp(b);
                let extreme = if combine == Combine::ArgMax {
                    values.iter().max_by(order).unwrap()
                } else {
                    values.iter().min_by(order).unwrap()
                };
                first.unwrap_or_else(|| values.iter().position(|value| value == extreme).unwrap()) as i64
            });
        }
    }
}

/// The first position of the greatest or least of some values, as NumPy has it.
fn first_of<T: Numeric>(values: &[T], combine: Combine) -> i64 {
    let is_before = |a: T, b: T| match combine {
        Combine::ArgMax => b.lt(a),
        _ => a.lt(b),
    };
    let takes_over = |a: T, b: T| !b.is_nan() && (a.is_nan() || is_before(a, b));
    (1..values.len()).fold(0, |best, i| if takes_over(values[i], values[best]) { i } else { best }) as i64
}

/// Rows of all lengths, in each of which the extremes are somewhere else, and more than once.
fn check_rows<T: Numeric + PartialEq>(value: impl Fn(i32) -> T) {
    for length in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 63, 64, 65, 100, 127, 130, 257, 400, 2051] {
        let case = Case {
            kept: vec![2 * std::cmp::min(length, 140)],
            reduced: vec![length],
            order: vec![0, 1],
            gap: 1,
            direction: Direction::Along,
        };
        let fill = |i: usize| {
            let (row, column) = (i / length, i % length);
            let (peak, is_greatest) = (row / 2 * length.div_ceil(140) % length, row % 2 == 0);
            let is_extreme = column == peak || column > peak && column % 7 == row % 7;
            value(if is_extreme { if is_greatest { 120 } else { -120 } } else { (i * 37 % 101) as i32 - 50 })
        };
        for combine in [Combine::ArgMax, Combine::ArgMin] {
            case.check(&reduction(T::DTYPE, T::DTYPE, combine), fill, |values| first_of(values, combine));
        }
    }
}

#[test]
fn positions_in_rows() {
    check_rows(f64::from);
    check_rows(|v| v as f32);
    check_rows(|v| i64::from(v) << 40);
    check_rows(|v| v << 20);
    check_rows(|v| (v + 128) as u8);
    check_rows(|v| F16::from_f64(f64::from(v)));
    // Zeros of either sign are equal.
    check_rows(|v| f64::from(v / 40) * 0.0);
    check_rows(|v| if v == 120 { -0.0f32 } else { 0.0 });
}

#[test]
fn positions_of_what_is_not_a_number() {
    check_rows(|v| if v.abs() == 120 { f64::NAN } else { f64::from(v) });
    check_rows(|v| if v.abs() == 120 { f32::NAN } else { v as f32 });
    check_rows(|v| if v.abs() == 120 { F16::NAN } else { F16::from_f64(f64::from(v)) });
}

/// `any` and `all` of rows and of columns in which elements of the other kind are nowhere, or few and at some place.
fn check_truths<T: Numeric + PartialEq>(nothing: T, something: T) {
    for (kept, reduced) in [(1, 9000), (3, 1), (40, 33), (7, 130), (5, 1029), (600, 40), (2100, 5)] {
        for (order, direction) in [([0, 1], Direction::Along), ([1, 0], Direction::Across)] {
            let case = Case { kept: vec![kept], reduced: vec![reduced], order: order.to_vec(), gap: 1, direction };
            for (op, rest, other) in [(Op::Maximum, nothing, something), (Op::Minimum, something, nothing)] {
                let elements = kept * reduced;
                for place in [elements, 0, elements - 1, elements / 2, elements / 2 + 63] {
                    let fill = |i: usize| if i == place { other } else { rest };
                    case.check(&reduction(T::DTYPE, DType::Bool, Combine::Op(op)), fill, |values| match op {
                        Op::Maximum => values.iter().any(|value| value.truth()),
                        _ => values.iter().all(|value| value.truth()),
                    });
                }
            }
        }
    }
}

#[test]
fn truths_of_every_width() {
    check_truths(false, true);
    check_truths(0i8, -128);
    check_truths(0u16, 256);
    check_truths(0, i32::MIN);
    check_truths(0, 1u64 << 60);
    check_truths(F16::NEG_ZERO, F16::MIN_POSITIVE_SUBNORMAL);
    check_truths(-0.0, f32::NAN);
    check_truths(-0.0, f64::from_bits(1));
    check_truths(C128::new(0.0, -0.0), C128::new(0.0, 1e-300));
}

/// The most elements of a case: what is longer has a test of its own.
const MOST: usize = 20_000;

fn layouts() -> impl Strategy<Value = Case> {
    let lengths = prop_oneof![1usize..5, 14usize..35, 120usize..140];
    let axes = (proptest::collection::vec(lengths.clone(), 0..3), proptest::collection::vec(lengths, 1..3));
    (axes, any::<u64>(), 1usize..3, any::<bool>()).prop_map(|((mut kept, mut reduced), seed, gap, across)| {
        while kept.iter().chain(&reduced).product::<usize>() > MOST {
            if let Some(longest) = kept.iter_mut().chain(&mut reduced).max() {
                *longest /= 2;
            }
        }
        let mut order: Vec<usize> = (0..kept.len() + reduced.len()).collect();
        let count = order.len();
        (0..count).for_each(|i| order.swap(i, (seed >> (8 * i)) as usize % count));
        let direction = if across && !kept.is_empty() { Direction::Across } else { Direction::Along };
        Case { kept, reduced, order, gap, direction }
    })
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} by {:?}, {:?}, {} {:?}", self.kept, self.reduced, self.order, self.gap, self.direction)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn any_layout(case in layouts()) {
        let direction = case.direction;
        let sum = reduction(DType::F64, DType::F64, Combine::Op(Op::Add));
        case.check(&sum, uneven, |values| tree::fold(values, direction, |a, b| a + b).unwrap());
        let product = reduction(DType::C128, DType::C128, Combine::Op(Op::Multiply));
        // Of length 1, so that no product runs away.
        let complex = |i: usize| C128::from_polar(1.0, uneven(i));
        case.check(&product, complex, |values| tree::fold(values, direction, Numeric::mul).unwrap());
        let most = reduction(DType::F16, DType::F32, Combine::Op(Op::Maximum));
        case.check(&most, |i| F16::from_f64(uneven(i)), |values| {
            values.iter().map(|value| value.to_f32()).fold(f32::NEG_INFINITY, f32::max)
        });
        let spread = reduction(DType::F64, DType::F64, Combine::Moments);
        case.check(&spread, uneven, |values| squares(values.iter().copied(), direction));
        let spread = reduction(DType::I16, DType::F64, Combine::Moments);
        case.check(&spread, |i| (i * 7919 % 1009) as i16, |values| {
            squares(values.iter().map(|&value| f64::from(value)), direction)
        });
        let any = reduction(DType::U8, DType::Bool, Combine::Op(Op::Maximum));
        case.check(&any, |i| u8::from(i % 97 == 3), |values| values.contains(&1));
        let least = reduction(DType::I64, DType::I64, Combine::ArgMin);
        case.check(&least, |i| ((i * 7919) % 101) as i64, |values| {
            let least = values.iter().min().unwrap();
            values.iter().position(|value| value == least).unwrap() as i64
        });
    }

    #[test]
    fn any_scan(case in layouts(), in_place: bool) {
        // The last axis is scanned, the others are kept.
        let shape: Vec<usize> = [&case.kept[..], &case.reduced].concat();
        let (steps, room) = steps_of(&shape, &case.order, case.gap);
        let values: Vec<f64> = (0..room).map(uneven).collect();
        let direction = if shape.len() > 1 { case.direction } else { Direction::Along };
        let (starts, along) = shape.split_at(shape.len() - 1);
        let sequences = places(starts, &steps[..starts.len()]);
        let positions = places(along, &steps[starts.len()..]);
        let (dense, _) = steps_of(&shape, &(0..shape.len()).collect::<Vec<_>>(), 1);
        for machine in machines() {
            let mut out = if in_place { values.clone() } else { vec![0.0; shape.iter().product()] };
            let (input, out_steps) = if in_place { (out.as_ptr(), &steps) } else { (values.as_ptr(), &dense) };
            let command = Scan {
                reduction: reduction(DType::F64, DType::F64, Combine::Op(Op::Add)),
                inputs: mapped(&shape, &steps, input.cast()),
                direction,
                out: Address(out.as_mut_ptr().cast()),
                out_steps: out_steps.iter().copied().collect(),
            };
            // SAFETY: the memory is as large as shapes and steps say.
            unsafe { scan(&command, LONG, &machine, &backwards) };
            let targets = places(starts, &out_steps[..starts.len()]);
            for (from, to) in sequences.iter().zip(&targets) {
                let sequence: Vec<f64> = positions.iter().map(|more| values[(from + more) as usize]).collect();
                let wanted = tree::scan(&sequence, |a, b| a + b);
                let step = out_steps[shape.len() - 1];
                let found: Vec<f64> = (0..wanted.len()).map(|i| out[(to + i as isize * step) as usize]).collect();
                prop_assert_eq!(found, wanted);
            }
        }
    }
}

#[test]
fn long_scans_on_threads() {
    for n in [65_536usize, 65_537, 300_000] {
        let values: Vec<f32> = (0..n).map(|i| uneven(i) as f32).collect();
        let wanted = tree::scan(&values, |a, b| a + b);
        for machine in machines() {
            let mut out = vec![0f32; n];
            let command = Scan {
                reduction: reduction(DType::F32, DType::F32, Combine::Op(Op::Add)),
                inputs: mapped(&[n], &[1], values.as_ptr().cast()),
                direction: Direction::Along,
                out: Address(out.as_mut_ptr().cast()),
                out_steps: Dims::from_elem(1, 1).iter().map(|_| 1).collect(),
            };
            // SAFETY: there are so many values, and room for as many.
            unsafe { scan(&command, LONG, &machine, &threaded) };
            assert!(out == wanted, "{n} {machine:?}");
        }
    }
}
