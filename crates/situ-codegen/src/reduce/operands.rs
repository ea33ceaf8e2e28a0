//! How a kernel that combines values gets at its inputs, and where its results go.

use situ_hal::{Address, Mapped, Operand};
use situ_ir::Program;
use situ_types::DType;

use crate::coordinates::{coordinates, divisors, is_wide, length_value, steps};
use crate::dialect::type_name;
use crate::elementwise::{ACCESS, Access, Accesses, alignment, lowest_bit};
use crate::signature::{Axes, Parameter, Parameters, Role};
use crate::work::{Argument, Value};

/// The most elements of an input that a thread reads at once: lanes of a round that it has.
pub(super) const MOST: usize = 4;

/// What the text of a kernel depends on, as far as memory is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Operands {
    /// Axes that are kept.
    pub(super) kept: u8,
    /// Axes along which values are combined.
    pub(super) reduced: u8,
    /// The axis that neighbouring threads go along.
    pub(super) inner: u8,
    /// Elements that a thread reads at once along that axis.
    pub(super) width: u8,
    /// Whether positions and steps take 64 bits.
    pub(super) wide: bool,
    /// Whether some element lies at an address its type would not be at.
    unaligned: bool,
    /// Whether the result has elements along the reduced axes, too.
    pub(super) is_scan: bool,
    /// Bytes of the widest element that is read.
    pub(super) widest: u8,
    accesses: Accesses,
}

/// What a command reads and where it writes to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'a> {
    pub(super) map: &'a Program,
    pub(super) inputs: &'a Mapped,
    pub(super) kept: usize,
    pub(super) out: Address,
    pub(super) out_dtype: DType,
    /// One step per axis that is kept, or per axis.
    pub(super) out_steps: &'a [isize],
    /// The most elements that a thread may read at once.
    pub(super) most: usize,
}

