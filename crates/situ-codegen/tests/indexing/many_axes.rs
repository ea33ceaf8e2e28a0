//! Spaces with so many axes that their numbers come from a table.

use situ_hal::{Command, IndexCheck, IndexMode, IndexOperand, Indexed, MaskCount, MaskSelect, Taken};
use situ_types::{DType, Dims};
use smallvec::smallvec;

use crate::host::runner::{Memory, at, run, strided, work};
use crate::place;

/// Axes of length 2 that no operand walks as one.
const AXES: usize = 12;

fn strides(of: impl Fn(usize) -> isize) -> Vec<isize> {
    (0..AXES).map(of).collect()
}

#[test]
fn a_table_holds_the_numbers_of_many_axes() {
    let shape = [2; AXES];
    let size = 1 << AXES;
    // Bits of the position in three different orders.
    let (own, along) = (strides(|axis| 1 << axis), strides(|axis| 1 << ((axis * 5) % AXES)));
    let dense = strides(|axis| 1 << (AXES - 1 - axis));
    let (array, out) = (Memory::noise(2 * size * 4), Memory::noise(size * 4));
    let (indices, verdict) = (Memory::new(size, |n| n as u8 & 1), Memory::noise(16));
    let guide = IndexOperand {
        indices: strided(indices.address(), &along),
        dtype: DType::I8,
        length: 2,
        step: size as isize,
        mode: IndexMode::Checked,
        verdict: Some(at(verdict.address())),
    };
    let transfer = Indexed {
        shape: Dims::from_slice(&shape),
        width: 4,
        array: strided(array.address(), &own),
        elements: strided(out.address(), &dense),
        indices: smallvec![guide.clone()],
    };
    let gather = work(&Command::Gather(Box::new(transfer.clone())));
    assert!(!gather.tables.is_empty());
    run(&gather);
    for position in 0..size {
        let index = indices.bytes()[place(position, &shape, &along) as usize] as usize;
        let from = 4 * (place(position, &shape, &own) as usize + index * size);
        assert_eq!(out.bytes()[4 * position..][..4], array.bytes()[from..][..4]);
    }
    assert_eq!(verdict.bytes()[..8], (-1i64).to_ne_bytes());
    let shape_of = || Dims::from_slice(&shape);
    run(&work(&Command::IndexCheck(Box::new(IndexCheck {
        shape: shape_of(),
        indices: guide.indices.clone(),
        dtype: DType::I8,
        length: 1,
        verdict: at(verdict.address()),
    }))));
    let first = (0..size).find(|&position| indices.bytes()[place(position, &shape, &along) as usize] == 1);
    assert_eq!(verdict.bytes()[..8], first.unwrap().to_ne_bytes());

    let mask = guide.indices;
    let truths: Vec<usize> = (0..size).filter(|&n| indices.bytes()[place(n, &shape, &along) as usize] != 0).collect();
    let count = MaskCount { shape: shape_of(), mask: mask.clone(), count: at(verdict.address()) };
    run(&work(&Command::MaskCount(Box::new(count))));
    assert_eq!(verdict.bytes()[..8], truths.len().to_ne_bytes());
    let select = |taken, out: &Memory| {
        let (mask, capacity) = (mask.clone(), truths.len());
        let command = MaskSelect { shape: shape_of(), mask, taken, out: at(out.address()), capacity };
        run(&work(&Command::MaskSelect(Box::new(command))));
    };
    select(Taken::Elements { array: transfer.array, width: 4 }, &out);
    for (n, &position) in truths.iter().enumerate() {
        assert_eq!(out.bytes()[4 * n..][..4], array.bytes()[4 * place(position, &shape, &own) as usize..][..4]);
    }
    let runs = Memory::noise(AXES * truths.len() * 8);
    select(Taken::Coordinates(shape_of()), &runs);
    for (n, &position) in truths.iter().enumerate() {
        for axis in 0..AXES {
            let coordinate = position >> (AXES - 1 - axis) & 1;
            assert_eq!(runs.bytes()[8 * (axis * truths.len() + n)..][..8], coordinate.to_ne_bytes());
        }
    }
}
