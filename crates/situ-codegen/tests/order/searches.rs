//! Where elements belong among sorted ones.

use situ_hal::{Command, Question, Search};
use situ_ir::order;
use situ_ir::order::Side;
use situ_types::Scalar;

use crate::host::layouts::{cases, place, steps};
use crate::host::runner::{Memory, at, run, strided, work};
use crate::{any_dtype, bytes, element, elements};

#[test]
fn elements_are_found() {
    cases(|points| {
        let dtype = any_dtype(points);
        let (most, step) = ([1, 3, 100, 5000][points.below(4)], [1isize, 1, 2, -1, -3][points.below(5)]);
        let length = points.below(most);
        let unsorted = elements(points, dtype, length);
        let sequence: Vec<Scalar> = (0..length).map(|n| element(&unsorted, dtype, n)).collect();
        let in_order = order::sorted(&sequence, false);
        let mut sorted = Memory::noise((3 * length + 1) * dtype.size());
        let start = if step < 0 { length.saturating_sub(1) * step.unsigned_abs() } else { 0 };
        for (n, &from) in in_order.iter().enumerate() {
            let to = (start as isize + n as isize * step) as usize * dtype.size();
            sorted.bytes_mut()[to..][..dtype.size()].copy_from_slice(bytes(&unsorted, dtype, from));
        }
        let sequence: Vec<Scalar> = in_order.into_iter().map(|from| sequence[from]).collect();

        let shape: Vec<usize> = (0..points.below(4)).map(|_| points.below(40)).collect();
        let (own, before, after) = steps(points, &shape);
        // Some of the needles are there, if there is anything.
        let mut needles = elements(points, dtype, before + after + 1);
        for n in (0..before + after + 1).filter(|n| n % 2 == 0 && length > 0) {
            let from = points.below(length);
            needles.bytes_mut()[n * dtype.size()..][..dtype.size()].copy_from_slice(bytes(&unsorted, dtype, from));
        }
        let questions = [
            Question::Position(Side::Left),
            Question::Position(Side::Right),
            Question::Equal(true),
            Question::Equal(false),
        ];
        let question = questions[points.below(4)];
        let width = if matches!(question, Question::Equal(_)) { 1 } else { 8 };
        let (out_steps, out_before, out_after) = steps(points, &shape);
        let found = Memory::noise((out_before + out_after + 1) * width);
        let mut expected = found.clone();
        for n in 0..shape.iter().product() {
            let needle = element(&needles, dtype, (before as isize + place(n, &shape, &own)) as usize);
            let answer = match question {
                Question::Position(side) => order::position(&sequence, needle, side),
                Question::Equal(wanted) => {
                    usize::from(sequence.iter().any(|&element| order::equal(element, needle)) == wanted)
                }
            };
            let to = (out_before as isize + place(n, &shape, &out_steps)) as usize * width;
            expected.bytes_mut()[to..to + width].copy_from_slice(&answer.to_ne_bytes()[..width]);
        }
        run(&work(&Command::Search(Box::new(Search {
            shape: shape[..].into(),
            dtype,
            sorted: at(sorted.address() + start * dtype.size()),
            step,
            length,
            needles: strided(needles.address() + before * dtype.size(), &own),
            question,
            out: strided(found.address() + out_before * width, &out_steps),
        }))));
        assert!(found == expected, "{dtype} {length} {step} {shape:?} {question:?}");
    });
}
