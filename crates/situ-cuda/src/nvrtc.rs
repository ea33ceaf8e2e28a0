//! NVRTC, CUDA's compiler at run time: its functions, and how to find it.
//!
//! It is not part of the driver, and looked for as `search` says, by `SITU_NVRTC` first.

use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;

use parking_lot::Mutex;
use situ_codegen::Rules;

use crate::driver::Driver;
use crate::library::{Unusable, functions};
use crate::search::Sought;

/// A program of the compiler.
type Handle = *mut c_void;

functions! {
    /// The compiler's functions that situ uses.
    Api {
        nvrtcVersion(major: *mut i32, minor: *mut i32);
        nvrtcCreateProgram(
            program: *mut Handle,
            source: *const c_char,
            name: *const c_char,
            headers: i32,
            header_texts: *const *const c_char,
            header_names: *const *const c_char,
        );
        nvrtcCompileProgram(program: Handle, count: i32, options: *const *const c_char);
        nvrtcGetProgramLogSize(program: Handle, bytes: *mut usize);
        nvrtcGetProgramLog(program: Handle, log: *mut c_char);
        nvrtcGetCUBINSize(program: Handle, bytes: *mut usize);
        nvrtcGetCUBIN(program: Handle, image: *mut c_char);
        nvrtcGetPTXSize(program: Handle, bytes: *mut usize);
        nvrtcGetPTX(program: Handle, image: *mut c_char);
        nvrtcGetNumSupportedArchs(count: *mut i32);
        nvrtcGetSupportedArchs(architectures: *mut i32);
        nvrtcDestroyProgram(program: *mut Handle);
    }
}

/// The compiler.
#[derive(Debug)]
pub struct Nvrtc {
    api: Api,
    version: (i32, i32),
    architectures: Vec<i32>,
}

const COMPILER: Sought = Sought { variable: "SITU_NVRTC", name: "nvrtc", versions: [13, 12], windows_ending: "0_0" };

/// An error if `SITU_NVRTC` names something that cannot be the compiler.
pub(crate) fn check_environment() -> Result<(), String> {
    COMPILER.check_environment()
}

