//! Random kernels, and their launches against those on the null device.

use std::sync::Arc;

use situ_hal::{Address, Command, Launch, LaunchArgument};
use situ_ir::Op;
use situ_ir::kernel::{
    Array, ArrayLayout, Atomic, Exchange, Kernel, KernelBuilder, NdRange, Position, Space, SubGroup, Value, Variable,
};
use situ_types::{DType, DTypeKind, Scalar};

use crate::Source;
use crate::bench::{Bench, Operand, compare};
use crate::layout::Layout;

/// Ops that tell what is not a number apart by its sign, which processors choose as they like.
const SEES_SIGNS: [Op; 3] = [Op::Signbit, Op::Copysign, Op::Nextafter];

/// How deep blocks go.
const DEPTH: usize = 3;

/// A kernel that does anything at all, but ends, stays within its arrays, and writes what others read at barriers only.
///
/// It has two arrays that it reads, one in which every work-item writes its own element, and one of int32s that all of
/// them add to; then numbers. Each array has as many axes as the range.
#[derive(Debug)]
pub struct RandomKernel {
    /// The kernel.
    pub kernel: Arc<Kernel>,
    /// The dtypes of the arrays.
    pub arrays: [DType; 4],
    /// The numbers.
    pub scalars: Vec<Scalar>,
}

/// A kernel that is being made.
struct Maker<'s> {
    source: &'s mut Source,
    k: KernelBuilder,
    axes: usize,
    arrays: Vec<(Array, DType)>,
    private: Array,
    variables: Vec<(Variable, DType)>,
    /// The values in sight.
    values: Vec<(Value, DType)>,
    ids: Vec<Value>,
    loops: usize,
    /// Whether work-items wait for each other, so that none may end early.
    waits: bool,
}

impl RandomKernel {
    /// A kernel over so many axes; with work-groups it also has barriers and sub-groups.
    pub fn new(source: &mut Source, axes: usize, has_groups: bool) -> RandomKernel {
        let dtypes = [source.pick(&DType::ALL), source.pick(&DType::ALL), source.pick(&DType::ALL), DType::I32];
        let mut k = KernelBuilder::new("random", axes).unwrap();
        let names = ["x", "y", "out", "counts"];
        let arrays: Vec<(Array, DType)> =
            names.iter().zip(dtypes).map(|(name, dtype)| (k.array(name, dtype, axes).unwrap(), dtype)).collect();
        let scalars =
            [DType::I64, source.pick(&DType::ALL), source.pick(&DType::ALL)].map(|dtype| source.element(dtype));
        let values: Vec<(Value, DType)> =
            scalars.iter().map(|number| (k.scalar("number", number.dtype()), number.dtype())).collect();
        let private = k.own_array("own", source.pick(&DType::ALL), &[2, 3], Space::Private).unwrap();
        let variables = (0..4).map(|_| source.pick(&DType::ALL)).chain([DType::I64]);
        let variables: Vec<_> = variables.map(|dtype| (k.variable(dtype), dtype)).collect();
        let ids: Vec<Value> = (0..axes).map(|axis| k.position(Position::GlobalId, axis).unwrap()).collect();
        let mut maker = Maker { source, k, axes, arrays, private, variables, values, ids, loops: 0, waits: has_groups };
        maker.values.extend(maker.ids.iter().map(|&id| (id, DType::I64)));
        for _ in 0..3 {
            maker.block(DEPTH);
            if has_groups {
                maker.meeting();
            }
        }
        let (out, dtype) = maker.arrays[2];
        let (result, ids) = (maker.value(dtype), maker.ids.clone());
        maker.k.store(out, &ids, result).unwrap();
        RandomKernel { kernel: Arc::new(maker.k.finish().unwrap()), arrays: dtypes, scalars: scalars.to_vec() }
    }
}

