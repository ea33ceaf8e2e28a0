//! LU factorisations, and equations solved by them.

use situ_hal::{Address, Result};

use super::Calls;
use super::method::{self, Factorisation};
use super::rearrange;
use super::room::{Memory, Place, Room};
use super::session::{NOT_TRANSPOSED, Session, Work, check, int, pointer};
use crate::copy::fill;
use crate::cublas::{AfterLu, LuBatch, WORKSPACE};

/// `P A = L U`.
pub(super) fn factorise(
    session: &Session<'_>,
    room: &mut Room,
    order: usize,
    matrix: Address,
    pivots: Address,
) -> Result<Calls> {
    if is_together(session, order) {
        let batch = Batch::new(session, room, order, matrix)?;
        return Ok(Box::new(move |session, memory| {
            session.batches().try_for_each(|(first, count)| {
                let pivots = pivots.offset((first * order * size_of::<i32>()) as isize);
                // SAFETY: the pivots are the command's.
                unsafe { batch.run(session, memory, first, count, pivots, AfterLu::Nothing) }
            })
        }));
    }
    let single = Single::new(session, room, order, matrix)?;
    // The library writes 64 bits for each.
    let wide = room.take(session.count * order * size_of::<i64>());
    Ok(Box::new(move |session, memory| {
        for n in 0..session.count {
            single.factorise(session, memory, n, pointer(memory.address(wide).offset((n * order * 8) as isize)))?;
        }
        // SAFETY: the pivots have been written, by calls before this one in the stream.
        unsafe { rearrange::run(session, rearrange::narrow(memory.address(wide), pivots, session.count * order)) }
    }))
}

/// `A X = B`.
pub(super) fn solve(
    session: &Session<'_>,
    room: &mut Room,
    [order, columns]: [usize; 2],
    matrix: Address,
    right: Address,
) -> Result<Calls> {
    let right_bytes = order * columns * session.size();
    if is_together(session, order)
        && let Ok(right_columns) = int(columns)
    {
        let batch = Batch::new(session, room, order, matrix)?;
        let pivots = room.take(session.largest_batch() * order * size_of::<i32>());
        let rights = room.take(session.largest_batch() * size_of::<u64>());
        return Ok(Box::new(move |session, memory| {
            session.batches().try_for_each(|(first, count)| {
                let right = right.offset((first * right_bytes) as isize);
                // SAFETY: the places were made for as many.
                unsafe {
                    session.tabulate(memory, rights, right, right_bytes, count)?;
                    let then = AfterLu::Solve(right_columns, memory.address(rights));
                    batch.run(session, memory, first, count, memory.address(pivots), then)
                }
            })
        }));
    }
    let single = Single::new(session, room, order, matrix)?;
    let pivots = room.take(order * size_of::<i64>());
    // Whether the arguments were right, which the other status would be overwritten with.
    let other_status = room.take(size_of::<i32>());
    Ok(Box::new(move |session, memory| {
        let [dtype, _] = session.types();
        (0..session.count).try_for_each(|n| {
            single.factorise(session, memory, n, memory.at(pivots))?;
            // SAFETY: the matrices are the command's, and factorised by the call before this one in the stream.
            let code = unsafe {
                (session.library.api.cusolverDnXgetrs)(
                    session.handle,
                    session.parameters,
                    NOT_TRANSPOSED,
                    order as i64,
                    columns as i64,
                    dtype,
                    pointer(single.at(session, n)),
                    order as i64,
                    memory.at(pivots),
                    dtype,
                    pointer(right.offset((n * right_bytes) as isize)),
                    order as i64,
                    memory.at(other_status),
                )
            };
            check(code, "Xgetrs")
        })
    }))
}

