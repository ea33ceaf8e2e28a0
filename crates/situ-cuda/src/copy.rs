//! Bytes from place to place.
//!
//! The driver copies by itself between places that GPUs reach. Ordinary host memory it reaches through pages of its
//! own, one thread copying into them, at a sixth of what the bus can do. Large copies from and to such memory therefore
//! go through pinned memory of ours, filled or emptied by several threads while the bus carries what the others have
//! done.

use std::ptr;
use std::sync::Arc;

use parking_lot::Mutex;
use situ_hal::{Address, HalError, Result};

use crate::context::{IS_MANAGED, MEMORY_TYPE, attribute};
use crate::device::CudaDevice;
use crate::driver::DevicePointer;
use crate::stream::{DriverEvent, Stream};

/// Up to this many bytes the driver is as fast.
const SMALL: usize = 64 << 10;
/// Bytes of one pinned piece.
const PIECE: usize = 4 << 20;
/// A copy gets one thread for each so many bytes.
const PER_THREAD: usize = 16 << 20;
/// More threads than this do not make the bus any faster.
const MOST_THREADS: usize = 8;

/// Where memory is, as far as copies care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// GPUs reach it.
    Reached,
    /// Ordinary host memory.
    Pageable,
}

fn place(device: &CudaDevice, address: Address) -> Place {
    if attribute(device, MEMORY_TYPE, address) != 0 { Place::Reached } else { Place::Pageable }
}

/// Copies bytes.
///
/// # Safety
///
/// Both ranges are valid until the stream has come past the copy, and do not overlap. The device has been entered.
pub(crate) unsafe fn copy(stream: &Stream, dst: Address, src: Address, bytes: usize) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let device = &stream.device;
    // SAFETY: the caller's promise, for every arm.
    unsafe {
        match (place(device, dst), place(device, src)) {
            (Place::Reached, Place::Pageable) if bytes > SMALL => staged(stream, Way::In, dst, src, bytes),
            (Place::Pageable, Place::Reached) if bytes > SMALL => staged(stream, Way::Out, src, dst, bytes),
            _ => {
                let api = &device.driver.api;
                let code = (api.cuMemcpyAsync)(dst.0 as DevicePointer, src.0 as DevicePointer, bytes, stream.handle);
                device.check(code, "copy")
            }
        }
    }
}

/// Which way a copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// From the host to the device.
    In,
    /// From the device to the host.
    Out,
}

/// Pinned memory for one thread of a copy: one piece is on the bus while the other is filled or emptied.
#[derive(Debug)]
struct Pieces {
    device: Arc<CudaDevice>,
    base: *mut u8,
    /// Recorded behind the last use of each piece.
    events: [DriverEvent; 2],
}

// SAFETY: whoever has them has them alone.
unsafe impl Send for Pieces {}

impl Pieces {
    fn new(device: &Arc<CudaDevice>) -> Result<Pieces> {
        let events = [DriverEvent::new(device, false)?, DriverEvent::new(device, false)?];
        let mut base = ptr::null_mut();
        // SAFETY: writes one address.
        let code = unsafe { (device.driver.api.cuMemHostAlloc)(&raw mut base, 2 * PIECE, 0) };
        device.check(code, "allocate pinned memory")?;
        Ok(Pieces { device: device.clone(), base: base.cast(), events })
    }

    fn piece(&self, n: usize) -> *mut u8 {
        self.base.wrapping_add(n * PIECE)
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        if let Ok(_entered) = self.device.enter() {
            // SAFETY: nobody else has it. The driver waits for what still uses it.
            unsafe { (self.device.driver.api.cuMemFreeHost)(self.base.cast()) };
        }
    }
}

/// Pinned memory of a device that no copy uses right now.
#[derive(Debug, Default)]
pub(crate) struct Staging(Mutex<Vec<Pieces>>);

impl Staging {
    /// Pieces that are on nobody's bus, if there are any; else new ones, up to a number.
    fn take(&self, device: &Arc<CudaDevice>) -> Result<Pieces> {
        let mut idle = self.0.lock();
        let is_free = |pieces: &Pieces| pieces.events.iter().all(|event| event.is_over().unwrap_or(false));
        let found = idle.iter().position(is_free).or_else(|| (idle.len() >= MOST_THREADS).then_some(0));
        match found {
            Some(at) => Ok(idle.remove(at)),
            None => Pieces::new(device),
        }
    }

