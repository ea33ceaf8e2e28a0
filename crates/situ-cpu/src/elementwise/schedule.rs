//! What happens to each tile: the program's steps, with a place for every value.

use situ_ir::{Program, Step, Value};
use situ_types::DType;
use smallvec::{SmallVec, smallvec};

use super::cost;
use super::kernel::Loop;
use super::nest::{Access, Cut, Nest};
use super::table::{loop_by_one, loop_for, loop_streamed};
use crate::bytes::LINE;
use crate::isa::Isa;

/// Bytes of the widest value in a tile: temporaries of a short program and its inputs fit the first-level cache.
const TILE_BYTES: usize = 4096;

/// The same where operands come from memory and results go there: so little that fetching the tile after next and
/// writing this one keep memory busy in turns.
const FAR_TILE_BYTES: usize = 1024;

/// Shorter dense runs are not worth streaming: too many of their lines are shared with a neighbour.
const STREAMED_RUN: usize = 4096;

/// Where a value's tile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the operand's own memory, side by side.
    Operand(usize),
    /// In scratch memory.
    Slot(usize),
}

/// How results get from a tile to an operand's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delivery {
    Copied,
    /// Past the caches.
    Streamed,
    /// Each element to its own place.
    Scattered,
}

/// A value that a loop reads or writes, and the width of its elements.
pub(super) type Arg = (Place, usize);

/// One thing done to a tile.
#[derive(Debug)]
pub(super) enum Action {
    /// Repeats an operand's one element.
    Repeat { operand: usize, slot: usize },
    /// Brings an operand's elements together.
    Collect { operand: usize, to: Place },
    /// Writes the elements' positions.
    Count { to: Place },
    /// Runs a step's loop: once for the tile, or for each of its rows.
    Run { body: Loop, args: SmallVec<[Arg; 3]>, to: Arg, by_row: bool },
    /// Writes an output.
    Deliver { operand: usize, from: Place, how: Delivery },
}

/// How often a value has to be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rate {
    Once,
    EachRow,
    EachTile,
}

/// The actions of a program over a nest.
#[derive(Debug)]
pub(super) struct Schedule {
    /// Done before anything else.
    pub(super) once: SmallVec<[Action; 2]>,
    /// Done at the start of each row; empty unless rows are walked one by one.
    pub(super) each_row: SmallVec<[Action; 1]>,
    /// Done for each tile.
    pub(super) each_tile: SmallVec<[Action; 4]>,
    /// Slots of scratch memory in use.
    pub(super) slots: usize,
    /// A slot's distance from the next: a tile, and enough more that no two slots nearly share their place modulo 4096,
    /// which would make loads wait for unrelated stores.
    pub(super) slot_bytes: usize,
    /// The most elements in a tile.
    pub(super) tile: usize,
    /// A streamed output, whose lines tiles should not split.
    pub(super) streamed: Option<usize>,
    /// Inputs that are fetched some tiles ahead, and how many elements on the next line is.
    pub(super) fetched: SmallVec<[(usize, usize); 3]>,
}

/// What a slot has beyond a tile.
const SLOT_MARGIN: usize = 512;

/// An output that a value is written to as it is computed.
#[derive(Clone, Copy, Debug)]
struct Direct {
    operand: usize,
    /// The loop that does so with non-temporal stores.
    streamed: Option<Loop>,
}

struct Values<'a> {
    program: &'a Program,
    nest: &'a Nest,
    isa: Isa,
    rates: SmallVec<[Rate; 8]>,
    places: SmallVec<[Option<Place>; 8]>,
    /// Values whose tiles are written to an output at once.
    direct: SmallVec<[Option<Direct>; 8]>,
    /// Inputs that an output will overwrite before another output reads them.
    endangered: SmallVec<[bool; 8]>,
    free: SmallVec<[usize; 8]>,
    schedule: Schedule,
}

