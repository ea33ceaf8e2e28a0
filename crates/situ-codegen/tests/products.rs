//! Products of matrices, run on the host block after block, against their meaning.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod host;

use host::runner::{Memory, at, run, work};
use host::snapshots;
use situ_codegen::Dialect;
use situ_hal::{Command, Matrices, Product};
use situ_ir::interpret::cast;
use situ_ir::product::evaluate;
use situ_types::{DType, DTypeKind, Scalar};

/// Where a stack of matrices lies: steps along the batch, rows and columns, and the place of the first element.
#[derive(Clone, Copy, Debug)]
struct Lies {
    steps: [isize; 3],
    first: usize,
}

impl Lies {
    /// Rows or columns side by side, with a gap between elements, and backwards if wanted.
    fn new(batch: usize, rows: usize, columns: usize, by_columns: bool, gap: usize, backwards: bool) -> Lies {
        let (row, column) = if by_columns { (gap, rows * gap) } else { (columns * gap, gap) };
        let mut steps = [rows * columns * gap, row, column].map(|step| step as isize);
        let mut first = 1;
        if backwards {
            first += (batch - 1) * rows * columns * gap + (rows - 1) * row + (columns - 1) * column;
            steps = steps.map(|step| -step);
        }
        Lies { steps, first }
    }

    fn place(&self, index: [usize; 3]) -> usize {
        let moved: isize = index.iter().zip(self.steps).map(|(&i, step)| i as isize * step).sum();
        (self.first as isize + moved) as usize
    }

    /// The matrices in memory, which begins so many bytes before an element's usual place.
    fn matrices(&self, memory: &Memory, width: usize, odd: usize) -> Matrices {
        let [batch, row_step, column_step] = self.steps;
        let address = at(memory.address() + odd + self.first * width);
        Matrices { address, row_step, column_step, batch_steps: [batch].as_slice().into() }
    }
}

/// Small integers, whose sums are exact.
fn element(dtype: DType, i: usize) -> [u8; 16] {
    let part = dtype.real_part();
    let mut bytes = [0; 16];
    for (n, place) in bytes[..dtype.size()].chunks_mut(part.size()).enumerate() {
        let number = ((i * 7919 + n * 13) % 7) as f64 - if dtype.kind() > DTypeKind::Integer { 3.0 } else { 0.0 };
        let number = if dtype == DType::Bool { f64::from(u8::from(number > 4.0)) } else { number };
        place.copy_from_slice(&cast(Scalar::F64(number), part).to_bytes()[..part.size()]);
    }
    if dtype == DType::Bool {
        // Any byte but zero is true.
        bytes[0] *= [1, 2, 255][i % 5 % 3];
    }
    bytes
}

fn read(memory: &Memory, dtype: DType, odd: usize, place: usize) -> Scalar {
    let (mut bytes, width) = ([0; 16], dtype.size());
    bytes[..width].copy_from_slice(&memory.bytes()[odd + place * width..][..width]);
    Scalar::from_bytes(dtype, bytes)
}

fn check(dtype: DType, batch: usize, sizes: [usize; 3], form: usize) {
    let [rows, columns, depth] = sizes;
    let (width, odd) = (dtype.size(), if dtype == DType::C128 && form % 2 == 1 { 8 } else { 0 });
    let gap = 1 + form % 3;
    let lies = [
        Lies::new(batch, rows, depth, form & 1 == 1, gap, form & 2 == 2),
        Lies::new(batch, depth, columns, form & 2 == 2, 1, false),
        Lies::new(batch, rows, columns, form & 4 == 4, 1 + form % 2, form & 1 == 1),
    ];
    let memory = [rows * depth, depth * columns, rows * columns].map(|elements| {
        let mut memory = Memory::noise((3 * batch * elements + 2) * width + 16);
        for (i, place) in memory.bytes_mut()[odd..].chunks_exact_mut(width).enumerate() {
            place.copy_from_slice(&element(dtype, i)[..width]);
        }
        memory
    });
    let mut wanted = memory[2].clone();
    for n in 0..batch {
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let pair = |k| {
                [
                    read(&memory[0], dtype, odd, lies[0].place([n, row, k])),
                    read(&memory[1], dtype, odd, lies[1].place([n, k, column])),
                ]
            };
            let sum = evaluate(dtype, (0..depth).map(pair)).unwrap().to_bytes();
            let place = odd + lies[2].place([n, row, column]) * width;
            wanted.bytes_mut()[place..][..width].copy_from_slice(&sum[..width]);
        }
    }
    let [left, right, out] = [0, 1, 2].map(|n| lies[n].matrices(&memory[n], width, odd));
    let batch = [batch].as_slice().into();
    run(&work(&Command::Product(Box::new(Product { dtype, batch, rows, columns, depth, left, right, out }))));
    assert!(memory[2] == wanted, "{dtype} {sizes:?} in form {form}");
}

#[test]
fn products_of_every_dtype() {
    for (n, dtype) in DType::ALL.into_iter().enumerate() {
        check(dtype, 3, [5, 7, 9], n);
        check(dtype, 2, [65, 18, 33], n + 1);
    }
}

#[test]
fn products_of_every_size_and_layout() {
    for (form, sizes) in [[1, 1, 1], [16, 16, 16], [17, 1, 40], [1, 130, 15], [64, 64, 16], [63, 66, 31], [3, 70, 1]]
        .into_iter()
        .enumerate()
    {
        check(DType::F32, 1, sizes, form);
        check(DType::I16, 2, sizes, form + 3);
    }
}

#[test]
fn counters_of_a_long_depth_have_64_bits() {
    let names = [(1 << 31) - 100, 1 << 31].map(|depth| {
        let near = Matrices { address: at(256), row_step: 0, column_step: 0, batch_steps: [].as_slice().into() };
        let (left, right, out) = (near.clone(), near.clone(), near);
        let batch = [].as_slice().into();
        let command = Product { dtype: DType::F32, batch, rows: 1, columns: 1, depth, left, right, out };
        work(&Command::Product(Box::new(command))).launches[0].kernel.emit(Dialect::Cuda).text
    });
    assert!(names[0].contains("for (i32 done") && names[1].contains("for (i64 done"));
}

#[test]
fn a_product() {
    let dense = |columns: isize| Matrices {
        address: at(256),
        row_step: columns,
        column_step: 1,
        batch_steps: [].as_slice().into(),
    };
    let (left, right, out) = (dense(300), dense(200), dense(200));
    let batch = [].as_slice().into();
    let command = Product { dtype: DType::F16, batch, rows: 100, columns: 200, depth: 300, left, right, out };
    snapshots::compare(&work(&Command::Product(Box::new(command))), 0, Dialect::Cuda, "product_f16.cu");
}
