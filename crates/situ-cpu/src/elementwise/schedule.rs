//! What happens to each tile: the program's steps, with a place for every value.

use situ_ir::{Op, Program, Step, StepKind, Value};
use situ_types::DTypeKind;
use smallvec::{SmallVec, smallvec};

use super::kernel::Loop;
use super::nest::{Access, Cut, Nest};
use super::table::{loop_by_one, loop_of};
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

struct Values<'a> {
    nest: &'a Nest,
    rates: SmallVec<[Rate; 8]>,
    places: SmallVec<[Option<Place>; 8]>,
    /// The output operand a value's tile is written to at once.
    direct: SmallVec<[Option<usize>; 8]>,
    /// Inputs that an output will overwrite before another output reads them.
    endangered: SmallVec<[bool; 8]>,
    free: SmallVec<[usize; 8]>,
    schedule: Schedule,
}

impl Schedule {
    /// Plans a program over a nest; `streams` asks for outputs to be written past the caches.
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
            nest,
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
            (0..outputs.len()).map(|n| values.choose_delivery(inputs, outputs, n, streams)).collect();

        for (n, step) in steps.iter().enumerate() {
            let value = inputs + n;
            let ready = |arg: &Value| (values.ready(arg.index()), program.dtype_of(*arg).size());
            let args: SmallVec<[Arg; 3]> = step.args.iter().map(ready).collect();
            let from = step.args.first().map_or(step.dtype, |arg| program.dtype_of(*arg));
            let (width, to) = (step.dtype.size(), values.destination(value));
            let by_row = args.iter().map(|arg| arg.0).chain([to]).any(|place| values.has_rows_apart(place));
            let last = step.args.last().map(|arg| arg.index());
            let ends_with_one = last.is_some_and(|n| n < inputs && nest.access(n) == Access::Uniform);
            let body = (if ends_with_one { loop_by_one } else { loop_of })(isa, step.kind, from, step.dtype);
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
        let widest = program.inputs().iter().copied().chain(steps.iter().map(|step| step.dtype));
        let widest = widest.map(|dtype| dtype.size()).max().unwrap_or(1);
        if let Cut::Bands { rows, columns } = nest.cut {
            values.schedule.tile = rows * columns;
        } else if values.schedule.slots > 0 {
            if streams && nest.cut == Cut::Pieces {
                let is_looked_at =
                    |n: &usize| !steps.iter().any(|step| looks_away(step, program) && step.args[0].index() == *n);
                let looked_at = (0..inputs).filter(is_looked_at);
                values.schedule.fetched = looked_at.filter_map(|n| Some((n, nest.next_line(n)?))).collect();
            }
            let bytes = if values.schedule.fetched.is_empty() { TILE_BYTES } else { FAR_TILE_BYTES };
            values.schedule.tile = bytes / widest;
        }
        if values.schedule.slots > 0 {
            values.schedule.slot_bytes = (values.schedule.tile * widest).next_multiple_of(LINE) + SLOT_MARGIN;
        }
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
    fn choose_delivery(&mut self, inputs: usize, outputs: &[Value], n: usize, streams: bool) -> Delivery {
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
            return Delivery::Streamed;
        }
        if !overlaps && self.rates[value] == Rate::EachTile {
            self.direct[value].get_or_insert(operand);
        }
        Delivery::Copied
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
            Some(operand) => Place::Operand(operand),
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

/// Whether the answer of a step does not depend on what it reads, which its loop then does not: no integer is infinite.
fn looks_away(step: &Step, program: &Program) -> bool {
    let asks = matches!(step.kind, StepKind::Apply(Op::Isnan | Op::Isinf | Op::Isfinite));
    asks && program.dtype_of(step.args[0]).kind() < DTypeKind::Float
}