impl Given<'_> {
    fn memory(&self) -> impl Iterator<Item = (usize, Address)> {
        self.inputs.operands().iter().enumerate().filter_map(|(n, operand)| match *operand {
            Operand::Memory(address) => Some((n, address)),
            Operand::Immediate(_) | Operand::Index => None,
        })
    }

    fn size_of(&self, input: usize) -> usize {
        self.map.inputs()[input].size()
    }

    /// How many elements can be read at once along an axis.
    fn width(&self, inner: usize) -> usize {
        let shape = &self.inputs.shape;
        let mut room = self.most;
        // A sequence along one axis may end in the middle of a read; other runs must not go round an axis' end.
        if inner != self.kept {
            room = room.min(lowest_bit(shape[inner]));
        }
        for (n, address) in self.memory() {
            let steps = self.inputs.strides(n);
            match steps[inner] {
                0 => {}
                1 => {
                    let others = (0..shape.len()).filter(|&axis| axis != inner).map(|axis| steps[axis].unsigned_abs());
                    let steps_room = others.filter(|&step| step != 0).map(lowest_bit).min().unwrap_or(usize::MAX);
                    let aligned = alignment(address.value()) / self.size_of(n);
                    room = room.min(aligned).min(steps_room).min(ACCESS / self.size_of(n));
                }
                _ => return 1,
            }
        }
        room.max(1)
    }

    /// What the text depends on, for neighbouring threads that go along an axis, if they do.
    pub(super) fn operands(&self, inner: Option<usize>) -> Operands {
        let shape = &self.inputs.shape;
        let width = inner.map_or(1, |inner| self.width(inner));
        let mut accesses = Accesses::default();
        for (n, operand) in self.inputs.operands().iter().enumerate() {
            let access = match operand {
                Operand::Immediate(_) => Access::Immediate,
                Operand::Index => Access::Index,
                Operand::Memory(_) if inner.is_some_and(|inner| self.inputs.strides(n)[inner] == 0) => Access::Repeated,
                Operand::Memory(_) if width > 1 => Access::Dense,
                Operand::Memory(_) => Access::Stepped,
            };
            accesses.note(n, access);
        }
        let reach = |steps: &[isize]| {
            let along = shape.iter().zip(steps).map(|(&length, step)| (length - 1).saturating_mul(step.unsigned_abs()));
            along.fold(0, usize::saturating_add)
        };
        // Positions are rounded up to whole groups of blocks.
        let size = shape.iter().fold(1, |size: usize, &length| size.saturating_mul(length)).saturating_mul(2);
        let reaches = self.memory().map(|(n, _)| reach(self.inputs.strides(n)));
        let is_unaligned = |address: Address, size: usize| alignment(address.value()) < size;
        let unaligned = self.memory().any(|(n, address)| is_unaligned(address, self.size_of(n)))
            || is_unaligned(self.out, self.out_dtype.size());
        Operands {
            kept: self.kept as u8,
            reduced: (shape.len() - self.kept) as u8,
            inner: inner.map_or(u8::MAX, |inner| inner as u8),
            width: width as u8,
            wide: is_wide(reaches.chain([size, reach(self.out_steps)])),
            unaligned,
            is_scan: self.out_steps.len() > self.kept,
            widest: self.memory().map(|(n, _)| self.size_of(n)).max().unwrap_or(1) as u8,
            accesses,
        }
    }

    /// The value of a parameter that [`Operands`] has; of any other there is none.
    pub(super) fn value(&self, operands: &Operands, parameter: Parameter) -> Option<Value> {
        let (kept, reduced) = self.inputs.shape.split_at(self.kept);
        Some(match parameter {
            Parameter::Address(Role::Out) => self.out.into(),
            Parameter::Address(Role::Input(n)) | Parameter::Immediate(Role::Input(n)) => {
                match self.inputs.operands()[n as usize] {
                    Operand::Memory(address) => address.into(),
                    Operand::Immediate(bytes) => Value::At(Argument::Value(bytes, self.size_of(n as usize) as u8)),
                    Operand::Index => return None,
                }
            }
            Parameter::Step(Role::Input(n), axis) => Value::Word(self.inputs.strides(n as usize)[axis as usize] as i64),
            Parameter::Step(_, axis) => Value::Word(self.out_steps[axis as usize] as i64),
            Parameter::Extent(axes, _) | Parameter::Multiplier(axes, _) | Parameter::Shift(axes, _) => {
                let lengths = if axes == Axes::Kept { kept } else { reduced };
                return length_value(lengths, operands.wide, parameter);
            }
            Parameter::Size => kept.iter().product::<usize>().into(),
            Parameter::Sequence => reduced.iter().product::<usize>().into(),
            _ => return None,
        })
    }
}

impl Operands {
    pub(super) fn access(&self, input: usize) -> Access {
        self.accesses.of(input)
    }

    /// Values of a sequence that a thread reads at once.
    pub(super) fn rows_at_once(&self) -> usize {
        if self.inner >= self.kept { self.width as usize } else { 1 }
    }

    /// Sequences of which a thread reads a value at once.
    pub(super) fn columns_at_once(&self) -> usize {
        if self.inner < self.kept { self.width as usize } else { 1 }
    }

    /// The inputs.
    pub(super) fn push_addresses(&self, map: &Program, all: &mut Parameters) {
        for n in 0..map.inputs().len() {
            let role = Role::Input(n as u8);
            match self.access(n) {
                Access::Index => {}
                Access::Immediate => all.push(Parameter::Immediate(role)),
                _ => all.push(Parameter::Address(role)),
            }
        }
    }

    /// Sizes, and the steps of the inputs and the output.
    pub(super) fn push_steps(&self, map: &Program, out_axes: u8, all: &mut Parameters) {
        all.extend([Parameter::Size, Parameter::Sequence]);
        all.extend(divisors(Axes::Kept, self.kept));
        all.extend(divisors(Axes::Reduced, self.reduced));
        for n in (0..map.inputs().len()).filter(|&n| self.access(n).is_memory()) {
            all.extend(steps(Role::Input(n as u8), self.kept + self.reduced));
        }
        all.extend(steps(Role::Out, out_axes));
    }

