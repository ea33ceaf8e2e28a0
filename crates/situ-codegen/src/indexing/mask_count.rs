//! Masks: how they are divided and counted.

use situ_hal::{Address, MaskCount};
use situ_types::Space;
use smallvec::smallvec;

use super::totals::Totals;
use crate::coordinates::{about_space, coordinates, divisors, is_wide, offset, space_value, step_value, steps};
use crate::group::SUM_U32;
use crate::signature::{Axes, Parameter, Parameters, Role, Signature, THREADS, unsigned};
use crate::work::{Value, Work};
use crate::{Dialect, Kernel};

/// Bytes of a mask that a thread reads at once.
pub(super) const EACH: u32 = 16;

/// Positions that a block handles at a time.
pub(super) const TILE: u32 = THREADS * EACH;

/// Blocks that keep a large device busy; beyond this many, blocks do more instead.
const BLOCKS: usize = 2048;

/// A mask's space divided among blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segments {
    /// Positions in each, whole tiles.
    pub(super) length: usize,
    /// How many there are; at least one.
    pub(super) count: usize,
}

impl Segments {
    /// Segments of at most so many tiles.
    pub(super) fn new(size: usize, most: usize) -> Segments {
        let tiles = size.div_ceil(TILE as usize).max(1);
        let length = tiles.div_ceil(BLOCKS).min(most);
        Segments { length: length * TILE as usize, count: tiles.div_ceil(length) }
    }

    /// One segment, if that is not more than so many tiles.
    fn single(size: usize, most: usize) -> Option<Segments> {
        let tiles = size.div_ceil(TILE as usize).max(1);
        (tiles <= most).then(|| Segments { length: tiles * TILE as usize, count: 1 })
    }
}

/// How many bytes of a mask are not 0.
pub(crate) fn mask_count(command: &MaskCount) -> Work {
    let space = mask_space(&command.shape, [&command.mask.strides[..]]);
    let segments = Segments::single(space.size(), 8).unwrap_or_else(|| Segments::new(space.size(), 16));
    let (mask, answer) = (command.mask.address, command.count.into());
    let mut work = Work::default();
    if segments.count == 1 {
        push_counts(&mut work, &space, mask, segments, answer);
        return work;
    }
    let totals = work.reserve(segments.count * size_of::<u64>());
    push_counts(&mut work, &space, mask, segments, Value::scratch(totals));
    Totals::Sum.push(&mut work, totals, segments.count, answer);
    work
}

/// The space of a mask, the first operand.
pub(super) fn mask_space<'a>(shape: &[usize], operands: impl IntoIterator<Item = &'a [isize]>) -> Space {
    let mut space = Space::new(shape, operands);
    space.simplify();
    space
}

/// Adds the launches after which scratch memory holds, for each segment, how much is true before it; where that is. One
/// segment needs none of this.
pub(super) fn push_ranks(work: &mut Work, space: &Space, mask: Address, segments: Segments) -> usize {
    if segments.count == 1 {
        return 0;
    }
    let totals = work.reserve(segments.count * size_of::<u64>());
    push_counts(work, space, mask, segments, Value::scratch(totals));
    Totals::Scan.push(work, totals, segments.count, Value::scratch(totals));
    totals
}

/// Adds the launch that counts what is true in each segment of the mask, the space's first operand.
fn push_counts(work: &mut Work, space: &Space, mask: Address, segments: Segments, totals: Value) {
    let wide = is_wide([space.size().saturating_add(segments.length), space.reach(0)]);
    let kernel = MaskCounts { mask: MaskAccess::new(space, mask), wide };
    work.launch(Kernel::MaskCounts(kernel), segments.count, |parameter| match parameter {
        Parameter::Address(Role::Mask) => mask.into(),
        Parameter::Address(_) => totals,
        Parameter::Segment => segments.length.into(),
        Parameter::Step(_, axis) => step_value(space, 0, axis),
        other => space_value(space, wide, other),
    });
}

/// How a mask is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum MaskAccess {
    /// It lies in C order, so that 16 bytes can be read at once.
    Dense,
    /// One byte at a time, along so many axes.
    Strided(u8),
}

impl MaskAccess {
    /// For the first operand of a space, at an address.
    pub(super) fn new(space: &Space, address: Address) -> MaskAccess {
        let dense = space.is_dense(0) && address.value().is_multiple_of(EACH as usize);
        if dense { MaskAccess::Dense } else { MaskAccess::Strided(space.axes.len() as u8) }
    }

    pub(super) fn about(self, wide: bool) -> String {
        match self {
            MaskAccess::Dense => format!("mask dense, {}-bit positions", if wide { 64 } else { 32 }),
            MaskAccess::Strided(axes) => format!("mask strided, {}", about_space(axes, wide)),
        }
    }
}

/// What the text of a count depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MaskCounts {
    mask: MaskAccess,
    wide: bool,
}

impl Signature for MaskCounts {
    fn name(&self) -> String {
        "mask_counts".into()
    }

    fn about(&self) -> String {
        format!("How much is true in each segment; {}.", self.mask.about(self.wide))
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![Parameter::Address(Role::Mask), Parameter::Address(Role::Totals)];
        all.extend([Parameter::Size, Parameter::Segment]);
        if let MaskAccess::Strided(axes) = self.mask {
            all.extend(divisors(Axes::Space, axes));
            all.extend(steps(Role::Mask, axes));
        }
        all
    }

    fn pointee(&self, role: Role) -> String {
        if role == Role::Mask { "const u8".into() } else { "u64".into() }
    }

    fn before(&self, _dialect: Dialect) -> String {
        SUM_U32.fold(THREADS)
    }

    fn body(&self, _dialect: Dialect) -> String {
        let of = unsigned(self.wide);
        let each = "UNROLL for (u32 j = 0; j < 4u; j++)";
        let counted = match self.mask {
            MaskAccess::Dense => format!(
                "        {of} tile = begin;
        for (; end - tile >= {four}u; tile += {four}u) {{
            w16 words[4];
            {each} words[j] = *(GLOBAL const w16 *)(mask + tile + j * {TILE}u + THREAD_X * {EACH}u);
            {each} count += true_count(words[j]);
        }}
        for (; tile < end; tile += {TILE}u) count += true_count(mask_words(mask, tile + THREAD_X * {EACH}u, end));\n",
                four = 4 * TILE,
            ),
            MaskAccess::Strided(axes) => format!(
                "        for ({of} at = begin + THREAD_X; at < end; at += {block}u) {{
            u8 truth[4];
            {each} {{
                const {of} position = at + j * {THREADS}u < end ? at + j * {THREADS}u : at;
{coordinates}                truth[j] = mask[{offset}];
            }}
            {each} count += at + j * {THREADS}u < end && truth[j] != 0;
        }}\n",
                block = 4 * THREADS,
                coordinates = coordinates(Axes::Space, axes, self.wide, "position", 16),
                offset = offset(Role::Mask, axes),
            ),
        };
        format!(
            "    SHARED u32 counts[{THREADS}];
    const {of} begin = BLOCK_X * segment;
    const {of} end = size - begin < segment ? size : begin + segment;
    EACH_THREAD {{
        u32 count = 0;
{counted}        counts[THREAD_X] = count;
    }}
    BARRIER();
    fold_sum_u32(counts);
    EACH_THREAD {{
        if (THREAD_X == 0) totals[BLOCK_X] = counts[0];
    }}\n"
        )
    }

    fn is_wide(&self) -> bool {
        self.wide
    }
}
