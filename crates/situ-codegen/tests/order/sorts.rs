//! Elements in their order.

use situ_codegen::{DeviceLimits, Work, work_for};
use situ_hal::{Command, Sort};
use situ_ir::order;
use situ_types::{DType, Scalar};

use crate::host::layouts::{cases, place, steps};
use crate::host::points::Points;
use crate::host::runner::{Memory, PROCESSOR, limits, run, strided, work};
use crate::{any_dtype, bytes, element, elements};

/// What is sorted, and what is wanted.
#[derive(Clone, Debug)]
struct Case {
    shape: Vec<usize>,
    dtype: DType,
    descending: bool,
    count: usize,
    values: bool,
    indices: bool,
    /// Whether operands have gaps, or go backwards.
    strided: bool,
}

/// Steps of an operand, and how many elements lie before and after its first one.
fn layout(points: &mut Points, shape: &[usize], is_strided: bool) -> (Vec<isize>, usize, usize) {
    if is_strided {
        return steps(points, shape);
    }
    let size = shape.iter().product::<usize>();
    let mut left = size;
    let steps = shape.iter().map(|&length| {
        left /= length.max(1);
        left as isize
    });
    (steps.collect(), 0, size)
}

/// Sorts, and compares every byte of the results.
fn check(points: &mut Points, case: &Case) -> Work {
    check_on(points, case, &limits())
}

/// The same on a device with limits.
fn check_on(points: &mut Points, case: &Case, limits: &DeviceLimits) -> Work {
    let Case { shape, dtype, count, .. } = case;
    let (others, length) = (&shape[..shape.len() - 1], shape[shape.len() - 1]);
    let mut out_shape = others.to_vec();
    out_shape.push(*count);
    let (own, before, after) = layout(points, shape, case.strided);
    let input = elements(points, *dtype, before + after + 1);
    let outputs = [(case.values, dtype.size()), (case.indices, 8)].map(|(is_wanted, width)| {
        let (steps, before, after) = layout(points, &out_shape, case.strided);
        let memory = Memory::noise((before + after + 1) * width);
        (is_wanted, steps, before, memory, width)
    });
    let given = |n: usize| {
        let (is_wanted, steps, before, memory, width) = &outputs[n];
        is_wanted.then(|| strided(memory.address() + before * width, steps))
    };
    let command = Command::Sort(Box::new(Sort {
        shape: shape[..].into(),
        dtype: *dtype,
        input: strided(input.address() + before * dtype.size(), &own),
        descending: case.descending,
        count: *count,
        values: given(0),
        indices: given(1),
    }));
    let work = work_for(&command, limits).unwrap();
    let mut expected = [0, 1].map(|n| outputs[n].3.clone());
    for row in 0..others.iter().product() {
        let at = |n: usize| (before as isize + place(row * length + n, shape, &own)) as usize;
        let sequence: Vec<Scalar> = (0..length).map(|n| element(&input, *dtype, at(n))).collect();
        for (n, from) in order::sorted(&sequence, case.descending).into_iter().take(*count).enumerate() {
            let position = (from as i64).to_ne_bytes();
            for ((is_wanted, steps, before, _, width), (expected, value)) in
                outputs.iter().zip(expected.iter_mut().zip([bytes(&input, *dtype, at(from)), &position]))
            {
                let to = (*before as isize + place(row * count + n, &out_shape, steps)) as usize * width;
                if *is_wanted {
                    expected.bytes_mut()[to..to + width].copy_from_slice(value);
                }
            }
        }
    }
    run(&work);
    for (output, expected) in outputs.iter().zip(expected) {
        assert!(output.3 == expected, "{case:?}\n{:?}", work.launches.iter().map(|l| &l.kernel).collect::<Vec<_>>());
    }
    work
}

/// What is wanted of elements: they themselves, their positions, both; all of them or the first few.
fn case(points: &mut Points, shape: Vec<usize>, dtype: DType) -> Case {
    let length = shape[shape.len() - 1];
    let count = if points.below(3) == 0 { points.below(length + 1) } else { length };
    let (values, indices) = [(true, false), (false, true), (true, true)][points.below(3)];
    let (descending, strided) = (points.below(2) == 0, points.below(2) == 0);
    Case { shape, dtype, descending, count, values, indices, strided }
}

#[test]
fn short_rows() {
    cases(|points| {
        let mut shape: Vec<usize> = (0..points.below(4)).map(|_| 1 + points.below(7)).collect();
        let most = [3, 30, 256][points.below(3)];
        shape.push(1 + points.below(most));
        let dtype = any_dtype(points);
        let case = case(points, shape, dtype);
        check(points, &case);
    });
}