    /// The type of what an input's address is that of.
    pub(super) fn pointee(&self, map: &Program, input: u8) -> String {
        let element = type_name(map.inputs()[input as usize]);
        if self.access(input as usize).is_memory() { format!("const {element}") } else { element.into() }
    }

    /// The types of what is read at once.
    pub(super) fn types(&self, map: &Program) -> String {
        if self.width == 1 {
            return String::new();
        }
        let mut text = String::new();
        for (n, &dtype) in map.inputs().iter().enumerate() {
            let line = format!(
                "typedef union {{ {} at[{}]; bytes{} whole; }} {};\n",
                type_name(dtype),
                self.width,
                self.width as usize * dtype.size(),
                self.vector(dtype)
            );
            if self.access(n) == Access::Dense && !text.contains(&line) {
                text += &line;
            }
        }
        text + "\n"
    }

    fn vector(&self, dtype: DType) -> String {
        format!("{}x{}", type_name(dtype), self.width)
    }

    /// The number of an axis among those kept or reduced, and its coordinate's name.
    fn coordinate(&self, axis: u8) -> String {
        match axis.checked_sub(self.kept) {
            None => Axes::Kept.coordinate(axis),
            Some(axis) => Axes::Reduced.coordinate(axis),
        }
    }

    fn offset(&self, role: Role, access: Access, axes: std::ops::Range<u8>) -> String {
        let part = |axis: u8| match access {
            Access::Dense if axis == self.inner => Some(self.coordinate(axis)),
            Access::Repeated if axis == self.inner => None,
            _ => Some(format!("{} * {}", self.coordinate(axis), Parameter::Step(role, axis).name())),
        };
        let parts: Vec<String> = axes.filter_map(part).collect();
        if parts.is_empty() { "0".into() } else { parts.join(" + ") }
    }

    /// Declares the coordinates of a result along the kept axes, and `from0`, `from1` …, where its values begin in the
    /// inputs.
    pub(super) fn kept_places(&self, map: &Program, result: &str, indent: usize) -> String {
        let margin = " ".repeat(indent);
        let mut text = self.kept_coordinates(result, indent);
        for (n, &dtype) in map.inputs().iter().enumerate().filter(|&(n, _)| self.access(n).is_memory()) {
            let role = Role::Input(n as u8);
            let offset = self.offset(role, self.access(n), 0..self.kept);
            text += &format!("{margin}GLOBAL const {} *from{n} = {} + ({offset});\n", type_name(dtype), role.name());
        }
        text
    }

    /// Declares the coordinates of a result along the kept axes.
    pub(super) fn kept_coordinates(&self, result: &str, indent: usize) -> String {
        if self.kept == 0 { String::new() } else { coordinates(Axes::Kept, self.kept, self.wide, result, indent) }
    }

    /// Declares the coordinates of a position along the reduced axes.
    pub(super) fn reduced_coordinates(&self, position: &str, indent: usize) -> String {
        coordinates(Axes::Reduced, self.reduced, self.wide, position, indent)
    }

    /// A statement that writes a result at the coordinates, declared before.
    pub(super) fn store(&self, of: &str, value: &str) -> String {
        let axes = if self.is_scan { self.kept + self.reduced } else { self.kept };
        let offset = self.offset(Role::Out, Access::Stepped, 0..axes);
        let out = Role::Out.name();
        if self.unaligned {
            return format!("store_{of}({out} + ({offset}), {value});");
        }
        format!("{out}[{offset}] = {value};")
    }

    /// The names of the inputs that are read for each value, with their dtypes.
    fn read<'a>(&'a self, map: &'a Program) -> impl Iterator<Item = (usize, DType)> + 'a {
        map.inputs().iter().copied().enumerate().filter(|&(n, _)| self.access(n).is_memory())
    }

    /// Declares `a0`, `a1` …, room for so many reads of each input.
    pub(super) fn room(&self, map: &Program, count: usize, indent: usize) -> String {
        let margin = " ".repeat(indent);
        let declare = |(n, dtype): (usize, DType)| {
            let of = if self.access(n) == Access::Dense { self.vector(dtype) } else { type_name(dtype).into() };
            format!("{margin}{of} a{n}[{count}];\n")
        };
        self.read(map).map(declare).collect()
    }

