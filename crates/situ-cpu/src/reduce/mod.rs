//! Commands that combine values along axes, in the order of [`situ_ir::tree`].
//!
//! * `kernel`, `search`, `table`: the loops, compiled for every combining op, dtype and instruction set.
//! * `truth`: those of `any` and `all`.
//! * `vectors`: what finds positions in the dtypes that are most used.
//! * `source`: the values of the map, where they lie or computed a tile at a time.
//! * `along`: results whose values are neighbours. Vectors hold lanes of one chunk.
//! * `across`: results that are neighbours themselves. Vectors hold values of several results.
//! * `moments`: loops for sums of squared deviations.
//! * `level`: the levels of the tree above that, and the finishing program.
//! * `scan`, `carry`: prefixes.
//!
//! Work is divided at the borders of groups of the tree, each of which is combined by one thread. What a group comes to
//! does not depend on who combined it, so that the number of threads changes nothing.

mod across;
mod along;
mod carry;
mod cost;
mod kernel;
mod level;
mod memory;
mod moments;
mod scan;
mod search;
mod source;
mod table;
mod truth;
#[cfg(target_arch = "x86_64")]
mod vectors;

#[cfg(test)]
mod tests;

use situ_hal::Reduce;
use situ_ir::moments::Moments;
use situ_ir::tree::Direction;
use situ_ir::{Combine, Op};
use situ_types::DType;

pub(crate) use self::cost::{cost, cost_of_scan};
use self::level::Partials;
use self::moments::Columns;
pub(crate) use self::scan::scan;
use self::table::{Loops, Search, loops, search, truths};
use self::truth::Truths;
use crate::elementwise::{Fork, Machine};

/// What combines values of one dtype.
#[derive(Clone, Copy, Debug)]
struct Combiner {
    loops: Loops,
    /// Where the result is a position.
    search: Option<Search>,
    /// Where what is known of several values is more than a value.
    columns: Option<Columns>,
    /// Bytes of a value.
    width: usize,
    /// Bytes of what is known of several.
    part: usize,
    /// The truth value that settles a result, whatever else is combined with it.
    settling: Option<bool>,
    /// Where truth values of elements are combined, and the map does nothing else to them: from elements in place.
    truths: Option<Truths>,
}

impl Combiner {
    /// For the values of a reduction; a well-formed one has one.
    fn of(reduction: &situ_ir::Reduction, machine: &Machine) -> Option<Combiner> {
        let (dtype, isa) = (reduction.accumulator(), machine.isa);
        let width = dtype.size();
        let (op, search) = match reduction.combine() {
            Combine::Op(op) => (op, None),
            Combine::ArgMax => (Op::Maximum, Some(search(isa, true, dtype))),
            Combine::ArgMin => (Op::Minimum, Some(search(isa, false, dtype))),
            Combine::Moments => {
                let (loops, columns) = table::moments(isa, dtype)?;
                let part = size_of::<Moments<u8>>() * width;
                let columns = Some(columns);
                return Some(Combiner { loops, search: None, columns, width, part, settling: None, truths: None });
            }
        };
        let settling = match (op, dtype) {
            (Op::Maximum, DType::Bool) => Some(true),
            (Op::Minimum, DType::Bool) => Some(false),
            _ => None,
        };
        let truths = match (settling, search, source::converted(reduction.map())) {
            (Some(settling), None, Some(from)) => Some(truths(isa, settling, from)),
            _ => None,
        };
        let columns = None;
        Some(Combiner { loops: loops(isa, op, dtype)?, search, columns, width, part: width, settling, truths })
    }

    /// Whether nothing can change a value any more.
    ///
    /// # Safety
    ///
    /// It can be read.
    #[inline]
    unsafe fn is_settled(&self, value: *const u8) -> bool {
        // SAFETY: the caller's promise; a truth value is a byte.
        self.settling.is_some_and(|settling| unsafe { *value } == u8::from(settling))
    }
}

/// Executes a reduction.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over. The processor has the machine's
/// instruction set.
#[inline(never)]
pub(crate) unsafe fn reduce(command: &Reduce, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    let Some(combiner) = Combiner::of(&command.reduction, machine) else {
        debug_assert!(false, "the reduction combines values outside the op's domain");
        return;
    };
    if command.results() == 0 {
        return;
    }
    // SAFETY: the caller's promise.
    unsafe {
        let partials = match command.direction {
            Direction::Along => along::groups(command, &combiner, nanoseconds, machine, fork),
            Direction::Across => across::groups(command, &combiner, nanoseconds, machine, fork),
        };
        level::finish(command, &combiner, partials, nanoseconds, machine, fork);
    }
}

/// Runs `part(from, to)` over `0..items` in as many pieces as so much work is worth.
fn spread(items: usize, nanoseconds: u64, machine: &Machine, fork: Fork<'_>, part: &(dyn Fn(usize, usize) + Sync)) {
    let length = items.div_ceil(machine.chunks(nanoseconds)).max(1);
    match items.div_ceil(length) {
        0 | 1 => part(0, items),
        pieces => fork(pieces, &|n| part(n * length, items.min((n + 1) * length))),
    }
}
