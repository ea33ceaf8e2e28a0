//! QR factorisations.

use situ_hal::{Address, Result};

use super::Calls;
use super::room::Room;
use super::session::{Elements, Session, Work, check, int, pointer};
use crate::copy::{copy, fill};

/// `A = Q R`. The library leaves the reflections in the place of `A`, below `R`, and makes `Q` of a copy of them. It has no
/// function that does the latter for many matrices.
pub(super) fn factorise(
    session: &Session<'_>,
    room: &mut Room,
    [rows, columns]: [usize; 2],
    matrix: Address,
    q: Option<(usize, Address)>,
) -> Result<Calls> {
    let ([dtype, _], size) = (session.types(), session.size());
    let [m, n] = [rows as i64, columns as i64];
    let reflections = rows.min(columns);
    let factors = room.take(reflections * size);
    let work = Work::ask(room, session.count, "Xgeqrf_bufferSize", |bytes, host_bytes| {
        let ask = session.library.api.cusolverDnXgeqrf_bufferSize;
        // The memory is not there yet, and its size does not depend on where it will be.
        // SAFETY: writes two sizes.
        unsafe {
            ask(session.handle, session.parameters, m, n, dtype, pointer(matrix), m, dtype, 0, dtype, bytes, host_bytes)
        }
    })?;
    let other_status = room.take(size_of::<i32>());
    let q = match q {
        Some((q_columns, q)) => {
            let shape = [int(rows)?, int(q_columns)?, int(reflections)?];
            let [m, n, k] = shape;
            let elements = Elements::ask(room, size, "orgqr_bufferSize", |elements| {
                let ask = session.library.families.orgqr_bufferSize[session.kind()];
                // SAFETY: writes one integer.
                unsafe { ask(session.handle, m, n, k, pointer(q), m, 0, elements) }
            })?;
            Some((q_columns, q, shape, elements))
        }
        None => None,
    };
    Ok(Box::new(move |session, memory| {
        let factors = memory.at(factors);
        (0..session.count).try_for_each(|i| {
            let matrix = matrix.offset((i * rows * columns * size) as isize);
            // SAFETY: the matrix is the command's, and the memory is as large as the library asked for.
            let code = unsafe {
                (session.library.api.cusolverDnXgeqrf)(
                    session.handle,
                    session.parameters,
                    m,
                    n,
                    dtype,
                    pointer(matrix),
                    m,
                    dtype,
                    factors,
                    dtype,
                    memory.at(work.place),
                    work.bytes,
                    work.host(memory, i),
                    work.host_bytes,
                    session.status_at(i),
                )
            };
            check(code, "Xgeqrf")?;
            let Some((q_columns, q, [m, n, k], elements)) = q else { return Ok(()) };
            let q = q.offset((i * rows * q_columns * size) as isize);
            let copied = rows * reflections * size;
            let others = rows * (q_columns - reflections) * size;
            // SAFETY: both matrices are the command's and do not overlap; `Q` has no fewer columns than there are
            // reflections. The memory is as large as the library asked for.
            let code = unsafe {
                copy(session.stream, q, matrix, copied)?;
                // What is there may not be a number, which no product with zero gets rid of.
                fill(session.stream, q.offset(copied as isize), [0; 16], 1, others)?;
                session.library.families.orgqr[session.kind()](
                    session.handle,
                    m,
                    n,
                    k,
                    pointer(q),
                    m,
                    factors,
                    memory.at(elements.place),
                    elements.count,
                    memory.at(other_status),
                )
            };
            check(code, "orgqr")
        })
    }))
}
