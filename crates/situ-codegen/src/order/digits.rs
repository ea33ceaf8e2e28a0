//! How often each digit of elements' keys occurs, for all digits at once; and from that, where elements with each begin.

use smallvec::smallvec;

use super::ordered::{DIGITS, Ordered};
use super::rows::{INPUT, RowAccess};
use crate::Dialect;
use crate::group::{SUM_U32, SUM_U64};
use crate::signature::{Parameter, Parameters, Role, Signature, unsigned};

/// Threads of a block that counts.
const THREADS: u32 = 512;

/// Copies of the counts in local memory, which warps share.
const COPIES: u32 = 2;

/// Counts the digits of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DigitCounts {
    pub(super) ordered: Ordered,
    pub(super) input: RowAccess,
    /// Whether counts take more than 30 bits.
    pub(super) wide: bool,
}

impl DigitCounts {
    /// Elements that a thread reads at a time.
    fn each(&self) -> u32 {
        (32 / self.ordered.width() as u32).clamp(2, 8)
    }

    /// Elements that a block reads at a time.
    pub(super) fn tile(&self) -> usize {
        (THREADS * self.each()) as usize
    }
}

impl Signature for DigitCounts {
    fn name(&self) -> String {
        format!("situ_digits_{}", self.ordered.name())
    }

    fn about(&self) -> String {
        format!("How often each digit occurs in rows; {}.", self.input.about())
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![Parameter::Address(Role::Input(0)), Parameter::Address(Role::Totals)];
        all.extend([Parameter::Sequence, Parameter::Parts, Parameter::Segment, Parameter::Flip]);
        self.input.push_axes(&mut all);
        self.input.push_steps(&mut all, &[(Role::Input(0), INPUT)]);
        all
    }

    fn pointee(&self, role: Role) -> String {
        match role {
            Role::Totals => unsigned(self.wide).into(),
            _ => format!("const {}", self.ordered.element()),
        }
    }

    fn before(&self, _dialect: Dialect) -> String {
        let digits = self.ordered.digits();
        self.ordered.place_of()
            + &self.ordered.digit_of()
            + &format!(
                "INLINE void count_digits(LOCAL u32 *counts, word element, u32 flip) {{
    UNROLL for (u32 d = 0; d < {digits}u; d++) LOCAL_ADD_u32(counts + d * {DIGITS}u + digit_of(element, 8u * d, flip), 1u);
}}\n\n"
            )
    }

    fn body(&self, _dialect: Dialect) -> String {
        let (each, of) = (self.each(), unsigned(self.wide));
        let counts = self.ordered.digits() * DIGITS;
        let items = format!("UNROLL for (u32 j = 0; j < {each}u; j++)");
        format!(
            "    SHARED u32 counts[{room}];
    EACH_THREAD {{
        for (u32 n = THREAD_X; n < {room}u; n += {THREADS}u) counts[n] = 0;
    }}
    BARRIER();
    const u64 row = BLOCK_X / parts;
    const u64 begin = (BLOCK_X % parts) * segment;
    const u64 end = length - begin < segment ? length : begin + segment;
{coordinates}    GLOBAL const word *from = {start};
    EACH_THREAD {{
        LOCAL u32 *copy = counts + THREAD_X / 32u % {COPIES}u * {counts}u;
        u64 tile = begin + THREAD_X;
        for (; tile + {most}u < end; tile += {tile}u) {{
            word read[{each}];
            {items} read[j] = {whole};
            {items} count_digits(copy, read[j], flip);
        }}
        for (; tile < end; tile += {THREADS}u) count_digits(copy, {element}, flip);
    }}
    BARRIER();
    EACH_THREAD {{
        for (u32 n = THREAD_X; n < {counts}u; n += {THREADS}u) {{
            const u32 count = counts[n] + counts[{counts}u + n];
            if (count != 0) ATOMIC_ADD_{of}(totals + row * {counts}u + n, count);
        }}
    }}\n",
            room = COPIES * counts,
            coordinates = self.input.coordinates(4),
            start = self.input.start(Role::Input(0)),
            tile = self.tile(),
            most = (each - 1) * THREADS,
            whole = self.input.element("from", INPUT, &format!("tile + j * {THREADS}u")),
            element = self.input.element("from", INPUT, "tile"),
        )
    }

    fn is_wide(&self) -> bool {
        true
    }

    fn threads(&self) -> u32 {
        THREADS
    }
}

/// Replaces the counts of a digit's values by how many elements of the row have lower ones. A block does one digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DigitBases {
    /// Whether counts take more than 30 bits.
    pub(super) wide: bool,
}

impl Signature for DigitBases {
    fn name(&self) -> String {
        "situ_digit_bases".into()
    }

    fn about(&self) -> String {
        "Replaces counts of digits by the sum of those before, for one digit per block.".into()
    }

    fn parameters(&self) -> Parameters {
        smallvec![Parameter::Address(Role::Totals)]
    }

    fn pointee(&self, _role: Role) -> String {
        unsigned(self.wide).into()
    }

    fn before(&self, _dialect: Dialect) -> String {
        if self.wide { SUM_U64 } else { SUM_U32 }.scan(DIGITS)
    }

    fn body(&self, _dialect: Dialect) -> String {
        let of = unsigned(self.wide);
        format!(
            "    SHARED {of} sums[{twice}];
    GLOBAL {of} *counts = totals + (u64)BLOCK_X * {DIGITS}u;
    EACH_THREAD {{
        sums[THREAD_X] = counts[THREAD_X];
    }}
    BARRIER();
    scan_sum_{of}(sums);
    EACH_THREAD {{
        counts[THREAD_X] = THREAD_X == 0 ? 0 : sums[THREAD_X - 1u];
    }}\n",
            twice = 2 * DIGITS,
        )
    }

    fn is_wide(&self) -> bool {
        self.wide
    }

    fn threads(&self) -> u32 {
        DIGITS
    }
}
