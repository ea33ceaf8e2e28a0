//! Elements as the kernels of sorting and searching see them: bits, and the place they have in an order.

use situ_types::DType;

use crate::dialect::suffix;
use crate::indexing::element_type;

/// Values of a digit: keys are sorted by one of 8 bits at a time.
pub(super) const DIGITS: u32 = 256;

/// Elements of a dtype, in one of two directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ordered {
    pub(super) dtype: DType,
    pub(super) descending: bool,
}

impl Ordered {
    /// Bytes of an element, and of its key.
    pub(super) fn width(self) -> usize {
        self.dtype.size()
    }

    /// By how many digits elements are told apart.
    pub(super) fn digits(self) -> u32 {
        self.width() as u32
    }

    /// What kernels are called after.
    pub(super) fn name(self) -> String {
        let direction = if self.descending { "_descending" } else { "" };
        format!("{}{direction}", suffix(self.dtype))
    }

    /// Words about the direction.
    pub(super) fn about(self) -> &'static str {
        if self.descending { "greatest first" } else { "least first" }
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
        let (element, key) = (self.element(), format!("key_{}(element)", suffix(self.dtype)));
        let place = match (self.descending, self.is_pair()) {
            (false, _) => format!("    return {key};\n"),
            (true, false) => format!("    return (word)~{key};\n"),
            (true, true) => format!(
                "    word place = {key};
    place.low = ~place.low;
    place.high = ~place.high;
    return place;\n"
            ),
        };
        format!(
            "typedef {element} word;\n\n// The place of an element in the order.\nINLINE word place_of(word element) {{\n{place}}}\n\n"
        )
    }

    /// `digit_of` an element, from a binary digit of its place on.
    pub(super) fn digit_of(self) -> String {
        let shifted = if self.is_pair() {
            "(shift < 64u ? place.low >> shift : place.high >> (shift - 64u))"
        } else {
            "(place >> shift)"
        };
        format!(
            "// The digit of an element's place that begins at a binary one.
INLINE u32 digit_of(word element, u32 shift) {{
    const word place = place_of(element);
    return (u32){shifted} & 255u;
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

    /// `differs` from everything: what is not a number, by its place. Only for the ascending direction.
    pub(super) fn differs(self) -> String {
        debug_assert!(!self.descending);
        format!("INLINE u32 differs(word place) {{ return DIFFERS_{}(place); }}\n\n", suffix(self.dtype))
    }
}
