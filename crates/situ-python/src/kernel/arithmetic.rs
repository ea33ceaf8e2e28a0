//! Operators and functions: dtypes by promotion, then the op over operands that are converted.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use situ_ir::interpret::cast;
use situ_ir::{Lift, Op, OutRule, Simpler, order_against, simpler};
use situ_tensor::{OperandType, Weak, compute_dtype};
use situ_types::{DType, DTypeKind, Scalar};
use smallvec::SmallVec;

use super::builder::PyBuilder;
use super::operand::{Operand, PyValue};
use super::types::{FLOATS, Type, joined};
use super::{built, refused};

type Operands = SmallVec<[Operand; 3]>;

fn operands(objects: &Bound<'_, PyTuple>) -> PyResult<Operands> {
    objects.iter_borrowed().map(|object| Operand::parse(&object)).collect()
}

/// The dtype an op computes in, and whether its result is weak.
fn computing(op: Op, operands: &Operands) -> PyResult<(DType, bool)> {
    let types: SmallVec<[Type; 3]> = operands.iter().map(Operand::of_type).collect();
    let is_weak = types.iter().all(|each| each.is_weak);
    let mut seen: SmallVec<[OperandType; 3]> = types.iter().map(|each| each.operand()).collect();
    let rule = op.rule();
    let is_truth = types.iter().all(|each| each.dtype == DType::Bool);
    // Python's own truth values are integers to arithmetic.
    if is_truth && is_weak && rule.out != OutRule::Truth && rule.lift != Lift::Never {
        seen.fill(OperandType::Weak(DTypeKind::Integer));
    }
    let mut found = compute_dtype(op, &seen, FLOATS);
    if found.is_none() && is_truth {
        seen.fill(OperandType::Weak(DTypeKind::Integer));
        found = compute_dtype(op, &seen, FLOATS);
    }
    let found = found.ok_or_else(|| {
        let dtypes: Vec<&str> = types.iter().map(|each| each.dtype.name()).collect();
        refused(format!("{op} cannot compute with {}", dtypes.join(" and ")))
    })?;
    Ok((found, is_weak))
}

impl PyBuilder {
    /// An operand as a value of a dtype.
    pub(super) fn converted(&mut self, operand: &Operand, dtype: DType) -> PyResult<PyValue> {
        match *operand {
            Operand::Value(PyValue { value, .. }) => {
                let value = built(self.builder()?.cast(value, dtype))?;
                Ok(PyValue { value, of_type: Type::strong(dtype) })
            }
            Operand::Weak(number) => self.known(number.to_scalar(dtype).map_err(refused)?, false),
            Operand::Strong(scalar) => self.known(cast(scalar, dtype), false),
        }
    }

    /// The same for what is stored: integers keep their low bits.
    pub(super) fn stored(&mut self, operand: &Operand, dtype: DType) -> PyResult<PyValue> {
        if operand.of_type().dtype.kind() == DTypeKind::Complex && dtype.kind() < DTypeKind::Complex {
            return Err(refused(format!("a complex number cannot be stored as {dtype}; take its .real or .imag")));
        }
        match *operand {
            Operand::Weak(Weak::Int(number)) if dtype.kind() == DTypeKind::Integer => {
                let low = i64::try_from(number).map(Scalar::I64).or(u64::try_from(number).map(Scalar::U64));
                let low = low.map_err(|_| refused(format!("{number} does not fit in 64 bits")))?;
                self.known(cast(low, dtype), false)
            }
            _ => self.converted(operand, dtype),
        }
    }

    fn computed(&mut self, op: Op, dtype: DType, args: &Operands) -> PyResult<PyValue> {
        let args: SmallVec<[_; 3]> =
            args.iter().map(|arg| Ok(self.converted(arg, dtype)?.value)).collect::<PyResult<_>>()?;
        let value = built(self.builder()?.apply(op, &args))?;
        Ok(PyValue { value, of_type: Type::strong(op.result(dtype).unwrap_or(dtype)) })
    }

    /// A comparison whose answer is the same for every number of a dtype, because the other one lies outside.
    fn foregone(&mut self, op: Op, dtype: DType, args: &Operands) -> PyResult<Option<PyValue>> {
        let number = |arg: &Operand| match arg.known() {
            Some(Weak::Int(number)) => order_against(dtype, number),
            _ => None,
        };
        let [a, b] = args.as_slice() else { return Ok(None) };
        let ordering = number(b).or_else(|| number(a).map(|ordering| ordering.reverse()));
        match ordering.and_then(|ordering| op.of_ordered(ordering)) {
            Some(answer) => self.known(Scalar::Bool(answer), false).map(Some),
            None => Ok(None),
        }
    }

