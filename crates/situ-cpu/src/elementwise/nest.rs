//! The iteration space of a command: axes, and every operand's byte steps along them.

use situ_hal::{Elementwise, Mapped, Operand};
use situ_ir::Program;
use situ_types::Dims;
use situ_types::layout::Strides;
use smallvec::SmallVec;

/// Rows of at least this many elements are walked one by one; shorter ones several to a tile.
pub(super) const LONG_ROW: usize = 24;

/// Rows up to this many elements go several to a tile even where they are dense: a call for each costs more than that.
const MEDIUM_ROW: usize = 128;

/// Bytes of the widest operand in a band: what is brought together stays in the first-level cache until it is used.
const BAND_BYTES: usize = 8192;

/// Cache lines of a transposed operand that a band takes from each column: processors fetch them in pairs.
const LINES: usize = 2;

/// The fewest columns of a band that does not have whole rows.
const NARROW: usize = 64;

/// Rows of a band are a multiple of this where there are enough, so that squares fit.
const SQUARE: usize = 8;

/// How a nest is cut into tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Pieces of single rows.
    Pieces,
    /// As many whole rows as fit, whatever axes they are from.
    Rows,
    /// So many rows and columns of the two innermost axes.
    Bands { rows: usize, columns: usize },
}

/// How an operand's elements are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// A tile's elements lie side by side, or each row's where tiles are bands.
    Dense,
    /// One element for all.
    Uniform,
    /// One element for each row.
    PerRow,
    /// The same elements in every tile, which has whole rows.
    Repeated,
    /// Anything else: elements are collected first.
    Scattered,
    /// The position itself, no memory.
    Position,
}

/// Where an operand comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Memory,
    /// Bytes of the command, of no particular alignment.
    Immediate,
    Position,
    /// Memory that no other operand lies in, whatever the addresses say: it moves while the nest is walked.
    Stage,
}

/// One operand: its first element and its byte steps.
#[derive(Clone, Debug)]
pub(super) struct OperandSteps {
    pub(super) start: *mut u8,
    pub(super) width: usize,
    pub(super) steps: Strides,
    origin: Origin,
}

/// The axes, outermost first, and the operands.
#[derive(Clone, Debug)]
pub(super) struct Nest {
    pub(super) dims: Dims,
    pub(super) operands: SmallVec<[OperandSteps; 3]>,
    pub(super) cut: Cut,
}

// SAFETY: the pointers are numbers until the code that runs a command dereferences them, whose caller vouches that the
// memory is valid on any thread.
unsafe impl Sync for Nest {}

impl OperandSteps {
    /// An operand whose elements have that width, by its element steps.
    fn new(operand: &Operand, width: usize, strides: impl Iterator<Item = isize>) -> OperandSteps {
        let (start, origin) = match operand {
            Operand::Memory(address) => (address.0, Origin::Memory),
            Operand::Immediate(bytes) => (bytes.as_ptr().cast_mut(), Origin::Immediate),
            Operand::Index => (std::ptr::null_mut(), Origin::Position),
        };
        let steps = strides.map(|step| if origin == Origin::Memory { step * width as isize } else { 0 }).collect();
        OperandSteps { start, width, steps, origin }
    }
}

impl Nest {
    /// The nest of a command, which must outlive it: immediates are read where they are.
    pub(super) fn new(command: &Elementwise) -> Nest {
        let operands = command.operands().iter().enumerate().map(|(n, operand)| {
            let width = command.program.operand_dtype(n).size();
            OperandSteps::new(operand, width, command.strides(n).iter().copied())
        });
        Nest { dims: command.shape.clone(), operands: operands.collect(), cut: Cut::Pieces }
    }

