//! Singular values.
//!
//! Elements that are not finite come out as values that are not a number, or as a positive status, after a bounded number of
//! iterations.

use situ_hal::{Address, Result, SingularVectors};

use super::Calls;
use super::eigh::Each;
use super::method::{self, Svd};
use super::rearrange;
use super::room::{Memory, Place, Room};
use super::session::{Elements, NO_VECTORS, Session, VECTORS, Work, check, int, pointer};
use crate::copy::fill;

/// `A = U S V^H`.
pub(super) fn decompose(
    session: &Session<'_>,
    room: &mut Room,
    [rows, columns]: [usize; 2],
    matrix: Address,
    values: Address,
    vectors: Option<SingularVectors>,
) -> Result<Calls> {
    let problem = Problem { rows, columns, matrix, values, vectors };
    match method::svd([rows, columns], session.count, vectors.is_some()) {
        Svd::JacobiTogether => problem.by_jacobi_together(session, room),
        Svd::Jacobi => problem.by_jacobi(session, room),
        Svd::Iteration => problem.by_iteration(session, room),
        Svd::Eigenvalues => problem.by_eigenvalues(session, room),
        Svd::Polar => problem.by_polar_decomposition(session, room),
    }
}

#[derive(Clone, Copy, Debug)]
struct Problem {
    rows: usize,
    columns: usize,
    matrix: Address,
    values: Address,
    vectors: Option<SingularVectors>,
}

/// Where a call's matrices are. Jacobi's method looks at the addresses even of those that it is not asked for.
#[derive(Clone, Copy, Debug)]
struct Operands {
    matrix: u64,
    values: u64,
    left: u64,
    right: u64,
}

/// Where `U` and `V` go where the command has no place for them.
#[derive(Clone, Copy, Debug)]
struct Spare {
    left: Option<Place>,
    right: Place,
}

impl Problem {
    fn job(&self) -> i32 {
        if self.vectors.is_some() { VECTORS } else { NO_VECTORS }
    }

    fn is_economic(&self) -> bool {
        self.vectors.is_none_or(|vectors| vectors.left_columns == self.columns)
    }

    fn offset(first: Address, n: usize, elements: usize, size: usize) -> Address {
        first.offset((n * elements * size) as isize)
    }

    /// Room for `U`, if vectors are not wanted, and for `V`, of `matrices` matrices. The library gives `V` and commands want `V^H`.
    fn spare(&self, session: &Session<'_>, room: &mut Room, matrices: usize) -> Spare {
        let size = session.size();
        let left = self.vectors.is_none().then(|| room.take(self.rows * self.columns * size));
        Spare { left, right: room.take(matrices * self.columns * self.columns * size) }
    }

    /// The operands of the `n`-th matrix, with its `V` in spare memory.
    fn operands(&self, session: &Session<'_>, memory: &Memory, spare: Spare, n: usize) -> Operands {
        let (size, rows, columns) = (session.size(), self.rows, self.columns);
        let right = memory.address(spare.right);
        let (left, right) = match self.vectors {
            Some(vectors) => (
                Self::offset(vectors.left, n, rows * vectors.left_columns, size),
                Self::offset(right, n, columns * columns, size),
            ),
            None => (spare.left.map_or(right, |left| memory.address(left)), right),
        };
        Operands {
            matrix: pointer(Self::offset(self.matrix, n, rows * columns, size)),
            values: pointer(Self::offset(self.values, n, columns, session.real_size())),
            left: pointer(left),
            right: pointer(right),
        }
    }

    /// `V^H` of `count` matrices from the `first` on.
    fn turn(&self, session: &Session<'_>, right: Address, first: usize, count: usize) -> Result<()> {
        let Some(vectors) = self.vectors else { return Ok(()) };
        let order = self.columns;
        let to = Self::offset(vectors.right, first, order * order, session.size());
        let command = rearrange::conjugate_transpose(session.dtype, right, to, order, count)?;
        // SAFETY: `V` is written by calls before this one in the stream, and `V^H` is the command's.
        unsafe { rearrange::run(session, command) }
    }

    /// The eigenvalues of a Hermitian matrix that has this one below its diagonal, its adjoint above, and zeros elsewhere, are
    /// the singular values, their opposites, and zeros. They are as exact, and come in less than half the time.
    fn by_eigenvalues(self, session: &Session<'_>, room: &mut Room) -> Result<Calls> {
        let (rows, columns, size) = (self.rows, self.columns, session.size());
        let order = rows + columns;
        let (hermitian, found) = (room.take(order * order * size), room.take(order * session.real_size()));
        let each = Each::ask(session, room, order, NO_VECTORS, [pointer(self.matrix), pointer(self.values)])?;
        Ok(Box::new(move |session, memory| {
            let (whole, found) = (memory.address(hermitian), memory.address(found));
            (0..session.count).try_for_each(|n| {
                let matrix = Self::offset(self.matrix, n, rows * columns, size);
                let values = Self::offset(self.values, n, columns, session.real_size());
                let below = whole.offset((columns * size) as isize);
                let last = found.offset(((order - 1) * session.real_size()) as isize);
                // SAFETY: matrix and values are the command's, and there is room for the others; each call reads what those
                // before it in the stream have written.
                unsafe {
                    fill(session.stream, whole, [0; 16], 1, order * order * size)?;
                    let copied = rearrange::copy_columns(session.dtype, (matrix, rows), (below, order), columns);
                    rearrange::run(session, copied)?;
                    each.call(session, memory, n, [pointer(whole), pointer(found)])?;
                    let kept = rearrange::positive_backwards(session.dtype.real_part(), last, values, columns)?;
                    rearrange::run(session, kept)
                }
            })
        }))
    }

