//! How much unused memory a pool may keep.

use situ_types::DeviceInfo;

/// The most unused memory a pool keeps instead of giving it back to the driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PoolLimit {
    /// A quarter of the device's global memory.
    #[default]
    QuarterOfDevice,
    /// So many bytes; 0 keeps nothing.
    Bytes(usize),
    /// Everything, until [`Pool::trim`](super::Pool::trim) is called or memory runs short.
    Unlimited,
}

impl PoolLimit {
    /// What `SITU_POOL_LIMIT` says, in bytes; the default where it is unset or not a number.
    pub fn from_env() -> PoolLimit {
        let text = std::env::var("SITU_POOL_LIMIT").ok();
        text.and_then(|bytes| bytes.trim().parse().ok()).map_or_else(PoolLimit::default, PoolLimit::Bytes)
    }

    pub(super) fn bytes(self, device: &DeviceInfo) -> usize {
        match self {
            PoolLimit::QuarterOfDevice => usize::try_from(device.global_mem_size / 4).unwrap_or(usize::MAX),
            PoolLimit::Bytes(bytes) => bytes,
            PoolLimit::Unlimited => usize::MAX,
        }
    }
}
