//! cuSOLVER's functions.
//!
//! Those that begin with `cusolverDnX` take dtypes as numbers and sizes of 64 bits; they exist once. Others exist once for each
//! dtype, take sizes of 32 bits, and count the memory that they work in by elements.

use std::ffi::c_void;

use crate::driver::{DevicePointer, Handle};
use crate::library::{Unusable, families, functions};

functions! {
    /// The library's functions that situ uses, and every version has.
    Api {
        cusolverGetProperty(which: i32, value: *mut i32);
        cusolverDnCreate(handle: *mut Handle);
        cusolverDnSetStream(handle: Handle, stream: Handle);
        cusolverDnCreateParams(parameters: *mut Handle);
        cusolverDnCreateGesvdjInfo(settings: *mut Handle);
        cusolverDnXgesvdjSetTolerance(settings: Handle, tolerance: f64);
        cusolverDnXgesvdjSetMaxSweeps(settings: Handle, sweeps: i32);
        cusolverDnCreateSyevjInfo(settings: *mut Handle);
        cusolverDnXsyevjSetTolerance(settings: Handle, tolerance: f64);
        cusolverDnXsyevjSetMaxSweeps(settings: Handle, sweeps: i32);
        cusolverDnXgetrf_bufferSize(
            handle: Handle, parameters: Handle, rows: i64, columns: i64,
            dtype: i32, matrix: DevicePointer, leading: i64, compute: i32,
            bytes: *mut usize, host_bytes: *mut usize,
        );
        cusolverDnXgetrf(
            handle: Handle, parameters: Handle, rows: i64, columns: i64,
            dtype: i32, matrix: DevicePointer, leading: i64, pivots: DevicePointer, compute: i32,
            work: DevicePointer, bytes: usize, host_work: *mut c_void, host_bytes: usize, status: DevicePointer,
        );
        cusolverDnXgetrs(
            handle: Handle, parameters: Handle, operation: i32, order: i64, columns: i64,
            dtype: i32, matrix: DevicePointer, leading: i64, pivots: DevicePointer,
            right_dtype: i32, right: DevicePointer, right_leading: i64, status: DevicePointer,
        );
        cusolverDnXpotrf_bufferSize(
            handle: Handle, parameters: Handle, part: i32, order: i64,
            dtype: i32, matrix: DevicePointer, leading: i64, compute: i32,
            bytes: *mut usize, host_bytes: *mut usize,
        );
        cusolverDnXpotrf(
            handle: Handle, parameters: Handle, part: i32, order: i64,
            dtype: i32, matrix: DevicePointer, leading: i64, compute: i32,
            work: DevicePointer, bytes: usize, host_work: *mut c_void, host_bytes: usize, status: DevicePointer,
        );
        cusolverDnXgeqrf_bufferSize(
            handle: Handle, parameters: Handle, rows: i64, columns: i64,
            dtype: i32, matrix: DevicePointer, leading: i64, factors_dtype: i32, factors: DevicePointer, compute: i32,
            bytes: *mut usize, host_bytes: *mut usize,
        );
        cusolverDnXgeqrf(
            handle: Handle, parameters: Handle, rows: i64, columns: i64,
            dtype: i32, matrix: DevicePointer, leading: i64, factors_dtype: i32, factors: DevicePointer, compute: i32,
            work: DevicePointer, bytes: usize, host_work: *mut c_void, host_bytes: usize, status: DevicePointer,
        );
        cusolverDnXgesvd_bufferSize(
            handle: Handle, parameters: Handle, left_job: i8, right_job: i8, rows: i64, columns: i64,
            dtype: i32, matrix: DevicePointer, leading: i64, values_dtype: i32, values: DevicePointer,
            left_dtype: i32, left: DevicePointer, left_leading: i64,
            right_dtype: i32, right: DevicePointer, right_leading: i64,
            compute: i32, bytes: *mut usize, host_bytes: *mut usize,
        );
        cusolverDnXgesvd(
            handle: Handle, parameters: Handle, left_job: i8, right_job: i8, rows: i64, columns: i64,
            dtype: i32, matrix: DevicePointer, leading: i64, values_dtype: i32, values: DevicePointer,
            left_dtype: i32, left: DevicePointer, left_leading: i64,
            right_dtype: i32, right: DevicePointer, right_leading: i64,
            compute: i32, work: DevicePointer, bytes: usize, host_work: *mut c_void, host_bytes: usize,
            status: DevicePointer,
        );
        cusolverDnXgesvdp_bufferSize(
            handle: Handle, parameters: Handle, job: i32, economy: i32, rows: i64, columns: i64,
            dtype: i32, matrix: DevicePointer, leading: i64, values_dtype: i32, values: DevicePointer,
            left_dtype: i32, left: DevicePointer, left_leading: i64,
            right_dtype: i32, right: DevicePointer, right_leading: i64,
            compute: i32, bytes: *mut usize, host_bytes: *mut usize,
        );
        cusolverDnXgesvdp(
            handle: Handle, parameters: Handle, job: i32, economy: i32, rows: i64, columns: i64,
            dtype: i32, matrix: DevicePointer, leading: i64, values_dtype: i32, values: DevicePointer,
            left_dtype: i32, left: DevicePointer, left_leading: i64,
            right_dtype: i32, right: DevicePointer, right_leading: i64,
            compute: i32, work: DevicePointer, bytes: usize, host_work: *mut c_void, host_bytes: usize,
            status: DevicePointer, error: *mut f64,
        );
        cusolverDnXsyevd_bufferSize(
            handle: Handle, parameters: Handle, job: i32, part: i32, order: i64,
            dtype: i32, matrix: DevicePointer, leading: i64, values_dtype: i32, values: DevicePointer,
            compute: i32, bytes: *mut usize, host_bytes: *mut usize,
        );
        cusolverDnXsyevd(
            handle: Handle, parameters: Handle, job: i32, part: i32, order: i64,
            dtype: i32, matrix: DevicePointer, leading: i64, values_dtype: i32, values: DevicePointer,
            compute: i32, work: DevicePointer, bytes: usize, host_work: *mut c_void, host_bytes: usize,
            status: DevicePointer,
        );
    }
}