    fn put(&self, pieces: Pieces) {
        let mut idle = self.0.lock();
        let surplus = if idle.len() < 2 * MOST_THREADS {
            idle.push(pieces);
            None
        } else {
            Some(pieces)
        };
        drop(idle);
        // Freed without the lock: the driver may have to wait.
        drop(surplus);
    }
}

/// A range of a copy, for one thread.
#[derive(Clone, Copy, Debug)]
struct Share {
    device: Address,
    host: Address,
    bytes: usize,
}

/// Copies between the device and ordinary host memory, which is done with when this returns.
///
/// # Safety
///
/// As for [`copy`].
unsafe fn staged(stream: &Stream, way: Way, device: Address, host: Address, bytes: usize) -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = (bytes / PER_THREAD).clamp(1, MOST_THREADS.min(cores));
    // Whole pieces each, the last one what is left.
    let each = bytes.div_ceil(threads).next_multiple_of(PIECE);
    let mut shares = (0..threads).map(|n| (n * each).min(bytes)).map(|from| Share {
        device: device.offset(from as isize),
        host: host.offset(from as isize),
        bytes: each.min(bytes - from),
    });
    if threads == 1 {
        // SAFETY: the caller's promise.
        return shares.try_for_each(|share| unsafe { carry(stream, way, share) });
    }
    let work = |share| {
        let _entered = stream.device.enter()?;
        // SAFETY: the caller's promise; shares do not overlap.
        unsafe { carry(stream, way, share) }
    };
    let panicked = || HalError::Failed { operation: "copy".into(), detail: "a thread of the copy panicked".into() };
    std::thread::scope(|scope| {
        let mut others = Vec::new();
        for share in shares {
            match std::thread::Builder::new().name("situ-copy".into()).spawn_scoped(scope, move || work(share)) {
                Ok(thread) => others.push(thread),
                // The system has no thread to spare: the others will have to wait for this one.
                Err(_) => work(share)?,
            }
        }
        others.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|_| Err(panicked())))
    })
}

/// Carries one share, piece by piece.
///
/// # Safety
///
/// As for [`copy`].
unsafe fn carry(stream: &Stream, way: Way, share: Share) -> Result<()> {
    let pieces = stream.device.staging.take(&stream.device)?;
    // SAFETY: the caller's promise.
    let result = unsafe {
        match way {
            Way::In => carry_in(stream, &pieces, share),
            Way::Out => carry_out(stream, &pieces, share),
        }
    };
    // Another stream may have them next: what is still on the bus is waited for when a piece is used again.
    if result.is_ok() {
        stream.device.staging.put(pieces);
    }
    result
}

/// # Safety
///
/// As for [`copy`].
unsafe fn carry_in(stream: &Stream, pieces: &Pieces, share: Share) -> Result<()> {
    let (device, api) = (&stream.device, &stream.device.driver.api);
    for (turn, from) in (0..share.bytes).step_by(PIECE).enumerate() {
        let (n, bytes) = (turn % 2, PIECE.min(share.bytes - from));
        pieces.events[n].wait()?;
        let code = {
            let (to, piece) = (share.device.offset(from as isize), pieces.piece(n));
            // SAFETY: the piece is ours and no longer in use; the caller vouches for the rest.
            unsafe {
                ptr::copy_nonoverlapping(share.host.offset(from as isize).0, piece, bytes);
                (api.cuMemcpyHtoDAsync_v2)(to.0 as DevicePointer, piece.cast(), bytes, stream.handle)
            }
        };
        device.check(code, "copy")?;
        pieces.events[n].record(stream.handle)?;
    }
    Ok(())
}

