//! A kernel that is being written.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_ir::Op;
use situ_ir::kernel::{Array, Atomic, Exchange, Indices, KernelBuilder, Position, Space, SubGroup, Value, Variable};
use situ_types::{DType, DTypeKind, Scalar};

use super::handle::PyKernel;
use super::operand::{Operand, PyValue};
use super::types::Type;
use super::{built, refused};
use crate::args::dtype;

/// A variable of a kernel that is being written.
#[pyclass(name = "Variable", module = "situ._native.kernels", frozen)]
#[derive(Clone, Copy, Debug)]
pub(super) struct PyVariable {
    variable: Variable,
    of_type: Type,
}

/// An array of a kernel that is being written.
#[pyclass(name = "Array", module = "situ._native.kernels", frozen)]
#[derive(Clone, Copy, Debug)]
pub(super) struct PyKernelArray {
    array: Array,
    dtype: DType,
}

/// What is the same wherever it is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Invariant {
    Constant(DType, [u8; 16]),
    Extent(Array, usize),
    Position(Position, usize),
}

/// Writes a kernel, statement after statement; `if`s and loops are opened, filled and closed.
#[pyclass(name = "Builder", module = "situ._native.kernels")]
pub(super) struct PyBuilder {
    builder: Option<KernelBuilder>,
    /// Values that need not be made twice while they are in sight.
    invariants: HashMap<Invariant, Value>,
}

impl PyBuilder {
    pub(super) fn builder(&mut self) -> PyResult<&mut KernelBuilder> {
        self.builder.as_mut().ok_or_else(|| refused("the kernel is finished"))
    }

    fn invariant(
        &mut self,
        key: Invariant,
        make: impl FnOnce(&mut KernelBuilder) -> PyResult<Value>,
    ) -> PyResult<Value> {
        let known = self.invariants.get(&key).copied();
        let builder = self.builder()?;
        if let Some(value) = known.filter(|&value| builder.dtype(value).is_ok()) {
            return Ok(value);
        }
        let value = make(builder)?;
        self.invariants.insert(key, value);
        Ok(value)
    }

    /// A number.
    pub(super) fn known(&mut self, scalar: Scalar, is_weak: bool) -> PyResult<PyValue> {
        let key = Invariant::Constant(scalar.dtype(), scalar.to_bytes());
        let value = self.invariant(key, |builder| Ok(builder.constant(scalar)))?;
        Ok(PyValue { value, of_type: Type { dtype: scalar.dtype(), is_weak } })
    }

    fn integer(&mut self, object: &Bound<'_, PyAny>, what: &str) -> PyResult<Value> {
        let operand = Operand::parse(object)?;
        let dtype = operand.of_type().dtype;
        if dtype.kind() != DTypeKind::Integer {
            return Err(refused(format!("{what} must be an integer, not {dtype}; convert it with int()")));
        }
        Ok(self.converted(&operand, DType::I64)?.value)
    }

    fn indices(&mut self, at: &Bound<'_, PyTuple>) -> PyResult<Indices> {
        at.iter_borrowed().map(|index| self.integer(&index, "an index")).collect()
    }

    fn truth(&mut self, object: &Bound<'_, PyAny>) -> PyResult<Value> {
        Ok(self.converted(&Operand::parse(object)?, DType::Bool)?.value)
    }
}

/// The int64 that Python's own integers are.
fn weak_integer(value: Value) -> PyValue {
    PyValue { value, of_type: Type::weak(DType::I64) }
}

fn named<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str, wanted: &str) -> PyResult<T> {
    let found = all.iter().copied().find(|&each| name(each) == wanted);
    found.ok_or_else(|| refused(format!("there is no {wanted:?}")))
}

fn space(name: &str) -> PyResult<Space> {
    match name {
        "local" => Ok(Space::Local),
        "private" => Ok(Space::Private),
        _ => Err(refused(format!("there are no {name} arrays"))),
    }
}

#[pymethods]
impl PyBuilder {
    #[new]
    fn new(name: &str, axes: usize, contract: bool) -> PyResult<PyBuilder> {
        let mut builder = built(KernelBuilder::new(name, axes))?;
        if contract {
            builder.allow_contraction();
        }
        Ok(PyBuilder { builder: Some(builder), invariants: HashMap::new() })
    }

    /// A parameter that is an array.
    #[pyo3(signature = (name, of, ndim, *, local=false))]
    fn array(&mut self, name: &str, of: &Bound<'_, PyAny>, ndim: usize, local: bool) -> PyResult<PyKernelArray> {
        let (dtype, builder) = (dtype(of)?, self.builder()?);
        let array = if local { builder.local_parameter(name, dtype, ndim) } else { builder.array(name, dtype, ndim) };
        Ok(PyKernelArray { array: built(array)?, dtype })
    }

