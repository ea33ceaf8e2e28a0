//! A kernel's text: what comes before its statements. Those are written by `statement`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use situ_ir::kernel::{Block, Expression, Kernel, Parameter, Position, Space, Statement};
use situ_types::{DType, Scalar};

use super::atomic::Change;
use super::local::{is_dynamic, own_offsets};
use super::names::Names;
use super::ranges::Ranges;
use super::sub_group::Shared;
use super::variant::Variant;
use super::waiting::{exchanges, waits};
use crate::Dialect;
use crate::dialect::type_name;
use crate::signature::signed;

/// What is written of a kernel between and before its parameters.
#[derive(Clone, Debug)]
pub(super) struct Text {
    /// Functions that it calls and the library does not have.
    pub(super) before: String,
    /// What is between its braces.
    pub(super) body: String,
}

impl Text {
    pub(super) fn of(kernel: &Kernel, variant: &Variant, dialect: Dialect) -> Text {
        let mut writer = Writer::new(kernel, variant, dialect);
        if dialect == Dialect::Host {
            // One work-item after another; each leaves for the next.
            writer.depth += 1;
        }
        writer.head();
        writer.block(kernel.body());
        let changes = writer.changes.iter().map(|change| change.function(dialect));
        let shared = writer.shared.iter().map(|shared| shared.function(dialect));
        let before = changes.chain(shared).map(|function| function + "\n").collect();
        let body = match dialect {
            Dialect::Host => format!("    EACH_THREAD {{\n{}    next_item:;\n    }}\n", writer.text),
            Dialect::Cuda | Dialect::OpenCl | Dialect::Processor => writer.text,
        };
        Text { before, body }
    }
}

/// A text that is being written.
#[derive(Debug)]
pub(super) struct Writer<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) variant: &'k Variant,
    pub(super) dialect: Dialect,
    pub(super) names: Names,
    pub(super) ranges: Ranges<'k>,
    /// The values that are written where they are used, by number: constants and parameters.
    pub(super) inlined: Vec<Option<String>>,
    /// Constants, by number.
    pub(super) constants: Vec<Option<Scalar>>,
    /// By number of an array, how many axes the given ones before it have.
    pub(super) first_axes: Vec<usize>,
    pub(super) changes: BTreeSet<Change>,
    pub(super) shared: BTreeSet<Shared>,
    /// Whether a work-item that fails goes on, without touching memory: others wait for it at barriers, which OpenCL wants
    /// all to reach.
    pub(super) lives_on: bool,
    pub(super) text: String,
    pub(super) depth: usize,
}

