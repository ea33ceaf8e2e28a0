//! Keys in order, on one thread: quicksort by whole vectors, and networks for what is left.
//!
//! A partition reads vectors, packs what is less than the pivot to the front of the same memory and the rest into other
//! memory, and copies the rest back. Few keys are sorted in registers, by a bitonic network.

use situ_ir::order::Key;

use crate::isa::Isa;
#[cfg(target_arch = "x86_64")]
use crate::sort::lanes::Lanes;

/// Keys that can be sorted here.
pub(super) trait Sortable: Key {
    /// Sorts keys; `spare` is as much memory again.
    ///
    /// # Safety
    ///
    /// So many keys can be read and written at both places, and those at the first are initialised. The processor has the
    /// instruction set.
    unsafe fn sort(isa: Isa, keys: *mut Self, count: usize, spare: *mut Self);

    /// Brings the lesser keys to the front, and says how many that are: about half, or 0 where it cannot tell.
    ///
    /// # Safety
    ///
    /// As for [`sort`](Self::sort).
    unsafe fn split(isa: Isa, keys: *mut Self, count: usize, spare: *mut Self) -> usize;

    /// The distance from a lesser key, in steps of a power of two. From a greater one it is some number.
    fn steps_from(self, least: Self, shift: u32) -> usize;
}

