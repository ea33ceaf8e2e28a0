//! Products against the interpreter, on every instruction set, for every dtype.

use proptest::prelude::*;
use situ_hal::Address;
use situ_ir::interpret::cast;
use situ_ir::product::evaluate;
use situ_types::Scalar;

use super::*;
use crate::isa::Isa;

/// A stack of matrices with gaps, in either order, and backwards if wanted.
#[derive(Clone, Copy, Debug)]
struct Shape {
    batch: usize,
    rows: usize,
    columns: usize,
    by_columns: bool,
    gap: usize,
    backwards: bool,
}

impl Shape {
    /// Element steps of the batch, rows and columns; where the first element is; how many elements there are.
    fn steps(&self) -> ([isize; 3], usize, usize) {
        let (inner, outer) = if self.by_columns { (self.rows, self.columns) } else { (self.columns, self.rows) };
        let step = self.gap;
        let long = inner * step + (self.gap - 1);
        let (row, column) = if self.by_columns { (step, long) } else { (long, step) };
        let mut steps = [(outer * long) as isize, row as isize, column as isize];
        let size = self.batch * outer * long + 1;
        let mut start = 0;
        if self.backwards {
            for (step, length) in steps.iter_mut().zip([self.batch, self.rows, self.columns]) {
                start += (length as isize - 1) * *step;
                *step = -*step;
            }
        }
        (steps, start as usize, size)
    }
}

/// Small integers, whose sums are exact in every dtype.
fn value(dtype: DType, i: usize) -> Scalar {
    let number =
        (i * 7919 % 11) as f64 - if dtype.is_signed_integer() || dtype.kind() > DTypeKind::Integer { 5.0 } else { 0.0 };
    match dtype {
        DType::Bool => Scalar::Bool(i.is_multiple_of(3)),
        DType::C64 => Scalar::C64(situ_types::C64::new(number as f32, (i % 5) as f32 - 2.0)),
        DType::C128 => Scalar::C128(situ_types::C128::new(number, (i % 5) as f64 - 2.0)),
        _ => cast(Scalar::F64(number), dtype),
    }
}

struct Memory {
    bytes: Vec<u64>,
    dtype: DType,
}

impl Memory {
    fn new(dtype: DType, count: usize) -> Memory {
        let mut memory = Memory { bytes: vec![0; (count * dtype.size()).div_ceil(8)], dtype };
        (0..count).for_each(|i| memory.set(i, value(dtype, i)));
        if dtype == DType::Bool {
            // Any byte but zero is true.
            let words = memory.bytes.iter_mut().zip([1, 2, 255].into_iter().cycle());
            words.for_each(|(word, byte)| *word *= byte);
        }
        memory
    }

    fn at(&self, i: usize) -> *mut u8 {
        self.bytes.as_ptr().cast::<u8>().cast_mut().wrapping_add(i * self.dtype.size())
    }

    fn set(&mut self, i: usize, value: Scalar) {
        let to = self.bytes.as_mut_ptr().cast::<u8>().wrapping_add(i * self.dtype.size());
        // SAFETY: elements lie within the memory.
        unsafe { std::ptr::copy_nonoverlapping(value.to_bytes().as_ptr(), to, self.dtype.size()) };
    }

    fn get(&self, i: usize) -> Scalar {
        let mut bytes = [0; 16];
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(self.at(i), bytes.as_mut_ptr(), self.dtype.size()) };
        Scalar::from_bytes(self.dtype, bytes)
    }
}

fn matrices(memory: &Memory, steps: [isize; 3], start: usize) -> Matrices {
    let [batch, row_step, column_step] = steps;
    Matrices { address: Address(memory.at(start)), row_step, column_step, batch_steps: smallvec![batch] }
}

