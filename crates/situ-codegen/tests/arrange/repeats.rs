//! Each element as often as integers say.

use situ_codegen::Dialect;
use situ_hal::{Command, Repeat, Times};

use crate::host::layouts::{cases, place, steps};
use crate::host::runner::{Memory, at, run, strided, work};
use crate::host::snapshots::compare;

#[test]
fn repeated_elements_and_blocks() {
    cases(|points| {
        let mut others: Vec<usize> = (0..points.below(3)).map(|_| 1 + points.below(12)).collect();
        let length = 1 + points.below(if others.is_empty() { 3000 } else { 20 });
        let every = (points.below(3) == 0).then(|| 1 + points.below(5));
        let counts: Vec<usize> = (0..length).map(|_| every.unwrap_or_else(|| points.below(4))).collect();
        let total: usize = counts.iter().sum();
        let width = 1usize << points.below(5);
        others.push(length);
        let shape = others.clone();
        others[shape.len() - 1] = total.max(1);
        let ((from, before, after), (to, to_before, to_after)) = (steps(points, &shape), steps(points, &others));
        let off = if width == 16 { 8 * points.below(2) } else { 0 };
        let source = Memory::noise((before + after + 1) * width + off);
        let untouched = Memory::new((to_before + to_after + 1) * width, |n| (n * 31 + 5) as u8);
        let mut target = untouched.clone();
        let ends: Vec<i64> = (0..length).map(|i| counts[..=i].iter().sum::<usize>() as i64).collect();
        let work = work(&Command::Repeat(Box::new(Repeat {
            shape: shape[..].into(),
            width,
            source: strided(source.address() + before * width + off, &from),
            target: strided(target.address() + to_before * width, &to),
            times: every.map_or(Times::Each { ends: at(ends.as_ptr() as usize), total }, Times::Every),
        })));
        run(&work);
        let found = target.bytes_mut();
        let others_size: usize = shape[..shape.len() - 1].iter().product();
        for row in 0..others_size {
            let mut next = 0;
            for (i, &count) in counts.iter().enumerate() {
                let from = place(row * length + i, &shape, &from) * width as isize;
                let from = (before * width + off) as isize + from;
                let bytes = &source.bytes()[from as usize..][..width];
                for _ in 0..count {
                    let to = place(row * total + next, &others, &to) * width as isize;
                    let to = ((to_before * width) as isize + to) as usize;
                    assert_eq!(&found[to..to + width], bytes, "{shape:?} {work:?}");
                    found[to..to + width].copy_from_slice(&untouched.bytes()[to..to + width]);
                    next += 1;
                }
            }
        }
        assert!(target == untouched, "something else was written: {work:?}");
    });
}

#[test]
fn texts_are_as_they_were() {
    let command = Command::Repeat(Box::new(Repeat {
        shape: [64, 100][..].into(),
        width: 4,
        source: strided(64, &[1, 64]),
        target: strided(4096, &[1, 64]),
        times: Times::Each { ends: at(64), total: 200 },
    }));
    // A row of 64 elements is repeated as a whole, 16 bytes at a time.
    compare(&work(&command), 0, Dialect::Cuda, "repeat_16.cu");
}
