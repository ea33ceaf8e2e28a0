//! A deterministic source of elements.

use situ_ir::interpret::cast;
use situ_types::{DType, DTypeKind, Scalar};

/// Random numbers and elements, the same for the same seed.
///
/// ```
/// use situ_conformance::Source;
/// use situ_types::DType;
///
/// let mut source = Source(7);
/// assert_eq!(source.element(DType::I16).dtype(), DType::I16);
/// ```
#[derive(Clone, Debug)]
pub struct Source(
    /// The seed, which every number drawn moves on.
    pub u64,
);

/// Numbers at which functions change their ways.
const EDGES: [f64; 10] =
    [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 65504.0, 1e-7, f64::MIN_POSITIVE];

impl Source {
    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below a limit, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.number() % limit as u64) as usize
    }

    /// One of several things.
    pub fn pick<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.below(things.len())]
    }

    /// An element: an ordinary number, an edge case or any bits at all.
    pub fn element(&mut self, dtype: DType) -> Scalar {
        let (part, mut bytes) = (dtype.real_part(), [0; 16]);
        for place in bytes[..dtype.size()].chunks_mut(part.size()) {
            place.copy_from_slice(&self.part(part).to_bytes()[..part.size()]);
        }
        Scalar::from_bytes(dtype, bytes)
    }

    fn part(&mut self, dtype: DType) -> Scalar {
        let (raw, bits) = (self.number(), u128::to_ne_bytes);
        match (dtype.kind(), self.below(4)) {
            (DTypeKind::Bool, _) => Scalar::Bool(raw & 1 == 1),
            (_, 0) => Scalar::from_bytes(dtype, bits(raw.into())),
            (DTypeKind::Integer, _) => cast(Scalar::U64(raw % 11), dtype),
            (_, 1) => cast(Scalar::F64(self.pick(&EDGES)), dtype),
            _ => cast(Scalar::F64(raw as i64 as f64 / (1u64 << 60) as f64), dtype),
        }
    }
}

/// Whether bytes in memory are this value, bit for bit but for the bits of what is not a number.
pub fn holds(bytes: &[u8], wanted: Scalar) -> bool {
    let mut padded = [0; 16];
    padded[..bytes.len()].copy_from_slice(bytes);
    let found = Scalar::from_bytes(wanted.dtype(), padded);
    // A truth value is 0 or 1 and nothing else.
    bytes.len() == wanted.dtype().size() && found.to_bytes() == padded && found.is_identical(wanted)
}
