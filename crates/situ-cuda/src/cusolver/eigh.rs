//! Eigenvalues of Hermitian matrices.
//!
//! Elements that are not finite come out as values that are not a number, or as a positive status.

use situ_hal::{Address, Result};

use super::Calls;
use super::method::{self, Eigh};
use super::room::{Memory, Room};
use super::session::{Elements, LOWER, NO_VECTORS, Session, VECTORS, Work, check, int, pointer};

/// `A V = V W`.
pub(super) fn decompose(
    session: &Session<'_>,
    room: &mut Room,
    order: usize,
    matrix: Address,
    values: Address,
    wants_vectors: bool,
) -> Result<Calls> {
    let problem = Problem {
        order,
        matrix,
        matrix_bytes: order * order * session.size(),
        values,
        values_bytes: order * session.real_size(),
        job: if wants_vectors { VECTORS } else { NO_VECTORS },
    };
    match method::eigh(session.dtype, order, session.count, session.library.syev_batched.is_some()) {
        Eigh::Together => problem.together(session, room),
        Eigh::JacobiTogether => problem.by_jacobi(session, room),
        Eigh::Each => problem.each(session, room),
    }
}

/// Eigenvalues of one matrix after another, by divide and conquer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Each {
    order: i64,
    job: i32,
    work: Work,
}

impl Each {
    /// With room for one call for each of the session's matrices. The size does not depend on where the operands are.
    pub(super) fn ask(
        session: &Session<'_>,
        room: &mut Room,
        order: usize,
        job: i32,
        [matrix, values]: [u64; 2],
    ) -> Result<Each> {
        let ([dtype, real], order) = (session.types(), order as i64);
        let work = Work::ask(room, session.count, "Xsyevd_bufferSize", |bytes, host_bytes| {
            let ask = session.library.api.cusolverDnXsyevd_bufferSize;
            // SAFETY: writes two sizes.
            unsafe {
                ask(
                    session.handle,
                    session.parameters,
                    job,
                    LOWER,
                    order,
                    dtype,
                    matrix,
                    order,
                    real,
                    values,
                    dtype,
                    bytes,
                    host_bytes,
                )
            }
        })?;
        Ok(Each { order, job, work })
    }

    /// The eigenvalues of the `n`-th matrix.
    ///
    /// # Safety
    ///
    /// Matrix and values are valid until the stream has come past the call.
    pub(super) unsafe fn call(
        &self,
        session: &Session<'_>,
        memory: &Memory,
        n: usize,
        [matrix, values]: [u64; 2],
    ) -> Result<()> {
        let ([dtype, real], work) = (session.types(), self.work);
        // SAFETY: the caller's promise, and the memory is as large as the library asked for.
        let code = unsafe {
            (session.library.api.cusolverDnXsyevd)(
                session.handle,
                session.parameters,
                self.job,
                LOWER,
                self.order,
                dtype,
                matrix,
                self.order,
                real,
                values,
                dtype,
                memory.at(work.place),
                work.bytes,
                work.host(memory, n),
                work.host_bytes,
                session.status_at(n),
            )
        };
        check(code, "Xsyevd")
    }
}

#[derive(Clone, Copy, Debug)]
struct Problem {
    order: usize,
    matrix: Address,
    matrix_bytes: usize,
    values: Address,
    values_bytes: usize,
    job: i32,
}

impl Problem {
    /// Where matrix and values are.
    fn at(&self, n: usize) -> [u64; 2] {
        let at = |address: Address, bytes: usize| pointer(address.offset((n * bytes) as isize));
        [at(self.matrix, self.matrix_bytes), at(self.values, self.values_bytes)]
    }

    fn each(self, session: &Session<'_>, room: &mut Room) -> Result<Calls> {
        let each = Each::ask(session, room, self.order, self.job, self.at(0))?;
        Ok(Box::new(move |session, memory| {
            // SAFETY: matrix and values are the command's.
            (0..session.count).try_for_each(|n| unsafe { each.call(session, memory, n, self.at(n)) })
        }))
    }

    fn together(self, session: &Session<'_>, room: &mut Room) -> Result<Calls> {
        let Some(function) = session.library.syev_batched else { return self.each(session, room) };
        let ([dtype, real], order) = (session.types(), self.order as i64);
        let largest = session.largest_batch() as i64;
        let work = Work::ask(room, session.batches().count(), "XsyevBatched_bufferSize", |bytes, host_bytes| {
            let [matrix, values] = self.at(0);
            // SAFETY: writes two sizes.
            unsafe {
                (function.buffer_size)(
                    session.handle,
                    session.parameters,
                    self.job,
                    LOWER,
                    order,
                    dtype,
                    matrix,
                    order,
                    real,
                    values,
                    dtype,
                    bytes,
                    host_bytes,
                    largest,
                )
            }
        })?;
        Ok(Box::new(move |session, memory| {
            session.batches().enumerate().try_for_each(|(call, (first, count))| {
                let [matrix, values] = self.at(first);
                // SAFETY: matrices and values are the command's, and the memory is as large as the library asked for, of
                // the largest batch.
                let code = unsafe {
                    (function.call)(
                        session.handle,
                        session.parameters,
                        self.job,
                        LOWER,
                        order,
                        dtype,
                        matrix,
                        order,
                        real,
                        values,
                        dtype,
                        memory.at(work.place),
                        work.bytes,
                        work.host(memory, call),
                        work.host_bytes,
                        session.status_at(first),
                        count as i64,
                    )
                };
                check(code, "XsyevBatched")
            })
        }))
    }

    /// Eigenvalues come sorted, which is the library's default.
    fn by_jacobi(self, session: &Session<'_>, room: &mut Room) -> Result<Calls> {
        let (order, largest, tolerance) =
            (int(self.order)?, int(session.largest_batch())?, session.tolerance(self.order));
        let elements = Elements::ask(room, session.size(), "syevjBatched_bufferSize", |elements| {
            let [matrix, values] = self.at(0);
            let ask = session.library.families.syevjBatched_bufferSize[session.kind()];
            let settings = session.eigen_settings;
            // SAFETY: writes one integer.
            unsafe { ask(session.handle, self.job, LOWER, order, matrix, order, values, elements, settings, largest) }
        })?;
        Ok(Box::new(move |session, memory| {
            let settings = session.eigen_settings;
            // SAFETY: the settings exist, and calls read them before they return.
            let code = unsafe { (session.library.api.cusolverDnXsyevjSetTolerance)(settings, tolerance) };
            check(code, "XsyevjSetTolerance")?;
            session.batches().try_for_each(|(first, count)| {
                let [matrix, values] = self.at(first);
                // SAFETY: matrices and values are the command's, and the memory is as large as the library asked for, of
                // the largest batch.
                let code = unsafe {
                    session.library.families.syevjBatched[session.kind()](
                        session.handle,
                        self.job,
                        LOWER,
                        order,
                        matrix,
                        order,
                        values,
                        memory.at(elements.place),
                        elements.count,
                        session.status_at(first),
                        settings,
                        int(count)?,
                    )
                };
                check(code, "syevjBatched")
            })
        }))
    }
}