/// Compares products on every instruction set with the interpreter.
fn check(dtype: DType, shapes: [Shape; 3], threads: usize) -> Result<(), TestCaseError> {
    let [left, right, out] = shapes;
    let places = shapes.map(|shape| shape.steps());
    let at = |n: usize, index: [usize; 3]| {
        let (steps, start, _) = places[n];
        let moved: isize = index.iter().zip(steps).map(|(&i, step)| i as isize * step).sum();
        (start as isize + moved) as usize
    };
    let factors = [0, 1].map(|n| Memory::new(dtype, places[n].2));
    // What is not written stays as it is.
    let mut wanted = Memory::new(dtype, places[2].2);
    let (rows, columns, depth) = (left.rows, right.columns, left.columns);
    for n in 0..out.batch {
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let pair = |k| [factors[0].get(at(0, [n, row, k])), factors[1].get(at(1, [n, k, column]))];
            wanted.set(at(2, [n, row, column]), evaluate(dtype, (0..depth).map(pair)).unwrap());
        }
    }
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        let found = Memory::new(dtype, places[2].2);
        let [left, right, out] = [(0, &factors[0]), (1, &factors[1]), (2, &found)]
            .map(|(n, memory)| matrices(memory, places[n].0, places[n].1));
        let command = Product { dtype, batch: smallvec![shapes[2].batch], rows, columns, depth, left, right, out };
        let machine = Machine { isa, threads, last_level_cache: 1 << 20 };
        let nanoseconds = if threads > 1 { 1 << 30 } else { 0 };
        // SAFETY: the places of all elements lie in the memory, which nobody else uses.
        unsafe { product(&command, nanoseconds, &machine, &|count, body| (0..count).for_each(body)) };
        let is_equal = dtype != DType::Bool || found.bytes == wanted.bytes;
        prop_assert!(is_equal, "{isa:?}: truth values that are neither 0 nor 1, or where there was nothing to write");
        for i in 0..places[2].2 {
            let (found, wanted) = (found.get(i), wanted.get(i));
            prop_assert!(found == wanted, "{isa:?} {dtype} {i}: {found:?}, not {wanted:?}; {shapes:?}");
        }
    }
    Ok(())
}

fn shape(batch: usize, rows: usize, columns: usize) -> impl Strategy<Value = Shape> {
    (any::<bool>(), 1usize..3, any::<bool>()).prop_map(move |(by_columns, gap, backwards)| Shape {
        batch,
        rows,
        columns,
        by_columns,
        gap,
        backwards,
    })
}

fn shapes(most: usize) -> impl Strategy<Value = [Shape; 3]> {
    let sizes = (1usize..4, 1..most, 1..most, 1..most);
    sizes.prop_flat_map(|(batch, m, n, k)| {
        (shape(batch, m, k), shape(batch, k, n), shape(batch, m, n)).prop_map(Into::into)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn small_products(shapes in shapes(20), dtype in 0..DType::ALL.len(), threads in 1usize..4) {
        check(DType::ALL[dtype], shapes, threads)?;
    }
}

#[test]
fn a_matrix_times_a_column() {
    for dtype in DType::ALL {
        for by_columns in [false, true] {
            for (rows, columns, depth) in [(37, 1, 29), (1, 37, 29), (2100, 1, 9), (1, 1, 300)] {
                let of = |rows, columns| Shape { batch: 2, rows, columns, by_columns, gap: 1, backwards: false };
                check(dtype, [of(rows, depth), of(depth, columns), of(rows, columns)], 2).unwrap();
            }
        }
    }
}

#[test]
fn blocks_are_put_together() {
    for (n, dtype) in DType::ALL.into_iter().enumerate() {
        for by_columns in [false, true] {
            let of = |rows, columns| Shape { batch: 1, rows, columns, by_columns, gap: 1, backwards: false };
            let (rows, columns, depth) = (11 + n, 205, 3 + 1100 / dtype.size());
            check(dtype, [of(rows, depth), of(depth, columns), of(rows, columns)], 3).unwrap();
        }
    }
}

#[test]
fn a_long_column_is_taken_in_parts() {
    for dtype in [DType::F64, DType::C64, DType::Bool, DType::I64] {
        let of = |rows, columns| Shape { batch: 1, rows, columns, by_columns: false, gap: 1, backwards: false };
        check(dtype, [of(3, 300_001), of(300_001, 1), of(3, 1)], 1).unwrap();
    }
}

#[test]
fn sums_of_narrow_numbers_are_taken_in_slabs() {
    for dtype in [DType::I8, DType::F16] {
        let of = |rows, columns| Shape { batch: 1, rows, columns, by_columns: false, gap: 1, backwards: false };
        check(dtype, [of(300, 3), of(3, 2500), of(300, 2500)], 1).unwrap();
    }
}

#[test]
fn memory_does_not_grow_with_sizes() {
    let far = usize::MAX >> 24;
    let place = |row, column| Place { at: std::ptr::null_mut(), row, column };
    for (isa, dtype) in Isa::ALL.into_iter().flat_map(|isa| DType::ALL.map(|dtype| (isa, dtype))) {
        let kernel = kernel(isa, dtype);
        for (rows, columns, depth) in [(far, 1, far), (far, far, 1), (1, far, far), (far, far, far), (9, 9, far)] {
            let sizes = Sizes { rows, columns, depth };
            for (left, right) in [(place(1, 7), place(7, 1)), (place(7, 1), place(1, 7))] {
                let room = (kernel.column_room)(sizes, left).unwrap_or(0).max((kernel.plan)(sizes, left, right).room);
                assert!(room <= MOST, "{isa:?} {dtype} {sizes:?}: {room}");
            }
        }
    }
}
