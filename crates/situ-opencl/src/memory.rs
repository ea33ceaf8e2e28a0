//! The two ways to memory that has the same address everywhere: Intel's extension for USM, or else fine-grain SVM.
//!
//! SVM has one kind of memory, which the host and all devices of a context reach; it stands for all three.

use std::ffi::{CStr, c_void};

use situ_hal::{Address, HalError, Result};
use situ_types::UsmKind;

use crate::driver::{Driver, Handle, code, error};
use crate::library::functions;

functions! {
    /// The functions of `cl_intel_unified_shared_memory`.
    UsmApi {
        clHostMemAllocINTEL(
            context: Handle, properties: *const u64, bytes: usize, alignment: u32, code: *mut i32,
        ) -> *mut c_void;
        clDeviceMemAllocINTEL(
            context: Handle, device: Handle, properties: *const u64, bytes: usize, alignment: u32, code: *mut i32,
        ) -> *mut c_void;
        clSharedMemAllocINTEL(
            context: Handle, device: Handle, properties: *const u64, bytes: usize, alignment: u32, code: *mut i32,
        ) -> *mut c_void;
        clMemFreeINTEL(context: Handle, address: *mut c_void);
        clGetMemAllocInfoINTEL(
            context: Handle, address: *const c_void, what: u32, room: usize, value: *mut c_void, size: *mut usize,
        );
        clSetKernelArgMemPointerINTEL(kernel: Handle, position: u32, address: *const c_void);
        clEnqueueMemcpyINTEL(
            queue: Handle, blocking: u32, dst: *mut c_void, src: *const c_void, bytes: usize,
            count: u32, after: *const Handle, event: *mut Handle,
        );
        clEnqueueMemFillINTEL(
            queue: Handle, dst: *mut c_void, pattern: *const c_void, width: usize, bytes: usize,
            count: u32, after: *const Handle, event: *mut Handle,
        );
        clEnqueueMigrateMemINTEL(
            queue: Handle, address: *const c_void, bytes: usize, flags: u64,
            count: u32, after: *const Handle, event: *mut Handle,
        );
        clEnqueueMemAdviseINTEL(
            queue: Handle, address: *const c_void, bytes: usize, advice: u32,
            count: u32, after: *const Handle, event: *mut Handle,
        );
    }
}

/// What every allocation is aligned to.
pub(crate) const ALIGNMENT: usize = 64;

/// Fine-grain memory, read and written: `CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER`.
const FINE_GRAIN: u64 = 1 | 1 << 10;
/// What a kernel may reach beside its arguments: host, device and shared memory.
const INDIRECT_ACCESS: [u32; 3] = [0x4200, 0x4201, 0x4202];
const SVM_POINTERS: u32 = 0x11B6;
const ALLOCATION_TYPE: u32 = 0x419A;
const SHARED_TYPE: u32 = 0x4199;

/// How memory of a device is had.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Memory {
    /// By Intel's extension.
    Usm(UsmApi),
    /// By fine-grain SVM.
    Svm,
}