    /// A parameter that is a number.
    fn scalar(&mut self, name: &str, of_type: u8) -> PyResult<PyValue> {
        let of_type = Type::from_code(of_type)?;
        Ok(PyValue { value: self.builder()?.scalar(name, of_type.dtype), of_type })
    }

    /// An array of each work-group or work-item.
    fn own_array(
        &mut self,
        name: &str,
        of: &Bound<'_, PyAny>,
        shape: Vec<usize>,
        of_space: &str,
    ) -> PyResult<PyKernelArray> {
        let dtype = dtype(of)?;
        let array = built(self.builder()?.own_array(name, dtype, &shape, space(of_space)?))?;
        Ok(PyKernelArray { array, dtype })
    }

    /// A variable.
    fn variable(&mut self, of_type: u8) -> PyResult<PyVariable> {
        let of_type = Type::from_code(of_type)?;
        Ok(PyVariable { variable: self.builder()?.variable(of_type.dtype), of_type })
    }

    /// What a variable holds now.
    fn get(&mut self, variable: &PyVariable) -> PyResult<PyValue> {
        Ok(PyValue { value: built(self.builder()?.get(variable.variable))?, of_type: variable.of_type })
    }

    /// Assigns a value or number, converted to the variable's dtype.
    fn set(&mut self, variable: &PyVariable, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = self.converted(&Operand::parse(object)?, variable.of_type.dtype)?.value;
        built(self.builder()?.set(variable.variable, value))
    }

    /// A number as a value.
    fn constant(&mut self, object: &Bound<'_, PyAny>) -> PyResult<PyValue> {
        let operand = Operand::parse(object)?;
        let of_type = operand.of_type();
        Ok(PyValue { value: self.converted(&operand, of_type.dtype)?.value, of_type })
    }

    /// What a guard may report.
    fn report(&mut self, text: &str) -> PyResult<usize> {
        Ok(self.builder()?.report(text))
    }

    /// An element.
    fn load(&mut self, array: &PyKernelArray, at: &Bound<'_, PyTuple>) -> PyResult<PyValue> {
        let at = self.indices(at)?;
        let value = built(self.builder()?.load(array.array, &at))?;
        Ok(PyValue { value, of_type: Type::strong(array.dtype) })
    }

    /// Writes an element, converted to the array's dtype.
    fn store(&mut self, array: &PyKernelArray, at: &Bound<'_, PyTuple>, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let at = self.indices(at)?;
        let value = self.stored(&Operand::parse(object)?, array.dtype)?.value;
        built(self.builder()?.store(array.array, &at, value))
    }

    /// The length of an axis.
    fn extent(&mut self, array: &PyKernelArray, axis: usize) -> PyResult<PyValue> {
        let array = array.array;
        let key = Invariant::Extent(array, axis);
        self.invariant(key, |builder| built(builder.extent(array, axis))).map(weak_integer)
    }

    /// Where the work-item is along an axis of the range.
    fn position(&mut self, name: &str, axis: usize) -> PyResult<PyValue> {
        let position = named(&Position::ALL, Position::name, name)?;
        let key = Invariant::Position(position, axis);
        self.invariant(key, |builder| built(builder.position(position, axis))).map(weak_integer)
    }

    /// Where the work-item is in its sub-group.
    fn sub_group(&mut self, name: &str) -> PyResult<PyValue> {
        let what = match name {
            "id" => SubGroup::Id,
            "size" => SubGroup::Size,
            "group_id" => SubGroup::GroupId,
            "group_count" => SubGroup::GroupCount,
            _ => return Err(refused(format!("sub-groups have no {name}"))),
        };
        Ok(weak_integer(self.builder()?.sub_group(what)))
    }

    /// What a sub-group makes of a value and an op.
    fn reduce(&mut self, op: usize, object: &Bound<'_, PyAny>) -> PyResult<PyValue> {
        let op = *Op::ALL.get(op).ok_or_else(|| refused(format!("there is no op {op}")))?;
        let operand = Operand::parse(object)?;
        let of_type = operand.of_type();
        let value = self.converted(&operand, of_type.dtype)?.value;
        Ok(PyValue { value: built(self.builder()?.exchange(Exchange::Reduce(op), value, None))?, of_type })
    }

