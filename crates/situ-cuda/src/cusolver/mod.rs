//! cuSOLVER, NVIDIA's library of linear algebra: how to use it.
//!
//! It is optional, and looked for as cuBLAS is, when it is first needed. Where it is missing, commands are refused with what to
//! do about it: situ has kernels of its own for small matrices only (`situ_codegen`), which do not come here.
//!
//! A command takes two steps. The first asks the library how much memory its calls need ([`Cusolver::prepare`]), the second puts
//! the calls into a stream ([`Cusolver::submit`]), with memory from the context's pool. Some of the library's functions need
//! memory of the host as well, which has to stay until the stream has come past them ([`Cusolver::keep`]); some wait for the
//! device by themselves, which cannot be helped. situ adds no waiting.
//!
//! * `api`, `load`: the functions, and where the library is.
//! * `session`, `room`: a command's calls, and memory for them. `method`: which of the library's functions a problem takes.
//! * `lu`, `cholesky`, `qr`, `svd`, `eigh`, `eig`: the problems. `rearrange`: kernels that bring results into the form that
//!   commands promise.

mod api;
mod cholesky;
mod eig;
mod eigh;
mod load;
mod lu;
mod method;
mod qr;
mod rearrange;
mod room;
mod session;
mod svd;

use std::ptr;

use parking_lot::Mutex;
use situ_hal::{Address, HalError, Linalg, Problem, Result};

use self::api::Library;
pub(crate) use self::load::check_environment;
pub(crate) use self::method::has_kernels;
use self::room::{Memory, Room};
use self::session::{Session, check};
use crate::driver::Handle;
use crate::stream::{DriverEvent, Stream};

/// The library on one device.
#[derive(Debug, Default)]
pub(crate) struct Cusolver {
    /// `None` before it was first needed. It stays for good: giving it back would wait for everything on the device.
    used: Mutex<Option<Used>>,
    /// Memory of the host that calls may still use.
    kept: Mutex<Vec<Kept>>,
}

/// What the library calls the device, and settings of its functions.
#[derive(Clone, Copy, Debug)]
struct Used {
    library: &'static Library,
    handle: Handle,
    parameters: Handle,
    svd_settings: Handle,
    eigen_settings: Handle,
}

// SAFETY: the library lets every thread use its handles, one at a time, which is what the lock is for.
unsafe impl Send for Used {}

#[derive(Debug)]
struct Kept {
    /// Recorded behind the calls.
    event: DriverEvent,
    _memory: HostMemory,
}

/// Memory of the host, aligned as the library's own types may need.
type HostMemory = Vec<u128>;

/// A command's calls, and what memory they need.
pub(crate) struct Prepared {
    bytes: usize,
    host: HostMemory,
    calls: Calls,
}

