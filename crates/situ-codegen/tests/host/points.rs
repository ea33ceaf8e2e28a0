//! Elements to compute with: every kind of special value, and a deterministic source of others.

use situ_types::{DType, DTypeKind};

use super::meaning::{Bytes, cast};

/// Numbers at which functions change their ways.
const EDGES: [f64; 45] = [
    0.0,
    1.0,
    0.5,
    1.5,
    2.0,
    2.5,
    3.0,
    10.0,
    0.1,
    std::f64::consts::PI,
    std::f64::consts::FRAC_PI_2,
    std::f64::consts::FRAC_PI_4,
    std::f64::consts::LN_2,
    f64::INFINITY,
    f64::NAN,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    2.2e-308,
    f64::EPSILON,
    f32::MAX as f64,
    f32::MIN_POSITIVE as f64,
    1e-45,
    1e-40,
    f32::EPSILON as f64,
    65504.0,
    65520.0,
    6e-8,
    88.7,
    709.8,
    1e10,
    1e22,
    9.3e18,
    127.5,
    128.0,
    255.5,
    32768.0,
    65536.0,
    2147483648.0,
    4294967296.0,
    9007199254740993.0,
    9223372036854775808.0,
    18446744073709551616.0,
    1.0 + 1.0 / 2048.0 + 1.0 / (1u64 << 40) as f64,
    1.0 + 1.0 / 2048.0 - 1.0 / (1u64 << 40) as f64,
];

/// Special values of a dtype, both signs of each; for complex numbers every pair of some.
pub fn special(dtype: DType) -> Vec<Bytes> {
    let raw = |number: u64| {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&number.to_ne_bytes());
        bytes
    };
    match dtype.kind() {
        DTypeKind::Bool => vec![raw(0), raw(1)],
        DTypeKind::Integer => {
            let ends = [0u64, 1, 2, 3, 5, 7, 10, 31, 63, 64, 100, 127, 128, 255, 256, 32767, 32768, 65535, 1 << 31];
            let more = [u64::MAX, u64::MAX - 1, u64::MAX - 6, i64::MIN as u64, i64::MAX as u64, u32::MAX as u64];
            ends.into_iter().chain(more).map(raw).map(|value| cast(DType::U64, dtype, value)).collect()
        }
        DTypeKind::Float => {
            let floats = EDGES.into_iter().flat_map(|x| [x, -x]);
            floats.map(|x| cast(DType::F64, dtype, raw(x.to_bits()))).collect()
        }
        DTypeKind::Complex => {
            let part = dtype.real_part();
            let parts = special(part);
            let pair = |re: &Bytes, im: &Bytes| {
                let mut bytes = *re;
                bytes[part.size()..dtype.size()].copy_from_slice(&im[..part.size()]);
                bytes
            };
            parts.iter().flat_map(|re| parts.iter().map(move |im| pair(re, im))).collect()
        }
    }
}

/// A deterministic source of elements: ordinary numbers, special ones and any bits at all.
#[derive(Clone, Debug)]
pub struct Points(pub u64);

impl Points {
    /// The next random number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A random number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.number() % limit as u64) as usize
    }

    /// The next element of a dtype.
    pub fn element(&mut self, dtype: DType) -> Bytes {
        let mut bytes = [0; 16];
        let part = dtype.real_part();
        for chunk in bytes[..dtype.size()].chunks_mut(part.size()) {
            chunk.copy_from_slice(&self.part(part)[..part.size()]);
        }
        bytes
    }

    fn part(&mut self, dtype: DType) -> Bytes {
        let mut bytes = [0; 16];
        let raw = self.number();
        let kind = self.below(8);
        if dtype.kind() != DTypeKind::Float {
            let small = if kind < 4 { raw } else { (raw as i64 >> 58) as u64 };
            bytes[..8].copy_from_slice(&small.to_ne_bytes());
            return if dtype == DType::Bool { cast(DType::U64, DType::Bool, bytes) } else { bytes };
        }
        let unit = raw as i64 as f64 / (1u64 << 63) as f64;
        let float = match kind {
            0 => EDGES[raw as usize % EDGES.len()] * if raw >> 63 == 0 { 1.0 } else { -1.0 },
            1..3 => {
                bytes[..8].copy_from_slice(&raw.to_ne_bytes());
                return bytes;
            }
            3 => unit,
            4 => unit * 10.0,
            5 => 1.0 + unit / 64.0,
            6 => (unit * 1000.0).round() / 2.0,
            _ => unit * (self.below(2000) as f64 - 1000.0).exp2(),
        };
        bytes[..8].copy_from_slice(&float.to_bits().to_ne_bytes());
        cast(DType::F64, dtype, bytes)
    }
}
