//! Products of matrices.
//!
//! * `lane`, `vector`: numbers that are computed with, and vectors of them for each instruction set.
//! * `tile`: sums of products, in registers.
//! * `pack`: copies of the factors in the order in which tiles read them.
//! * `block`: one product on one thread, in blocks that fit the caches.
//! * `matvec`: a matrix times a column.
//! * `table`: all of it compiled for every dtype and instruction set.
//!
//! A product is divided among threads by rows and columns of its result, or by the products of a batch, so that no two of them
//! write to the same place. Each packs what it needs for itself.

mod block;
mod lane;
mod matvec;
mod pack;
mod table;
mod tile;
mod vector;

#[cfg(test)]
mod tests;

use std::cell::RefCell;

use situ_hal::{Matrices, Product};
use situ_types::{DType, DTypeKind};
use smallvec::{SmallVec, smallvec};

use self::block::{Place, Sizes};
use self::table::kernel;
use crate::bytes::LINE;
use crate::elementwise::{Fork, Machine};

/// A rough estimate, in nanoseconds, of one thread's work.
pub(crate) fn cost(command: &Product) -> u64 {
    let times = |numbers: &[usize]| numbers.iter().fold(1u64, |product, &n| product.saturating_mul(n as u64));
    let (rows, columns, depth) = (command.rows, command.columns, command.depth);
    let computing = times(&[rows, columns, depth]).saturating_mul(picoseconds(command.dtype)) / 1000;
    // About 20 GB/s, which is what a matrix times a column comes to.
    let elements =
        times(&[rows, depth]).saturating_add(times(&[depth, columns])).saturating_add(times(&[rows, columns]));
    let moving = elements.saturating_mul(command.dtype.size() as u64) / 20;
    computing.max(moving).saturating_add(20).saturating_mul(command.count() as u64)
}

/// For a multiplication and an addition.
fn picoseconds(dtype: DType) -> u64 {
    let width = dtype.size() as u64;
    match dtype.kind() {
        DTypeKind::Bool => 3,
        DTypeKind::Integer => 8 * width.max(4),
        DTypeKind::Float => 4 * width.max(4),
        DTypeKind::Complex => 8 * width,
    }
}

/// Executes a command.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over. The processor has the machine's
/// instruction set.
#[inline(never)]
pub(crate) unsafe fn product(command: &Product, nanoseconds: u64, machine: &Machine, fork: Fork<'_>) {
    let turned;
    // Tiles write rows of the result, which should lie side by side; a single row is better off as a column.
    let is_turned = match (command.rows, command.columns) {
        (1, _) => true,
        (_, 1) => false,
        _ => command.out.column_step != 1 && command.out.row_step == 1,
    };
    let command = if is_turned {
        turned = command.clone().transposed();
        &turned
    } else {
        command
    };
    let pieces = Pieces::of(command, machine.chunks(nanoseconds));
    let run = |n: usize| {
        // SAFETY: the caller's promise; no two pieces have a result in common.
        unsafe { run_piece(command, &pieces, n, machine) }
    };
    match pieces.count() {
        1 => run(0),
        count => fork(count, &run),
    }
}

/// How a command is divided.
#[derive(Clone, Copy, Debug)]
struct Pieces {
    /// Products in a piece, and how many pieces that makes.
    products: usize,
    of_batch: usize,
    /// Rows in a piece.
    rows: usize,
    of_rows: usize,
    /// Columns in a piece.
    columns: usize,
    of_columns: usize,
}

/// Rows and columns in a piece are multiples of this, as far as there are so many.
const GRAIN: usize = 48;

impl Pieces {
    /// About as many pieces as wanted.
    fn of(command: &Product, wanted: usize) -> Pieces {
        let (count, rows, columns) = (command.count(), command.rows, command.columns);
        let products = count.div_ceil(wanted.min(count));
        let of_batch = count.div_ceil(products);
        let within = wanted.div_ceil(of_batch);
        // Pieces are about as wide as high.
        let by_rows = ((within as f64 * rows as f64 / columns as f64).sqrt().round() as usize).clamp(1, within);
        let piece = |length: usize, pieces: usize| length.div_ceil(pieces).next_multiple_of(GRAIN).min(length);
        let rows_each = piece(rows, by_rows);
        let columns_each = piece(columns, within / by_rows);
        Pieces {
            products,
            of_batch,
            rows: rows_each,
            of_rows: rows.div_ceil(rows_each),
            columns: columns_each,
            of_columns: columns.div_ceil(columns_each),
        }
    }

