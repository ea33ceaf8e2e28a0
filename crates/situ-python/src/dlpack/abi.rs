//! DLPack's structures, as its C header lays them out, and the names of its capsules.

use std::ffi::{CStr, c_void};

use situ_types::{DType, DTypeKind};

/// The newest version of the protocol spoken here.
pub(super) const VERSION: Version = Version { major: 1, minor: 1 };

/// `DLPACK_FLAG_BITMASK_READ_ONLY`.
pub(super) const READ_ONLY: u64 = 1;
/// `DLPACK_FLAG_BITMASK_IS_COPIED`.
pub(super) const IS_COPIED: u64 = 2;

/// `kDLCPU`.
pub(super) const CPU: i32 = 1;
/// `kDLCUDA`.
pub(super) const CUDA: i32 = 2;
/// `kDLCUDAHost`: host memory that a CUDA device reaches.
pub(super) const CUDA_HOST: i32 = 3;
/// `kDLROCMHost`: host memory that a ROCm device reaches.
pub(super) const ROCM_HOST: i32 = 11;
/// `kDLExtDev`: a device the protocol has no number for.
pub(super) const EXTENSION: i32 = 12;
/// `kDLCUDAManaged`: memory that host and CUDA devices share.
pub(super) const CUDA_MANAGED: i32 = 13;

/// `DLPackVersion`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) major: u32,
    pub(super) minor: u32,
}

/// `DLDevice`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DlDevice {
    pub(super) kind: i32,
    pub(super) id: i32,
}

/// `DLDataType`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DlDType {
    pub(super) code: u8,
    pub(super) bits: u8,
    pub(super) lanes: u16,
}

/// `DLTensor`.
#[repr(C)]
#[derive(Debug)]
pub(super) struct DlTensor {
    pub(super) data: *mut c_void,
    pub(super) device: DlDevice,
    pub(super) ndim: i32,
    pub(super) dtype: DlDType,
    pub(super) shape: *mut i64,
    /// In elements; null where the array is dense in C order.
    pub(super) strides: *mut i64,
    pub(super) byte_offset: u64,
}

/// `DLManagedTensor`: before version 1.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Legacy {
    pub(super) tensor: DlTensor,
    pub(super) context: *mut c_void,
    pub(super) deleter: Option<unsafe extern "C" fn(*mut Legacy)>,
}

/// `DLManagedTensorVersioned`. Up to the deleter its layout is the same in every version.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Versioned {
    pub(super) version: Version,
    pub(super) context: *mut c_void,
    pub(super) deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    pub(super) flags: u64,
    pub(super) tensor: DlTensor,
}

/// A managed tensor of either kind.
pub(super) trait Managed: Sized {
    /// What a capsule with one is called.
    const NAME: &'static CStr;
    /// What the capsule is called once somebody has taken it.
    const USED: &'static CStr;

    /// One that points nowhere yet.
    fn new(tensor: DlTensor, flags: u64, deleter: unsafe extern "C" fn(*mut Self)) -> Self;
    /// Sets where its lengths, its strides and its owner are.
    fn point_to(&mut self, shape: *mut i64, strides: *mut i64, context: *mut c_void);
    /// Whose it is.
    fn context(&self) -> *mut c_void;
    /// What to call when it is no longer needed.
    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)>;
    /// The array.
    fn tensor(&self) -> &DlTensor;
    /// What is to be known about it; without a way to say so, nothing.
    fn flags(&self) -> u64;
    /// The version it was made for, where it says.
    fn version(&self) -> Option<Version>;
}

impl Managed for Legacy {
    const NAME: &'static CStr = c"dltensor";
    const USED: &'static CStr = c"used_dltensor";

    fn new(tensor: DlTensor, _: u64, deleter: unsafe extern "C" fn(*mut Self)) -> Self {
        Legacy { tensor, context: std::ptr::null_mut(), deleter: Some(deleter) }
    }

    fn point_to(&mut self, shape: *mut i64, strides: *mut i64, context: *mut c_void) {
        (self.tensor.shape, self.tensor.strides, self.context) = (shape, strides, context);
    }

    fn context(&self) -> *mut c_void {
        self.context
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }

    fn tensor(&self) -> &DlTensor {
        &self.tensor
    }

    fn flags(&self) -> u64 {
        0
    }

    fn version(&self) -> Option<Version> {
        None
    }
}

impl Managed for Versioned {
    const NAME: &'static CStr = c"dltensor_versioned";
    const USED: &'static CStr = c"used_dltensor_versioned";

    fn new(tensor: DlTensor, flags: u64, deleter: unsafe extern "C" fn(*mut Self)) -> Self {
        Versioned { version: VERSION, context: std::ptr::null_mut(), deleter: Some(deleter), flags, tensor }
    }

    fn point_to(&mut self, shape: *mut i64, strides: *mut i64, context: *mut c_void) {
        (self.tensor.shape, self.tensor.strides, self.context) = (shape, strides, context);
    }

    fn context(&self) -> *mut c_void {
        self.context
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }

    fn tensor(&self) -> &DlTensor {
        &self.tensor
    }

    fn flags(&self) -> u64 {
        self.flags
    }

    fn version(&self) -> Option<Version> {
        Some(self.version)
    }
}

impl DlDType {
    /// How the protocol writes a dtype.
    pub(super) fn of(dtype: DType) -> DlDType {
        let code = match dtype.kind() {
            DTypeKind::Integer if dtype.is_unsigned_integer() => 1,
            DTypeKind::Integer => 0,
            DTypeKind::Float => 2,
            DTypeKind::Complex => 5,
            DTypeKind::Bool => 6,
        };
        DlDType { code, bits: (dtype.size() * 8) as u8, lanes: 1 }
    }

    /// The dtype, if it is one of ours.
    pub(super) fn dtype(self) -> Option<DType> {
        DType::ALL.into_iter().find(|&dtype| DlDType::of(dtype) == self)
    }
}
