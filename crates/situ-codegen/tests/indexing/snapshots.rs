//! Some kernels as they are read by people. With `SITU_UPDATE_SNAPSHOTS` set they are written anew.

use situ_codegen::Dialect;
use situ_codegen::indexing::{Indices, Mode, Room, Strided, Taken, Transfer, Work, gather, scatter_by_bins, select};
use situ_types::DType;

fn compare(work: &Work, launch: usize, dialect: Dialect, name: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    let text = work.launches[launch].kernel.emit(dialect).text;
    if std::env::var_os("SITU_UPDATE_SNAPSHOTS").is_some() {
        return std::fs::write(path, text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), text, "see the head of this file");
}

#[test]
fn texts_are_as_they_were() {
    let one = Strided { address: 64, strides: &[1] };
    let indices =
        [Indices { indices: one, dtype: DType::I64, length: 99, step: 1, mode: Mode::Checked, verdict: true }];
    let array = Strided { address: 64, strides: &[0] };
    let work = gather(&Transfer { shape: &[1000], width: 4, array, elements: one, indices: &indices });
    compare(&work, 0, Dialect::Cuda, "gather_4.cu");
    let indices = [Indices { length: 1 << 26, verdict: false, ..indices[0] }];
    let transfer = Transfer { shape: &[1 << 24], width: 4, array, elements: one, indices: &indices };
    let work = scatter_by_bins(&transfer, Room { scratch: 1 << 30, cache: 60 << 20, least: 1 << 24 }).unwrap();
    compare(&work, 1, Dialect::Cuda, "scatter_4_to_bins.cu");
    compare(&work, 2, Dialect::Cuda, "scatter_4_bins.cu");
    let work = select(&[100_000], one, Taken::Elements { array: one, width: 4 }, 50_000);
    compare(&work, 2, Dialect::OpenCl, "mask_select_4.cl");
}
