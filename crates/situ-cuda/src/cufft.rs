//! cuFFT, NVIDIA's library of Fourier transforms: its functions, and how to use it.
//!
//! It is optional, and looked for as NVRTC is, where `SITU_CUFFT` says or where packages bring it. Nothing stands in for it where
//! it is missing: the error says how to get it.

use std::path::Path;
use std::ptr;
use std::sync::OnceLock;

use parking_lot::Mutex;
use situ_hal::{Address, FftKind, HalError, Result};

use crate::dft::{Distances, Shape};
use crate::driver::{DevicePointer, Driver, Handle};
use crate::library::{Unusable, functions};
use crate::search::Sought;
use crate::stream::Stream;

/// What the library calls a plan.
type Plan = i32;

functions! {
    /// The library's functions that situ uses.
    Api {
        cufftGetProperty(which: i32, value: *mut i32);
        cufftCreate(plan: *mut Plan);
        cufftSetAutoAllocation(plan: Plan, is_automatic: i32);
        cufftMakePlanMany64(
            plan: Plan, rank: i32, lengths: *mut i64,
            input_room: *mut i64, input_step: i64, input_next: i64,
            out_room: *mut i64, out_step: i64, out_next: i64,
            kind: i32, count: i64, workspace: *mut usize,
        );
        cufftSetWorkArea(plan: Plan, workspace: DevicePointer);
        cufftSetStream(plan: Plan, stream: Handle);
        cufftExecC2C(plan: Plan, input: DevicePointer, out: DevicePointer, direction: i32);
        cufftExecZ2Z(plan: Plan, input: DevicePointer, out: DevicePointer, direction: i32);
        cufftExecR2C(plan: Plan, input: DevicePointer, out: DevicePointer);
        cufftExecD2Z(plan: Plan, input: DevicePointer, out: DevicePointer);
        cufftExecC2R(plan: Plan, input: DevicePointer, out: DevicePointer);
        cufftExecZ2D(plan: Plan, input: DevicePointer, out: DevicePointer);
        cufftDestroy(plan: Plan);
    }
}

const SUCCESS: i32 = 0;
const ALLOCATION_FAILED: i32 = 2;
/// What [`Api::cufftGetProperty`] calls the version's first number.
const MAJOR_VERSION: i32 = 0;
/// The library's first number is that of CUDA less one.
const BEHIND_CUDA: i32 = 1;

/// Plans that are kept on a device.
const MOST_PLANS: usize = 32;

const LIBRARY: Sought = Sought { variable: "SITU_CUFFT", name: "cufft", versions: [12, 11], windows_ending: "" };

const REMEDY: &str = "install it with `pip install nvidia-cufft-cu12` (for CUDA 12) or `pip install nvidia-cufft` (for CUDA 13), \
                      or name the folder it is in in SITU_CUFFT, or move the array to a processor (native:cpu) with to_device";

/// An error if `SITU_CUFFT` names something that cannot be the library.
pub(crate) fn check_environment() -> Result<(), String> {
    if is_off() { Ok(()) } else { LIBRARY.check_environment() }
}

fn is_off() -> bool {
    LIBRARY.told().is_some_and(|told| told.as_os_str().eq_ignore_ascii_case("off"))
}

/// The library's functions, looked for once.
fn api() -> Result<&'static Api> {
    static FOUND: OnceLock<Option<Api>> = OnceLock::new();
    FOUND.get_or_init(|| if is_off() { None } else { find() }).as_ref().ok_or_else(|| {
        let why =
            if is_off() { "is switched off by SITU_CUFFT" } else { "was not found, or none that suits the driver" };
        unsupported(format!("NVIDIA's library for it, cuFFT, {why}; {REMEDY}"))
    })
}

/// The first library that is no newer than the driver.
fn find() -> Option<Api> {
    let newest = Driver::get().ok()?.version().0;
    let is_usable = |api: &Api| {
        let mut major = 0;
        // SAFETY: writes one integer.
        let is_told = unsafe { (api.cufftGetProperty)(MAJOR_VERSION, &raw mut major) == SUCCESS };
        is_told && major + BEHIND_CUDA <= newest
    };
    LIBRARY.candidates().iter().filter_map(|path| load(path).ok()).find(is_usable)
}

