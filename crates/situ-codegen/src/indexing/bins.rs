//! Gather and scatter through bins: when, and what is launched.
//!
//! Elements far apart cost a device far more than their bytes: each takes a sector of its cache, which is thrown out
//! before the next element of the sector comes, and a sector that was written in part has to be read first. So the
//! places are sorted into bins, ranges of the array that the cache holds, and then visited bin after bin. Sorting reads
//! and writes in order, and costs less than it saves: on an H200, 2^28 random elements of 4 bytes take two fifths of
//! the time to scatter and three quarters to gather.
//!
//! Bins have room for what random indices put into them. What finds none is moved at once. So is everything if a look
//! at some of the indices shows places near each other, for which all this would be in vain: the host does not wait for
//! that, and the kernels see to it themselves.

use super::bins_moving::{Brought, Visited};
use super::bins_sorting::{LOCAL_DIGITS, PROBES, Probed, Sorted, TILE};
use super::check::marks;
use super::kernel::{Kernel, THREADS};
use super::signature::{Parameter, Role};
use super::transfer::{ARRAY, Laid, Transfer, push_answers};
use super::work::{Value, Work};

/// What there is for bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes of scratch memory that may be used.
    pub scratch: usize,
    /// Bytes of the cache that all processors of the device share.
    pub cache: usize,
    /// How many elements are worth sorting.
    pub least: usize,
}

/// Blocks that bring elements back from bins: as many as keep a large device busy.
const BLOCKS: usize = 1024;

/// Elements are moved in so many chunks at most, one after another by way of the same bins.
const CHUNKS: usize = 64;

/// Bytes that count how much bins hold, for one chunk.
const FILLS: usize = THREADS as usize * size_of::<u32>();

/// Bytes that a device reads and writes at least.
const SECTOR: u64 = 32;

/// As [`gather`](super::gather), if bins are worth it and there is room for them.
pub fn gather_by_bins(transfer: &Transfer<'_>, room: Room) -> Option<Work> {
    plan(transfer, false, room)
}

/// As [`scatter`](super::scatter), if bins are worth it and there is room for them.
pub fn scatter_by_bins(transfer: &Transfer<'_>, room: Room) -> Option<Work> {
    plan(transfer, true, room)
}

/// How an array and the elements are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Division {
    bins: usize,
    /// Binary digits of a place within its bin.
    digits: u32,
    /// Tiles of a chunk.
    tiles: usize,
    /// Places that a bin has room for.
    capacity: usize,
}

impl Division {
    /// For so many elements of some bytes, found among `span` places; `None` where bins are not worth it.
    fn new(size: usize, width: usize, span: u64, scatters: bool, room: Room) -> Option<Division> {
        let bytes = span.checked_mul(width as u64)?;
        // Reading wants the cache less than writing does.
        let uses = if scatters { 1 } else { 2 };
        // Elements of 16 bytes fill half a sector by themselves.
        if size < room.least || width > 8 || bytes <= room.cache as u64 * uses {
            return None;
        }
        // The bin that is visited, the next one and what streams past share the cache.
        let digits = (room.cache / 6 / width).checked_ilog2().filter(|&digits| digits <= LOCAL_DIGITS)?;
        let bins = usize::try_from(span.div_ceil(1 << digits)).ok().filter(|&bins| bins <= THREADS as usize)?;
        // Bins have room for an eighth more places than they hold on average, and for what belongs to those.
        let each = (size_of::<u32>() + width) * 9 / 8 + if scatters { 0 } else { size_of::<u32>() } + 1;
        let most = (room.scratch.checked_sub(CHUNKS * FILLS)? / each).min(u32::MAX as usize / 2) / TILE;
        let all = size.div_ceil(TILE);
        let chunks = (most > 0).then(|| all.div_ceil(most))?;
        let tiles = all.div_ceil(chunks);
        let capacity = tiles * TILE / bins * 9 / 8 + 1;
        // Sectors are to be used so often while their bin is in the cache.
        let is_worth_it = chunks <= CHUNKS && (tiles * TILE) as u64 * SECTOR / uses >= bytes;
        is_worth_it.then_some(Division { bins, digits, tiles, capacity })
    }
}

fn plan(transfer: &Transfer<'_>, scatters: bool, room: Room) -> Option<Work> {
    if transfer.shape.contains(&0) || transfer.indices.is_empty() {
        return None;
    }
    let laid = Laid::new(transfer, scatters);
    let (lowest, span) = laid.span()?;
    let (size, width) = (laid.space.size(), laid.form.width as usize);
    let Division { bins, digits, tiles, capacity } = Division::new(size, width, span, scatters, room)?;
    let (all, places) = (size.div_ceil(TILE), bins * capacity);
    let mut work = Work::default();
    let marks = marks(&mut work, transfer.indices.iter().map(|guide| guide.verdict));
    let votes = work.reserve(size_of::<u32>());
    let fills = work.reserve(all.div_ceil(tiles) * FILLS);
    work.zeroed = work.scratch;
    let at = [size_of::<u32>(), width].map(|each| work.reserve(places * each));
    let slots = work.reserve(if scatters { 0 } else { tiles * TILE * size_of::<u32>() });
    let parts = capacity.div_ceil(TILE);
    let value = |parameter, chunk: usize| match parameter {
        Parameter::Address(Role::Array) => Value::operand_from(ARRAY, lowest * width as i64),
        Parameter::Address(Role::Votes) => Value::scratch(votes),
        Parameter::Address(Role::Fills) => Value::scratch(fills + chunk * FILLS),
        Parameter::Address(Role::Places) => Value::scratch(at[0]),
        Parameter::Address(Role::Binned) => Value::scratch(at[1]),
        Parameter::Address(Role::Slots) => Value::scratch(slots),
        Parameter::FirstTile => (chunk * tiles).into(),
        Parameter::TileStep => (size / (PROBES * THREADS) as usize).into(),
        Parameter::Tiles => tiles.min(all - chunk * tiles).into(),
        Parameter::Blocks => BLOCKS.into(),
        Parameter::Origin => (-lowest).into(),
        Parameter::Span => span.into(),
        Parameter::Parts => parts.into(),
        Parameter::BinDigits => u64::from(digits).into(),
        Parameter::Capacity => capacity.into(),
        other => laid.value(other, &marks),
    };
    let form = &laid.form;
    work.launch(Kernel::Probed(Probed(form.clone())), PROBES as usize, |parameter| value(parameter, 0));
    for chunk in 0..all.div_ceil(tiles) {
        let value = |parameter| value(parameter, chunk);
        work.launch(Kernel::Sorted(Sorted(form.clone())), tiles.min(all - chunk * tiles), value);
        work.launch(Kernel::Visited(Visited { scatters, width: form.width }), bins * parts, value);
        if !scatters {
            let brought = Brought { width: form.width, axes: form.axes, wide: form.wide };
            work.launch(Kernel::Brought(brought), BLOCKS, value);
        }
    }
    push_answers(&mut work, transfer, &marks);
    Some(work)
}
