//! Makes kernels, and refuses what is not well formed.

use std::hash::{DefaultHasher, Hash, Hasher};

use situ_types::{DType, DTypeKind, Dims, Scalar};
use smallvec::SmallVec;

use super::{
    Array, ArrayInfo, Atomic, Block, Exchange, Expression, For, Guard, Indices, Kernel, KernelError, MAX_AXES,
    Parameter, Position, Space, Statement, SubGroup, Value, Variable,
};
use crate::Op;

type Result<T> = std::result::Result<T, KernelError>;

/// The most elements of an array that each work-group has.
const LOCAL_ELEMENTS: usize = 1 << 20;

/// The most elements of an array that each work-item has.
const PRIVATE_ELEMENTS: usize = 1 << 15;

/// A block that is being written, and what it will be part of.
#[derive(Debug)]
struct Open {
    block: Block,
    kind: OpenKind,
    /// How many values were in sight before it.
    in_sight: usize,
}

#[derive(Debug)]
enum OpenKind {
    Body,
    Then(Value),
    Otherwise(Value, Block),
    Loop,
    For { counter: Value, start: Value, stop: Value, step: Value },
}

/// A kernel that is being written, statement after statement.
///
/// `if`s and loops are opened, filled and [closed](Self::close).
#[derive(Debug)]
pub struct KernelBuilder {
    kernel: Kernel,
    open: Vec<Open>,
    /// The values that can be used here, in the order of their definition, and by number whether each is among them.
    in_sight: Vec<Value>,
    is_in_sight: Vec<bool>,
}

impl KernelBuilder {
    /// A kernel that does nothing yet, over a range with so many axes.
    pub fn new(name: &str, axes: usize) -> Result<KernelBuilder> {
        if !(1..=MAX_AXES).contains(&axes) {
            return Err(KernelError::Axes(axes));
        }
        let kernel = Kernel {
            name: name.to_owned(),
            axes,
            parameters: Vec::new(),
            arrays: Vec::new(),
            values: Vec::new(),
            variables: Vec::new(),
            reports: Vec::new(),
            body: Block::new(),
            needs_groups: false,
            has_barriers: false,
            may_contract: false,
            extents: Vec::new(),
            digest: 0,
        };
        let body = Open { block: Block::new(), kind: OpenKind::Body, in_sight: 0 };
        Ok(KernelBuilder { kernel, open: vec![body], in_sight: Vec::new(), is_in_sight: Vec::new() })
    }

    /// Allows a product and the sum it goes into to be rounded once.
    pub fn allow_contraction(&mut self) {
        self.kernel.may_contract = true;
    }

    /// Of a value that is in sight.
    pub fn dtype(&self, value: Value) -> Result<DType> {
        if self.is_in_sight.get(value.index()) == Some(&true) {
            Ok(self.kernel.dtype(value))
        } else {
            Err(KernelError::Undefined(value.index()))
        }
    }

    /// What is known of an array.
    pub fn array_info(&self, array: Array) -> Result<&ArrayInfo> {
        self.kernel.arrays.get(array.index()).ok_or(KernelError::NoArray(array.index()))
    }

    /// A parameter that is an array.
    pub fn array(&mut self, name: &str, dtype: DType, ndim: usize) -> Result<Array> {
        self.array_parameter(name, dtype, ndim, Space::Global)
    }

    /// A parameter that is an array of each work-group.
    pub fn local_parameter(&mut self, name: &str, dtype: DType, ndim: usize) -> Result<Array> {
        self.kernel.needs_groups = true;
        self.array_parameter(name, dtype, ndim, Space::Local)
    }

    fn array_parameter(&mut self, name: &str, dtype: DType, ndim: usize, space: Space) -> Result<Array> {
        self.expect_no_statement()?;
        let array = self.new_array(name, dtype, ndim, space, None);
        self.kernel.parameters.push(Parameter::Array(array));
        Ok(array)
    }

