//! Elementwise programs: a short list of scalar ops over inputs, in static single assignment form.

use std::fmt;

use situ_types::{DType, Scalar};
use smallvec::SmallVec;
use thiserror::Error;

use crate::Op;

/// An input or the result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(u16);

impl Value {
    /// Its number: inputs come first, constants among them last, then steps in order.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// Applies a scalar op.
    Apply(Op),
    /// Converts to the step's dtype.
    Cast,
    /// Takes the second operand where the first, a truth value, holds, else the third.
    Select,
}

/// One step: an operation on earlier values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// What it does.
    pub kind: StepKind,
    /// The values it reads.
    pub args: SmallVec<[Value; 3]>,
    /// The dtype of its result.
    pub dtype: DType,
}

/// A value as the bytes it has in memory, by which programs can be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Constant([u8; 16]);

/// Why a program is not well formed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProgramError {
    /// A value is used that does not exist (yet).
    #[error("value %{value} is used before it is defined")]
    Undefined {
        /// The value's number.
        value: usize,
    },
    /// An op got the wrong number of operands.
    #[error("{op} takes {} operands, not {given}", .op.arity())]
    Arity {
        /// The op.
        op: Op,
        /// Operands given.
        given: usize,
    },
    /// An op got a dtype outside its domain, or operands of different dtypes.
    #[error("{op} cannot compute with operands of dtype {dtypes:?}")]
    DType {
        /// The op.
        op: Op,
        /// The operands' dtypes.
        dtypes: Vec<DType>,
    },
    /// A choice between values of different dtypes, or by something that is not a truth value.
    #[error("select needs a bool and two values of one dtype, not {dtypes:?}")]
    Select {
        /// The operands' dtypes.
        dtypes: [DType; 3],
    },
    /// More values than a program can number.
    #[error("a program holds at most {} values", u16::MAX)]
    TooLong,
    /// A program without a result computes nothing.
    #[error("a program needs at least one output")]
    NoOutput,
}

/// A chain of scalar ops that runs over its operands in one pass.
///
/// ```
/// use situ_ir::{Op, Program};
/// use situ_types::DType;
///
/// let mut p = Program::builder();
/// let x = p.input(DType::F32);
/// let y = p.apply(Op::Square, &[x])?;
/// let z = p.apply(Op::Add, &[x, y])?;
/// let program = p.finish(&[z])?;
/// assert_eq!(program.to_string(), "(%0: float32) {\n  %1 = square %0: float32\n  %2 = add %0 %1: float32\n} -> %2");
/// # Ok::<(), situ_ir::ProgramError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// Of what is given and of constants.
    inputs: SmallVec<[DType; 4]>,
    constants: SmallVec<[Constant; 1]>,
    steps: SmallVec<[Step; 2]>,
    outputs: SmallVec<[Value; 2]>,
}

impl Program {
    /// An empty program to add to.
    pub fn builder() -> ProgramBuilder {
        ProgramBuilder {
            program: Program {
                inputs: SmallVec::new(),
                constants: SmallVec::new(),
                steps: SmallVec::new(),
                outputs: SmallVec::new(),
            },
        }
    }

    /// The program that converts `from` to `to`, or copies where they are equal.
    pub fn convert(from: DType, to: DType) -> Program {
        let mut steps = SmallVec::new();
        if from != to {
            steps.push(Step { kind: StepKind::Cast, args: SmallVec::from_slice(&[Value(0)]), dtype: to });
        }
        let last = Value(steps.len() as u16);
        Program {
            inputs: SmallVec::from_slice(&[from]),
            constants: SmallVec::new(),
            steps,
            outputs: SmallVec::from_slice(&[last]),
        }
    }

    /// The program that applies one op, converting inputs to `compute` first where they differ.
    pub fn single(op: Op, inputs: &[DType], compute: DType) -> Result<Program, ProgramError> {
        let mut builder = Program::builder();
        let given: SmallVec<[Value; 3]> = inputs.iter().map(|&dtype| builder.input(dtype)).collect();
        let mut args = SmallVec::<[Value; 3]>::new();
        for value in given {
            args.push(builder.cast(value, compute)?);
        }
        let result = builder.apply(op, &args)?;
        builder.finish(&[result])
    }

    /// The same program with its constants among the inputs that are given: what a backend, which receives both alike,
    /// can keep for other constants.
    pub fn general(&self) -> Program {
        Program { constants: SmallVec::new(), ..self.clone() }
    }

    /// What it takes to go on from the first output with more steps.
    pub fn extend(mut self) -> (ProgramBuilder, Value) {
        let first = self.outputs[0];
        self.outputs.clear();
        (ProgramBuilder { program: self }, first)
    }

