//! Keys in order, on one thread: quicksort by whole vectors, and networks for what is left.

use situ_ir::order::Key;

use crate::isa::Isa;
#[cfg(target_arch = "x86_64")]
use crate::sort::lanes::Lanes;
#[cfg(target_arch = "x86_64")]
use crate::sort::network::{REGISTERS, median, network};
#[cfg(target_arch = "x86_64")]
use crate::sort::partition::partition;

/// Keys that can be sorted here.
pub(super) trait Sortable: Key {
    /// Sorts keys.
    ///
    /// # Safety
    ///
    /// So many initialised keys can be read and written. The processor has the instruction set.
    unsafe fn sort(isa: Isa, keys: *mut Self, count: usize);

    /// Brings the lesser keys to the front, and says how many that are: about half, or those equal to the least key, or 0 where
    /// it cannot tell.
    ///
    /// # Safety
    ///
    /// As for [`sort`](Self::sort).
    unsafe fn split(isa: Isa, keys: *mut Self, count: usize) -> usize;

    /// The distance from a lesser key, in steps of a power of two. From a greater one it is some number.
    fn steps_from(self, least: Self, shift: u32) -> usize;
}

macro_rules! sortable {
    ($($type:ty, $quick:ident, $split:ident;)*) => {$(
        impl Sortable for $type {
            unsafe fn sort(isa: Isa, keys: *mut Self, count: usize) {
                // SAFETY: the caller's promise.
                unsafe {
                    match isa {
                        #[cfg(target_arch = "x86_64")]
                        Isa::Avx512 => $quick(keys, count, 2 * (usize::BITS - count.leading_zeros())),
                        _ => std::slice::from_raw_parts_mut(keys, count).sort_unstable(),
                    }
                }
            }

            unsafe fn split(isa: Isa, keys: *mut Self, count: usize) -> usize {
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    // SAFETY: the caller's promise.
                    Isa::Avx512 if count > REGISTERS * Self::COUNT => unsafe { $split(keys, count) },
                    _ => 0,
                }
            }

            #[inline(always)]
            fn steps_from(self, least: Self, shift: u32) -> usize {
                (self.wrapping_sub(least) >> shift) as usize
            }
        }

        /// # Safety
        ///
        /// As for [`Sortable::split`], with AVX-512, and there are more keys than registers hold.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,popcnt,lzcnt")]
        unsafe fn $split(keys: *mut $type, count: usize) -> usize {
            // SAFETY: the caller's promise.
            unsafe {
                let pivot = pivot(keys, count);
                match partition::<$type, false>(keys, count, pivot) {
                    0 => partition::<$type, true>(keys, count, pivot),
                    less => less,
                }
            }
        }

        /// # Safety
        ///
        /// As for [`Sortable::sort`], with AVX-512.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,popcnt,lzcnt")]
        unsafe fn $quick(mut keys: *mut $type, mut count: usize, mut depth: u32) {
            // SAFETY: the caller's promise; parts are smaller, and lie inside.
            unsafe {
                while let Some((less, rest)) = divide(keys, count, &mut depth) {
                    if less > 0 {
                        $quick(keys, less, depth);
                    }
                    keys = keys.add(rest);
                    count -= rest;
                }
            }
        }
    )*};
}
sortable! {
    u32, quick_u32, split_u32;
    u64, quick_u64, split_u64;
}

/// Divides keys: how many at the front have to be sorted by themselves, and where the rest begins that has to be sorted
/// too. `None` if all are in order already.
///
/// # Safety
///
/// As for [`Sortable::sort`], with AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn divide<K: Lanes>(keys: *mut K, count: usize, depth: &mut u32) -> Option<(usize, usize)> {
    // SAFETY: the caller's promise.
    unsafe {
        if count <= REGISTERS * K::COUNT {
            network(keys, count);
            return None;
        }
        if *depth == 0 {
            std::slice::from_raw_parts_mut(keys, count).sort_unstable();
            return None;
        }
        *depth -= 1;
        let pivot = pivot(keys, count);
        match partition::<K, false>(keys, count, pivot) {
            // Nothing is less: what is equal to the pivot comes first, and is in order.
            0 => Some((0, partition::<K, true>(keys, count, pivot))),
            less => Some((less, less)),
        }
    }
}

