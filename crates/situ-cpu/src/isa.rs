//! The instruction sets loops are compiled for, and the choice among them.

use std::sync::OnceLock;

/// An instruction set that loops are compiled for; a greater one includes the lesser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Isa {
    /// What every processor of the target has: SSE2 on x86-64, NEON on 64-bit ARM.
    Baseline,
    /// 256-bit vectors, fused multiply-add and conversion of half precision.
    Avx2,
    /// 512-bit vectors.
    Avx512,
}

impl Isa {
    /// Every instruction set, the least first.
    pub(crate) const ALL: [Isa; 3] = [Isa::Baseline, Isa::Avx2, Isa::Avx512];

    /// The name `SITU_CPU_ISA` knows it by.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Isa::Baseline => "baseline",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        }
    }

    /// The best instruction set of this processor, or a lesser one that `SITU_CPU_ISA` names.
    pub(crate) fn detected() -> Isa {
        static CHOSEN: OnceLock<Isa> = OnceLock::new();
        *CHOSEN.get_or_init(|| choose(limit().ok().flatten()))
    }

    /// The instruction set with a name, in letters of either case.
    fn from_name(name: &str) -> Option<Isa> {
        let plain = name.trim().to_ascii_lowercase().replace(['-', '_'], "");
        Isa::ALL.into_iter().find(|isa| isa.name() == plain)
    }

    /// Whether this processor has it.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn is_available(self) -> bool {
        macro_rules! all_detected {
            ($($feature:tt),*) => { true $(&& std::arch::is_x86_feature_detected!($feature))* };
        }
        match self {
            Isa::Baseline => true,
            Isa::Avx2 => all_detected!("avx2", "fma", "f16c", "bmi1", "bmi2", "lzcnt", "popcnt"),
            Isa::Avx512 => {
                Isa::Avx2.is_available() && all_detected!("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
            }
        }
    }

    /// Whether this processor has it.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn is_available(self) -> bool {
        self == Isa::Baseline
    }
}

/// The greatest instruction set that `SITU_CPU_ISA` allows, where it says so.
pub(crate) fn limit() -> Result<Option<Isa>, String> {
    let told = std::env::var_os("SITU_CPU_ISA").filter(|told| !told.is_empty());
    let Some(told) = told else { return Ok(None) };
    let told = told.to_string_lossy();
    let names = Isa::ALL.map(Isa::name).join(", ");
    let unknown = || format!("SITU_CPU_ISA={told:?} is no instruction set that situ knows; write one of {names}");
    Isa::from_name(&told).map(Some).ok_or_else(unknown)
}

/// The best available instruction set that is not above the greatest allowed.
fn choose(limit: Option<Isa>) -> Isa {
    let limit = limit.unwrap_or(Isa::Avx512);
    Isa::ALL.into_iter().rev().find(|isa| *isa <= limit && isa.is_available()).unwrap_or(Isa::Baseline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_lowers_the_choice_and_never_raises_it() {
        let best = choose(None);
        assert!(best.is_available());
        for isa in Isa::ALL {
            assert_eq!(choose(Some(isa)), isa.min(best));
        }
    }

    #[test]
    fn names_in_letters_of_either_case() {
        for (name, isa) in [("baseline", Isa::Baseline), ("AVX2", Isa::Avx2), (" avx-512", Isa::Avx512)] {
            assert_eq!(Isa::from_name(name), Some(isa));
        }
        assert_eq!(Isa::from_name("avx3"), None);
    }
}
