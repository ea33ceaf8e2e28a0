//! Linear algebra, judged by what is left over: `A - Q R`, `A V - V W`.
//!
//! Answers differ from device to device in their last digits, and in signs and phases, so that there is nothing to compare
//! them with. A device that refuses such commands passes, unless `SITU_TEST_LINALG` is set: then it has to have a library.

mod decompositions;
mod eigenvalues;
mod equations;
mod matrix;
mod not_finite;

use situ_hal::{Address, Command, Completion, HalError, Linalg, Problem};
use situ_types::{DType, UsmKind};

pub(crate) use self::decompositions::{linalg_qr, linalg_svd};
pub(crate) use self::eigenvalues::{linalg_eig, linalg_eigh};
pub(crate) use self::equations::{linalg_cholesky, linalg_cholesky_leaves_zeros, linalg_equations, linalg_lu};
use self::matrix::Matrix;
pub(crate) use self::not_finite::linalg_of_what_is_not_finite;
use crate::bench::{Bench, Block, finish};

const DTYPES: [DType; 4] = [DType::F32, DType::F64, DType::C64, DType::C128];
/// Bytes before and behind every operand, which nobody may write to.
const MARGIN: usize = 256;
const UNTOUCHED: u8 = 0xA5;

/// Orders of matrices and how many there are: all around the sizes at which libraries change their ways.
fn sizes() -> impl Iterator<Item = (usize, usize)> {
    let small = (1..=40).map(|order| (order, 1 + order % 7));
    small.chain([(1, 1), (5, 1), (32, 1), (33, 12), (40, 9), (70, 3), (130, 2), (200, 1)])
}

/// What a rounding is worth.
fn epsilon(dtype: DType) -> f64 {
    if dtype.real_part() == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// Fails where more is left over than the roundings of a stable algorithm explain.
#[track_caller]
fn assert_small(left_over: f64, scale: f64, order: usize, dtype: DType, what: &str) {
    let limit = 30.0 * epsilon(dtype) * order as f64 * scale;
    assert!(left_over <= limit, "{what} of order {order}, {dtype}: {left_over:e} is left over, and {limit:e} may be");
}

/// What is in the operands afterwards, and the status of each matrix.
struct Answer {
    dtype: DType,
    operands: Vec<Vec<u8>>,
    status: Vec<i32>,
}

impl Answer {
    /// The matrices of an operand, of so many rows and columns.
    fn matrices(&self, operand: usize, dtype: DType, rows: usize, columns: usize) -> Vec<Matrix> {
        let bytes = rows * columns * dtype.size();
        self.operands[operand].chunks(bytes).map(|bytes| Matrix::from_bytes(dtype, rows, bytes)).collect()
    }

    /// Matrices of the dtype of the problem.
    fn of(&self, operand: usize, rows: usize, columns: usize) -> Vec<Matrix> {
        self.matrices(operand, self.dtype, rows, columns)
    }

    /// Real numbers, so many for each matrix.
    fn reals(&self, operand: usize, count: usize) -> Vec<Vec<f64>> {
        let real = |matrix: Matrix| matrix.elements.iter().map(|element| element.re).collect();
        self.matrices(operand, self.dtype.real_part(), count, 1).into_iter().map(real).collect()
    }
}

/// The bytes of matrices, one after another.
fn bytes_of(dtype: DType, matrices: &[Matrix]) -> Vec<u8> {
    matrices.iter().flat_map(|matrix| matrix.to_bytes(dtype)).collect()
}

/// Room for a result, full of what is no result.
fn room(elements: usize, dtype: DType) -> Vec<u8> {
    vec![0xFF; elements * dtype.size()]
}

/// Solves a problem for each of `count` matrices; `None` where the device refuses.
fn solve(
    bench: &Bench,
    dtype: DType,
    count: usize,
    operands: Vec<Vec<u8>>,
    problem: impl FnOnce(&[Address]) -> Problem,
) -> Option<Answer> {
    let with_margins = |contents: &[u8]| {
        let block = bench.allocate(UsmKind::Device, contents.len() + 2 * MARGIN);
        block.write(0, &vec![UNTOUCHED; block.bytes]);
        block.write(MARGIN, contents);
        block
    };
    let statuses = vec![0xFF; count * size_of::<i32>()];
    let mut blocks: Vec<Block<'_>> = operands.iter().map(|contents| with_margins(contents)).collect();
    blocks.push(with_margins(&statuses));
    let addresses: Vec<Address> = blocks.iter().map(|block| block.address.offset(MARGIN as isize)).collect();
    let (&status, given) = addresses.split_last().unwrap();
    let problem = problem(given);
    let command = Command::Linalg(Box::new(Linalg { dtype, count, problem, status }));
    // SAFETY: the memory is there until the command is over, as much as the problem says.
    match unsafe { bench.queue.submit(&command, &[]) } {
        Ok(Completion::Done) => {}
        Ok(Completion::Event(event)) => finish(Some(event)),
        Err(HalError::Unsupported { detail, .. }) => {
            assert!(std::env::var_os("SITU_TEST_LINALG").is_none(), "{} is refused: {detail}", problem.name());
            return None;
        }
        Err(error) => panic!("{}: {error}", problem.name()),
    }
    let mut contents: Vec<Vec<u8>> = blocks.iter().map(|block| within_margins(&block.read(), &problem)).collect();
    let status = contents.pop().unwrap();
    let status = status.as_chunks().0.iter().map(|&bytes| i32::from_ne_bytes(bytes)).collect();
    Some(Answer { dtype, operands: contents, status })
}

/// What lies between the margins, which are as they were.
fn within_margins(bytes: &[u8], problem: &Problem) -> Vec<u8> {
    let (before, rest) = bytes.split_at(MARGIN);
    let (contents, behind) = rest.split_at(rest.len() - MARGIN);
    let is_untouched = before.iter().chain(behind).all(|&byte| byte == UNTOUCHED);
    assert!(is_untouched, "{} wrote outside its operands: {problem:?}", problem.name());
    contents.to_vec()
}