impl Schedule {
    /// Plans a program over a nest; `streams` asks for non-temporal stores of the outputs.
    pub(super) fn new(program: &Program, nest: &Nest, isa: Isa, streams: bool) -> Schedule {
        let (inputs, steps, outputs) = (program.inputs().len(), program.steps(), program.outputs());
        let count = inputs + steps.len();
        let mut rates: SmallVec<[Rate; 8]> = (0..inputs).map(|n| rate_of(nest.access(n))).collect();
        let mut last_use: SmallVec<[usize; 8]> = (0..count).map(|v| v.saturating_sub(inputs)).collect();
        for (n, step) in steps.iter().enumerate() {
            rates.push(step.args.iter().map(|arg| rates[arg.index()]).max().unwrap_or(Rate::EachTile));
            step.args.iter().for_each(|arg| last_use[arg.index()] = n);
        }
        outputs.iter().for_each(|value| last_use[value.index()] = usize::MAX);

        let mut values = Values {
            program,
            nest,
            isa,
            rates,
            places: smallvec![None; count],
            direct: smallvec![None; count],
            endangered: smallvec![false; count],
            free: SmallVec::new(),
            schedule: Schedule {
                once: SmallVec::new(),
                each_row: SmallVec::new(),
                each_tile: SmallVec::new(),
                slots: 0,
                slot_bytes: 0,
                tile: usize::MAX,
                streamed: None,
                fetched: SmallVec::new(),
            },
        };
        let deliveries: SmallVec<[Delivery; 2]> =
            (0..outputs.len()).map(|n| values.choose_delivery(n, streams)).collect();

        for (n, step) in steps.iter().enumerate() {
            let value = inputs + n;
            let ready = |arg: &Value| (values.ready(arg.index()), program.dtype_of(*arg).size());
            let args: SmallVec<[Arg; 3]> = step.args.iter().map(ready).collect();
            let (width, to) = (step.dtype.size(), values.destination(value));
            let by_row = args.iter().map(|arg| arg.0).chain([to]).any(|place| values.has_rows_apart(place));
            let (from, ends_with_one) = values.reading(step);
            let streamed = values.direct[value].and_then(|direct| direct.streamed);
            let body = streamed.unwrap_or_else(|| loop_for(isa, step.kind, from, step.dtype, ends_with_one));
            values.push(value, Action::Run { body, args, to: (to, width), by_row });
            for used in step.args.iter().map(|arg| arg.index()).chain([value]) {
                if last_use[used] == n {
                    values.release(used);
                }
            }
        }
        outputs.iter().for_each(|value| {
            values.ready(value.index());
        });
        for (n, (value, &how)) in outputs.iter().zip(&deliveries).enumerate() {
            let (operand, from) = (inputs + n, values.ready(value.index()));
            if from != Place::Operand(operand) {
                values.schedule.each_tile.push(Action::Deliver { operand, from, how });
            }
        }
        values.choose_tile(streams);
        values.schedule
    }
}

fn rate_of(access: Access) -> Rate {
    match access {
        Access::Uniform | Access::Repeated => Rate::Once,
        Access::PerRow => Rate::EachRow,
        Access::Dense | Access::Scattered | Access::Position => Rate::EachTile,
    }
}

