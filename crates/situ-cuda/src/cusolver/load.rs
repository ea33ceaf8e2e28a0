//! Where cuSOLVER is, and how to load it.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use parking_lot::Mutex;

use super::api::Library;
use crate::driver::Driver;
use crate::library::Unusable;
use crate::search::Sought;

const LIBRARY: Sought = Sought { variable: "SITU_CUSOLVER", name: "cusolver", versions: [12, 11], windows_ending: "" };
/// It counts versions so many behind CUDA.
const BEHIND_CUDA: i32 = 1;
/// What [`super::api::Api::cusolverGetProperty`] calls the version's first number.
const MAJOR_VERSION: i32 = 0;

/// Libraries that it needs, each after those that it needs itself, and the folders of their Python packages.
const NEEDED: [(&str, &str); 4] =
    [("nvJitLink", "nvjitlink"), ("cublasLt", "cublas"), ("cublas", "cublas"), ("cusparse", "cusparse")];

/// An error if `SITU_CUSOLVER` names something that cannot be the library.
pub(crate) fn check_environment() -> Result<(), String> {
    if is_off() { Ok(()) } else { LIBRARY.check_environment() }
}

fn is_off() -> bool {
    LIBRARY.told().is_some_and(|told| told.as_os_str().eq_ignore_ascii_case("off"))
}

/// The library of this machine, looked for once it is first needed, or why there is none and what to do.
pub(super) fn library() -> Result<&'static Library, String> {
    static FOUND: OnceLock<Library> = OnceLock::new();
    static LOOKING: Mutex<()> = Mutex::new(());
    if let Some(found) = FOUND.get() {
        return Ok(found);
    }
    let _alone = LOOKING.lock();
    if let Some(found) = FOUND.get() {
        return Ok(found);
    }
    find().map(|found| FOUND.get_or_init(|| found))
}

/// The first library that is no newer than the driver.
fn find() -> Result<Library, String> {
    let elsewhere = "or bring the arrays to the processor with to_device(\"native:cpu\")";
    if is_off() {
        return Err(format!(
            "SITU_CUSOLVER=off leaves cuSOLVER out, which computes it; unset the variable, {elsewhere}"
        ));
    }
    let newest = Driver::get().ok().map(|driver| driver.version().0);
    let mut refused = Vec::new();
    for path in LIBRARY.candidates() {
        match load(&path) {
            Ok((library, version)) if newest.is_none_or(|newest| version + BEHIND_CUDA <= newest) => {
                return Ok(library);
            }
            Ok((_, version)) => {
                refused.push(format!(
                    "{} is for CUDA {}, newer than the driver",
                    path.display(),
                    version + BEHIND_CUDA
                ));
            }
            // A bare name is only tried.
            Err(Unusable(reason)) if path.is_file() => refused.push(format!("{}: {reason}", path.display())),
            Err(_) => {}
        }
    }
    let tried = if refused.is_empty() { String::new() } else { format!(" ({})", refused.join("; ")) };
    let package = if newest == Some(12) { "nvidia-cusolver-cu12" } else { "nvidia-cusolver" };
    Err(format!(
        "cuSOLVER, which computes it, was not found{tried}; install it with `pip install {package}`, set SITU_CUSOLVER to its \
         path, {elsewhere}"
    ))
}

/// The library in a file, and the first number of its version.
fn load(path: &Path) -> Result<(Library, i32), Unusable> {
    load_needed(path);
    // SAFETY: the file is named as NVIDIA's library is, or the user named it.
    let library = unsafe { libloading::Library::new(path) }.map_err(|error| {
        // What is missing is said behind it.
        Unusable(error.source().map_or_else(|| error.to_string(), ToString::to_string))
    })?;
    // SAFETY: as above.
    let library = unsafe { Library::of(library) }?;
    let mut version = 0;
    // SAFETY: writes one integer.
    match unsafe { (library.api.cusolverGetProperty)(MAJOR_VERSION, &raw mut version) } {
        0 => Ok((library, version)),
        status => Err(Unusable(format!("it does not say its version (status {status})"))),
    }
}

/// Loads what the library needs where it lies beside it or in the folders of other packages, because the system need not find
/// it there by itself. Where it lies elsewhere, the system does find it, or says what is missing.
fn load_needed(path: &Path) {
    let Some(folder) = path.parent().filter(|folder| folder.is_dir() && path.components().count() > 1) else { return };
    for (name, package) in NEEDED {
        let sought = Sought { variable: "", name, versions: [13, 12], windows_ending: "" };
        let packages = folder.parent().and_then(Path::parent);
        let sibling = packages.zip(folder.file_name()).map(|(packages, own)| packages.join(package).join(own));
        let files = [Some(folder.to_path_buf()), sibling]
            .into_iter()
            .flatten()
            .flat_map(|folder: PathBuf| sought.file_names().into_iter().map(move |file| folder.join(file)));
        for file in files.filter(|file| file.is_file()) {
            // SAFETY: the file is named as NVIDIA's library is.
            if let Ok(library) = unsafe { libloading::Library::new(file) } {
                // It stays, as the one that needs it does.
                std::mem::forget(library);
            }
        }
    }
}