/// A key about half of the keys are less than, in all lanes.
///
/// # Safety
///
/// There are more keys than registers hold. The processor has the instructions.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn pivot<K: Lanes>(keys: *const K, count: usize) -> K::Vector {
    // SAFETY: the caller's promise; samples lie inside.
    unsafe { if count > 64 * K::COUNT { median::<K, 8>(keys, count) } else { median::<K, 4>(keys, count) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys of every kind that is hard on some way of sorting: a name, and the n-th of so many.
    type Pattern = (&'static str, fn(u64, u64, u64) -> u64);

    const PATTERNS: [Pattern; 13] = [
        ("any", |_, _, random| random),
        ("few different", |_, _, random| random % 5),
        ("some different", |_, _, random| random % 100),
        ("two", |_, _, random| if random % 2 == 0 { 3 } else { u64::MAX }),
        ("equal", |_, _, _| 7),
        ("greatest", |_, _, _| u64::MAX),
        ("least, mostly", |_, _, random| if random % 8 == 0 { random } else { 0 }),
        ("ascending", |n, _, _| n),
        ("descending", |n, _, _| u64::MAX - n),
        ("up and down", |n, count, _| n.min(count - n)),
        ("down and up", |n, count, _| n.max(count - n)),
        ("saw", |n, _, _| n % 17),
        ("alternating", |n, _, _| if n % 2 == 0 { n } else { u64::MAX }),
    ];

    fn each_pattern(lengths: impl Iterator<Item = usize>, mut check: impl FnMut(&str, Vec<u64>)) {
        let mut seed = 1u64;
        for length in lengths {
            for (name, key) in PATTERNS {
                let keys = (0..length as u64).map(|n| {
                    seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    key(n, length as u64, seed ^ (seed >> 29))
                });
                check(name, keys.collect());
            }
        }
    }

    fn available() -> impl Iterator<Item = Isa> {
        Isa::ALL.into_iter().filter(|isa| isa.is_available())
    }

    /// Sorts in the middle of other keys, which stay as they are.
    fn check_sort<K: Sortable>(isa: Isa, name: &str, keys: &[K]) {
        let mut wanted = keys.to_vec();
        wanted.sort_unstable();
        let others = [K::default(); 40];
        let mut all = [&others, keys, &others].concat();
        // SAFETY: there are so many keys behind the first others.
        unsafe { K::sort(isa, all.as_mut_ptr().add(others.len()), keys.len()) };
        let is_inside = others.len()..others.len() + keys.len();
        assert!(all[is_inside.clone()] == wanted, "{isa:?}, {name}, {}", keys.len());
        assert!(all[..others.len()] == others && all[is_inside.end..] == others, "{isa:?}, {name}, {}", keys.len());
    }

    #[test]
    fn keys_of_every_length_and_pattern() {
        for isa in available() {
            each_pattern((0..600).chain([1000, 1001, 4097, 70_001]), |name, keys| {
                check_sort(isa, name, &keys);
                check_sort(isa, name, &keys.iter().map(|&key| key as u32).collect::<Vec<_>>());
            });
        }
    }

    #[test]
    fn a_split_leaves_lesser_keys_at_the_front() {
        fn check<K: Sortable>(isa: Isa, name: &str, mut keys: Vec<K>) {
            let mut wanted = keys.clone();
            wanted.sort_unstable();
            // SAFETY: there are so many keys.
            let less = unsafe { K::split(isa, keys.as_mut_ptr(), keys.len()) };
            if isa == Isa::Avx512 && name == "any" && keys.len() > 1000 {
                assert!((keys.len() / 4..=keys.len() / 4 * 3).contains(&less), "{less} of {}", keys.len());
            }
            keys[..less].sort_unstable();
            keys[less..].sort_unstable();
            assert!(keys == wanted, "{isa:?}, {name}, {}", keys.len());
        }
        for isa in available() {
            each_pattern([0, 1, 127, 129, 255, 257, 300, 511, 777, 5000, 5001].into_iter(), |name, keys| {
                check(isa, name, keys.iter().map(|&key| key as u32).collect());
                check(isa, name, keys);
            });
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn bad_pivots_end_at_the_limit_of_depth() {
        if !Isa::Avx512.is_available() {
            return;
        }
        let mut keys: Vec<u64> = (0..5000).map(|n| n * 7919 % 5003).collect();
        let mut wanted = keys.clone();
        wanted.sort_unstable();
        // SAFETY: there are so many keys, and the processor has AVX-512.
        unsafe { quick_u64(keys.as_mut_ptr(), keys.len(), 2) };
        assert_eq!(keys, wanted);
    }
}
