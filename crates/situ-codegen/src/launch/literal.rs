//! Numbers as they are written in C.

use situ_types::{F16, Scalar};

/// A number, such that the compiler reads the same bits.
pub(super) fn literal(value: Scalar) -> String {
    match value {
        Scalar::Bool(value) => u8::from(value).to_string(),
        Scalar::I8(value) => signed(value.into()),
        Scalar::I16(value) => signed(value.into()),
        Scalar::I32(value) => signed(value.into()),
        Scalar::I64(value) => signed(value),
        Scalar::U8(value) => format!("{value}u"),
        Scalar::U16(value) => format!("{value}u"),
        Scalar::U32(value) => format!("{value}u"),
        Scalar::U64(value) => format!("{value}u"),
        Scalar::F16(value) => half(value),
        Scalar::F32(value) => single(value),
        Scalar::F64(value) => double(value),
        Scalar::C64(value) => format!("make_c64({}, {})", single(value.re), single(value.im)),
        Scalar::C128(value) => format!("make_c128({}, {})", double(value.re), double(value.im)),
    }
}

fn signed(value: i64) -> String {
    match value {
        // A minus sign is an operator, and what it is applied to must exist.
        i64::MIN => format!("({} - 1)", i64::MIN + 1),
        value if i64::from(i32::MIN) == value => format!("({} - 1)", value + 1),
        value if value < 0 => format!("({value})"),
        value => value.to_string(),
    }
}

fn half(value: F16) -> String {
    format!("make_f16({:#x}u)", value.to_bits())
}

fn single(value: f32) -> String {
    if value.is_finite() {
        signed_float(format!("{value:?}f"))
    } else {
        format!("from_bits_f32({:#x}u)", value.to_bits())
    }
}

fn double(value: f64) -> String {
    if value.is_finite() {
        signed_float(format!("{value:?}"))
    } else {
        format!("from_bits_f64({:#x}u)", value.to_bits())
    }
}

fn signed_float(text: String) -> String {
    if text.starts_with('-') { format!("({text})") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back_as_they_were() {
        let texts = [
            (Scalar::I64(-5), "(-5)"),
            (Scalar::I32(i32::MIN), "(-2147483647 - 1)"),
            (Scalar::I64(i64::MIN), "(-9223372036854775807 - 1)"),
            (Scalar::U64(u64::MAX), "18446744073709551615u"),
            (Scalar::F32(0.1), "0.1f"),
            (Scalar::F32(-1e-30), "(-1e-30f)"),
            (Scalar::F64(-0.0), "(-0.0)"),
            (Scalar::F64(1e300), "1e300"),
            (Scalar::F32(f32::INFINITY), "from_bits_f32(0x7f800000u)"),
            (Scalar::Bool(true), "1"),
        ];
        for (value, text) in texts {
            assert_eq!(literal(value), text);
        }
    }
}
