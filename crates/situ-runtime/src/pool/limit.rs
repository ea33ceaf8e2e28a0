//! How much unused memory a pool may keep.

use situ_types::{DeviceInfo, parse_bytes};

use crate::{Error, Result};

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
    /// What `SITU_POOL_LIMIT` says: a number of bytes, or `unlimited`; the default where it is unset or empty.
    pub fn from_env() -> Result<PoolLimit> {
        let Some(text) = std::env::var_os("SITU_POOL_LIMIT") else { return Ok(PoolLimit::default()) };
        let text = text.to_string_lossy();
        match text.trim() {
            "" => Ok(PoolLimit::default()),
            word if word.eq_ignore_ascii_case("unlimited") => Ok(PoolLimit::Unlimited),
            bytes => parse_bytes(bytes).and_then(|bytes| bytes.try_into().ok()).map(PoolLimit::Bytes).ok_or_else(|| {
                Error::Value(format!(
                    "SITU_POOL_LIMIT={bytes:?} is no number of bytes; write one like \"4096\", \"512MiB\" or \"12GB\", \
                     or \"unlimited\""
                ))
            }),
        }
    }

    pub(super) fn bytes(self, device: &DeviceInfo) -> usize {
        match self {
            PoolLimit::QuarterOfDevice => usize::try_from(device.global_mem_size / 4).unwrap_or(usize::MAX),
            PoolLimit::Bytes(bytes) => bytes,
            PoolLimit::Unlimited => usize::MAX,
        }
    }
}