    /// The nest of a program over inputs, which must outlive it, along their axes in this order. Its results go side by
    /// side to memory of their own, which is yet to be named.
    pub(super) fn staged(program: &Program, inputs: &Mapped, axes: &[usize]) -> Nest {
        let dims: Dims = axes.iter().map(|&axis| inputs.shape[axis]).collect();
        let operands = inputs.operands().iter().enumerate().map(|(n, operand)| {
            let strides = inputs.strides(n);
            OperandSteps::new(operand, program.operand_dtype(n).size(), axes.iter().map(|&axis| strides[axis]))
        });
        let mut operands: SmallVec<[OperandSteps; 3]> = operands.collect();
        let width = program.operand_dtype(operands.len()).size();
        let mut steps = Strides::from_elem(0, dims.len());
        let mut step = width as isize;
        for (own, &length) in steps.iter_mut().zip(&dims).rev() {
            *own = step;
            step = step.wrapping_mul(length as isize);
        }
        operands.push(OperandSteps { start: std::ptr::null_mut(), width, steps, origin: Origin::Stage });
        Nest { dims, operands, cut: Cut::Pieces }
    }

    /// Whether rows are so short that several go to a tile.
    pub(super) fn has_short_rows(&self) -> bool {
        self.row_length() < LONG_ROW && self.rows() > 1
    }

    /// The same nest, with several rows to a tile.
    pub(super) fn by_rows(mut self) -> Nest {
        self.cut = Cut::Rows;
        self
    }

    /// Length of the innermost axis.
    pub(super) fn row_length(&self) -> usize {
        self.dims.last().copied().unwrap_or(1)
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.dims[..self.dims.len().saturating_sub(1)].iter().product()
    }

    /// Rows that follow one another evenly: the length of the axis around the innermost.
    pub(super) fn plane_rows(&self) -> usize {
        self.dims.len().checked_sub(2).map_or(1, |axis| self.dims[axis])
    }

    /// How an operand is reached.
    pub(super) fn access(&self, n: usize) -> Access {
        let operand = &self.operands[n];
        match operand.origin {
            Origin::Position => return Access::Position,
            Origin::Immediate => return Access::Uniform,
            Origin::Memory | Origin::Stage => {}
        }
        let is_still = self.dims.iter().zip(&operand.steps).all(|(length, step)| *length == 1 || *step == 0);
        let inner = operand.steps.last().copied().unwrap_or(0);
        let has_whole_rows = match self.cut {
            Cut::Pieces => false,
            Cut::Rows => true,
            Cut::Bands { columns, .. } => columns == self.row_length(),
        };
        let outer = &operand.steps[..operand.steps.len().saturating_sub(1)];
        match self.cut {
            _ if self.is_linear(n) => Access::Dense,
            _ if is_still => Access::Uniform,
            _ if has_whole_rows && outer.iter().all(|step| *step == 0) => Access::Repeated,
            Cut::Pieces | Cut::Bands { .. } if inner == operand.width as isize => Access::Dense,
            Cut::Pieces if inner == 0 => Access::PerRow,
            _ => Access::Scattered,
        }
    }

    /// Whether the rows of a tile lie side by side in a dense operand.
    pub(super) fn joins_rows(&self, n: usize) -> bool {
        match self.cut {
            Cut::Pieces | Cut::Rows => true,
            Cut::Bands { columns, .. } => columns == self.row_length() && self.is_linear(n),
        }
    }

    /// Whether an operand's elements all lie side by side, in the order of the nest.
    fn is_linear(&self, n: usize) -> bool {
        let mut dense = self.operands[n].width as isize;
        self.dims.iter().zip(&self.operands[n].steps).rev().all(|(&length, &step)| {
            let fits = length == 1 || step == dense;
            dense *= length as isize;
            fits
        })
    }

    /// The bytes of a dense operand that lie side by side, as far as tiles go along them.
    pub(super) fn dense_run(&self, n: usize) -> usize {
        let length = match self.cut {
            Cut::Bands { columns, .. } if !self.joins_rows(n) => columns,
            _ if self.is_linear(n) => self.dims.iter().product(),
            _ => self.row_length(),
        };
        length * self.operands[n].width
    }

    /// The bytes of memory that walking an operand touches.
    pub(super) fn footprint(&self, n: usize) -> usize {
        let operand = &self.operands[n];
        let moves = self.dims.iter().zip(&operand.steps).filter(|(_, step)| **step != 0);
        moves.map(|(length, _)| length).product::<usize>() * operand.width
    }

