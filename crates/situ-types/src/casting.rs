//! Which conversions between dtypes are allowed, by how much they may lose.

use crate::{DType, DTypeKind, FloatSupport, promote};

/// How much a conversion may lose, in NumPy's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Casting {
    /// The dtypes are the same.
    No,
    /// The dtypes are the same but for byte order; every dtype here has the machine's.
    Equiv,
    /// Every value is kept.
    Safe,
    /// As before, or within a kind: float64 to float32, signed to shorter signed.
    SameKind,
    /// Anything.
    Unsafe,
}

impl Casting {
    /// Every rule, from the strictest to the loosest.
    pub const ALL: [Casting; 5] = [Casting::No, Casting::Equiv, Casting::Safe, Casting::SameKind, Casting::Unsafe];

    /// NumPy's name for the rule.
    pub const fn name(self) -> &'static str {
        match self {
            Casting::No => "no",
            Casting::Equiv => "equiv",
            Casting::Safe => "safe",
            Casting::SameKind => "same_kind",
            Casting::Unsafe => "unsafe",
        }
    }

    /// The rule with that name, if there is one.
    pub fn from_name(name: &str) -> Option<Casting> {
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }

    /// Whether the rule lets `from` become `to`.
    ///
    /// ```
    /// use situ_types::{Casting, DType};
    /// assert!(Casting::Safe.allows(DType::I32, DType::F64));
    /// assert!(!Casting::Safe.allows(DType::I32, DType::F32));
    /// assert!(Casting::SameKind.allows(DType::I32, DType::F32));
    /// assert!(!Casting::SameKind.allows(DType::I32, DType::U32));
    /// ```
    pub fn allows(self, from: DType, to: DType) -> bool {
        match self {
            Casting::No | Casting::Equiv => from == to,
            Casting::Safe => promote(from, to) == to,
            Casting::SameKind => rank(from) <= rank(to) || Casting::Safe.allows(from, to),
            Casting::Unsafe => true,
        }
    }

    /// The same on a device that may lack some floating-point widths. What it lacks is nothing to convert to, and its
    /// widest one stands in for those it lacks: every integer converts to it.
    pub fn allows_on(self, from: DType, to: DType, floats: FloatSupport) -> bool {
        let stands_in = to == floats.default_float() || to == floats.default_complex();
        let from_integer = from.kind() <= DTypeKind::Integer;
        let widened = self >= Casting::Safe && !floats.fp64 && from_integer && stands_in;
        floats.supports(to) && (widened || self.allows(from, to))
    }
}

/// The kinds in the order in which one may become another; a signed integer is no unsigned one.
fn rank(dtype: DType) -> usize {
    match dtype.kind() {
        DTypeKind::Bool => 0,
        DTypeKind::Integer if dtype.is_unsigned_integer() => 1,
        DTypeKind::Integer => 2,
        DTypeKind::Float => 3,
        DTypeKind::Complex => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_allows_what_the_stricter_ones_do() {
        for from in DType::ALL {
            for to in DType::ALL {
                let allowed = Casting::ALL.map(|rule| rule.allows(from, to));
                assert!(allowed.is_sorted(), "{from} to {to}");
            }
        }
    }

    #[test]
    fn without_doubles_integers_become_singles() {
        let floats = FloatSupport { fp16: true, fp64: false };
        assert!(Casting::Safe.allows_on(DType::I64, DType::F32, floats));
        assert!(Casting::Safe.allows_on(DType::I64, DType::C64, floats));
        assert!(!Casting::Equiv.allows_on(DType::I64, DType::F32, floats));
        assert!(!Casting::Safe.allows_on(DType::F16, DType::F64, floats));
        assert!(!Casting::Safe.allows_on(DType::I64, DType::F32, FloatSupport::ALL));
        assert!(!Casting::Unsafe.allows_on(DType::F32, DType::F64, floats));
    }
}
