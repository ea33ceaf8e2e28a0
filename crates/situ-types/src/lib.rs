//! The vocabulary every other crate speaks: dtypes, USM kinds, layouts, device descriptions and error kinds.
//!
//! Nothing here touches memory, starts a thread or knows a backend. Everything is plain data and pure functions, so
//! it can be tested exhaustively and used from any layer.

#![forbid(unsafe_code)]

mod bytes;
mod casting;
mod device;
mod dtype;
mod error;
pub mod layout;
mod partition;
mod promote;
mod reshape;
mod scalar;
mod space;
mod usm;

pub use bytes::parse_bytes;
pub use casting::Casting;
pub use device::{Aspect, BackendKind, CacheKind, DeviceInfo, DeviceType, PlatformInfo, QueueProperties, VectorWidths};
pub use dtype::{DType, DTypeKind};
pub use error::ErrorKind;
pub use layout::{Dims, Layout, LayoutError, Order, Strides};
pub use partition::{AffinityDomain, Partition};
pub use promote::{FloatSupport, promote, promote_all};
pub use scalar::Scalar;
pub use space::{Axis, Overlap, Placed, Space};
pub use usm::UsmKind;

/// Single-precision complex number.
pub type C64 = num_complex::Complex<f32>;
/// Double-precision complex number.
pub type C128 = num_complex::Complex<f64>;
/// Half-precision floating-point number.
pub type F16 = half::f16;
