//! What lies where a mask is true, moved: the kernel of selecting and of expanding.

use smallvec::smallvec;

use super::element_type;
use super::mask_count::{EACH, MaskAccess, TILE};
use crate::Dialect;
use crate::coordinates::{about_space, coordinates, divisors, offset, steps};
use crate::group::SUM_U32;
use crate::signature::{Axes, Parameter, Parameters, Role, Signature, THREADS, unsigned};

/// Elements that a thread moves at a time.
const BATCH: u32 = 4;

/// What is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Movement {
    /// Elements of so many bytes, from the array to one after another.
    Selected(u8),
    /// Coordinates along so many axes, one after another.
    Coordinates(u8),
    /// Elements of so many bytes, from one after another, and again from the first, to the array.
    Cycled(u8),
}

/// What the text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MaskMove {
    pub(super) kind: Movement,
    pub(super) mask: MaskAccess,
    /// Axes of the space, along which the array moves.
    pub(super) axes: u8,
    pub(super) wide: bool,
}

impl MaskMove {
    fn has_array(&self) -> bool {
        !matches!(self.kind, Movement::Coordinates(_))
    }

    /// Sets `bits` of every thread to what is true of its 16 positions.
    fn read_mask(&self, of: &str) -> String {
        match self.mask {
            MaskAccess::Dense => {
                format!("            MINE(bits) = true_bits(mask_words(mask, tile + THREAD_X * {EACH}u, end));\n")
            }
            MaskAccess::Strided(axes) => format!(
                "            UNROLL for (u32 j = 0; j < {EACH}u; j++) {{
                const {of} place = tile + j * {THREADS}u + THREAD_X;
                const {of} position = place < end ? place : tile;
{coordinates}                const u8 truth = mask[{offset}];
                ((LOCAL u8 *)truths)[j * {THREADS}u + THREAD_X] = place < end ? truth : 0;
            }}
        }}
        BARRIER();
        EACH_THREAD {{
            MINE(bits) = true_bits(truths[THREAD_X]);\n",
                coordinates = coordinates(Axes::Space, axes, self.wide, "position", 16),
                offset = offset(Role::Mask, axes),
            ),
        }
    }

    /// Moves the `kept` first elements of the tile, whose places are listed.
    fn move_kept(&self, of: &str) -> String {
        let batch = format!("UNROLL for (u32 j = 0; j < {BATCH}u; j++)");
        let next = format!("k + j * {THREADS}u");
        let loop_over = format!("            for (u32 k = THREAD_X; k < kept; k += {}u) {{\n", BATCH * THREADS);
        let listed = |n: &str, indent: usize| {
            format!("{}const {of} position = tile + list[{n}];\n", " ".repeat(indent))
                + &coordinates(Axes::Space, self.axes, self.wide, "position", indent)
        };
        let place = offset(Role::Array, self.axes);
        match self.kind {
            Movement::Selected(width) => format!(
                "{loop_over}                {element} moved[{BATCH}];
                {batch} {{
{position}                    moved[j] = array[{place}];
                }}
                {batch} {{
                    if ({next} < kept) out[base + {next}] = moved[j];
                }}
            }}\n",
                element = element_type(width),
                position = listed(&format!("{next} < kept ? {next} : k"), 20),
            ),
            Movement::Cycled(width) => format!(
                "{loop_over}                {element} moved[{BATCH}];
                {batch} {{
                    u64 n = turn + ({next} < kept ? {next} : k);
                    if (n >= cycle) n = cycle > {TILE}u ? n - cycle : (u32)n % (u32)cycle;
                    moved[j] = values[(i64)n * values_step];
                }}
                {batch} {{
                    if ({next} < kept) {{
{position}                        array[{place}] = moved[j];
                    }}
                }}
            }}\n",
                element = element_type(width),
                position = listed(&next, 24),
            ),
            Movement::Coordinates(axes) => {
                let mut text = format!(
                    "            for (u32 k = THREAD_X; k < kept; k += {THREADS}u) {{\n                \
                     const {of} position = tile + list[k];\n"
                );
                text += &coordinates(Axes::Result, axes, self.wide, "position", 16);
                for axis in 0..axes {
                    text += &format!("                out[{axis}u * capacity + base + k] = c{axis};\n");
                }
                text + "            }\n"
            }
        }
    }
}

