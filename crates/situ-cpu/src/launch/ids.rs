//! Where the work-items of a block are.

use situ_ir::kernel::{MAX_AXES, Position, SUB_GROUP, SubGroup};

use super::frame::{Form, Frame};
use super::linear::Line;
use super::plan::{Given, Register};

impl Frame<'_> {
    /// Writes what is the same in all blocks.
    pub(super) fn give(&mut self) {
        let plan = self.launched.plan;
        for (register, given) in &plan.given {
            match given {
                Given::Constant(bytes) => self.put(*register, bytes),
                Given::Parameter(n) => self.put(*register, &self.launched.numbers[*n]),
                Given::Extent(array, axis) => {
                    let length = self.launched.arrays[array.index()].shape.get(*axis).copied().unwrap_or_default();
                    self.put_integer(*register, length);
                }
                Given::Position(..) | Given::SubGroup(_) => {}
            }
        }
    }

    fn put_integer(&mut self, register: Register, integer: usize) {
        self.put(register, &(integer as i64).to_ne_bytes());
    }

    fn put_line(&mut self, register: Register, first: usize, step: i64) {
        self.wrote(register, Form::Line(Line { first: first as i64, step }));
    }

    fn put_each(&mut self, register: Register, mut integer: impl FnMut(usize) -> usize) {
        let to = self.cells[register].own.cast::<i64>();
        for lane in 0..self.lanes {
            // SAFETY: a register has room for an int64 of each work-item.
            unsafe { to.add(lane).write(integer(lane) as i64) };
        }
        self.wrote(register, Form::Each);
    }

    /// Writes where the work-items of a block are: a group, or so many from the first on.
    pub(super) fn place(&mut self) {
        let plan = self.launched.plan;
        for (register, given) in &plan.given {
            match given {
                Given::Position(position, axis) => self.place_along(*register, *position, *axis),
                Given::SubGroup(what) if !self.has_local_ids => self.place_in_sub_group(*register, *what),
                _ => {}
            }
        }
        self.has_local_ids = self.launched.is_grouped;
    }

    fn place_along(&mut self, register: Register, position: Position, axis: usize) {
        let (global, local) = (self.launched.range.global(), self.launched.local);
        match position {
            Position::GlobalSize => self.put_integer(register, global[axis]),
            Position::LocalSize => self.put_integer(register, local[axis]),
            Position::GroupCount => self.put_integer(register, global[axis] / local[axis]),
            _ if self.launched.is_grouped => self.place_in_group(register, position, axis),
            _ => self.place_in_range(register, position, axis),
        }
    }

    fn place_in_group(&mut self, register: Register, position: Position, axis: usize) {
        let local = self.launched.local;
        let group = index(self.first, self.launched.range.groups_of(local))[axis];
        let first = match position {
            Position::GroupId => return self.put_integer(register, group),
            Position::GlobalId => group * local[axis],
            _ if self.has_local_ids => return,
            _ => 0,
        };
        // How often an index stays the same, and whether it begins again.
        let times: usize = local[axis + 1..].iter().product();
        match (local[axis], times * local[axis] == self.lanes) {
            (1, _) => self.put_integer(register, first),
            (_, true) if times == 1 => self.put_line(register, first, 1),
            _ => self.put_each(register, |lane| first + lane / times % local[axis]),
        }
    }

    fn place_in_range(&mut self, register: Register, position: Position, axis: usize) {
        let (global, local) = (self.launched.range.global(), self.launched.local[axis]);
        let begin = index(self.first, global);
        let is_last = global[axis + 1..].iter().all(|&length| length == 1);
        let length = global[axis];
        if is_last && begin[axis] + self.lanes <= length {
            let at = begin[axis];
            let (group, inside) = (at / local, at % local);
            return match position {
                Position::GlobalId => self.put_line(register, at, 1),
                Position::LocalId if inside + self.lanes <= local => self.put_line(register, inside, 1),
                Position::LocalId => self.put_each(register, |lane| (inside + lane) % local),
                _ if inside + self.lanes <= local => self.put_integer(register, group),
                _ => self.put_each(register, |lane| (at + lane) / local),
            };
        }
        let times: usize = global[axis + 1..].iter().product();
        let of = |id: usize| match position {
            Position::GlobalId => id,
            Position::LocalId => id % local,
            _ => id / local,
        };
        let first = self.first;
        if first / times == (first + self.lanes - 1) / times {
            return self.put_integer(register, of(begin[axis]));
        }
        self.put_each(register, |lane| of((first + lane) / times % length));
    }

    fn place_in_sub_group(&mut self, register: Register, what: SubGroup) {
        let lanes = self.lanes;
        match what {
            SubGroup::Id => self.put_each(register, |lane| lane % SUB_GROUP),
            SubGroup::Size => self.put_each(register, |lane| SUB_GROUP.min(lanes - lane / SUB_GROUP * SUB_GROUP)),
            SubGroup::GroupId => self.put_each(register, |lane| lane / SUB_GROUP),
            SubGroup::GroupCount => self.put_integer(register, lanes.div_ceil(SUB_GROUP)),
        }
    }

    /// The work-item of a lane, counted through the whole range.
    pub(super) fn item(&self, lane: usize) -> usize {
        if !self.launched.is_grouped {
            return self.first + lane;
        }
        let (global, local) = (self.launched.range.global(), self.launched.local);
        let group = index(self.first, self.launched.range.groups_of(local));
        let inside = index(lane, local);
        (0..MAX_AXES).fold(0, |item, axis| item * global[axis] + group[axis] * local[axis] + inside[axis])
    }
}

/// The index of a position, the last axis first.
fn index(position: usize, [_, middle, last]: [usize; MAX_AXES]) -> [usize; MAX_AXES] {
    [position / (middle * last), position / last % middle, position % last]
}
