//! The operands of a small command, and the plane of its two innermost axes that they are taken through in blocks.

use situ_hal::{Elementwise, Operand};

use super::strided::Block;

/// Rows up to so many bytes go several to a block.
const SHORT_ROW_BYTES: usize = 2048;

/// The same where every row is dense, so that long ones are worth a call each, and where they are dense with gaps
/// between them, which bringing them together has to close.
const SHORT_EVEN_ROW_BYTES: usize = 1024;
const SHORT_GAPPED_ROW_BYTES: usize = 256;

/// Rows of a block are a multiple of this where there are enough, so that squares fit.
const SQUARE: usize = 8;

/// The most axes; commands have as few as possible, so that more are rare.
pub(super) const MAX_AXES: usize = 4;

/// An operand on its way through the blocks.
#[derive(Clone, Copy)]
pub(super) struct PlaneOperand {
    /// Its first element at the current index of the outer axes.
    pub(super) start: *mut u8,
    pub(super) width: usize,
    /// Byte steps along the axes.
    pub(super) steps: [isize; MAX_AXES],
    pub(super) layout: BlockLayout,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockLayout {
    /// Elements of a block lie side by side.
    Dense,
    /// One element for all blocks.
    Uniform,
    /// The same elements in every block, which has whole rows.
    Repeated,
    /// Anything else.
    Collected,
}

/// The two innermost axes of a command, and how they are cut.
pub(super) struct Plane {
    /// Which axis the columns are.
    pub(super) inner: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Rows and columns of a block.
    pub(super) high: usize,
    pub(super) wide: usize,
}

impl Plane {
    /// The steps of an operand from row to row and from column to column.
    pub(super) fn steps(&self, operand: &PlaneOperand) -> (isize, isize) {
        (if self.inner == 0 { 0 } else { operand.steps[self.inner - 1] }, operand.steps[self.inner])
    }

    /// An operand's elements from a row and a column on.
    pub(super) fn block(&self, operand: &PlaneOperand, row: usize, column: usize) -> Block {
        let steps = self.steps(operand);
        Block { start: operand.start, row: steps.0, column: steps.1 }.from(row, column)
    }

    /// Whether blocks should have several rows, given the operands and the width of the widest value; `None` where
    /// neither several nor one would do: turning a part of a row round takes bands.
    pub(super) fn suits_blocks<'a>(
        &self,
        operands: impl Iterator<Item = &'a PlaneOperand>,
        widest: usize,
    ) -> Option<bool> {
        if self.rows == 1 {
            return Some(false);
        }
        let (mut is_even, mut has_gaps) = (true, false);
        for operand in operands.filter(|operand| operand.layout != BlockLayout::Uniform) {
            let (row, column) = self.steps(operand);
            let width = operand.width as isize;
            is_even &= column == width;
            has_gaps |= row != 0 && row != self.columns as isize * width;
        }
        let bytes = self.columns * widest;
        match is_even {
            true if has_gaps => Some(bytes <= SHORT_GAPPED_ROW_BYTES),
            true => Some(bytes <= SHORT_EVEN_ROW_BYTES),
            false => (bytes <= SHORT_ROW_BYTES).then_some(true),
        }
    }

    /// Sizes blocks for stages of so many bytes.
    pub(super) fn cut(&mut self, is_blocked: bool, stage: usize, widest: usize) {
        self.wide = self.columns.min(stage / widest);
        if is_blocked {
            let most = stage / (self.columns * widest);
            // Whole squares are turned faster.
            let whole = if most > SQUARE { most / SQUARE * SQUARE } else { most };
            self.high = if most >= self.rows { self.rows } else { whole };
        }
    }
}

/// Goes on to the next index of the axes outside the two innermost ones; whether there is one.
pub(super) fn advance<'a>(
    index: &mut [usize; MAX_AXES],
    shape: &[usize],
    operands: impl Iterator<Item = &'a mut PlaneOperand>,
) -> bool {
    let mut axis = shape.len().saturating_sub(2);
    let mut moved = [0; MAX_AXES];
    loop {
        if axis == 0 {
            return false;
        }
        axis -= 1;
        index[axis] += 1;
        if index[axis] < shape[axis] {
            moved[axis] = 1;
            break;
        }
        moved[axis] = 1 - shape[axis] as isize;
        index[axis] = 0;
    }
    for operand in operands {
        let bytes: isize = operand.steps.iter().zip(&moved).map(|(step, moved)| step * moved).sum();
        operand.start = operand.start.wrapping_offset(bytes);
    }
    true
}

/// The first positions, for commands with few elements.
static POSITIONS: [i64; 1024] = {
    let mut positions = [0; 1024];
    let mut i = 0;
    while i < positions.len() {
        positions[i] = i as i64;
        i += 1;
    }
    positions
};

/// An operand, uniform or not; `None` for positions of many elements.
pub(super) fn plane_operand(command: &Elementwise, n: usize) -> Option<PlaneOperand> {
    let width = command.program.operand_dtype(n).size();
    let mut steps = [0; MAX_AXES];
    let start = match &command.operands()[n] {
        Operand::Memory(address) => {
            let given = command.strides(n).iter().zip(&command.shape);
            let moves = given.map(|(step, &length)| if length == 1 { 0 } else { step * width as isize });
            steps.iter_mut().zip(moves).for_each(|(step, given)| *step = given);
            address.0
        }
        Operand::Immediate(bytes) => bytes.as_ptr().cast_mut(),
        Operand::Index => {
            // A command with positions has a single axis.
            let count = Some(command.shape[0]).filter(|&count| count <= POSITIONS.len())?;
            steps[0] = if count == 1 { 0 } else { width as isize };
            POSITIONS.as_ptr().cast_mut().cast()
        }
    };
    let layout = if steps == [0; MAX_AXES] { BlockLayout::Uniform } else { BlockLayout::Collected };
    Some(PlaneOperand { start, width, steps, layout })
}

/// How an operand that is not uniform is reached, where blocks have several whole rows or where they have one.
pub(super) fn block_layout(operand: &PlaneOperand, plane: &Plane, is_blocked: bool) -> BlockLayout {
    let (row, column) = plane.steps(operand);
    let width = operand.width as isize;
    let is_even = column == width || plane.columns == 1;
    let is_linear = is_even && row == plane.columns as isize * width;
    match is_blocked {
        true if is_linear => BlockLayout::Dense,
        true if operand.steps[..plane.inner].iter().all(|step| *step == 0) => BlockLayout::Repeated,
        false if is_even => BlockLayout::Dense,
        _ => BlockLayout::Collected,
    }
}

/// Whether an operand's range of addresses meets the output's.
pub(super) fn shares_memory(arg: &PlaneOperand, out: &PlaneOperand, shape: &[usize]) -> bool {
    let range = |operand: &PlaneOperand| {
        let (mut low, mut high) = (operand.start as isize, operand.start as isize + operand.width as isize);
        for (&length, &step) in shape.iter().zip(&operand.steps) {
            let reach = step * (length as isize - 1);
            if reach < 0 { low += reach } else { high += reach }
        }
        (low, high)
    };
    let ((low, high), (out_low, out_high)) = (range(arg), range(out));
    low < out_high && out_low < high
}
