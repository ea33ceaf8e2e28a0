//! Whether elements are among others.

use situ_ir::Op;
use situ_ir::interpret::cast;
use situ_runtime::Question;
use situ_types::{DType, DTypeKind, Layout, Order, Scalar, promote};

use super::searching::ask;
use super::sorting::{Wanted, only, order};
use super::{alike, in_dtype};
use crate::index::together;
use crate::{Arg, Error, OutOfRange, Result, Tensor, apply};

const NAME: &str = "isin";

/// For each element whether it is equal to one of the others or, inverted, to none. What is not a number is equal to
/// nothing. One of the two may be a number of the host's.
///
/// ```
/// use situ_tensor::{Tensor, is_in};
/// let (x, wanted) = (Tensor::arange(4)?, Tensor::from_slice(&[3i64, 1])?);
/// assert_eq!(is_in((&x).into(), (&wanted).into(), false)?.to_vec::<bool>()?, [false, true, false, true]);
/// assert_eq!(is_in((&x).into(), 2i64.into(), true)?.to_vec::<bool>()?, [true, true, false, true]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn is_in(x: Arg<'_>, test_elements: Arg<'_>, invert: bool) -> Result<Tensor> {
    match (x, test_elements) {
        (Arg::Array(x), Arg::Array(test_elements)) => among(x, test_elements, invert),
        (x @ Arg::Array(_), number) => apply(if invert { Op::NotEqual } else { Op::Equal }, &[x, number], Order::C),
        (number, Arg::Array(test_elements)) => {
            let found = apply(Op::Equal, &[Arg::Array(test_elements), number], Order::C)?.any(())?;
            if invert { found.logical_not() } else { Ok(found) }
        }
        _ => Err(Error::Value(format!("{NAME}: one of x and test_elements must be an array"))),
    }
}

fn among(x: &Tensor, test_elements: &Tensor, invert: bool) -> Result<Tensor> {
    let kind = together(NAME, &[("x", x), ("test_elements", test_elements)])?;
    if test_elements.size() == 0 {
        let layout = Layout::dense(x.shape(), Order::C).map_err(Error::layout(NAME))?;
        return Tensor::full_in(NAME, layout, Scalar::Bool(invert), kind, x.queue());
    }
    let are_integers = [x, test_elements].iter().all(|each| each.dtype().kind() == DTypeKind::Integer);
    if !are_integers || promote(x.dtype(), test_elements.dtype()).kind() == DTypeKind::Integer {
        let (x, test_elements) = alike(x, test_elements)?;
        return among_alike(&x, &test_elements, invert);
    }
    // No integer dtype holds both, and no float all of their digits. As signed ones the same bits are the same number, if it is not
    // negative.
    let (x, test_elements) = (in_dtype(x, DType::I64)?, in_dtype(test_elements, DType::I64)?);
    let found = among_alike(&x, &test_elements, invert)?;
    if invert { found.logical_or(&x.less(0)?) } else { found.logical_and(&x.greater_equal(0)?) }
}

/// Arrays of one dtype.
fn among_alike(x: &Tensor, test_elements: &Tensor, invert: bool) -> Result<Tensor> {
    if let Some(found) = looked_up(x, test_elements, invert)? {
        return Ok(found);
    }
    let line = test_elements.flat()?;
    let wanted = Wanted { descending: false, count: line.size(), values: true, indices: false };
    let sorted = if line.size() == 1 { line } else { only(NAME, order(NAME, &line, 0, wanted)?)? };
    ask(NAME, &sorted, x, Question::Equal(!invert))
}

/// From so many elements on a table is worth looking for the least and the greatest one.
const TABLE_FROM: usize = 2048;

/// How many places a table may have for each element that is looked up or entered.
const TABLE_PLACES: usize = 8;

/// The same by a table, if integers are so close together that one has room for all of them: each costs two visits then,
/// however many there are. Where the device would have to be waited for, searching is quicker than finding out.
fn looked_up(x: &Tensor, test_elements: &Tensor, invert: bool) -> Result<Option<Tensor>> {
    let elements = x.size().saturating_add(test_elements.size());
    if x.dtype().kind() != DTypeKind::Integer || x.queue().is_remote() || elements < TABLE_FROM {
        return Ok(None);
    }
    let integer = |found: Tensor| -> Result<Option<i64>> {
        let value = found.item(&[])?;
        match cast(value, DType::I64) {
            Scalar::I64(integer) if cast(Scalar::I64(integer), value.dtype()) == value && !wraps(value) => {
                Ok(Some(integer))
            }
            _ => Ok(None),
        }
    };
    let (low, high) = (integer(test_elements.min(())?)?, integer(test_elements.max(())?)?);
    let (Some(low), Some(high)) = (low, high) else { return Ok(None) };
    let places = high.checked_sub(low).and_then(|span| usize::try_from(span).ok()).and_then(|span| span.checked_add(1));
    let Some(places) = places.filter(|&places| places / TABLE_PLACES <= elements) else { return Ok(None) };
    let layout = Layout::dense(&[places], Order::C).map_err(Error::layout(NAME))?;
    let table = Tensor::full_in(NAME, layout, Scalar::Bool(invert), x.kind(), x.queue())?;
    let place = |of: &Tensor| in_dtype(of, DType::I64)?.subtract(low);
    table.put(&place(&test_elements.flat()?)?, Arg::from(!invert), None, OutOfRange::Clip)?;
    // What is outside of the table is another number once it is inside.
    let inside = x.clip(low, high)?;
    let found = table.take(&place(&inside)?, Some(0), OutOfRange::Clip)?;
    Ok(Some(if invert { found.logical_or(&inside.not_equal(x)?)? } else { found.logical_and(&inside.equal(x)?)? }))
}

/// Whether an unsigned integer is too large for a signed one.
fn wraps(value: Scalar) -> bool {
    matches!(value, Scalar::U64(value) if i64::try_from(value).is_err())
}
