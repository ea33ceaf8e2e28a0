//! Products of matrices, by tiles in local memory.
//!
//! A block computes a tile of a result. It brings a few columns of the first factor and rows of the second into local memory
//! at a time, from which each of its threads adds up products for some rows and columns of the tile. This is for any dtype
//! and any steps; a library that knows its device better is a backend's own business.

use situ_hal::{Address, Matrices, Product};
use situ_ir::product::accumulator;
use situ_types::{DType, DTypeKind, Space};

use crate::coordinates::{about_space, coordinates, divisors, is_wide, offset, space_value, step_value, steps};
use crate::dialect::{suffix, type_name};
use crate::signature::{Axes, Parameter, Parameters, Role, Signature, THREADS, signed};
use crate::work::{Value, Work};
use crate::{Dialect, Kernel};

/// Threads side by side along rows, and along columns.
const SIDE: u32 = 16;

/// Columns of the first factor, and rows of the second, in local memory at a time.
const DEPTH: u32 = 16;

/// The operands of the space, by their roles: the factors and the result.
const ROLES: [Role; 3] = [Role::Input(0), Role::Input(1), Role::Out];

/// What products of matrices come to.
pub(crate) fn product(command: &Product) -> Work {
    let operands = [&command.left, &command.right, &command.out];
    let mut space = Space::new(&command.batch, operands.map(|matrices| &matrices.batch_steps[..]));
    if space.axes.is_empty() {
        space.simplify();
    }
    let lengths = [[command.rows, command.depth], [command.depth, command.columns], [command.rows, command.columns]];
    let reach = |n: usize| {
        let along = |length: usize, step: isize| (length - 1).saturating_mul(step.unsigned_abs());
        let [rows, columns] = lengths[n];
        let own = along(rows, operands[n].row_step).saturating_add(along(columns, operands[n].column_step));
        own.saturating_add(space.reach(n))
    };
    let is_aligned = |address: Address| address.value().is_multiple_of(command.dtype.size());
    // Few results make no work for many threads of a block.
    let each = if command.rows.max(command.columns) <= SIDE as usize { 1 } else { 4 };
    let tile = (SIDE * each) as usize;
    // Counters run to the end of the last tile, however near elements lie.
    let counted = [command.rows, command.columns, command.depth].map(|length| length.saturating_add(tile));
    let wide = is_wide([space.size(), reach(0), reach(1), reach(2)].into_iter().chain(counted));
    let (tiles, strips) = (command.rows.div_ceil(tile), command.columns.div_ceil(tile));
    let kernel = ProductKernel {
        dtype: command.dtype,
        each,
        axes: space.axes.len() as u8,
        by_rows: [&command.left, &command.right].map(|m| m.column_step.unsigned_abs() <= m.row_step.unsigned_abs()),
        aligned: operands.iter().all(|matrices| is_aligned(matrices.address)),
        wide,
    };
    let axes = kernel.axes;
    let operand = |role: Role| ROLES.iter().position(|known| *known == role).unwrap_or(0);
    let step = |matrices: &Matrices, axis: u8| if axis == axes { matrices.row_step } else { matrices.column_step };
    let mut work = Work::default();
    work.launch(Kernel::Product(kernel), space.size() * tiles * strips, |parameter| match parameter {
        Parameter::Address(role) => operands[operand(role)].address.into(),
        Parameter::Step(role, axis) if axis >= axes => Value::Word(step(operands[operand(role)], axis) as i64),
        Parameter::Step(role, axis) => step_value(&space, operand(role), axis),
        Parameter::Length(0) => command.rows.into(),
        Parameter::Length(1) => command.columns.into(),
        Parameter::Length(_) => command.depth.into(),
        Parameter::Tiles => tiles.into(),
        Parameter::Strips => strips.into(),
        other => space_value(&space, wide, other),
    });
    work
}

/// What the text of a product depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProductKernel {
    dtype: DType,
    /// Rows, and columns, of a thread.
    each: u32,
    axes: u8,
    /// Whether neighbours of each factor lie in its rows.
    by_rows: [bool; 2],
    /// Whether elements lie where their type wants them to.
    aligned: bool,
    wide: bool,
}

impl ProductKernel {
    /// Statements that bring part of a factor into local memory. `outer` is its axis that the tile runs along.
    fn stage(&self, n: usize) -> String {
        let (name, first, length) = [("left", "row", "length_0"), ("right", "column", "length_1")][n];
        let (tile, of) = (SIDE * self.each, signed(self.wide));
        // Neighbouring threads read neighbours.
        let depth_first = self.by_rows[n] == (n == 0);
        let (inner, outer) = if depth_first { (DEPTH, tile) } else { (tile, DEPTH) };
        let (k, own) = if depth_first { ("inner", "outer") } else { ("outer", "inner") };
        let role = ROLES[n];
        let step = |axis: u8| Parameter::Step(role, self.axes + axis).name();
        let (row, column) = if n == 0 { ("at", "deep") } else { ("deep", "at") };
        let place = format!("{name}_first + {row} * {} + {column} * {}", step(0), step(1));
        let value = if self.aligned {
            format!("{}[{place}]", role.name())
        } else {
            format!("load_{}({} + ({place}))", suffix(self.dtype), role.name())
        };
        format!(
            "            for (u32 n = THREAD_X; n < {all}u; n += {THREADS}u) {{
                const u32 inner = n % {inner}u, outer = n / {inner}u;
                const {of} at = {first} + ({of}){own}, deep = done + ({of}){k};
                {name}[{k} * {tile}u + {own}] = at < {length} && deep < length_2 ? widened({value}) : nothing();
            }}\n",
            all = inner * outer,
        )
    }
}