impl Maker<'_> {
    /// A value of a dtype.
    fn value(&mut self, dtype: DType) -> Value {
        match self.source.below(6) {
            0 => {
                let number = self.source.element(dtype);
                self.k.constant(number)
            }
            1 => {
                let (variable, _) = self.source.pick(&self.variables);
                let held = self.k.get(variable).unwrap();
                self.k.cast(held, dtype).unwrap()
            }
            _ => {
                let (value, _) = self.source.pick(&self.values);
                self.k.cast(value, dtype).unwrap()
            }
        }
    }

    fn truth(&mut self) -> Value {
        self.value(DType::Bool)
    }

    /// An index that is inside: any integer modulo the length.
    fn index(&mut self, length: Value) -> Value {
        let any = self.value(DType::I64);
        self.k.apply(Op::Remainder, &[any, length]).unwrap()
    }

    fn keep(&mut self, value: Value) {
        let dtype = self.k.dtype(value).unwrap();
        self.values.push((value, dtype));
    }

    fn block(&mut self, depth: usize) {
        let in_sight = self.values.len();
        for _ in 0..2 + self.source.below(4) {
            self.statement(depth);
        }
        if depth < DEPTH {
            self.values.truncate(in_sight);
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.source.below(if depth > 0 { 14 } else { 10 }) {
            0..3 => {
                let op = self.source.pick(Op::ALL);
                let domain = op.rule().domain;
                if !SEES_SIGNS.contains(&op) {
                    let dtype = self.source.pick(domain);
                    let args: Vec<Value> = (0..op.arity()).map(|_| self.value(dtype)).collect();
                    let result = self.k.apply(op, &args).unwrap();
                    self.keep(result);
                }
            }
            3 => {
                let (array, _) = self.arrays[self.source.below(2)];
                let lengths: Vec<Value> = (0..self.axes).map(|axis| self.k.extent(array, axis).unwrap()).collect();
                let at: Vec<Value> = lengths.into_iter().map(|length| self.index(length)).collect();
                let element = self.k.load(array, &at).unwrap();
                self.keep(element);
            }
            4..6 => {
                let (variable, dtype) = self.source.pick(&self.variables);
                let value = self.value(dtype);
                self.k.set(variable, value).unwrap();
            }
            6 => {
                let dtype = self.source.pick(&DType::ALL);
                let (condition, yes, no) = (self.truth(), self.value(dtype), self.value(dtype));
                let chosen = self.k.select(condition, yes, no).unwrap();
                self.keep(chosen);
            }
            7 => {
                let lengths = [2, 3].map(|length| self.k.constant(Scalar::I64(length)));
                let at = lengths.map(|length| self.index(length));
                if self.source.below(2) == 0 {
                    let dtype = self.k.array_info(self.private).unwrap().dtype;
                    let value = self.value(dtype);
                    self.k.store(self.private, &at, value).unwrap();
                } else {
                    let element = self.k.load(self.private, &at).unwrap();
                    self.keep(element);
                }
            }
            8 => {
                let (counts, _) = self.arrays[3];
                let lengths: Vec<Value> = (0..self.axes).map(|axis| self.k.extent(counts, axis).unwrap()).collect();
                let at: Vec<Value> = lengths.into_iter().map(|length| self.index(length)).collect();
                let value = self.value(DType::I32);
                // Whoever comes first, the sum is the same.
                self.k.atomic(Atomic::Add, counts, &at, value).unwrap();
            }
            9 => {
                let (out, dtype) = self.arrays[2];
                let (value, ids) = (self.value(dtype), self.ids.clone());
                self.k.store(out, &ids, value).unwrap();
            }
            10 => {
                let condition = self.truth();
                self.k.open_if(condition).unwrap();
                self.block(depth - 1);
                if self.source.below(2) == 0 {
                    self.k.otherwise().unwrap();
                    self.block(depth - 1);
                }
                self.k.close().unwrap();
            }
            11 => self.count(depth),
            12 => self.turn(depth),
            _ => self.jump(),
        }
    }

    /// A loop over a few integers of any dtype, up or down.
    fn count(&mut self, depth: usize) {
        let integers = DType::ALL.into_iter().filter(|dtype| dtype.kind() == DTypeKind::Integer);
        let dtype = self.source.pick(&integers.collect::<Vec<_>>());
        let number = |n: i64| situ_ir::interpret::cast(Scalar::I64(n), dtype);
        let few = self.k.constant(number(5));
        let [start, stop] = [(); 2].map(|()| {
            let any = self.value(dtype);
            self.k.apply(Op::Remainder, &[any, few]).unwrap()
        });
        // A negative step of an unsigned dtype is a very large one.
        let step = match self.source.below(5) {
            2 => {
                let any = self.value(dtype);
                self.k.apply(Op::Remainder, &[any, few]).unwrap()
            }
            n => self.k.constant(number(n as i64 - 2)),
        };
        let in_sight = self.values.len();
        let counter = self.k.open_for(start, stop, step).unwrap();
        self.values.push((counter, dtype));
        self.loops += 1;
        self.block(depth - 1);
        self.loops -= 1;
        self.k.close().unwrap();
        self.values.truncate(in_sight);
    }

    /// A loop that a variable of its own counts.
    fn turn(&mut self, depth: usize) {
        let turns = self.k.variable(DType::I32);
        let [zero, one, most] = [0, 1, 3].map(|number| self.k.constant(Scalar::I32(number)));
        self.k.set(turns, zero).unwrap();
        self.k.open_loop();
        let now = self.k.get(turns).unwrap();
        let is_over = self.k.apply(Op::GreaterEqual, &[now, most]).unwrap();
        self.k.open_if(is_over).unwrap();
        self.k.leave().unwrap();
        self.k.close().unwrap();
        let next = self.k.apply(Op::Add, &[now, one]).unwrap();
        self.k.set(turns, next).unwrap();
        self.loops += 1;
        self.block(depth - 1);
        self.loops -= 1;
        self.k.close().unwrap();
    }

    /// Leaves a loop, an iteration or the kernel, sometimes.
    fn jump(&mut self) {
        let condition = self.truth();
        self.k.open_if(condition).unwrap();
        match self.source.below(3) {
            0 if self.loops > 0 => self.k.leave().unwrap(),
            1 if self.loops > 0 => self.k.proceed().unwrap(),
            2 if !self.waits => self.k.end(),
            _ => self.k.fence(),
        }
        self.k.close().unwrap();
    }

    /// Work-items give each other values, by way of memory or of their sub-group.
    fn meeting(&mut self) {
        let dtype = self.source.pick(&DType::ALL);
        let value = self.value(dtype);
        let place = match self.source.below(3) {
            0 => self.k.sub_group(SubGroup::Id),
            1 => self.k.sub_group(SubGroup::Size),
            _ => self.value(DType::I64),
        };
        let exchange = self.source.pick(&[
            Exchange::Reduce(Op::Maximum),
            Exchange::Shuffle,
            Exchange::ShuffleXor,
            Exchange::ShuffleDown,
            Exchange::ShuffleUp,
        ]);
        let given = if matches!(exchange, Exchange::Reduce(_)) { None } else { Some(place) };
        let taken = self.k.exchange(exchange, value, given).unwrap();
        self.keep(taken);
        let held = self.k.own_array("held", dtype, &[64], Space::Local).unwrap();
        let own: Vec<Value> = (0..self.axes).map(|axis| self.k.position(Position::LocalId, axis).unwrap()).collect();
        let mut at = own[0];
        for (axis, &own) in own.iter().enumerate().skip(1) {
            let size = self.k.position(Position::LocalSize, axis).unwrap();
            let rows = self.k.apply(Op::Multiply, &[at, size]).unwrap();
            at = self.k.apply(Op::Add, &[rows, own]).unwrap();
        }
        self.k.store(held, &[at], value).unwrap();
        self.k.barrier(None).unwrap();
        let one = self.k.constant(Scalar::I64(1));
        let mut count = one;
        for axis in 0..self.axes {
            let size = self.k.position(Position::LocalSize, axis).unwrap();
            count = self.k.apply(Op::Multiply, &[count, size]).unwrap();
        }
        let other = self.index(count);
        let element = self.k.load(held, &[other]).unwrap();
        self.keep(element);
        self.k.barrier(None).unwrap();
    }
}

