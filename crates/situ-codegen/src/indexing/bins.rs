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

use situ_hal::Indexed;

use super::bin_sort::{BinProbe, BinSort, LOCAL_DIGITS, PROBES, TILE};
use super::bin_visit::{BinCollect, BinVisit};
use super::index_check::push_marks;
use super::transfer::{TransferLayout, asked, push_verdicts};
use crate::signature::{Parameter, Role, THREADS};
use crate::work::{Value, Work};
use crate::{DeviceLimits, Kernel};

/// Blocks that collect elements from bins: as many as keep a large device busy.
const BLOCKS: usize = 1024;

/// Elements are moved in so many chunks at most, one after another by way of the same bins.
const CHUNKS: usize = 64;

/// Bytes that count how much bins hold, for one chunk.
const FILLS: usize = THREADS as usize * size_of::<u32>();

/// Bytes that a device reads and writes at least.
const SECTOR: usize = 32;

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
    fn new(size: usize, width: usize, span: usize, scatters: bool, limits: &DeviceLimits) -> Option<Division> {
        let bytes = span.checked_mul(width)?;
        // Reading wants the cache less than writing does.
        let uses = if scatters { 1 } else { 2 };
        // Elements of 16 bytes fill half a sector by themselves.
        if size < limits.sort_from || width > 8 || bytes <= limits.cache.saturating_mul(uses) {
            return None;
        }
        // The bin that is visited, the next one and what streams past share the cache.
        let digits = (limits.cache / 6 / width).checked_ilog2().filter(|&digits| digits <= LOCAL_DIGITS)?;
        let bins = Some(span.div_ceil(1 << digits)).filter(|&bins| bins <= THREADS as usize)?;
        // Bins have room for an eighth more places than they hold on average, and for what belongs to those.
        let each = (size_of::<u32>() + width) * 9 / 8 + if scatters { 0 } else { size_of::<u32>() } + 1;
        let most = (limits.scratch.checked_sub(CHUNKS * FILLS)? / each).min(u32::MAX as usize / 2) / TILE;
        let all = size.div_ceil(TILE);
        let chunks = (most > 0).then(|| all.div_ceil(most))?;
        let tiles = all.div_ceil(chunks);
        let capacity = tiles * TILE / bins * 9 / 8 + 1;
        // Sectors are to be used so often while their bin is in the cache.
        let is_worth_it = chunks <= CHUNKS && tiles * TILE * SECTOR / uses >= bytes;
        is_worth_it.then_some(Division { bins, digits, tiles, capacity })
    }
}

/// The launches of a gather or scatter over something, if bins are worth it and there is room for them.
pub(super) fn plan(command: &Indexed, layout: &TransferLayout<'_>, limits: &DeviceLimits) -> Option<Work> {
    if command.indices.is_empty() {
        return None;
    }
    let (lowest, span) = layout.span()?;
    let kernel = &layout.kernel;
    let (size, width, scatters) = (layout.space.size(), kernel.width as usize, kernel.scatters);
    let Division { bins, digits, tiles, capacity } = Division::new(size, width, span, scatters, limits)?;
    let (all, places) = (size.div_ceil(TILE), bins * capacity);
    let mut work = Work { has_leaner: true, ..Work::default() };
    let marks = push_marks(&mut work, asked(command));
    let votes = work.reserve(size_of::<u32>());
    let fills = work.reserve(all.div_ceil(tiles) * FILLS);
    work.zeroed = work.scratch;
    let at = [size_of::<u32>(), width].map(|each| work.reserve(places * each));
    let slots = work.reserve(if scatters { 0 } else { tiles * TILE * size_of::<u32>() });
    let parts = capacity.div_ceil(TILE);
    let value = |parameter, chunk: usize| match parameter {
        Parameter::Address(Role::Array) => layout.array(lowest).into(),
        Parameter::Address(Role::Votes) => Value::scratch(votes),
        Parameter::Address(Role::Fills) => Value::scratch(fills + chunk * FILLS),
        Parameter::Address(Role::Places) => Value::scratch(at[0]),
        Parameter::Address(Role::Binned) => Value::scratch(at[1]),
        Parameter::Address(Role::Slots) => Value::scratch(slots),
        Parameter::FirstTile => (chunk * tiles).into(),
        Parameter::TileStep => (size / (PROBES * THREADS) as usize).into(),
        Parameter::Tiles => tiles.min(all - chunk * tiles).into(),
        Parameter::Blocks => BLOCKS.into(),
        Parameter::Origin => Value::Word(-lowest as i64),
        Parameter::Span => span.into(),
        Parameter::Parts => parts.into(),
        Parameter::BinDigits => u64::from(digits).into(),
        Parameter::Capacity => capacity.into(),
        other => layout.value(other, &marks),
    };
    work.launch(Kernel::BinProbe(BinProbe(kernel.clone())), PROBES as usize, |parameter| value(parameter, 0));
    for chunk in 0..all.div_ceil(tiles) {
        let value = |parameter| value(parameter, chunk);
        work.launch(Kernel::BinSort(BinSort(kernel.clone())), tiles.min(all - chunk * tiles), value);
        work.launch(Kernel::BinVisit(BinVisit { scatters, width: kernel.width }), bins * parts, value);
        if !scatters {
            let collect = BinCollect { width: kernel.width, axes: kernel.axes, wide: kernel.wide };
            work.launch(Kernel::BinCollect(collect), BLOCKS, value);
        }
    }
    push_verdicts(&mut work, command, &marks);
    Some(work)
}
