//! Gather and scatter through bins.

use std::cell::Cell;

use situ_codegen::{DeviceLimits, Work, work_for};
use situ_hal::{Command, IndexMode, IndexOperand, Indexed};
use situ_types::DType;
use smallvec::smallvec;

use crate::cases;
use crate::host::points::Points;
use crate::host::runner::{LIMITS, strided};
use crate::transfers::transfers;

/// Limits under which an array has between some and many bins, and elements go there in several chunks.
fn limits(points: &mut Points, command: &Indexed) -> DeviceLimits {
    let swing = |operand: &IndexOperand| (operand.length - 1).saturating_mul(operand.step.unsigned_abs());
    let long = command.indices.iter().filter(|operand| operand.length > 1);
    let span = 1 + long.map(swing).sum::<usize>();
    let bins = 7 + points.below(120);
    DeviceLimits {
        scratch: (1 << 16) + (1 + points.below(4)) * 2048 * 20,
        cache: (span * command.width * 6).div_ceil(bins),
        sort_from: points.below(2000),
        ..LIMITS
    }
}

fn moved_as_in_a_loop(scatters: bool) {
    let (all, moved) = (Cell::new(0), Cell::new(0));
    // Most spaces are not for bins: too small, or with rows.
    for _ in 0..2 {
        cases(|points| {
            *points = Points(points.number().wrapping_add(all.get()));
            let lengths = [&[3000][..], &[60, 60], &[12; 3]][points.below(3)];
            let planned = |points: &mut Points, command: &Command| {
                let (Command::Gather(indexed) | Command::Scatter(indexed)) = command else { return None };
                Some(work_for(command, &limits(points, indexed)).unwrap()).filter(|work| work.has_leaner)
            };
            moved.set(moved.get() + u64::from(transfers(points, scatters, lengths, planned)));
            all.set(all.get() + 1);
        });
    }
    assert!(moved.get() * 12 >= all.get(), "only {} of {} spaces had bins", moved.get(), all.get());
}

#[test]
fn elements_and_verdicts_gathered_from_bins() {
    moved_as_in_a_loop(false);
}

#[test]
fn elements_scattered_to_bins() {
    moved_as_in_a_loop(true);
}

/// A gather of so many elements of a width from an array of some length, if it takes bins.
fn planned(size: usize, length: usize, width: usize, own: isize, limits: DeviceLimits) -> Option<Work> {
    let (indices, elements) = (strided(64, &[0, 1]), strided(64, &[0, 1]));
    let operand = IndexOperand { indices, dtype: DType::I64, length, step: 1, mode: IndexMode::Checked, verdict: None };
    let array = strided(64, &[own, 0]);
    let shape = smallvec![2, size / 2];
    let command = Command::Gather(Box::new(Indexed { shape, width, array, elements, indices: smallvec![operand] }));
    Some(work_for(&command, &limits).unwrap()).filter(|work| work.has_leaner)
}

#[test]
fn bins_are_for_many_elements_of_large_arrays_without_rows() {
    let room = LIMITS;
    let (size, length) = (1 << 26, 1 << 26);
    let work = planned(size, length, 4, 0, room).unwrap();
    assert!(work.launches.len() == 4 && work.scratch <= room.scratch, "{}", work.scratch);
    assert!(planned(room.sort_from - 2, length, 4, 0, room).is_none(), "few elements");
    assert!(planned(size, 1 << 24, 4, 0, room).is_none(), "the cache holds most of the array");
    assert!(planned(size, 1 << 31, 4, 0, room).is_none(), "more bins than threads of a block");
    assert!(planned(size, (1 << 28) + 1, 4, 0, room).is_none(), "sectors are used less than twice");
    assert!(planned(size, length, 16, 0, room).is_none(), "wide elements");
    assert!(planned(size, length, 4, 1, room).is_none(), "the array moves by itself");
    assert!(planned(size, length, 4, 0, room.without_scratch()).is_none(), "none is granted");
    for scratch in [1 << 16, 1 << 20] {
        assert!(planned(size, length, 4, 0, DeviceLimits { scratch, ..room }).is_none(), "no room");
    }
    let small = DeviceLimits { scratch: 1 << 28, ..room };
    let work = planned(size, length, 4, 0, small).unwrap();
    assert!(work.launches.len() > 4 && work.scratch <= small.scratch, "several chunks: {}", work.scratch);
    let visits = [2, 5].map(|n| format!("{:?}", work.launches[n]));
    assert!(visits[0].contains("BinVisit") && visits[0] != visits[1], "each chunk counts for itself: {visits:?}");
}