    /// A parameter that is a number.
    pub fn scalar(&mut self, name: &str, dtype: DType) -> Value {
        let value = self.new_value(dtype);
        self.kernel.parameters.push(Parameter::Scalar(value, name.to_owned()));
        value
    }

    /// An array of the kernel's own: each work-group's or each work-item's.
    pub fn own_array(&mut self, name: &str, dtype: DType, shape: &[usize], space: Space) -> Result<Array> {
        let elements = shape.iter().try_fold(1usize, |product, &length| product.checked_mul(length));
        let limit = if space == Space::Private { PRIVATE_ELEMENTS } else { LOCAL_ELEMENTS };
        if elements.is_none_or(|elements| elements > limit) {
            let elements = elements.map_or("very many".into(), |elements| elements.to_string());
            return Err(KernelError::TooLarge { array: name.to_owned(), elements, limit });
        }
        self.kernel.needs_groups |= space == Space::Local;
        Ok(self.new_array(name, dtype, shape.len(), space, Some(Dims::from_slice(shape))))
    }

    fn new_array(&mut self, name: &str, dtype: DType, ndim: usize, space: Space, shape: Option<Dims>) -> Array {
        let array = Array(self.kernel.arrays.len() as u32);
        let name = name.to_owned();
        self.kernel.arrays.push(ArrayInfo { name, dtype, ndim, space, shape, is_written: false, is_read: false });
        array
    }

    /// A variable.
    pub fn variable(&mut self, dtype: DType) -> Variable {
        self.kernel.variables.push(dtype);
        Variable(self.kernel.variables.len() as u32 - 1)
    }

    /// The dtype of a variable.
    pub fn variable_dtype(&self, variable: Variable) -> Result<DType> {
        self.kernel.variables.get(variable.index()).copied().ok_or(KernelError::NoVariable(variable.index()))
    }

    /// What a guard may report. `{0}` and `{1}` stand for its values.
    pub fn report(&mut self, text: &str) -> usize {
        self.kernel.reports.push(text.to_owned());
        self.kernel.reports.len() - 1
    }

    /// A number.
    pub fn constant(&mut self, value: Scalar) -> Value {
        self.define(value.dtype(), Expression::Constant(value))
    }

    /// An op over values of the dtype it computes in.
    pub fn apply(&mut self, op: Op, args: &[Value]) -> Result<Value> {
        if args.len() != op.arity() {
            return Err(KernelError::Arity { op, given: args.len() });
        }
        let dtypes: SmallVec<[DType; 3]> = args.iter().map(|&arg| self.dtype(arg)).collect::<Result<_>>()?;
        let result = if dtypes.iter().all(|&dtype| dtype == dtypes[0]) { op.result(dtypes[0]) } else { None };
        let result = result.ok_or_else(|| KernelError::Operands { op, dtypes: dtypes.to_vec() })?;
        Ok(self.define(result, Expression::Apply(op, args.into())))
    }

    /// A value converted, or the value itself where there is nothing to convert.
    pub fn cast(&mut self, value: Value, to: DType) -> Result<Value> {
        if self.dtype(value)? == to { Ok(value) } else { Ok(self.define(to, Expression::Cast(value))) }
    }

    /// One of two values that exist both.
    pub fn select(&mut self, condition: Value, yes: Value, no: Value) -> Result<Value> {
        self.expect("the condition of a choice", condition, DType::Bool)?;
        let dtype = self.dtype(yes)?;
        self.expect("the other value of a choice", no, dtype)?;
        Ok(self.define(dtype, Expression::Select([condition, yes, no])))
    }

    /// What a variable holds now.
    pub fn get(&mut self, variable: Variable) -> Result<Value> {
        let dtype = self.variable_dtype(variable)?;
        Ok(self.define(dtype, Expression::Get(variable)))
    }

