//! What the library leaves, in the form that commands promise, by kernels.

use std::sync::{Arc, LazyLock};

use situ_codegen::work_for;
use situ_hal::{Address, Command, Elementwise, HalError, ProgramRef, Result};
use situ_ir::{Op, Program, ProgramError};
use situ_types::{DType, Dims, Scalar};

use super::session::Session;
use crate::work::launch_all;

/// An operand of a kernel: its first element, and elements from one to the next along each axis.
type Operand<'a> = (Address, &'a [isize]);

/// Runs a kernel.
///
/// # Safety
///
/// The operands are valid until the stream has come past the kernel. The device has been entered.
pub(super) unsafe fn run(session: &Session<'_>, command: Elementwise) -> Result<()> {
    let work = work_for(&Command::Elementwise(command), &session.stream.device.facts.limits)?;
    debug_assert_eq!(work.scratch, 0, "only spaces of many axes need memory");
    // SAFETY: the operands are the caller's promise; there is no scratch memory.
    unsafe { launch_all(session.stream, &work, 0) }
}

/// Writes 64-bit integers as 32-bit ones.
pub(super) fn narrow(from: Address, to: Address, count: usize) -> Elementwise {
    command(Program::convert(DType::I64, DType::I32), &[count], &[(from, &[1])], (to, &[1]))
}

/// Copies so many columns of a matrix, of as many rows, to those of one whose columns are further apart.
pub(super) fn copy_columns(dtype: DType, from: (Address, usize), to: (Address, usize), columns: usize) -> Elementwise {
    let (program, shape) = (Program::convert(dtype, dtype), [columns, from.1]);
    command(program, &shape, &[(from.0, &[from.1 as isize, 1])], (to.0, &[to.1 as isize, 1]))
}

/// Writes numbers from the last one on, and zeros for those that are negative.
pub(super) fn positive_backwards(dtype: DType, last: Address, to: Address, count: usize) -> Result<Elementwise> {
    let zero = if dtype == DType::F64 { Scalar::F64(0.0) } else { Scalar::F32(0.0) };
    let mut program = Program::builder();
    let (x, zero) = (program.input(dtype), program.constant(zero));
    let program = program.apply(Op::Maximum, &[x, zero]).and_then(|kept| program.finish(&[kept]));
    Ok(command(program.map_err(impossible)?, &[count], &[(last, &[-1])], (to, &[1])))
}

/// Writes ones to the diagonals of square matrices.
pub(super) fn ones(dtype: DType, to: Address, order: usize, count: usize) -> Elementwise {
    let program = ProgramRef::Shared(Arc::new(Program::convert(DType::F32, dtype)));
    // A space has as few axes as it needs.
    let (shape, steps) = ([count, order], [(order * order) as isize, order as isize + 1]);
    let first = usize::from(count == 1);
    let mut command = Elementwise::new(program, Dims::from_slice(&shape[first..]));
    command.push_immediate(Scalar::F32(1.0).to_bytes());
    command.push_memory(to, &steps[first..]);
    command
}

/// Writes zeros above the diagonals of square matrices, column after column.
pub(super) fn lower(dtype: DType, matrices: Address, order: usize, count: usize) -> Result<Elementwise> {
    let elements = order * order * count;
    // Division is the most work here, and narrow numbers divide several times as fast.
    let narrow = u32::try_from(elements).is_ok();
    let number = |n: usize| if narrow { Scalar::U32(n as u32) } else { Scalar::U64(n as u64) };
    let program = keeping_lower(dtype, number(0).dtype()).map_err(impossible)?;
    let mut command = Elementwise::new(ProgramRef::Shared(Arc::new(program)), Dims::from_slice(&[elements]));
    command.push_index();
    command.push_immediate(number(order).to_bytes());
    command.push_immediate(number(order * order).to_bytes());
    command.push_memory(matrices, &[1]);
    command.push_constants();
    command.push_memory(matrices, &[1]);
    Ok(command)
}

