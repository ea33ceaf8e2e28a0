//! Elements as words of one length.

use situ_ir::domain_types;
use situ_ir::scalar::CastTo;
use situ_types::{C64, C128, DType, F16};

use super::float::{Column, Sign};
use super::number::Format;
use crate::{Result, Tensor};

/// Every element of an array, in C order.
pub(super) fn of(array: &Tensor) -> Result<Vec<String>> {
    macro_rules! integers {
        (; $(($variant:ident, $type:ty))*) => {
            match array.dtype() {
                $(DType::$variant => aligned(array.to_vec::<$type>()?.iter().map(<$type>::to_string).collect()),)*
                DType::Bool => truths(array)?,
                DType::F16 => reals(Format::Half, &half(array)?),
                DType::F32 => reals(Format::Single, &single(array)?),
                DType::F64 => reals(Format::Double, &array.to_vec::<f64>()?),
                DType::C64 => complex(Format::Single, &widened(array)?),
                DType::C128 => complex(Format::Double, &array.to_vec::<C128>()?),
            }
        };
    }
    Ok(domain_types!(Integer, integers,))
}

/// The element of an array without axes, with all of its digits.
pub(super) fn of_one(array: &Tensor) -> Result<String> {
    let first = |values: Vec<f64>, format: Format| values.first().map(|&value| format.alone(value));
    let text = match array.dtype() {
        DType::F16 => first(half(array)?, Format::Half),
        DType::F32 => first(single(array)?, Format::Single),
        DType::F64 => first(array.to_vec()?, Format::Double),
        DType::C64 => widened(array)?.first().map(|&value| Format::Single.complex_alone(value)),
        DType::C128 => array.to_vec::<C128>()?.first().map(|&value| Format::Double.complex_alone(value)),
        _ => of(array)?.first().cloned(),
    };
    Ok(text.unwrap_or_default())
}

fn half(array: &Tensor) -> Result<Vec<f64>> {
    Ok(array.to_vec::<F16>()?.into_iter().map(CastTo::cast).collect())
}

fn single(array: &Tensor) -> Result<Vec<f64>> {
    Ok(array.to_vec::<f32>()?.into_iter().map(f64::from).collect())
}

fn widened(array: &Tensor) -> Result<Vec<C128>> {
    Ok(array.to_vec::<C64>()?.into_iter().map(|z| C128::new(z.re.into(), z.im.into())).collect())
}

fn truths(array: &Tensor) -> Result<Vec<String>> {
    let words: Vec<_> = array.to_vec::<bool>()?.iter().map(|value| if *value { "True" } else { "False" }).collect();
    // "True" alone would say whether there is a "False" elsewhere.
    let width = if array.shape().is_empty() { 0 } else { "False".len() };
    Ok(words.iter().map(|word| format!("{word:>width$}")).collect())
}

/// Words of any length, to the right.
fn aligned(words: Vec<String>) -> Vec<String> {
    let width = words.iter().map(String::len).max().unwrap_or(0);
    words.into_iter().map(|word| format!("{word:>width$}")).collect()
}

fn reals(format: Format, values: &[f64]) -> Vec<String> {
    let column = Column::of(format, values, Sign::Negative);
    values.iter().map(|&value| column.word(value)).collect()
}

fn complex(format: Format, values: &[C128]) -> Vec<String> {
    let (real, imaginary): (Vec<f64>, Vec<f64>) = values.iter().map(|z| (z.re, z.im)).unzip();
    let (left, right) = (Column::of(format, &real, Sign::Negative), Column::of(format, &imaginary, Sign::Both));
    let word = |z: &C128| {
        let (re, im) = (left.word(z.re), right.word(z.im));
        let end = im.trim_end().len();
        format!("{re}{}j{}", &im[..end], &im[end..])
    };
    values.iter().map(word).collect()
}