impl Signature for ProductKernel {
    fn name(&self) -> String {
        format!("situ_product_{}", suffix(self.dtype))
    }

    fn about(&self) -> String {
        format!(
            "Products of matrices, {0} by {0} results a block; {1}.",
            SIDE * self.each,
            about_space(self.axes, self.wide)
        )
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = ROLES.into_iter().map(Parameter::Address).collect();
        all.extend((0..3).map(Parameter::Length));
        all.extend([Parameter::Tiles, Parameter::Strips]);
        all.extend(divisors(Axes::Space, self.axes));
        ROLES.into_iter().for_each(|role| all.extend(steps(role, self.axes + 2)));
        all
    }

    fn pointee(&self, role: Role) -> String {
        let of = type_name(self.dtype);
        if role == Role::Out { of.into() } else { format!("const {of}") }
    }

    fn before(&self, _dialect: Dialect) -> String {
        let wide = accumulator(self.dtype);
        let (from, to) = (suffix(self.dtype), suffix(wide));
        let sum = match wide.kind() {
            DTypeKind::Float => format!("FMA_{to}(a, b, sum)"),
            DTypeKind::Complex => {
                let part = suffix(wide.real_part());
                format!(
                    "make_{to}(FMA_{part}(-a.im, b.im, FMA_{part}(a.re, b.re, sum.re)), \
                     FMA_{part}(a.im, b.re, FMA_{part}(a.re, b.im, sum.im)))"
                )
            }
            DTypeKind::Bool | DTypeKind::Integer => format!("add_{to}(sum, mul_{to}(a, b))"),
        };
        let (widened, narrowed) = if self.dtype == DType::Bool {
            // Memory of others may hold any byte for true.
            ("a != 0".into(), "a".into())
        } else if self.dtype == wide {
            ("a".into(), "a".into())
        } else {
            (format!("cast_{from}_{to}(a)"), format!("cast_{to}_{from}(a)"))
        };
        format!(
            "typedef {of} wide;

INLINE wide widened({element} a) {{ return {widened}; }}

INLINE {element} narrowed(wide a) {{ return {narrowed}; }}

INLINE wide nothing() {{ return cast_bool_{to}(0); }}

INLINE wide plus_product(wide sum, wide a, wide b) {{ return {sum}; }}

// The sums of a thread.
typedef struct {{ wide at[{all}]; }} sums;\n\n",
            of = type_name(wide),
            element = type_name(self.dtype),
            all = self.each * self.each,
        )
    }

    fn body(&self, _dialect: Dialect) -> String {
        let (each, tile, of) = (self.each, SIDE * self.each, signed(self.wide));
        let firsts: String = ["left", "right", "out"]
            .iter()
            .zip(ROLES)
            .map(|(name, role)| format!("    const {of} {name}_first = {};\n", offset(role, self.axes)))
            .collect();
        let out = ROLES[2].name();
        let step = |axis: u8| Parameter::Step(ROLES[2], self.axes + axis).name();
        let place = format!("out_first + r * {} + c * {}", step(0), step(1));
        let store = if self.aligned {
            format!("{out}[{place}] = value;")
        } else {
            format!("store_{}({out} + ({place}), value);", suffix(self.dtype))
        };
        // Rows and columns of a thread are apart, so that neighbouring threads read and write neighbours.
        format!(
            "    SHARED wide left[{room}];
    SHARED wide right[{room}];
    PRIVATE(sums, own);
    const {of} column = ({of})(BLOCK_X % strips * {tile}u);
    const {of} row = ({of})(BLOCK_X / strips % tiles * {tile}u);
    const {position} product = BLOCK_X / strips / tiles;
{coordinates}{firsts}    EACH_THREAD {{
        UNROLL for (u32 n = 0; n < {all}u; n++) MINE(own).at[n] = nothing();
    }}
    for ({of} done = 0; done < length_2; done += {DEPTH}) {{
        EACH_THREAD {{
{stage_left}{stage_right}        }}
        BARRIER();
        EACH_THREAD {{
            UNROLL for (u32 k = 0; k < {DEPTH}u; k++) {{
                wide a[{each}], b[{each}];
                UNROLL for (u32 i = 0; i < {each}u; i++) a[i] = left[k * {tile}u + THREAD_X / {SIDE}u + i * {SIDE}u];
                UNROLL for (u32 j = 0; j < {each}u; j++) b[j] = right[k * {tile}u + THREAD_X % {SIDE}u + j * {SIDE}u];
                UNROLL for (u32 i = 0; i < {each}u; i++) {{
                    UNROLL for (u32 j = 0; j < {each}u; j++) {{
                        MINE(own).at[i * {each}u + j] = plus_product(MINE(own).at[i * {each}u + j], a[i], b[j]);
                    }}
                }}
            }}
        }}
        BARRIER();
    }}
    EACH_THREAD {{
        UNROLL for (u32 i = 0; i < {each}u; i++) {{
            UNROLL for (u32 j = 0; j < {each}u; j++) {{
                const {of} r = row + ({of})(THREAD_X / {SIDE}u + i * {SIDE}u);
                const {of} c = column + ({of})(THREAD_X % {SIDE}u + j * {SIDE}u);
                if (r < length_0 && c < length_1) {{
                    const {element} value = narrowed(MINE(own).at[i * {each}u + j]);
                    {store}
                }}
            }}
        }}
    }}\n",
            room = DEPTH * tile,
            position = crate::signature::unsigned(self.wide),
            coordinates = coordinates(Axes::Space, self.axes, self.wide, "product", 4),
            all = each * each,
            stage_left = self.stage(0),
            stage_right = self.stage(1),
            element = type_name(self.dtype),
        )
    }

    fn is_wide(&self) -> bool {
        self.wide
    }
}
