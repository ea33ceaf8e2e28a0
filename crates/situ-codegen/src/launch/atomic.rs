//! Functions that change an element while nobody else does.

use std::cmp::Ordering;

use situ_hal::Result;
use situ_ir::kernel::{Array, Atomic, Block, Expression, Kernel, Space, Statement};
use situ_types::DType;

use super::unsupported;
use super::variant::Variant;
use crate::dialect::{suffix, type_name};
use crate::expression::{Version, apply};
use crate::{DeviceLimits, Dialect};

/// A change of elements of a dtype in memory of a kind; without an op, one value put in the place of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) atomic: Option<Atomic>,
    pub(super) dtype: DType,
    pub(super) space: Space,
}

impl PartialOrd for Change {
    fn partial_cmp(&self, other: &Change) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Change {
    fn cmp(&self, other: &Change) -> Ordering {
        self.name().cmp(&other.name())
    }
}

impl Change {
    pub(super) fn name(&self) -> String {
        let what = self.atomic.map_or("compare_exchange", Atomic::name);
        let space = if self.space == Space::Local { "_local" } else { "" };
        format!("atomic_{what}_{}{space}", suffix(self.dtype))
    }

    /// A function of an element's address, the expected value of a [`compare_exchange`](Expression::CompareExchange), and
    /// the value; what the element was before.
    pub(super) fn function(&self, dialect: Dialect) -> String {
        let of = type_name(self.dtype);
        let space = if self.space == Space::Local { "LOCAL" } else { "GLOBAL" };
        let expected = if self.atomic.is_none() { format!("{of} expected, ") } else { String::new() };
        let body = match (dialect, self.native(dialect, space), self.dtype.size()) {
            (Dialect::Host, _, _) => self.alone(),
            (_, Some(native), _) => format!("    return {native};\n"),
            (_, _, 16) => self.in_two_words(),
            (_, _, 4 | 8) => self.in_a_word(space),
            _ => self.in_part_of_a_word(space),
        };
        format!("INLINE {of} {}({space} {of} *at, {expected}{of} value) {{\n{body}}}\n", self.name())
    }

    /// What the element becomes.
    fn changed(&self, dialect: Dialect) -> String {
        match self.atomic.and_then(Atomic::op) {
            Some(op) => apply(op, self.dtype, &["old".into(), "value".into()], dialect, Version::Whole),
            None => "value".into(),
        }
    }

    /// Whether the element is what is expected.
    fn is_expected(&self) -> String {
        let dtype = suffix(self.dtype);
        match self.dtype {
            DType::C128 => "same_bits_c128(old, expected)".into(),
            _ => format!("word_{dtype}(old) == word_{dtype}(expected)"),
        }
    }

    fn if_expected(&self, indent: &str) -> String {
        match self.atomic {
            None => format!("{indent}if (!({})) return old;\n", self.is_expected()),
            Some(_) => String::new(),
        }
    }

    /// By one who is alone.
    fn alone(&self) -> String {
        let of = type_name(self.dtype);
        let old = if self.dtype == DType::Bool { "*at != 0" } else { "*at" };
        let (expected, changed) = (self.if_expected("    "), self.changed(Dialect::Host));
        format!("    const {of} old = {old};\n{expected}    *at = {changed};\n    return old;\n")
    }

    /// The device's own function, where it has one that does the same.
    fn native(&self, dialect: Dialect, space: &str) -> Option<String> {
        use DType::{F16, F32, F64, I32, I64, U32, U64};
        let (of, dtype) = (suffix(self.dtype), self.dtype);
        let is_word = matches!(dtype, I32 | U32 | I64 | U64);
        let (word, size) = if dtype.size() == 8 { ("u64", 8) } else { ("u32", dtype.size()) };
        let name = match self.atomic {
            Some(Atomic::Exchange) => "Exch",
            Some(Atomic::Add) => "Add",
            Some(Atomic::Subtract) => "Sub",
            Some(Atomic::Minimum) => "Min",
            Some(Atomic::Maximum) => "Max",
            Some(Atomic::And) => "And",
            Some(Atomic::Or) => "Or",
            Some(Atomic::Xor) => "Xor",
            None => "CAS",
        };
        match dialect {
            Dialect::Cuda => Some(match (self.atomic, dtype) {
                (None | Some(Atomic::Exchange), _) if size == 4 || size == 8 => {
                    let expected = if self.atomic.is_none() { format!("word_{of}(expected), ") } else { String::new() };
                    format!("from_word_{of}(atomic{name}(({word} *)at, {expected}word_{of}(value)))")
                }
                (Some(Atomic::Add), F32 | F64) => "atomicAdd(at, value)".into(),
                (Some(Atomic::Subtract), F32 | F64) => "atomicAdd(at, -value)".into(),
                (Some(Atomic::Add), F16) => "ATOMIC_ADD_f16(at, value)".into(),
                (Some(Atomic::Subtract), F16) => "ATOMIC_ADD_f16(at, neg_f16(value))".into(),
                (Some(Atomic::Minimum | Atomic::Maximum), _) if is_word => format!("atomic{name}(at, value)"),
                (Some(Atomic::Subtract), _) if is_word => {
                    format!("({of})atomicAdd(({word} *)at, ({word})0 - ({word})value)")
                }
                (Some(_), _) if is_word => format!("({of})atomic{name}(({word} *)at, ({word})value)"),
                _ => return None,
            }),
            Dialect::OpenCl if matches!(dtype, I32 | U32) => {
                let name = match self.atomic {
                    Some(Atomic::Exchange) => "xchg",
                    None => "cmpxchg",
                    Some(atomic) => atomic.name(),
                };
                let expected = if self.atomic.is_none() { "expected, " } else { "" };
                Some(format!("atomic_{name}((volatile {space} {of} *)at, {expected}value)"))
            }
            Dialect::OpenCl | Dialect::Processor | Dialect::Host => None,
        }
    }

