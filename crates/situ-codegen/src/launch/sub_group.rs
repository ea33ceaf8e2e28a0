//! Functions by which 32 neighbouring work-items exchange values.

use situ_ir::Op;
use situ_types::DType;

use crate::Dialect;
use crate::dialect::{suffix, type_name};
use crate::expression::{Version, apply};

/// A shuffle of values of a dtype, or what an op makes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shared {
    pub(super) op: Option<Op>,
    pub(super) dtype: DType,
}

impl PartialOrd for Shared {
    fn partial_cmp(&self, other: &Shared) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Shared {
    /// Shuffles come first: the others call them.
    fn cmp(&self, other: &Shared) -> std::cmp::Ordering {
        let key = |shared: &Shared| (shared.op.map(|op| op.name()), suffix(shared.dtype));
        key(self).cmp(&key(other))
    }
}

impl Shared {
    pub(super) fn name(&self) -> String {
        match self.op {
            None => format!("shuffle_{}", suffix(self.dtype)),
            Some(op) => format!("reduce_{}_{}", op.name(), suffix(self.dtype)),
        }
    }

    pub(super) fn function(&self, dialect: Dialect) -> String {
        let (name, of, dtype) = (self.name(), type_name(self.dtype), suffix(self.dtype));
        // Where threads have no way to each other's values, these go through the block's own memory.
        let (room, through) = if dialect == Dialect::OpenCl { (", LOCAL u64 *room", ", room") } else { ("", "") };
        let from = if dialect == Dialect::OpenCl { "room, lane, from" } else { "from, size" };
        let Some(op) = self.op else {
            let moved = match self.dtype {
                DType::C128 => format!(
                    "make_c128(from_word_f64(SHUFFLE_u64(word_f64(value.re), {from})), \
                     from_word_f64(SHUFFLE_u64(word_f64(value.im), {from})))"
                ),
                narrow => {
                    let word = if narrow.size() == 8 { "u64" } else { "u32" };
                    format!("from_word_{dtype}(SHUFFLE_{word}(word_{dtype}(value), {from}))")
                }
            };
            return format!(
                "// The value of the work-item at a place in the sub-group, or its own.
INLINE {of} {name}({of} value, u64 place, u32 lane, u32 size{room}) {{
    const u32 from = place < size ? (u32)place : lane;
    return {moved};
}}
"
            );
        };
        let combined = apply(op, self.dtype, &["value".into(), "other".into()], dialect, Version::Whole);
        format!(
            "// The values of a sub-group combined, halves onto halves.
INLINE {of} {name}({of} value, u32 lane, u32 size{room}) {{
    for (u32 half_size = 16u; half_size > 0u; half_size /= 2u) {{
        const {of} other = shuffle_{dtype}(value, lane + half_size, lane, size{through});
        if (lane + half_size < size) value = {combined};
    }}
    return shuffle_{dtype}(value, 0, lane, size{through});
}}
"
        )
    }
}
