//! Linear algebra: every matrix by `situ-linalg`. Several are dealt out to the device's team; a large one has a pool of
//! rayon's to itself, whose threads are on the device's cores.

use std::mem::MaybeUninit;
use std::slice;

use num_complex::Complex;
use rayon_core::{ThreadPool, ThreadPoolBuilder};
use situ_hal::{Address, Linalg, Problem};
use situ_linalg::{Failure, Matrices, SingularVectors, Threads};
use situ_types::DType;

use crate::elementwise::{Fork, Machine};
use crate::topology::CoreSet;

/// Orders from which two threads are quicker than one, also where one of them has to wake up first: those of Cholesky factors, of
/// equations, and of what takes longer.
const LARGE_CHOLESKY: usize = 2048;
const LARGE_EQUATIONS: usize = 1024;
const LARGE: usize = 512;

/// Threads for a large matrix, on these cores if there are any to keep to; `None` where the system has no threads to give.
pub(crate) fn pool(cores: &CoreSet, is_bound: bool) -> Option<ThreadPool> {
    let on = cores.clone();
    let bind = move |_: usize| {
        if is_bound {
            on.bind_current_thread();
        }
    };
    let name = format!("situ-linalg-{cores}-");
    let named = ThreadPoolBuilder::new().num_threads(cores.len()).thread_name(move |n| format!("{name}{n}"));
    named.start_handler(bind).build().ok()
}

/// How the matrices of a command are divided.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// How many are worked on at a time.
    lanes: usize,
    /// What each may use.
    threads: Threads,
    /// Bytes of scratch memory for each.
    room: usize,
}

impl Plan {
    fn of(command: &Linalg, machine: &Machine) -> Plan {
        let lanes = command.count.min(machine.threads).min(machine.chunks(cost(command)));
        let (size, large) = match command.problem {
            Problem::Lu { order, .. } | Problem::Solve { order, .. } | Problem::Inverse { order, .. } => {
                (order, LARGE_EQUATIONS)
            }
            Problem::Cholesky { order, .. } => (order, LARGE_CHOLESKY),
            Problem::Eigh { order, .. } | Problem::Eig { order, .. } => (order, LARGE),
            Problem::Qr { rows, columns, .. } | Problem::Svd { rows, columns, .. } => (rows.min(columns), LARGE),
        };
        let is_alone = command.count < machine.threads && size >= large;
        let (lanes, threads) = if is_alone { (1, Threads::Pool(machine.threads)) } else { (lanes, Threads::One) };
        Plan { lanes, threads, room: room(command, threads).next_multiple_of(64) }
    }
}

fn room(command: &Linalg, threads: Threads) -> usize {
    match command.dtype {
        DType::F32 => room_of::<f32>(&command.problem, threads),
        DType::C64 => room_of::<Complex<f32>>(&command.problem, threads),
        DType::C128 => room_of::<Complex<f64>>(&command.problem, threads),
        _ => room_of::<f64>(&command.problem, threads),
    }
}

fn room_of<T: Matrices>(problem: &Problem, threads: Threads) -> usize {
    match *problem {
        Problem::Lu { .. } => 0,
        Problem::Solve { order, columns, .. } => T::solve_room([order, columns]),
        Problem::Inverse { order, .. } => T::solve_room([order, 0]),
        Problem::Cholesky { order, .. } => T::cholesky_room(order, threads),
        Problem::Qr { rows, columns, q, .. } => {
            T::qr_room([rows, columns], q.map_or(0, |(columns, _)| columns), threads)
        }
        Problem::Svd { rows, columns, vectors, .. } => {
            T::svd_room([rows, columns], vectors.map(|vectors| vectors.left_columns), threads)
        }
        Problem::Eigh { order, wants_vectors, .. } => T::eigh_room(order, wants_vectors, threads),
        Problem::Eig { order, vectors, .. } => T::eig_room(order, vectors.is_some(), threads),
    }
}

/// Bytes of scratch memory that the command needs.
pub(crate) fn scratch(command: &Linalg, machine: &Machine) -> usize {
    let plan = Plan::of(command, machine);
    plan.lanes * plan.room
}

/// A rough estimate, in nanoseconds, of one thread's work: some products of matrices, and something for each matrix.
pub(crate) fn cost(command: &Linalg) -> u64 {
    let cube = |rows: usize, columns: usize, depth: usize| (rows as f64) * (columns as f64) * (depth as f64);
    let operations = match command.problem {
        Problem::Lu { order, .. } => cube(order, order, order) / 1.5,
        Problem::Solve { order, columns, .. } => cube(order, order, order) / 1.5 + 2.0 * cube(order, order, columns),
        Problem::Inverse { order, .. } => 2.0 * cube(order, order, order),
        Problem::Cholesky { order, .. } => cube(order, order, order) / 3.0,
        Problem::Qr { rows, columns, .. } => 4.0 * cube(rows, columns, rows.min(columns)),
        Problem::Svd { rows, columns, vectors, .. } => {
            cube(rows, columns, columns) * if vectors.is_some() { 20.0 } else { 5.0 }
        }
        Problem::Eigh { order, wants_vectors, .. } => cube(order, order, order) * if wants_vectors { 9.0 } else { 3.0 },
        Problem::Eig { order, vectors, .. } => cube(order, order, order) * if vectors.is_some() { 60.0 } else { 25.0 },
    };
    let of_dtype = match command.dtype {
        DType::F32 => 0.05,
        DType::C64 => 0.2,
        DType::C128 => 0.4,
        _ => 0.1,
    };
    ((300.0 + operations * of_dtype) * command.count as f64) as u64
}

