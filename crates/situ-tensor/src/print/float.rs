//! Floating-point numbers below each other, points and exponents aligned.

use super::number::{Format, exponent, scientific};

/// Which signs are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sign {
    Negative,
    Both,
}

impl Sign {
    fn of(self, value: f64) -> &'static str {
        match self {
            _ if value.is_sign_negative() && !value.is_nan() => "-",
            Sign::Both => "+",
            Sign::Negative => "",
        }
    }
}

/// How the numbers of one array are written.
#[derive(Debug)]
pub(super) struct Column {
    format: Format,
    sign: Sign,
    is_scientific: bool,
    /// Characters before the point, with the sign.
    left: usize,
    /// Digits after the point.
    fraction: usize,
    /// Digits of the exponent.
    exponent: usize,
}

impl Column {
    pub(super) fn of(format: Format, values: &[f64], sign: Sign) -> Column {
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        let is_scientific = is_scientific(format, finite());
        let mut column = Column { format, sign, is_scientific, left: 0, fraction: 0, exponent: 0 };
        for value in finite() {
            let (whole, fraction) = if is_scientific {
                let (fraction, power) = format.scientific(value);
                column.exponent = column.exponent.max(power.unsigned_abs().to_string().len().max(2));
                (1, fraction)
            } else {
                let (whole, fraction) = format.positional(value);
                (whole.len(), fraction.len())
            };
            column.left = column.left.max(sign.of(value).len() + whole);
            column.fraction = column.fraction.max(fraction);
        }
        if values.iter().any(|value| !value.is_finite()) {
            let is_signed = sign == Sign::Both || values.contains(&f64::NEG_INFINITY);
            let room = "inf".len() + usize::from(is_signed);
            column.left = column.left.max(room.saturating_sub(column.right() + 1));
        }
        column
    }

    /// Characters after the point.
    fn right(&self) -> usize {
        if self.is_scientific { self.fraction + self.exponent + 2 } else { self.fraction }
    }

    pub(super) fn word(&self, value: f64) -> String {
        let sign = self.sign.of(value);
        if !value.is_finite() {
            let word = format!("{sign}{}", if value.is_nan() { "nan" } else { "inf" });
            return format!("{word:>width$}", width = self.left + self.right() + 1);
        }
        let (left, digits) = (self.left, self.fraction);
        if self.is_scientific {
            let (whole, fraction, power) = scientific(value, digits);
            let whole = format!("{sign}{whole}");
            return format!("{whole:>left$}.{fraction}{}", exponent(power, self.exponent));
        }
        let (whole, fraction) = self.format.positional(value);
        let whole = format!("{sign}{whole}");
        format!("{whole:>left$}.{fraction:<digits$}")
    }
}

/// Whether numbers differ so much, or are so large or small, that they are written in scientific notation.
fn is_scientific(format: Format, finite: impl Iterator<Item = f64>) -> bool {
    let sizes = finite.map(f64::abs).filter(|size| *size != 0.0);
    let bounds = sizes.fold(None, |bounds: Option<(f64, f64)>, size| {
        let (low, high) = bounds.unwrap_or((size, size));
        Some((low.min(size), high.max(size)))
    });
    bounds.is_some_and(|(low, high)| {
        high >= format.cutoff() || low < format.rounded(0.0001) || format.rounded(high / low) > 1000.0
    })
}
