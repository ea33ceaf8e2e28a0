//! Random kernels whose outcome does not depend on the order of work-items.
//!
//! Work-items write to elements of their own, and change elements of others only in ways that commute. They read what nobody
//! writes, or what is theirs; in a group they read what others have written before a barrier.

use situ_ir::Op;
use situ_ir::kernel::{
    Array, Atomic, Exchange, Kernel, KernelBuilder, NdRange, Position, SUB_GROUP, Space, SubGroup, Value, Variable,
};
use situ_types::{DType, DTypeKind, Scalar};

use crate::Source;
use crate::bench::Bench;

/// What a kernel wants for a parameter.
pub(super) enum Given {
    Array { dtype: DType, shape: Vec<usize>, may_repeat: bool },
    Local(Vec<usize>),
    Number(Scalar),
}

/// What these tell of the sign of a NaN that was computed differs between processors.
const SIGNS: [Op; 3] = [Op::Signbit, Op::Copysign, Op::Nextafter];

/// A shared array, and what work-items do to its elements.
const SHARED: [Atomic; 6] = [Atomic::Add, Atomic::Minimum, Atomic::Maximum, Atomic::And, Atomic::Or, Atomic::Xor];

pub(super) struct RandomKernel<'a> {
    k: KernelBuilder,
    source: &'a mut Source,
    dtypes: Vec<DType>,
    /// Those whose elements can be changed while nobody else does.
    exchanged: Vec<DType>,
    /// Values that can be used, by dtype.
    values: Vec<(Value, DType)>,
    variables: Vec<(Variable, DType)>,
    /// Arrays that nobody writes to, and their numbers of axes.
    inputs: Vec<(Array, usize)>,
    /// Arrays with an element for each work-item.
    own: Vec<(Array, DType)>,
    shared: Option<(Array, DType, Atomic)>,
    private: Option<(Array, DType, usize)>,
    ids: Vec<Value>,
    /// Loops around the statement.
    loops: usize,
    has_groups: bool,
}

impl<'a> RandomKernel<'a> {
    pub(super) fn make(bench: &Bench, source: &'a mut Source, has_groups: bool) -> (Kernel, NdRange, Vec<Given>) {
        let dtypes: Vec<DType> = DType::ALL.into_iter().filter(|dtype| bench.knows(*dtype)).collect();
        let (global, local) = any_range(source, has_groups);
        let mut k = KernelBuilder::new("random", global.len()).unwrap();
        let mut given = vec![];
        let mut inputs = vec![];
        for _ in 0..1 + source.below(2) {
            let (dtype, ndim) = (source.pick(&dtypes), 1 + source.below(2));
            let shape: Vec<usize> = (0..ndim).map(|_| 1 + source.below(50)).collect();
            inputs.push((k.array("input", dtype, ndim).unwrap(), ndim));
            given.push(Given::Array { dtype, shape, may_repeat: true });
        }
        // One that work-items read in line.
        let dtype = source.pick(&dtypes);
        let aligned = k.array("aligned", dtype, global.len()).unwrap();
        given.push(Given::Array { dtype, shape: global.clone(), may_repeat: true });
        let mut own = vec![];
        for _ in 0..1 + source.below(2) {
            let dtype = source.pick(&dtypes);
            own.push((k.array("own", dtype, global.len()).unwrap(), dtype));
            given.push(Given::Array { dtype, shape: global.clone(), may_repeat: false });
        }
        let shared = (source.below(3) == 0).then(|| {
            let integers: Vec<DType> =
                dtypes.iter().copied().filter(|dtype| dtype.kind() == DTypeKind::Integer).collect();
            let (dtype, atomic) = (source.pick(&integers), source.pick(&SHARED));
            given.push(Given::Array { dtype, shape: vec![7], may_repeat: false });
            (k.array("shared", dtype, 1).unwrap(), dtype, atomic)
        });
        let (held_dtype, lanes) = (source.pick(&dtypes), local.as_ref().map(|local| local.iter().product::<usize>()));
        let held = lanes.map(|lanes| {
            given.push(Given::Local(vec![lanes]));
            (k.local_parameter("held", held_dtype, 1).unwrap(), held_dtype)
        });
        let mut values = vec![];
        for _ in 0..2 {
            let dtype = source.pick(&dtypes);
            let number = source.element(dtype);
            values.push((k.scalar("number", dtype), dtype));
            given.push(Given::Number(number));
        }
        let private = (source.below(4) == 0).then(|| {
            let (dtype, length) = (source.pick(&dtypes), 1 + source.below(5));
            (k.own_array("private", dtype, &[length], Space::Private).unwrap(), dtype, length)
        });
        let variables: Vec<(Variable, DType)> = (0..3)
            .map(|_| {
                let dtype = source.pick(&dtypes);
                (k.variable(dtype), dtype)
            })
            .collect();
        let ids: Vec<Value> = (0..global.len()).map(|axis| k.position(Position::GlobalId, axis).unwrap()).collect();
        values.extend(ids.iter().map(|&id| (id, DType::I64)));
        let mut random = RandomKernel {
            k,
            source,
            exchanged: dtypes.iter().copied().filter(|dtype| bench.exchanges(*dtype)).collect(),
            dtypes,
            values,
            variables,
            inputs,
            own,
            shared,
            private,
            ids,
            loops: 0,
            has_groups,
        };
        let element = random.k.load(aligned, &random.ids.clone()).unwrap();
        random.values.push((element, dtype));
        random.some_positions(global.len());
        let length = 4 + random.source.below(12);
        random.block(length);
        if let (Some((held, dtype)), Some(lanes)) = (held, lanes) {
            random.share(held, dtype, lanes, &local.clone().unwrap_or_default());
            random.block(4);
        }
        for (array, dtype) in random.own.clone() {
            let value = random.of(dtype);
            random.k.store(array, &random.ids.clone(), value).unwrap();
        }
        let kernel = random.k.finish().unwrap();
        (kernel, NdRange::new(&global, local.as_deref()).unwrap(), given)
    }