families! {
    /// The library's functions that exist once for each dtype.
    Families {
        orgqr_bufferSize [
            cusolverDnSorgqr_bufferSize cusolverDnDorgqr_bufferSize cusolverDnCungqr_bufferSize cusolverDnZungqr_bufferSize
        ] (
            handle: Handle, rows: i32, columns: i32, reflections: i32, matrix: DevicePointer, leading: i32,
            factors: DevicePointer, elements: *mut i32,
        );
        orgqr [cusolverDnSorgqr cusolverDnDorgqr cusolverDnCungqr cusolverDnZungqr] (
            handle: Handle, rows: i32, columns: i32, reflections: i32, matrix: DevicePointer, leading: i32,
            factors: DevicePointer, work: DevicePointer, elements: i32, status: DevicePointer,
        );
        potrfBatched [
            cusolverDnSpotrfBatched cusolverDnDpotrfBatched cusolverDnCpotrfBatched cusolverDnZpotrfBatched
        ] (
            handle: Handle, part: i32, order: i32, matrices: DevicePointer, leading: i32, status: DevicePointer,
            count: i32,
        );
        gesvdj_bufferSize [
            cusolverDnSgesvdj_bufferSize cusolverDnDgesvdj_bufferSize cusolverDnCgesvdj_bufferSize
            cusolverDnZgesvdj_bufferSize
        ] (
            handle: Handle, job: i32, economy: i32, rows: i32, columns: i32, matrix: DevicePointer, leading: i32,
            values: DevicePointer, left: DevicePointer, left_leading: i32, right: DevicePointer, right_leading: i32,
            elements: *mut i32, settings: Handle,
        );
        gesvdj [cusolverDnSgesvdj cusolverDnDgesvdj cusolverDnCgesvdj cusolverDnZgesvdj] (
            handle: Handle, job: i32, economy: i32, rows: i32, columns: i32, matrix: DevicePointer, leading: i32,
            values: DevicePointer, left: DevicePointer, left_leading: i32, right: DevicePointer, right_leading: i32,
            work: DevicePointer, elements: i32, status: DevicePointer, settings: Handle,
        );
        gesvdjBatched_bufferSize [
            cusolverDnSgesvdjBatched_bufferSize cusolverDnDgesvdjBatched_bufferSize cusolverDnCgesvdjBatched_bufferSize
            cusolverDnZgesvdjBatched_bufferSize
        ] (
            handle: Handle, job: i32, rows: i32, columns: i32, matrices: DevicePointer, leading: i32,
            values: DevicePointer, left: DevicePointer, left_leading: i32, right: DevicePointer, right_leading: i32,
            elements: *mut i32, settings: Handle, count: i32,
        );
        gesvdjBatched [
            cusolverDnSgesvdjBatched cusolverDnDgesvdjBatched cusolverDnCgesvdjBatched cusolverDnZgesvdjBatched
        ] (
            handle: Handle, job: i32, rows: i32, columns: i32, matrices: DevicePointer, leading: i32,
            values: DevicePointer, left: DevicePointer, left_leading: i32, right: DevicePointer, right_leading: i32,
            work: DevicePointer, elements: i32, status: DevicePointer, settings: Handle, count: i32,
        );
        syevjBatched_bufferSize [
            cusolverDnSsyevjBatched_bufferSize cusolverDnDsyevjBatched_bufferSize cusolverDnCheevjBatched_bufferSize
            cusolverDnZheevjBatched_bufferSize
        ] (
            handle: Handle, job: i32, part: i32, order: i32, matrices: DevicePointer, leading: i32,
            values: DevicePointer, elements: *mut i32, settings: Handle, count: i32,
        );
        syevjBatched [
            cusolverDnSsyevjBatched cusolverDnDsyevjBatched cusolverDnCheevjBatched cusolverDnZheevjBatched
        ] (
            handle: Handle, job: i32, part: i32, order: i32, matrices: DevicePointer, leading: i32,
            values: DevicePointer, work: DevicePointer, elements: i32, status: DevicePointer, settings: Handle,
            count: i32,
        );
    }
}

