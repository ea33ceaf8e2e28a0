//! Decimal digits of floating-point numbers.

use situ_ir::scalar::CastTo;
use situ_types::{C128, F16};

/// Digits after the point, at most.
const PRECISION: usize = 8;

/// A floating-point format. Numbers of all three are held as `f64`, which has them exactly.
#[derive(Clone, Copy, Debug)]
pub(super) enum Format {
    Half,
    Single,
    Double,
}

/// A finite number's decimal digits, of which the first is before the point, and the exponent of ten.
struct Decimal {
    digits: String,
    exponent: i32,
}

impl Format {
    /// The nearest number of the format.
    pub(super) fn rounded(self, value: f64) -> f64 {
        match self {
            Format::Half => {
                let half: F16 = value.cast();
                half.cast()
            }
            Format::Single => f64::from(value as f32),
            Format::Double => value,
        }
    }

    /// From where on numbers are in scientific notation: where the format has no more digits, or 8 at most.
    pub(super) fn cutoff(self) -> f64 {
        match self {
            Format::Half => 1e3,
            Format::Single => 1e6,
            Format::Double => 1e8,
        }
    }

    /// The fewest digits that mean this number and no other of the format.
    fn shortest(self, value: f64) -> Decimal {
        let value = value.abs();
        let exactly = |digits: usize| format!("{value:.digits$e}");
        let means_it = |text: &String| text.parse().is_ok_and(|read: f64| self.rounded(read) == value);
        let text = match self {
            Format::Double => format!("{value:e}"),
            Format::Single => format!("{:e}", value as f32),
            Format::Half => (0..=4).map(exactly).find(means_it).unwrap_or_else(|| exactly(5)),
        };
        let shortest = Decimal::parse(&text);
        // Half way between two such decimals NumPy takes the even one, Rust the greater.
        let even = exactly(shortest.digits.len() - 1);
        if means_it(&even) { Decimal::parse(&even) } else { shortest }
    }

    /// A number without an exponent: what is before and after the point, without a sign.
    pub(super) fn positional(self, value: f64) -> (String, String) {
        let shortest = self.shortest(value);
        let (whole, fraction) = shortest.positional();
        if fraction.len() <= PRECISION {
            return (whole, fraction);
        }
        split(&format!("{:.PRECISION$}", value.abs()))
    }

    /// How many digits a number in scientific notation has after the point, at most, and its exponent.
    pub(super) fn scientific(self, value: f64) -> (usize, i32) {
        let shortest = self.shortest(value);
        if shortest.digits.len() <= PRECISION + 1 {
            return (shortest.digits.trim_end_matches('0').len().max(1) - 1, shortest.exponent);
        }
        let (_, fraction, exponent) = scientific(value, PRECISION);
        (fraction.trim_end_matches('0').len(), exponent)
    }

    /// A number by itself, with all of its digits.
    pub(super) fn alone(self, value: f64) -> String {
        let sign = if value.is_sign_negative() && !value.is_nan() { "-" } else { "" };
        if !value.is_finite() {
            return format!("{sign}{}", if value.is_nan() { "nan" } else { "inf" });
        }
        let decimal = self.shortest(value);
        let cutoff = if let Format::Double = self { 1e16 } else { self.cutoff() };
        if value == 0.0 || (1e-4..cutoff).contains(&value.abs()) {
            let (whole, fraction) = decimal.positional();
            let fraction = if fraction.is_empty() { "0" } else { &fraction };
            return format!("{sign}{whole}.{fraction}");
        }
        let (first, rest) = decimal.digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        format!("{sign}{first}{point}{rest}{}", exponent(decimal.exponent, 2))
    }

    /// A complex number by itself, as Python writes it.
    pub(super) fn complex_alone(self, value: C128) -> String {
        let part = |value: f64| {
            let text = self.alone(value);
            text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
        };
        let imaginary = part(value.im) + "j";
        if value.re == 0.0 && value.re.is_sign_positive() {
            return imaginary;
        }
        let plus = if imaginary.starts_with('-') { "" } else { "+" };
        format!("({}{plus}{imaginary})", part(value.re))
    }
}

/// The exponent of scientific notation, with at least so many digits.
pub(super) fn exponent(value: i32, digits: usize) -> String {
    format!("e{}{:0digits$}", if value < 0 { '-' } else { '+' }, value.unsigned_abs())
}

/// A number in scientific notation: what is before and after the point, without a sign, and the exponent.
pub(super) fn scientific(value: f64, digits: usize) -> (String, String, i32) {
    let Decimal { digits, exponent } = Decimal::parse(&format!("{:.digits$e}", value.abs()));
    let (whole, fraction) = digits.split_at(1);
    (whole.to_owned(), fraction.to_owned(), exponent)
}

fn split(text: &str) -> (String, String) {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    (whole.to_owned(), fraction.trim_end_matches('0').to_owned())
}

impl Decimal {
    /// Reads what Rust writes in scientific notation.
    fn parse(text: &str) -> Decimal {
        let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
        Decimal { digits: digits.replace('.', ""), exponent: exponent.parse().unwrap_or(0) }
    }

    /// What is before and after the point.
    fn positional(&self) -> (String, String) {
        let zeros = |count: i32| "0".repeat(count.max(0) as usize);
        if self.exponent < 0 {
            let fraction = zeros(-self.exponent - 1) + &self.digits;
            return ("0".into(), fraction.trim_end_matches('0').to_owned());
        }
        let padded = self.digits.clone() + &zeros(self.exponent + 1 - self.digits.len() as i32);
        let (whole, fraction) = padded.split_at(self.exponent as usize + 1);
        (whole.to_owned(), fraction.trim_end_matches('0').to_owned())
    }
}