impl Values<'_> {
    /// Decides how the `n`-th output is delivered, and notes what follows from it.
    fn choose_delivery(&mut self, n: usize, streams: bool) -> Delivery {
        let (inputs, outputs) = (self.program.inputs().len(), self.program.outputs());
        let (operand, value) = (inputs + n, outputs[n].index());
        let mut overlaps = false;
        for input in (0..inputs).filter(|&input| self.nest.may_overlap(input, operand)) {
            overlaps = true;
            self.endangered[input] |= outputs.iter().any(|other| other.index() == input);
        }
        if self.nest.access(operand) != Access::Dense {
            return Delivery::Scattered;
        }
        if !overlaps && streams && self.nest.dense_run(operand) >= STREAMED_RUN {
            self.schedule.streamed.get_or_insert(operand);
            if let Some(body) = self.streamed_loop(value) {
                self.direct[value].get_or_insert(Direct { operand, streamed: Some(body) });
            }
            return Delivery::Streamed;
        }
        if !overlaps && self.rates[value] == Rate::EachTile {
            self.direct[value].get_or_insert(Direct { operand, streamed: None });
        }
        Delivery::Copied
    }

    /// The dtype a step reads, and whether its last operand is one value for all elements.
    fn reading(&self, step: &Step) -> (DType, bool) {
        let from = step.args.first().map_or(step.dtype, |arg| self.program.dtype_of(*arg));
        let is_one =
            |arg: &Value| arg.index() < self.program.inputs().len() && self.nest.access(arg.index()) == Access::Uniform;
        (from, step.args.last().is_some_and(is_one))
    }

    /// The loop that computes a value and writes it with non-temporal stores, if there is one, it is the better way and nothing
    /// else needs the value.
    ///
    /// It is better where there is much to compute, and where a single operand comes from memory. Two would take turns
    /// with the results, which memory likes less than tiles.
    fn streamed_loop(&self, value: usize) -> Option<Loop> {
        let (inputs, steps) = (self.program.inputs().len(), self.program.steps());
        let step = steps.get(value.checked_sub(inputs)?)?;
        let (from, ends_with_one) = self.reading(step);
        if ends_with_one && loop_by_one(self.isa, step.kind, from).is_some() {
            return None;
        }
        let args = || step.args.iter().map(|arg| arg.index());
        let is_at_hand = |n: usize| self.is_dense_input(n) || self.rates[n] == Rate::Once;
        let is_far = |n: &usize| *n < inputs && self.nest.next_line(*n).is_some();
        let moves_one = || args().all(is_at_hand) && args().filter(is_far).count() == 1;
        let is_better = cost::is_long(step.kind, from, step.dtype) || moves_one();
        let is_needed = steps.iter().any(|step| step.args.iter().any(|arg| arg.index() == value));
        let is_suited = self.rates[value] == Rate::EachTile && is_better && !is_needed;
        if is_suited { loop_streamed(self.isa, step.kind, from) } else { None }
    }

    fn is_dense_input(&self, value: usize) -> bool {
        value < self.program.inputs().len() && self.nest.access(value) == Access::Dense
    }

    /// Decides how long tiles are, and what is fetched for them.
    fn choose_tile(&mut self, streams: bool) {
        if let Cut::Bands { rows, columns } = self.nest.cut {
            self.schedule.tile = rows * columns;
        }
        if self.schedule.slots == 0 {
            return;
        }
        let (inputs, steps) = (self.program.inputs(), self.program.steps());
        let widest = inputs.iter().copied().chain(steps.iter().map(|step| step.dtype));
        let widest = widest.map(|dtype| dtype.size()).max().unwrap_or(1);
        if streams && self.nest.cut == Cut::Pieces {
            let fetched = (0..inputs.len()).filter(|n| self.is_fetched(*n));
            self.schedule.fetched = fetched.filter_map(|n| Some((n, self.nest.next_line(n)?))).collect();
        }
        if !matches!(self.nest.cut, Cut::Bands { .. }) {
            let bytes = if self.schedule.fetched.is_empty() { TILE_BYTES } else { FAR_TILE_BYTES };
            self.schedule.tile = bytes / widest;
        }
        self.schedule.slot_bytes = (self.schedule.tile * widest).next_multiple_of(LINE) + SLOT_MARGIN;
    }

    /// Whether an input should be fetched for a tile: loops with non-temporal stores fetch what they read.
    fn is_fetched(&self, input: usize) -> bool {
        let inputs = self.program.inputs().len();
        !self.program.steps().iter().enumerate().any(|(n, step)| {
            let is_streamed = || self.direct[inputs + n].is_some_and(|direct| direct.streamed.is_some());
            let is_read = step.args.iter().any(|arg| arg.index() == input);
            is_read && is_streamed() && self.is_dense_input(input)
        })
    }

    /// The place of a value, which an input may have to be brought to first.
    fn ready(&mut self, value: usize) -> Place {
        if let Some(place) = self.places[value] {
            return place;
        }
        let operand = value;
        let action = match self.nest.access(operand) {
            Access::Dense if !self.endangered[operand] => {
                self.places[value] = Some(Place::Operand(operand));
                return Place::Operand(operand);
            }
            Access::Uniform | Access::PerRow => {
                let slot = self.take_slot(value);
                self.places[value] = Some(Place::Slot(slot));
                Action::Repeat { operand, slot }
            }
            Access::Position => Action::Count { to: self.destination(value) },
            Access::Dense | Access::Repeated | Access::Scattered => {
                Action::Collect { operand, to: self.destination(value) }
            }
        };
        self.push(value, action);
        self.places[value].unwrap_or(Place::Operand(operand))
    }

    /// Whether a tile's rows lie apart in a place.
    fn has_rows_apart(&self, place: Place) -> bool {
        matches!(place, Place::Operand(n) if !self.nest.joins_rows(n))
    }

    /// Chooses where a value is written.
    fn destination(&mut self, value: usize) -> Place {
        let place = match self.direct[value] {
            Some(direct) => Place::Operand(direct.operand),
            None => Place::Slot(self.take_slot(value)),
        };
        self.places[value] = Some(place);
        place
    }

    /// A slot for a value. One that keeps its contents from tile to tile never shares it: what used it before in a
    /// tile would use it again in the next.
    fn take_slot(&mut self, value: usize) -> usize {
        let used = if self.rates[value] == Rate::EachTile { self.free.pop() } else { None };
        used.unwrap_or_else(|| {
            self.schedule.slots += 1;
            self.schedule.slots - 1
        })
    }

    /// Gives a value's slot to later ones, unless it keeps its contents from tile to tile.
    fn release(&mut self, value: usize) {
        if let (Some(Place::Slot(slot)), Rate::EachTile) = (self.places[value], self.rates[value])
            && !self.free.contains(&slot)
        {
            self.free.push(slot);
        }
    }

    fn push(&mut self, value: usize, action: Action) {
        match self.rates[value] {
            Rate::Once => self.schedule.once.push(action),
            Rate::EachRow => self.schedule.each_row.push(action),
            Rate::EachTile => self.schedule.each_tile.push(action),
        }
    }
}
