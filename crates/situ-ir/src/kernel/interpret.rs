//! What a kernel computes, one work-item after another: what every backend has to agree with.
//!
//! The work-items of a group go through the kernel together, statement by statement, so that a barrier has nothing to wait
//! for. Which of them take part in a statement is said by a truth value for each.

use situ_types::{DType, Scalar};

use super::{
    Array, ArrayLayout, Atomic, Block, Exchange, Expression, Fault, For, Guard, Indices, Kernel, MAX_AXES, NdRange,
    Parameter, Position, SUB_GROUP, Space, Statement, SubGroup, Value,
};
use crate::interpret::{apply, cast};

/// What a kernel is given for one of its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// An array: where its elements are. Those of a work-group's array lie without gaps.
    Array(ArrayLayout),
    /// A number.
    Scalar(Scalar),
}

/// The memory of arrays that kernels are given.
pub trait Memory {
    /// The element of an array that is so many elements from the first.
    fn load(&mut self, array: Array, offset: isize) -> Scalar;
    /// Writes one.
    fn store(&mut self, array: Array, offset: isize, value: Scalar);
}

/// Runs a kernel over a range; the first fault, where there is one. `None` in place of it if the arguments do not suit the
/// kernel.
pub fn run(
    kernel: &Kernel,
    range: &NdRange,
    arguments: &[Argument],
    memory: &mut dyn Memory,
) -> Option<Result<(), Fault>> {
    let local = range.local().unwrap_or([1; MAX_AXES]);
    let groups = range.groups_of(local);
    let mut fault = None;
    for index in 0..groups.iter().product() {
        let group = [index / (groups[1] * groups[2]), index / groups[2] % groups[1], index % groups[2]];
        let mut lanes = Group::new(kernel, range, local, group, arguments, memory)?;
        lanes.block(kernel.body(), &mut vec![true; local.iter().product()])?;
        fault = fault.or(lanes.fault);
    }
    Some(fault.map_or(Ok(()), Err))
}

/// Which work-items of a group take part.
type Lanes = Vec<bool>;

/// What has become of the work-items in a loop.
#[derive(Debug)]
struct LoopLanes {
    broken: Lanes,
    continued: Lanes,
}

struct Group<'a> {
    kernel: &'a Kernel,
    range: &'a NdRange,
    local: [usize; MAX_AXES],
    group: [usize; MAX_AXES],
    memory: &'a mut dyn Memory,
    layouts: Vec<ArrayLayout>,
    /// Of arrays that are the group's own, one after another, or of each work-item in turn.
    own: Vec<Vec<Scalar>>,
    values: Vec<Vec<Scalar>>,
    variables: Vec<Vec<Scalar>>,
    loops: Vec<LoopLanes>,
    fault: Option<Fault>,
}

fn zero(dtype: DType) -> Scalar {
    Scalar::from_bytes(dtype, [0; 16])
}

