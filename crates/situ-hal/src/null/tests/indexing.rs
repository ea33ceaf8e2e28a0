//! Indexing commands, which move bytes even here.

use situ_types::{Dims, Strides};
use smallvec::smallvec;

use super::*;
use crate::{IndexCheck, IndexMode, IndexOperand, Indexed, MaskCount, MaskExpand, MaskSelect, Strided, Taken, Values};

/// Executes a command at once.
fn run(command: Command) {
    let bench = Bench::new(Latency::Immediate);
    assert!(matches!(try_submit(&bench.queue(OUT_OF_ORDER), &command, &[]), Ok(Completion::Done)));
}

fn strided<T>(values: &[T], strides: &[isize]) -> Strided {
    Strided { address: Address(values.as_ptr().cast_mut().cast()), strides: Strides::from_slice(strides) }
}

fn address<T>(values: &mut [T]) -> Address {
    Address(values.as_mut_ptr().cast())
}

fn indexed(indices: &[i32], mode: IndexMode, array: Strided, elements: Strided) -> Box<Indexed> {
    let indices = strided(indices, &[1]);
    let operand = IndexOperand { indices, dtype: DType::I32, length: 5, step: 1, mode, verdict: None };
    Box::new(Indexed { shape: smallvec![4], width: 2, array, elements, indices: smallvec![operand] })
}

#[test]
fn indices_outside_mean_what_the_mode_says() {
    let array = [10u16, 11, 12, 13, 14];
    for (mode, expected) in [
        (IndexMode::Checked, [11, 14, 14, 10]),
        (IndexMode::Wrap, [11, 14, 12, 13]),
        (IndexMode::Clip, [11, 10, 14, 10]),
    ] {
        let mut out = [0u16; 4];
        let elements = Strided { address: address(&mut out), strides: smallvec![1] };
        run(Command::Gather(indexed(&[1, -1, 7, -7], mode, strided(&array, &[0]), elements)));
        assert_eq!(out, expected, "{mode:?}");
    }
}

#[test]
fn of_several_values_for_one_place_the_last_stays() {
    let mut array = [0u16; 5];
    let target = Strided { address: address(&mut array), strides: smallvec![0] };
    run(Command::Scatter(indexed(&[3, 1, 3, -2], IndexMode::Checked, target, strided(&[1u16, 2, 3, 4], &[1]))));
    assert_eq!(array, [0, 2, 0, 4, 0]);
}

#[test]
fn the_first_index_outside_is_told() {
    let mut verdict = [9i64; 2];
    for (indices, expected) in [([0i64, -5, 4, 2], [-1, 0]), ([0, 5, 4, -6], [1, 5]), ([0, 1, -6, 5], [2, -6])] {
        run(Command::IndexCheck(Box::new(IndexCheck {
            shape: smallvec![4],
            indices: strided(&indices, &[1]),
            dtype: DType::I64,
            length: 5,
            verdict: address(&mut verdict),
        })));
        assert_eq!(verdict, expected);
        let mut out = [0u16; 4];
        let elements = Strided { address: address(&mut out), strides: smallvec![1] };
        let mut command = indexed(&[0; 4], IndexMode::Checked, strided(&[1u16, 2, 3, 4, 5], &[0]), elements);
        command.indices[0].indices = strided(&indices, &[1]);
        command.indices[0].dtype = DType::I64;
        command.indices[0].verdict = Some(address(&mut verdict));
        verdict = [9; 2];
        run(Command::Gather(command));
        assert_eq!(verdict, expected);
    }
}

#[test]
fn masks_count_select_and_expand() {
    let mask = [1u8, 0, 255, 0, 0, 2];
    let shape = || -> Dims { smallvec![2, 3] };
    let operand = || strided(&mask, &[3, 1]);
    let mut count = [0i64];
    run(Command::MaskCount(Box::new(MaskCount { shape: shape(), mask: operand(), count: address(&mut count) })));
    assert_eq!(count, [3]);

    let source = [1u32, 2, 3, 4, 5, 6];
    let select = |taken, out, capacity| {
        run(Command::MaskSelect(Box::new(MaskSelect { shape: shape(), mask: operand(), taken, out, capacity })));
    };
    let mut kept = [0u32; 3];
    // Columns first: the array is transposed.
    select(Taken::Elements { array: strided(&source, &[1, 2]), width: 4 }, address(&mut kept), 2);
    assert_eq!(kept, [1, 5, 0]);
    let mut places = [0i64; 6];
    select(Taken::Coordinates(shape()), address(&mut places), 3);
    assert_eq!(places, [0, 0, 1, 0, 2, 2]);

    let mut cycle = [3u8, 0, 4];
    for (values, expected) in [
        (Values::Immediate([7; 16]), [7u8, 0, 7, 0, 0, 7]),
        (Values::Cycled { address: address(&mut cycle), stride: 2, length: 2 }, [3, 0, 4, 0, 0, 3]),
    ] {
        let mut out = [0u8; 6];
        let array = Strided { address: address(&mut out), strides: smallvec![3, 1] };
        run(Command::MaskExpand(Box::new(MaskExpand { shape: shape(), mask: operand(), array, width: 1, values })));
        assert_eq!(out, expected);
    }
}
