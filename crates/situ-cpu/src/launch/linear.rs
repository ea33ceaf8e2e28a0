//! What ops make of int64s that are evenly spaced from one work-item to the next.

use situ_ir::Op;
use situ_types::DType;

/// An integer for each work-item: the first one's, and the step from one to the next. None of them overflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) first: i64,
    pub(super) step: i64,
}

/// What an op does to lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinearRule {
    /// It makes another one.
    Sum,
    Difference,
    Product,
    Opposite,
    /// It compares them.
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Line(Line),
    /// The same truth value for all.
    Truth(bool),
}

impl Line {
    /// Of so many work-items, if all of them can be represented.
    pub(super) fn new(first: i64, step: i64, lanes: usize) -> Option<Line> {
        let line = Line { first, step };
        line.last(lanes).map(|_| line)
    }

    fn last(self, lanes: usize) -> Option<i64> {
        self.step.checked_mul(lanes as i64 - 1)?.checked_add(self.first)
    }
}

impl LinearRule {
    /// Of an op over operands of a dtype.
    pub(super) fn of(op: Op, dtype: DType) -> Option<LinearRule> {
        if dtype != DType::I64 {
            return None;
        }
        Some(match op {
            Op::Add => LinearRule::Sum,
            Op::Subtract => LinearRule::Difference,
            Op::Multiply => LinearRule::Product,
            Op::Negative => LinearRule::Opposite,
            Op::Less => LinearRule::Less,
            Op::LessEqual => LinearRule::LessEqual,
            Op::Greater => LinearRule::Greater,
            Op::GreaterEqual => LinearRule::GreaterEqual,
            Op::Equal => LinearRule::Equal,
            Op::NotEqual => LinearRule::NotEqual,
            _ => return None,
        })
    }

    /// The outcome for lines over so many work-items, the second of which is the first for an op of one operand. `None` if it
    /// is neither a line nor the same for all.
    pub(super) fn apply(self, a: Line, b: Line, lanes: usize) -> Option<Outcome> {
        let line = |first: Option<i64>, step: Option<i64>| Some(Outcome::Line(Line::new(first?, step?, lanes)?));
        match self {
            LinearRule::Sum => line(a.first.checked_add(b.first), a.step.checked_add(b.step)),
            LinearRule::Difference => line(a.first.checked_sub(b.first), a.step.checked_sub(b.step)),
            LinearRule::Product => {
                let (a, b) = if a.step == 0 { (b, a) } else { (a, b) };
                if b.step != 0 {
                    return None;
                }
                line(a.first.checked_mul(b.first), a.step.checked_mul(b.first))
            }
            LinearRule::Opposite => line(a.first.checked_neg(), a.step.checked_neg()),
            _ => {
                let ends = |line: Line| line.last(lanes).map(|last| (line.first.min(last), line.first.max(last)));
                let ((a_least, a_most), (b_least, b_most)) = (ends(a)?, ends(b)?);
                // Whether one thing holds for all, or its opposite.
                let decided = |holds: bool, fails: bool| (holds || fails).then_some(Outcome::Truth(holds));
                match self {
                    LinearRule::Less => decided(a_most < b_least, a_least >= b_most),
                    LinearRule::LessEqual => decided(a_most <= b_least, a_least > b_most),
                    LinearRule::Greater => decided(a_least > b_most, a_most <= b_least),
                    LinearRule::GreaterEqual => decided(a_least >= b_most, a_most < b_least),
                    _ => {
                        let (same, apart) = (a == b, a_most < b_least || a_least > b_most);
                        let is_equal = decided(same, apart)?;
                        match (self, is_equal) {
                            (LinearRule::NotEqual, Outcome::Truth(equal)) => Some(Outcome::Truth(!equal)),
                            _ => Some(is_equal),
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_agree_with_their_elements() {
        const LANES: usize = 5;
        let rules = [
            (Op::Add, LinearRule::Sum),
            (Op::Subtract, LinearRule::Difference),
            (Op::Multiply, LinearRule::Product),
            (Op::Less, LinearRule::Less),
            (Op::LessEqual, LinearRule::LessEqual),
            (Op::Greater, LinearRule::Greater),
            (Op::GreaterEqual, LinearRule::GreaterEqual),
            (Op::Equal, LinearRule::Equal),
            (Op::NotEqual, LinearRule::NotEqual),
        ];
        let numbers = [-9, -1, 0, 1, 4, 8, i64::MAX - 1, i64::MIN];
        let steps = [-2, 0, 1, 3];
        let mut decided = 0;
        for (op, rule) in rules {
            assert_eq!(LinearRule::of(op, DType::I64), Some(rule));
            for (a, b) in numbers.iter().flat_map(|&a| numbers.map(|b| (a, b))) {
                for (s, t) in steps.iter().flat_map(|&s| steps.map(|t| (s, t))) {
                    let (Some(a), Some(b)) = (Line::new(a, s, LANES), Line::new(b, t, LANES)) else { continue };
                    let Some(outcome) = rule.apply(a, b, LANES) else { continue };
                    decided += 1;
                    for lane in 0..LANES as i64 {
                        use situ_types::Scalar;
                        let args = [a, b].map(|line| Scalar::I64(line.first + line.step * lane));
                        let found = match outcome {
                            Outcome::Line(line) => Scalar::I64(line.first + line.step * lane),
                            Outcome::Truth(truth) => Scalar::Bool(truth),
                        };
                        assert_eq!(situ_ir::interpret::apply(op, &args), Some(found), "{op} {a:?} {b:?}");
                    }
                }
            }
        }
        assert!(decided > 2000, "{decided}");
    }
}
