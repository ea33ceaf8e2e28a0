//! Products of each dtype, compiled once per instruction set.

use situ_types::{DType, F16};

use super::block::{self, Place, Plan, Sizes};
use super::lane::{Stored, Truth};
use super::matvec;
use super::tile::{Complex, Form, Real};
use super::vector::{self, Vector};
use crate::isa::Isa;

/// How products of one dtype are computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernel {
    pub(super) plan: fn(Sizes, Place, Place) -> Plan,
    /// # Safety
    ///
    /// As for [`block::multiply`].
    pub(super) multiply: unsafe fn(&Plan, [Place; 3], *mut u8),
    pub(super) column_room: fn(Sizes, Place) -> Option<usize>,
    /// # Safety
    ///
    /// As for [`matvec::multiply`].
    pub(super) times_column: unsafe fn(Sizes, [Place; 3], *mut u8),
}

/// What computes products of a dtype.
pub(super) fn kernel(isa: Isa, dtype: DType) -> &'static Kernel {
    let table = match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => &avx512::TABLE,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => &avx2::TABLE,
        _ => &baseline::TABLE,
    };
    &table[dtype as usize]
}

macro_rules! compiled {
    ($($(#[$attribute:meta])* $name:ident, $features:literal;)*) => {$(
        $(#[$attribute])*
        mod $name {
            use super::*;
            use vector::$name::{F32, F64, Truths, U32, U64};

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn multiply<V: Vector, S: Stored<V::Lane>, F: Form<V>>(
                plan: &Plan,
                places: [Place; 3],
                memory: *mut u8,
            ) {
                // SAFETY: passed on from the caller.
                unsafe { block::multiply::<V, S, F>(plan, places, memory) }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn times_column<V: Vector, F: Form<V>>(sizes: Sizes, places: [Place; 3], memory: *mut u8) {
                // SAFETY: passed on from the caller.
                unsafe { matvec::multiply::<V, F>(sizes, places, memory) }
            }

            const fn kernel<V: Vector, S: Stored<V::Lane>, F: Form<V>>() -> Kernel {
                Kernel {
                    plan: block::plan::<V, S, F>,
                    multiply: multiply::<V, S, F>,
                    column_room: matvec::room::<V, S, F>,
                    times_column: times_column::<V, F>,
                }
            }

            const fn of(dtype: DType) -> Kernel {
                match dtype {
                    DType::Bool => kernel::<Truths, Truth, Real>(),
                    DType::I8 | DType::U8 => kernel::<U32, u8, Real>(),
                    DType::I16 | DType::U16 => kernel::<U32, u16, Real>(),
                    DType::I32 | DType::U32 => kernel::<U32, u32, Real>(),
                    DType::I64 | DType::U64 => kernel::<U64, u64, Real>(),
                    DType::F16 => kernel::<F32, F16, Real>(),
                    DType::F32 => kernel::<F32, f32, Real>(),
                    DType::F64 => kernel::<F64, f64, Real>(),
                    DType::C64 => kernel::<F32, f32, Complex>(),
                    DType::C128 => kernel::<F64, f64, Complex>(),
                }
            }

            pub(super) static TABLE: [Kernel; DType::ALL.len()] = {
                let mut table = [of(DType::Bool); DType::ALL.len()];
                let mut n = 0;
                while n < table.len() {
                    table[DType::ALL[n] as usize] = of(DType::ALL[n]);
                    n += 1;
                }
                table
            };
        }
    )*};
}

compiled! {
    baseline, "sse2";
    #[cfg(target_arch = "x86_64")]
    avx2, "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt";
    #[cfg(target_arch = "x86_64")]
    avx512, "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt";
}
