//! What is known of a computation before it runs.
//!
//! The facts are stated once, for one op and for the dtype it computes in: [`Op::known_result`], [`Op::of_ordered`] and
//! [`simpler`]. Callers that have a single op ask them directly; [`Program::simplified`] asks them step by step.

use std::cmp::Ordering;

use situ_types::{DType, DTypeKind, Scalar};
use smallvec::SmallVec;

use crate::interpret::{apply, cast};
use crate::{Op, Program, Step, StepKind, Value};

/// What an op comes to whose operands are partly known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Simpler {
    /// Another op of one operand alone, which has this place.
    Apply(Op, usize),
    /// A value that does not depend on the others.
    Constant(Scalar),
}

impl Op {
    /// The result over operands of this dtype, where it is the same whatever they are: no integer is infinite.
    #[inline]
    pub const fn known_result(self, dtype: DType) -> Option<bool> {
        match (self, dtype.kind()) {
            (Op::Isnan | Op::Isinf, DTypeKind::Bool | DTypeKind::Integer) => Some(false),
            (Op::Isfinite, DTypeKind::Bool | DTypeKind::Integer) => Some(true),
            _ => None,
        }
    }

    /// What a comparison says of two numbers of which the first is less than, equal to or greater than the second;
    /// `None` for other ops.
    #[inline]
    pub const fn of_ordered(self, ordering: Ordering) -> Option<bool> {
        Some(match self {
            Op::Equal => ordering.is_eq(),
            Op::NotEqual => ordering.is_ne(),
            Op::Less => ordering.is_lt(),
            Op::LessEqual => ordering.is_le(),
            Op::Greater => ordering.is_gt(),
            Op::GreaterEqual => ordering.is_ge(),
            _ => return None,
        })
    }

    /// Whether the op compares two numbers.
    #[inline]
    pub const fn is_comparison(self) -> bool {
        self.of_ordered(Ordering::Equal).is_some()
    }
}

/// How every integer of a dtype compares with a number outside its range; `None` for a number inside, and for dtypes
/// that are no integers.
pub fn order_against(dtype: DType, number: i128) -> Option<Ordering> {
    let (least, greatest) = dtype.integer_range()?;
    match number {
        _ if number > greatest => Some(Ordering::Less),
        _ if number < least => Some(Ordering::Greater),
        _ => None,
    }
}

/// What an op over operands of one dtype comes to where some of them are known, if that is quicker and at least as
/// exact.
///
/// Powers: x to the power of -1, 0, 1 and 2, and 2 to the power of x, with the special values of [`Op::Pow`]. The square
/// of a complex number is its product with itself, as everybody expects, and only as exact.
pub fn simpler(op: Op, dtype: DType, known: &[Option<Scalar>]) -> Option<Simpler> {
    if let Some(answer) = op.known_result(dtype) {
        return Some(Simpler::Constant(Scalar::Bool(answer)));
    }
    match (op, known) {
        (Op::Pow, &[base, exponent]) => power(dtype, base.and_then(number), exponent.and_then(number)),
        _ => None,
    }
}

fn power(dtype: DType, base: Option<f64>, exponent: Option<f64>) -> Option<Simpler> {
    Some(match (dtype.kind(), base, exponent) {
        (DTypeKind::Float, Some(2.0), None) => Simpler::Apply(Op::Exp2, 1),
        (DTypeKind::Integer | DTypeKind::Float | DTypeKind::Complex, None, Some(2.0)) => Simpler::Apply(Op::Square, 0),
        (DTypeKind::Integer | DTypeKind::Float, None, Some(1.0)) => Simpler::Apply(Op::Positive, 0),
        (DTypeKind::Integer | DTypeKind::Float, None, Some(0.0)) => Simpler::Constant(cast(Scalar::Bool(true), dtype)),
        (DTypeKind::Float, None, Some(-1.0)) => Simpler::Apply(Op::Reciprocal, 0),
        _ => return None,
    })
}

/// A value as a real number, if it is one. Large integers are rounded, which makes none of them a small one.
fn number(value: Scalar) -> Option<f64> {
    match cast(value, DType::C128) {
        Scalar::C128(value) if value.im == 0.0 => Some(value.re),
        _ => None,
    }
}

fn integer(value: Scalar) -> Option<i128> {
    match value {
        Scalar::U64(value) => Some(value.into()),
        _ if value.dtype().kind() == DTypeKind::Integer => match cast(value, DType::I64) {
            Scalar::I64(value) => Some(value.into()),
            _ => None,
        },
        _ => None,
    }
}

/// What has become of a value.
#[derive(Clone, Debug)]
enum Now {
    /// Itself, or another value that is the same.
    Same(usize),
    Constant(Scalar),
    /// The result of this step over values as they were numbered before.
    Step(Step),
}

