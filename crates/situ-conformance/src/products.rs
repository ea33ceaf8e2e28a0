//! Products of matrices, against the null device.
//!
//! Elements are small integers, whose sums are exact in every dtype: the order of adding up is a device's own.

use situ_hal::{Command, Matrices, Product};
use situ_ir::interpret::cast;
use situ_types::{DType, DTypeKind, Scalar};

use crate::Source;
use crate::bench::{Bench, compare};
use crate::layout::Layout;

/// An integer from -3 to 3, or from 0 where there is no sign; each part of a complex number is one.
fn element(source: &mut Source, dtype: DType) -> [u8; 16] {
    let part = dtype.real_part();
    let mut bytes = [0; 16];
    for place in bytes[..dtype.size()].chunks_mut(part.size()) {
        let number = source.below(7) as f64 - if dtype.kind() > DTypeKind::Integer { 3.0 } else { 0.0 };
        let number = if dtype == DType::Bool { f64::from(u8::from(number > 4.0)) } else { number };
        place.copy_from_slice(&cast(Scalar::F64(number), part).to_bytes()[..part.size()]);
    }
    bytes
}

fn check(bench: &Bench, source: &mut Source, dtype: DType, batch: &[usize], [rows, columns, depth]: [usize; 3]) {
    if !bench.knows(dtype) {
        return;
    }
    let shape = |rows, columns| [batch, &[rows, columns]].concat();
    let layouts = [
        Layout::any(source, &shape(rows, depth), true),
        Layout::any(source, &shape(depth, columns), true),
        Layout::any(source, &shape(rows, columns), false),
    ];
    let operands: Vec<_> =
        (layouts.iter()).map(|layout| layout.filled(source, dtype, |source, _| element(source, dtype))).collect();
    compare(bench, &operands, |addresses| {
        let matrices = |n: usize| {
            let (batch_steps, own) = layouts[n].steps.split_at(batch.len());
            Matrices {
                address: addresses[n].offset(layouts[n].start(dtype.size())),
                row_step: own[0],
                column_step: own[1],
                batch_steps: batch_steps.into(),
            }
        };
        let (left, right, out) = (matrices(0), matrices(1), matrices(2));
        Command::Product(Box::new(Product { dtype, batch: batch.into(), rows, columns, depth, left, right, out }))
    });
}

/// Every dtype, in any layout, with sizes around those of vectors and tiles.
pub(crate) fn products(bench: &Bench) {
    let mut source = Source(9);
    for dtype in DType::ALL {
        for sizes in [[1, 1, 1], [5, 7, 3], [17, 1, 40], [1, 33, 9], [66, 20, 35], [3, 66, 5]] {
            check(bench, &mut source, dtype, &[], sizes);
        }
        for batch in [&[3][..], &[2, 3], &[2, 1, 3]] {
            let sizes = [0; 3].map(|_| 1 + source.below(20));
            check(bench, &mut source, dtype, batch, sizes);
        }
    }
}