    /// Assigns to a variable.
    pub fn set(&mut self, variable: Variable, value: Value) -> Result<()> {
        let dtype = self.variable_dtype(variable)?;
        self.expect("what is assigned", value, dtype)?;
        self.push(Statement::Set(variable, value));
        Ok(())
    }

    /// An element.
    pub fn load(&mut self, array: Array, at: &[Value]) -> Result<Value> {
        let at = self.indices(array, at)?;
        let info = &mut self.kernel.arrays[array.index()];
        info.is_read = true;
        let dtype = info.dtype;
        Ok(self.define(dtype, Expression::Load(array, at)))
    }

    /// Writes an element.
    pub fn store(&mut self, array: Array, at: &[Value], value: Value) -> Result<()> {
        let at = self.indices(array, at)?;
        let dtype = self.array_info(array)?.dtype;
        self.expect("what is stored", value, dtype)?;
        self.kernel.arrays[array.index()].is_written = true;
        self.push(Statement::Store(array, at, value));
        Ok(())
    }

    /// The length of an axis.
    pub fn extent(&mut self, array: Array, axis: usize) -> Result<Value> {
        let info = self.array_info(array)?;
        if axis >= info.ndim {
            return Err(KernelError::NoArrayAxis { array: info.name.clone(), axis, ndim: info.ndim });
        }
        if !self.kernel.extents.contains(&(array, axis)) {
            self.kernel.extents.push((array, axis));
        }
        Ok(self.define(DType::I64, Expression::Extent(array, axis)))
    }

    /// Where the work-item is along an axis of the range.
    pub fn position(&mut self, position: Position, axis: usize) -> Result<Value> {
        if axis >= self.kernel.axes {
            return Err(KernelError::NoAxis { axis, axes: self.kernel.axes });
        }
        self.kernel.needs_groups |= position.needs_groups();
        Ok(self.define(DType::I64, Expression::Position(position, axis)))
    }

    /// Where the work-item is in its sub-group.
    pub fn sub_group(&mut self, what: SubGroup) -> Value {
        self.kernel.needs_groups = true;
        self.define(DType::I64, Expression::SubGroup(what))
    }

    /// What the work-items of a sub-group give each other; shuffles have a place.
    pub fn exchange(&mut self, exchange: Exchange, value: Value, place: Option<Value>) -> Result<Value> {
        let dtype = self.dtype(value)?;
        match (exchange, place) {
            (Exchange::Reduce(op), None) if op.arity() == 2 && op.result(dtype) == Some(dtype) => {}
            (Exchange::Reduce(op), None) => return Err(KernelError::Operands { op, dtypes: vec![dtype; 2] }),
            (Exchange::Reduce(op), Some(_)) => return Err(KernelError::Arity { op, given: 3 }),
            (_, Some(place)) => self.expect("a place in a sub-group", place, DType::I64)?,
            (_, None) => return Err(KernelError::Undefined(self.kernel.values.len())),
        }
        self.kernel.needs_groups = true;
        self.kernel.has_barriers = true;
        Ok(self.define(dtype, Expression::Exchange(exchange, value, place)))
    }

    /// An element changed while nobody else does so; what it was before.
    pub fn atomic(&mut self, atomic: Atomic, array: Array, at: &[Value], value: Value) -> Result<Value> {
        let at = self.changed(atomic.name(), array, at, value)?;
        let dtype = self.kernel.array(array).dtype;
        let exists = match atomic {
            Atomic::Exchange => true,
            Atomic::And | Atomic::Or | Atomic::Xor => matches!(dtype.kind(), DTypeKind::Bool | DTypeKind::Integer),
            Atomic::Minimum | Atomic::Maximum => dtype.kind() != DTypeKind::Complex,
            Atomic::Add | Atomic::Subtract => dtype != DType::Bool,
        };
        if !exists {
            return Err(KernelError::Atomic { atomic: atomic.name(), dtype });
        }
        Ok(self.define(dtype, Expression::Atomic(atomic, array, at, value)))
    }