impl Memory {
    /// Intel's extension, if a platform has all of it.
    pub(crate) fn usm(driver: &Driver, platform: Handle) -> Option<Memory> {
        let find = |name: &'static CStr| {
            // SAFETY: the platform exists, and names end with 0.
            unsafe { (driver.api.clGetExtensionFunctionAddressForPlatform)(platform, name.as_ptr()) }
        };
        // SAFETY: the signatures are those of the extension, and drivers stay loaded.
        unsafe { UsmApi::of(find) }.ok().map(Memory::Usm)
    }

    /// New memory in a context.
    pub(crate) fn allocate(
        &self,
        driver: &Driver,
        context: Handle,
        device: Handle,
        kind: UsmKind,
        bytes: usize,
    ) -> Result<Address> {
        let (mut code, none, alignment) = (code::SUCCESS, std::ptr::null(), ALIGNMENT as u32);
        // SAFETY: context and device exist, and each writes one code at most.
        let address = unsafe {
            match (self, kind) {
                (Memory::Usm(api), UsmKind::Host) => {
                    (api.clHostMemAllocINTEL)(context, none, bytes, alignment, &raw mut code)
                }
                (Memory::Usm(api), UsmKind::Device) => {
                    (api.clDeviceMemAllocINTEL)(context, device, none, bytes, alignment, &raw mut code)
                }
                (Memory::Usm(api), UsmKind::Shared) => {
                    (api.clSharedMemAllocINTEL)(context, device, none, bytes, alignment, &raw mut code)
                }
                (Memory::Svm, _) => (driver.api.clSVMAlloc)(context, FINE_GRAIN, bytes, alignment),
            }
        };
        let none_left = matches!(error(code, "allocate"), HalError::OutOfMemory { .. })
            || matches!(code, code::OUT_OF_RESOURCES | code::SUCCESS);
        if address.is_null() && none_left {
            let detail = if code == code::SUCCESS { String::new() } else { crate::driver::describe(code) };
            return Err(HalError::OutOfMemory { operation: "allocate".into(), bytes, detail });
        }
        driver.check(code, "allocate")?;
        Ok(Address(address.cast()))
    }

    /// Gives memory back.
    ///
    /// # Safety
    ///
    /// The memory came from [`allocate`](Self::allocate) in this context, and nothing uses it any more.
    pub(crate) unsafe fn release(&self, driver: &Driver, context: Handle, address: Address) {
        // SAFETY: the caller's promise. A failure means that the device is gone, and its memory with it.
        unsafe {
            match self {
                Memory::Usm(api) => drop((api.clMemFreeINTEL)(context, address.0.cast())),
                Memory::Svm => (driver.api.clSVMFree)(context, address.0.cast()),
            }
        }
    }

    /// Whether hints about an address mean anything: it is shared memory that migrates.
    pub(crate) fn migrates(&self, context: Handle, address: Address) -> bool {
        let Memory::Usm(api) = self else { return false };
        let mut kind = 0u32;
        // SAFETY: writes one number; any address may be asked about.
        let code = unsafe {
            let (address, to) = (address.0.cast_const().cast(), (&raw mut kind).cast());
            (api.clGetMemAllocInfoINTEL)(context, address, ALLOCATION_TYPE, size_of::<u32>(), to, std::ptr::null_mut())
        };
        code == code::SUCCESS && kind == SHARED_TYPE
    }

    /// Gives a kernel an address; the driver's code.
    ///
    /// # Safety
    ///
    /// Nobody else uses the kernel meanwhile.
    pub(crate) unsafe fn set_address(&self, driver: &Driver, kernel: Handle, position: u32, address: *mut u8) -> i32 {
        let address = address.cast_const().cast();
        // SAFETY: the kernel exists and is the caller's alone.
        unsafe {
            match self {
                Memory::Usm(api) => (api.clSetKernelArgMemPointerINTEL)(kernel, position, address),
                Memory::Svm => (driver.api.clSetKernelArgSVMPointer)(kernel, position, address),
            }
        }
    }

    /// Lets a kernel follow addresses that it finds in memory.
    pub(crate) fn allow_indirect_access(&self, driver: &Driver, kernel: Handle) {
        let Memory::Usm(_) = self else { return };
        let yes = 1u32;
        for what in INDIRECT_ACCESS {
            // SAFETY: reads one number. A driver that refuses has nothing to be allowed.
            unsafe { (driver.api.clSetKernelExecInfo)(kernel, what, size_of::<u32>(), (&raw const yes).cast()) };
        }
    }

    /// Tells which memory a kernel reaches by addresses that it finds in memory, where that must be told.
    ///
    /// # Safety
    ///
    /// Nobody else uses the kernel meanwhile.
    pub(crate) unsafe fn reaches(&self, driver: &Driver, kernel: Handle, blocks: &[usize]) -> i32 {
        match self {
            Memory::Usm(_) => code::SUCCESS,
            // SAFETY: the kernel is the caller's alone, and the list is read before the call returns.
            Memory::Svm => unsafe {
                let list = blocks.as_ptr().cast();
                (driver.api.clSetKernelExecInfo)(kernel, SVM_POINTERS, size_of_val(blocks), list)
            },
        }
    }
}