fn load(path: &Path) -> Result<Api, Unusable> {
    // SAFETY: the file is named as NVIDIA's library is, or the user named it.
    let library = unsafe { libloading::Library::new(path) }.map_err(|error| Unusable(error.to_string()))?;
    // SAFETY: the signatures are those of the library's interface.
    unsafe { Api::of(library) }
}

fn unsupported(detail: String) -> HalError {
    HalError::Unsupported { operation: "Fourier transform".into(), detail }
}

fn check(code: i32, what: &str) -> Result<()> {
    let operation = "Fourier transform".into();
    match code {
        SUCCESS => Ok(()),
        ALLOCATION_FAILED => {
            let detail = format!("cuFFT found no memory to {what}");
            Err(HalError::OutOfMemory { operation, bytes: 0, detail })
        }
        _ => Err(HalError::Failed { operation, detail: format!("cuFFT failed with status {code} to {what}") }),
    }
}

/// The library on one device.
#[derive(Debug, Default)]
pub(crate) struct Cufft {
    /// Plans, the one that was used last at the end. They stay: giving them back may wait for the device.
    plans: Mutex<Vec<Kept>>,
}

#[derive(Clone, Copy, Debug)]
struct Kept {
    shape: Shape,
    plan: Plan,
    workspace: usize,
}

impl Cufft {
    /// Bytes of memory that transforms of a shape need. The device has been entered.
    pub(crate) fn workspace(&self, shape: &Shape) -> Result<usize> {
        let api = api()?;
        Ok(kept(&mut self.plans.lock(), api, shape)?.workspace)
    }

    /// Puts transforms into a stream, of input and output each moved by so many bytes.
    ///
    /// # Safety
    ///
    /// The sequences are valid for what the calls do with them until the stream has come past them, and so are as many bytes
    /// at `workspace` as [`Self::workspace`] says. The device has been entered.
    pub(crate) unsafe fn transform(
        &self,
        stream: &Stream,
        shape: &Shape,
        moves: &[[isize; 2]],
        [input, out]: [Address; 2],
        workspace: Address,
    ) -> Result<()> {
        let api = api()?;
        // One at a time, because stream and memory are set beforehand.
        let mut plans = self.plans.lock();
        let Kept { plan, workspace: bytes, .. } = kept(&mut plans, api, shape)?;
        let put = || {
            // SAFETY: plan and stream exist, and belong to the device that was entered; the memory is the caller's promise.
            unsafe {
                check((api.cufftSetStream)(plan, stream.handle), "use the stream")?;
                if bytes > 0 {
                    check((api.cufftSetWorkArea)(plan, workspace.0 as DevicePointer), "use scratch memory")?;
                }
            }
            moves.iter().try_for_each(|&[from, to]| {
                // SAFETY: as above.
                check(unsafe { execute(api, plan, shape, input.offset(from), out.offset(to)) }, "transform")
            })
        };
        let done = put();
        // The plan outlives the stream. The device's own stream stays.
        // SAFETY: the plan exists.
        unsafe { (api.cufftSetStream)(plan, ptr::null_mut()) };
        done
    }
}

/// The plan for a shape, made if there is none. The device has been entered.
fn kept(plans: &mut Vec<Kept>, api: &Api, shape: &Shape) -> Result<Kept> {
    if let Some(at) = plans.iter().rposition(|kept| kept.shape == *shape) {
        plans[at..].rotate_left(1);
    } else {
        if plans.len() >= MOST_PLANS {
            let oldest = plans.remove(0);
            // SAFETY: the plan exists, and nobody has it any more. What it has put into streams goes on.
            unsafe { (api.cufftDestroy)(oldest.plan) };
        }
        plans.push(make(api, *shape)?);
    }
    plans.last().copied().ok_or_else(|| unsupported("there is no plan".into()))
}

