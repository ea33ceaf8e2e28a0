//! What comes before the next group of a scan.

use super::Combiner;
use super::memory::Memory;
use situ_ir::tree::RADIX;

/// The levels of a scan's tree above some groups whose totals arrive one after another, for so many sequences side by
/// side.
#[derive(Debug)]
pub(super) struct Carry {
    combiner: Combiner,
    columns: usize,
    levels: Vec<Level>,
    /// What comes before the next group.
    before: Memory,
}

#[derive(Debug)]
struct Level {
    /// The totals of this group so far, combined.
    running: Memory,
    count: usize,
}

impl Carry {
    pub(super) fn new(combiner: &Combiner, columns: usize) -> Carry {
        Carry { combiner: *combiner, columns, levels: Vec::new(), before: Memory::new(columns * combiner.width) }
    }

    /// Forgets everything: another sequence begins.
    pub(super) fn clear(&mut self) {
        self.levels.iter_mut().for_each(|level| level.count = 0);
    }

    /// What comes before the next group, if anything does.
    pub(super) fn before(&mut self) -> Option<*const u8> {
        let before = self.before.start();
        let mut any = false;
        // From the top down: what comes before a group of groups first.
        for level in self.levels.iter_mut().rev().filter(|level| level.count > 0) {
            let running = level.running.start();
            // SAFETY: a level that has counted something holds it, for all columns.
            unsafe { (self.combiner.loops.fold)(before, running, 0, 1, self.columns, any) };
            any = true;
        }
        any.then_some(before.cast_const())
    }

    /// Takes the next group's total.
    ///
    /// # Safety
    ///
    /// There are so many aligned values there.
    pub(super) unsafe fn push(&mut self, total: *const u8) {
        let (fold, columns, width) = (self.combiner.loops.fold, self.columns, self.combiner.width);
        let mut total = total;
        for n in 0.. {
            if n == self.levels.len() {
                self.levels.push(Level { running: Memory::new(columns * width), count: 0 });
            }
            let level = &mut self.levels[n];
            let running = level.running.start();
            // SAFETY: the caller's promise; a level has room for all columns.
            unsafe { fold(running, total, 0, 1, columns, level.count > 0) };
            level.count += 1;
            if level.count < RADIX {
                return;
            }
            level.count = 0;
            total = running.cast_const();
        }
    }
}
