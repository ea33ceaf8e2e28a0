//! Runs text in the host's dialect: compiled by the system's C compiler, loaded, called.

#![allow(dead_code, reason = "each test file uses its part")]

pub mod layouts;
pub mod meaning;
pub mod opencl;
pub mod points;
pub mod runner;
pub mod snapshots;

use std::ffi::c_void;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use situ_codegen::{Dialect, Source, library};

/// A compiled text.
#[derive(Debug)]
pub struct Library {
    loaded: libloading::Library,
}

impl Library {
    /// Compiles a text after everything it needs of the device library. Functions not declared `static` can be called.
    pub fn compile(text: &str) -> Library {
        Library::compile_whole(&library::complete(Dialect::Host, text))
    }

    /// Compiles a text as it is.
    pub fn compile_whole(text: &str) -> Library {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("situ-codegen-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (source, binary) = (folder.join("text.c"), folder.join("text.so"));
        std::fs::write(&source, text).unwrap();
        // Fused multiply-adds are the C library's where the compiler knows no option for the processor's.
        let done = cc(&source, &binary, &["-mfma"]).or_else(|_| cc(&source, &binary, &[]));
        if let Err(message) = done {
            panic!("the C compiler refuses {}:\n{message}", source.display());
        }
        // SAFETY: the file was just made from text that runs nothing when it is loaded.
        let loaded = unsafe { libloading::Library::new(&binary) }.unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        Library { loaded }
    }

    /// A function of the text.
    ///
    /// # Safety
    ///
    /// `F` must be the function's type.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> F {
        // SAFETY: the caller's promise.
        *unsafe { self.loaded.get::<F>(name.as_bytes()) }.unwrap()
    }

    /// Runs the kernel of a text made by [`launchable`]. Arguments are given as addresses of their values.
    ///
    /// # Safety
    ///
    /// The arguments must be what the kernel takes, and memory it reaches through them must be there.
    pub unsafe fn launch(&self, arguments: &[*const c_void], grid: [u32; 3], block: [u32; 3], threads: Threads) {
        type Launch = unsafe extern "C" fn(*const *const c_void, *const u32, *const u32, bool);
        // SAFETY: `launchable` made a function of this type.
        let launch = unsafe { self.function::<Launch>("launch") };
        // SAFETY: the caller's promise.
        unsafe { launch(arguments.as_ptr(), grid.as_ptr(), block.as_ptr(), threads == Threads::Downward) };
    }
}

fn cc(source: &PathBuf, binary: &PathBuf, options: &[&str]) -> Result<(), String> {
    // GCC 12 fuses the products and sums of complex numbers when it vectorises them, contraction off or not.
    let output = Command::new("cc")
        .args(["-O2", "-std=c11", "-ffp-contract=off", "-fno-tree-vectorize", "-shared", "-fPIC"])
        .arg("-Werror=implicit-function-declaration")
        .args(options)
        .arg(source)
        .args(["-lm", "-o"])
        .arg(binary)
        .output()
        .expect("the C compiler that Rust links with is there");
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// The order in which a block's threads go through a phase. What a kernel computes must not depend on it: where it does, one thread
/// reads what another one writes without a barrier in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    Upward,
    Downward,
}

impl Threads {
    /// The other one.
    pub fn reversed(self) -> Threads {
        match self {
            Threads::Upward => Threads::Downward,
            Threads::Downward => Threads::Upward,
        }
    }
}

/// How the host's dialect goes through the threads along the first axis, and how tests do.
const EACH_THREAD: [&str; 2] = [
    "for (thread_at[0] = 0; thread_at[0] < block_size[0]; thread_at[0]++)",
    "for (u32 threads_done = 0; threads_done < block_size[0] && \
                 (thread_at[0] = is_downward ? block_size[0] - 1 - threads_done : threads_done, 1); threads_done++)",
];

/// A kernel in the host's dialect with a function `launch` that goes through the blocks of a grid.
pub fn launchable(source: &Source) -> String {
    let (_, declared) = source.text.split_once(&format!(" {}(", source.kernel)).expect("the kernel is in the text");
    let (parameters, _) = declared.split_once(") {").expect("parameters end");
    let types = parameters.split(',').map(|parameter| {
        let parameter = parameter.trim();
        parameter[..parameter.rfind(|c: char| !c.is_alphanumeric() && c != '_').unwrap() + 1].trim()
    });
    let values: Vec<String> = types.enumerate().map(|(i, name)| format!("*({name} *)arguments[{i}]")).collect();
    let axes = |axis: usize| {
        format!("for (block_at[{axis}] = 0; block_at[{axis}] < grid[{axis}]; block_at[{axis}]++)\n        ")
    };
    let text = source.text.replace(EACH_THREAD[0], EACH_THREAD[1]);
    assert!(text.contains(EACH_THREAD[1]) || !text.contains("EACH_THREAD"), "the host's dialect has another loop");
    format!(
        "static _Bool is_downward;\n{}\n\
         void launch(void **arguments, const unsigned *grid, const unsigned *block, _Bool downward) {{\n    \
         is_downward = downward;\n    \
         for (int i = 0; i < 3; i++) {{ block_size[i] = block[i]; grid_size[i] = grid[i]; }}\n    {}{}{}{}({});\n}}\n",
        text,
        axes(2),
        axes(1),
        axes(0),
        source.kernel,
        values.join(", ")
    )
}