    /// Dtypes of the inputs as a backend receives them: those that are given, then constants, as immediates.
    pub fn inputs(&self) -> &[DType] {
        &self.inputs
    }

    /// Dtypes of the inputs that whoever runs the program gives.
    pub fn given(&self) -> &[DType] {
        &self.inputs[..self.inputs.len() - self.constants.len()]
    }

    /// The inputs that follow those that are given.
    pub fn constants(&self) -> impl ExactSizeIterator<Item = Scalar> {
        let dtypes = &self.inputs[self.given().len()..];
        self.constants.iter().zip(dtypes).map(|(constant, &dtype)| Scalar::from_bytes(dtype, constant.0))
    }

    /// The value with that number.
    pub(crate) fn value(&self, index: usize) -> Value {
        Value(index as u16)
    }

    /// The steps, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The values written out.
    pub fn outputs(&self) -> &[Value] {
        &self.outputs
    }

    /// The dtype of a value of this program.
    pub fn dtype_of(&self, value: Value) -> DType {
        match value.index().checked_sub(self.inputs.len()) {
            None => self.inputs[value.index()],
            Some(step) => self.steps[step].dtype,
        }
    }

    /// The dtype of the `n`-th operand as a backend receives them: inputs first, then outputs.
    pub fn operand_dtype(&self, n: usize) -> DType {
        match n.checked_sub(self.inputs.len()) {
            None => self.inputs[n],
            Some(output) => self.dtype_of(self.outputs[output]),
        }
    }

    /// The dtype of the first output.
    pub fn result(&self) -> DType {
        self.dtype_of(self.outputs[0])
    }

    fn len(&self) -> usize {
        self.inputs.len() + self.steps.len()
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (i, dtype) in self.inputs.iter().enumerate() {
            write!(f, "{}%{i}", if i == 0 { "" } else { ", " })?;
            match i.checked_sub(self.given().len()).and_then(|n| self.constants().nth(n)) {
                None => write!(f, ": {dtype}")?,
                Some(value) => write!(f, " = {value:?}")?,
            }
        }
        f.write_str(") {\n")?;
        for (i, step) in self.steps.iter().enumerate() {
            write!(f, "  %{} = ", self.inputs.len() + i)?;
            match step.kind {
                StepKind::Apply(op) => f.write_str(op.name())?,
                StepKind::Cast => f.write_str("cast")?,
                StepKind::Select => f.write_str("select")?,
            }
            for arg in &step.args {
                write!(f, " %{}", arg.0)?;
            }
            writeln!(f, ": {}", step.dtype)?;
        }
        f.write_str("} ->")?;
        for (i, value) in self.outputs.iter().enumerate() {
            write!(f, "{} %{}", if i == 0 { "" } else { "," }, value.0)?;
        }
        Ok(())
    }
}

/// Adds values to a [`Program`], refusing what would not be well formed.
#[derive(Clone, Debug)]
pub struct ProgramBuilder {
    program: Program,
}

impl ProgramBuilder {
    /// Adds an input. Inputs come before constants and steps.
    pub fn input(&mut self, dtype: DType) -> Value {
        debug_assert!(self.program.constants.is_empty(), "what is given is numbered before constants");
        self.push_input(dtype)
    }

    /// Adds a value that is the same for every element. Constants come before every step.
    pub fn constant(&mut self, value: Scalar) -> Value {
        self.program.constants.push(Constant(value.to_bytes()));
        self.push_input(value.dtype())
    }

    fn push_input(&mut self, dtype: DType) -> Value {
        debug_assert!(self.program.steps.is_empty(), "inputs are numbered before steps");
        self.program.inputs.push(dtype);
        Value((self.program.inputs.len() - 1) as u16)
    }

    /// Adds a step of any kind, with a result of that dtype.
    pub(crate) fn step(
        &mut self,
        kind: StepKind,
        args: SmallVec<[Value; 3]>,
        dtype: DType,
    ) -> Result<Value, ProgramError> {
        match (kind, &args[..]) {
            (StepKind::Apply(op), args) => self.apply(op, args),
            (StepKind::Cast, &[value]) => self.cast(value, dtype),
            (StepKind::Select, &[condition, yes, no]) => self.select(condition, yes, no),
            (StepKind::Cast | StepKind::Select, _) => Err(ProgramError::Undefined { value: args.len() }),
        }
    }

    /// Converts a value; the value itself where it already has the dtype.
    pub fn cast(&mut self, value: Value, dtype: DType) -> Result<Value, ProgramError> {
        self.check(value)?;
        if self.program.dtype_of(value) == dtype {
            return Ok(value);
        }
        self.push(Step { kind: StepKind::Cast, args: SmallVec::from_slice(&[value]), dtype })
    }

