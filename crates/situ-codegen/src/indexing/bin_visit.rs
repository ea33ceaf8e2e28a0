//! Gather and scatter through bins: the kernels that move what has been sorted.

use smallvec::smallvec;

use super::bin_sort::{EACH, NOWHERE, TILE, is_straight};
use super::transfer_kernel::each;
use super::unit_type;
use crate::Dialect;
use crate::coordinates::{about_space, coordinates, offset, push_space, steps};
use crate::signature::{Axes, Parameter, Parameters, Role, Signature, THREADS, unsigned};

/// Goes through the bins, and moves what belongs to their places.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BinVisit {
    pub(super) scatters: bool,
    pub(super) width: u8,
}

impl BinVisit {
    /// Prefetches what will be written into the cache.
    fn prefetch(&self) -> String {
        let sector = 32 / self.width as u32;
        format!(
            "            // Each part prefetches a share of the range: a sector that is written in part would be read again.
            const u64 left = span - ((u64)bin << bin_digits);
            const u32 length = left < (1u << bin_digits) ? (u32)left : 1u << bin_digits;
            const u32 share = (length / ((filled + {last}u) / {TILE}u) / {sector}u + 1u) * {sector}u;
            const u32 end = (part + 1u) * share < length ? (part + 1u) * share : length;
            for (u32 at = part * share + THREAD_X * {sector}u; at < end; at += {stride}u) PREFETCH(range + at);
",
            last = TILE - 1,
            stride = THREADS * sector,
        )
    }
}

impl Signature for BinVisit {
    fn name(&self) -> String {
        format!("{}_{}_bins", if self.scatters { "scatter" } else { "gather" }, self.width)
    }

    fn about(&self) -> String {
        format!("Elements of {} bytes, bin after bin.", self.width)
    }

    fn parameters(&self) -> Parameters {
        let roles = [Role::Array, Role::Fills, Role::Places, Role::Binned];
        let mut all: Parameters = roles.map(Parameter::Address).into_iter().collect();
        all.extend([Parameter::Parts, Parameter::BinDigits, Parameter::Capacity]);
        all.extend(self.scatters.then_some(Parameter::Span));
        all
    }

    fn pointee(&self, role: Role) -> String {
        let element = unit_type(self.width);
        match role {
            Role::Array if self.scatters => element,
            Role::Binned if !self.scatters => element,
            Role::Fills | Role::Places => "const u32".into(),
            _ => format!("const {element}"),
        }
    }

    fn body(&self, _dialect: Dialect) -> String {
        let (element, each) = (unit_type(self.width), each(EACH));
        let range = if self.scatters { element.clone() } else { format!("const {element}") };
        let (from, to) = match self.scatters {
            true => ("binned[begin + slot[j]]", "range[place[j]]"),
            false => ("range[place[j]]", "binned[begin + slot[j]]"),
        };
        format!(
            "    EACH_THREAD {{
        const u32 bin = BLOCK_X / parts, part = BLOCK_X % parts;
        const u32 filled = fills[bin] < capacity ? fills[bin] : (u32)capacity;
        if (part * {TILE}u < filled) {{
            const u64 begin = bin * capacity;
            GLOBAL {range} *range = array + ((u64)bin << bin_digits);
{prefetch}            u32 slot[{EACH}], place[{EACH}];
            {element} moved[{EACH}];
            {each} {{
                const u32 n = part * {TILE}u + j * {THREADS}u + THREAD_X;
                slot[j] = n < filled ? n : filled - 1u;
                place[j] = places[begin + slot[j]];
            }}
            {each} moved[j] = {from};
            {each} {to} = moved[j];
        }}
    }}\n",
            prefetch = if self.scatters { self.prefetch() } else { String::new() },
        )
    }

    fn is_wide(&self) -> bool {
        false
    }
}

/// Writes what was gathered from bins to where it belongs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BinCollect {
    pub(super) width: u8,
    pub(super) axes: u8,
    pub(super) wide: bool,
}

impl Signature for BinCollect {
    fn name(&self) -> String {
        format!("gather_{}_from_bins", self.width)
    }

    fn about(&self) -> String {
        format!("Elements of {} bytes out of bins; {}.", self.width, about_space(self.axes, self.wide))
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![Parameter::Address(Role::Elements)];
        push_space(&mut all, self.axes);
        all.extend(steps(Role::Elements, self.axes));
        all.extend([Role::Votes, Role::Binned, Role::Slots].map(Parameter::Address));
        all.extend([Parameter::FirstTile, Parameter::Tiles, Parameter::Blocks]);
        all
    }

    fn pointee(&self, role: Role) -> String {
        match role {
            Role::Elements => unit_type(self.width),
            Role::Binned => format!("const {}", unit_type(self.width)),
            _ => "const u32".into(),
        }
    }

    fn body(&self, _dialect: Dialect) -> String {
        let (element, each, of) = (unit_type(self.width), each(EACH), unsigned(self.wide));
        let next = format!("first + j * {THREADS}u");
        format!(
            "    if ({is_straight}) return;
    EACH_THREAD {{
        for (u32 tile = BLOCK_X; tile < tiles; tile += blocks) {{
            const {of} first = ({of})(first_tile + tile) * {TILE}u + THREAD_X;
            u32 slot[{EACH}];
            {element} moved[{EACH}];
            {each} slot[j] = slots[tile * {TILE}u + j * {THREADS}u + THREAD_X];
            {each} moved[j] = binned[slot[j] == {NOWHERE} ? 0u : slot[j]];
            {each} {{
                const {of} position = {next} < size ? {next} : size - 1u;
{coordinates}                if (slot[j] != {NOWHERE}) elements[{offset}] = moved[j];
            }}
        }}
    }}\n",
            is_straight = is_straight(),
            coordinates = coordinates(Axes::Space, self.axes, self.wide, "position", 16),
            offset = offset(Role::Elements, self.axes),
        )
    }

    fn is_wide(&self) -> bool {
        self.wide
    }
}
