//! Size classes of small blocks: pure arithmetic.
//!
//! Sizes are multiples of 64 up to 256, then four steps to each power of two. A block wastes less than 64 bytes or
//! less than a fifth of itself, whichever is more.

/// The largest block that is carved from a slab.
pub(super) const SMALL_MAX: usize = 32 * 1024;
/// Number of size classes.
pub(super) const CLASSES: usize = 32;
/// The alignment every block has.
pub(super) const MIN_ALIGN: usize = 64;
/// Bytes asked of the driver at a time, to carve small blocks from.
pub(super) const SLAB_BYTES: usize = 1 << 20;

/// Bytes of one class that a thread may keep to itself.
const LOCAL_BYTES: usize = 128 * 1024;

/// Bytes in a block of the class.
pub(super) const fn size(class: usize) -> usize {
    if class < 4 {
        (class + 1) * 64
    } else {
        let (doubling, step) = ((class - 4) / 4, (class - 4) % 4);
        (64 << doubling) * (5 + step)
    }
}

/// The smallest class that holds so many bytes (1 to [`SMALL_MAX`]).
const fn holding(bytes: usize) -> usize {
    let last = bytes - 1;
    if last < 256 {
        last / 64
    } else {
        let doubling = last.ilog2() as usize - 8;
        4 + 4 * doubling + ((last >> (doubling + 6)) & 3)
    }
}

/// The class that serves a request, or `None` where only a large block can. `bytes` is not 0, `align` a power of two.
#[inline]
pub(super) fn of(bytes: usize, align: usize) -> Option<usize> {
    if bytes > SMALL_MAX || align > SMALL_MAX {
        return None;
    }
    let class = holding(bytes.max(align));
    if align <= MIN_ALIGN {
        return Some(class);
    }
    // Blocks lie at multiples of their size from an address aligned to the size's largest power of two.
    (class..CLASSES).find(|&c| size(c).is_multiple_of(align))
}

/// What the first block of a slab is aligned to, so that every block is aligned to whatever divides the size.
pub(super) const fn slab_align(class: usize) -> usize {
    1 << size(class).trailing_zeros()
}

/// Blocks of the class that a thread may keep to itself.
pub(super) const fn local_capacity(class: usize) -> usize {
    let fit = LOCAL_BYTES / size(class);
    if fit > 128 { 128 } else { fit }
}

/// Blocks that move between a thread and the shared lists at a time.
pub(super) const fn batch(class: usize) -> usize {
    local_capacity(class) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_small_size_gets_the_smallest_class_that_holds_it() {
        for bytes in 1..=SMALL_MAX {
            let class = of(bytes, 1).expect("small");
            assert!(size(class) >= bytes, "{bytes}");
            assert!(class == 0 || size(class - 1) < bytes, "{bytes}");
            let waste = size(class) - bytes;
            assert!(waste < 64 || waste * 5 < size(class), "{bytes} wastes {waste}");
        }
        assert_eq!(size(CLASSES - 1), SMALL_MAX);
        assert_eq!(of(SMALL_MAX + 1, 1), None);
    }

    #[test]
    fn an_aligned_request_gets_a_class_whose_slab_is_as_aligned() {
        for shift in 0..=15 {
            let align = 1usize << shift;
            for bytes in [1, 63, 64, 65, 300, 1000, 5000, 32768] {
                let class = of(bytes, align).expect("small");
                assert!(size(class) >= bytes && size(class).is_multiple_of(align.max(64)), "{bytes} at {align}");
                assert!(slab_align(class) >= align, "{bytes} at {align}");
            }
        }
        assert_eq!(of(1, 65536), None);
    }

    #[test]
    fn threads_keep_at_least_a_pair_and_move_at_least_one() {
        for class in 0..CLASSES {
            assert!(local_capacity(class) >= 4 && batch(class) >= 2, "{class}");
        }
    }
}
