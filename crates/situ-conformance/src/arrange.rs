//! Arrays joined and elements repeated, against one after another.

use std::sync::Arc;

use situ_hal::{Address, Command, Elementwise, Join, ProgramRef, Repeat, Strided, Times};
use situ_ir::Program;
use situ_types::{DType, Scalar};

use crate::Source;
use crate::bench::{Bench, Operand, compare};
use crate::layout::{Layout, any_shape, simplified};

/// One piece of a join.
struct Piece {
    shape: Vec<usize>,
    dtype: DType,
    from: Layout,
    to: Layout,
}

/// Joins of few and of many pieces, of one dtype and of several, into one memory each.
pub(crate) fn joins(bench: &Bench) {
    let mut source = Source(21);
    for round in 0..60 {
        let count = if round % 10 == 0 { 150 } else { 1 + source.below(4) };
        let to = source.pick(&DType::ALL);
        let is_mixed = round % 3 == 0;
        let mut pieces = vec![];
        for _ in 0..count {
            let shape = if count > 9 { vec![source.below(30)] } else { any_shape(&mut source) };
            let dtype = if is_mixed { source.pick(&DType::ALL) } else { to };
            let mut layouts = [true, false].map(|may_repeat| Layout::any(&mut source, &shape, may_repeat));
            let shape = simplified(&shape, &mut layouts);
            let [from, to] = layouts;
            pieces.push(Piece { shape, dtype, from, to });
        }
        let operands: Vec<Operand> = pieces
            .iter()
            .flat_map(|piece| [piece.from.operand(&mut source, piece.dtype), piece.to.operand(&mut source, to)])
            .collect();
        compare(bench, &operands, |addresses| {
            let piece = |(piece, at): (&Piece, &[Address])| {
                let program = ProgramRef::Shared(Arc::new(Program::convert(piece.dtype, to)));
                let mut command = Elementwise::new(program, piece.shape.as_slice().into());
                command.push_memory(at[0].offset(piece.from.start(piece.dtype.size())), &piece.from.steps);
                command.push_memory(at[1].offset(piece.to.start(to.size())), &piece.to.steps);
                command
            };
            Command::Join(Box::new(Join { pieces: pieces.iter().zip(addresses.chunks(2)).map(piece).collect() }))
        });
    }
}

/// Elements, and blocks of them, each as often as an integer says.
pub(crate) fn repeats(bench: &Bench) {
    let mut source = Source(22);
    for round in 0..60 {
        let others = if round % 3 == 0 { vec![] } else { any_shape(&mut source) };
        let length = 1 + source.below(if others.is_empty() { 3000 } else { 12 });
        let dtype = source.pick(&[DType::U8, DType::U16, DType::U32, DType::U64, DType::C128]);
        let every = (round % 2 == 0).then(|| 1 + source.below(6));
        let counts: Vec<usize> = (0..length).map(|_| every.unwrap_or_else(|| source.below(4))).collect();
        let total: usize = counts.iter().sum();
        let shaped = |last: usize| -> Vec<usize> { others.iter().copied().chain([last]).collect() };
        let from = Layout::any(&mut source, &shaped(length), true);
        let to = Layout::any(&mut source, &shaped(total.max(1)), false);
        let ends = Layout::dense(&[length]);
        let sum = |i: usize| Scalar::I64(counts[..=i].iter().sum::<usize>() as i64).to_bytes();
        let operands = [
            from.operand(&mut source, dtype),
            to.operand(&mut source, dtype),
            ends.filled(&mut source, DType::I64, |_, i| sum(i.saturating_sub(ends.first).min(length - 1))),
        ];
        compare(bench, &operands, |addresses| {
            let at = |n: usize, layout: &Layout| Strided {
                address: addresses[n].offset(layout.start(dtype.size())),
                strides: layout.steps.iter().copied().collect(),
            };
            Command::Repeat(Box::new(Repeat {
                shape: shaped(length).as_slice().into(),
                width: dtype.size(),
                source: at(0, &from),
                target: at(1, &to),
                times: match every {
                    Some(count) => Times::Every(count),
                    None => Times::Each { ends: addresses[2].offset(ends.start(8)), total },
                },
            }))
        });
    }
}