    fn count(&self) -> usize {
        self.of_batch * self.of_rows * self.of_columns
    }
}

/// # Safety
///
/// As for [`product`], for this piece.
unsafe fn run_piece(command: &Product, pieces: &Pieces, n: usize, machine: &Machine) {
    let (n, column) = (n / pieces.of_columns, n % pieces.of_columns * pieces.columns);
    let (first, row) = (n / pieces.of_rows * pieces.products, n % pieces.of_rows * pieces.rows);
    let sizes = Sizes {
        rows: pieces.rows.min(command.rows - row),
        columns: pieces.columns.min(command.columns - column),
        depth: command.depth,
    };
    let kernel = kernel(machine.isa, command.dtype);
    let width = command.dtype.size() as isize;
    let place = |matrices: &Matrices, row: usize, column: usize| {
        let moved = row as isize * matrices.row_step + column as isize * matrices.column_step;
        let at = matrices.address.offset(moved * width).0;
        Place { at, row: matrices.row_step, column: matrices.column_step }
    };
    let operands = [&command.left, &command.right, &command.out];
    let places = [place(operands[0], row, 0), place(operands[1], 0, column), place(operands[2], row, column)];
    let column = (kernel.column_room)(sizes, places[0]);
    let plan = (kernel.plan)(sizes, places[0], places[1]);
    let count = pieces.products.min(command.count() - first);
    with_memory(column.unwrap_or(plan.room), |memory| {
        let mut index = index_of(&command.batch, first);
        for _ in 0..count {
            let mut moved = places;
            for (place, matrices) in moved.iter_mut().zip(operands) {
                let steps = index.iter().zip(&matrices.batch_steps).map(|(&i, step)| i as isize * step);
                place.at = place.at.wrapping_offset(steps.sum::<isize>() * width);
            }
            // SAFETY: the caller's promise, for this product of the batch.
            unsafe {
                match column {
                    Some(_) => (kernel.times_column)(sizes, moved, memory),
                    None => (kernel.multiply)(&plan, moved, memory),
                }
            }
            advance(&mut index, &command.batch);
        }
    });
}

/// The index of a position in C order.
fn index_of(shape: &[usize], position: usize) -> SmallVec<[usize; 4]> {
    let (mut index, mut rest): (SmallVec<[usize; 4]>, _) = (smallvec![0; shape.len()], position);
    for (i, &length) in index.iter_mut().zip(shape).rev() {
        (*i, rest) = (rest % length, rest / length);
    }
    index
}

/// The next index in C order.
fn advance(index: &mut [usize], shape: &[usize]) {
    for (i, &length) in index.iter_mut().zip(shape).rev() {
        *i += 1;
        if *i < length {
            return;
        }
        *i = 0;
    }
}

/// A cache line, so that no vector straddles two.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line(#[allow(dead_code, reason = "read and written through pointers only")] [u8; LINE]);

/// The most memory a product takes on a thread, whatever its sizes are.
const MOST: usize = 8 << 20;

/// Calls `work` with so many bytes of undefined contents, aligned to a cache line. The thread keeps them from one product to the
/// next: fresh pages cost more than what is copied there.
fn with_memory(bytes: usize, work: impl FnOnce(*mut u8)) {
    thread_local! {
        static MEMORY: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
    }
    debug_assert!(bytes <= MOST, "blocks bound the memory of a product, not its sizes: {bytes} bytes");
    // A thread that ends has nothing kept any more.
    let mut memory = MEMORY.try_with(RefCell::take).unwrap_or_default();
    memory.reserve(bytes.div_ceil(LINE));
    work(memory.as_mut_ptr().cast());
    let _ = MEMORY.try_with(|kept| kept.replace(memory));
}