impl Nvrtc {
    /// The compiler of this machine, looked for once it is first needed.
    pub fn get() -> Result<&'static Nvrtc, String> {
        static FOUND: OnceLock<Nvrtc> = OnceLock::new();
        static LOOKING: Mutex<()> = Mutex::new(());
        if let Some(found) = FOUND.get() {
            return Ok(found);
        }
        let _alone = LOOKING.lock();
        if let Some(found) = FOUND.get() {
            return Ok(found);
        }
        let newest = Driver::get().ok().map(|driver| driver.version().0);
        let mut refused = Vec::new();
        for path in COMPILER.candidates() {
            match Self::load(&path) {
                Ok(found) if newest.is_none_or(|newest| found.version.0 <= newest) => {
                    return Ok(FOUND.get_or_init(|| found));
                }
                Ok(found) => {
                    refused.push(format!("{} is for CUDA {}, newer than the driver", path.display(), found.version.0))
                }
                Err(Some(Unusable(reason))) => refused.push(format!("{}: {reason}", path.display())),
                Err(None) => {}
            }
        }
        let tried = if refused.is_empty() { String::new() } else { format!(" ({})", refused.join("; ")) };
        let package = if newest == Some(12) { "nvidia-cuda-nvrtc-cu12" } else { "nvidia-cuda-nvrtc" };
        Err(format!(
            "NVRTC, the compiler of CUDA kernels, was not found{tried}; install it with `pip install {package}`, or set \
             SITU_NVRTC to its path"
        ))
    }

    /// The compiler in a file; `Err(None)` where there is no such library.
    fn load(path: &Path) -> Result<Nvrtc, Option<Unusable>> {
        // SAFETY: the file is named as NVIDIA's compiler is, or the user named it.
        let library = unsafe { libloading::Library::new(path) }
            .map_err(|error| path.is_file().then(|| Unusable(error.to_string())))?;
        // SAFETY: the signatures are those of NVRTC's interface.
        let api = unsafe { Api::of(library) }?;
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: each writes one integer.
        unsafe {
            (api.nvrtcVersion)(&raw mut major, &raw mut minor);
            (api.nvrtcGetNumSupportedArchs)(&raw mut count);
        }
        let mut architectures = vec![0; count.max(0) as usize];
        // SAFETY: writes as many integers as it said.
        unsafe { (api.nvrtcGetSupportedArchs)(architectures.as_mut_ptr()) };
        Ok(Nvrtc { api, version: (major, minor), architectures })
    }

    /// Its version.
    pub fn version(&self) -> (i32, i32) {
        self.version
    }

    /// The options to compile for a compute capability: machine code where the compiler knows it, else code that the
    /// driver translates.
    pub fn options(&self, capability: i32, rules: &Rules) -> Result<Vec<String>, String> {
        let (major, minor) = (capability / 10, capability % 10);
        let older = self.architectures.iter().filter(|&&known| known <= capability).max();
        let architecture = match older {
            Some(&same) if same == capability => format!("sm_{same}"),
            Some(nearest) => format!("compute_{nearest}"),
            None => {
                let version = self.version.0;
                return Err(format!(
                    "NVRTC {version} does not compile for GPUs as old as this one (compute capability {major}.{minor}); \
                     install an older one with `pip install nvidia-cuda-nvrtc-cu12`, and set SITU_NVRTC to its folder"
                ));
            }
        };
        let own =
            |fused: &str| [fused, "--std=c++17", "--device-int128", "--no-source-include"].map(Into::into).to_vec();
        let others: Vec<String> = match rules {
            // A program gives the same bits as its ops one by one, and as every other device.
            Rules::Exact => own("--fmad=false"),
            Rules::Contracted => own("--fmad=true"),
            Rules::Given(options) => options.clone(),
        };
        Ok(std::iter::once(format!("--gpu-architecture={architecture}")).chain(others).collect())
    }

    /// Compiles a text; what went wrong is what the compiler said.
    pub fn compile(&self, text: &str, options: &[String]) -> Result<Vec<u8>, String> {
        let zero = |_| "the text contains a zero".to_owned();
        let source = CString::new(text).map_err(zero)?;
        let options: Vec<CString> =
            options.iter().map(|option| CString::new(option.as_str())).collect::<Result<_, _>>().map_err(zero)?;
        let as_machine_code =
            !options.iter().any(|option| option.to_bytes().starts_with(b"--gpu-architecture=compute"));
        let pointers: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        let api = &self.api;
        let mut program = ptr::null_mut();
        // SAFETY: the texts end with 0; writes one handle.
        let created = unsafe {
            (api.nvrtcCreateProgram)(&raw mut program, source.as_ptr(), c"situ".as_ptr(), 0, ptr::null(), ptr::null())
        };
        if created != 0 {
            return Err(format!("the compiler refused to start (error {created})"));
        }
        // SAFETY: the options end with 0 and outlive the call.
        let compiled = unsafe { (api.nvrtcCompileProgram)(program, pointers.len() as i32, pointers.as_ptr()) };
        let result = if compiled != 0 {
            let log = read(program, api.nvrtcGetProgramLogSize, api.nvrtcGetProgramLog);
            Err(String::from_utf8_lossy(&log).trim_end_matches(['\0', '\n']).to_owned())
        } else if as_machine_code {
            Ok(read(program, api.nvrtcGetCUBINSize, api.nvrtcGetCUBIN))
        } else {
            Ok(read(program, api.nvrtcGetPTXSize, api.nvrtcGetPTX))
        };
        // SAFETY: the program was created here, and is used no more.
        unsafe { (api.nvrtcDestroyProgram)(&raw mut program) };
        result
    }
}

/// Some bytes that the compiler has for a program.
fn read(
    program: Handle,
    size: unsafe extern "C" fn(Handle, *mut usize) -> i32,
    get: unsafe extern "C" fn(Handle, *mut c_char) -> i32,
) -> Vec<u8> {
    let mut bytes = 0;
    // SAFETY: writes one size.
    unsafe { size(program, &raw mut bytes) };
    let mut data = vec![0; bytes];
    // SAFETY: writes as many bytes as it said.
    unsafe { get(program, data.as_mut_ptr().cast()) };
    data
}