/// Of an index, the rows of a matrix, its elements, and an element: the element, or zero where its row comes before its column.
fn keeping_lower(dtype: DType, counted: DType) -> Result<Program, ProgramError> {
    let mut program = Program::builder();
    let index = program.input(DType::I64);
    let [rows, elements] = [0; 2].map(|_| program.input(counted));
    let (element, zero) = (program.input(dtype), program.constant(Scalar::F32(0.0)));
    let index = program.cast(index, counted)?;
    let position = program.apply(Op::Remainder, &[index, elements])?;
    let column = program.apply(Op::FloorDivide, &[position, rows])?;
    let row = program.apply(Op::Remainder, &[position, rows])?;
    let is_lower = program.apply(Op::GreaterEqual, &[row, column])?;
    let zero = program.cast(zero, dtype)?;
    let kept = program.select(is_lower, element, zero)?;
    program.finish(&[kept])
}

/// Writes addresses, so many bytes from one to the next.
pub(super) fn addresses(first: Address, bytes: usize, to: Address, count: usize) -> Result<Elementwise> {
    static PROGRAM: LazyLock<Result<Program, ProgramError>> = LazyLock::new(|| {
        let mut program = Program::builder();
        let [index, step, start] = [0; 3].map(|_| program.input(DType::I64));
        let moved = program.apply(Op::Multiply, &[index, step])?;
        let address = program.apply(Op::Add, &[start, moved])?;
        program.finish(&[address])
    });
    let program = PROGRAM.as_ref().map_err(|error| impossible(error.clone()))?;
    let mut command = Elementwise::new(ProgramRef::Static(program), Dims::from_slice(&[count]));
    command.push_index();
    command.push_immediate(Scalar::I64(bytes as i64).to_bytes());
    command.push_immediate(Scalar::I64(first.value() as i64).to_bytes());
    command.push_memory(to, &[1]);
    Ok(command)
}

/// Writes square matrices transposed, with their elements conjugated.
pub(super) fn conjugate_transpose(
    dtype: DType,
    from: Address,
    to: Address,
    order: usize,
    count: usize,
) -> Result<Elementwise> {
    let program = if dtype.real_part() == dtype {
        Program::convert(dtype, dtype)
    } else {
        Program::single(Op::Conj, &[dtype], dtype).map_err(impossible)?
    };
    let (line, matrix) = (order as isize, (order * order) as isize);
    let (from, to) = ((from, &[matrix, 1, line][..]), (to, &[matrix, line, 1][..]));
    Ok(command(program, &[count, order, order], &[from], to))
}

/// Copies the first elements of each of some runs, which follow each other in so many elements; the latter is how many.
pub(super) fn copy_runs(dtype: DType, [from, to]: [(Address, usize); 2], count: usize) -> Elementwise {
    let program = Program::convert(dtype, dtype);
    let steps = |(_, step): (Address, usize)| [step as isize, 1];
    command(program, &[count, to.1], &[(from.0, &steps(from))], (to.0, &steps(to)))
}

/// Writes eigenvectors of a real matrix, as LAPACK packs them, as complex columns.
///
/// An eigenvalue whose imaginary part is positive is followed by its conjugate. The column of the first holds the real parts of
/// both vectors, that of the second the imaginary parts of the first vector. There is a column more before and behind the packed
/// ones, with anything in it.
pub(super) fn unpack(
    dtype: DType,
    packed: Address,
    values: Address,
    to: Address,
    order: usize,
) -> Result<[Elementwise; 2]> {
    let (size, line) = (dtype.size() as isize, order as isize);
    let [real, imaginary] = unpacking(dtype).map_err(impossible)?;
    let shape = [order, order];
    let sign = (values.offset(size), &[2, 0][..]);
    let steps = [line, 1];
    let column = |by: isize| (packed.offset(by * line * size), &steps[..]);
    // Real parts are twice as far from each other as real numbers, and so are imaginary parts.
    let parts = [2 * line, 2];
    let part = |n: isize| (to.offset(n * size), &parts[..]);
    // The two lie between each other, which is why they are two commands.
    Ok([
        command(real, &shape, &[sign, column(0), column(-1)], part(0)),
        command(imaginary, &shape, &[sign, column(0), column(1)], part(1)),
    ])
}

