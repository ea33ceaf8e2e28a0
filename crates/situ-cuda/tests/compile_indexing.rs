//! Every kind of kernel for elements by index and by mask compiles, for which no GPU is needed.
//!
//! `SITU_NVRTC` says where NVRTC is. Without it this test says so and passes, unless `SITU_REQUIRE_NVRTC` is set.

#![allow(clippy::panic, reason = "a test fails by panicking")]

use std::collections::HashSet;

use situ_codegen::Dialect;
use situ_codegen::indexing::{
    Indices, Kernel, Mode, Room, Strided, Taken, Transfer, Values, Work, check, count, expand, gather, gather_by_bins,
    scatter, scatter_by_bins, select,
};
use situ_cuda::nvrtc::Nvrtc;
use situ_types::DType;

const INTEGERS: [DType; 8] =
    [DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64];

/// Compute capability 9.0: Hopper.
const HOPPER: i32 = 90;

/// One kernel at least of every width, dtype, mode, number of axes and size of positions, but not of every combination.
fn kernels() -> HashSet<Kernel> {
    let (mut kernels, mut bins) = (HashSet::new(), Vec::new());
    let mut add = |work: Work| kernels.extend(work.launches.into_iter().map(|launch| launch.kernel));
    let apart: Vec<isize> = (0..20).map(|axis| 1000 + axis * axis).collect();
    for (n, dtype) in INTEGERS.into_iter().enumerate() {
        // Axes of every number in turn, the last of so many that their numbers come from a table.
        let axes = [1, 2, 3, 16][n % 4];
        let mut shape = vec![3; axes];
        if n >= 4 {
            shape[0] = 1 << 33;
        }
        let place = Strided { address: 64, strides: &apart[..axes] };
        add(check(&shape, place, dtype, 100));
        for width in if n == 0 { vec![1, 2, 4, 8, 16] } else { vec![[4, 8, 1, 2, 16][n % 5]] } {
            let guide = |mode, verdict| Indices { indices: place, dtype, length: 9, step: 7, mode, verdict };
            for guides in [
                &[guide(Mode::Checked, true)][..],
                &[guide(Mode::Wrap, false), guide(Mode::Clip, false)],
                &[guide(Mode::Checked, false)],
                &[],
            ] {
                let transfer = Transfer { shape: &shape, width, array: place, elements: place, indices: guides };
                add(gather(&transfer));
                if !guides.iter().any(|guide| guide.verdict) {
                    add(scatter(&transfer));
                }
            }
            let room = Room { scratch: 1 << 30, cache: 60 << 20, least: 1 << 24 };
            let one = |mode, verdict| Indices { length: 1 << 25, step: -3, ..guide(mode, verdict) };
            let (far, own) = (Strided { address: 64, strides: &apart[..2] }, Strided { address: 64, strides: &[0; 2] });
            let mode = [Mode::Checked, Mode::Wrap, Mode::Clip][(n + width) % 3];
            let guides = [Indices { indices: far, ..one(mode, mode == Mode::Checked) }];
            let sizes = [4096, if n % 2 == 0 { 1 << 13 } else { 1 << 20 }];
            let transfer = Transfer { shape: &sizes, width, array: own, elements: far, indices: &guides };
            bins.extend([gather_by_bins(&transfer, room), scatter_by_bins(&transfer, room)].into_iter().flatten());
            for (mask, shape) in [(place, &shape[..]), (Strided { address: 64, strides: &[1] }, &[1 << (16 + n)])] {
                let array = if shape.len() == 1 { Strided { address: 64, strides: &[2] } } else { place };
                add(count(shape, mask));
                add(select(shape, mask, Taken::Elements { array, width }, 10));
                add(select(shape, mask, Taken::Coordinates(shape), 10));
                for values in [Values::Immediate, Values::Cycled { stride: 1, length: 1 }] {
                    add(expand(shape, mask, array, width, values));
                }
                add(expand(shape, mask, array, width, Values::Cycled { stride: 1, length: 5 }));
            }
        }
    }
    assert!(bins.len() > 12, "{}", bins.len());
    bins.into_iter().for_each(add);
    kernels
}

#[test]
fn every_kind_of_kernel_compiles() {
    let nvrtc = match Nvrtc::get() {
        Ok(nvrtc) => nvrtc,
        Err(reason) if std::env::var_os("SITU_REQUIRE_NVRTC").is_some() => panic!("{reason}"),
        Err(reason) => return eprintln!("not compiled: {reason}"),
    };
    let options = nvrtc.options(HOPPER).unwrap();
    for kernel in kernels() {
        let source = kernel.emit(Dialect::Cuda);
        if let Err(log) = nvrtc.compile(&source.text, &options) {
            panic!("{} does not compile:\n{log}\n{}", source.kernel, source.text);
        }
    }
}
