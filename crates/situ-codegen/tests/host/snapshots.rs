//! Kernels as they are written, to be read: kept in `tests/snapshots`. With `SITU_UPDATE_SNAPSHOTS` set, the files are
//! written anew instead of compared.

use situ_codegen::{Dialect, Work};

/// Compares the text of a launch's kernel with a file.
pub fn compare(work: &Work, launch: usize, dialect: Dialect, file: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(file);
    let text = work.launches[launch].kernel.emit(dialect).text;
    if std::env::var_os("SITU_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert!(kept == text, "{file} is no longer what is written; if it should not be, set SITU_UPDATE_SNAPSHOTS");
}