/// Makes a plan, which uses no memory but what it is given.
fn make(api: &Api, shape: Shape) -> Result<Kept> {
    let (mut plan, mut workspace) = (0, 0);
    // SAFETY: writes one handle.
    check(unsafe { (api.cufftCreate)(&raw mut plan) }, "make a plan")?;
    let Shape { length, input, out, count, .. } = shape;
    // Copies, because the library takes them as what it may write to.
    let (mut lengths, mut input_room, mut out_room) = ([length], [length], [length]);
    let [input_at, out_at] =
        if is_packed(&shape) { [ptr::null_mut(); 2] } else { [input_room.as_mut_ptr(), out_room.as_mut_ptr()] };
    // SAFETY: the plan exists; the arrays have as many lengths as there are axes, and are read during the call.
    let made = unsafe {
        check((api.cufftSetAutoAllocation)(plan, 0), "make a plan").and_then(|()| {
            let code = (api.cufftMakePlanMany64)(
                plan,
                1,
                lengths.as_mut_ptr(),
                input_at,
                input.step,
                input.next,
                out_at,
                out.step,
                out.next,
                code_of(&shape),
                count,
                &raw mut workspace,
            );
            check(code, &format!("make a plan for {count} sequences of {length}"))
        })
    };
    match made {
        Ok(()) => Ok(Kept { shape, plan, workspace }),
        Err(error) => {
            // SAFETY: the plan exists, and nobody has it.
            unsafe { (api.cufftDestroy)(plan) };
            Err(error)
        }
    }
}

/// Whether sequences follow each other without gaps, which the library takes for granted where it is not told. Its transforms of
/// real numbers are a quarter faster then, though the distances are the same.
fn is_packed(shape: &Shape) -> bool {
    let half = shape.length / 2 + 1;
    let [input, out] = match shape.kind {
        FftKind::Forward | FftKind::Inverse => [shape.length; 2],
        FftKind::RealForward | FftKind::RealWhole => [shape.length, half],
        FftKind::RealInverse => [half, shape.length],
    };
    let follows = |distances: Distances, length: i64| shape.count == 1 || distances.next == length;
    let is_dense = |distances: Distances, length: i64| distances.step == 1 && follows(distances, length);
    is_dense(shape.input, input) && is_dense(shape.out, out)
}

/// What the library calls a kind of transform.
fn code_of(shape: &Shape) -> i32 {
    let single = match shape.kind {
        FftKind::Forward | FftKind::Inverse => 0x29,
        FftKind::RealForward | FftKind::RealWhole => 0x2a,
        FftKind::RealInverse => 0x2c,
    };
    if shape.is_double { single + 0x40 } else { single }
}

/// # Safety
///
/// As for [`Cufft::transform`].
unsafe fn execute(api: &Api, plan: Plan, shape: &Shape, input: Address, out: Address) -> i32 {
    const FORWARD: i32 = -1;
    const INVERSE: i32 = 1;
    let (input, out) = (input.0 as DevicePointer, out.0 as DevicePointer);
    // SAFETY: the caller's promise; the function is the plan's.
    unsafe {
        match (shape.kind, shape.is_double) {
            (FftKind::Forward, false) => (api.cufftExecC2C)(plan, input, out, FORWARD),
            (FftKind::Forward, true) => (api.cufftExecZ2Z)(plan, input, out, FORWARD),
            (FftKind::Inverse, false) => (api.cufftExecC2C)(plan, input, out, INVERSE),
            (FftKind::Inverse, true) => (api.cufftExecZ2Z)(plan, input, out, INVERSE),
            (FftKind::RealForward | FftKind::RealWhole, false) => (api.cufftExecR2C)(plan, input, out),
            (FftKind::RealForward | FftKind::RealWhole, true) => (api.cufftExecD2Z)(plan, input, out),
            (FftKind::RealInverse, false) => (api.cufftExecC2R)(plan, input, out),
            (FftKind::RealInverse, true) => (api.cufftExecZ2D)(plan, input, out),
        }
    }
}
