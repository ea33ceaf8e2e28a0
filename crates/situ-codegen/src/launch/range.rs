//! From one integer to another.

use situ_types::DType;

/// From a number to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) low: i64,
    pub(super) high: i64,
}

/// Any number.
pub(super) const ANY: Range = Range { low: i64::MIN, high: i64::MAX };

impl Range {
    pub(super) const fn new(low: i64, high: i64) -> Range {
        Range { low, high }
    }

    /// Any number, unless both ends are numbers.
    pub(super) fn wide(low: i128, high: i128) -> Range {
        match (i64::try_from(low), i64::try_from(high)) {
            (Ok(low), Ok(high)) => Range { low, high },
            _ => ANY,
        }
    }

    pub(super) fn joined(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// What both have; this one if they have nothing, because then nobody comes here.
    pub(super) fn met(self, other: Range) -> Range {
        let met = Range { low: self.low.max(other.low), high: self.high.min(other.high) };
        if met.low <= met.high { met } else { self }
    }

    /// This one, and anything beyond an end that another has moved.
    pub(super) fn widened(self, other: Range) -> Range {
        Range {
            low: if other.low < self.low { i64::MIN } else { self.low },
            high: if other.high > self.high { i64::MAX } else { self.high },
        }
    }

    fn magnitude(self) -> i128 {
        i128::from(self.low).abs().max(i128::from(self.high).abs())
    }

    /// Whether 32 bits are enough.
    pub(super) fn is_narrow(self) -> bool {
        i32::try_from(self.low).is_ok() && i32::try_from(self.high).is_ok()
    }
}

/// The integers of a dtype.
pub(super) fn of_dtype(dtype: DType) -> Range {
    match dtype {
        DType::Bool => Range::new(0, 1),
        DType::I8 => Range::new(i8::MIN.into(), i8::MAX.into()),
        DType::I16 => Range::new(i16::MIN.into(), i16::MAX.into()),
        DType::I32 => Range::new(i32::MIN.into(), i32::MAX.into()),
        DType::U8 => Range::new(0, u8::MAX.into()),
        DType::U16 => Range::new(0, u16::MAX.into()),
        DType::U32 => Range::new(0, u32::MAX.into()),
        _ => ANY,
    }
}

/// What the library's functions of integers make of such ranges.
pub(super) fn applied(function: &str, args: &[Range]) -> Range {
    let end = |n: usize, of: fn(&Range) -> i64| args.get(n).map_or(0, |arg| i128::from(of(arg)));
    let [low, high]: [[i128; 2]; 2] = [[0, 1].map(|n| end(n, |arg| arg.low)), [0, 1].map(|n| end(n, |arg| arg.high))];
    let products = || {
        let all = [low[0] * low[1], low[0] * high[1], high[0] * low[1], high[0] * high[1]];
        Range::wide(all.into_iter().fold(i128::MAX, i128::min), all.into_iter().fold(i128::MIN, i128::max))
    };
    match (function, args) {
        ("a", &[a]) => a,
        ("add(a, b)", _) => Range::wide(low[0] + low[1], high[0] + high[1]),
        ("sub(a, b)", _) => Range::wide(low[0] - high[1], high[0] - low[1]),
        ("mul(a, b)", _) => products(),
        ("mul(a, a)", &[a]) => Range::wide(0, a.magnitude() * a.magnitude()),
        ("neg(a)", _) => Range::wide(-high[0], -low[0]),
        ("abs(a)", &[a]) => Range::wide(0, a.magnitude()),
        ("min(a, b)", &[a, b]) => Range::new(a.low.min(b.low), a.high.min(b.high)),
        ("max(a, b)", &[a, b]) => Range::new(a.low.max(b.low), a.high.max(b.high)),
        ("floor_div(a, b)", &[a, b]) if a.low >= 0 && b.low >= 0 => Range::new(0, a.high),
        ("floor_div(a, b)", &[a, _]) => Range::wide(-a.magnitude(), a.magnitude()),
        ("modulo(a, b)", &[_, b]) if b.low >= 0 => Range::new(0, (b.high - 1).max(0)),
        ("modulo(a, b)", &[_, b]) => Range::wide(-b.magnitude(), b.magnitude()),
        ("and(a, b)", &[a, b]) if a.low >= 0 && b.low >= 0 => Range::new(0, a.high.min(b.high)),
        ("and(a, b)", &[a, _]) if a.low >= 0 => Range::new(0, a.high),
        ("and(a, b)", &[_, b]) if b.low >= 0 => Range::new(0, b.high),
        ("shr(a, b)", &[a, _]) => Range::new(a.low.min(0), a.high.max(0)),
        _ => ANY,
    }
}

#[cfg(test)]
mod tests {
    use situ_ir::Op;
    use situ_types::Scalar;

    use super::*;

    #[test]
    fn results_lie_where_the_ops_put_them() {
        // Every op of two small integers, computed, lies in the range that is told for it.
        let ranges = [Range::new(-3, 4), Range::new(0, 5), Range::new(-7, -2), Range::new(2, 2)];
        let integers = |op: &&Op| op.rule().domain.contains(&DType::I64) && op.result(DType::I64) == Some(DType::I64);
        let mut narrow = 0;
        for op in Op::ALL.iter().filter(integers) {
            for a in ranges {
                for b in ranges {
                    let args = &[a, b, b][..op.arity()];
                    let told = applied(op.c_expression(), args);
                    narrow += usize::from(told.is_narrow());
                    for x in a.low..=a.high {
                        for y in b.low..=b.high {
                            let args = &[x, y, y].map(Scalar::I64)[..op.arity()];
                            let Some(Scalar::I64(result)) = situ_ir::interpret::apply(*op, args) else {
                                panic!("{op}")
                            };
                            assert!(
                                told.low <= result && result <= told.high,
                                "{op} of {args:?} is {result}: {told:?}"
                            );
                        }
                    }
                }
            }
        }
        assert!(narrow > 100);
    }
}