/// # Safety
///
/// As for [`copy`].
unsafe fn carry_out(stream: &Stream, pieces: &Pieces, share: Share) -> Result<()> {
    let (device, api) = (&stream.device, &stream.device.driver.api);
    let span = |turn: usize| (turn * PIECE, PIECE.min(share.bytes - turn * PIECE));
    let fetch = |turn: usize| {
        let (n, (from, bytes)) = (turn % 2, span(turn));
        let source = share.device.offset(from as isize).0 as DevicePointer;
        // SAFETY: the piece is ours and has been emptied; the caller vouches for the device's memory.
        let code = unsafe { (api.cuMemcpyDtoHAsync_v2)(pieces.piece(n).cast(), source, bytes, stream.handle) };
        device.check(code, "copy")?;
        pieces.events[n].record(stream.handle)
    };
    let turns = share.bytes.div_ceil(PIECE);
    // The pieces may still be on the bus for another copy.
    pieces.events.iter().try_for_each(DriverEvent::wait)?;
    for turn in 0..turns.min(2) {
        fetch(turn)?;
    }
    for turn in 0..turns {
        let (n, (from, bytes)) = (turn % 2, span(turn));
        pieces.events[n].wait()?;
        // SAFETY: the piece has arrived; the caller vouches for the host's memory.
        unsafe { ptr::copy_nonoverlapping(pieces.piece(n), share.host.offset(from as isize).0, bytes) };
        if turn + 2 < turns {
            fetch(turn + 2)?;
        }
    }
    Ok(())
}

/// The least width of a pattern: one of equal halves is one of half the width.
fn least_width(pattern: [u8; 16], width: usize) -> usize {
    let half = width / 2;
    if width > 1 && pattern[..half] == pattern[half..width] { least_width(pattern, half) } else { width }
}

/// Whether the driver has a function for a pattern.
pub(crate) fn can_fill(pattern: [u8; 16], width: usize) -> bool {
    least_width(pattern, width) <= 4
}

/// Writes a pattern again and again, one that [the driver has a function for](can_fill).
///
/// # Safety
///
/// The range is valid until the stream has come past the command. The device has been entered.
pub(crate) unsafe fn fill(stream: &Stream, dst: Address, pattern: [u8; 16], width: usize, count: usize) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    let (device, api, to) = (&stream.device, &stream.device.driver.api, dst.0 as DevicePointer);
    let [a, b, c, d, ..] = pattern;
    let least = least_width(pattern, width);
    let count = count * (width / least);
    // SAFETY: the caller's promise. Patterns lie at multiples of their width.
    let code = unsafe {
        match least {
            1 => (api.cuMemsetD8Async)(to, a, count, stream.handle),
            2 => (api.cuMemsetD16Async)(to, u16::from_ne_bytes([a, b]), count, stream.handle),
            _ => (api.cuMemsetD32Async)(to, u32::from_ne_bytes([a, b, c, d]), count, stream.handle),
        }
    };
    device.check(code, "fill")
}

/// Whether memory is managed: hints are about such only.
fn is_managed(device: &CudaDevice, address: Address) -> bool {
    attribute(device, IS_MANAGED, address) != 0
}

/// Brings managed memory to the device.
///
/// # Safety
///
/// As for [`fill`].
pub(crate) unsafe fn prefetch(stream: &Stream, address: Address, bytes: usize) -> Result<()> {
    let device = &stream.device;
    if bytes == 0 || !is_managed(device, address) {
        return Ok(());
    }
    let (api, address) = (&device.driver.api, address.0 as DevicePointer);
    // SAFETY: the caller's promise.
    let code = unsafe { (api.cuMemPrefetchAsync)(address, bytes, device.ordinal, stream.handle) };
    device.check(code, "prefetch")
}

/// Says how managed memory will be used; the number is the driver's.
///
/// # Safety
///
/// As for [`fill`].
pub(crate) unsafe fn advise(stream: &Stream, address: Address, bytes: usize, advice: i32) -> Result<()> {
    let device = &stream.device;
    // 0 means "as usual" everywhere, but is none of the driver's codes.
    if advice == 0 || bytes == 0 || !is_managed(device, address) {
        return Ok(());
    }
    // SAFETY: the caller's promise; an unknown code is an error.
    let code = unsafe { (device.driver.api.cuMemAdvise)(address.0 as DevicePointer, bytes, advice, device.ordinal) };
    device.check(code, "mem_advise")
}
