//! What programs and reductions compute, one element after another.
//!
//! The functions here follow from the op table and are as plain as can be. They are what a backend has to agree with,
//! bit for bit; the null backend computes by them.
//!
//! ```
//! use situ_ir::{Op, Program};
//! use situ_types::{DType, Scalar};
//!
//! let mean = Program::single(Op::Divide, &[DType::I32, DType::F64], DType::F64)?;
//! let results = mean.evaluate(&[Scalar::I32(7), Scalar::F64(2.0)]).unwrap();
//! assert_eq!(results[..], [Scalar::F64(3.5)]);
//! # Ok::<(), situ_ir::ProgramError>(())
//! ```

use situ_types::{DType, Scalar};
use smallvec::SmallVec;

use crate::moments::Moments;
use crate::scalar::{CastTo, Element, Floating};
use crate::tree::{self, Direction};
use crate::{Combine, Op, Program, Reduction, StepKind};

macro_rules! define_apply {
    ($([$variant:ident, $name:ident, ($($arg:ident),+), $domain:ident, $lift:tt, $out:tt,
        $meaning:expr $(; $seldom:ident $hard:expr => $other:expr)?, $($rest:tt)*])*) => {
        /// An op of one element; `None` if there is no such op of operands of these dtypes.
        pub fn apply(op: Op, args: &[Scalar]) -> Option<Scalar> {
            let dtype = args.first()?.dtype();
            match op {
                $(Op::$variant => {
                    fn one<T: crate::scalar::$domain>(args: &[Scalar]) -> Option<Scalar> {
                        let [$($arg),+] = *args else { return None };
                        $(let $arg = T::from_scalar($arg)?;)+
                        $(if $hard {
                            return Some($other.to_scalar());
                        })?
                        Some($meaning.to_scalar())
                    }
                    domain_types!($domain, choose_type, one, dtype, args)
                })*
            }
        }
    };
}
macro_rules! choose_type {
    ($one:ident, $given:ident, $args:ident ; $(($dtype:ident, $type:ty))*) => {
        match $given {
            $(DType::$dtype => $one::<$type>($args),)*
            #[allow(unreachable_patterns, reason = "some domains are all dtypes")]
            _ => None,
        }
    };
}
scalar_ops!(define_apply);

macro_rules! define_cast {
    (; $(($dtype:ident, $type:ty))*) => {
        /// One element converted.
        pub fn cast(value: Scalar, to: DType) -> Scalar {
            match value { $(Scalar::$dtype(value) => domain_types!(Numeric, cast_from, to, value, $type),)* }
        }
    };
}
macro_rules! cast_from {
    ($to:ident, $value:ident, $from:ty ; $(($dtype:ident, $type:ty))*) => {
        match $to { $(DType::$dtype => <$from as CastTo<$type>>::cast($value).to_scalar(),)* }
    };
}
domain_types!(Numeric, define_cast,);

impl Program {
    /// Every output for one element of each input that is given, with or without the constants; `None` if those have not
    /// the dtypes of the program's inputs.
    pub fn evaluate(&self, inputs: &[Scalar]) -> Option<SmallVec<[Scalar; 2]>> {
        let mut values: SmallVec<[Scalar; 8]> = SmallVec::from_slice(inputs);
        if inputs.len() == self.given().len() {
            values.extend(self.constants());
        }
        if !values.iter().map(|value| value.dtype()).eq(self.inputs().iter().copied()) {
            return None;
        }
        for step in self.steps() {
            let args: SmallVec<[Scalar; 3]> = step.args.iter().map(|arg| values[arg.index()]).collect();
            values.push(match (step.kind, &args[..]) {
                (StepKind::Apply(op), args) => apply(op, args)?,
                (StepKind::Cast, &[value]) => cast(value, step.dtype),
                (StepKind::Select, &[Scalar::Bool(condition), yes, no]) => {
                    if condition {
                        yes
                    } else {
                        no
                    }
                }
                (StepKind::Cast | StepKind::Select, _) => return None,
            });
        }
        Some(self.outputs().iter().map(|output| values[output.index()]).collect())
    }

    fn evaluate_one(&self, inputs: &[Scalar]) -> Option<Scalar> {
        self.evaluate(inputs)?.first().copied()
    }
}

/// What is known of a part of a sequence: the values combined, or the one that was looked for and where it is.
#[derive(Clone, Copy, Debug)]
struct Part {
    value: Scalar,
    position: i64,
}