    /// A new value put where an element is equal to the expected one, bit for bit; what the element was before.
    pub fn compare_exchange(&mut self, array: Array, at: &[Value], expected: Value, new: Value) -> Result<Value> {
        let at = self.changed("compare_exchange", array, at, new)?;
        let dtype = self.kernel.array(array).dtype;
        self.expect("the expected value", expected, dtype)?;
        Ok(self.define(dtype, Expression::CompareExchange(array, at, [expected, new])))
    }

    /// Notes that an element is both read and written.
    fn changed(&mut self, what: &'static str, array: Array, at: &[Value], value: Value) -> Result<Indices> {
        let at = self.indices(array, at)?;
        let info = self.array_info(array)?;
        if info.space == Space::Private {
            return Err(KernelError::Atomic { atomic: what, dtype: info.dtype });
        }
        self.expect("the value of an atomic change", value, info.dtype)?;
        let info = &mut self.kernel.arrays[array.index()];
        (info.is_read, info.is_written) = (true, true);
        Ok(at)
    }

    /// Opens what is done where a truth value holds.
    pub fn open_if(&mut self, condition: Value) -> Result<()> {
        self.expect("a condition", condition, DType::Bool)?;
        self.push_open(OpenKind::Then(condition));
        Ok(())
    }

    /// Closes the first block of an `if` and opens the other.
    pub fn otherwise(&mut self) -> Result<()> {
        match self.pop_open()? {
            Open { block, kind: OpenKind::Then(condition), .. } => {
                self.push_open(OpenKind::Otherwise(condition, block));
                Ok(())
            }
            other => {
                self.open.push(other);
                Err(KernelError::Unbalanced("not that of a condition"))
            }
        }
    }

    /// Opens a loop that something in it has to leave.
    pub fn open_loop(&mut self) {
        self.push_open(OpenKind::Loop);
    }

    /// Opens a loop over integers; the integer.
    pub fn open_for(&mut self, start: Value, stop: Value, step: Value) -> Result<Value> {
        let dtype = self.dtype(start)?;
        if dtype.kind() != DTypeKind::Integer {
            return Err(KernelError::Counter(dtype));
        }
        self.expect("the end of a loop", stop, dtype)?;
        self.expect("the step of a loop", step, dtype)?;
        let counter = Value(self.kernel.values.len() as u32);
        self.push_open(OpenKind::For { counter, start, stop, step });
        Ok(self.new_value(dtype))
    }

    /// Closes the block that was opened last.
    pub fn close(&mut self) -> Result<()> {
        let Open { block, kind, .. } = self.pop_open()?;
        self.push(match kind {
            OpenKind::Then(condition) => Statement::If(condition, block, Block::new()),
            OpenKind::Otherwise(condition, then) => Statement::If(condition, then, block),
            OpenKind::Loop => Statement::Loop(block),
            OpenKind::For { counter, start, stop, step } => {
                Statement::For(For { counter, start, stop, step, body: block })
            }
            OpenKind::Body => return Err(KernelError::Unbalanced("closed that was not opened")),
        });
        Ok(())
    }

    /// Leaves the innermost loop.
    pub fn leave(&mut self) -> Result<()> {
        self.in_loop("break")?;
        self.push(Statement::Break);
        Ok(())
    }

    /// Goes on with the next iteration of the innermost loop.
    pub fn proceed(&mut self) -> Result<()> {
        self.in_loop("continue")?;
        self.push(Statement::Continue);
        Ok(())
    }

    /// Ends the work-item.
    pub fn end(&mut self) {
        self.push(Statement::Return);
    }

    /// Waits for all work-items of the group; a report says what to do if some do not come.
    pub fn barrier(&mut self, report: Option<usize>) -> Result<()> {
        self.known_report(report)?;
        (self.kernel.needs_groups, self.kernel.has_barriers) = (true, true);
        self.push(Statement::Barrier(report));
        Ok(())
    }

