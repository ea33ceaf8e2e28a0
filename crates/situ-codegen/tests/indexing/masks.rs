//! Counting, selecting and expanding by mask.

use situ_codegen::Work;
use situ_hal::{Command, MaskCount, MaskExpand, MaskSelect, Strided, Taken, Values};

use crate::host::points::Points;
use crate::host::runner::{Memory, at, run, strided, work};
use crate::{cases, place, shape, steps};

/// A mask and its memory.
struct Mask {
    memory: Memory,
    strides: Vec<isize>,
    first: usize,
    /// Positions in C order where it is true.
    truths: Vec<usize>,
}

impl Mask {
    fn new(points: &mut Points, shape: &[usize]) -> Mask {
        let (strides, before, after) = steps(points, shape);
        // Dense masks are read otherwise if they begin at a multiple of 16.
        let first = if before == 0 { points.below(2) * points.below(16) } else { before };
        let mut memory = Memory::noise(first + after + 40);
        let density = points.below(5) * 64;
        for byte in memory.bytes_mut() {
            *byte = if points.below(256) < density { [1, 1, 2, 128, 255][points.below(5)] } else { 0 };
        }
        let is_true = |&n: &usize| memory.bytes()[(first as isize + place(n, shape, &strides)) as usize] != 0;
        let truths = (0..shape.iter().product()).filter(is_true).collect();
        Mask { strides, first, truths, memory }
    }

    fn operand(&self) -> Strided {
        strided(self.memory.address() + self.first, &self.strides)
    }
}

fn count(shape: &[usize], mask: Strided, answer: &Memory) -> Work {
    work(&Command::MaskCount(Box::new(MaskCount { shape: shape.into(), mask, count: at(answer.address()) })))
}

fn select(shape: &[usize], mask: Strided, taken: Taken, out: &Memory, capacity: usize) -> Work {
    let out = at(out.address());
    work(&Command::MaskSelect(Box::new(MaskSelect { shape: shape.into(), mask, taken, out, capacity })))
}

fn expand(shape: &[usize], mask: Strided, array: Strided, width: usize, values: Values) -> Work {
    work(&Command::MaskExpand(Box::new(MaskExpand { shape: shape.into(), mask, array, width, values })))
}

fn cycled(values: &Memory, stride: isize, length: usize) -> Values {
    Values::Cycled { address: at(values.address()), stride, length }
}

/// Large shapes now and then, so that there are several segments.
fn mask_shape(points: &mut Points) -> Vec<usize> {
    if points.below(8) == 0 { vec![20 + points.below(20), 500 + points.below(900)] } else { shape(points) }
}

#[test]
fn what_is_true_is_counted() {
    cases(|points| {
        let shape = mask_shape(points);
        let (mask, answer) = (Mask::new(points, &shape), Memory::noise(16));
        let work = count(&shape, mask.operand(), &answer);
        run(&work);
        let found = i64::from_ne_bytes(std::array::from_fn(|i| answer.bytes()[i]));
        assert_eq!(found, mask.truths.len() as i64, "{shape:?} {work:?}");
    });
}

/// Room for what is true, or less, or more.
fn capacity(points: &mut Points, count: usize) -> usize {
    match points.below(4) {
        0 => points.below(count + 1),
        1 => count + 3,
        _ => count,
    }
}

/// Runs a selection, whose results have so many bytes each, and compares every byte there is room for.
fn compare(
    shape: &[usize],
    mask: &Mask,
    taken: Taken,
    (capacity, bytes): (usize, usize),
    expected: impl Fn(&mut [u8]),
) {
    let found = Memory::noise(capacity * bytes + 64);
    let mut wanted = found.clone();
    expected(wanted.bytes_mut());
    let work = select(shape, mask.operand(), taken, &found, capacity);
    run(&work);
    assert!(found == wanted, "{work:?}");
}

#[test]
fn elements_are_selected() {
    cases(|points| {
        let (shape, width) = (mask_shape(points), 1usize << points.below(5));
        let mask = Mask::new(points, &shape);
        let (strides, before, after) = steps(points, &shape);
        let array = Memory::noise((before + after + 1) * width);
        let capacity = capacity(points, mask.truths.len());
        let operand = strided(array.address() + before * width, &strides);
        compare(&shape, &mask, Taken::Elements { array: operand, width }, (capacity, width), |out| {
            for (n, &position) in mask.truths.iter().enumerate().take(capacity) {
                let at = (before as isize + place(position, &shape, &strides)) as usize * width;
                out[n * width..(n + 1) * width].copy_from_slice(&array.bytes()[at..at + width]);
            }
        });
    });
}

#[test]
fn coordinates_are_selected() {
    cases(|points| {
        let shape = mask_shape(points);
        let mask = Mask::new(points, &shape);
        let size: usize = shape.iter().product();
        let dims = match points.below(3) {
            0 => vec![size],
            1 if size.is_multiple_of(6) => vec![1, 3, size / 6, 1, 2],
            _ => shape.clone(),
        };
        let capacity = capacity(points, mask.truths.len());
        compare(&shape, &mask, Taken::Coordinates(dims[..].into()), (capacity, dims.len() * 8), |out| {
            for (n, &position) in mask.truths.iter().enumerate().take(capacity) {
                let mut rest = position;
                for (axis, &length) in dims.iter().enumerate().rev() {
                    let at = (axis * capacity + n) * 8;
                    out[at..at + 8].copy_from_slice(&(rest % length).to_ne_bytes());
                    rest /= length;
                }
            }
        });
    });
}