    fn by_jacobi(self, session: &Session<'_>, room: &mut Room) -> Result<Calls> {
        let ([m, n], tolerance) = ([int(self.rows)?, int(self.columns)?], session.tolerance(self.columns));
        let economy = i32::from(self.is_economic());
        let matrices = if self.vectors.is_some() { session.count } else { 1 };
        let spare = self.spare(session, room, matrices);
        let elements = Elements::ask(room, session.size(), "gesvdj_bufferSize", |elements| {
            let (ask, at) = (session.library.families.gesvdj_bufferSize[session.kind()], pointer(self.matrix));
            // The memory is not there yet, and its size does not depend on where it will be.
            // SAFETY: writes one integer.
            unsafe {
                ask(
                    session.handle,
                    self.job(),
                    economy,
                    m,
                    n,
                    at,
                    m,
                    pointer(self.values),
                    at,
                    m,
                    at,
                    n,
                    elements,
                    session.svd_settings,
                )
            }
        })?;
        Ok(Box::new(move |session, memory| {
            set_tolerance(session, tolerance)?;
            for i in 0..session.count {
                let at = self.operands(session, memory, spare, i);
                // SAFETY: the operands are the command's, or there is room for them; the memory is as large as the library
                // asked for.
                let code = unsafe {
                    session.library.families.gesvdj[session.kind()](
                        session.handle,
                        self.job(),
                        economy,
                        m,
                        n,
                        at.matrix,
                        m,
                        at.values,
                        at.left,
                        m,
                        at.right,
                        n,
                        memory.at(elements.place),
                        elements.count,
                        session.status_at(i),
                        session.svd_settings,
                    )
                };
                check(code, "gesvdj")?;
            }
            self.turn(session, memory.address(spare.right), 0, session.count)
        }))
    }

    /// All `U` are square here, and singular values sorted, which is the library's default.
    fn by_jacobi_together(self, session: &Session<'_>, room: &mut Room) -> Result<Calls> {
        let ([m, n], tolerance) = ([int(self.rows)?, int(self.columns)?], session.tolerance(self.columns));
        let (rows, columns, size, largest) = (self.rows, self.columns, session.size(), session.largest_batch());
        let own_left = self.vectors.filter(|vectors| vectors.left_columns == rows).map(|vectors| vectors.left);
        let left = own_left.is_none().then(|| room.take(largest * rows * rows * size));
        let right = room.take(largest * columns * columns * size);
        let largest = int(largest)?;
        let elements = Elements::ask(room, size, "gesvdjBatched_bufferSize", |elements| {
            let (ask, at) = (session.library.families.gesvdjBatched_bufferSize[session.kind()], pointer(self.matrix));
            let (values, settings) = (pointer(self.values), session.svd_settings);
            // The memory is not there yet, and its size does not depend on where it will be.
            // SAFETY: writes one integer.
            unsafe { ask(session.handle, self.job(), m, n, at, m, values, at, m, at, n, elements, settings, largest) }
        })?;
        Ok(Box::new(move |session, memory| {
            set_tolerance(session, tolerance)?;
            let right = memory.address(right);
            session.batches().try_for_each(|(first, count)| {
                let left = match (own_left, left) {
                    (None, Some(left)) => memory.address(left),
                    (own, _) => Self::offset(own.unwrap_or(right), first, rows * rows, size),
                };
                // SAFETY: the operands are the command's, or there is room for them; the memory is as large as the library
                // asked for, of the largest batch.
                let code = unsafe {
                    session.library.families.gesvdjBatched[session.kind()](
                        session.handle,
                        self.job(),
                        m,
                        n,
                        pointer(Self::offset(self.matrix, first, rows * columns, size)),
                        m,
                        pointer(Self::offset(self.values, first, columns, session.real_size())),
                        pointer(left),
                        m,
                        pointer(right),
                        n,
                        memory.at(elements.place),
                        elements.count,
                        session.status_at(first),
                        session.svd_settings,
                        int(count)?,
                    )
                };
                check(code, "gesvdjBatched")?;
                if let (Some(vectors), None) = (self.vectors, own_left) {
                    let (all, own) = (rows * rows, rows * vectors.left_columns);
                    let to = Self::offset(vectors.left, first, own, size);
                    let command = rearrange::copy_runs(session.dtype, [(left, all), (to, own)], count);
                    // SAFETY: `U` is written by the call before this one in the stream, with no fewer columns.
                    unsafe { rearrange::run(session, command) }?;
                }
                self.turn(session, right, first, count)
            })
        }))
    }

