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
use crate::library::{Unusable, families, functions, kind};
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

families! {
    /// The library's functions for many small matrices, which it is given as arrays of addresses on the device.
    ///
    /// What `info` points to is the host's, and about the arguments of the call, except for `getrf` and `getri`, where it is
    /// the device's, one for each matrix.
    Families {
        getrf [cublasSgetrfBatched cublasDgetrfBatched cublasCgetrfBatched cublasZgetrfBatched] (
            handle: Handle, order: i32, matrices: DevicePointer, leading: i32, pivots: DevicePointer, info: DevicePointer,
            count: i32,
        );
        getrs [cublasSgetrsBatched cublasDgetrsBatched cublasCgetrsBatched cublasZgetrsBatched] (
            handle: Handle, operation: i32, order: i32, columns: i32,
            matrices: DevicePointer, leading: i32, pivots: DevicePointer, rights: DevicePointer, right_leading: i32,
            info: *mut i32, count: i32,
        );
        getri [cublasSgetriBatched cublasDgetriBatched cublasCgetriBatched cublasZgetriBatched] (
            handle: Handle, order: i32, matrices: DevicePointer, leading: i32, pivots: DevicePointer,
            inverses: DevicePointer, inverse_leading: i32, info: DevicePointer, count: i32,
        );
    }
}

/// The library's functions.
#[derive(Debug)]
struct Library {
    api: Api,
    families: Families,
}

/// Bytes of memory that a call may use, as much as NVIDIA recommends for its largest GPUs.
pub(crate) const WORKSPACE: usize = 32 << 20;

const SUCCESS: i32 = 0;
const ALLOC_FAILED: i32 = 3;
const NOT_SUPPORTED: i32 = 15;
/// What [`Api::cublasGetProperty`] calls the version's first number.
const MAJOR_VERSION: i32 = 0;
/// Sums of half precision are kept in single precision to the end. Single precision is never cut short by default.
const KEEP_PRECISION: i32 = 16;
/// What the library calls a matrix as it is.
const NOT_TRANSPOSED: i32 = 0;
/// The library chooses among its kernels.
const ANY_ALGORITHM: i32 = -1;

const LIBRARY: Sought = Sought { variable: "SITU_CUBLAS", name: "cublas", versions: [13, 12], windows_ending: "" };

/// An error if `SITU_CUBLAS` names something that cannot be the library.
pub(crate) fn check_environment() -> Result<(), String> {
    if is_off() { Ok(()) } else { LIBRARY.check_environment() }
}

fn is_off() -> bool {
    LIBRARY.told().is_some_and(|told| told.as_os_str().eq_ignore_ascii_case("off"))
}

/// The library's functions, looked for once.
fn library() -> Option<&'static Library> {
    static FOUND: OnceLock<Option<Library>> = OnceLock::new();
    FOUND.get_or_init(|| if is_off() { None } else { find() }).as_ref()
}

/// The first library that is no newer than the driver.
fn find() -> Option<Library> {
    let newest = Driver::get().ok()?.version().0;
    let is_usable = |Library { api, .. }: &Library| {
        let mut major = 0;
        // SAFETY: writes one integer.
        unsafe { (api.cublasGetProperty)(MAJOR_VERSION, &raw mut major) == SUCCESS && major <= newest }
    };
    LIBRARY.candidates().iter().filter_map(|path| load(path).ok()).find(is_usable)
}

fn load(path: &Path) -> Result<Library, Unusable> {
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
    // SAFETY: the signatures are those of the library's interface. The first table keeps the library.
    unsafe {
        let families = Families::of(&library)?;
        Ok(Library { api: Api::of(library)?, families })
    }
}

/// The library on one device.
#[derive(Debug, Default)]
pub(crate) struct Cublas {
    /// `None` before it was first needed; then what the library calls the device, if it can use it. It stays for good: giving
    /// it back would wait for everything on the device.
    handle: Mutex<Option<Option<Used>>>,
}

