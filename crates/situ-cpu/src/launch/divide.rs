//! Blocks of a range, and threads for them.

use situ_hal::Launch;
use situ_ir::kernel::Space;

use super::Interrupted;
use super::frame::Frame;
use super::launched::Launched;
use super::moves::PADDING;
use super::plan::{Plan, Step};
use crate::bytes::fence;
use crate::elementwise::{Fork, Machine};

/// Bytes that the registers of a block should not exceed: they stay in the first-level cache with room for operands in memory.
///
/// A call of a loop costs 3 ns, and adding float32s by AVX-512 4.0 ns for 64 work-items, 8.2 for 256, 16 for 512 and 27 for 1024:
/// from 256 on, longer blocks gain little.
const REGISTERS: usize = 24 << 10;

/// The most work-items of a block where the range has no groups.
const LANES: usize = 1024;

/// So many times as many work-items are in a block where they are packed later.
const PACKED: usize = 8;

/// Bytes of registers of those who are packed in a loop: hardly any has use for all of its registers, and calls of loops for few
/// work-items cost more than what does not fit the first-level cache.
const PIECE: usize = 64 << 10;

/// Bytes that work-items' own arrays should not exceed.
const PRIVATE: usize = 256 << 10;

/// Chunks for each thread: blocks can take very different times.
const CHUNKS_PER_THREAD: usize = 16;

/// How a range is divided into blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blocks {
    /// Work-groups.
    Groups { lanes: usize, count: usize },
    /// Pieces of rows of that length.
    Rows { length: usize, lanes: usize, per_row: usize, count: usize },
}

impl Blocks {
    fn of(launched: &Launched<'_>, threads: usize) -> Blocks {
        let range = launched.range;
        if launched.is_grouped {
            let lanes = launched.local.iter().product();
            return Blocks::Groups { lanes, count: range.count() / lanes };
        }
        let most = most_lanes(launched);
        let row = range.global()[range.axes() - 1];
        // Short rows are joined: ids are then computed for each work-item.
        let is_short = row < PADDING || launched.plan.packs && row < most;
        let length = if is_short { range.count() } else { row };
        // Threads should have some blocks each.
        let share = range.count().div_ceil(4 * threads).next_multiple_of(PADDING);
        let most = most.min(share);
        let per_row = length.div_ceil(most);
        let lanes = length.div_ceil(per_row).next_multiple_of(PADDING).min(most);
        let per_row = length.div_ceil(lanes);
        Blocks::Rows { length, lanes, per_row, count: range.count() / length * per_row }
    }

    fn count(self) -> usize {
        match self {
            Blocks::Groups { count, .. } | Blocks::Rows { count, .. } => count,
        }
    }

    fn lanes(self) -> usize {
        match self {
            Blocks::Groups { lanes, .. } | Blocks::Rows { lanes, .. } => lanes,
        }
    }

    /// Where a block begins, and how many work-items it has.
    fn block(self, n: usize) -> (usize, usize) {
        match self {
            Blocks::Groups { lanes, .. } => (n, lanes),
            Blocks::Rows { length, lanes, per_row, .. } => {
                let (row, piece) = (n / per_row, n % per_row);
                (row * length + piece * lanes, lanes.min(length - piece * lanes))
            }
        }
    }
}

/// How many work-items a loop that takes long should have.
pub(super) fn piece(plan: &Plan) -> usize {
    (PIECE / plan.lane_bytes.max(1) / PADDING * PADDING).max(2 * PADDING)
}

/// How many work-items a block may have at most.
fn most_lanes(launched: &Launched<'_>) -> usize {
    let private: usize = (launched.arrays.iter().filter(|array| array.space == Space::Private))
        .map(|array| array.size * array.width)
        .sum();
    // Where most leave a loop early, those who are left should still be many.
    let times = if launched.plan.packs { PACKED } else { 1 };
    let by_registers = times * REGISTERS / launched.plan.lane_bytes.max(1);
    let by_private = PRIVATE / private.max(1);
    let whole = |lanes: usize| (lanes / PADDING * PADDING).clamp(PADDING, times * LANES);
    whole(by_registers).min(whole(by_private))
}

/// Runs a kernel.
///
/// # Safety
///
/// As for [`launch`](super::launch).
pub(super) unsafe fn run(
    command: &Launch,
    plan: &Plan,
    nanoseconds: u64,
    machine: &Machine,
    fork: Fork<'_>,
    is_interrupted: Interrupted<'_>,
) {
    let mut launched = Launched::new(command, plan, machine.isa, is_interrupted);
    let chunks = if machine.chunks(nanoseconds) == 1 { 1 } else { CHUNKS_PER_THREAD * machine.threads };
    let blocks = Blocks::of(&launched, if chunks == 1 { 1 } else { machine.threads });
    let per_chunk = blocks.count().div_ceil(chunks).max(1);
    let chunks = blocks.count().div_ceil(per_chunk);
    launched.is_shared = chunks > 1;
    launched.streams = streams(&launched, machine);
    let body = |chunk: usize| {
        let mut frame = Frame::new(&launched, blocks.lanes());
        for n in chunk * per_chunk..blocks.count().min((chunk + 1) * per_chunk) {
            if is_interrupted() {
                break;
            }
            let (first, lanes) = blocks.block(n);
            // SAFETY: passed on from the caller.
            unsafe { frame.run(first, lanes) };
        }
        // SAFETY: passed on from the caller.
        unsafe { frame.add_up() };
        if launched.streams {
            fence();
        }
    };
    match chunks {
        1 => body(0),
        _ => fork(chunks, &body),
    }
    let fault = launched.fault.into_inner().ok().flatten();
    if let (Some((_, fault)), Some(report)) = (fault, command.report) {
        let words = fault.to_words();
        // SAFETY: there is room for the words of a fault where a launch says so, and they are words of the host's.
        unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), report.0.cast(), words.len()) };
    }
}

/// Whether what is written is better off in memory than in the caches: nothing reads it again.
fn streams(launched: &Launched<'_>, machine: &Machine) -> bool {
    let global = launched.arrays.iter().filter(|array| array.space == Space::Global);
    let bytes: usize = global.map(|array| array.size.min(launched.range.count()) * array.width).sum();
    let is_straight = launched.plan.body.iter().all(|step| !matches!(step, Step::Loop(_)));
    machine.streams(bytes) && is_straight
}