/// A random kernel with a range and arrays for it.
#[derive(Debug)]
pub struct RandomLaunch {
    /// The kernel.
    pub kernel: RandomKernel,
    /// The range: with groups of at most 64 work-items, if any.
    pub range: NdRange,
    shapes: Vec<Vec<usize>>,
    layouts: Vec<Layout>,
    operands: Vec<Operand>,
}

impl RandomLaunch {
    /// A kernel over a few work-items.
    pub fn new(source: &mut Source, has_groups: bool) -> RandomLaunch {
        let axes = 1 + source.below(3);
        let kernel = RandomKernel::new(source, axes, has_groups);
        let most = [40, 8, 4][axes - 1];
        let local: Vec<usize> = (0..axes).map(|_| 1 + source.below(most)).collect();
        let global: Vec<usize> = local.iter().map(|&local| if has_groups { 2 * local } else { local }).collect();
        let range = NdRange::new(&global, has_groups.then_some(&local)).unwrap();
        let mut shapes: Vec<Vec<usize>> = (0..4).map(|_| (0..axes).map(|_| 1 + source.below(6)).collect()).collect();
        shapes[2] = global;
        let layouts: Vec<Layout> =
            shapes.iter().enumerate().map(|(n, shape)| Layout::any(source, shape, n < 2)).collect();
        let operands = layouts.iter().zip(kernel.arrays).map(|(layout, dtype)| layout.operand(source, dtype)).collect();
        RandomLaunch { kernel, range, shapes, layouts, operands }
    }

