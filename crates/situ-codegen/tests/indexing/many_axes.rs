//! Spaces with so many axes that their numbers come from a table.

use situ_codegen::indexing::{Indices, Mode, Strided, Taken, Transfer, check, count, gather, select};
use situ_types::DType;

use crate::place;
use crate::runner::{Memory, Operand, run};

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
    let guide = Indices {
        indices: Strided { address: indices.address(), strides: &along },
        dtype: DType::I8,
        length: 2,
        step: size as isize,
        mode: Mode::Checked,
        verdict: true,
    };
    let transfer = Transfer {
        shape: &shape,
        width: 4,
        array: Strided { address: array.address(), strides: &own },
        elements: Strided { address: out.address(), strides: &dense },
        indices: &[guide],
    };
    let work = gather(&transfer);
    assert!(!work.tables.is_empty());
    run(&work, &[&array, &out, &indices, &verdict].map(|memory| Operand::Address(memory.address())));
    for position in 0..size {
        let index = indices.bytes()[place(position, &shape, &along) as usize] as usize;
        let from = 4 * (place(position, &shape, &own) as usize + index * size);
        assert_eq!(out.bytes()[4 * position..][..4], array.bytes()[from..][..4]);
    }
    assert_eq!(verdict.bytes()[..8], (-1i64).to_ne_bytes());
    run(&check(&shape, guide.indices, DType::I8, 1), &[indices.address(), verdict.address()].map(Operand::Address));
    let first = (0..size).find(|&position| indices.bytes()[place(position, &shape, &along) as usize] == 1);
    assert_eq!(verdict.bytes()[..8], first.unwrap().to_ne_bytes());

    let mask = guide.indices;
    let truths: Vec<usize> = (0..size).filter(|&n| indices.bytes()[place(n, &shape, &along) as usize] != 0).collect();
    run(&count(&shape, mask), &[indices.address(), verdict.address()].map(Operand::Address));
    assert_eq!(verdict.bytes()[..8], truths.len().to_ne_bytes());
    let work = select(&shape, mask, Taken::Elements { array: transfer.array, width: 4 }, truths.len());
    run(&work, &[&indices, &out, &array].map(|memory| Operand::Address(memory.address())));
    for (n, &position) in truths.iter().enumerate() {
        assert_eq!(out.bytes()[4 * n..][..4], array.bytes()[4 * place(position, &shape, &own) as usize..][..4]);
    }
    let runs = Memory::noise(AXES * truths.len() * 8);
    run(
        &select(&shape, mask, Taken::Coordinates(&shape), truths.len()),
        &[&indices, &runs].map(|memory| Operand::Address(memory.address())),
    );
    for (n, &position) in truths.iter().enumerate() {
        for axis in 0..AXES {
            let coordinate = position >> (AXES - 1 - axis) & 1;
            assert_eq!(runs.bytes()[8 * (axis * truths.len() + n)..][..8], coordinate.to_ne_bytes());
        }
    }
}