macro_rules! sortable {
    ($($type:ty, $quick:ident, $split:ident;)*) => {$(
        impl Sortable for $type {
            unsafe fn sort(isa: Isa, keys: *mut Self, count: usize, spare: *mut Self) {
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    // SAFETY: the caller's promise.
                    Isa::Avx512 => unsafe { $quick(keys, count, spare, 2 * (usize::BITS - count.leading_zeros())) },
                    // SAFETY: the caller's promise.
                    _ => unsafe { std::slice::from_raw_parts_mut(keys, count) }.sort_unstable(),
                }
            }

            unsafe fn split(isa: Isa, keys: *mut Self, count: usize, spare: *mut Self) -> usize {
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    // SAFETY: the caller's promise.
                    Isa::Avx512 if count > REGISTERS * Self::COUNT => unsafe { $split(keys, count, spare) },
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
        /// As for [`Sortable::split`], with AVX-512.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,popcnt,lzcnt")]
        unsafe fn $split(keys: *mut $type, count: usize, spare: *mut $type) -> usize {
            // SAFETY: the caller's promise.
            unsafe { partition::<$type, false>(keys, count, spare, pivot(keys, count)) }
        }

        /// # Safety
        ///
        /// As for [`Sortable::sort`], with AVX-512.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,popcnt,lzcnt")]
        unsafe fn $quick(mut keys: *mut $type, mut count: usize, spare: *mut $type, mut depth: u32) {
            // SAFETY: the caller's promise; parts are smaller, and keys of parts lie in that memory.
            unsafe {
                while let Some((less, rest)) = divide(keys, count, spare, &mut depth) {
                    if less > 0 {
                        $quick(keys, less, spare, depth);
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

/// Vectors whose keys are sorted in registers.
#[cfg(target_arch = "x86_64")]
const REGISTERS: usize = 8;

/// Divides keys: how many at the front have to be sorted by themselves, and where the rest begins that has to be sorted
/// too. `None` if all are in order already.
///
/// # Safety
///
/// As for [`Sortable::sort`], with AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn divide<K: Lanes>(keys: *mut K, count: usize, spare: *mut K, depth: &mut u32) -> Option<(usize, usize)> {
    // SAFETY: the caller's promise.
    unsafe {
        if count <= REGISTERS * K::COUNT {
            match count.div_ceil(K::COUNT) {
                0 => {}
                1 => network::<K, 1>(keys, count),
                2 => network::<K, 2>(keys, count),
                3 | 4 => network::<K, 4>(keys, count),
                _ => network::<K, REGISTERS>(keys, count),
            }
            return None;
        }
        if *depth == 0 {
            std::slice::from_raw_parts_mut(keys, count).sort_unstable();
            return None;
        }
        *depth -= 1;
        let pivot = pivot(keys, count);
        match partition::<K, false>(keys, count, spare, pivot) {
            // Nothing is less: what is equal to the pivot comes first, and is in order.
            0 => Some((0, partition::<K, true>(keys, count, spare, pivot))),
            less => Some((less, less)),
        }
    }
}

/// A key about half of the keys are less than.
///
/// # Safety
///
/// There are more keys than a vector has.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn pivot<K: Lanes>(keys: *const K, count: usize) -> K {
    // SAFETY: the caller's promise; samples lie inside.
    unsafe {
        // Of many keys, the middle of the middles of several samples.
        let samples = if count > 512 * REGISTERS * K::COUNT { K::COUNT } else { 1 };
        let step = count / (samples * K::COUNT);
        let mut middles = [K::MAX; 16];
        for (n, middle) in middles.iter_mut().enumerate().take(samples) {
            let mut sample = [K::MAX; 16];
            (0..K::COUNT).for_each(|i| sample[i] = *keys.add(step / 2 + step * (n + samples * i)));
            *middle = median(&sample);
        }
        if samples == 1 { middles[0] } else { median(&middles) }
    }
}

/// # Safety
///
/// The processor has the instructions.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn median<K: Lanes>(sample: &[K; 16]) -> K {
    let mut sorted = [K::MAX; 16];
    // SAFETY: a vector has at most 16 keys.
    unsafe { K::store(sorted.as_mut_ptr(), K::sorted(K::load(sample.as_ptr()))) };
    sorted[K::COUNT / 2]
}

/// Brings what is less than the pivot, or equal to it where that counts as less, to the front: how many that are.
///
/// # Safety
///
/// As for [`Sortable::sort`], with AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn partition<K: Lanes, const WITH_EQUAL: bool>(keys: *mut K, count: usize, spare: *mut K, pivot: K) -> usize {
    let (mut less, mut other, mut at) = (0, 0, 0);
    // SAFETY: the caller's promise. What is written to the front has been read before: at most as many keys are less as
    // have been read. Nor do more keys go to the spare memory.
    unsafe {
        let pivot = K::splat(pivot);
        let is_less = |vector: K::Vector| {
            if WITH_EQUAL { !K::less(pivot, vector) } else { K::less(vector, pivot) }
        };
        let all = ((1u64 << K::COUNT) - 1) as u32;
        while at + K::COUNT <= count {
            let vector = K::load(keys.add(at));
            let bits = is_less(vector) & all;
            K::store(keys.add(less), K::compress(bits, vector));
            K::store(spare.add(other), K::compress(!bits & all, vector));
            let found = bits.count_ones() as usize;
            less += found;
            other += K::COUNT - found;
            at += K::COUNT;
        }
        let left = count - at;
        if left > 0 {
            let vector = K::load_some(keys.add(at), left);
            let present = ((1u64 << left) - 1) as u32;
            let bits = is_less(vector) & present;
            let found = bits.count_ones() as usize;
            K::store_some(keys.add(less), K::compress(bits, vector), found);
            K::store_some(spare.add(other), K::compress(!bits & present, vector), left - found);
            less += found;
            other += left - found;
        }
        std::ptr::copy_nonoverlapping(spare, keys.add(less), other);
    }
    less
}

/// Sorts at most as many keys as so many vectors have.
///
/// # Safety
///
/// As for [`Sortable::sort`], with AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn network<K: Lanes, const N: usize>(keys: *mut K, count: usize) {
    // SAFETY: the caller's promise; greatest keys stand in for those that are missing, and are not written.
    unsafe {
        let held = |n: usize| count.saturating_sub(n * K::COUNT).min(K::COUNT);
        let mut vectors = [K::splat(K::MAX); N];
        for (n, vector) in vectors.iter_mut().enumerate() {
            *vector = K::sorted(K::load_some(keys.wrapping_add(n * K::COUNT), held(n)));
        }
        let mut width = 1;
        while width < N {
            let mut start = 0;
            while start < N {
                // Two sorted runs, the second backwards, are one that ascends and descends.
                vectors[start + width..start + 2 * width].reverse();
                for vector in &mut vectors[start + width..start + 2 * width] {
                    *vector = K::reversed(*vector);
                }
                let mut distance = width;
                while distance > 0 {
                    for n in start..start + 2 * width {
                        if (n - start) & distance == 0 {
                            exchange::<K, N>(&mut vectors, n, n + distance);
                        }
                    }
                    distance /= 2;
                }
                for vector in &mut vectors[start..start + 2 * width] {
                    *vector = K::merged(*vector);
                }
                start += 2 * width;
            }
            width *= 2;
        }
        for (n, vector) in vectors.iter().enumerate() {
            K::store_some(keys.wrapping_add(n * K::COUNT), *vector, held(n));
        }
    }
}

/// The lesser of two vectors' keys into the first, the greater ones into the second.
///
/// # Safety
///
/// The processor has the instructions.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn exchange<K: Lanes, const N: usize>(vectors: &mut [K::Vector; N], a: usize, b: usize) {
    let (first, second) = (vectors[a], vectors[b]);
    // SAFETY: the caller's promise.
    unsafe {
        let bits = K::less(first, second);
        vectors[a] = K::blend(bits, second, first);
        vectors[b] = K::blend(bits, first, second);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<K: Sortable>(isa: Isa, mut keys: Vec<K>) {
        let mut spare = keys.clone();
        let mut wanted = keys.clone();
        wanted.sort_unstable();
        // SAFETY: both are as long.
        unsafe { K::sort(isa, keys.as_mut_ptr(), keys.len(), spare.as_mut_ptr()) };
        assert_eq!(keys, wanted, "{isa:?}");
    }

    #[test]
    fn keys_of_every_length_and_variety() {
        let mut seed = 1u64;
        let mut number = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            seed ^ (seed >> 29)
        };
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
            for length in (0..300).chain([1000, 1001, 4097, 70_001]) {
                for limit in [1, 2, 5, 100, u64::MAX] {
                    check(isa, (0..length).map(|_| number() % limit).collect::<Vec<u64>>());
                    check(isa, (0..length).map(|_| (number() % limit) as u32).collect::<Vec<u32>>());
                }
                check(isa, (0..length as u64).collect());
                check(isa, (0..length as u64).map(|n| u64::MAX - n).collect());
                check(isa, (0..length as u64).map(|n| if n % 2 == 0 { n } else { u64::MAX }).collect());
            }
        }
    }
}