    fn some_positions(&mut self, axes: usize) {
        let kinds: &[Position] =
            if self.has_groups { &Position::ALL } else { &[Position::GlobalId, Position::GlobalSize] };
        for _ in 0..2 {
            let (kind, axis) = (self.source.pick(kinds), self.source.below(axes));
            let value = self.k.position(kind, axis).unwrap();
            self.values.push((value, DType::I64));
        }
        if self.has_groups && self.source.below(3) == 0 {
            let kinds = [SubGroup::Id, SubGroup::Size, SubGroup::GroupId, SubGroup::GroupCount];
            let value = self.k.sub_group(self.source.pick(&kinds));
            self.values.push((value, DType::I64));
        }
    }

    /// A value of a dtype.
    fn of(&mut self, dtype: DType) -> Value {
        let alike: Vec<Value> = self.values.iter().filter(|(_, d)| *d == dtype).map(|(value, _)| *value).collect();
        match self.source.below(4) {
            0 => self.k.constant(self.source.element(dtype)),
            1 => {
                let (value, _) = self.source.pick(&self.values);
                self.k.cast(value, dtype).unwrap()
            }
            _ if alike.is_empty() => self.k.constant(self.source.element(dtype)),
            _ => self.source.pick(&alike),
        }
    }

    /// An index below a length.
    fn index(&mut self, length: Value) -> Value {
        let index = self.of(DType::I64);
        self.k.apply(Op::Remainder, &[index, length]).unwrap()
    }

    fn small(&mut self, limit: i64) -> Value {
        if self.source.below(2) == 0 {
            return self.k.constant(Scalar::I64(self.source.below(limit as usize) as i64));
        }
        let limit = self.k.constant(Scalar::I64(limit));
        self.index(limit)
    }

    fn block(&mut self, length: usize) {
        for _ in 0..length {
            self.statement(length);
        }
    }

    /// A block that is opened already, which sees what it defines and nobody else does.
    fn inner(&mut self, length: usize) {
        let in_sight = self.values.len();
        self.block(length);
        self.values.truncate(in_sight);
    }

    fn statement(&mut self, length: usize) {
        let inner = length / 2;
        match self.source.below(20) {
            0 | 1 if inner > 0 => {
                let condition = self.of(DType::Bool);
                self.k.open_if(condition).unwrap();
                self.inner(inner);
                if self.source.below(2) == 0 {
                    self.k.otherwise().unwrap();
                    self.inner(inner);
                }
                self.k.close().unwrap();
            }
            2 | 3 if inner > 0 => self.counted(inner),
            4 if inner > 0 => self.repeated(inner),
            5 if self.loops > 0 => self.jump(),
            6 if !self.has_groups && self.source.below(4) == 0 => {
                let condition = self.of(DType::Bool);
                self.k.open_if(condition).unwrap();
                self.k.end();
                self.k.close().unwrap();
            }
            7 | 8 => {
                let (variable, dtype) = self.source.pick(&self.variables);
                let value = self.of(dtype);
                self.k.set(variable, value).unwrap();
            }
            9 | 10 => {
                let (variable, dtype) = self.source.pick(&self.variables);
                let value = self.k.get(variable).unwrap();
                self.values.push((value, dtype));
            }
            11 | 12 => self.load(),
            13 => {
                let (array, dtype) = self.source.pick(&self.own);
                let value = self.of(dtype);
                self.k.store(array, &self.ids.clone(), value).unwrap();
            }
            14 => self.atomic(),
            15 if self.private.is_some() => self.use_private(),
            _ => self.compute(),
        }
    }

