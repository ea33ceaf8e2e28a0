//! Cholesky factorisations.

use situ_hal::{Address, Result};

use super::Calls;
use super::method::{self, Factorisation};
use super::rearrange;
use super::room::Room;
use super::session::{LOWER, Session, Work, check, int, pointer};

/// `A = L L^H`, with zeros above the diagonal.
pub(super) fn factorise(session: &Session<'_>, room: &mut Room, order: usize, matrix: Address) -> Result<Calls> {
    let factor = factor(session, room, order, matrix)?;
    Ok(Box::new(move |session, memory| {
        factor(session, memory)?;
        let command = rearrange::lower(session.dtype, matrix, order, session.count)?;
        // SAFETY: the matrices are the command's.
        unsafe { rearrange::run(session, command) }
    }))
}

/// The library leaves above the diagonal what was there.
fn factor(session: &Session<'_>, room: &mut Room, order: usize, matrix: Address) -> Result<Calls> {
    let bytes = order * order * session.size();
    let at = move |n: usize| matrix.offset((n * bytes) as isize);
    if method::factorisation(order, session.count) == Factorisation::Together
        && let Ok(order) = int(order)
    {
        let matrices = room.take(session.largest_batch() * size_of::<u64>());
        return Ok(Box::new(move |session, memory| {
            session.batches().try_for_each(|(first, count)| {
                // SAFETY: the matrices are the command's; the place was made for as many.
                let code = unsafe {
                    session.tabulate(memory, matrices, at(first), bytes, count)?;
                    session.library.families.potrfBatched[session.kind()](
                        session.handle,
                        LOWER,
                        order,
                        memory.at(matrices),
                        order,
                        session.status_at(first),
                        int(count)?,
                    )
                };
                check(code, "potrfBatched")
            })
        }));
    }
    let ([dtype, _], order) = (session.types(), order as i64);
    let work = Work::ask(room, session.count, "Xpotrf_bufferSize", |bytes, host_bytes| {
        let ask = session.library.api.cusolverDnXpotrf_bufferSize;
        // SAFETY: writes two sizes.
        unsafe {
            ask(
                session.handle,
                session.parameters,
                LOWER,
                order,
                dtype,
                pointer(matrix),
                order,
                dtype,
                bytes,
                host_bytes,
            )
        }
    })?;
    Ok(Box::new(move |session, memory| {
        (0..session.count).try_for_each(|n| {
            // SAFETY: the matrix is the command's, and the memory is as large as the library asked for.
            let code = unsafe {
                (session.library.api.cusolverDnXpotrf)(
                    session.handle,
                    session.parameters,
                    LOWER,
                    order,
                    dtype,
                    pointer(at(n)),
                    order,
                    dtype,
                    memory.at(work.place),
                    work.bytes,
                    work.host(memory, n),
                    work.host_bytes,
                    session.status_at(n),
                )
            };
            check(code, "Xpotrf")
        })
    }))
}
