//! A command's calls.

use std::ffi::c_void;
use std::ptr;

use situ_hal::{Address, HalError, Linalg, Problem, Result};
use situ_types::DType;

use super::Used;
use super::api::Library;
use super::room::{Memory, Place, Room};
use super::{method, rearrange};
use crate::copy::copy;
use crate::driver::{DevicePointer, Handle};
use crate::library::kind;
use crate::stream::Stream;

const SUCCESS: i32 = 0;
const ALLOC_FAILED: i32 = 2;

/// The library's names of things: the lower part of a matrix, a matrix as it is, whether vectors are wanted.
pub(super) const LOWER: i32 = 0;
pub(super) const NOT_TRANSPOSED: i32 = 0;
pub(super) const NO_VECTORS: i32 = 0;
pub(super) const VECTORS: i32 = 1;

/// After so many sweeps a Jacobi iteration has not converged. Ten are usual; elements that are not finite take all of them.
pub(super) const MOST_SWEEPS: i32 = 100;

/// Addresses from which on a kernel writes them sooner than a copy brings them.
const LONG_TABLE: usize = 512;

/// Matrices of one call, at most. The library counts the memory of a call in 32 bits, a grid of the device has at most 65535
/// blocks along two of its axes, and `XsyevBatched` has been seen to refuse 40,000; a device is busy with fewer.
const BATCH: usize = 1 << 14;

/// Matrices of one call, of so many elements each: no more than 32 bits count either.
fn batch(elements: usize) -> usize {
    (i32::MAX as usize / elements).clamp(1, BATCH)
}

/// What the calls of a command share.
#[derive(Debug)]
pub(super) struct Session<'a> {
    pub(super) library: &'static Library,
    pub(super) handle: Handle,
    pub(super) parameters: Handle,
    pub(super) svd_settings: Handle,
    pub(super) eigen_settings: Handle,
    pub(super) stream: &'a Stream,
    pub(super) dtype: DType,
    pub(super) count: usize,
    pub(super) status: Address,
    /// Matrices of one call, at most.
    batch: usize,
}

impl<'a> Session<'a> {
    pub(super) fn new(used: Used, stream: &'a Stream, command: &Linalg) -> Session<'a> {
        let Used { library, handle, parameters, svd_settings, eigen_settings } = used;
        let Linalg { dtype, count, status, problem } = *command;
        let batch = batch(match problem {
            Problem::Lu { order, .. }
            | Problem::Solve { order, .. }
            | Problem::Inverse { order, .. }
            | Problem::Cholesky { order, .. }
            | Problem::Eigh { order, .. }
            | Problem::Eig { order, .. } => order * order,
            Problem::Qr { rows, columns, .. } | Problem::Svd { rows, columns, .. } => rows * columns,
        });
        Session { library, handle, parameters, svd_settings, eigen_settings, stream, dtype, count, status, batch }
    }

    /// The place of the dtype in a family of functions.
    pub(super) fn kind(&self) -> usize {
        kind(self.dtype)
    }

    /// What the library calls the dtype, and that of its real part.
    pub(super) fn types(&self) -> [i32; 2] {
        [self.dtype, self.dtype.real_part()].map(type_number)
    }

    /// Bytes of an element.
    pub(super) fn size(&self) -> usize {
        self.dtype.size()
    }

    /// Bytes of an element's real part.
    pub(super) fn real_size(&self) -> usize {
        self.dtype.real_part().size()
    }

    /// Where the status of a matrix goes.
    pub(super) fn status_at(&self, n: usize) -> DevicePointer {
        pointer(self.status.offset((n * size_of::<i32>()) as isize))
    }

    /// How far Jacobi iterations go, relative to a matrix of so many columns: to what rounding leaves anyway. A tolerance of
    /// one rounding would not be reached by some large matrices, and no answer is worse than one that is as exact as LAPACK's.
    pub(super) fn tolerance(&self, columns: usize) -> f64 {
        let epsilon = if self.real_size() == 4 { f64::from(f32::EPSILON) } else { f64::EPSILON };
        epsilon * (columns as f64).sqrt()
    }

    /// Ranges of matrices for a call each.
    pub(super) fn batches(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (count, batch) = (self.count, self.batch);
        (0..count).step_by(batch).map(move |first| (first, batch.min(count - first)))
    }

    /// Matrices of the largest call.
    pub(super) fn largest_batch(&self) -> usize {
        self.count.min(self.batch)
    }

    /// Writes where matrices of so many bytes each are.
    ///
    /// # Safety
    ///
    /// The place holds as many addresses until the stream has come past the calls.
    pub(super) unsafe fn tabulate(
        &self,
        memory: &Memory,
        place: Place,
        first: Address,
        bytes: usize,
        count: usize,
    ) -> Result<()> {
        if count > LONG_TABLE && method::has_kernels() {
            let command = rearrange::addresses(first, bytes, memory.address(place), count)?;
            // SAFETY: the caller's promise.
            return unsafe { rearrange::run(self, command) };
        }
        let table: Vec<DevicePointer> = (0..count).map(|n| pointer(first.offset((n * bytes) as isize))).collect();
        let table_at = Address(table.as_ptr().cast_mut().cast());
        // SAFETY: the caller's promise, and what is copied from ordinary memory has been read when the call returns.
        unsafe { copy(self.stream, memory.address(place), table_at, size_of_val(&table[..])) }
    }
}

/// Memory of the device and of the host that one call after another works in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Work {
    pub(super) place: Place,
    pub(super) bytes: usize,
    pub(super) host_bytes: usize,
    host: Place,
    host_step: usize,
}