    fn compute(&mut self) {
        let (value, dtype) = self.source.pick(&self.values);
        let fits = |op: &Op| op.rule().domain.contains(&dtype) && !SIGNS.contains(op);
        let ops: Vec<Op> = Op::ALL.iter().copied().filter(fits).collect();
        let defined = match self.source.below(6) {
            0 => {
                let to = self.source.pick(&self.dtypes);
                (self.k.cast(value, to).unwrap(), to)
            }
            1 => {
                let (condition, other) = (self.of(DType::Bool), self.of(dtype));
                (self.k.select(condition, value, other).unwrap(), dtype)
            }
            2 if dtype != DType::Bool => {
                let other = self.of(dtype);
                let op = self.source.pick(&[Op::Add, Op::Subtract, Op::Multiply]);
                (self.k.apply(op, &[value, other]).unwrap(), dtype)
            }
            3 => {
                let other = self.of(dtype);
                let op = self.source.pick(&[Op::Less, Op::GreaterEqual, Op::Equal]);
                (self.k.apply(op, &[value, other]).unwrap(), DType::Bool)
            }
            _ => {
                let op = self.source.pick(&ops);
                let args: Vec<Value> = (0..op.arity()).map(|_| self.of(dtype)).collect();
                (self.k.apply(op, &args).unwrap(), op.rule().out.apply(dtype))
            }
        };
        self.values.push(defined);
    }

    fn counted(&mut self, length: usize) {
        let integers = [DType::I8, DType::I64, DType::U16, DType::U64, DType::I32];
        let dtype = self.source.pick(&integers);
        let mut bounds = [0; 3].map(|_| self.small(5));
        if dtype != DType::I64 || self.source.below(2) == 0 {
            // Some loops go down.
            let sign = self.k.constant(Scalar::I64(if self.source.below(3) == 0 { -1 } else { 1 }));
            bounds[2] = self.k.apply(Op::Multiply, &[bounds[2], sign]).unwrap();
        }
        let [start, stop, step] = bounds.map(|bound| self.k.cast(bound, dtype).unwrap());
        let counter = self.k.open_for(start, stop, step).unwrap();
        self.loops += 1;
        let in_sight = self.values.len();
        self.values.push((counter, dtype));
        self.block(length);
        self.values.truncate(in_sight);
        self.loops -= 1;
        self.k.close().unwrap();
    }

    /// A loop that ends after some iterations, whatever happens in it.
    fn repeated(&mut self, length: usize) {
        let count = self.k.variable(DType::I64);
        let zero = self.k.constant(Scalar::I64(0));
        self.k.set(count, zero).unwrap();
        let limit = self.small(7);
        self.k.open_loop();
        self.loops += 1;
        let in_sight = self.values.len();
        let now = self.k.get(count).unwrap();
        let is_over = self.k.apply(Op::GreaterEqual, &[now, limit]).unwrap();
        self.k.open_if(is_over).unwrap();
        self.k.leave().unwrap();
        self.k.close().unwrap();
        let one = self.k.constant(Scalar::I64(1));
        let next = self.k.apply(Op::Add, &[now, one]).unwrap();
        self.k.set(count, next).unwrap();
        self.values.push((now, DType::I64));
        self.block(length);
        self.values.truncate(in_sight);
        self.loops -= 1;
        self.k.close().unwrap();
    }

    fn jump(&mut self) {
        let condition = self.of(DType::Bool);
        self.k.open_if(condition).unwrap();
        match self.source.below(2) {
            0 => self.k.leave().unwrap(),
            _ => self.k.proceed().unwrap(),
        }
        self.k.close().unwrap();
    }