    /// Statements that read every input at the reduced coordinates, into the place with a number.
    pub(super) fn loads(&self, map: &Program, place: &str, indent: usize) -> String {
        let margin = " ".repeat(indent);
        let load = |(n, dtype): (usize, DType)| {
            if self.access(n) == Access::Dense {
                let (bytes, offset) = (self.width as usize * dtype.size(), self.reduced_offset(n));
                return format!("{margin}a{n}[{place}].whole = load_bytes{bytes}(from{n} + ({offset}));\n");
            }
            format!("{margin}a{n}[{place}] = {};\n", self.element(n, dtype))
        };
        self.read(map).map(load).collect()
    }

    fn reduced_offset(&self, input: usize) -> String {
        self.offset(Role::Input(input as u8), self.access(input), self.kept..self.kept + self.reduced)
    }

    fn element(&self, input: usize, dtype: DType) -> String {
        let offset = self.reduced_offset(input);
        if self.unaligned {
            return format!("load_{}(from{input} + ({offset}))", type_name(dtype));
        }
        format!("from{input}[{offset}]")
    }

    /// The value from what was read into the place with a number, `j` elements on, at a position.
    pub(super) fn leaf(&self, map: &Program, place: &str, position: &str) -> String {
        self.call(map, position, |n, _| match self.access(n) {
            Access::Dense => format!("a{n}[{place}].at[j]"),
            _ => format!("a{n}[{place}]"),
        })
    }

    /// The value at a position, read at the reduced coordinates.
    pub(super) fn leaf_here(&self, map: &Program, position: &str) -> String {
        self.call(map, position, |n, dtype| self.element(n, dtype))
    }

    /// Declares `row0`, `row1` …, where a value and its neighbours along the only reduced axis begin.
    pub(super) fn rows(&self, map: &Program, position: &str, indent: usize) -> String {
        let margin = " ".repeat(indent);
        let declare = |(n, dtype): (usize, DType)| {
            let step = self.lane_step(n).map_or_else(String::new, |step| format!(" * {step}"));
            format!("{margin}GLOBAL const {} *row{n} = from{n} + (i64)({position}){step};\n", type_name(dtype))
        };
        self.read(map).map(declare).collect()
    }

    /// Whether the values of a sequence are neighbours in the one input, in order.
    pub(super) fn is_one_row(&self) -> bool {
        self.reduced == 1 && self.inner == self.kept && self.access(0) == Access::Dense
    }

    /// The value at a position, so many from where the row begins.
    pub(super) fn leaf_in_row(&self, map: &Program, lane: &str, position: &str) -> String {
        self.call(map, position, |n, dtype| {
            let place = match self.lane_step(n) {
                None => lane.to_owned(),
                Some(step) => format!("(i64)({lane}) * {step}"),
            };
            if self.unaligned {
                return format!("load_{}(row{n} + {place})", type_name(dtype));
            }
            format!("row{n}[{place}]")
        })
    }

    /// Elements of an input from one value to the next along the only reduced axis, unless that is known to be one.
    fn lane_step(&self, input: usize) -> Option<String> {
        match self.access(input) {
            Access::Dense if self.inner == self.kept => None,
            Access::Repeated if self.inner == self.kept => Some("0".into()),
            _ => Some(Parameter::Step(Role::Input(input as u8), self.kept).name()),
        }
    }

    fn call(&self, map: &Program, position: &str, in_memory: impl Fn(usize, DType) -> String) -> String {
        let argument = |(n, &dtype): (usize, &DType)| match self.access(n) {
            Access::Immediate => Role::Input(n as u8).name(),
            Access::Index => format!("(i64)({position})"),
            _ => in_memory(n, dtype),
        };
        let arguments: Vec<String> = map.inputs().iter().enumerate().map(argument).collect();
        let inputs: String = arguments.iter().map(|argument| format!("{argument}, ")).collect();
        format!("leaf({inputs}{position})")
    }
}
