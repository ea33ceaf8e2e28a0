//! From a kernel's text to what the driver loads.

use situ_codegen::{Rules, Source, cache};
use situ_hal::{HalError, Result};

use crate::nvrtc::Nvrtc;

/// The kernel for a compute capability: from the cache, or compiled.
pub(crate) fn compile(source: &Source, capability: i32) -> Result<Vec<u8>> {
    let failed = |detail| HalError::Failed { operation: "compile a kernel".into(), detail };
    let nvrtc = Nvrtc::get().map_err(failed)?;
    let options = nvrtc.options(capability, &source.rules).map_err(failed)?;
    let (major, minor) = nvrtc.version();
    let key = format!("NVRTC {major}.{minor}\n{}\n{}", options.join(" "), source.text);
    if let Some(image) = cache::load(&key) {
        return Ok(image);
    }
    let said = |log: String| match source.rules {
        Rules::Given(_) => HalError::Compile { operation: format!("kernel {}", source.kernel).into(), detail: log },
        _ => failed(format!("the kernel {} does not compile; this is a bug in situ:\n{log}", source.kernel)),
    };
    let image = nvrtc.compile(&source.text, &options).map_err(said)?;
    cache::store(&key, &image);
    Ok(image)
}