    fn load(&mut self) {
        if self.source.below(3) == 0 {
            let (array, dtype) = self.source.pick(&self.own);
            let value = self.k.load(array, &self.ids.clone()).unwrap();
            self.values.push((value, dtype));
            return;
        }
        let (array, ndim) = self.source.pick(&self.inputs);
        let mut at = vec![];
        for axis in 0..ndim {
            let length = self.k.extent(array, axis).unwrap();
            at.push(self.index(length));
        }
        let value = self.k.load(array, &at).unwrap();
        let dtype = self.k.dtype(value).unwrap();
        self.values.push((value, dtype));
    }

    fn atomic(&mut self) {
        if let Some((array, dtype, atomic)) = self.shared.filter(|_| self.source.below(2) == 0) {
            let index = self.small(7);
            let value = self.of(dtype);
            self.k.atomic(atomic, array, &[index], value).unwrap();
            return;
        }
        let (array, dtype) = self.source.pick(&self.own);
        if !self.exchanged.contains(&dtype) {
            return;
        }
        let (at, value) = (self.ids.clone(), self.of(dtype));
        let old = if self.source.below(3) == 0 {
            let expected = self.k.constant(self.source.element(dtype));
            self.k.compare_exchange(array, &at, expected, value).unwrap()
        } else {
            let atomic = self.source.pick(&Atomic::ALL);
            match self.k.atomic(atomic, array, &at, value) {
                Ok(old) => old,
                // Not every dtype has every change.
                Err(_) => self.k.atomic(Atomic::Exchange, array, &at, value).unwrap(),
            }
        };
        self.values.push((old, dtype));
    }

    fn use_private(&mut self) {
        let Some((array, dtype, length)) = self.private else { return };
        let index = self.small(length as i64);
        if self.source.below(2) == 0 {
            let value = self.of(dtype);
            self.k.store(array, &[index], value).unwrap();
        } else {
            let value = self.k.load(array, &[index]).unwrap();
            self.values.push((value, dtype));
        }
    }

    /// Where nobody has ended: others' values, through local memory and from the sub-group.
    fn share(&mut self, held: Array, dtype: DType, lanes: usize, local: &[usize]) {
        let mut id = self.k.constant(Scalar::I64(0));
        for (axis, &length) in local.iter().enumerate() {
            let length = self.k.constant(Scalar::I64(length as i64));
            let inside = self.k.position(Position::LocalId, axis).unwrap();
            id = self.k.apply(Op::Multiply, &[id, length]).unwrap();
            id = self.k.apply(Op::Add, &[id, inside]).unwrap();
        }
        let value = self.of(dtype);
        self.k.store(held, &[id], value).unwrap();
        self.k.barrier(None).unwrap();
        let index = self.small(lanes as i64);
        let other = self.k.load(held, &[index]).unwrap();
        self.values.push((other, dtype));
        self.k.barrier(None).unwrap();
        self.k.fence();
        for _ in 0..2 {
            let (value, dtype) = self.source.pick(&self.values);
            let shuffles = [Exchange::Shuffle, Exchange::ShuffleXor, Exchange::ShuffleDown, Exchange::ShuffleUp];
            let exchanged = if self.source.below(2) == 0 {
                let place = self.small(SUB_GROUP as i64);
                let shuffle = self.source.pick(&shuffles);
                self.k.exchange(shuffle, value, Some(place))
            } else {
                let op = self.source.pick(&[Op::Add, Op::Multiply, Op::Maximum, Op::Minimum]);
                self.k.exchange(Exchange::Reduce(op), value, None)
            };
            self.values.push((exchanged.unwrap(), dtype));
        }
    }
}

/// Few or many work-items, on one to three axes, and how many there are in a group.
fn any_range(source: &mut Source, has_groups: bool) -> (Vec<usize>, Option<Vec<usize>>) {
    if !has_groups {
        let global = match source.below(6) {
            0 => vec![1 + source.below(5)],
            1 | 2 => vec![1 + source.below(2500)],
            3 => vec![1 + source.below(5), 1 + source.below(700)],
            4 => vec![1 + source.below(100), 1 + source.below(6)],
            _ => vec![1 + source.below(4), 1 + source.below(9), 1 + source.below(80)],
        };
        return (global, None);
    }
    let local = match source.below(5) {
        0 => vec![1 + source.below(5)],
        1 => vec![32 * (1 + source.below(4))],
        2 => vec![1 + source.below(300)],
        3 => vec![1 + source.below(12), 1 + source.below(12)],
        _ => vec![1 + source.below(3), 1 + source.below(5), 1 + source.below(7)],
    };
    (local.iter().map(|length| length * (1 + source.below(3))).collect(), Some(local))
}