#[test]
fn rows_that_a_block_has_room_for() {
    cases(|points| {
        let dtype = any_dtype(points);
        let most = (8192 * 4 / dtype.size()).min(8192);
        let most = [600, 3000, most][points.below(3)];
        let shape = vec![1 + points.below(3), 1 + points.below(2), 1 + points.below(most)];
        let case = case(points, shape, dtype);
        let work = check(points, &case);
        assert!(work.launches.len() <= 1, "{case:?}");
    });
}

#[test]
fn rows_of_any_length() {
    cases(|points| {
        let dtype = any_dtype(points);
        let most = (8192 * 4 / dtype.size()).min(8192);
        let length = most + 1 + points.below(40_000 / dtype.size());
        let shape = if points.below(2) == 0 { vec![length] } else { vec![2, 1 + points.below(2), length] };
        let case = case(points, shape, dtype);
        let work = check(points, &case);
        let launches = if limits().is_processor { 2 * dtype.size() } else { dtype.size() + 2 };
        assert!(case.count == 0 || work.launches.len() == launches, "{case:?}");
    });
}

/// A core's part at a time.
#[test]
fn rows_on_a_processor() {
    cases(|points| {
        let dtype = any_dtype(points);
        let length = 8193 + points.below(40_000);
        let shape = if points.below(2) == 0 { vec![length] } else { vec![2, 1 + points.below(2), length] };
        let case = case(points, shape, dtype);
        let work = check_on(points, &case, &PROCESSOR);
        assert!(case.count == 0 || work.launches.len() == 2 * dtype.size(), "{case:?}");
    });
}

/// Borders between the ways to sort, and between tiles.
#[test]
fn lengths_around_borders() {
    let mut points = Points(7);
    for (dtype, lengths) in [
        (DType::U8, &[32, 33, 8192, 8193, 7168 * 2, 7168 * 2 + 1][..]),
        (DType::F32, &[1, 128, 129, 512, 513, 8191, 8192, 8193, 7168 * 2 - 1, 7168 * 3, 7168 * 3 + 1]),
        (DType::F64, &[256, 257, 4096, 4097, 4096 * 2, 4096 * 2 + 1]),
        (DType::C128, &[256, 257, 2048, 2049, 4096, 4097]),
    ] {
        for &length in lengths {
            let (values, indices) = [(true, false), (true, true)][points.below(2)];
            let shape = vec![1 + points.below(2), length];
            let case = Case { shape, dtype, descending: false, count: length, values, indices, strided: false };
            check(&mut points, &case);
        }
    }
}

/// So many axes that their numbers come from a table.
#[test]
fn many_axes() {
    let mut points = Points(11);
    let mut shape = vec![2; 11];
    shape.push(3);
    let case =
        Case { shape, dtype: DType::I16, descending: true, count: 2, values: true, indices: true, strided: true };
    let layouts: Vec<Work> = (0..5).map(|_| check(&mut points, &case)).collect();
    assert!(layouts.iter().any(|work| !work.tables.is_empty()));
}

/// Nothing is launched where there is nothing to do.
#[test]
fn nothing_to_sort() {
    let mut points = Points(3);
    for (shape, count) in [(vec![0], 0), (vec![0, 5], 5), (vec![3, 0], 0), (vec![4], 0)] {
        let case =
            Case { shape, dtype: DType::F32, descending: false, count, values: true, indices: true, strided: false };
        assert!(check(&mut points, &case).launches.is_empty());
    }
}

/// Zeros and what is not a number keep their bits and their order.
#[test]
fn equal_elements_keep_their_order() {
    let length = 20_000;
    let kinds = [0.0f32, -0.0, f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001), f32::INFINITY, -f32::INFINITY];
    let mut input = Memory::noise(4 * length);
    for n in 0..length {
        let kind = kinds[(n.wrapping_mul(2_654_435_761usize) >> 8) % kinds.len()];
        input.bytes_mut()[4 * n..][..4].copy_from_slice(&kind.to_ne_bytes());
    }
    for descending in [false, true] {
        let (values, indices) = (Memory::noise(4 * length), Memory::noise(8 * length));
        run(&work(&Command::Sort(Box::new(Sort {
            shape: [length][..].into(),
            dtype: DType::F32,
            input: strided(input.address(), &[1]),
            descending,
            count: length,
            values: Some(strided(values.address(), &[1])),
            indices: Some(strided(indices.address(), &[1])),
        }))));
        let sequence: Vec<Scalar> = (0..length).map(|n| element(&input, DType::F32, n)).collect();
        for (n, from) in order::sorted(&sequence, descending).into_iter().enumerate() {
            assert_eq!(bytes(&values, DType::F32, n), bytes(&input, DType::F32, from), "{n}");
            assert_eq!(bytes(&indices, DType::I64, n), (from as i64).to_ne_bytes(), "{n}");
        }
    }
}
