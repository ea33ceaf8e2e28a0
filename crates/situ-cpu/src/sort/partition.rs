//! What is less than a key to the front, by whole vectors and in place.
//!
//! Blocks of vectors are read from both ends, and written to the places that became free there. The next block is read from
//! the end with fewer free places, before the last one is written, so that neither end runs out of them and no read waits for
//! the count of what was written just before.

#![cfg(target_arch = "x86_64")]

use super::lanes::Lanes;
use super::network::REGISTERS;

/// Vectors in a block.
const BLOCK: usize = 8;

/// The fewest vectors of keys that can be divided: what registers hold is not.
const LEAST: usize = 2 * BLOCK;
const _: () = assert!(LEAST <= REGISTERS);

/// The places that are free to be written: some at either end of what is still to be read.
struct Free<K: Lanes, const WITH_EQUAL: bool> {
    keys: *mut K,
    pivot: K::Vector,
    /// The first free place. What is before it is less than the pivot.
    start: usize,
    /// The place behind the last free one. What is there is not less.
    end: usize,
}

impl<K: Lanes, const WITH_EQUAL: bool> Free<K, WITH_EQUAL> {
    /// A bit for each key that belongs to the front.
    #[inline(always)]
    unsafe fn lesser(&self, vector: K::Vector) -> u32 {
        let all = ((1u64 << K::COUNT) - 1) as u32;
        // SAFETY: the caller's promise.
        unsafe { if WITH_EQUAL { !K::less(self.pivot, vector) & all } else { K::less(vector, self.pivot) } }
    }

    /// Writes the keys of a vector, and with each of them another key into a free place.
    ///
    /// # Safety
    ///
    /// As many places as a vector has are free at the front, and at the end: others, or the same ones.
    #[inline(always)]
    unsafe fn put(&mut self, vector: K::Vector) {
        // SAFETY: the caller's promise.
        unsafe {
            let bits = self.lesser(vector);
            let divided = K::divide(bits, vector);
            K::store(self.keys.add(self.start), divided);
            K::store(self.keys.add(self.end - K::COUNT), divided);
            let found = bits.count_ones() as usize;
            self.start += found;
            self.end -= K::COUNT - found;
        }
    }

    /// Writes the keys of a block.
    ///
    /// # Safety
    ///
    /// As for [`put`](Self::put), with as many places as a block has.
    #[inline(always)]
    unsafe fn put_block(&mut self, block: [K::Vector; BLOCK]) {
        for vector in block {
            // SAFETY: the caller's promise.
            unsafe { self.put(vector) };
        }
    }

    /// Writes the first keys of a vector.
    ///
    /// # Safety
    ///
    /// So many places are free.
    #[inline(always)]
    unsafe fn put_some(&mut self, vector: K::Vector, count: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            let present = ((1u64 << count) - 1) as u32;
            let bits = self.lesser(vector) & present;
            let found = bits.count_ones() as usize;
            self.end -= count - found;
            K::store_some(self.keys.add(self.start), K::compress(bits, vector), found);
            K::store_some(self.keys.add(self.end), K::compress(!bits & present, vector), count - found);
            self.start += found;
        }
    }
}

/// # Safety
///
/// As many keys as a block has can be read. The processor has AVX-512.
#[inline(always)]
unsafe fn read<K: Lanes>(from: *const K) -> [K::Vector; BLOCK] {
    // SAFETY: the caller's promise.
    unsafe {
        let mut vectors = [K::splat(K::MAX); BLOCK];
        for (n, vector) in vectors.iter_mut().enumerate() {
            *vector = K::load(from.add(n * K::COUNT));
        }
        vectors
    }
}

/// Brings what is less than the pivot, or equal to it where that counts as less, to the front: how many that are.
///
/// # Safety
///
/// So many initialised keys can be read and written, at least as many as [`LEAST`] vectors have. The processor has AVX-512.
#[inline(always)]
pub(super) unsafe fn partition<K: Lanes, const WITH_EQUAL: bool>(
    keys: *mut K,
    count: usize,
    pivot: K::Vector,
) -> usize {
    let block = BLOCK * K::COUNT;
    let mut free = Free::<K, WITH_EQUAL> { keys, pivot, start: 0, end: count };
    // SAFETY: the caller's promise. Between `from` and `to` is what has not been read. There are as many free places as keys
    // were read and not written: two blocks' each time round. The end with fewer of them gets a block's more, and the other
    // has a block's at least, so that all keys of a block can go to either.
    unsafe {
        let first = read(keys);
        let mut last = read(keys.add(count - block));
        let (mut from, mut to) = (block, count - block);
        while to - from >= block {
            // No branch, because nobody could predict it.
            let at_end = usize::from(from - free.start > free.end - to) * block;
            let next = read(keys.add(if at_end > 0 { to - block } else { from }));
            from += block - at_end;
            to -= at_end;
            free.put_block(last);
            last = next;
        }
        // Once the rest is read, all places are free. The last keys fill no vector; once they are written, the free places are
        // those of whole vectors, so that those at the front and at the end are others, or the same ones.
        let (whole, left) = ((to - from) / K::COUNT, (to - from) % K::COUNT);
        let mut rest = [pivot; BLOCK - 1];
        for (n, vector) in rest.iter_mut().enumerate() {
            let held = whole.saturating_sub(n).min(1) * K::COUNT;
            *vector = K::load_some(keys.wrapping_add(from + n * K::COUNT), held);
        }
        free.put_some(K::load_some(keys.add(to - left), left), left);
        for (n, vector) in rest.into_iter().enumerate() {
            if n < whole {
                free.put(vector);
            }
        }
        free.put_block(last);
        free.put_block(first);
    }
    free.start
}