#[derive(Clone, Copy, Debug)]
struct Used(&'static Library, Handle);

// SAFETY: the library lets every thread use a handle, one at a time, which is what the lock is for.
unsafe impl Send for Used {}

impl Cublas {
    /// Puts calls into a stream; `None` where the library is missing.
    ///
    /// # Safety
    ///
    /// [`WORKSPACE`] bytes at `workspace` are valid for the calls until the stream has come past them. The device has been
    /// entered.
    unsafe fn put<T>(
        &self,
        stream: &Stream,
        workspace: Address,
        calls: impl FnOnce(&'static Library, Handle) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut slot = self.handle.lock();
        let Some(Used(library, handle)) = *slot.get_or_insert_with(create) else { return Ok(None) };
        let api = &library.api;
        let begin = || {
            // SAFETY: handle and stream exist, and belong to the device that was entered; the memory is the caller's promise.
            unsafe {
                check((api.cublasSetStream_v2)(handle, stream.handle), "SetStream")?;
                // After the stream, which would bring back memory of the library's own.
                check((api.cublasSetWorkspace_v2)(handle, workspace.0 as DevicePointer, WORKSPACE), "SetWorkspace")
            }
        };
        let done = begin().and_then(|()| calls(library, handle));
        // The handle outlives the stream, which the library looks at once more when it is given another one. The device's own
        // stream stays.
        // SAFETY: the handle exists.
        unsafe { (api.cublasSetStream_v2)(handle, ptr::null_mut()) };
        done.map(Some)
    }

    /// Puts products of matrices into a stream; false where the library is missing or cannot do it.
    ///
    /// # Safety
    ///
    /// The matrices are valid for what the calls do with them until the stream has come past them, and so are
    /// [`WORKSPACE`] bytes at `workspace`. The device has been entered.
    pub(crate) unsafe fn multiply(&self, stream: &Stream, gemm: &Gemm, workspace: Address) -> Result<bool> {
        let multiply_all = |library: &Library, handle: Handle| {
            for moved in &gemm.moves {
                // SAFETY: the caller's promise.
                match unsafe { call(&library.api, handle, gemm, *moved) } {
                    NOT_SUPPORTED => return Ok(false),
                    code => check(code, "GemmStridedBatchedEx")?,
                }
            }
            Ok(true)
        };
        // SAFETY: the caller's promise.
        Ok(unsafe { self.put(stream, workspace, multiply_all) }?.unwrap_or(false))
    }

    /// Puts factorisations of many matrices into a stream, and the solutions of equations with them.
    ///
    /// # Safety
    ///
    /// As for [`put`](Self::put), for everything that the batch names.
    pub(crate) unsafe fn factorise(&self, stream: &Stream, batch: &LuBatch, workspace: Address) -> Result<()> {
        let factorise_all = |library: &Library, handle: Handle| {
            let &LuBatch { dtype, order, count, matrices, pivots, status, then } = batch;
            let families = &library.families;
            // SAFETY: the caller's promise.
            let code = unsafe {
                families.getrf[kind(dtype)](
                    handle,
                    order,
                    address(matrices),
                    order,
                    address(pivots),
                    address(status),
                    count,
                )
            };
            check(code, "getrfBatched")?;
            let (columns, rights) = match then {
                AfterLu::Nothing => return Ok(()),
                AfterLu::Solve(columns, rights) => (columns, rights),
                AfterLu::Invert(inverses) => {
                    // SAFETY: as above. What becomes of a singular matrix is said once more.
                    let code = unsafe {
                        families.getri[kind(dtype)](
                            handle,
                            order,
                            address(matrices),
                            order,
                            address(pivots),
                            address(inverses),
                            order,
                            address(status),
                            count,
                        )
                    };
                    return check(code, "getriBatched");
                }
            };
            let mut info = 0;
            // SAFETY: the caller's promise; the last integer is about the arguments, and written during the call.
            let code = unsafe {
                families.getrs[kind(dtype)](
                    handle,
                    NOT_TRANSPOSED,
                    order,
                    columns,
                    address(matrices),
                    order,
                    address(pivots),
                    address(rights),
                    order,
                    &raw mut info,
                    count,
                )
            };
            check(code, "getrsBatched")
        };
        // SAFETY: the caller's promise.
        match unsafe { self.put(stream, workspace, factorise_all) }? {
            Some(()) => Ok(()),
            None => Err(HalError::no_library("linear equations".into())),
        }
    }

    /// Whether the library can be used on the device, which has been entered.
    pub(crate) fn is_usable(&self) -> bool {
        self.handle.lock().get_or_insert_with(create).is_some()
    }
}

/// Matrices that are factorised by one call, and perhaps equations with them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LuBatch {
    pub(crate) dtype: DType,
    /// Rows and columns, which are also elements from one column to the next.
    pub(crate) order: i32,
    pub(crate) count: i32,
    /// Where the addresses of the matrices are.
    pub(crate) matrices: Address,
    /// Where an int32 for each row goes.
    pub(crate) pivots: Address,
    /// Where an int32 for each matrix goes.
    pub(crate) status: Address,
    pub(crate) then: AfterLu,
}

/// What is done with factors.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AfterLu {
    Nothing,
    /// Equations with right sides of so many columns, whose addresses are there.
    Solve(i32, Address),
    /// Inverses, whose addresses are there.
    Invert(Address),
}

fn address(address: Address) -> DevicePointer {
    address.0 as DevicePointer
}

/// An error for every status but success.
fn check(code: i32, function: &str) -> Result<()> {
    let detail = || format!("cuBLAS failed with status {code} in {function}");
    match code {
        SUCCESS => Ok(()),
        // The command's name is added where the command is known.
        ALLOC_FAILED => Err(HalError::OutOfMemory { operation: "".into(), bytes: 0, detail: detail() }),
        _ => Err(HalError::Failed { operation: "".into(), detail: detail() }),
    }
}

/// A handle for the device that has been entered.
fn create() -> Option<Used> {
    let library = library()?;
    let api = &library.api;
    let mut handle = ptr::null_mut();
    // SAFETY: writes one handle, of which the other function then sets a property.
    let is_made = unsafe {
        (api.cublasCreate_v2)(&raw mut handle) == SUCCESS && (api.cublasSetMathMode)(handle, KEEP_PRECISION) == SUCCESS
    };
    is_made.then_some(Used(library, handle))
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
