//! Blocks, lines and repeated values of every width, from and to every layout.

use super::super::strided::{Block, copy_block, copy_line, repeat};
use crate::isa::Isa;

const WIDTHS: [usize; 5] = [1, 2, 4, 8, 16];

/// Elements that must stay as they are on either side.
const GUARD: usize = 3;

/// Where the elements of a block are: byte steps from row to row and from column to column.
#[derive(Clone, Copy, Debug)]
struct Steps {
    row: isize,
    column: isize,
}

/// Memory for a block, aligned like an allocation.
struct Place {
    words: Vec<u128>,
    steps: Steps,
    start: usize,
}

impl Place {
    fn new(steps: Steps, rows: usize, columns: usize, width: usize, fill: impl Fn(usize) -> u8) -> Place {
        let (down, across) = (steps.row * (rows as isize - 1), steps.column * (columns as isize - 1));
        let (low, high) = (down.min(0) + across.min(0), down.max(0) + across.max(0));
        let bytes = (high - low) as usize + (2 * GUARD + 1) * width;
        let mut words = vec![0u128; bytes.div_ceil(16)];
        let start = GUARD * width + low.unsigned_abs();
        bytes_of(&mut words).iter_mut().enumerate().for_each(|(i, byte)| *byte = fill(i));
        Place { words, steps, start }
    }

    fn block(&mut self) -> Block {
        let start = self.words.as_mut_ptr().cast::<u8>().wrapping_add(self.start);
        Block { start, row: self.steps.row, column: self.steps.column }
    }

    fn offset(&self, row: usize, column: usize) -> usize {
        (self.start as isize + row as isize * self.steps.row + column as isize * self.steps.column) as usize
    }
}

fn bytes_of(words: &mut [u128]) -> &mut [u8] {
    // SAFETY: the bytes of integers are integers.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}

fn available() -> impl Iterator<Item = Isa> {
    Isa::ALL.into_iter().filter(|isa| isa.is_available())
}

fn check_block(isa: Isa, width: usize, to: Steps, from: Steps, rows: usize, columns: usize) {
    let mut from = Place::new(from, rows, columns, width, |i| (i * 7 + i / 251) as u8);
    let mut to = Place::new(to, rows, columns, width, |_| 0x5A);
    let mut wanted = to.words.clone();
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let (here, there) = (to.offset(row, column), from.offset(row, column));
        bytes_of(&mut wanted)[here..here + width].copy_from_slice(&bytes_of(&mut from.words)[there..there + width]);
    }
    // SAFETY: both blocks lie inside their own memory, and the processor has the instruction set.
    unsafe { copy_block(isa, width, to.block(), from.block(), rows, columns) };
    assert!(to.words == wanted, "{isa:?}, {width} bytes, {rows} by {columns}, {:?} from {:?}", to.steps, from.steps);
}

/// Layouts of a block, by name of what they do; those that broadcast are for reading only.
fn layouts(rows: usize, columns: usize, width: usize) -> ([Steps; 8], [Steps; 3]) {
    let (width, rows, columns) = (width as isize, rows as isize, columns as isize);
    let steps = |row: isize, column: isize| Steps { row: row * width, column: column * width };
    let dense = steps(columns, 1);
    let apart = [
        dense,
        steps(1, rows),
        steps(columns + 3, 1),
        steps(1, rows + 3),
        steps(-1, rows),
        steps(1, -rows),
        steps(-columns, -1),
        steps(2 * columns + 1, 2),
    ];
    (apart, [steps(0, 1), steps(1, 0), steps(0, -1)])
}

#[test]
fn blocks_of_any_size_between_any_layouts() {
    for isa in available() {
        for width in WIDTHS {
            for rows in 1..=40 {
                for columns in 1..=40 {
                    let (apart, broadcast) = layouts(rows, columns, width);
                    // Every pair comes up at some sizes; the transposed ones at all.
                    let turn = rows * 41 + columns;
                    let to = apart[turn % apart.len()];
                    let from = apart.iter().chain(&broadcast).nth(turn / 8 % 11).copied().unwrap_or(apart[0]);
                    check_block(isa, width, to, from, rows, columns);
                    for turned in [1, 3, 4, 5] {
                        check_block(isa, width, apart[0], apart[turned], rows, columns);
                        check_block(isa, width, apart[turned], apart[0], rows, columns);
                    }
                }
            }
        }
    }
}

#[test]
fn blocks_between_every_two_layouts() {
    for (isa, width) in available().flat_map(|isa| WIDTHS.map(|width| (isa, width))) {
        for (rows, columns) in [(1, 1), (1, 70), (70, 1), (9, 33), (33, 9), (64, 64), (17, 130)] {
            let (apart, broadcast) = layouts(rows, columns, width);
            for to in apart {
                for from in apart.iter().chain(&broadcast) {
                    check_block(isa, width, to, *from, rows, columns);
                }
            }
        }
    }
}

#[test]
fn lines_of_any_step() {
    for (isa, width) in available().flat_map(|isa| WIDTHS.map(|width| (isa, width))) {
        for count in [1, 2, 7, 8, 15, 16, 17, 31, 33, 64, 100, 257] {
            for (to, from) in [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, -1), (-1, 1), (1, -2), (2, 1), (-3, 2)] {
                let steps = |step: isize| Steps { row: 0, column: step * width as isize };
                let mut source = Place::new(steps(from), 1, count, width, |i| (i * 5 + i / 241) as u8);
                let mut target = Place::new(steps(to), 1, count, width, |_| 0xA5);
                let mut wanted = target.words.clone();
                for i in 0..count {
                    let (here, there) = (target.offset(0, i), source.offset(0, i));
                    let element = &bytes_of(&mut source.words)[there..there + width];
                    bytes_of(&mut wanted)[here..here + width].copy_from_slice(element);
                }
                let (to_step, from_step) = (target.steps.column, source.steps.column);
                let (to, from) = (target.block().start, source.block().start);
                // SAFETY: both lines lie inside their own memory, and the processor has the instruction set.
                unsafe { copy_line(isa, width, to, Some(to_step), from, Some(from_step), count) };
                assert!(target.words == wanted, "{isa:?}, {width} bytes, {count} elements, {to_step} from {from_step}");
            }
        }
    }
}

#[test]
fn one_value_many_times_from_any_address() {
    for (isa, width) in available().flat_map(|isa| WIDTHS.map(|width| (isa, width))) {
        for count in [1, 3, 8, 33, 100] {
            let value: Vec<u8> = (0..=width as u8).map(|i| 3 * i + 1).collect();
            let steps = Steps { row: 0, column: width as isize };
            let mut target = Place::new(steps, 1, count, width, |_| 0xA5);
            let mut wanted = target.words.clone();
            for i in 0..count {
                let here = target.offset(0, i);
                bytes_of(&mut wanted)[here..here + width].copy_from_slice(&value[1..]);
            }
            // SAFETY: the value and the places lie inside their memory, and the processor has the instruction set.
            unsafe { repeat(isa, width, target.block().start, value[1..].as_ptr(), count) };
            assert!(target.words == wanted, "{isa:?}, {width} bytes, {count} times");
        }
    }
}
