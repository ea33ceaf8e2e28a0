//! Reading the small text files in which the kernel publishes its facts.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::core_set::CoreSet;

/// The kernel's files below some root directory: `/` in earnest, a temporary directory in tests.
///
/// Paths are given relative to the root. A file that is missing, unreadable or malformed reads as `None`.
#[derive(Debug)]
pub(super) struct KernelFiles {
    root: PathBuf,
}

impl KernelFiles {
    pub(super) fn below(root: &Path) -> KernelFiles {
        KernelFiles { root: root.to_owned() }
    }

    /// The whole file without surrounding white space.
    pub(super) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let text = fs::read_to_string(self.root.join(path)).ok()?;
        Some(text.trim().to_owned())
    }

    /// A file that holds one number.
    pub(super) fn number<T: FromStr>(&self, path: impl AsRef<Path>) -> Option<T> {
        self.text(path)?.parse().ok()
    }

    /// A file that holds a list of processors (or of memory nodes, which are listed the same way).
    pub(super) fn cores(&self, path: impl AsRef<Path>) -> Option<CoreSet> {
        CoreSet::parse(&self.text(path)?)
    }

    /// The lines up to the first empty one.
    ///
    /// `/proc/cpuinfo` makes the kernel ask every processor for its clock; stopping early spares most of that.
    pub(super) fn first_paragraph(&self, path: impl AsRef<Path>) -> Option<String> {
        let file = File::open(self.root.join(path)).ok()?;
        let mut text = String::new();
        for line in BufReader::new(file).lines().map_while(Result::ok).take_while(|line| !line.trim().is_empty()) {
            text.push_str(&line);
            text.push('\n');
        }
        Some(text)
    }

    /// One entry of `/proc/meminfo` in bytes.
    pub(super) fn meminfo(&self, entry: &str) -> Option<u64> {
        let text = self.text("proc/meminfo")?;
        let value = text.lines().find_map(|line| line.strip_prefix(entry)?.strip_prefix(':'))?;
        let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
        kibibytes.checked_mul(1024)
    }
}