#[test]
fn values_are_expanded() {
    cases(|points| {
        let (shape, width) = (mask_shape(points), 1usize << points.below(5));
        let mask = Mask::new(points, &shape);
        let (strides, before, after) = steps(points, &shape);
        let length = [1, 1 + points.below(9), mask.truths.len().max(1), 4096, 5000][points.below(5)];
        let (stride, values) = ([1, 2][points.below(2)], Memory::noise(2 * length * width));
        let immediate = points.below(4) == 0;
        let found = Memory::new((before + after + 1) * width, |n| n as u8);
        let mut expected = found.clone();
        for (n, &position) in mask.truths.iter().enumerate() {
            let at = (before as isize + place(position, &shape, &strides)) as usize * width;
            let from = if immediate { 0 } else { n % length * stride * width };
            expected.bytes_mut()[at..at + width].copy_from_slice(&values.bytes()[from..from + width]);
        }
        let array = strided(found.address() + before * width, &strides);
        let mut value = [0; 16];
        value[..width].copy_from_slice(&values.bytes()[..width]);
        let given = if immediate { Values::Immediate(value) } else { cycled(&values, stride as isize, length) };
        let work = expand(&shape, mask.operand(), array, width, given);
        run(&work);
        assert!(found == expected, "{shape:?} {width} {work:?}");
    });
}

#[test]
fn values_begin_again_after_the_last() {
    let (size, mask) = (20_000, Memory::new(20_000, |n| u8::from(n % 7 != 0)));
    let one = |memory: &Memory| strided(memory.address(), &[1]);
    for length in [2, 3, 4095, 4096, 4097, 5000, 17_142, 30_000] {
        let (values, found) = (Memory::noise(2 * length), Memory::noise(2 * size));
        let mut expected = found.clone();
        for (n, position) in (0..size).filter(|n| n % 7 != 0).enumerate() {
            let from = 2 * (n % length);
            expected.bytes_mut()[2 * position..][..2].copy_from_slice(&values.bytes()[from..from + 2]);
        }
        run(&expand(&[size], one(&mask), one(&found), 2, cycled(&values, 1, length)));
        assert!(found == expected, "{length}");
    }
}

#[test]
fn segments_follow_each_other() {
    // More tiles than there are blocks, so that blocks take several, and the last one is not whole.
    let size = 4096 * 2500 + 77;
    let memory = Memory::new(size, |n| u8::from(n.wrapping_mul(2_654_435_761) >> 7 & 3 == 0));
    let truths: Vec<usize> = (0..size).filter(|&n| memory.bytes()[n] != 0).collect();
    let mask = Mask { first: 0, strides: vec![1], truths, memory };
    compare(&[size], &mask, Taken::Coordinates([size][..].into()), (mask.truths.len(), 8), |out| {
        for (to, position) in out.chunks_exact_mut(8).zip(&mask.truths) {
            to.copy_from_slice(&position.to_ne_bytes());
        }
    });
    let answer = Memory::noise(16);
    run(&count(&[size], mask.operand(), &answer));
    assert_eq!(answer.bytes()[..8], mask.truths.len().to_ne_bytes());
    let (values, found) = (Memory::noise(251), Memory::noise(size));
    let mut expected = found.clone();
    for (n, &position) in mask.truths.iter().enumerate() {
        expected.bytes_mut()[position] = values.bytes()[n % 251];
    }
    let array = strided(found.address(), &[1]);
    run(&expand(&[size], mask.operand(), array, 1, cycled(&values, 1, 251)));
    assert!(found == expected);
}

#[test]
fn more_segments_than_one_round_adds_up() {
    let size = 8192 * 8 * 4096 + 5000;
    let places = [3, size / 2, size - 4097, size - 1];
    // Nothing but the pages that are written is really there.
    let mut mask = vec![0u8; size + 16];
    let first = mask.as_ptr().align_offset(16);
    places.iter().for_each(|&place| mask[first + place] = 1);
    let (operand, out) = (strided(mask.as_ptr() as usize + first, &[1]), Memory::noise(64));
    run(&select(&[size], operand, Taken::Coordinates([size][..].into()), &out, 4));
    let found: Vec<&[u8]> = out.bytes()[..32].chunks(8).collect();
    assert_eq!(found, places.map(usize::to_ne_bytes));
}

#[test]
fn masks_beyond_32_bits() {
    const FAR: usize = 1 << 31;
    // Nothing but the pages that are written is really there.
    let mut bytes = vec![0u8; FAR + 3];
    (bytes[0], bytes[FAR + 1], bytes[FAR + 2]) = (1, 1, 7);
    let (shape, strides) = ([2, 3], [FAR as isize, 1]);
    let operand = || strided(bytes.as_ptr() as usize, &strides);
    let (answer, out) = (Memory::noise(16), Memory::noise(64));
    run(&count(&shape, operand(), &answer));
    assert_eq!(answer.bytes()[..8], 3u64.to_ne_bytes());
    run(&select(&shape, operand(), Taken::Elements { array: operand(), width: 1 }, &out, 3));
    assert_eq!(out.bytes()[..3], [1, 1, 7]);
    run(&expand(&shape, operand(), operand(), 1, Values::Immediate([9; 16])));
    assert_eq!([0, 1, FAR, FAR + 1, FAR + 2].map(|n| bytes[n]), [9, 0, 0, 9, 9]);
}
