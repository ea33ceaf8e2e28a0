//! Where libraries may be that are not part of the driver.
//!
//! A library is where an environment variable says (a file or a folder); or else looked for, in this order, where the system
//! finds libraries, in `CUDA_PATH`, `CUDA_HOME` and CUDA's usual folder, and in the folders that [`search_in`] was told about,
//! where Python packages bring it.

use std::path::{Path, PathBuf};

use parking_lot::Mutex;

static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Adds folders of Python packages, in which libraries may be as `nvidia/*/lib/lib*.so.*`.
pub fn search_in(folders: impl IntoIterator<Item = PathBuf>) {
    FOLDERS.lock().extend(folders);
}

/// A library that is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sought {
    /// The environment variable that says where it is.
    pub(crate) variable: &'static str,
    /// Its name, as in `libname.so`.
    pub(crate) name: &'static str,
    /// The versions that are looked for, the newest first: those that belong to CUDA 13 and 12.
    pub(crate) versions: [i32; 2],
    /// What follows name and version on Windows.
    pub(crate) windows_ending: &'static str,
}

impl Sought {
    /// What it may be called.
    pub(crate) fn file_names(&self) -> Vec<String> {
        let name = self.name;
        if cfg!(windows) {
            self.versions.iter().map(|version| format!("{name}64_{version}{}.dll", self.windows_ending)).collect()
        } else {
            let numbered = self.versions.iter().map(|version| format!("lib{name}.so.{version}"));
            numbered.chain([format!("lib{name}.so")]).collect()
        }
    }

    /// What the environment variable says, if it says anything.
    pub(crate) fn told(&self) -> Option<PathBuf> {
        std::env::var_os(self.variable).filter(|told| !told.is_empty()).map(PathBuf::from)
    }

    /// An error if the environment variable names something that cannot be the library.
    pub(crate) fn check_environment(&self) -> Result<(), String> {
        match self.told() {
            Some(told) if self.candidates().is_empty() => Err(format!(
                "{}={told:?} is neither a file nor a folder with one of {}",
                self.variable,
                self.file_names().join(", ")
            )),
            _ => Ok(()),
        }
    }

    /// Files that may be the library, the likeliest first.
    pub(crate) fn candidates(&self) -> Vec<PathBuf> {
        let names = self.file_names();
        let within = |folder: &Path| names.iter().map(|name| folder.join(name)).collect::<Vec<_>>();
        if let Some(told) = self.told() {
            let mut found = if told.is_dir() { within(&told) } else { vec![told] };
            found.retain(|path| path.is_file());
            return found;
        }
        let mut found: Vec<_> = names.iter().map(PathBuf::from).collect();
        let roots = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
        for root in roots.chain([PathBuf::from("/usr/local/cuda")]) {
            for folder in ["lib64", "lib", "bin"] {
                found.extend(within(&root.join(folder)));
            }
        }
        for packages in FOLDERS.lock().iter() {
            let Ok(entries) = packages.join("nvidia").read_dir() else { continue };
            for entry in entries.flatten() {
                for folder in ["lib", "bin"] {
                    found.extend(within(&entry.path().join(folder)));
                }
            }
        }
        found.retain(|path| path.components().count() == 1 || path.is_file());
        found
    }
}
