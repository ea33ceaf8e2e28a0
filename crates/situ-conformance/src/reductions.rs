//! Reductions and scans, against the tree, bit for bit.

use std::sync::Arc;

use situ_hal::{Address, Command, Mapped, Operand, Reduce, ReductionRef, Scan};
use situ_ir::interpret::cast;
use situ_ir::tree::Direction;
use situ_ir::{Combine, Op, Program, Reduction};
use situ_types::{DType, DTypeKind, Scalar};

use crate::Source;
use crate::bench::{Bench, compare};
use crate::layout::Layout;

/// Lengths around which the tree grows a lane, a chunk and a level.
const LENGTHS: [usize; 14] = [1, 2, 15, 17, 127, 128, 129, 4095, 4096, 4097, 65_535, 65_536, 65_537, 200_001];

/// What is reduced: axes that are kept, axes that are combined, and how all of them lie in memory.
#[derive(Clone, Debug)]
struct Case {
    kept: Vec<usize>,
    reduced: Vec<usize>,
    /// The axes from the outermost to the innermost in memory.
    order: Vec<usize>,
    gap: usize,
}

impl Case {
    fn line(length: usize, gap: usize) -> Case {
        Case { kept: vec![], reduced: vec![length], order: vec![0], gap }
    }

    fn layout(&self) -> Layout {
        Layout::ordered(&self.shape(), &self.order, self.gap)
    }

    fn shape(&self) -> Vec<usize> {
        [&self.kept[..], &self.reduced].concat()
    }

    /// The direction that the layout asks for.
    fn direction(&self) -> Direction {
        let steps = self.layout().steps;
        let kept = self.kept.len().checked_sub(1).map(|axis| steps[axis]);
        Direction::of(self.reduced.iter().product(), self.kept.iter().product(), steps[steps.len() - 1], kept)
    }
}

/// Elements whose sums differ with every order; some that are equal, and some that are not numbers if wanted.
fn element(dtype: DType, i: usize, nan: bool) -> [u8; 16] {
    let value = ((i * 7919 + 13) % 1009) as f64 * 1.1e-3 + 1.0 / (i + 1) as f64;
    let value = match dtype.kind() {
        DTypeKind::Bool => f64::from(u8::from(i % 97 == 3)),
        DTypeKind::Integer => ((i * 7919) % 101) as f64,
        _ if nan && i % 1500 == 1400 => f64::NAN,
        _ => value,
    };
    cast(Scalar::F64(value), dtype).to_bytes()
}

/// A reduction of one input, converted first; the finishing program adds a number where it can.
fn plain(from: DType, to: DType, combine: Combine) -> Reduction {
    let state = combine.state(to);
    let finish = match Program::single(Op::Add, &[state; 2], state) {
        Ok(program) if state != DType::Bool => program,
        _ => Program::convert(state, state),
    };
    Reduction::new(Program::convert(from, to), combine, finish).unwrap()
}

fn mapped(case: &Case, reduction: &Reduction, layout: &Layout, addresses: &[Address]) -> Mapped {
    let mut inputs = Mapped::new(case.shape().as_slice().into());
    for (&address, dtype) in addresses.iter().zip(reduction.map().inputs()) {
        inputs.push(Operand::Memory(address.offset(layout.start(dtype.size()))), &layout.steps);
    }
    inputs
}

fn check(bench: &Bench, source: &mut Source, case: &Case, reduction: Reduction, direction: Direction) {
    if !bench.knows(reduction.accumulator()) || reduction.map().inputs().iter().any(|dtype| !bench.knows(*dtype)) {
        return;
    }
    let reduction = ReductionRef::Shared(Arc::new(reduction));
    let (layout, out) = (case.layout(), Layout::any(source, &case.kept, false));
    // One of them would be all there is of a sum.
    let nan = !matches!(reduction.combine(), Combine::Op(Op::Add) | Combine::Moments);
    let mut operands: Vec<_> = (reduction.map().inputs().iter())
        .map(|&dtype| layout.filled(source, dtype, |_, i| element(dtype, i, nan)))
        .collect();
    operands.push(out.operand(source, reduction.result()));
    let numbers: Vec<[u8; 16]> =
        reduction.finish().inputs()[1..].iter().map(|&dtype| cast(Scalar::U8(3), dtype).to_bytes()).collect();
    compare(bench, &operands, |addresses| {
        let (to, inputs) = addresses.split_last().unwrap();
        Command::Reduce(Box::new(Reduce {
            reduction: reduction.clone(),
            inputs: mapped(case, &reduction, &layout, inputs),
            kept: case.kept.len(),
            direction,
            numbers: numbers.iter().copied().collect(),
            out: to.offset(out.start(reduction.result().size())),
            out_steps: out.steps.iter().copied().collect(),
        }))
    });
}

/// The sum of the products of two inputs.
fn dot(dtype: DType) -> Reduction {
    let map = Program::single(Op::Multiply, &[dtype; 2], dtype).unwrap();
    Reduction::new(map, Combine::Op(Op::Add), Program::convert(dtype, dtype)).unwrap()
}

/// Sequences of the lengths at which the tree changes, dense and strided.
pub(crate) fn reductions_of_every_length(bench: &Bench) {
    let mut source = Source(5);
    for length in LENGTHS {
        for gap in [1, 3] {
            let mut run = |reduction| check(bench, &mut source, &Case::line(length, gap), reduction, Direction::Along);
            run(plain(DType::F32, DType::F32, Combine::Op(Op::Add)));
            run(plain(DType::I16, DType::F64, Combine::Op(Op::Add)));
            run(plain(DType::F32, DType::F32, Combine::ArgMax));
            run(plain(DType::U8, DType::U8, Combine::ArgMin));
            run(plain(DType::F32, DType::F32, Combine::Moments));
            run(plain(DType::F64, DType::F64, Combine::Moments));
            run(dot(DType::F32));
        }
    }
}