impl Signature for MaskMove {
    fn name(&self) -> String {
        match self.kind {
            Movement::Selected(width) => format!("mask_select_{width}"),
            Movement::Coordinates(_) => "mask_coordinates".into(),
            Movement::Cycled(width) => format!("mask_expand_{width}"),
        }
    }

    fn about(&self) -> String {
        let what = match self.kind {
            Movement::Selected(width) => format!("Elements of {width} bytes where a mask is true, side by side"),
            Movement::Coordinates(axes) => format!("The {axes} coordinates of where a mask is true"),
            Movement::Cycled(width) => format!("Values of {width} bytes to where a mask is true"),
        };
        let array = if self.has_array() { format!("; {}", about_space(self.axes, self.wide)) } else { String::new() };
        format!("{what}; {}{array}.", self.mask.about(self.wide))
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![Parameter::Address(Role::Mask), Parameter::Address(Role::Totals)];
        all.extend([Parameter::Ranked, Parameter::Size, Parameter::Segment]);
        if self.has_array() || self.mask != MaskAccess::Dense {
            all.extend(divisors(Axes::Space, self.axes));
        }
        if let MaskAccess::Strided(axes) = self.mask {
            all.extend(steps(Role::Mask, axes));
        }
        if self.has_array() {
            all.push(Parameter::Address(Role::Array));
            all.extend(steps(Role::Array, self.axes));
        }
        match self.kind {
            Movement::Selected(_) => all.extend([Parameter::Address(Role::Out), Parameter::Capacity]),
            Movement::Coordinates(axes) => {
                all.extend([Parameter::Address(Role::Out), Parameter::Capacity]);
                all.extend(divisors(Axes::Result, axes));
            }
            Movement::Cycled(_) => {
                all.extend([Parameter::Address(Role::Values), Parameter::Cycle, Parameter::ValueStep]);
            }
        }
        all
    }

    fn pointee(&self, role: Role) -> String {
        match (role, self.kind) {
            (Role::Mask, _) => "const u8".into(),
            (Role::Totals, _) => "const u64".into(),
            (Role::Array, Movement::Selected(width)) | (Role::Values, Movement::Cycled(width)) => {
                format!("const {}", element_type(width))
            }
            (_, Movement::Selected(width) | Movement::Cycled(width)) => element_type(width),
            (_, Movement::Coordinates(_)) => "i64".into(),
        }
    }

    fn before(&self, _dialect: Dialect) -> String {
        SUM_U32.scan(THREADS)
    }

    fn body(&self, _dialect: Dialect) -> String {
        let of = unsigned(self.wide);
        let truths = match self.mask {
            MaskAccess::Dense => String::new(),
            MaskAccess::Strided(_) => format!("    SHARED w16 truths[{THREADS}];\n"),
        };
        let (begins, room, ends) = match self.kind {
            Movement::Cycled(_) => (
                "    u64 turn = (ranked ? totals[BLOCK_X] : 0) % cycle;\n",
                "        const u32 kept = found;\n",
                "        turn = (turn + found) % cycle;\n",
            ),
            _ => (
                "    u64 base = ranked ? totals[BLOCK_X] : 0;\n",
                "        const u64 room = base < capacity ? capacity - base : 0;\n        \
                 const u32 kept = found < room ? found : (u32)room;\n",
                "        base += found;\n",
            ),
        };
        format!(
            "    SHARED u32 counts[{twice}];
    SHARED u16 list[{TILE}];
{truths}    PRIVATE(u32, bits);
    const {of} begin = BLOCK_X * segment;
    const {of} end = size - begin < segment ? size : begin + segment;
{begins}    for ({of} tile = begin; tile < end; tile += {TILE}u) {{
        EACH_THREAD {{
{read}            counts[THREAD_X] = POPCOUNT_u32(MINE(bits));
        }}
        BARRIER();
        scan_sum_u32(counts);
        EACH_THREAD {{
            u32 left = MINE(bits);
            for (u32 n = counts[THREAD_X] - POPCOUNT_u32(left); left != 0; n++) {{
                list[n] = (u16)(THREAD_X * {EACH}u + CTZ_u32(left));
                left &= left - 1;
            }}
        }}
        BARRIER();
        const u32 found = counts[{last}];
{room}        EACH_THREAD {{
{moved}        }}
{ends}        BARRIER();
    }}\n",
            twice = 2 * THREADS,
            last = THREADS - 1,
            read = self.read_mask(of),
            moved = self.move_kept(of),
        )
    }

    fn is_wide(&self) -> bool {
        self.wide
    }
}