/// Puts calls into the stream of a session.
type Calls = Box<dyn Fn(&Session<'_>, &Memory) -> Result<()>>;

impl Prepared {
    /// Bytes of the device's memory that the calls need.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Cusolver {
    /// The calls for a command. The device has been entered.
    pub(crate) fn prepare(&self, stream: &Stream, command: &Linalg) -> Result<Prepared> {
        let mut used = self.used.lock();
        let session = Session::new(self.enter(&mut used)?, stream, command);
        let mut room = Room::default();
        let calls = match command.problem {
            Problem::Lu { order, matrix, pivots } => lu::factorise(&session, &mut room, order, matrix, pivots),
            Problem::Solve { order, columns, matrix, right } => {
                lu::solve(&session, &mut room, [order, columns], matrix, right)
            }
            Problem::Inverse { order, matrix, inverse } => lu::invert(&session, &mut room, order, matrix, inverse),
            Problem::Cholesky { order, matrix } => cholesky::factorise(&session, &mut room, order, matrix),
            Problem::Qr { rows, columns, matrix, q } => qr::factorise(&session, &mut room, [rows, columns], matrix, q),
            Problem::Svd { rows, columns, matrix, values, vectors } => {
                svd::decompose(&session, &mut room, [rows, columns], matrix, values, vectors)
            }
            Problem::Eigh { order, matrix, values, wants_vectors } => {
                eigh::decompose(&session, &mut room, order, matrix, values, wants_vectors)
            }
            Problem::Eig { order, matrix, values, vectors } => {
                eig::decompose(&session, &mut room, order, matrix, values, vectors)
            }
        }?;
        let mut host = HostMemory::new();
        let words = room.host_bytes().div_ceil(size_of::<u128>());
        host.try_reserve_exact(words).map_err(|error| HalError::OutOfMemory {
            operation: "".into(),
            bytes: room.host_bytes(),
            detail: error.to_string(),
        })?;
        host.resize(words, 0);
        Ok(Prepared { bytes: room.bytes(), host, calls })
    }

    /// Puts a command's calls into a stream.
    ///
    /// # Safety
    ///
    /// The command that the calls were prepared for may run, and its operands are valid until the stream has come past it; so
    /// are the bytes at `scratch` that the calls need. The memory of `prepared` is [kept](Self::keep) if the calls are in the
    /// stream, and no longer used if this fails and the stream has been waited for. The device has been entered.
    pub(crate) unsafe fn submit(
        &self,
        stream: &Stream,
        command: &Linalg,
        prepared: &mut Prepared,
        scratch: Address,
    ) -> Result<()> {
        let mut used = self.used.lock();
        let session = Session::new(self.enter(&mut used)?, stream, command);
        let (library, handle) = (session.library, session.handle);
        // SAFETY: handle and stream exist, and belong to the device that was entered.
        check(unsafe { (library.api.cusolverDnSetStream)(handle, stream.handle) }, "SetStream")?;
        let done = (prepared.calls)(&session, &Memory::new(scratch, prepared.host.as_mut_ptr().cast()));
        // The handle outlives the stream. The device's own stream stays.
        // SAFETY: the handle exists.
        unsafe { (library.api.cusolverDnSetStream)(handle, ptr::null_mut()) };
        done
    }

    /// Keeps the host's memory of calls until a stream has come past them. The device has been entered.
    pub(crate) fn keep(&self, stream: &Stream, prepared: Prepared) {
        if prepared.host.is_empty() {
            return;
        }
        let mut kept = self.kept.lock();
        kept.retain(|kept| matches!(kept.event.is_over(), Ok(false)));
        let recorded = DriverEvent::new(&stream.device, false)
            .and_then(|event| event.record(stream.handle).map(|()| event))
            .map(|event| kept.push(Kept { event, _memory: prepared.host }));
        drop(kept);
        if recorded.is_err() {
            // The memory goes when this returns.
            stream.wait_bluntly(None);
        }
    }

    /// Handles for the device that has been entered.
    fn enter(&self, slot: &mut Option<Used>) -> Result<Used> {
        match *slot {
            Some(used) => Ok(used),
            None => Ok(*slot.insert(create()?)),
        }
    }
}

/// Handles for the device that has been entered.
fn create() -> Result<Used> {
    let library = load::library().map_err(|detail| HalError::Unsupported { operation: "".into(), detail })?;
    let api = &library.api;
    let made = |create: unsafe extern "C" fn(*mut Handle) -> i32, function| {
        let mut handle = ptr::null_mut();
        // SAFETY: writes one handle.
        check(unsafe { create(&raw mut handle) }, function).map(|()| handle)
    };
    let used = Used {
        library,
        handle: made(api.cusolverDnCreate, "Create")?,
        parameters: made(api.cusolverDnCreateParams, "CreateParams")?,
        svd_settings: made(api.cusolverDnCreateGesvdjInfo, "CreateGesvdjInfo")?,
        eigen_settings: made(api.cusolverDnCreateSyevjInfo, "CreateSyevjInfo")?,
    };
    // SAFETY: both exist.
    unsafe {
        check((api.cusolverDnXgesvdjSetMaxSweeps)(used.svd_settings, session::MOST_SWEEPS), "XgesvdjSetMaxSweeps")?;
        check((api.cusolverDnXsyevjSetMaxSweeps)(used.eigen_settings, session::MOST_SWEEPS), "XsyevjSetMaxSweeps")?;
    }
    Ok(used)
}