impl Program {
    /// The program with what is known beforehand left out, if there is such a thing. It has the same inputs to give.
    ///
    /// ```
    /// use situ_ir::{Op, Program};
    /// use situ_types::{DType, Scalar};
    ///
    /// let mut p = Program::builder();
    /// let (x, two) = (p.input(DType::F64), p.constant(Scalar::F64(2.0)));
    /// let power = p.apply(Op::Pow, &[x, two])?;
    /// let program = p.finish(&[power])?;
    /// assert_eq!(program.simplified().unwrap().to_string(), "(%0: float64) {\n  %1 = square %0: float64\n} -> %1");
    /// # Ok::<(), situ_ir::ProgramError>(())
    /// ```
    pub fn simplified(&self) -> Option<Program> {
        let mut now: Vec<Now> = (0..self.given().len()).map(Now::Same).collect();
        now.extend(self.constants().map(Now::Constant));
        let mut changed = false;
        for (step, at) in self.steps().iter().zip(self.inputs().len()..) {
            let args = step.args.iter().map(|arg| resolved(&now, arg.index()));
            let known: SmallVec<[Option<Scalar>; 3]> = args.map(|value| constant(&now, value)).collect();
            let simpler = self.simpler_step(step, &known, &now);
            changed |= simpler.is_some();
            now.push(match simpler {
                Some(Now::Same(value)) => Now::Same(resolved(&now, value)),
                Some(other) => other,
                None => Now::Step(step.clone()),
            });
            debug_assert_eq!(now.len(), at + 1);
        }
        if changed { self.rebuilt(&now) } else { None }
    }

    /// What a step comes to, over operands some of which are known.
    fn simpler_step(&self, step: &Step, known: &[Option<Scalar>], now: &[Now]) -> Option<Now> {
        let all: Option<SmallVec<[Scalar; 3]>> = known.iter().copied().collect();
        match (step.kind, all) {
            (StepKind::Apply(op), Some(all)) => apply(op, &all).map(Now::Constant),
            (StepKind::Cast, Some(all)) => all.first().map(|value| Now::Constant(cast(*value, step.dtype))),
            (StepKind::Select, _) => match known.first()? {
                Some(Scalar::Bool(condition)) => Some(Now::Same(step.args[if *condition { 1 } else { 2 }].index())),
                _ => None,
            },
            (StepKind::Apply(op), None) => {
                if let Some(answer) = self.settled(op, step, known, now) {
                    return Some(Now::Constant(Scalar::Bool(answer)));
                }
                Some(match simpler(op, self.dtype_of(*step.args.first()?), known)? {
                    Simpler::Constant(value) => Now::Constant(value),
                    Simpler::Apply(Op::Positive, operand) => Now::Same(step.args[operand].index()),
                    Simpler::Apply(op, operand) => {
                        let args = SmallVec::from_slice(&[step.args[operand]]);
                        Now::Step(Step { kind: StepKind::Apply(op), args, dtype: step.dtype })
                    }
                })
            }
            (StepKind::Cast, None) => None,
        }
    }

    /// The answer of a comparison with a number that lies outside the range of what the other operand was widened from.
    fn settled(&self, op: Op, step: &Step, known: &[Option<Scalar>], now: &[Now]) -> Option<bool> {
        let (place, ordering) = match *known {
            [None, Some(value)] => (0, order_against(self.source(step.args[0].index(), now), integer(value)?)?),
            [Some(value), None] => (1, order_against(self.source(step.args[1].index(), now), integer(value)?)?),
            _ => return None,
        };
        op.of_ordered(if place == 0 { ordering } else { ordering.reverse() })
    }

    /// The narrowest integer dtype that a value is known to be of.
    fn source(&self, value: usize, now: &[Now]) -> DType {
        let value = resolved(now, value);
        let dtype = self.dtype_of(self.value(value));
        if let Some(Now::Step(Step { kind: StepKind::Cast, args, .. })) = now.get(value) {
            let from = self.source(args[0].index(), now);
            if let (Some((low, high)), Some((least, greatest))) = (from.integer_range(), dtype.integer_range())
                && least <= low
                && high <= greatest
            {
                return from;
            }
        }
        dtype
    }

    /// The program of what its values have become, without steps that nobody needs.
    fn rebuilt(&self, now: &[Now]) -> Option<Program> {
        let mut needed = vec![false; now.len()];
        for output in self.outputs() {
            needed[resolved(now, output.index())] = true;
        }
        for at in (0..now.len()).rev() {
            if let (true, Now::Step(step)) = (needed[at], &now[at]) {
                step.args.iter().for_each(|arg| needed[resolved(now, arg.index())] = true);
            }
        }
        let mut builder = Program::builder();
        let mut values: Vec<Option<Value>> = self.given().iter().map(|&dtype| Some(builder.input(dtype))).collect();
        values.resize(now.len(), None);
        for at in 0..now.len() {
            if let (true, Now::Constant(value)) = (needed[at], &now[at]) {
                values[at] = Some(builder.constant(*value));
            }
        }
        for at in 0..now.len() {
            if let (true, Now::Step(step)) = (needed[at], &now[at]) {
                let args: Option<SmallVec<[Value; 3]>> =
                    step.args.iter().map(|arg| values[resolved(now, arg.index())]).collect();
                values[at] = Some(builder.step(step.kind, args?, step.dtype).ok()?);
            }
        }
        let outputs: Option<Vec<Value>> =
            self.outputs().iter().map(|output| values[resolved(now, output.index())]).collect();
        builder.finish(&outputs?).ok()
    }
}

/// The value that a value is the same as.
fn resolved(now: &[Now], value: usize) -> usize {
    match now[value] {
        Now::Same(other) => other,
        Now::Constant(_) | Now::Step(_) => value,
    }
}

fn constant(now: &[Now], value: usize) -> Option<Scalar> {
    match now[value] {
        Now::Constant(value) => Some(value),
        Now::Same(_) | Now::Step(_) => None,
    }
}

#[cfg(test)]
mod tests;