impl Combine {
    fn parts(self, a: Part, b: Part) -> Option<Part> {
        let greatest = match self {
            Combine::Op(op) => return Some(Part { value: apply(op, &[a.value, b.value])?, position: a.position }),
            Combine::ArgMax => true,
            Combine::ArgMin => false,
            Combine::Moments => return None,
        };
        let (earlier, later) = if a.position < b.position { (a, b) } else { (b, a) };
        let holds = |op: Op, args: &[Scalar]| Some(apply(op, args)? == Scalar::Bool(true));
        let (less, more) = if greatest { (earlier, later) } else { (later, earlier) };
        let is_nan = |part: Part| holds(Op::Isnan, &[part.value]);
        let comes_first = is_nan(later)? || holds(Op::Less, &[less.value, more.value])?;
        Some(if comes_first && !is_nan(earlier)? { later } else { earlier })
    }
}

/// The sum of squared deviations of values of one dtype.
fn squared_deviations(values: &[Scalar], direction: Direction) -> Option<Scalar> {
    fn of<T: Floating>(values: &[Scalar], one: T, direction: Direction) -> Option<Scalar> {
        let moments = |value: &Scalar| Some(Moments::of(T::from_scalar(*value)?, one));
        let moments: Vec<Moments<T>> = values.iter().map(moments).collect::<Option<_>>()?;
        Some(tree::fold(&moments, direction, Moments::join)?.squares.to_scalar())
    }
    match values.first()?.dtype() {
        DType::F32 => of(values, 1f32, direction),
        DType::F64 => of(values, 1f64, direction),
        _ => None,
    }
}

impl Reduction {
    /// The result over a sequence, given as what the map reads of each element, and the numbers that the finishing
    /// program reads after the combined value; `None` if there are no elements, or something has not the dtype it should.
    ///
    /// ```
    /// use situ_ir::tree::Direction;
    /// use situ_ir::{Combine, Op, Program, Reduction};
    /// use situ_types::{DType, Scalar};
    ///
    /// let mean = Reduction::new(
    ///     Program::convert(DType::I8, DType::F32),
    ///     Combine::Op(Op::Add),
    ///     Program::single(Op::Divide, &[DType::F32, DType::F32], DType::F32)?,
    /// ).unwrap();
    /// let elements = [1, 2, 6].map(|value| [Scalar::I8(value)]);
    /// assert_eq!(mean.evaluate(elements, Direction::Along, &[Scalar::F32(3.0)]), Some(Scalar::F32(3.0)));
    /// # Ok::<(), situ_ir::ProgramError>(())
    /// ```
    pub fn evaluate<I: AsRef<[Scalar]>>(
        &self,
        elements: impl IntoIterator<Item = I>,
        direction: Direction,
        numbers: &[Scalar],
    ) -> Option<Scalar> {
        let parts = self.parts(elements)?;
        let whole = || tree::fold(&parts, direction, |a, b| self.combine().parts(a?, b?))?;
        let state = match self.combine() {
            Combine::Op(_) => whole()?.value,
            Combine::ArgMax | Combine::ArgMin => Scalar::I64(whole()?.position),
            Combine::Moments => {
                let values: Vec<Scalar> = parts.iter().map(|part| Some((*part)?.value)).collect::<Option<_>>()?;
                squared_deviations(&values, direction)?
            }
        };
        self.finish().evaluate_one(&[&[state], numbers].concat())
    }

    /// The results of a scan along a sequence, given as for [`evaluate`](Self::evaluate).
    pub fn evaluate_scan<I: AsRef<[Scalar]>>(&self, elements: impl IntoIterator<Item = I>) -> Option<Vec<Scalar>> {
        let parts = self.parts(elements)?;
        let scanned = tree::scan(&parts, |a, b| self.combine().parts(a?, b?));
        scanned.into_iter().map(|part| self.finish().evaluate_one(&[part?.value])).collect()
    }