/// Every way to combine, at every dtype that the device has.
pub(crate) fn reductions_of_every_dtype(bench: &Bench) {
    let mut source = Source(6);
    let cases = [
        Case { kept: vec![5], reduced: vec![300], order: vec![0, 1], gap: 1 },
        Case { kept: vec![70], reduced: vec![37], order: vec![1, 0], gap: 1 },
    ];
    for combine in Combine::all() {
        for dtype in DType::ALL.into_iter().filter(|&dtype| combine.takes(dtype)) {
            for case in &cases {
                check(bench, &mut source, case, plain(dtype, dtype, combine), case.direction());
            }
        }
    }
}

/// Axes kept and reduced, inside and outside each other, of few and many elements.
pub(crate) fn reductions_of_every_layout(bench: &Bench) {
    let mut source = Source(7);
    for case in layouts(&mut source) {
        let mut run = |reduction| check(bench, &mut source, &case, reduction, case.direction());
        run(plain(DType::F32, DType::F32, Combine::Op(Op::Add)));
        run(plain(DType::F16, DType::F32, Combine::Op(Op::Maximum)));
        run(plain(DType::I32, DType::I64, Combine::Op(Op::Add)));
        run(plain(DType::F64, DType::F64, Combine::ArgMax));
        run(plain(DType::F32, DType::F32, Combine::Moments));
        run(plain(DType::I8, DType::F64, Combine::Moments));
        run(dot(DType::F64));
    }
}

fn layouts(source: &mut Source) -> Vec<Case> {
    let case = |kept: &[usize], reduced: &[usize], order: &[usize], gap| Case {
        kept: kept.to_vec(),
        reduced: reduced.to_vec(),
        order: order.to_vec(),
        gap,
    };
    let mut cases = vec![
        // Many short ones, and a few long ones, along and across.
        case(&[20_000], &[3], &[0, 1], 1),
        case(&[20_000], &[3], &[1, 0], 1),
        case(&[3], &[20_000], &[0, 1], 1),
        case(&[3], &[20_000], &[1, 0], 2),
        case(&[129], &[1000], &[1, 0], 1),
        // Kept between what is reduced, and the other way round.
        case(&[9], &[40, 70], &[1, 0, 2], 1),
        case(&[40, 70], &[9], &[0, 2, 1], 1),
        case(&[6, 5], &[4, 33], &[3, 0, 2, 1], 2),
    ];
    for _ in 0..12 {
        let mut axes = |most| (0..most).map(|_| 1 + source.below(if source.0 & 1 == 0 { 6 } else { 40 })).collect();
        let (kept, reduced): (Vec<usize>, Vec<usize>) = (axes(2), axes(2));
        let mut order: Vec<usize> = (0..4).collect();
        (0..4).for_each(|i| order.swap(i, source.below(4)));
        cases.push(Case { kept, reduced, order, gap: 1 + source.below(2) });
    }
    cases
}

fn check_scan(bench: &Bench, source: &mut Source, case: &Case, reduction: Reduction, in_place: bool) {
    if !bench.knows(reduction.accumulator()) || !bench.knows(reduction.result()) {
        return;
    }
    let reduction = ReductionRef::Shared(Arc::new(reduction));
    let (shape, layout, from) = (case.shape(), case.layout(), reduction.map().inputs()[0]);
    let mut operands = vec![layout.filled(source, from, |_, i| element(from, i, false))];
    let in_place = in_place && reduction.result() == from;
    let out = if in_place { layout.clone() } else { Layout::dense(&shape) };
    if !in_place {
        operands.push(out.operand(source, reduction.result()));
    }
    // Only neighbours of other sequences can be scanned side by side.
    let direction = match shape.len().checked_sub(2) {
        Some(other) if layout.steps[other] < layout.steps[other + 1] => Direction::Across,
        _ => Direction::Along,
    };
    compare(bench, &operands, |addresses| {
        Command::Scan(Box::new(Scan {
            reduction: reduction.clone(),
            inputs: mapped(case, &reduction, &layout, &addresses[..1]),
            direction,
            out: addresses[addresses.len() - 1].offset(out.start(reduction.result().size())),
            out_steps: out.steps.iter().copied().collect(),
        }))
    });
}

fn prefixes(from: DType, to: DType, op: Op) -> Reduction {
    Reduction::new(Program::convert(from, to), Combine::Op(op), Program::convert(to, to)).unwrap()
}

/// Scans of every length and layout, into other memory and in place.
pub(crate) fn scans(bench: &Bench) {
    let mut source = Source(8);
    let lines = LENGTHS.into_iter().flat_map(|length| [1, 3].map(|gap| Case::line(length, gap)));
    let cases: Vec<Case> = lines.chain(layouts(&mut source)).collect();
    for (n, case) in cases.iter().enumerate() {
        let mut run = |reduction| check_scan(bench, &mut source, case, reduction, n % 2 == 0);
        run(prefixes(DType::F32, DType::F32, Op::Add));
        run(prefixes(DType::I8, DType::I64, Op::Add));
        run(prefixes(DType::F64, DType::F64, Op::Maximum));
    }
    for &op in Combine::OPS {
        for &dtype in op.rule().domain {
            let case = Case { kept: vec![4], reduced: vec![90], order: vec![0, 1], gap: 1 };
            check_scan(bench, &mut source, &case, prefixes(dtype, dtype, op), true);
        }
    }
}