    /// The launch over arrays whose memory is at these addresses.
    pub fn command(&self, addresses: &[Address]) -> Command {
        let arrays = addresses.iter().enumerate().map(|(n, address)| {
            let (shape, layout) = (&self.shapes[n][..], &self.layouts[n]);
            let elements = ArrayLayout { shape: shape.into(), strides: layout.steps[..].into() };
            LaunchArgument::Array(address.offset(layout.start(self.kernel.arrays[n].size())), elements)
        });
        let scalars = self.kernel.scalars.iter().map(|&number| LaunchArgument::Scalar(number));
        let arguments = arrays.chain(scalars).collect();
        let (kernel, range) = (self.kernel.kernel.clone(), self.range);
        Command::Launch(Box::new(Launch { kernel, range, arguments, report: None }))
    }

    /// What each array's memory holds before.
    pub fn contents(&self) -> impl Iterator<Item = &[u8]> {
        self.operands.iter().map(|operand| &operand.contents[..])
    }
}

fn launches(bench: &Bench, seed: u64, rounds: usize, has_groups: bool) {
    let mut source = Source(seed);
    for _ in 0..rounds {
        let launch = RandomLaunch::new(&mut source, has_groups);
        let dtypes = launch.kernel.kernel.values().iter().chain(launch.kernel.kernel.variables());
        if dtypes.clone().all(|&dtype| bench.knows(dtype)) {
            compare(bench, &launch.operands, |addresses| launch.command(addresses));
        }
    }
}

/// Kernels whose work-items have nothing to do with each other.
pub(crate) fn kernels(bench: &Bench) {
    launches(bench, 31, 60, false);
}

/// Kernels whose work-items wait for each other.
pub(crate) fn kernels_with_groups(bench: &Bench) {
    launches(bench, 32, 40, true);
}
