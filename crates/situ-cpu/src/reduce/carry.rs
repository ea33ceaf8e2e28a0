//! The levels of the tree above groups whose totals arrive one after another.

use situ_ir::tree::RADIX;

use super::Combiner;
use super::memory::Memory;

/// More levels than there can be: as many groups would not fit a machine word.
const LEVELS: usize = 16;

/// What the totals of groups come to, level by level, for so many sequences side by side.
#[derive(Debug)]
pub(super) struct Carry {
    combiner: Combiner,
    columns: usize,
    /// For each level the totals of its unfinished group, combined.
    running: Memory,
    /// How many those are.
    counts: [usize; LEVELS],
    /// Room for one more row.
    spare: Memory,
}

impl Carry {
    pub(super) fn new(combiner: &Combiner, columns: usize) -> Carry {
        let row = columns * combiner.part;
        let (running, spare) = (Memory::new(LEVELS * row), Memory::new(row));
        Carry { combiner: *combiner, columns, running, counts: [0; LEVELS], spare }
    }

    /// Forgets everything: another sequence begins.
    pub(super) fn clear(&mut self) {
        self.counts = [0; LEVELS];
    }

    /// Where a level's row is.
    fn row(&mut self, level: usize) -> *mut u8 {
        self.running.start().wrapping_add(level * self.columns * self.combiner.part)
    }

    /// Takes the next group's total.
    ///
    /// # Safety
    ///
    /// There are so many aligned values there.
    pub(super) unsafe fn push(&mut self, total: *const u8) {
        let mut total = total;
        for level in 0..LEVELS {
            let running = self.row(level);
            // SAFETY: the caller's promise; there is room for a row on every level, and no two are the same.
            unsafe { (self.combiner.loops.fold)(running, total, 0, 1, self.columns, self.counts[level] > 0) };
            self.counts[level] += 1;
            if self.counts[level] < RADIX {
                return;
            }
            self.counts[level] = 0;
            total = running;
        }
    }

    /// What comes before the next group of a scan, if anything does.
    pub(super) fn before(&mut self) -> Option<*const u8> {
        let (before, mut any) = (self.spare.start(), false);
        // From the top down: what comes before a group of groups first.
        for level in (0..LEVELS).rev().filter(|level| self.counts[*level] > 0).collect::<Levels>() {
            let running = self.row(level);
            // SAFETY: a level that has counted something holds it, for all columns.
            unsafe { (self.combiner.loops.fold)(before, running, 0, 1, self.columns, any) };
            any = true;
        }
        any.then_some(before.cast_const())
    }

    /// What all totals come to: an unfinished group is the last of the group above it. There has been one at least.
    ///
    /// # Safety
    ///
    /// There is room for a row at `to`.
    pub(super) unsafe fn total(&mut self, to: *mut u8) {
        let (fold, columns, spare) = (self.combiner.loops.fold, self.columns, self.spare.start());
        let mut any = false;
        for level in (0..LEVELS).filter(|level| self.counts[*level] > 0).collect::<Levels>() {
            let running = self.row(level);
            // SAFETY: the caller's promise; a level that has counted something holds it, for all columns.
            unsafe {
                if any {
                    fold(spare, running, 0, 1, columns, false);
                    fold(spare, to, 0, 1, columns, true);
                    fold(to, spare, 0, 1, columns, false);
                } else {
                    fold(to, running, 0, 1, columns, false);
                }
            }
            any = true;
        }
    }
}

type Levels = smallvec::SmallVec<[usize; LEVELS]>;
