//! cuBLAS, NVIDIA's library of products of matrices: its functions, and how to use it.
//!
//! It is optional, and looked for as NVRTC is, where `SITU_CUBLAS` says or where packages bring it. Where it is missing, and for
//! what it does not compute, kernels of situ's own do the work; `SITU_CUBLAS=off` leaves everything to them.

use std::ffi::c_void;
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;

use parking_lot::Mutex;
use situ_hal::{Address, HalError, Result};
use situ_types::{C64, C128, DType};

use crate::driver::{DevicePointer, Driver, Handle};
use crate::gemm::{Gemm, Matrix};
use crate::library::{Unusable, functions};
use crate::search::Sought;
use crate::stream::Stream;

functions! {
    /// The library's functions that situ uses.
    Api {
        cublasGetProperty(which: i32, value: *mut i32);
        cublasCreate_v2(handle: *mut Handle);
        cublasSetStream_v2(handle: Handle, stream: Handle);
        cublasSetWorkspace_v2(handle: Handle, workspace: DevicePointer, bytes: usize);
        cublasSetMathMode(handle: Handle, mode: i32);
        cublasGemmStridedBatchedEx(
            handle: Handle,
            left_operation: i32, right_operation: i32,
            rows: i32, columns: i32, depth: i32,
            alpha: *const c_void,
            left: DevicePointer, left_type: i32, left_leading: i32, left_next: i64,
            right: DevicePointer, right_type: i32, right_leading: i32, right_next: i64,
            beta: *const c_void,
            out: DevicePointer, out_type: i32, out_leading: i32, out_next: i64,
            count: i32, compute: i32, algorithm: i32,
        );
    }
}

/// Bytes of memory that a call may use, as much as NVIDIA recommends for its largest GPUs.
pub(crate) const WORKSPACE: usize = 32 << 20;

const SUCCESS: i32 = 0;
const NOT_SUPPORTED: i32 = 15;
/// What [`Api::cublasGetProperty`] calls the version's first number.
const MAJOR_VERSION: i32 = 0;
/// Sums of half precision are kept in single precision to the end. Single precision is never cut short by default.
const KEEP_PRECISION: i32 = 16;
/// The library chooses among its kernels.
const ANY_ALGORITHM: i32 = -1;

const LIBRARY: Sought = Sought { variable: "SITU_CUBLAS", name: "cublas", windows_ending: "" };

/// An error if `SITU_CUBLAS` names something that cannot be the library.
pub(crate) fn check_environment() -> Result<(), String> {
    if is_off() { Ok(()) } else { LIBRARY.check_environment() }
}

fn is_off() -> bool {
    LIBRARY.told().is_some_and(|told| told.as_os_str().eq_ignore_ascii_case("off"))
}

/// The library's functions, looked for once.
fn api() -> Option<&'static Api> {
    static FOUND: OnceLock<Option<Api>> = OnceLock::new();
    FOUND.get_or_init(|| if is_off() { None } else { find() }).as_ref()
}

/// The first library that is no newer than the driver.
fn find() -> Option<Api> {
    let newest = Driver::get().ok()?.version().0;
    let is_usable = |api: &Api| {
        let mut major = 0;
        // SAFETY: writes one integer.
        unsafe { (api.cublasGetProperty)(MAJOR_VERSION, &raw mut major) == SUCCESS && major <= newest }
    };
    LIBRARY.candidates().iter().filter_map(|path| load(path).ok()).find(is_usable)
}

fn load(path: &Path) -> Result<Api, Unusable> {
    let unusable = |error: libloading::Error| Unusable(error.to_string());
    // Half of it is another library beside it, which the system need not find by itself.
    let beside = path.file_name().and_then(|name| name.to_str()).map(|name| name.replacen("cublas", "cublasLt", 1));
    if let Some(beside) = beside.map(|name| path.with_file_name(name)).filter(|path| path.is_file()) {
        // SAFETY: the file is named as NVIDIA's library is.
        let library = unsafe { libloading::Library::new(beside) }.map_err(unusable)?;
        // It stays, as the one that needs it does.
        std::mem::forget(library);
    }
    // SAFETY: the file is named as NVIDIA's library is, or the user named it.
    let library = unsafe { libloading::Library::new(path) }.map_err(unusable)?;
    // SAFETY: the signatures are those of the library's interface.
    unsafe { Api::of(library) }
}

/// The library on one device.
#[derive(Debug, Default)]
pub(crate) struct Cublas {
    /// `None` before it was first needed; then what the library calls the device, if it can use it. It stays for good: giving
    /// it back would wait for everything on the device.
    handle: Mutex<Option<Option<Used>>>,
}