/// `A X = 1`.
pub(super) fn invert(
    session: &Session<'_>,
    room: &mut Room,
    order: usize,
    matrix: Address,
    inverse: Address,
) -> Result<Calls> {
    let bytes = order * order * session.size();
    if is_together(session, order) {
        let batch = Batch::new(session, room, order, matrix)?;
        let pivots = room.take(session.largest_batch() * order * size_of::<i32>());
        let inverses = room.take(session.largest_batch() * size_of::<u64>());
        return Ok(Box::new(move |session, memory| {
            session.batches().try_for_each(|(first, count)| {
                let inverse = inverse.offset((first * bytes) as isize);
                // SAFETY: the places were made for as many.
                unsafe {
                    session.tabulate(memory, inverses, inverse, bytes, count)?;
                    let then = AfterLu::Invert(memory.address(inverses));
                    batch.run(session, memory, first, count, memory.address(pivots), then)
                }
            })
        }));
    }
    let solved = solve(session, room, [order, order], matrix, inverse)?;
    Ok(Box::new(move |session, memory| {
        // SAFETY: the inverses are the command's.
        unsafe {
            fill(session.stream, inverse, [0; 16], 1, session.count * bytes)?;
            rearrange::run(session, rearrange::ones(session.dtype, inverse, order, session.count))?;
        }
        solved(session, memory)
    }))
}

/// Whether cuBLAS, which has the functions for many matrices, should do it.
fn is_together(session: &Session<'_>, order: usize) -> bool {
    method::factorisation(order, session.count) == Factorisation::Together
        && session.stream.device.cublas.is_usable()
        && int(order).is_ok()
}

/// Factorisations one after another.
#[derive(Clone, Copy, Debug)]
struct Single {
    order: usize,
    matrix: Address,
    work: Work,
}

impl Single {
    fn new(session: &Session<'_>, room: &mut Room, order: usize, matrix: Address) -> Result<Single> {
        let [dtype, _] = session.types();
        let n = order as i64;
        let work = Work::ask(room, session.count, "Xgetrf_bufferSize", |bytes, host_bytes| {
            let ask = session.library.api.cusolverDnXgetrf_bufferSize;
            // SAFETY: writes two sizes.
            unsafe {
                ask(session.handle, session.parameters, n, n, dtype, pointer(matrix), n, dtype, bytes, host_bytes)
            }
        })?;
        Ok(Single { order, matrix, work })
    }

    /// Where a matrix is.
    fn at(&self, session: &Session<'_>, n: usize) -> Address {
        self.matrix.offset((n * self.order * self.order * session.size()) as isize)
    }

    fn factorise(&self, session: &Session<'_>, memory: &Memory, n: usize, pivots: u64) -> Result<()> {
        let ([dtype, _], order, work) = (session.types(), self.order as i64, self.work);
        // SAFETY: the matrix is the command's, and the memory is as large as the library asked for.
        let code = unsafe {
            (session.library.api.cusolverDnXgetrf)(
                session.handle,
                session.parameters,
                order,
                order,
                dtype,
                pointer(self.at(session, n)),
                order,
                pivots,
                dtype,
                memory.at(work.place),
                work.bytes,
                work.host(memory, n),
                work.host_bytes,
                session.status_at(n),
            )
        };
        check(code, "Xgetrf")
    }
}

/// Factorisations by one call.
#[derive(Clone, Copy, Debug)]
struct Batch {
    order: i32,
    matrix: Address,
    matrix_bytes: usize,
    matrices: Place,
    workspace: Place,
}

impl Batch {
    fn new(session: &Session<'_>, room: &mut Room, order: usize, matrix: Address) -> Result<Batch> {
        Ok(Batch {
            order: int(order)?,
            matrix,
            matrix_bytes: order * order * session.size(),
            matrices: room.take(session.largest_batch() * size_of::<u64>()),
            workspace: room.take(WORKSPACE),
        })
    }

    /// # Safety
    ///
    /// Pivots and right sides are valid until the stream has come past the calls.
    unsafe fn run(
        &self,
        session: &Session<'_>,
        memory: &Memory,
        first: usize,
        count: usize,
        pivots: Address,
        then: AfterLu,
    ) -> Result<()> {
        debug_assert!(count <= session.largest_batch());
        let (stream, cublas) = (session.stream, &session.stream.device.cublas);
        let batch = LuBatch {
            dtype: session.dtype,
            order: self.order,
            count: int(count)?,
            matrices: memory.address(self.matrices),
            pivots,
            status: session.status.offset((first * size_of::<i32>()) as isize),
            then,
        };
        let matrix = self.matrix.offset((first * self.matrix_bytes) as isize);
        // SAFETY: the matrices are the command's; the places were made for as many.
        unsafe {
            session.tabulate(memory, self.matrices, matrix, self.matrix_bytes, count)?;
            cublas.factorise(stream, &batch, memory.address(self.workspace))
        }
    }
}