impl Work {
    /// Asks for the sizes, and makes room for so many calls. What the device works in is the same for all, because a stream
    /// does one call after another; what the host works in may be looked at while the next call is made.
    pub(super) fn ask(
        room: &mut Room,
        calls: usize,
        function: &'static str,
        ask: impl FnOnce(*mut usize, *mut usize) -> i32,
    ) -> Result<Work> {
        let (mut bytes, mut host_bytes) = (0, 0);
        check(ask(&raw mut bytes, &raw mut host_bytes), function)?;
        let host_step = host_bytes.next_multiple_of(size_of::<u128>());
        Ok(Work { place: room.take(bytes), bytes, host_bytes, host: room.take_host(calls * host_step), host_step })
    }

    /// Memory of the host for a call.
    pub(super) fn host(&self, memory: &Memory, call: usize) -> *mut c_void {
        match self.host_bytes {
            0 => ptr::null_mut(),
            _ => memory.host(self.host).wrapping_add(call * self.host_step).cast(),
        }
    }
}

/// Elements of the device's memory that a function works in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Elements {
    pub(super) place: Place,
    pub(super) count: i32,
}

impl Elements {
    /// Asks for the number, and makes room for as many of so many bytes.
    pub(super) fn ask(
        room: &mut Room,
        size: usize,
        function: &'static str,
        ask: impl FnOnce(*mut i32) -> i32,
    ) -> Result<Elements> {
        let mut count = 0;
        check(ask(&raw mut count), function)?;
        // More than the library can count would come back as less than nothing.
        let bytes = usize::try_from(count).map_err(|_| too_large())? * size;
        Ok(Elements { place: room.take(bytes), count })
    }
}

/// An error for every status but success.
pub(super) fn check(code: i32, function: &str) -> Result<()> {
    let detail = || format!("cuSOLVER failed with status {code} in {function}");
    match code {
        SUCCESS => Ok(()),
        // The command's name is added where the command is known.
        ALLOC_FAILED => Err(HalError::OutOfMemory { operation: "".into(), bytes: 0, detail: detail() }),
        _ => Err(HalError::Failed { operation: "".into(), detail: detail() }),
    }
}

/// A length as functions with sizes of 32 bits take it.
pub(super) fn int(length: usize) -> Result<i32> {
    i32::try_from(length).map_err(|_| too_large())
}

fn too_large() -> HalError {
    let detail = "the matrices are larger than cuSOLVER's function for it takes; bring the arrays to the processor with \
                  to_device(\"native:cpu\")";
    HalError::Unsupported { operation: "".into(), detail: detail.into() }
}

/// The library's number for a dtype.
pub(super) fn type_number(dtype: DType) -> i32 {
    match dtype {
        DType::F64 => 1,
        DType::C64 => 4,
        DType::C128 => 5,
        _ => 0,
    }
}

pub(super) fn pointer(address: Address) -> DevicePointer {
    address.0 as DevicePointer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_takes_no_more_than_32_bits_count() {
        assert_eq!([1, 16, 128 * 128].map(batch), [BATCH; 3]);
        assert_eq!(batch(1 << 20), 2047);
        assert_eq!(batch(1 << 40), 1);
    }

    #[test]
    fn what_32_bits_do_not_hold_is_refused() {
        assert_eq!(int(i32::MAX as usize), Ok(i32::MAX));
        assert!(matches!(int(1 << 31), Err(HalError::Unsupported { .. })));
    }
}