    /// What the map makes of each element.
    fn parts<I: AsRef<[Scalar]>>(&self, elements: impl IntoIterator<Item = I>) -> Option<Vec<Option<Part>>> {
        let part = |(position, inputs): (usize, I)| {
            let value = self.map().evaluate_one(inputs.as_ref())?;
            Some(Some(Part { value, position: position as i64 }))
        };
        elements.into_iter().enumerate().map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_op_of_its_domain_has_a_result_of_its_dtype() {
        for &op in Op::ALL {
            for dtype in DType::ALL {
                let args = vec![cast(Scalar::U8(1), dtype); op.arity()];
                let result = apply(op, &args).map(Scalar::dtype);
                assert_eq!(result, op.result(dtype), "{op} {dtype}");
                assert_eq!(apply(op, &[&args[..], &args].concat()), None, "{op} of too many");
            }
        }
    }

    #[test]
    fn seldom_elements_are_computed_by_their_own_expression() {
        assert_eq!(apply(Op::Log, &[Scalar::F64(0.0)]), Some(Scalar::F64(f64::NEG_INFINITY)));
        assert_eq!(apply(Op::Remainder, &[Scalar::F64(1e300), Scalar::F64(3.0)]), Some(Scalar::F64(1e300 % 3.0)));
    }

    #[test]
    fn inputs_of_other_dtypes_are_refused() {
        let program = Program::convert(DType::F32, DType::I8);
        assert_eq!(program.evaluate(&[Scalar::F32(-3.7)]).unwrap()[..], [Scalar::I8(-3)]);
        assert_eq!(program.evaluate(&[Scalar::F64(1.0)]), None);
        assert_eq!(program.evaluate(&[]), None);
    }

    #[test]
    fn a_choice_takes_one_of_two() {
        let mut builder = Program::builder();
        let [c, a, b] = [DType::Bool, DType::I8, DType::I8].map(|dtype| builder.input(dtype));
        let chosen = builder.select(c, a, b).unwrap();
        let program = builder.finish(&[chosen, c]).unwrap();
        for (condition, wanted) in [(true, 1), (false, 2)] {
            let results = program.evaluate(&[Scalar::Bool(condition), Scalar::I8(1), Scalar::I8(2)]).unwrap();
            assert_eq!(results[..], [Scalar::I8(wanted), Scalar::Bool(condition)]);
        }
    }

    #[test]
    fn the_first_of_equal_values_is_found_and_nan_before_all() {
        let find = |combine: Combine, values: &[f64]| {
            let (map, finish) = (Program::convert(DType::F64, DType::F64), Program::convert(DType::I64, DType::I64));
            let reduction = Reduction::new(map, combine, finish).unwrap();
            let elements = || values.iter().map(|&value| [Scalar::F64(value)]);
            let along = reduction.evaluate(elements(), Direction::Along, &[]);
            assert_eq!(along, reduction.evaluate(elements(), Direction::Across, &[]));
            along
        };
        // Lane 0 of the tree meets lane 64 before lane 1.
        let mut values = vec![0.0; 200];
        (values[1], values[64], values[130]) = (5.0, 5.0, -5.0);
        assert_eq!(find(Combine::ArgMax, &values), Some(Scalar::I64(1)));
        assert_eq!(find(Combine::ArgMin, &values), Some(Scalar::I64(130)));
        (values[66], values[129]) = (f64::NAN, f64::NAN);
        assert_eq!(find(Combine::ArgMax, &values), Some(Scalar::I64(66)));
        assert_eq!(find(Combine::ArgMin, &values), Some(Scalar::I64(66)));
        assert_eq!(find(Combine::ArgMin, &[]), None);
    }

    #[test]
    fn squared_deviations_are_summed() {
        let mean_square = Program::single(Op::Divide, &[DType::F64; 2], DType::F64).unwrap();
        let variance = Reduction::new(Program::convert(DType::I8, DType::F64), Combine::Moments, mean_square).unwrap();
        for direction in [Direction::Along, Direction::Across] {
            let elements = [1, 2, 3, 4].map(|value| [Scalar::I8(value)]);
            assert_eq!(variance.evaluate(elements, direction, &[Scalar::F64(4.0)]), Some(Scalar::F64(1.25)));
        }
        assert_eq!(variance.evaluate([[Scalar::I8(1)]; 0], Direction::Along, &[Scalar::F64(4.0)]), None);
    }

    #[test]
    fn scans_are_finished_value_by_value() {
        let finish = Program::convert(DType::I32, DType::F64);
        let sums = Reduction::new(Program::convert(DType::I8, DType::I32), Combine::Op(Op::Add), finish).unwrap();
        let scanned = sums.evaluate_scan([100, 100, -1].map(|value| [Scalar::I8(value)]));
        assert_eq!(scanned.unwrap(), [100.0, 200.0, 199.0].map(Scalar::F64));
    }
}