    /// How many elements on along a row the next line of an operand begins, if every line is read once: not many steps
    /// apart, and not again for another row.
    pub(super) fn next_line(&self, n: usize) -> Option<usize> {
        let operand = &self.operands[n];
        let is_read_once = self.dims.iter().zip(&operand.steps).all(|(length, step)| *length == 1 || *step != 0);
        let step = operand.steps.last()?.unsigned_abs();
        let is_near = operand.origin == Origin::Memory && is_read_once && step <= crate::bytes::LINE;
        is_near.then(|| crate::bytes::LINE / step.max(1))
    }

    /// The range of addresses that an operand lies in.
    fn range(&self, n: usize) -> (usize, usize) {
        let operand = &self.operands[n];
        let (mut low, mut high) = (operand.start as isize, operand.start as isize + operand.width as isize);
        for (&length, &step) in self.dims.iter().zip(&operand.steps) {
            let reach = step * (length as isize - 1);
            if reach < 0 { low += reach } else { high += reach }
        }
        (low as usize, high as usize)
    }

    /// Whether two operands may share memory.
    pub(super) fn may_overlap(&self, a: usize, b: usize) -> bool {
        if self.operands[a].origin == Origin::Stage || self.operands[b].origin == Origin::Stage {
            return false;
        }
        let ((a_low, a_high), (b_low, b_high)) = (self.range(a), self.range(b));
        a_low < b_high && b_low < a_high
    }

    /// Reorders the axes to suit the operands, and decides how to cut them.
    pub(super) fn arranged(mut self) -> Nest {
        let inner = self.dims.len() - 1;
        if inner == 0 {
            return self;
        }
        let walks_densely = |nest: &Nest, axis: usize| nest.operands.iter().any(|s| s.steps[axis] == s.width as isize);
        if !walks_densely(&self, inner) {
            let better = (0..inner).filter(|&axis| walks_densely(&self, axis)).max_by_key(|&axis| self.dims[axis]);
            if let Some(axis) = better.filter(|&axis| self.dims[axis] >= LONG_ROW) {
                self.move_axis(axis, inner);
            }
        }
        let turned = self.transposed_axis();
        if let Some((axis, _)) = turned.filter(|_| self.row_length() >= LONG_ROW) {
            self.move_axis(axis, inner - 1);
        }
        self.cut = match self.row_length() {
            _ if self.rows() == 1 => Cut::Pieces,
            0..LONG_ROW => Cut::Rows,
            _ => self.bands(turned.map(|(_, width)| width)).unwrap_or(Cut::Pieces),
        };
        self
    }

    /// Bands that suit the operands, if any do: whole lines of one that is transposed and so wide, or rows that are
    /// short.
    fn bands(&self, turned: Option<usize>) -> Option<Cut> {
        let (rows, length) = (self.plane_rows(), self.row_length());
        let widest = self.operands.iter().map(|operand| operand.width).max().unwrap_or(1);
        let most = BAND_BYTES / widest;
        if rows < SQUARE || turned.is_none() && length > MEDIUM_ROW {
            return None;
        }
        let high = turned.map_or(1, |width| (LINES * crate::bytes::LINE / width).min(most / NARROW));
        let strips = length.div_ceil(most / high);
        let columns = if strips == 1 { length } else { length.div_ceil(strips).next_multiple_of(SQUARE) };
        let fit = (most / columns).min(rows);
        Some(Cut::Bands { rows: if fit < SQUARE { fit.max(1) } else { fit / SQUARE * SQUARE }, columns })
    }

    fn move_axis(&mut self, from: usize, to: usize) {
        self.dims[from..=to].rotate_left(1);
        for operand in &mut self.operands {
            operand.steps[from..=to].rotate_left(1);
        }
    }

    /// An axis along which some operand stays in a cache line while it leaves one at every step of the innermost, and
    /// the operand's width.
    fn transposed_axis(&self) -> Option<(usize, usize)> {
        const LINE: usize = crate::bytes::LINE;
        let inner = self.dims.len() - 1;
        let far = self.operands.iter().filter(|s| s.steps[inner].unsigned_abs() >= LINE);
        let near = |s: &OperandSteps| (0..inner).find(|&axis| (1..LINE).contains(&s.steps[axis].unsigned_abs()));
        far.filter_map(|s| near(s).map(|axis| (axis, s.width))).next()
    }
}