    /// The value of another work-item of the sub-group.
    fn shuffle(&mut self, name: &str, object: &Bound<'_, PyAny>, place: &Bound<'_, PyAny>) -> PyResult<PyValue> {
        let exchange = match name {
            "shuffle" => Exchange::Shuffle,
            "shuffle_xor" => Exchange::ShuffleXor,
            "shuffle_down" => Exchange::ShuffleDown,
            "shuffle_up" => Exchange::ShuffleUp,
            _ => return Err(refused(format!("sub-groups have no {name}"))),
        };
        let operand = Operand::parse(object)?;
        let of_type = operand.of_type();
        let (value, place) =
            (self.converted(&operand, of_type.dtype)?.value, self.integer(place, "a place in a sub-group")?);
        Ok(PyValue { value: built(self.builder()?.exchange(exchange, value, Some(place)))?, of_type })
    }

    /// An element changed while nobody else does so; what it was before.
    fn atomic(
        &mut self,
        name: &str,
        array: &PyKernelArray,
        at: &Bound<'_, PyTuple>,
        object: &Bound<'_, PyAny>,
    ) -> PyResult<PyValue> {
        let atomic = named(&Atomic::ALL, Atomic::name, name)?;
        let at = self.indices(at)?;
        let value = self.stored(&Operand::parse(object)?, array.dtype)?.value;
        let value = built(self.builder()?.atomic(atomic, array.array, &at, value))?;
        Ok(PyValue { value, of_type: Type::strong(array.dtype) })
    }

    /// A new value put where an element is equal to the expected one, bit for bit; what the element was before.
    fn compare_exchange(
        &mut self,
        array: &PyKernelArray,
        at: &Bound<'_, PyTuple>,
        expected: &Bound<'_, PyAny>,
        new: &Bound<'_, PyAny>,
    ) -> PyResult<PyValue> {
        let at = self.indices(at)?;
        let expected = self.stored(&Operand::parse(expected)?, array.dtype)?.value;
        let new = self.stored(&Operand::parse(new)?, array.dtype)?.value;
        let value = built(self.builder()?.compare_exchange(array.array, &at, expected, new))?;
        Ok(PyValue { value, of_type: Type::strong(array.dtype) })
    }

    /// Opens what is done where a truth value holds.
    fn open_if(&mut self, condition: &Bound<'_, PyAny>) -> PyResult<()> {
        let condition = self.truth(condition)?;
        built(self.builder()?.open_if(condition))
    }

    /// Closes the first block of an `if` and opens the other.
    fn otherwise(&mut self) -> PyResult<()> {
        built(self.builder()?.otherwise())
    }

    /// Opens a loop that something in it has to leave.
    fn open_loop(&mut self) -> PyResult<()> {
        self.builder()?.open_loop();
        Ok(())
    }

    /// Opens a loop over integers; the integer.
    fn open_for(
        &mut self,
        start: &Bound<'_, PyAny>,
        stop: &Bound<'_, PyAny>,
        step: &Bound<'_, PyAny>,
    ) -> PyResult<PyValue> {
        let what = "what range() is given";
        let (start, stop, step) = (self.integer(start, what)?, self.integer(stop, what)?, self.integer(step, what)?);
        built(self.builder()?.open_for(start, stop, step)).map(weak_integer)
    }

    /// Closes the block that was opened last.
    fn close(&mut self) -> PyResult<()> {
        built(self.builder()?.close())
    }

    /// Leaves the innermost loop.
    fn leave(&mut self) -> PyResult<()> {
        built(self.builder()?.leave())
    }

    /// Goes on with the next iteration of the innermost loop.
    fn next(&mut self) -> PyResult<()> {
        built(self.builder()?.proceed())
    }

    /// Ends the work-item.
    fn end(&mut self) -> PyResult<()> {
        self.builder()?.end();
        Ok(())
    }

    /// Waits for all work-items of the group.
    #[pyo3(signature = (report=None))]
    fn barrier(&mut self, report: Option<usize>) -> PyResult<()> {
        built(self.builder()?.barrier(report))
    }

    /// Makes what was written seen before what will be.
    fn fence(&mut self) -> PyResult<()> {
        self.builder()?.fence();
        Ok(())
    }

    /// Ends the work-item with a report unless a truth value holds.
    #[pyo3(signature = (condition, report, *values))]
    fn guard(&mut self, condition: &Bound<'_, PyAny>, report: usize, values: &Bound<'_, PyTuple>) -> PyResult<()> {
        let condition = self.truth(condition)?;
        let values = self.indices(values)?;
        built(self.builder()?.guard(condition, report, &values))
    }

    /// The kernel.
    fn finish(&mut self) -> PyResult<PyKernel> {
        let builder = self.builder.take().ok_or_else(|| refused("the kernel is finished"))?;
        Ok(PyKernel::new(built(builder.finish())?))
    }
}
