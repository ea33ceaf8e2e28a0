//! Elements from one two-dimensional place to another, by width alone.

/// Below this many elements an inner loop is not worth starting.
const SHORT: usize = 16;

/// Where a block of rows and columns begins, and its steps in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) start: *mut u8,
    /// From one row to the next.
    pub(super) row: isize,
    /// From one column to the next.
    pub(super) column: isize,
}

impl Block {
    /// A block without gaps.
    pub(super) fn dense(start: *mut u8, columns: usize, width: usize) -> Block {
        Block { start, row: (columns * width) as isize, column: width as isize }
    }

    fn transposed(self) -> Block {
        Block { start: self.start, row: self.column, column: self.row }
    }
}

/// Calls a function generic over a type with the given number of bytes and the alignment of such elements.
macro_rules! by_width {
    ($width:expr, $function:ident($($argument:expr),*)) => {
        match $width {
            1 => $function::<u8>($($argument),*),
            2 => $function::<u16>($($argument),*),
            4 => $function::<u32>($($argument),*),
            8 => $function::<u64>($($argument),*),
            _ => $function::<[u64; 2]>($($argument),*),
        }
    };
}

/// Copies `rows` times `columns` elements.
///
/// # Safety
///
/// Every element of `from` is valid for reads and of `to` for writes, both aligned to the width, and the two do not
/// overlap. `width` is 1, 2, 4, 8 or 16.
pub(super) unsafe fn copy_block(width: usize, to: Block, from: Block, rows: usize, columns: usize) {
    // The inner loop follows the side that steps less, so that its lines are used up while they are near.
    let reach = |row: isize, column: isize| row.unsigned_abs() < column.unsigned_abs();
    let along_rows = columns < SHORT.min(rows) || (rows >= SHORT && reach(from.row + to.row, from.column + to.column));
    // SAFETY: passed on from the caller.
    unsafe {
        if along_rows {
            by_width!(width, copy_rows(to.transposed(), from.transposed(), columns, rows));
        } else {
            by_width!(width, copy_rows(to, from, rows, columns));
        }
    }
}

unsafe fn copy_rows<T: Copy>(to: Block, from: Block, rows: usize, columns: usize) {
    for row in 0..rows as isize {
        let (to_row, from_row) = (to.start.wrapping_offset(to.row * row), from.start.wrapping_offset(from.row * row));
        // SAFETY: the row lies inside the places the caller of `copy_block` vouches for.
        unsafe { copy_line_of::<T>(to_row, to.column, from_row, from.column, columns) };
    }
}

/// Copies `count` elements from one line to another; a line without a step is dense.
///
/// # Safety
///
/// Every element of `from` is valid for reads and of `to` for writes, both aligned to the width, and the two do not
/// overlap. `width` is 1, 2, 4, 8 or 16.
pub(super) unsafe fn copy_line(
    width: usize,
    to: *mut u8,
    to_step: Option<isize>,
    from: *const u8,
    from_step: Option<isize>,
    count: usize,
) {
    let (to_step, from_step) = (to_step.unwrap_or(width as isize), from_step.unwrap_or(width as isize));
    // SAFETY: passed on from the caller.
    unsafe { by_width!(width, copy_line_of(to, to_step, from, from_step, count)) }
}

/// The steps that slices usually have are constants in the loop, which then shuffles vectors instead of moving elements
/// one by one.
///
/// # Safety
///
/// As for [`copy_line`].
unsafe fn copy_line_of<T: Copy>(to: *mut u8, to_step: isize, from: *const u8, from_step: isize, count: usize) {
    let width = size_of::<T>() as isize;
    let (to, from) = (to.cast::<T>(), from.cast::<T>());
    // SAFETY: passed on from the caller; steps are whole elements, and where they are constants they are those given.
    unsafe {
        match (to_step / width, from_step / width) {
            (1, 1) => std::ptr::copy_nonoverlapping(from, to, count),
            (1, 2) => (0..count).for_each(|i| to.add(i).write(*from.add(2 * i))),
            (1, 3) => (0..count).for_each(|i| to.add(i).write(*from.add(3 * i))),
            (1, 4) => (0..count).for_each(|i| to.add(i).write(*from.add(4 * i))),
            (1, -1) => (0..count).for_each(|i| to.add(i).write(*from.sub(i))),
            (-1, 1) => (0..count).for_each(|i| to.sub(i).write(*from.add(i))),
            (to_step, from_step) => (0..count as isize).for_each(|i| {
                to.offset(i * to_step).write(*from.offset(i * from_step));
            }),
        }
    }
}

/// Writes `count` copies of the element at `from`.
///
/// # Safety
///
/// `from` is valid for one read and `to`, aligned to the width, for `count` writes. `width` is 1, 2, 4, 8 or 16.
pub(super) unsafe fn repeat(width: usize, to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: passed on from the caller.
    unsafe { by_width!(width, repeat_as(to, from, count)) }
}

unsafe fn repeat_as<T: Copy>(to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: the caller of `repeat` vouches for both. An immediate is only byte-aligned.
    let value = unsafe { from.cast::<T>().read_unaligned() };
    for i in 0..count {
        // SAFETY: `i` is below `count`.
        unsafe { to.cast::<T>().add(i).write(value) };
    }
}