    /// Makes what was written seen before what will be.
    pub fn fence(&mut self) {
        self.push(Statement::Fence);
    }

    /// Ends the work-item with a report, of up to two int64s, unless a truth value holds.
    pub fn guard(&mut self, condition: Value, report: usize, values: &[Value]) -> Result<()> {
        self.expect("what is guarded", condition, DType::Bool)?;
        self.known_report(Some(report))?;
        values.iter().try_for_each(|&value| self.expect("a number of a report", value, DType::I64))?;
        let values = values.iter().copied().take(2).collect();
        self.push(Statement::Guard(Guard { condition, report, values }));
        Ok(())
    }

    /// The kernel.
    pub fn finish(mut self) -> Result<Kernel> {
        match (self.open.pop(), self.open.is_empty()) {
            (Some(Open { block, kind: OpenKind::Body, .. }), true) => self.kernel.body = block,
            _ => return Err(KernelError::Unbalanced("not closed")),
        }
        let mut hasher = DefaultHasher::new();
        (self.kernel.to_string(), self.kernel.may_contract).hash(&mut hasher);
        self.kernel.digest = hasher.finish();
        Ok(self.kernel)
    }

    fn define(&mut self, dtype: DType, expression: Expression) -> Value {
        let value = self.new_value(dtype);
        self.push(Statement::Define(value, expression));
        value
    }

    fn new_value(&mut self, dtype: DType) -> Value {
        let value = Value(self.kernel.values.len() as u32);
        self.kernel.values.push(dtype);
        self.is_in_sight.push(true);
        self.in_sight.push(value);
        value
    }

    fn push(&mut self, statement: Statement) {
        // The body stays open until the kernel is finished.
        if let Some(open) = self.open.last_mut() {
            open.block.push(statement);
        }
    }

    fn push_open(&mut self, kind: OpenKind) {
        self.open.push(Open { block: Block::new(), kind, in_sight: self.in_sight.len() });
    }

    /// Takes the block that was opened last, and what was defined in it out of sight.
    fn pop_open(&mut self) -> Result<Open> {
        if self.open.len() == 1 {
            return Err(KernelError::Unbalanced("closed that was not opened"));
        }
        let open = self.open.pop().ok_or(KernelError::Unbalanced("closed that was not opened"))?;
        for value in self.in_sight.drain(open.in_sight..) {
            self.is_in_sight[value.index()] = false;
        }
        Ok(open)
    }

    fn indices(&self, array: Array, at: &[Value]) -> Result<Indices> {
        let info = self.array_info(array)?;
        if at.len() != info.ndim {
            return Err(KernelError::Indices { array: info.name.clone(), ndim: info.ndim, given: at.len() });
        }
        at.iter().try_for_each(|&index| self.expect("an index", index, DType::I64))?;
        Ok(at.into())
    }

    fn expect(&self, what: &'static str, value: Value, wanted: DType) -> Result<()> {
        let given = self.dtype(value)?;
        if given == wanted { Ok(()) } else { Err(KernelError::DType { what, wanted, given }) }
    }

    fn known_report(&self, report: Option<usize>) -> Result<()> {
        match report.filter(|&report| report >= self.kernel.reports.len()) {
            Some(report) => Err(KernelError::NoReport(report)),
            None => Ok(()),
        }
    }

    fn in_loop(&self, what: &'static str) -> Result<()> {
        let is_inside = self.open.iter().any(|open| matches!(open.kind, OpenKind::Loop | OpenKind::For { .. }));
        if is_inside { Ok(()) } else { Err(KernelError::NoLoop(what)) }
    }

