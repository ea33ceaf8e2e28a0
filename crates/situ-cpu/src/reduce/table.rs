//! The loops of each combining op and dtype, compiled once per instruction set.

use situ_ir::scalar::Numeric;
use situ_ir::{Combine, Op, combining_ops, domain_types};
use situ_types::DType;

use super::kernel::{self, Fold, Halve, Join, ScanGroups, ShiftGroups};
use super::moments::{self, Columns, Joined};
use super::search::{self, Extreme, Find, FindExtreme, Greatest, Least, TakeRow, TakesOver};
use super::truth::{self, Truths};
#[cfg(target_arch = "x86_64")]
use super::vectors;
use crate::elementwise::meaning;
use crate::isa::Isa;

const DTYPES: usize = DType::ALL.len();

/// The loops that bring parts together, of one op at one dtype or of [`Moments`](situ_ir::moments::Moments).
#[derive(Clone, Copy, Debug)]
pub(super) struct Loops {
    pub(super) fold: Fold,
    pub(super) halve: Halve,
    pub(super) scan_groups: ScanGroups,
    pub(super) shift_groups: ShiftGroups,
}

/// What finds the first of the greatest or least values of one dtype.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    pub(super) takes_over: TakesOver,
    pub(super) extreme: FindExtreme,
    pub(super) find: Find,
    pub(super) take_row: TakeRow,
}

struct Tables {
    /// By the op's place in [`Combine::OPS`].
    loops: [[Option<Loops>; DTYPES]; Combine::OPS.len()],
    greatest: [Search; DTYPES],
    least: [Search; DTYPES],
    any: [Truths; DTYPES],
    all: [Truths; DTYPES],
    moments_f32: (Loops, Columns),
    moments_f64: (Loops, Columns),
}

fn tables(isa: Isa) -> &'static Tables {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => &avx512::TABLES,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => &avx2::TABLES,
        _ => &baseline::TABLES,
    }
}

/// The loops of an op that combines values of a dtype; of a well-formed reduction there are some.
pub(super) fn loops(isa: Isa, op: Op, dtype: DType) -> Option<Loops> {
    let place = Combine::OPS.iter().position(|known| *known == op)?;
    tables(isa).loops[place][dtype as usize]
}

/// The loops for moments of values of a dtype; of a well-formed reduction there are some.
pub(super) fn moments(isa: Isa, dtype: DType) -> Option<(Loops, Columns)> {
    match dtype {
        DType::F32 => Some(tables(isa).moments_f32),
        DType::F64 => Some(tables(isa).moments_f64),
        _ => None,
    }
}

/// What finds the first of the greatest values, or of the least.
pub(super) fn search(isa: Isa, greatest: bool, dtype: DType) -> Search {
    let tables = tables(isa);
    if greatest { tables.greatest[dtype as usize] } else { tables.least[dtype as usize] }
}

/// What combines truth values of elements where one of them, the settling one, decides.
pub(super) fn truths(isa: Isa, settling: bool, dtype: DType) -> Truths {
    let tables = tables(isa);
    if settling { tables.any[dtype as usize] } else { tables.all[dtype as usize] }
}

macro_rules! rows_of_loops {
    (; $(($op:ident $domain:ident))*) => { [$(domain_types!($domain, loops_of_dtypes, $op)),*] };
}

macro_rules! loops_of_dtypes {
    ($op:ident ; $(($dtype:ident, $type:ty))*) => {{
        let mut row = [None; DTYPES];
        $(row[DType::$dtype as usize] = Some(loops_by!(meaning::$op<$type>));)*
        row
    }};
}

macro_rules! loops_by {
    ($join:ty) => {
        Loops {
            fold: fold::<$join>,
            halve: halve::<$join>,
            scan_groups: scan_groups::<$join>,
            shift_groups: shift_groups::<$join>,
        }
    };
}

/// Bytes of a row that are taken in at a time: four registers of AVX-512.
const ROW_BLOCK: usize = 256;

macro_rules! moments_of {
    ($type:ty) => {
        (
            loops_by!(Joined<$type>),
            Columns {
                take_in: take_in::<$type, { ROW_BLOCK / size_of::<$type>() }>,
                close: close::<$type>,
                halve: halve_columns::<$type>,
            },
        )
    };
}

macro_rules! searches {
    ($extreme:ident ; $(($dtype:ident, $type:ty))*) => {
        [$(Search {
            takes_over: search::takes_over_at::<$extreme, $type>,
            extreme: extreme::<$extreme, $type>,
            find: find::<$type>,
            take_row: take_row::<$extreme, $type>,
        }),*]
    };
}

macro_rules! truths {
    ($settling:literal ; $(($dtype:ident, $type:ty))*) => {
        [$(Truths { settles: settles::<$type, $settling>, fold: fold_truths::<$type, $settling> }),*]
    };
}