/// The real and the imaginary parts of eigenvectors: of an eigenvalue's imaginary part, its column, and a neighbouring one.
fn unpacking(dtype: DType) -> Result<[Program; 2], ProgramError> {
    let zero = if dtype == DType::F64 { Scalar::F64(0.0) } else { Scalar::F32(0.0) };
    let begin = || {
        let mut program = Program::builder();
        let inputs = [0; 3].map(|_| program.input(dtype));
        let zero = program.constant(zero);
        (program, inputs, zero)
    };
    let (mut program, [sign, own, before], none) = begin();
    let is_second = program.apply(Op::Less, &[sign, none])?;
    let part = program.select(is_second, before, own)?;
    let real = program.finish(&[part])?;
    let (mut program, [sign, own, behind], none) = begin();
    let is_second = program.apply(Op::Less, &[sign, none])?;
    let is_first = program.apply(Op::Less, &[none, sign])?;
    let opposite = program.apply(Op::Negative, &[own])?;
    let part = program.select(is_second, opposite, none)?;
    let part = program.select(is_first, behind, part)?;
    Ok([real, program.finish(&[part])?])
}

fn impossible(error: ProgramError) -> HalError {
    HalError::Failed { operation: "".into(), detail: error.to_string() }
}

fn command(program: Program, shape: &[usize], inputs: &[Operand<'_>], output: Operand<'_>) -> Elementwise {
    // A space has as few axes as it needs, and at least one.
    let kept: Vec<usize> = (0..shape.len()).filter(|&axis| shape[axis] != 1).collect();
    let kept = if kept.is_empty() { vec![0] } else { kept };
    let space: Dims = kept.iter().map(|&axis| shape[axis]).collect();
    let mut command = Elementwise::new(ProgramRef::Shared(Arc::new(program)), space);
    let push = |command: &mut Elementwise, (address, steps): Operand<'_>| {
        let steps: Vec<isize> = kept.iter().map(|&axis| steps[axis]).collect();
        command.push_memory(address, &steps);
    };
    inputs.iter().for_each(|&input| push(&mut command, input));
    command.push_constants();
    push(&mut command, output);
    command
}

#[cfg(test)]
mod tests {
    use situ_hal::null::{NullConfig, platform};
    use situ_hal::{Completion, UnpooledScratch};
    use situ_types::{C64, C128, QueueProperties};

    use super::*;

    /// Runs a command by the null device, whose memory is the host's.
    fn interpret(command: Elementwise) {
        let platform = platform(NullConfig::default());
        let device = platform.devices()[0].clone();
        let context = platform.create_context(std::slice::from_ref(&device)).unwrap();
        let scratch = Arc::new(UnpooledScratch::new(context.clone(), device.clone()));
        let properties = QueueProperties { in_order: true, profiling: false };
        let queue = context.create_queue(&device, properties, scratch).unwrap();
        // SAFETY: tests keep the memory until this returns.
        if let Completion::Event(event) = unsafe { queue.submit(&Command::Elementwise(command), &[]) }.unwrap() {
            assert!(event.wait(None) && event.error().is_none());
        }
    }

    fn at<T>(values: &mut [T]) -> Address {
        Address(values.as_mut_ptr().cast())
    }

    #[test]
    fn pivots_are_narrowed() {
        let (mut wide, mut pivots) = (vec![3i64, 2, 1_000_000], vec![0i32; 3]);
        interpret(narrow(at(&mut wide), at(&mut pivots), 3));
        assert_eq!(pivots, [3, 2, 1_000_000]);
    }

    #[test]
    fn matrices_are_conjugated_and_transposed() {
        for (order, count) in [(1, 1), (1, 3), (3, 1), (4, 2)] {
            let elements = order * order * count;
            let mut from: Vec<C64> = (0..elements).map(|n| C64::new(n as f32, 1.0 + n as f32)).collect();
            let mut to = vec![C64::default(); elements];
            interpret(conjugate_transpose(DType::C64, at(&mut from), at(&mut to), order, count).unwrap());
            for (n, element) in to.iter().enumerate() {
                let (matrix, i, j) = (n / (order * order), n % order, n / order % order);
                assert_eq!(*element, from[matrix * order * order + j + i * order].conj());
            }
        }
        let (mut from, mut to) = ([1.0f64, 2.0, 3.0, 4.0], [0.0; 4]);
        interpret(conjugate_transpose(DType::F64, at(&mut from), at(&mut to), 2, 1).unwrap());
        assert_eq!(to, [1.0, 3.0, 2.0, 4.0]);
    }

