//! Arrays to places of their own: what is launched.

use situ_hal::{Address, Elementwise, Join, Operand};
use situ_types::{DType, Space};
use smallvec::SmallVec;

use crate::Kernel;
use crate::coordinates::is_wide;
use crate::divisor::Divisor;
use crate::signature::{Parameter, THREADS};
use crate::work::{Value, Work};

/// Elements that a thread moves.
pub(super) const EACH: u32 = 4;

/// Numbers of a space's operands.
const FROM: usize = 0;
const TO: usize = 1;

/// What the text of a join depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JoinKernel {
    pub(super) moved: Moved,
    /// Axes of the piece that has the most.
    pub(super) axes: u8,
    pub(super) wide: bool,
    /// Whether some element lies at an address its type would not be at.
    pub(super) unaligned: bool,
}

/// What is done with elements on their way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Moved {
    /// They stay what they are, so many bytes.
    Copied(u8),
    /// They are converted from one of these dtypes.
    Converted { from: SmallVec<[DType; 4]>, to: DType },
}

/// A piece that is not empty.
struct Piece {
    space: Space,
    from: Address,
    to: Address,
    dtype: DType,
}

impl Piece {
    fn new(command: &Elementwise) -> Option<Piece> {
        let (&Operand::Memory(from), &Operand::Memory(to)) = (command.operands().first()?, command.operands().get(1)?)
        else {
            return None;
        };
        let mut space = Space::new(&command.shape, [FROM, TO].map(|operand| command.strides(operand)));
        space.collapse();
        (!space.is_empty()).then(|| Piece { space, from, to, dtype: command.program.operand_dtype(FROM) })
    }

    /// How wide its elements of some bytes can be taken, where they lie side by side on both sides.
    fn widest(&self, width: usize) -> usize {
        let Some((inner, outer)) = self.space.axes.split_last() else { return width };
        if inner.steps[..] != [1, 1] {
            return width;
        }
        let steps = outer.iter().flat_map(|axis| &axis.steps);
        let all = steps.fold(inner.length as isize, |all, step| all | step) as usize;
        let bytes = all.wrapping_mul(width) | self.from.value() | self.to.value() | 16;
        (1 << bytes.trailing_zeros()).max(width)
    }

    /// Takes so many elements as one.
    fn widen(&mut self, factor: isize) {
        let Some((inner, outer)) = self.space.axes.split_last_mut() else { return };
        if factor > 1 {
            inner.length /= factor as usize;
            outer.iter_mut().flat_map(|axis| &mut axis.steps).for_each(|step| *step /= factor);
        }
    }

    /// What a kernel reads about it, with axes of length 1 put in front of its own.
    fn record(&self, kernel: &JoinKernel) -> impl Iterator<Item = i64> {
        let kind = match &kernel.moved {
            Moved::Copied(_) => 0,
            Moved::Converted { from, .. } => from.iter().position(|&dtype| dtype == self.dtype).unwrap_or(0),
        };
        let head = [self.from.value() as i64, self.to.value() as i64, self.space.size() as i64, kind as i64];
        let axes = usize::from(kernel.axes);
        let axis = |n: usize| n.checked_sub(axes - self.space.axes.len()).map(|n| &self.space.axes[n]);
        let divisors = (1..axes).flat_map(|n| {
            let length = axis(n).map_or(1, |axis| axis.length);
            let divisor = Divisor::new(length, kernel.wide);
            [length as i64, divisor.multiplier as i64, divisor.shift.into()]
        });
        let step = |operand: usize| (0..axes).map(move |n| axis(n).map_or(0, |axis| axis.steps[operand] as i64));
        let numbers: Vec<i64> = divisors.chain(step(FROM)).chain(step(TO)).collect();
        head.into_iter().chain(numbers)
    }
}

/// Arrays to places of their own, by one launch.
pub(crate) fn join(command: &Join) -> Work {
    let mut work = Work::default();
    let mut pieces: Vec<Piece> = command.pieces.iter().filter_map(Piece::new).collect();
    let Some(first) = command.pieces.first().filter(|_| !pieces.is_empty()) else { return work };
    let to = first.program.operand_dtype(TO);
    let moved = match dtypes(&pieces)[..] {
        [only] if only == to => Moved::Copied(widened(&mut pieces, to.size()) as u8),
        ref several => Moved::Converted { from: several.into(), to },
    };
    let most = pieces.iter().map(|piece| piece.space.axes.len()).max().unwrap_or(1);
    let reach = |piece: &Piece| [piece.space.size(), piece.space.reach(FROM), piece.space.reach(TO)];
    let is_off = |piece: &Piece| match moved {
        Moved::Copied(width) => !(piece.from.value() | piece.to.value()).is_multiple_of(width.into()),
        _ => !piece.from.value().is_multiple_of(piece.dtype.size()) || !piece.to.value().is_multiple_of(to.size()),
    };
    let (wide, unaligned) = (is_wide(pieces.iter().flat_map(reach)), pieces.iter().any(is_off));
    let kernel = JoinKernel { moved, axes: most as u8, wide, unaligned };

    let mut table = Vec::with_capacity(pieces.len() * (1 + kernel.words()));
    let mut blocks = 0;
    for piece in &pieces {
        table.push(blocks as i64);
        blocks += piece.space.size().div_ceil((THREADS * EACH) as usize);
    }
    pieces.iter().for_each(|piece| table.extend(piece.record(&kernel)));
    let start = work.reserve(size_of_val(&table[..]));
    work.tables.push((start, table));
    let count = pieces.len();
    work.launch(Kernel::Join(kernel), blocks, |parameter| match parameter {
        Parameter::Address(_) => Value::scratch(start),
        _ => count.into(),
    });
    work
}

/// The dtypes of pieces, each once.
fn dtypes(pieces: &[Piece]) -> SmallVec<[DType; 4]> {
    let mut found: SmallVec<[DType; 4]> = pieces.iter().map(|piece| piece.dtype).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Takes elements of all pieces as fewer and wider ones; how wide.
fn widened(pieces: &mut [Piece], width: usize) -> usize {
    let wider = pieces.iter().map(|piece| piece.widest(width)).min().unwrap_or(width);
    pieces.iter_mut().for_each(|piece| piece.widen((wider / width) as isize));
    wider
}
