//! Elements as the kernels of sorting and searching see them: bits, and the place they have in an order.

use situ_types::DType;

use crate::dialect::suffix;
use crate::indexing::element_type;

/// Values of a digit: keys are sorted by one of 8 bits at a time.
pub(super) const DIGITS: u32 = 256;

/// Elements of a dtype. The direction of the order is told at launch, so that both take the same kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ordered(pub(super) DType);

impl Ordered {
    /// Bytes of an element, and of its key.
    pub(super) fn width(self) -> usize {
        self.0.size()
    }

    /// By how many digits elements are told apart.
    pub(super) fn digits(self) -> u32 {
        self.width() as u32
    }

    /// What kernels are called after.
    pub(super) fn name(self) -> &'static str {
        suffix(self.0)
    }

    /// The type that holds an element's bits.
    pub(super) fn element(self) -> String {
        element_type(self.width() as u8)
    }

    fn is_pair(self) -> bool {
        self.width() == 16
    }

    /// The type `word` of an element's bits, and `place_of` them: what is sorted by, as an unsigned number as wide.
    pub(super) fn place_of(self) -> String {
        let (element, dtype) = (self.element(), suffix(self.0));
        format!(
            "typedef {element} word;

// The place of an element in the order.
INLINE word place_of(word element) {{ return key_{dtype}(element); }}\n\n"
        )
    }

    /// `digit_of` an element, from a binary digit of its place on; the other way round if all bits of `flip` are set.
    pub(super) fn digit_of(self) -> String {
        let shifted = if self.is_pair() {
            "(shift < 64u ? place.low >> shift : place.high >> (shift - 64u))"
        } else {
            "(place >> shift)"
        };
        format!(
            "// The digit of an element's place that begins at a binary one; what is left to 255 of it, if that is to be flipped.
INLINE u32 digit_of(word element, u32 shift, u32 flip) {{
    const word place = place_of(element);
    return ((u32){shifted} & 255u) ^ flip;
}}\n\n"
        )
    }

    /// `comes_before` and `is_same`, about places.
    pub(super) fn comparisons(self) -> String {
        let (before, same) = if self.is_pair() {
            ("a.high != b.high ? a.high < b.high : a.low < b.low", "a.high == b.high && a.low == b.low")
        } else {
            ("a < b", "a == b")
        };
        format!(
            "INLINE u32 comes_before(word a, word b) {{ return {before}; }}

INLINE u32 is_same(word a, word b) {{ return {same}; }}\n\n"
        )
    }

    /// `differs` from everything: what is not a number, by its place.
    pub(super) fn differs(self) -> String {
        format!("INLINE u32 differs(word place) {{ return DIFFERS_{}(place); }}\n\n", suffix(self.0))
    }
}
