//! Gather and scatter through bins.

use std::cell::Cell;

use situ_codegen::indexing::{Indices, Mode, Room, Strided, Transfer, Work, gather_by_bins, scatter_by_bins};
use situ_types::DType;

use crate::cases;
use crate::host::points::Points;
use crate::transfers::transfers;

/// Room in which an array has between some and many bins, and elements go there in several chunks.
fn room(points: &mut Points, transfer: &Transfer<'_>) -> Room {
    let swing = |guide: &Indices<'_>| if guide.length > 1 { (guide.length - 1) * guide.step.unsigned_abs() } else { 0 };
    let span = 1 + transfer.indices.iter().map(swing).sum::<usize>();
    let bins = 7 + points.below(120);
    Room {
        scratch: (1 << 16) + (1 + points.below(4)) * 2048 * 20,
        cache: (span * transfer.width * 6).div_ceil(bins),
        least: points.below(2000),
    }
}

fn moved_as_in_a_loop(scatters: bool, plan: impl Fn(&Transfer<'_>, Room) -> Option<Work>) {
    let (all, moved) = (Cell::new(0), Cell::new(0));
    // Most spaces are not for bins: too small, or with rows.
    for _ in 0..2 {
        cases(|points| {
            *points = Points(points.number().wrapping_add(all.get()));
            let lengths = [&[3000][..], &[60, 60], &[12; 3]][points.below(3)];
            let planned = |points: &mut Points, transfer: &Transfer<'_>| plan(transfer, room(points, transfer));
            moved.set(moved.get() + u64::from(transfers(points, scatters, lengths, planned)));
            all.set(all.get() + 1);
        });
    }
    assert!(moved.get() * 12 >= all.get(), "only {} of {} spaces had bins", moved.get(), all.get());
}

#[test]
fn elements_and_verdicts_gathered_from_bins() {
    moved_as_in_a_loop(false, gather_by_bins);
}

#[test]
fn elements_scattered_to_bins() {
    moved_as_in_a_loop(true, scatter_by_bins);
}

/// A gather of so many elements of 4 bytes from an array of some length.
fn planned(size: usize, length: usize, width: usize, own: isize, room: Room) -> Option<Work> {
    let one = Strided { address: 64, strides: &[0, 1] };
    let guide = Indices { indices: one, dtype: DType::I64, length, step: 1, mode: Mode::Checked, verdict: false };
    let array = Strided { address: 64, strides: &[own, 0] };
    gather_by_bins(&Transfer { shape: &[2, size / 2], width, array, elements: one, indices: &[guide] }, room)
}

#[test]
fn bins_are_for_many_elements_of_large_arrays_without_rows() {
    let room = Room { scratch: 1 << 30, cache: 60 << 20, least: 1 << 24 };
    let (size, length) = (1 << 26, 1 << 26);
    let work = planned(size, length, 4, 0, room).unwrap();
    assert!(work.launches.len() == 4 && work.scratch <= room.scratch, "{}", work.scratch);
    assert!(planned(room.least - 2, length, 4, 0, room).is_none(), "few elements");
    assert!(planned(size, 1 << 24, 4, 0, room).is_none(), "the cache holds most of the array");
    assert!(planned(size, 1 << 31, 4, 0, room).is_none(), "more bins than threads of a block");
    assert!(planned(size, (1 << 28) + 1, 4, 0, room).is_none(), "sectors are used less than twice");
    assert!(planned(size, length, 16, 0, room).is_none(), "wide elements");
    assert!(planned(size, length, 4, 1, room).is_none(), "the array moves by itself");
    for scratch in [0, 1 << 16, 1 << 20] {
        assert!(planned(size, length, 4, 0, Room { scratch, ..room }).is_none(), "no room");
    }
    let small = Room { scratch: 1 << 28, ..room };
    let work = planned(size, length, 4, 0, small).unwrap();
    assert!(work.launches.len() > 4 && work.scratch <= small.scratch, "several chunks: {}", work.scratch);
    let visits = [2, 5].map(|n| format!("{:?}", work.launches[n]));
    assert!(visits[0].contains("Visited") && visits[0] != visits[1], "each chunk counts for itself: {visits:?}");
}
