//! Few keys in order, in registers.
//!
//! Keys are columns of several vectors. A network sorts all columns at once; bitonic networks merge neighbours, then pairs of
//! neighbours and so on; and the columns are written one after another.

#![cfg(target_arch = "x86_64")]

use super::lanes::Lanes;

/// Vectors whose keys are sorted in registers.
pub(super) const REGISTERS: usize = 16;

/// Sorts keys.
///
/// # Safety
///
/// At most as many initialised keys as registers hold can be read and written. The processor has AVX-512.
#[inline(always)]
pub(super) unsafe fn network<K: Lanes>(keys: *mut K, count: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match count.div_ceil(K::COUNT) {
            0 => {}
            1 => sort::<K, 1>(keys, count),
            2 => sort::<K, 2>(keys, count),
            3 | 4 => sort::<K, 4>(keys, count),
            5..=8 => sort::<K, 8>(keys, count),
            _ => sort::<K, REGISTERS>(keys, count),
        }
    }
}

/// # Safety
///
/// As for [`network`], with so many registers.
#[inline(always)]
unsafe fn sort<K: Lanes, const N: usize>(keys: *mut K, count: usize) {
    // SAFETY: the caller's promise; greatest keys stand in for those that are missing, and are not written.
    unsafe {
        let held = |n: usize| count.saturating_sub(n * K::COUNT).min(K::COUNT);
        let mut vectors = [K::splat(K::MAX); N];
        for (n, vector) in vectors.iter_mut().enumerate() {
            *vector = K::load_some(keys.wrapping_add(n * K::COUNT), held(n));
        }
        sort_columns::<K, N>(&mut vectors);
        merge_columns::<K, N>(&mut vectors);
        transpose::<K, N>(&mut vectors);
        for (n, vector) in vectors.iter().enumerate() {
            K::store_some(keys.wrapping_add(n * K::COUNT), *vector, held(n));
        }
    }
}

/// The middle of the middle keys of columns, of so many vectors of the keys, in all lanes.
///
/// # Safety
///
/// There are at least as many keys as those vectors have. The processor has AVX-512.
#[inline(always)]
pub(super) unsafe fn median<K: Lanes, const N: usize>(keys: *const K, count: usize) -> K::Vector {
    // SAFETY: the caller's promise.
    unsafe {
        let step = (count - K::COUNT) / (N - 1);
        let mut sample = [K::splat(K::MAX); N];
        for (n, vector) in sample.iter_mut().enumerate() {
            *vector = K::load(keys.add(n * step));
        }
        sort_columns::<K, N>(&mut sample);
        let mut middles = [sample[N / 2]];
        merge_columns::<K, 1>(&mut middles);
        K::middle(middles[0])
    }
}

/// Compares vectors that follow a first one, pair by pair. (A macro, because a closure has no AVX-512.)
macro_rules! exchange_pairs {
    ($vectors:ident, $start:ident: $($a:literal $b:literal),*) => {
        // SAFETY: the caller's promise.
        unsafe { $(exchange::<K, N>($vectors, $start + $a, $start + $b);)* }
    };
}

/// Sorts columns by Batcher's odd-even merges.
///
/// # Safety
///
/// The processor has AVX-512; so for all that follow.
#[inline(always)]
unsafe fn sort_columns<K: Lanes, const N: usize>(vectors: &mut [K::Vector; N]) {
    const { assert!(N <= REGISTERS) };
    for start in (0..N / 2 * 2).step_by(2) {
        exchange_pairs!(vectors, start: 0 1);
    }
    for start in (0..N / 4 * 4).step_by(4) {
        exchange_pairs!(vectors, start: 0 2, 1 3, 1 2);
    }
    for start in (0..N / 8 * 8).step_by(8) {
        exchange_pairs!(vectors, start: 0 4, 1 5, 2 6, 3 7, 2 4, 3 5, 1 2, 3 4, 5 6);
    }
    for start in (0..N / 16 * 16).step_by(16) {
        exchange_pairs!(vectors, start: 0 8, 1 9, 2 10, 3 11, 4 12, 5 13, 6 14, 7 15);
        exchange_pairs!(vectors, start: 4 8, 5 9, 6 10, 7 11, 2 4, 3 5, 6 8, 7 9, 10 12, 11 13);
        exchange_pairs!(vectors, start: 1 2, 3 4, 5 6, 7 8, 9 10, 11 12, 13 14);
    }
}

/// Merges sorted columns: the first column ends up with the least keys.
#[inline(always)]
unsafe fn merge_columns<K: Lanes, const N: usize>(vectors: &mut [K::Vector; N]) {
    // SAFETY: the caller's promise.
    unsafe {
        merge::<K, N, 2>(vectors);
        merge::<K, N, 4>(vectors);
        merge::<K, N, 8>(vectors);
        if K::COUNT == 16 {
            merge::<K, N, 16>(vectors);
        }
    }
}

/// Merges halves of groups of so many columns. (A constant, so that permutations are.)
#[inline(always)]
unsafe fn merge<K: Lanes, const N: usize, const GROUP: usize>(vectors: &mut [K::Vector; N]) {
    // SAFETY: the caller's promise.
    unsafe {
        // The first half of the columns, and the second backwards, ascend and descend.
        if N == 1 {
            vectors[0] = K::halves::<GROUP>(vectors[0], K::turned::<GROUP>(vectors[0]));
        }
        for n in 0..N / 2 {
            let (first, last) = (vectors[n], K::turned::<GROUP>(vectors[N - 1 - n]));
            let (first, last) = K::both_halves::<GROUP>(first, last);
            (vectors[n], vectors[N - 1 - n]) = (first, K::turned::<GROUP>(last));
        }
        if GROUP > 8 {
            for vector in vectors.iter_mut() {
                *vector = K::halves::<8>(*vector, K::swapped::<4>(*vector));
            }
        }
        if GROUP > 4 {
            for vector in vectors.iter_mut() {
                *vector = K::halves::<4>(*vector, K::swapped::<2>(*vector));
            }
        }
        if GROUP > 2 {
            for vector in vectors.iter_mut() {
                *vector = K::halves::<2>(*vector, K::swapped::<1>(*vector));
            }
        }
        let mut distance = N / 2;
        while distance > 0 {
            for n in 0..N {
                if n & distance == 0 {
                    exchange::<K, N>(vectors, n, n + distance);
                }
            }
            distance /= 2;
        }
    }
}

/// Turns columns into rows.
#[inline(always)]
unsafe fn transpose<K: Lanes, const N: usize>(vectors: &mut [K::Vector; N]) {
    let mut distance = N / 2;
    while distance > 0 {
        for n in 0..N {
            if n & distance == 0 {
                // SAFETY: the caller's promise.
                (vectors[n], vectors[n + distance]) = unsafe { K::interleaved(vectors[n], vectors[n + distance]) };
            }
        }
        distance /= 2;
    }
}

/// The lesser of two vectors' keys into the first, the greater ones into the second.
#[inline(always)]
unsafe fn exchange<K: Lanes, const N: usize>(vectors: &mut [K::Vector; N], a: usize, b: usize) {
    // SAFETY: the caller's promise.
    (vectors[a], vectors[b]) = unsafe { K::exchange(vectors[a], vectors[b]) };
}