/// Executes the command. A pool is asked for where a matrix is large.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over. There are as many bytes of scratch
/// memory as [`scratch`] says.
#[inline(never)]
pub(crate) unsafe fn linalg<'p>(
    command: &Linalg,
    machine: &Machine,
    fork: Fork<'_>,
    scratch: Address,
    pool: impl FnOnce() -> Option<&'p ThreadPool>,
) {
    let plan = Plan::of(command, machine);
    // SAFETY: the caller's promise, for each; lanes have matrices and scratch memory of their own.
    let run = |plan: Plan, lane: usize| unsafe {
        match command.dtype {
            DType::F32 => run_lane::<f32>(command, plan, lane, scratch),
            DType::C64 => run_lane::<Complex<f32>>(command, plan, lane, scratch),
            DType::C128 => run_lane::<Complex<f64>>(command, plan, lane, scratch),
            _ => run_lane::<f64>(command, plan, lane, scratch),
        }
    };
    match (plan.lanes, plan.threads) {
        (1, Threads::One) => run(plan, 0),
        (lanes, Threads::One) => fork(lanes, &|lane| run(plan, lane)),
        (_, Threads::Pool(_)) => match pool() {
            Some(pool) => pool.install(|| run(plan, 0)),
            // Outside of a pool, rayon would use every core there is. One thread needs no more room than several.
            None => run(Plan { threads: Threads::One, ..plan }, 0),
        },
    }
}

/// The matrices of one lane.
///
/// # Safety
///
/// As for [`linalg`], for elements of this type, and nobody else runs the lane.
unsafe fn run_lane<T: Matrices>(command: &Linalg, plan: Plan, lane: usize, scratch: Address) {
    let of = |lane: usize| command.count * lane / plan.lanes;
    for n in of(lane)..of(lane + 1) {
        let room = match plan.room {
            0 => &mut [],
            // SAFETY: so many bytes of the scratch memory are this lane's.
            bytes => unsafe { piece::<MaybeUninit<u8>>(scratch, lane, bytes) },
        };
        // SAFETY: the caller's promise, for the n-th matrix.
        let status = unsafe { solve_one::<T>(&command.problem, n, room, plan.threads) };
        // SAFETY: there is an int32 for each matrix.
        unsafe { command.status.0.cast::<i32>().add(n).write(status) };
    }
}

/// The n-th piece of so many elements.
///
/// # Safety
///
/// There are such elements, properly aligned, and nobody else uses them.
unsafe fn piece<'a, T>(start: Address, n: usize, elements: usize) -> &'a mut [T] {
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts_mut(start.0.cast::<T>().add(n * elements), elements) }
}

/// Solves the problem for one matrix; its status.
///
/// # Safety
///
/// As for [`linalg`], for the n-th matrix.
unsafe fn solve_one<T: Matrices>(problem: &Problem, n: usize, room: situ_linalg::Room<'_>, threads: Threads) -> i32 {
    // SAFETY: operands are dense, and so many pieces of these lengths; no two overlap. That holds for every piece below.
    let outcome = unsafe {
        match *problem {
            Problem::Lu { order, matrix, pivots } => {
                let singular = T::lu(piece(matrix, n, order * order), order, piece(pivots, n, order), threads);
                singular.map_or(Ok(()), |at| Err(Failure::Singular(at)))
            }
            Problem::Solve { order, columns, matrix, right } => {
                let (matrix, right) = (piece::<T>(matrix, n, order * order), piece(right, n, order * columns));
                T::solve(matrix, right, [order, columns], room, threads)
            }
            Problem::Inverse { order, matrix, inverse } => {
                let (matrix, inverse) = (piece::<T>(matrix, n, order * order), piece(inverse, n, order * order));
                T::invert(matrix, inverse, order, room, threads)
            }
            Problem::Cholesky { order, matrix } => T::cholesky(piece(matrix, n, order * order), order, room, threads),
            Problem::Qr { rows, columns, matrix, q } => {
                let q = q.map(|(columns, q)| (columns, piece::<T>(q, n, rows * columns)));
                T::qr(piece(matrix, n, rows * columns), [rows, columns], q, room, threads);
                Ok(())
            }
            Problem::Svd { rows, columns, matrix, values, vectors } => {
                let vectors = vectors.map(|vectors| SingularVectors {
                    left_columns: vectors.left_columns,
                    left: piece::<T>(vectors.left, n, rows * vectors.left_columns),
                    right: piece(vectors.right, n, columns * columns),
                });
                let (matrix, values) = (piece(matrix, n, rows * columns), piece(values, n, columns));
                T::svd(matrix, [rows, columns], values, vectors, room, threads)
            }
            Problem::Eigh { order, matrix, values, wants_vectors } => {
                let (matrix, values) = (piece::<T>(matrix, n, order * order), piece(values, n, order));
                T::eigh(matrix, order, values, wants_vectors, room, threads)
            }
            Problem::Eig { order, matrix, values, vectors } => {
                let vectors = vectors.map(|vectors| piece(vectors, n, order * order));
                let (matrix, values) = (piece::<T>(matrix, n, order * order), piece(values, n, order));
                T::eig(matrix, order, values, vectors, room, threads)
            }
        }
    };
    outcome.map_or_else(Failure::status, |()| 0)
}