impl<'a> Group<'a> {
    fn new(
        kernel: &'a Kernel,
        range: &'a NdRange,
        local: [usize; MAX_AXES],
        group: [usize; MAX_AXES],
        arguments: &[Argument],
        memory: &'a mut dyn Memory,
    ) -> Option<Group<'a>> {
        let lanes: usize = local.iter().product();
        let mut values: Vec<Vec<Scalar>> = kernel.values().iter().map(|&dtype| vec![zero(dtype); lanes]).collect();
        let mut layouts: Vec<ArrayLayout> = (kernel.arrays().iter())
            .map(|info| ArrayLayout::dense(info.shape.as_deref().unwrap_or_default()))
            .collect();
        for (parameter, argument) in kernel.parameters().iter().zip(arguments) {
            match (parameter, argument) {
                (Parameter::Array(array), Argument::Array(layout)) => layouts[array.index()] = layout.clone(),
                (Parameter::Scalar(value, _), Argument::Scalar(given)) if given.dtype() == kernel.dtype(*value) => {
                    values[value.index()].fill(*given);
                }
                _ => return None,
            }
        }
        let own = kernel.arrays().iter().zip(&layouts).map(|(info, layout)| {
            let copies = match info.space {
                Space::Global => 0,
                Space::Local => 1,
                Space::Private => lanes,
            };
            vec![zero(info.dtype); copies * layout.size()]
        });
        let own = own.collect();
        let variables = kernel.variables().iter().map(|&dtype| vec![zero(dtype); lanes]).collect();
        let (loops, fault) = (Vec::new(), None);
        let is_complete = arguments.len() == kernel.parameters().len();
        is_complete.then_some(Group {
            kernel,
            range,
            local,
            group,
            memory,
            layouts,
            own,
            values,
            variables,
            loops,
            fault,
        })
    }

    fn lanes(&self) -> usize {
        self.local.iter().product()
    }

    fn of(&self, value: Value, lane: usize) -> Scalar {
        self.values[value.index()][lane]
    }

    fn integer(&self, value: Value, lane: usize) -> Option<i64> {
        match cast(self.of(value, lane), DType::I64) {
            Scalar::I64(integer) => Some(integer),
            _ => None,
        }
    }

    fn holds(&self, value: Value, lane: usize) -> bool {
        self.of(value, lane) == Scalar::Bool(true)
    }

    fn local_id(&self, lane: usize) -> [usize; MAX_AXES] {
        let [_, middle, last] = self.local;
        [lane / (middle * last), lane / last % middle, lane % last]
    }

    fn global_id(&self, lane: usize) -> [usize; MAX_AXES] {
        let local = self.local_id(lane);
        std::array::from_fn(|axis| self.group[axis] * self.local[axis] + local[axis])
    }

    fn report(&mut self, lane: usize, report: usize, values: [i64; 2]) {
        let [first, middle, last] = self.global_id(lane);
        let [_, rows, columns] = self.range.global();
        let item = (first * rows + middle) * columns + last;
        self.fault.get_or_insert(Fault { report, item, values });
    }

    /// `None` if something is not well formed.
    fn block(&mut self, block: &Block, active: &mut Lanes) -> Option<()> {
        for statement in block {
            if !active.contains(&true) {
                break;
            }
            self.statement(statement, active)?;
        }
        Some(())
    }

    fn statement(&mut self, statement: &Statement, active: &mut Lanes) -> Option<()> {
        match statement {
            Statement::Define(value, Expression::Exchange(exchange, of, place)) => {
                let results: Vec<Scalar> = (0..self.lanes())
                    .map(|lane| self.exchange(*exchange, *of, *place, lane, active))
                    .collect::<Option<_>>()?;
                self.values[value.index()] = results;
            }
            Statement::Define(value, expression) => {
                for lane in chosen(active) {
                    self.values[value.index()][lane] = self.expression(expression, self.kernel.dtype(*value), lane)?;
                }
            }
            Statement::Set(variable, value) => {
                for lane in chosen(active) {
                    self.variables[variable.index()][lane] = self.of(*value, lane);
                }
            }
            Statement::Store(array, at, value) => {
                for lane in chosen(active) {
                    self.store(*array, at, lane, self.of(*value, lane))?;
                }
            }
            Statement::If(condition, then, otherwise) => {
                let holds = |lane: usize| self.holds(*condition, lane);
                let mut yes: Lanes = active.iter().enumerate().map(|(lane, &on)| on && holds(lane)).collect();
                let mut no: Lanes = active.iter().zip(&yes).map(|(&on, &yes)| on && !yes).collect();
                self.block(then, &mut yes)?;
                self.block(otherwise, &mut no)?;
                *active = either(&yes, &no);
            }
            Statement::Loop(body) => self.repeat(active, |group, inside, _| {
                group.block(body, inside)?;
                Some(())
            })?,
            Statement::For(range) => self.count(range, active)?,
            Statement::Break => {
                let lanes = self.loops.last_mut()?;
                lanes.broken = either(&lanes.broken, active);
                active.fill(false);
            }
            Statement::Continue => {
                let lanes = self.loops.last_mut()?;
                lanes.continued = either(&lanes.continued, active);
                active.fill(false);
            }
            Statement::Return => active.fill(false),
            Statement::Barrier(None) | Statement::Fence => {}
            Statement::Barrier(Some(report)) => {
                // Whoever has failed already is not waited for.
                if let (None, Some(lane)) = (self.fault, active.iter().position(|&on| !on)) {
                    self.report(lane, *report, [0; 2]);
                    active.fill(false);
                }
            }
            Statement::Guard(Guard { condition, report, values }) => {
                for lane in chosen(active).collect::<Vec<_>>() {
                    if !self.holds(*condition, lane) {
                        let mut told = [0; 2];
                        for (told, value) in told.iter_mut().zip(values) {
                            *told = self.integer(*value, lane)?;
                        }
                        self.report(lane, *report, told);
                        active[lane] = false;
                    }
                }
            }
        }
        Some(())
    }

    /// Runs the body of a loop until everybody has left it. The body is told which iteration it is.
    fn repeat(
        &mut self,
        active: &mut Lanes,
        mut body: impl FnMut(&mut Self, &mut Lanes, usize) -> Option<()>,
    ) -> Option<()> {
        let nobody = vec![false; active.len()];
        self.loops.push(LoopLanes { broken: nobody.clone(), continued: nobody.clone() });
        let mut iteration = 0;
        while active.contains(&true) {
            body(self, active, iteration)?;
            let lanes = self.loops.last_mut()?;
            *active = either(active, &lanes.continued);
            lanes.continued.fill(false);
            iteration += 1;
        }
        *active = self.loops.pop()?.broken;
        Some(())
    }

    fn count(&mut self, range: &For, active: &mut Lanes) -> Option<()> {
        let dtype = self.kernel.dtype(range.counter);
        let mut bounds = Vec::new();
        for lane in 0..active.len() {
            let whole = |value: Value| integer(self.of(value, lane));
            bounds.push((whole(range.start)?, whole(range.stop)?, whole(range.step)?));
        }
        self.repeat(active, |group, inside, iteration| {
            for lane in chosen(inside).collect::<Vec<_>>() {
                let (start, stop, step) = bounds[lane];
                let counter = start + step * iteration as i128;
                let goes_on = if step > 0 { counter < stop } else { step < 0 && counter > stop };
                if goes_on {
                    group.values[range.counter.index()][lane] = of_integer(counter, dtype);
                } else {
                    inside[lane] = false;
                    group.loops.last_mut()?.broken[lane] = true;
                }
            }
            group.block(&range.body, inside)
        })
    }

    fn expression(&mut self, expression: &Expression, dtype: DType, lane: usize) -> Option<Scalar> {
        let long = |number: usize| Scalar::I64(number as i64);
        Some(match expression {
            Expression::Constant(value) => *value,
            Expression::Apply(op, args) => {
                let args: Vec<Scalar> = args.iter().map(|&arg| self.of(arg, lane)).collect();
                apply(*op, &args)?
            }
            Expression::Cast(value) => cast(self.of(*value, lane), dtype),
            Expression::Select([condition, yes, no]) => {
                self.of(if self.holds(*condition, lane) { *yes } else { *no }, lane)
            }
            Expression::Get(variable) => self.variables[variable.index()][lane],
            Expression::Load(array, at) => self.load(*array, at, lane)?,
            Expression::Extent(array, axis) => long(*self.layouts[array.index()].shape.get(*axis)?),
            Expression::Position(position, axis) => long(match position {
                Position::GlobalId => self.global_id(lane)[*axis],
                Position::GlobalSize => self.range.global()[*axis],
                Position::LocalId => self.local_id(lane)[*axis],
                Position::LocalSize => self.local[*axis],
                Position::GroupId => self.group[*axis],
                Position::GroupCount => self.range.groups_of(self.local)[*axis],
            }),
            Expression::SubGroup(what) => long(match what {
                SubGroup::Id => lane % SUB_GROUP,
                SubGroup::Size => SUB_GROUP.min(self.lanes() - lane / SUB_GROUP * SUB_GROUP),
                SubGroup::GroupId => lane / SUB_GROUP,
                SubGroup::GroupCount => self.lanes().div_ceil(SUB_GROUP),
            }),
            Expression::Atomic(atomic, array, at, value) => {
                let old = self.load(*array, at, lane)?;
                let new = self.changed(*atomic, old, self.of(*value, lane))?;
                self.store(*array, at, lane, new)?;
                old
            }
            Expression::CompareExchange(array, at, [expected, new]) => {
                let old = self.load(*array, at, lane)?;
                if old.to_bytes() == self.of(*expected, lane).to_bytes() {
                    self.store(*array, at, lane, self.of(*new, lane))?;
                }
                old
            }
            Expression::Exchange(..) => return None,
        })
    }

    fn changed(&self, atomic: Atomic, old: Scalar, value: Scalar) -> Option<Scalar> {
        atomic.op().map_or(Some(value), |op| apply(op, &[old, value]))
    }

    fn exchange(
        &self,
        exchange: Exchange,
        value: Value,
        place: Option<Value>,
        lane: usize,
        active: &Lanes,
    ) -> Option<Scalar> {
        let first = lane / SUB_GROUP * SUB_GROUP;
        let members = first..(first + SUB_GROUP).min(self.lanes());
        if let Exchange::Reduce(op) = exchange {
            let mut partial: Vec<Scalar> =
                members.filter(|&member| active[member]).map(|member| self.of(value, member)).collect();
            // Halves onto halves, as shuffles do it.
            while partial.len() > 1 {
                let half = partial.len().next_power_of_two() / 2;
                for i in half..partial.len() {
                    partial[i - half] = apply(op, &[partial[i - half], partial[i]])?;
                }
                partial.truncate(half);
            }
            return Some(partial.first().copied().unwrap_or_else(|| self.of(value, lane)));
        }
        let (own, by) = ((lane - first) as i64, self.integer(place?, lane)?);
        let wanted = match exchange {
            Exchange::Shuffle => Some(by),
            Exchange::ShuffleXor => Some(own ^ by),
            Exchange::ShuffleDown => own.checked_add(by),
            Exchange::ShuffleUp => own.checked_sub(by),
            Exchange::Reduce(_) => None,
        };
        let there = wanted.and_then(|place| usize::try_from(place).ok()).map(|place| first.saturating_add(place));
        Some(self.of(value, there.filter(|there| members.contains(there)).unwrap_or(lane)))
    }

    /// Where an element is: how many elements from the first one.
    fn offset(&self, array: Array, at: &Indices, lane: usize) -> Option<isize> {
        let layout = &self.layouts[array.index()];
        let steps = at.iter().zip(&layout.strides).map(|(&index, &stride)| {
            let index = self.integer(index, lane)? as isize;
            index.checked_mul(stride)
        });
        steps.sum()
    }

    /// The array of the group's own, and the element in it.
    fn place(&mut self, array: Array, offset: isize, lane: usize) -> Option<&mut Scalar> {
        let first = match self.kernel.array(array).space {
            Space::Private => lane * self.layouts[array.index()].size(),
            _ => 0,
        };
        self.own[array.index()].get_mut(first.checked_add_signed(offset)?)
    }

    fn load(&mut self, array: Array, at: &Indices, lane: usize) -> Option<Scalar> {
        let offset = self.offset(array, at, lane)?;
        match self.kernel.array(array).space {
            Space::Global => Some(self.memory.load(array, offset)),
            _ => self.place(array, offset, lane).map(|element| *element),
        }
    }

    fn store(&mut self, array: Array, at: &Indices, lane: usize, value: Scalar) -> Option<()> {
        let offset = self.offset(array, at, lane)?;
        match self.kernel.array(array).space {
            Space::Global => self.memory.store(array, offset, value),
            _ => *self.place(array, offset, lane)? = value,
        }
        Some(())
    }
}