    /// Until nobody has come between reading a word and writing it.
    fn in_a_word(&self, space: &str) -> String {
        let (of, dtype) = (type_name(self.dtype), suffix(self.dtype));
        let word = if self.dtype.size() == 8 { "u64" } else { "u32" };
        let (expected, changed) = (self.if_expected("        "), self.changed(Dialect::Cuda));
        format!(
            "    volatile {space} {word} *word = (volatile {space} {word} *)at;
    {word} seen = *word;
    for (;;) {{
        const {of} old = from_word_{dtype}(seen);
{expected}        const {word} before = CAS_{word}(word, seen, word_{dtype}({changed}));
        if (before == seen) return old;
        seen = before;
    }}
"
        )
    }

    /// The same where the element is a part of the word.
    fn in_part_of_a_word(&self, space: &str) -> String {
        let (of, dtype) = (type_name(self.dtype), suffix(self.dtype));
        let mask = if self.dtype.size() == 1 { "0xffu" } else { "0xffffu" };
        let (expected, changed) = (self.if_expected("        "), self.changed(Dialect::Cuda));
        format!(
            "    const u32 within = (u32)((u64)at & 3u);
    volatile {space} u32 *word = (volatile {space} u32 *)(({space} u8 *)at - within);
    const u32 shift = 8u * within;
    u32 seen = *word;
    for (;;) {{
        const {of} old = from_word_{dtype}((seen >> shift) & {mask});
{expected}        const u32 rest = seen & ~({mask} << shift);
        const u32 before = CAS_u32(word, seen, rest | (word_{dtype}({changed}) & {mask}) << shift);
        if (before == seen) return old;
        seen = before;
    }}
"
        )
    }

    /// The same for a complex number in double precision.
    fn in_two_words(&self) -> String {
        if self.atomic.is_none() {
            return "    c128 old = expected;\n    CAS_c128(at, &old, value);\n    return old;\n".into();
        }
        let changed = self.changed(Dialect::Cuda);
        format!(
            "    c128 old = *at;
    for (;;) {{
        c128 seen = old;
        if (CAS_c128(at, &seen, {changed})) return old;
        old = seen;
    }}
"
        )
    }
}

/// An error for a kernel with atomic changes of 16 bytes on a device without them.
pub(super) fn refuse_wide_atomics(kernel: &Kernel, limits: &DeviceLimits) -> Result<()> {
    if limits.wide_atomics || !changes(kernel.body(), &|array| kernel.array(array).dtype == DType::C128) {
        return Ok(());
    }
    let detail =
        "atomics on complex128 need a device that exchanges 16 bytes at once, such as a GPU of compute capability 9.0; \
         change real and imaginary parts in two arrays of float64 instead"
            .into();
    Err(unsupported(kernel, detail))
}

/// An error for a kernel with atomic changes of an array at an address that its dtype would not be at.
pub(super) fn refuse_loose_atomics(kernel: &Kernel, variant: &Variant) -> Result<()> {
    if variant.loose == 0 || !changes(kernel.body(), &|array| variant.is_loose(array.index())) {
        return Ok(());
    }
    let detail = "atomics need arrays whose elements lie at multiples of their size; copy the array".into();
    Err(unsupported(kernel, detail))
}

/// Whether there are atomic changes of some arrays.
fn changes(block: &Block, which: &dyn Fn(Array) -> bool) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Define(_, Expression::Atomic(_, array, ..) | Expression::CompareExchange(array, ..)) => {
            which(*array)
        }
        Statement::If(_, then, otherwise) => changes(then, which) || changes(otherwise, which),
        Statement::Loop(body) => changes(body, which),
        Statement::For(each) => changes(&each.body, which),
        _ => false,
    })
}