    /// A comparison of a signed integer with a uint64, which share no integer dtype.
    fn mixed(&mut self, op: Op, args: &Operands) -> PyResult<Option<PyValue>> {
        let [a, b] = args.as_slice() else { return Ok(None) };
        let is_signed = |arg: &Operand| {
            let found = arg.of_type();
            found.dtype.is_signed_integer() && !(found.is_weak && arg.known().is_some())
        };
        let is_unsigned = |arg: &Operand| arg.of_type() == Type::strong(DType::U64);
        let (signed, ordering) = match (is_signed(a) && is_unsigned(b), is_unsigned(a) && is_signed(b)) {
            (true, _) => (a, std::cmp::Ordering::Less),
            (_, true) => (b, std::cmp::Ordering::Greater),
            _ => return Ok(None),
        };
        let Some(if_negative) = op.of_ordered(ordering) else { return Ok(None) };
        let zero = Operand::Weak(Weak::Int(0));
        let is_negative = self.computed(Op::Less, signed.of_type().dtype, &Operands::from_slice(&[*signed, zero]))?;
        let usual = self.computed(op, DType::U64, args)?;
        let foregone = self.known(Scalar::Bool(if_negative), false)?;
        let value = built(self.builder()?.select(is_negative.value, foregone.value, usual.value))?;
        Ok(Some(PyValue { value, of_type: Type::strong(DType::Bool) }))
    }

    fn applied(&mut self, op: Op, args: &Operands) -> PyResult<PyValue> {
        if args.len() != op.arity() {
            return Err(refused(format!("{op} takes {} operands, not {}", op.arity(), args.len())));
        }
        if op.is_comparison()
            && let Some(value) = self.mixed(op, args)?
        {
            return Ok(value);
        }
        let (dtype, is_weak) = computing(op, args)?;
        if op.is_comparison()
            && let Some(value) = self.foregone(op, dtype, args)?
        {
            return Ok(value);
        }
        let known: SmallVec<[Option<Scalar>; 3]> =
            args.iter().map(|arg| arg.known().and_then(|number| number.to_scalar(dtype).ok())).collect();
        let mut result = match simpler(op, dtype, &known) {
            Some(Simpler::Apply(other, place)) => self.computed(other, dtype, &Operands::from_slice(&[args[place]]))?,
            Some(Simpler::Constant(scalar)) => self.known(scalar, false)?,
            None => self.computed(op, dtype, args)?,
        };
        result.of_type.is_weak = is_weak;
        Ok(result)
    }
}

#[pymethods]
impl PyBuilder {
    /// An op, by its number in `OPS`, over values and numbers.
    #[pyo3(signature = (op, *args))]
    fn apply(&mut self, op: usize, args: &Bound<'_, PyTuple>) -> PyResult<PyValue> {
        let op = Op::ALL.get(op).ok_or_else(|| refused(format!("there is no op {op}")))?;
        self.applied(*op, &operands(args)?)
    }

    /// A value or number as a value of a type.
    fn cast(&mut self, object: &Bound<'_, PyAny>, to: u8) -> PyResult<PyValue> {
        let to = Type::from_code(to)?;
        let value = self.converted(&Operand::parse(object)?, to.dtype)?.value;
        Ok(PyValue { value, of_type: to })
    }

    /// One of two values or numbers, both of which exist.
    fn select(
        &mut self,
        condition: &Bound<'_, PyAny>,
        yes: &Bound<'_, PyAny>,
        no: &Bound<'_, PyAny>,
    ) -> PyResult<PyValue> {
        let [yes, no] = [Operand::parse(yes)?, Operand::parse(no)?];
        let of_type = joined(yes.of_type(), no.of_type());
        let condition = self.converted(&Operand::parse(condition)?, DType::Bool)?.value;
        let [yes, no] = [self.converted(&yes, of_type.dtype)?.value, self.converted(&no, of_type.dtype)?.value];
        let value = built(self.builder()?.select(condition, yes, no))?;
        Ok(PyValue { value, of_type })
    }
}