    fn expect_no_statement(&self) -> Result<()> {
        let is_fresh = self.open.len() == 1 && self.open.iter().all(|open| open.block.is_empty());
        if is_fresh { Ok(()) } else { Err(KernelError::LateParameter) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_out_of_sight_after_their_block() {
        let mut k = KernelBuilder::new("k", 1).unwrap();
        let yes = k.constant(Scalar::Bool(true));
        k.open_if(yes).unwrap();
        let inner = k.constant(Scalar::I64(1));
        k.otherwise().unwrap();
        assert_eq!(k.cast(inner, DType::F32), Err(KernelError::Undefined(inner.index())));
        k.close().unwrap();
        assert_eq!(k.cast(inner, DType::F32), Err(KernelError::Undefined(inner.index())));
        assert!(k.finish().is_ok());
    }

    #[test]
    fn dtypes_and_indices_are_checked() {
        let mut k = KernelBuilder::new("k", 2).unwrap();
        let x = k.array("x", DType::F32, 2).unwrap();
        let i = k.position(Position::GlobalId, 0).unwrap();
        assert!(matches!(k.load(x, &[i]), Err(KernelError::Indices { ndim: 2, given: 1, .. })));
        assert!(matches!(k.position(Position::GlobalId, 2), Err(KernelError::NoAxis { axis: 2, axes: 2 })));
        let element = k.load(x, &[i, i]).unwrap();
        assert!(matches!(k.load(x, &[i, element]), Err(KernelError::DType { .. })));
        assert!(matches!(k.apply(Op::Add, &[i, element]), Err(KernelError::Operands { .. })));
        assert!(matches!(k.apply(Op::Add, &[i]), Err(KernelError::Arity { given: 1, .. })));
        assert!(matches!(k.open_if(element), Err(KernelError::DType { .. })));
        assert!(matches!(k.open_for(element, element, element), Err(KernelError::Counter(DType::F32))));
        assert!(matches!(k.atomic(Atomic::And, x, &[i, i], element), Err(KernelError::Atomic { .. })));
        assert!(matches!(k.array("y", DType::F32, 1), Err(KernelError::LateParameter)));
    }

    #[test]
    fn blocks_are_balanced() {
        let mut k = KernelBuilder::new("k", 1).unwrap();
        assert!(matches!(k.close(), Err(KernelError::Unbalanced(_))));
        assert!(matches!(k.leave(), Err(KernelError::NoLoop("break"))));
        k.open_loop();
        assert!(matches!(k.otherwise(), Err(KernelError::Unbalanced(_))));
        k.leave().unwrap();
        assert!(matches!(k.finish(), Err(KernelError::Unbalanced(_))));
    }

    #[test]
    fn a_kernel_knows_what_it_needs() {
        let mut k = KernelBuilder::new("k", 1).unwrap();
        let (x, y) = (k.array("x", DType::I32, 1).unwrap(), k.array("y", DType::I32, 1).unwrap());
        let i = k.position(Position::GlobalId, 0).unwrap();
        let element = k.load(x, &[i]).unwrap();
        k.atomic(Atomic::Add, y, &[i], element).unwrap();
        k.barrier(None).unwrap();
        let kernel = k.finish().unwrap();
        assert!(kernel.array(x).is_read && !kernel.array(x).is_written);
        assert!(kernel.array(y).is_read && kernel.array(y).is_written);
        assert!(kernel.needs_groups() && kernel.has_barriers());
    }

    #[test]
    fn kernels_are_told_apart_by_their_digests() {
        let kernel = |number: i64, contracts: bool| {
            let mut k = KernelBuilder::new("k", 1).unwrap();
            let x = k.array("x", DType::I64, 1).unwrap();
            let (length, number) = (k.extent(x, 0).unwrap(), k.constant(Scalar::I64(number)));
            k.extent(x, 0).unwrap();
            k.store(x, &[number], length).unwrap();
            if contracts {
                k.allow_contraction();
            }
            k.finish().unwrap()
        };
        assert_eq!(kernel(1, false).extents().len(), 1);
        assert_eq!(kernel(1, false).digest(), kernel(1, false).digest());
        assert_ne!(kernel(1, false).digest(), kernel(2, false).digest());
        assert_ne!(kernel(1, false).digest(), kernel(1, true).digest());
    }
}