    /// The only one of the functions that gives `V^H`.
    fn by_iteration(self, session: &Session<'_>, room: &mut Room) -> Result<Calls> {
        let ([dtype, real], [m, n]) = (session.types(), [self.rows as i64, self.columns as i64]);
        let job = match self.vectors {
            None => b'N',
            Some(_) if self.is_economic() => b'S',
            Some(_) => b'A',
        } as i8;
        let at = move |session: &Session<'_>, i: usize| {
            let (size, rows, columns) = (session.size(), self.rows, self.columns);
            let vectors = self.vectors.map_or([0; 2], |vectors| {
                let left = Self::offset(vectors.left, i, rows * vectors.left_columns, size);
                [left, Self::offset(vectors.right, i, columns * columns, size)].map(pointer)
            });
            Operands {
                matrix: pointer(Self::offset(self.matrix, i, rows * columns, size)),
                values: pointer(Self::offset(self.values, i, columns, session.real_size())),
                left: vectors[0],
                right: vectors[1],
            }
        };
        let work = Work::ask(room, session.count, "Xgesvd_bufferSize", |bytes, host_bytes| {
            let (at, ask) = (at(session, 0), session.library.api.cusolverDnXgesvd_bufferSize);
            // SAFETY: writes two sizes.
            unsafe {
                ask(
                    session.handle,
                    session.parameters,
                    job,
                    job,
                    m,
                    n,
                    dtype,
                    at.matrix,
                    m,
                    real,
                    at.values,
                    dtype,
                    at.left,
                    m,
                    dtype,
                    at.right,
                    n,
                    dtype,
                    bytes,
                    host_bytes,
                )
            }
        })?;
        Ok(Box::new(move |session, memory| {
            (0..session.count).try_for_each(|i| {
                let at = at(session, i);
                // SAFETY: the operands are the command's; the memory is as large as the library asked for.
                let code = unsafe {
                    (session.library.api.cusolverDnXgesvd)(
                        session.handle,
                        session.parameters,
                        job,
                        job,
                        m,
                        n,
                        dtype,
                        at.matrix,
                        m,
                        real,
                        at.values,
                        dtype,
                        at.left,
                        m,
                        dtype,
                        at.right,
                        n,
                        dtype,
                        memory.at(work.place),
                        work.bytes,
                        work.host(memory, i),
                        work.host_bytes,
                        session.status_at(i),
                    )
                };
                check(code, "Xgesvd")
            })
        }))
    }

    fn by_polar_decomposition(self, session: &Session<'_>, room: &mut Room) -> Result<Calls> {
        let ([dtype, real], [m, n]) = (session.types(), [self.rows as i64, self.columns as i64]);
        let economy = i32::from(self.is_economic());
        let matrices = if self.vectors.is_some() { session.count } else { 1 };
        let spare = self.spare(session, room, matrices);
        let work = Work::ask(room, session.count, "Xgesvdp_bufferSize", |bytes, host_bytes| {
            let (ask, at) = (session.library.api.cusolverDnXgesvdp_bufferSize, pointer(self.matrix));
            // The memory is not there yet, and its size does not depend on where it will be.
            // SAFETY: writes two sizes.
            unsafe {
                ask(
                    session.handle,
                    session.parameters,
                    self.job(),
                    economy,
                    m,
                    n,
                    dtype,
                    at,
                    m,
                    real,
                    pointer(self.values),
                    dtype,
                    at,
                    m,
                    dtype,
                    at,
                    n,
                    dtype,
                    bytes,
                    host_bytes,
                )
            }
        })?;
        // How far singular values were moved to make the iteration converge.
        let errors = room.take_host(session.count * size_of::<f64>());
        Ok(Box::new(move |session, memory| {
            for i in 0..session.count {
                let at = self.operands(session, memory, spare, i);
                // SAFETY: the operands are the command's, or there is room for them; the memory is as large as the library
                // asked for.
                let code = unsafe {
                    (session.library.api.cusolverDnXgesvdp)(
                        session.handle,
                        session.parameters,
                        self.job(),
                        economy,
                        m,
                        n,
                        dtype,
                        at.matrix,
                        m,
                        real,
                        at.values,
                        dtype,
                        at.left,
                        m,
                        dtype,
                        at.right,
                        n,
                        dtype,
                        memory.at(work.place),
                        work.bytes,
                        work.host(memory, i),
                        work.host_bytes,
                        session.status_at(i),
                        memory.host(errors).cast::<f64>().wrapping_add(i),
                    )
                };
                check(code, "Xgesvdp")?;
            }
            self.turn(session, memory.address(spare.right), 0, session.count)
        }))
    }
}

/// How far Jacobi iterations go; calls read it before they return.
fn set_tolerance(session: &Session<'_>, tolerance: f64) -> Result<()> {
    // SAFETY: the settings exist.
    let code = unsafe { (session.library.api.cusolverDnXgesvdjSetTolerance)(session.svd_settings, tolerance) };
    check(code, "XgesvdjSetTolerance")
}