fn chosen(lanes: &Lanes) -> impl Iterator<Item = usize> {
    lanes.iter().enumerate().filter(|(_, on)| **on).map(|(lane, _)| lane)
}

fn either(a: &Lanes, b: &Lanes) -> Lanes {
    a.iter().zip(b).map(|(&a, &b)| a || b).collect()
}

fn integer(value: Scalar) -> Option<i128> {
    Some(match value {
        Scalar::U64(value) => value.into(),
        other => match cast(other, DType::I64) {
            Scalar::I64(value) => value.into(),
            _ => return None,
        },
    })
}

/// An integer that lies within the dtype.
fn of_integer(value: i128, dtype: DType) -> Scalar {
    if dtype == DType::U64 { Scalar::U64(value as u64) } else { cast(Scalar::I64(value as i64), dtype) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Op;
    use crate::kernel::KernelBuilder;

    /// Arrays of int64s.
    struct Arrays(Vec<Vec<i64>>);

    impl Memory for Arrays {
        fn load(&mut self, array: Array, offset: isize) -> Scalar {
            Scalar::I64(self.0[array.index()][offset as usize])
        }

        fn store(&mut self, array: Array, offset: isize, value: Scalar) {
            let Scalar::I64(value) = value else { panic!("{value:?}") };
            self.0[array.index()][offset as usize] = value;
        }
    }

    #[test]
    fn work_items_leave_loops_one_by_one() {
        // How many steps a number takes to 1, halved or tripled and one more.
        let mut k = KernelBuilder::new("collatz", 1).unwrap();
        let out = k.array("out", DType::I64, 1).unwrap();
        let (n, steps) = (k.variable(DType::I64), k.variable(DType::I64));
        let i = k.position(Position::GlobalId, 0).unwrap();
        let [zero, one, two, three] = [0, 1, 2, 3].map(|number| k.constant(Scalar::I64(number)));
        let first = k.apply(Op::Add, &[i, one]).unwrap();
        k.set(n, first).unwrap();
        k.open_loop();
        let now = k.get(n).unwrap();
        let is_over = k.apply(Op::Equal, &[now, one]).unwrap();
        k.open_if(is_over).unwrap();
        k.leave().unwrap();
        k.close().unwrap();
        let count = k.get(steps).unwrap();
        let count = k.apply(Op::Add, &[count, one]).unwrap();
        k.set(steps, count).unwrap();
        let bit = k.apply(Op::Remainder, &[now, two]).unwrap();
        let is_even = k.apply(Op::Equal, &[bit, zero]).unwrap();
        k.open_if(is_even).unwrap();
        let half = k.apply(Op::FloorDivide, &[now, two]).unwrap();
        k.set(n, half).unwrap();
        k.proceed().unwrap();
        k.close().unwrap();
        let triple = k.apply(Op::Multiply, &[now, three]).unwrap();
        let more = k.apply(Op::Add, &[triple, one]).unwrap();
        k.set(n, more).unwrap();
        k.close().unwrap();
        let count = k.get(steps).unwrap();
        k.store(out, &[i], count).unwrap();
        let kernel = k.finish().unwrap();
        let mut memory = Arrays(vec![vec![0; 10]]);
        let range = NdRange::new(&[10], Some(&[5])).unwrap();
        let arguments = [Argument::Array(ArrayLayout::dense(&[10]))];
        assert_eq!(run(&kernel, &range, &arguments, &mut memory), Some(Ok(())));
        assert_eq!(memory.0[0], [0, 1, 7, 2, 5, 8, 16, 3, 19, 6]);
    }

    #[test]
    fn a_group_shares_memory() {
        // Each group reversed.
        let mut k = KernelBuilder::new("reverse", 1).unwrap();
        let x = k.array("x", DType::I64, 1).unwrap();
        let held = k.own_array("held", DType::I64, &[4], Space::Local).unwrap();
        let i = k.position(Position::GlobalId, 0).unwrap();
        let l = k.position(Position::LocalId, 0).unwrap();
        let element = k.load(x, &[i]).unwrap();
        k.store(held, &[l], element).unwrap();
        k.barrier(None).unwrap();
        let last = k.constant(Scalar::I64(3));
        let other = k.apply(Op::Subtract, &[last, l]).unwrap();
        let element = k.load(held, &[other]).unwrap();
        k.store(x, &[i], element).unwrap();
        let kernel = k.finish().unwrap();
        let mut memory = Arrays(vec![(0..8).collect()]);
        let range = NdRange::new(&[8], Some(&[4])).unwrap();
        let arguments = [Argument::Array(ArrayLayout::dense(&[8]))];
        assert_eq!(run(&kernel, &range, &arguments, &mut memory), Some(Ok(())));
        assert_eq!(memory.0[0], [3, 2, 1, 0, 7, 6, 5, 4]);
    }

    #[test]
    fn the_first_fault_is_told() {
        let mut k = KernelBuilder::new("guarded", 1).unwrap();
        let out = k.array("out", DType::I64, 1).unwrap();
        let report = k.report("index {0} is not below {1}");
        let i = k.position(Position::GlobalId, 0).unwrap();
        let length = k.extent(out, 0).unwrap();
        let is_inside = k.apply(Op::Less, &[i, length]).unwrap();
        k.guard(is_inside, report, &[i, length]).unwrap();
        k.store(out, &[i], i).unwrap();
        let kernel = k.finish().unwrap();
        let mut memory = Arrays(vec![vec![-1; 3]]);
        let range = NdRange::new(&[5], None).unwrap();
        let arguments = [Argument::Array(ArrayLayout::dense(&[3]))];
        let fault = run(&kernel, &range, &arguments, &mut memory).unwrap().unwrap_err();
        assert_eq!(fault.describe(&kernel, &range), "kernel guarded, work-item (3): index 3 is not below 3");
        assert_eq!(Fault::from_words(fault.to_words()), Some(fault));
        assert_eq!(memory.0[0], [0, 1, 2]);
    }
}