    #[test]
    fn the_first_columns_are_copied() {
        let (mut from, mut to) = ([1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [0.0f32; 4]);
        interpret(copy_runs(DType::F32, [(at(&mut from), 4), (at(&mut to), 2)], 2));
        assert_eq!(to, [1.0, 2.0, 5.0, 6.0]);
    }

    #[test]
    fn columns_are_copied_further_apart() {
        let (mut from, mut to) = ([1.0f32, 2.0, 3.0, 4.0], [0.0f32; 6]);
        interpret(copy_columns(DType::F32, (at(&mut from), 2), (at(&mut to), 3), 2));
        assert_eq!(to, [1.0, 2.0, 0.0, 3.0, 4.0, 0.0]);
    }

    #[test]
    fn numbers_are_kept_from_the_last_one_on() {
        let (mut from, mut to) = ([-2.0f64, -1e-20, 0.0, 1.0, 3.0], [f64::NAN; 4]);
        let last = at(&mut from).offset(4 * 8);
        interpret(positive_backwards(DType::F64, last, at(&mut to), 4).unwrap());
        assert_eq!(to, [3.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn diagonals_become_ones() {
        for (order, count) in [(1, 1), (3, 1), (2, 3), (1, 4)] {
            let mut to = vec![C64::default(); order * order * count];
            interpret(ones(DType::C64, at(&mut to), order, count));
            for (n, element) in to.iter().enumerate() {
                let is_diagonal = (n % (order * order)).is_multiple_of(order + 1);
                assert_eq!(*element, C64::from(f32::from(u8::from(is_diagonal))));
            }
        }
    }

    #[test]
    fn only_the_lower_triangle_is_kept() {
        for (order, count) in [(1, 1), (1, 3), (4, 1), (3, 5)] {
            let mut matrices = vec![C64::new(2.0, f32::NAN); order * order * count];
            interpret(lower(DType::C64, at(&mut matrices), order, count).unwrap());
            for (n, element) in matrices.iter().enumerate() {
                let (row, column) = (n % order, n / order % order);
                assert_eq!(element.re, if row >= column { 2.0 } else { 0.0 });
                assert_eq!(element.im.is_nan(), row >= column);
            }
        }
    }

    #[test]
    fn addresses_are_evenly_spaced() {
        let mut to = [0u64; 3];
        let first = Address(0x7f00_0000_1000 as *mut u8);
        interpret(addresses(first, 48, at(&mut to), 3).unwrap());
        assert_eq!(to, [0x7f00_0000_1000, 0x7f00_0000_1030, 0x7f00_0000_1060]);
    }

    #[test]
    fn eigenvectors_of_conjugate_pairs_are_unpacked() {
        let nan = f64::NAN;
        // A pair, a real value, a pair; with a column before and behind.
        let values = [(0.0, 2.0), (0.0, -2.0), (7.0, 0.0), (1.0, 0.5), (1.0, -0.5)];
        let mut values = values.map(|(real, imaginary)| C128::new(real, imaginary));
        let mut packed = vec![nan; 5];
        packed.extend((0..25).map(|n| f64::from(n) + 1.0));
        packed.extend([nan; 5]);
        let mut to = vec![C128::default(); 25];
        let packed_at = at(&mut packed).offset(5 * 8);
        for command in unpack(DType::F64, packed_at, at(&mut values), at(&mut to), 5).unwrap() {
            interpret(command);
        }
        let column = |j: usize, i: usize| packed[5 + j * 5 + i];
        for i in 0..5 {
            let own = |j: usize| to[j * 5 + i];
            assert_eq!(own(0), C128::new(column(0, i), column(1, i)));
            assert_eq!(own(1), own(0).conj());
            assert_eq!(own(2), C128::new(column(2, i), 0.0));
            assert_eq!(own(3), C128::new(column(3, i), column(4, i)));
            assert_eq!(own(4), own(3).conj());
        }
    }
}
