//! Arrays to places of their own.

use std::sync::Arc;

use situ_codegen::Dialect;
use situ_hal::{Command, Elementwise, Join, ProgramRef};
use situ_ir::Program;
use situ_ir::interpret::cast;
use situ_types::{DType, Scalar};

use crate::host::layouts::{cases, place, steps};
use crate::host::points::Points;
use crate::host::runner::{Memory, at, run, work};
use crate::host::snapshots::compare;

/// An array and where it goes, in bytes of its memory and of the common one.
struct Piece {
    dtype: DType,
    shape: Vec<usize>,
    memory: Memory,
    from: (usize, Vec<isize>),
    to: (usize, Vec<isize>),
}

/// Small numbers, which every dtype holds.
fn number(n: usize, dtype: DType) -> [u8; 16] {
    cast(Scalar::I64((n * 7 % 100) as i64), dtype).to_bytes()
}

fn shape(points: &mut Points) -> Vec<usize> {
    match points.below(4) {
        0 => vec![points.below(5000)],
        1 => vec![1 + points.below(5), 1 + points.below(900)],
        2 => vec![1 + points.below(9), 1 + points.below(9), 1 + points.below(20)],
        _ => vec![points.below(12)],
    }
}

/// A piece that goes to the common memory behind so many of its bytes; and how many it takes.
fn piece(points: &mut Points, dtype: DType, to: DType, taken: usize) -> (Piece, usize) {
    let shape = shape(points);
    let (from_steps, before, after) = steps(points, &shape);
    let (to_steps, to_before, to_after) = steps(points, &shape);
    let width = dtype.size();
    let memory = Memory::new((before + after + 1) * width, |byte| number(byte / width, dtype)[byte % width]);
    let from = (memory.address() + before * width, from_steps);
    let to_at = taken + to_before * to.size();
    let bytes = (to_before + to_after + 1) * to.size();
    (Piece { dtype, shape, memory, from, to: (to_at, to_steps) }, bytes)
}

fn check(points: &mut Points, count: usize, to: DType, of: impl Fn(&mut Points) -> DType) {
    let (mut pieces, mut taken) = (Vec::new(), 0);
    for _ in 0..count {
        let dtype = of(points);
        let (piece, bytes) = piece(points, dtype, to, taken);
        pieces.push(piece);
        taken += bytes;
    }
    let before = Memory::noise(taken + 16);
    let mut target = before.clone();
    let command = |piece: &Piece| {
        let program = Arc::new(Program::convert(piece.dtype, to));
        let mut command = Elementwise::new(ProgramRef::Shared(program), piece.shape[..].into());
        command.push_memory(at(piece.from.0), &piece.from.1);
        command.push_memory(at(target.address() + piece.to.0), &piece.to.1);
        command
    };
    let work = work(&Command::Join(Box::new(Join { pieces: pieces.iter().map(command).collect() })));
    assert!(work.launches.len() <= 1);
    run(&work);
    let found = target.bytes_mut();
    for piece in &pieces {
        let (width, first) = (piece.dtype.size(), piece.from.0 - piece.memory.address());
        for position in 0..piece.shape.iter().product() {
            let from = (first as isize + place(position, &piece.shape, &piece.from.1) * width as isize) as usize;
            let mut bytes = [0; 16];
            bytes[..width].copy_from_slice(&piece.memory.bytes()[from..from + width]);
            let wanted = cast(Scalar::from_bytes(piece.dtype, bytes), to).to_bytes();
            let at = (piece.to.0 as isize + place(position, &piece.shape, &piece.to.1) * to.size() as isize) as usize;
            assert_eq!(found[at..at + to.size()], wanted[..to.size()], "{:?} {work:?}", piece.shape);
            found[at..at + to.size()].copy_from_slice(&before.bytes()[at..at + to.size()]);
        }
    }
    assert!(target == before, "something else was written: {work:?}");
}

#[test]
fn pieces_that_stay_what_they_are() {
    cases(|points| {
        let dtype = DType::ALL[points.below(DType::ALL.len())];
        let count = [1, 2, 5, 130][points.below(4)];
        check(points, count, dtype, |_| dtype);
    });
}

#[test]
fn pieces_that_are_converted() {
    cases(|points| {
        let (to, count) = ([DType::F32, DType::C128, DType::I64][points.below(3)], 1 + points.below(6));
        let from = [DType::Bool, DType::I16, DType::F32, DType::C128];
        check(points, count, to, |points| from[points.below(4)]);
    });
}

#[test]
fn joins_are_as_wide_as_every_piece_allows() {
    let name = |counts: &[usize], first: usize| {
        let program = Arc::new(Program::convert(DType::U16, DType::U16));
        let mut to = 4096;
        let piece = |&count: &usize| {
            let mut piece = Elementwise::new(ProgramRef::Shared(program.clone()), [count][..].into());
            piece.push_memory(at(first), &[1]);
            piece.push_memory(at(to), &[1]);
            to += 2 * count;
            piece
        };
        let join = Join { pieces: counts.iter().map(piece).collect() };
        work(&Command::Join(Box::new(join))).launches[0].kernel.emit(Dialect::Cuda).kernel
    };
    assert_eq!(name(&[64, 8, 800], 64), "join_16");
    assert_eq!(name(&[64, 4, 800], 64), "join_8");
    assert_eq!(name(&[64, 8, 800], 66), "join_2");
    assert_eq!(name(&[64, 7], 64), "join_2");
}

#[test]
fn texts_are_as_they_were() {
    let piece = |dtype: DType| {
        let program = ProgramRef::Shared(Arc::new(Program::convert(dtype, DType::F32)));
        let mut piece = Elementwise::new(program, [10, 20][..].into());
        piece.push_memory(at(64), &[1, 10]);
        piece.push_memory(at(4096), &[20, 1]);
        piece
    };
    let join = |dtypes: &[DType]| Command::Join(Box::new(Join { pieces: dtypes.iter().copied().map(piece).collect() }));
    compare(&work(&join(&[DType::F32, DType::F32])), 0, Dialect::Cuda, "join_4.cu");
    compare(&work(&join(&[DType::F32, DType::I16])), 0, Dialect::OpenCl, "join_f32.cl");
}