    /// Applies an op to values that all have one dtype of its domain.
    pub fn apply(&mut self, op: Op, args: &[Value]) -> Result<Value, ProgramError> {
        if args.len() != op.arity() {
            return Err(ProgramError::Arity { op, given: args.len() });
        }
        for &arg in args {
            self.check(arg)?;
        }
        let dtype = self.program.dtype_of(args[0]);
        let rule = op.rule();
        if args.iter().any(|&a| self.program.dtype_of(a) != dtype) || !rule.computes_in(dtype) {
            let dtypes = args.iter().map(|&a| self.program.dtype_of(a)).collect();
            return Err(ProgramError::DType { op, dtypes });
        }
        self.push(Step { kind: StepKind::Apply(op), args: SmallVec::from_slice(args), dtype: rule.out.apply(dtype) })
    }

    /// Chooses between two values of one dtype, element by element: the first where the condition holds.
    pub fn select(&mut self, condition: Value, yes: Value, no: Value) -> Result<Value, ProgramError> {
        let args = [condition, yes, no];
        for arg in args {
            self.check(arg)?;
        }
        let dtypes = args.map(|arg| self.program.dtype_of(arg));
        if dtypes[0] != DType::Bool || dtypes[1] != dtypes[2] {
            return Err(ProgramError::Select { dtypes });
        }
        self.push(Step { kind: StepKind::Select, args: SmallVec::from_slice(&args), dtype: dtypes[1] })
    }

    /// Names the outputs and ends the program.
    pub fn finish(mut self, outputs: &[Value]) -> Result<Program, ProgramError> {
        if outputs.is_empty() {
            return Err(ProgramError::NoOutput);
        }
        for &value in outputs {
            self.check(value)?;
        }
        self.program.outputs = SmallVec::from_slice(outputs);
        Ok(self.program)
    }

    fn check(&self, value: Value) -> Result<(), ProgramError> {
        if value.index() < self.program.len() { Ok(()) } else { Err(ProgramError::Undefined { value: value.index() }) }
    }

    fn push(&mut self, step: Step) -> Result<Value, ProgramError> {
        let number = u16::try_from(self.program.len()).map_err(|_| ProgramError::TooLong)?;
        self.program.steps.push(step);
        Ok(Value(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_dtypes_get_casts() {
        let p = Program::single(Op::Add, &[DType::I32, DType::F64], DType::F64).unwrap();
        assert_eq!(
            p.to_string(),
            "(%0: int32, %1: float64) {\n  %2 = cast %0: float64\n  %3 = add %2 %1: float64\n} -> %3"
        );
        assert_eq!(p.operand_dtype(0), DType::I32);
        assert_eq!(p.operand_dtype(2), DType::F64);
    }

    #[test]
    fn programs_that_differ_in_constants_are_one_in_general() {
        let scaled = |by: f64| {
            let mut b = Program::builder();
            let (x, by) = (b.input(DType::F64), b.constant(Scalar::F64(by)));
            let y = b.apply(Op::Multiply, &[x, by]).unwrap();
            b.finish(&[y]).unwrap()
        };
        assert_ne!(scaled(2.0), scaled(3.0));
        assert_eq!(scaled(2.0).general(), scaled(3.0).general());
        assert_eq!(scaled(2.0).general().given(), [DType::F64, DType::F64]);
        let inputs = [Scalar::F64(5.0), Scalar::F64(2.0)];
        assert_eq!(scaled(2.0).evaluate(&inputs[..1]), scaled(2.0).general().evaluate(&inputs));
    }

    #[test]
    fn ill_formed_programs_are_refused() {
        let mut b = Program::builder();
        let x = b.input(DType::Bool);
        assert!(matches!(b.apply(Op::Subtract, &[x, x]), Err(ProgramError::DType { .. })));
        assert!(matches!(b.apply(Op::Add, &[x]), Err(ProgramError::Arity { .. })));
        assert!(matches!(b.apply(Op::Add, &[x, Value(9)]), Err(ProgramError::Undefined { value: 9 })));
        assert!(matches!(b.select(x, x, Value(9)), Err(ProgramError::Undefined { value: 9 })));
        let y = b.cast(x, DType::I8).unwrap();
        assert!(matches!(b.select(y, x, x), Err(ProgramError::Select { .. })));
        assert!(matches!(b.select(x, x, y), Err(ProgramError::Select { .. })));
        assert!(matches!(b.finish(&[]), Err(ProgramError::NoOutput)));
    }
}
