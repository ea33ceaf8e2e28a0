//! Vector registers of the instruction set that will be used.

use situ_types::VectorWidths;

/// Elements per register of the best instruction set that the CPU backend uses here.
pub(super) fn widths() -> VectorWidths {
    let (bytes, converts_half) = best_register();
    widths_of(bytes, converts_half)
}

/// Elements in a register of that many bytes; half precision counts only where the hardware converts it.
pub(super) fn widths_of(bytes: u32, converts_half: bool) -> VectorWidths {
    VectorWidths {
        char: bytes,
        short: bytes / 2,
        int: bytes / 4,
        long: bytes / 8,
        float: bytes / 4,
        double: bytes / 8,
        half: if converts_half { bytes / 2 } else { 0 },
    }
}

/// Bytes of the widest register, and whether half precision can be converted in it.
#[cfg(target_arch = "x86_64")]
fn best_register() -> (u32, bool) {
    if std::arch::is_x86_feature_detected!("avx512f") {
        // AVX-512F brings the conversions of half precision along.
        (64, true)
    } else if std::arch::is_x86_feature_detected!("avx2") {
        (32, std::arch::is_x86_feature_detected!("f16c"))
    } else {
        (16, std::arch::is_x86_feature_detected!("f16c"))
    }
}

/// NEON and its conversions of half precision belong to the 64-bit ARM baseline.
#[cfg(target_arch = "aarch64")]
fn best_register() -> (u32, bool) {
    (16, true)
}

/// One 64-bit word: no vector instructions are used here.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn best_register() -> (u32, bool) {
    (8, false)
}
