//! How much to ask for a large block, and where in it the block begins: pure arithmetic.

use situ_hal::Address;

use super::class::MIN_ALIGN;

/// Loads and stores whose addresses are equal or nearly so modulo this many bytes hold each other up.
const ALIAS: usize = 4096;
/// Distance between the places where blocks may begin, modulo [`ALIAS`].
const COLOUR_STEP: usize = 256;
/// Number of such places.
const COLOURS: usize = ALIAS / COLOUR_STEP;

/// What a large block needs of the region it will lie in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// Power of two, at least 64.
    align: usize,
    /// Whether beginnings are spread modulo [`ALIAS`].
    coloured: bool,
    /// The smallest region that will do.
    pub(super) least: usize,
    /// The region to ask for when there is none to reuse.
    pub(super) ideal: usize,
    /// The largest region worth reusing.
    pub(super) most: usize,
}

impl Span {
    /// The needs of a request, or `None` where no address space could hold it.
    pub(super) fn new(bytes: usize, align: usize, large_block: usize, coloured: bool) -> Option<Span> {
        let align = align.max(MIN_ALIGN);
        // The driver aligns regions of at least a large block to it, everything else to 64 only.
        let align_room = if bytes >= large_block && align <= large_block { 0 } else { align - MIN_ALIGN };
        let colour_room = if coloured { ALIAS - MIN_ALIGN } else { 0 };
        let least = bytes.checked_add(align_room.max(colour_room))?;
        let ideal = round(least, large_block.max(ALIAS))?;
        if ideal > isize::MAX as usize {
            return None;
        }
        Some(Span { align, coloured, least, ideal, most: ideal.max(least + least / 7) })
    }

    /// How far into the region the `turn`-th block begins.
    ///
    /// Sixteen successive turns begin at sixteen places modulo 4096, neighbours about half of it apart.
    pub(super) fn offset(&self, region: Address, turn: usize) -> usize {
        let start = region.value();
        if !self.coloured || self.align >= ALIAS {
            return start.next_multiple_of(self.align) - start;
        }
        let colour = (turn.wrapping_mul(7) % COLOURS) * COLOUR_STEP;
        let colour = colour & !(self.align - 1);
        colour.wrapping_sub(start) % ALIAS
    }
}

/// The size to ask for: whole large blocks where at most an eighth of them is wasted, else the next eighth of a power
/// of two.
fn round(bytes: usize, large_block: usize) -> Option<usize> {
    let step = ((1usize << bytes.ilog2()) / 8).max(ALIAS);
    if bytes >= large_block {
        let whole = bytes.checked_next_multiple_of(large_block)?;
        if (whole - bytes) <= whole / 8 {
            return Some(whole);
        }
    }
    bytes.checked_next_multiple_of(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn at_most_an_eighth_is_wasted_beyond_the_room_for_the_colour() {
        for bytes in (32 * 1024 + 1..64 * MIB).step_by(9973) {
            for coloured in [false, true] {
                let span = Span::new(bytes, 64, 2 * MIB, coloured).expect("fits");
                let room = if coloured { 4032 } else { 0 };
                assert_eq!(span.least, bytes + room);
                assert!(span.ideal >= span.least);
                for region in [span.ideal, span.most] {
                    assert!((region - span.least) * 8 <= region + 8, "{bytes} in {region}");
                }
            }
        }
    }

    #[test]
    fn large_requests_are_whole_large_blocks() {
        for bytes in (16 * MIB..200 * MIB).step_by(777_777) {
            let span = Span::new(bytes, 64, 2 * MIB, true).expect("fits");
            assert_eq!(span.ideal % (2 * MIB), 0, "{bytes}");
        }
        assert_eq!(Span::new(2 * MIB, 4096, 2 * MIB, false).expect("fits").ideal, 2 * MIB);
    }

    #[test]
    fn a_block_fits_its_region_wherever_the_region_begins() {
        for bytes in [40_000, 1_000_000, 3 * MIB] {
            for shift in 6..=22 {
                let align = 1usize << shift;
                for coloured in [false, true] {
                    let span = Span::new(bytes, align, 2 * MIB, coloured).expect("fits");
                    let starts: &[usize] =
                        if span.least >= 2 * MIB { &[2 * MIB, 6 * MIB] } else { &[64, 4096, 4160, 65536 - 64] };
                    for &start in starts {
                        for turn in 0..20 {
                            let at = span.offset(Address(start as *mut u8), turn);
                            assert_eq!((start + at) % align, 0);
                            assert!(at + bytes <= span.least, "{bytes} at {align}: {at}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_driver_that_aligns_to_little_leaves_room_for_more() {
        for (bytes, align) in [(40_000, 4096), (40_000, 256), (5 * MIB, 65536), (100, 2048)] {
            let span = Span::new(bytes, align, 256, false).expect("fits");
            for start in [256, 512, 4096 + 256, 65536 - 256] {
                let at = span.offset(Address(start as *mut u8), 0);
                assert_eq!((start + at) % align, 0);
                assert!(at + bytes <= span.least, "{bytes} at {align}: {at}");
            }
        }
    }

    #[test]
    fn absurd_sizes_are_refused() {
        for bytes in [usize::MAX, usize::MAX - 4096, isize::MAX as usize, usize::MAX / 2 + 2] {
            for align in [64, 4096, 1 << 30, 1 << 63] {
                assert_eq!(Span::new(bytes, align, 2 * MIB, true), None);
            }
        }
        assert_eq!(Span::new(1, 1 << 63, 2 * MIB, true), None);
    }
}
