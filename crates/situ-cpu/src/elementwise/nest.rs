//! The iteration space of a command: axes, and every operand's byte steps along them.

use situ_hal::{Elementwise, Operand};
use situ_types::Dims;
use situ_types::layout::Strides;
use smallvec::SmallVec;

/// Rows of at least this many elements are walked one by one; shorter ones several to a tile.
pub(super) const LONG_ROW: usize = 24;

/// Columns that a strip of a transposed operand is wide: one line of each stays in the first-level cache while the rows
/// go by, and rows of the other operands are still long enough to be fetched ahead.
const STRIP: usize = 256;

/// How an operand's elements are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// A tile's elements lie side by side.
    Dense,
    /// One element for all.
    Uniform,
    /// One element for each row.
    PerRow,
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
}

/// One operand: its first element and its byte steps.
#[derive(Clone, Debug)]
pub(super) struct Strand {
    pub(super) start: *mut u8,
    pub(super) width: usize,
    pub(super) steps: Strides,
    origin: Origin,
}

/// The axes, outermost first, and the operands.
#[derive(Clone, Debug)]
pub(super) struct Nest {
    pub(super) dims: Dims,
    pub(super) strands: SmallVec<[Strand; 3]>,
}

// SAFETY: the pointers are numbers until the code that runs a command dereferences them, whose caller vouches that the
// memory is valid on any thread.
unsafe impl Sync for Nest {}

impl Nest {
    /// The nest of a command, which must outlive it: immediates are read where they are.
    pub(super) fn new(command: &Elementwise) -> Nest {
        let strand = |(n, operand): (usize, &Operand)| {
            let width = command.program.operand_dtype(n).size();
            let still = || Strides::from_elem(0, command.shape.len());
            match operand {
                Operand::Memory(address) => {
                    let steps = command.strides(n).iter().map(|step| step * width as isize).collect();
                    Strand { start: address.0, width, steps, origin: Origin::Memory }
                }
                Operand::Immediate(bytes) => {
                    let start = bytes.as_ptr().cast_mut();
                    Strand { start, width, steps: still(), origin: Origin::Immediate }
                }
                Operand::Index => {
                    Strand { start: std::ptr::null_mut(), width, steps: still(), origin: Origin::Position }
                }
            }
        };
        Nest { dims: command.shape.clone(), strands: command.operands().iter().enumerate().map(strand).collect() }
    }

    /// Length of the innermost axis.
    pub(super) fn row_length(&self) -> usize {
        self.dims.last().copied().unwrap_or(1)
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.dims[..self.dims.len().saturating_sub(1)].iter().product()
    }

    /// Whether rows are walked one by one.
    pub(super) fn has_long_rows(&self) -> bool {
        self.row_length() >= LONG_ROW || self.rows() == 1
    }

    /// How an operand is reached.
    pub(super) fn access(&self, n: usize) -> Access {
        let strand = &self.strands[n];
        match strand.origin {
            Origin::Position => return Access::Position,
            Origin::Immediate => return Access::Uniform,
            Origin::Memory => {}
        }
        let is_still = self.dims.iter().zip(&strand.steps).all(|(length, step)| *length == 1 || *step == 0);
        let inner = strand.steps.last().copied().unwrap_or(0);
        match self.has_long_rows() {
            _ if self.is_linear(n) => Access::Dense,
            _ if is_still => Access::Uniform,
            true if inner == strand.width as isize => Access::Dense,
            true if inner == 0 => Access::PerRow,
            _ => Access::Scattered,
        }
    }

    /// Whether an operand's elements all lie side by side, in the order of the nest.
    fn is_linear(&self, n: usize) -> bool {
        let mut dense = self.strands[n].width as isize;
        self.dims.iter().zip(&self.strands[n].steps).rev().all(|(&length, &step)| {
            let fits = length == 1 || step == dense;
            dense *= length as isize;
            fits
        })
    }

    /// The bytes of a dense operand that lie side by side.
    pub(super) fn dense_run(&self, n: usize) -> usize {
        let length = if self.is_linear(n) { self.dims.iter().product() } else { self.row_length() };
        length * self.strands[n].width
    }

    /// The bytes of memory that walking an operand touches.
    pub(super) fn footprint(&self, n: usize) -> usize {
        let strand = &self.strands[n];
        let moves = self.dims.iter().zip(&strand.steps).filter(|(_, step)| **step != 0);
        moves.map(|(length, _)| length).product::<usize>() * strand.width
    }

    /// The range of addresses that an operand lies in.
    fn range(&self, n: usize) -> (usize, usize) {
        let strand = &self.strands[n];
        let (mut low, mut high) = (strand.start as isize, strand.start as isize + strand.width as isize);
        for (&length, &step) in self.dims.iter().zip(&strand.steps) {
            let reach = step * (length as isize - 1);
            if reach < 0 { low += reach } else { high += reach }
        }
        (low as usize, high as usize)
    }

    /// Whether two operands may share memory.
    pub(super) fn may_overlap(&self, a: usize, b: usize) -> bool {
        let ((a_low, a_high), (b_low, b_high)) = (self.range(a), self.range(b));
        a_low < b_high && b_low < a_high
    }

    /// Reorders the axes to suit the operands, cutting the innermost into strips where one of them is transposed.
    pub(super) fn arranged(mut self) -> SmallVec<[Nest; 2]> {
        let inner = self.dims.len() - 1;
        if inner == 0 {
            return SmallVec::from_iter([self]);
        }
        let walks_densely = |nest: &Nest, axis: usize| nest.strands.iter().any(|s| s.steps[axis] == s.width as isize);
        if !walks_densely(&self, inner) {
            let better = (0..inner).filter(|&axis| walks_densely(&self, axis)).max_by_key(|&axis| self.dims[axis]);
            if let Some(axis) = better.filter(|&axis| self.dims[axis] >= LONG_ROW) {
                self.move_axis(axis, inner);
            }
        }
        match self.transposed_axis() {
            Some(axis) if self.row_length() > STRIP => {
                self.move_axis(axis, inner - 1);
                self.strips()
            }
            _ => SmallVec::from_iter([self]),
        }
    }

    fn move_axis(&mut self, from: usize, to: usize) {
        self.dims[from..=to].rotate_left(1);
        for strand in &mut self.strands {
            strand.steps[from..=to].rotate_left(1);
        }
    }

    /// An axis along which some operand stays in a cache line while it leaves one at every step of the innermost.
    fn transposed_axis(&self) -> Option<usize> {
        const LINE: usize = crate::bytes::LINE;
        let inner = self.dims.len() - 1;
        let far = self.strands.iter().filter(|s| s.steps[inner].unsigned_abs() >= LINE);
        far.filter_map(|s| (0..inner).find(|&axis| (1..LINE).contains(&s.steps[axis].unsigned_abs()))).next()
    }

    /// The same space with strips of the innermost axis as the outermost one, and what is left over beside it.
    fn strips(mut self) -> SmallVec<[Nest; 2]> {
        let inner = self.dims.len() - 1;
        let (whole, rest) = (self.dims[inner] / STRIP, self.dims[inner] % STRIP);
        let mut left_over = self.clone();
        self.dims[inner] = STRIP;
        self.dims.insert(0, whole);
        left_over.dims[inner] = rest;
        for (strand, left) in self.strands.iter_mut().zip(&mut left_over.strands) {
            let step = strand.steps[inner] * STRIP as isize;
            strand.steps.insert(0, step);
            left.start = left.start.wrapping_offset(step * whole as isize);
        }
        if rest == 0 { SmallVec::from_iter([self]) } else { SmallVec::from_iter([self, left_over]) }
    }
}