impl<'k> Writer<'k> {
    fn new(kernel: &'k Kernel, variant: &'k Variant, dialect: Dialect) -> Writer<'k> {
        let names = Names::of(kernel);
        let mut inlined = vec![None; kernel.values().len()];
        let mut first_axes = vec![0; kernel.arrays().len()];
        let mut axes = 0;
        for (n, parameter) in kernel.parameters().iter().enumerate() {
            match parameter {
                Parameter::Scalar(value, _) => inlined[value.index()] = Some(names.scalars[n].clone()),
                Parameter::Array(array) => {
                    first_axes[array.index()] = axes;
                    let info = kernel.array(*array);
                    axes += if info.space == Space::Global { info.ndim } else { 0 };
                }
            }
        }
        let constants = vec![None; kernel.values().len()];
        let ranges = Ranges::of(kernel, variant);
        let (changes, shared) = (BTreeSet::new(), BTreeSet::new());
        let text = String::new();
        let lives_on = dialect == Dialect::OpenCl && !kernel.reports().is_empty() && waits(kernel.body());
        Writer {
            kernel,
            variant,
            dialect,
            names,
            ranges,
            inlined,
            constants,
            first_axes,
            changes,
            shared,
            lives_on,
            text,
            depth: 1,
        }
    }

    /// Adds a line.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        let indent = "    ".repeat(self.depth);
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{indent}{}", text.as_ref());
    }

    /// How a work-item ends.
    pub(super) fn leave(&self) -> &'static str {
        match self.dialect {
            Dialect::Host => "goto next_item;",
            Dialect::Cuda | Dialect::OpenCl | Dialect::Processor => "return;",
        }
    }

    /// The type of indices.
    pub(super) fn index_type(&self) -> &'static str {
        signed(self.variant.wide)
    }

    /// Where the work-item is, the arrays that are its own or its group's, and its variables.
    fn head(&mut self) {
        let asked = Asked::of(self.kernel, self.variant);
        self.positions(&asked);
        self.arrays();
        for (n, &dtype) in self.kernel.variables().iter().enumerate() {
            let dtype = if self.ranges.is_narrow_variable(n) { DType::I32 } else { dtype };
            let zero = super::literal::literal(Scalar::from_bytes(dtype, [0; 16]));
            self.line(format!("{} n{n} = {zero};", type_name(dtype)));
        }
    }

    fn positions(&mut self, asked: &Asked) {
        let (axes, of) = (self.kernel.axes(), self.index_type());
        if self.variant.is_flat {
            for (what, from, sizes) in [("group_id", "BLOCK_X", "group_count"), ("local_id", "THREAD_X", "local_size")]
            {
                let mut rest = from.to_owned();
                for axis in (0..axes).rev() {
                    let own = if axis == 0 { rest.clone() } else { format!("{rest} % {sizes}_{axis}") };
                    self.line(format!("const u32 {what}_{axis} = {own};"));
                    rest = format!("{rest} / {sizes}_{axis}");
                }
            }
        }
        for axis in 0..axes {
            let letter = ["X", "Y", "Z"][axes - 1 - axis];
            let flat = self.variant.is_flat;
            let place = |what: &str, device: &str| {
                if flat { format!("{what}_{axis}") } else { format!("{device}_{letter}") }
            };
            let [group, local, size, count] = [
                place("group_id", "BLOCK"),
                place("local_id", "THREAD"),
                place("local_size", "BLOCK_SIZE"),
                place("group_count", "GRID_SIZE"),
            ];
            let numbers = [
                (Position::GlobalId, format!("({of}){group} * ({of}){size} + ({of}){local}")),
                (Position::GlobalSize, format!("({of}){count} * ({of}){size}")),
                (Position::LocalId, format!("(i32){local}")),
                (Position::LocalSize, format!("(i32){size}")),
                (Position::GroupId, format!("({of}){group}")),
                (Position::GroupCount, format!("({of}){count}")),
            ];
            for (position, text) in numbers {
                let is_parameter = position == Position::GlobalSize && !self.variant.has_groups;
                if asked.positions.contains(&(position, axis)) && !is_parameter {
                    let of = if text.starts_with("(i32)") { "i32" } else { of };
                    self.line(format!("const {of} {} = {text};", position_name(position, axis)));
                }
            }
        }
        if !self.variant.has_groups {
            let outside: Vec<String> =
                (0..axes).map(|axis| format!("global_id_{axis} >= global_size_{axis}")).collect();
            let leave = self.leave();
            self.line(format!("if ({}) {leave}", outside.join(" || ")));
        }
        if asked.has_threads {
            let (thread, threads) = if self.variant.is_flat {
                ("THREAD_X", "BLOCK_SIZE_X")
            } else {
                (
                    "THREAD_X + BLOCK_SIZE_X * (THREAD_Y + BLOCK_SIZE_Y * THREAD_Z)",
                    "BLOCK_SIZE_X * BLOCK_SIZE_Y * BLOCK_SIZE_Z",
                )
            };
            self.line(format!("const u32 thread = {thread};"));
            self.line(format!("const u32 threads = {threads};"));
        }
        if !self.kernel.reports().is_empty() {
            let item = (1..axes).fold("(i64)global_id_0".to_owned(), |item, axis| {
                format!("({item}) * global_size_{axis} + global_id_{axis}")
            });
            self.line(format!("const i64 item = {item};"));
            if self.lives_on {
                self.line("u32 alive = 1;");
            }
        }
    }

    fn arrays(&mut self) {
        let is_dynamic = is_dynamic(self.kernel);
        if self.dialect == Dialect::OpenCl && exchanges(self.kernel.body()) {
            self.line(format!("SHARED u64 exchanged[{}];", self.variant.threads));
        }
        if is_dynamic && self.dialect != Dialect::OpenCl {
            self.line("DYNAMIC_LOCAL(local_memory);");
        }
        let (offsets, _) = own_offsets(self.kernel);
        for (n, info) in self.kernel.arrays().iter().enumerate() {
            let (name, of) = (self.array_name(n), type_name(info.dtype));
            let elements = info.shape.iter().flatten().product::<usize>().max(1);
            match (info.space, &info.shape) {
                (Space::Global, _) => {}
                (Space::Private, _) => self.line(format!("{of} {name}[{elements}] = {{0}};")),
                (Space::Local, Some(_)) if !is_dynamic => {
                    // Several elements are read at once where the compiler sees that they may be.
                    self.line(format!("SHARED ALIGNED(16) {of} {name}[{elements}];"));
                }
                (Space::Local, shape) => {
                    let offset = match shape {
                        Some(_) => offsets[n].to_string(),
                        None => format!("{}_offset", self.names.arrays[n]),
                    };
                    self.line(format!("LOCAL {of} *const {name} = (LOCAL {of} *)(local_memory + {offset});"));
                }
            }
        }
    }

    /// What the elements of an array are reached by.
    pub(super) fn array_name(&self, array: usize) -> String {
        let kind = match self.kernel.arrays()[array].space {
            Space::Global => "data",
            Space::Local => "local",
            Space::Private => "private",
        };
        format!("{}_{kind}", self.names.arrays[array])
    }
}

pub(super) fn position_name(position: Position, axis: usize) -> String {
    format!("{}_{axis}", position.name())
}

/// What a kernel asks about where it is.
#[derive(Debug, Default)]
struct Asked {
    positions: Vec<(Position, usize)>,
    /// Whether it asks for the number of a thread in its block.
    has_threads: bool,
}

impl Asked {
    fn of(kernel: &Kernel, variant: &Variant) -> Asked {
        let mut asked = Asked::default();
        let needs_ids = !variant.has_groups || !kernel.reports().is_empty();
        for axis in 0..kernel.axes() {
            if needs_ids {
                asked.positions.push((Position::GlobalId, axis));
            }
            if !kernel.reports().is_empty() {
                asked.positions.push((Position::GlobalSize, axis));
            }
        }
        asked.block(kernel.body());
        asked
    }

    fn block(&mut self, block: &Block) {
        for statement in block {
            match statement {
                Statement::Define(_, Expression::Position(position, axis)) => self.positions.push((*position, *axis)),
                Statement::Define(_, Expression::SubGroup(_) | Expression::Exchange(..))
                | Statement::Barrier(Some(_)) => self.has_threads = true,
                Statement::If(_, then, otherwise) => {
                    self.block(then);
                    self.block(otherwise);
                }
                Statement::Loop(body) => self.block(body),
                Statement::For(each) => self.block(&each.body),
                _ => {}
            }
        }
    }
}