macro_rules! compiled {
    ($($(#[$attribute:meta])* $name:ident, $features:literal, [$($vector:ident)*];)*) => {$(
        $(#[$attribute])*
        mod $name {
            use super::*;

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn fold<J: Join>(
                to: *mut u8,
                from: *const u8,
                stride: isize,
                rows: usize,
                width: usize,
                continues: bool,
            ) {
                // SAFETY: passed on from the caller.
                unsafe { kernel::fold::<J>(to, from, stride, rows, width, continues) }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn halve<J: Join>(lanes: *mut u8, live: usize) {
                // SAFETY: passed on from the caller.
                unsafe { kernel::halve::<J>(lanes, live) }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn scan_groups<J: Join>(
                to: *mut u8,
                from: *const u8,
                totals: *mut u8,
                count: usize,
            ) {
                // SAFETY: passed on from the caller.
                unsafe { kernel::scan_groups::<J>(to, from, totals, count) }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn shift_groups<J: Join>(
                values: *mut u8,
                before: *const u8,
                count: usize,
            ) {
                // SAFETY: passed on from the caller.
                unsafe { kernel::shift_groups::<J>(values, before, count) }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn extreme<E: Extreme, T: Numeric>(to: *mut u8, from: *const u8, count: usize) {
                // SAFETY: passed on from the caller.
                unsafe { search::extreme::<E, T>(to, from, count) }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn find<T: Numeric>(from: *const u8, count: usize, wanted: *const u8) -> usize {
                // SAFETY: passed on from the caller.
                unsafe { search::find::<T>(from, count, wanted) }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn take_row<E: Extreme, T: Numeric>(
                best: *mut u8,
                places: *mut i64,
                row: *const u8,
                position: i64,
                width: usize,
            ) {
                // SAFETY: passed on from the caller.
                unsafe { search::take_row::<E, T>(best, places, row, position, width) }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn settles<T: Numeric, const SETTLING: bool>(from: *const u8, count: usize) -> bool {
                // SAFETY: passed on from the caller.
                unsafe { truth::settles::<T, SETTLING>(from, count) }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn fold_truths<T: Numeric, const SETTLING: bool>(
                to: *mut u8,
                from: *const u8,
                stride: isize,
                rows: usize,
                width: usize,
                continues: bool,
            ) {
                // SAFETY: passed on from the caller.
                unsafe { truth::fold::<T, SETTLING>(to, from, stride, rows, width, continues) }
            }

            /// Vectors where there are some.
            const fn by_vectors<E: Extreme>(searches: [Search; DTYPES]) -> [Search; DTYPES] {
                #[allow(unused_mut, reason = "an instruction set may have none")]
                let mut searches = searches;
                $({
                    #[target_feature(enable = $features)]
                    unsafe fn extreme<E: Extreme>(to: *mut u8, from: *const u8, count: usize) {
                        // SAFETY: passed on from the caller.
                        unsafe { vectors::extreme::<E, vectors::$name::$vector>(to, from, count) }
                    }

                    #[target_feature(enable = $features)]
                    unsafe fn find(from: *const u8, count: usize, wanted: *const u8) -> usize {
                        // SAFETY: passed on from the caller.
                        unsafe { vectors::find::<vectors::$name::$vector>(from, count, wanted) }
                    }

                    let search = &mut searches[DType::$vector as usize];
                    (search.extreme, search.find) = (extreme::<E>, find);
                })*
                searches
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn take_in<T: situ_ir::scalar::Floating, const N: usize>(
                columns: *mut u8,
                plane: usize,
                from: *const u8,
                stride: isize,
                rows: usize,
                width: usize,
                before: usize,
            ) where
                u64: situ_ir::scalar::CastTo<T>,
            {
                // SAFETY: passed on from the caller.
                unsafe { moments::take_in::<T, N>(columns, plane, from, stride, rows, width, before) }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn close<T: situ_ir::scalar::Floating>(
                to: *mut u8,
                columns: *const u8,
                plane: usize,
                width: usize,
                count: usize,
            ) where
                u64: situ_ir::scalar::CastTo<T>,
            {
                // SAFETY: passed on from the caller.
                unsafe { moments::close::<T>(to, columns, plane, width, count) }
            }

            #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
            unsafe fn halve_columns<T: situ_ir::scalar::Floating>(
                to: *mut u8,
                columns: *mut u8,
                live: usize,
                longer: usize,
                count: usize,
            ) where
                u64: situ_ir::scalar::CastTo<T>,
            {
                // SAFETY: passed on from the caller.
                unsafe { moments::halve::<T>(to, columns, live, longer, count) }
            }

            pub(super) static TABLES: Tables = Tables {
                loops: combining_ops!(rows_of_loops),
                greatest: by_vectors::<Greatest>(domain_types!(Numeric, searches, Greatest)),
                least: by_vectors::<Least>(domain_types!(Numeric, searches, Least)),
                any: domain_types!(Numeric, truths, true),
                all: domain_types!(Numeric, truths, false),
                moments_f32: moments_of!(f32),
                moments_f64: moments_of!(f64),
            };
        }
    )*};
}

compiled! {
    baseline, "sse2", [];
    #[cfg(target_arch = "x86_64")]
    avx2, "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt", [F32 F64 I32 I64];
    #[cfg(target_arch = "x86_64")]
    avx512, "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt", [F32 F64 I32 I64];
}