/// `cusolverDnXsyevBatched`, which CUDA has from 12.6.2 on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SyevBatched {
    pub(crate) buffer_size: unsafe extern "C" fn(
        handle: Handle,
        parameters: Handle,
        job: i32,
        part: i32,
        order: i64,
        dtype: i32,
        matrices: DevicePointer,
        leading: i64,
        values_dtype: i32,
        values: DevicePointer,
        compute: i32,
        bytes: *mut usize,
        host_bytes: *mut usize,
        count: i64,
    ) -> i32,
    pub(crate) call: unsafe extern "C" fn(
        handle: Handle,
        parameters: Handle,
        job: i32,
        part: i32,
        order: i64,
        dtype: i32,
        matrices: DevicePointer,
        leading: i64,
        values_dtype: i32,
        values: DevicePointer,
        compute: i32,
        work: DevicePointer,
        bytes: usize,
        host_work: *mut c_void,
        host_bytes: usize,
        status: DevicePointer,
        count: i64,
    ) -> i32,
}

/// `cusolverDnXgeev`, which CUDA has from 12.6 on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Geev {
    pub(crate) buffer_size: unsafe extern "C" fn(
        handle: Handle,
        parameters: Handle,
        left_job: i32,
        right_job: i32,
        order: i64,
        dtype: i32,
        matrix: DevicePointer,
        leading: i64,
        values_dtype: i32,
        values: DevicePointer,
        left_dtype: i32,
        left: DevicePointer,
        left_leading: i64,
        right_dtype: i32,
        right: DevicePointer,
        right_leading: i64,
        compute: i32,
        bytes: *mut usize,
        host_bytes: *mut usize,
    ) -> i32,
    pub(crate) call: unsafe extern "C" fn(
        handle: Handle,
        parameters: Handle,
        left_job: i32,
        right_job: i32,
        order: i64,
        dtype: i32,
        matrix: DevicePointer,
        leading: i64,
        values_dtype: i32,
        values: DevicePointer,
        left_dtype: i32,
        left: DevicePointer,
        left_leading: i64,
        right_dtype: i32,
        right: DevicePointer,
        right_leading: i64,
        compute: i32,
        work: DevicePointer,
        bytes: usize,
        host_work: *mut c_void,
        host_bytes: usize,
        status: DevicePointer,
    ) -> i32,
}

/// All of the library.
#[derive(Debug)]
pub(crate) struct Library {
    pub(crate) api: Api,
    pub(crate) families: Families,
    pub(crate) syev_batched: Option<SyevBatched>,
    pub(crate) geev: Option<Geev>,
}

impl Library {
    /// Looks every function up.
    ///
    /// # Safety
    ///
    /// The library is cuSOLVER, or lacks its functions.
    pub(crate) unsafe fn of(library: libloading::Library) -> Result<Library, Unusable> {
        // SAFETY: the signatures are those of the library's interface; the first table keeps the library, and so the others.
        unsafe {
            let syev_batched =
                match (library.get(b"cusolverDnXsyevBatched_bufferSize\0"), library.get(b"cusolverDnXsyevBatched\0")) {
                    (Ok(buffer_size), Ok(call)) => Some(SyevBatched { buffer_size: *buffer_size, call: *call }),
                    _ => None,
                };
            let geev = match (library.get(b"cusolverDnXgeev_bufferSize\0"), library.get(b"cusolverDnXgeev\0")) {
                (Ok(buffer_size), Ok(call)) => Some(Geev { buffer_size: *buffer_size, call: *call }),
                _ => None,
            };
            let families = Families::of(&library)?;
            Ok(Library { api: Api::of(library)?, families, syev_batched, geev })
        }
    }
}