#[derive(Clone, Copy, Debug)]
struct Used(&'static Api, Handle);

// SAFETY: the library lets every thread use a handle, one at a time, which is what the lock is for.
unsafe impl Send for Used {}

impl Cublas {
    /// Puts calls into a stream; false where the library is missing or cannot do it.
    ///
    /// # Safety
    ///
    /// The matrices are valid for what the calls do with them until the stream has come past them, and so are
    /// [`WORKSPACE`] bytes at `workspace`. The device has been entered.
    pub(crate) unsafe fn multiply(&self, stream: &Stream, gemm: &Gemm, workspace: Address) -> Result<bool> {
        let mut slot = self.handle.lock();
        let Some(Used(api, handle)) = *slot.get_or_insert_with(create) else { return Ok(false) };
        let check = |code: i32| match code {
            SUCCESS => Ok(true),
            NOT_SUPPORTED => Ok(false),
            _ => {
                let detail = format!("cuBLAS failed with status {code}");
                Err(HalError::Failed { operation: "matrix product".into(), detail })
            }
        };
        let put = || {
            // SAFETY: handle and stream exist, and belong to the device that was entered; the memory is the caller's promise.
            unsafe {
                check((api.cublasSetStream_v2)(handle, stream.handle))?;
                // After the stream, which would bring back memory of the library's own.
                check((api.cublasSetWorkspace_v2)(handle, workspace.0 as DevicePointer, WORKSPACE))?;
            }
            for moved in &gemm.moves {
                // SAFETY: as above.
                if !check(unsafe { call(api, handle, gemm, *moved) })? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let done = put();
        // The handle outlives the stream, which the library looks at once more when it is given another one. The device's own
        // stream stays.
        // SAFETY: the handle exists.
        unsafe { (api.cublasSetStream_v2)(handle, ptr::null_mut()) };
        done
    }

    /// Whether the library can be used on the device, which has been entered.
    pub(crate) fn is_usable(&self) -> bool {
        self.handle.lock().get_or_insert_with(create).is_some()
    }
}

/// A handle for the device that has been entered.
fn create() -> Option<Used> {
    let api = api()?;
    let mut handle = ptr::null_mut();
    // SAFETY: writes one handle, of which the other function then sets a property.
    let is_made = unsafe {
        (api.cublasCreate_v2)(&raw mut handle) == SUCCESS && (api.cublasSetMathMode)(handle, KEEP_PRECISION) == SUCCESS
    };
    is_made.then_some(Used(api, handle))
}

/// What the library calls a dtype, and what it computes in.
fn types(dtype: DType) -> (i32, i32) {
    const IN_SINGLE: i32 = 68;
    const IN_DOUBLE: i32 = 70;
    match dtype {
        DType::F16 => (2, IN_SINGLE),
        DType::F64 => (1, IN_DOUBLE),
        DType::C64 => (4, IN_SINGLE),
        DType::C128 => (5, IN_DOUBLE),
        _ => (0, IN_SINGLE),
    }
}

/// A number that results are scaled by, aligned as the library takes for granted: it reads complex128 in one piece, and
/// brings the process down where that is not at a multiple of 16.
#[repr(C, align(16))]
struct Factor<T>(T);

/// # Safety
///
/// As for [`Cublas::multiply`].
unsafe fn call(api: &Api, handle: Handle, gemm: &Gemm, [left, right, out]: [isize; 3]) -> i32 {
    // One and zero, of the dtype that is computed in; a real number is the first part of a complex one.
    let single = [Factor(C64::new(1.0, 0.0)), Factor(C64::default())];
    let double = [Factor(C128::new(1.0, 0.0)), Factor(C128::default())];
    let [alpha, beta]: [*const c_void; 2] = if matches!(gemm.dtype, DType::F64 | DType::C128) {
        [(&raw const double[0]).cast(), (&raw const double[1]).cast()]
    } else {
        [(&raw const single[0]).cast(), (&raw const single[1]).cast()]
    };
    let (data, compute) = types(gemm.dtype);
    let at = |matrix: &Matrix, moved: isize| matrix.address.offset(moved).0 as DevicePointer;
    // SAFETY: the caller's promise; both numbers outlive the call, and are read during it.
    unsafe {
        (api.cublasGemmStridedBatchedEx)(
            handle,
            i32::from(gemm.left.is_transposed),
            i32::from(gemm.right.is_transposed),
            gemm.rows,
            gemm.columns,
            gemm.depth,
            alpha,
            at(&gemm.left, left),
            data,
            gemm.left.leading,
            gemm.left.next,
            at(&gemm.right, right),
            data,
            gemm.right.leading,
            gemm.right.next,
            beta,
            at(&gemm.out, out),
            data,
            gemm.out.leading,
            gemm.out.next,
            gemm.count,
            compute,
            ANY_ALGORITHM,
        )
    }
}
