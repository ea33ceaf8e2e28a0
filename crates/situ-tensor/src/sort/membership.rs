//! Whether elements are among others.

use situ_ir::Op;
use situ_runtime::Question;
use situ_types::{DType, DTypeKind, Layout, Order, Scalar, promote};

use super::searching::ask;
use super::sorting::{Wanted, only, order};
use super::{alike, in_dtype};
use crate::index::together;
use crate::{Arg, Error, Result, Tensor, apply};

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
    let line = test_elements.flat()?;
    let wanted = Wanted { descending: false, count: line.size(), values: true, indices: false };
    let sorted = if line.size() == 1 { line } else { only(NAME, order(NAME, &line, 0, wanted)?)? };
    ask(NAME, &sorted, x, Question::Equal(!invert))
}
