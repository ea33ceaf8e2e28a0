//! Stacks of matrices.

use situ_types::layout::fmt_dims;
use situ_types::{DType, DTypeKind, Dims, Order};

use crate::{Error, Result, Tensor};

/// As many as a copy can have, which broadcast arrays may exceed.
const MOST_ELEMENTS: usize = isize::MAX as usize / size_of::<situ_types::C128>();

/// The shape of a stack of matrices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stack {
    pub(super) batch: Dims,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Stack {
    /// Of an array whose last two axes are matrices.
    pub(super) fn of(name: &str, argument: &str, x: &Tensor) -> Result<Stack> {
        match *x.shape() {
            [.., _, _] if x.size() > MOST_ELEMENTS => Err(Error::Value(format!(
                "{name}: {argument} of shape {} has more elements than can be addressed",
                fmt_dims(x.shape())
            ))),
            [ref batch @ .., rows, columns] => Ok(Stack { batch: Dims::from(batch), rows, columns }),
            _ => Err(Error::LinAlg(format!(
                "{name}: {argument} must have at least 2 dimensions, the last two those of its matrices, but it has {}",
                x.layout().ndim()
            ))),
        }
    }

    /// Of an array whose matrices are square.
    pub(super) fn square(name: &str, argument: &str, x: &Tensor) -> Result<Stack> {
        let stack = Stack::of(name, argument, x)?;
        if stack.rows == stack.columns {
            return Ok(stack);
        }
        Err(Error::LinAlg(format!(
            "{name}: the matrices of {argument} must be square, but it has shape {}",
            fmt_dims(x.shape())
        )))
    }

    /// How many matrices there are.
    pub(super) fn count(&self) -> usize {
        self.batch.iter().product()
    }

    /// The batch, and these axes behind it.
    pub(super) fn with<const N: usize>(&self, axes: [usize; N]) -> Dims {
        self.batch.iter().copied().chain(axes).collect()
    }
}

/// The dtype that arrays of a dtype are computed in: integers become floating-point numbers of the usual precision.
pub(super) fn inexact(name: &str, argument: &str, x: &Tensor) -> Result<DType> {
    let dtype = match x.dtype().kind() {
        DTypeKind::Bool | DTypeKind::Integer => x.device().float_support().default_float(),
        _ => x.dtype(),
    };
    if dtype == DType::F16 {
        return Err(Error::Type(format!(
            "{name}: {argument} has dtype float16, for which there is no linear algebra; convert it with astype(float32) first"
        )));
    }
    if !x.device().float_support().supports(dtype) {
        return Err(Error::Unsupported { operation: name.into(), dtype, device: x.device().label() });
    }
    Ok(dtype)
}

/// A new array of the transposed matrices, row after row: of the matrices, that is column after column.
pub(super) fn columns(x: &Tensor, dtype: DType) -> Result<Tensor> {
    x.matrix_transposed()?.astype(dtype, Order::C)
}

/// A new array of the matrices, row after row: of the transposed ones, that is column after column.
pub(super) fn rows(x: &Tensor, dtype: DType) -> Result<Tensor> {
    x.astype(dtype, Order::C)
}

/// An array without elements, or of one number, beside another one.
pub(super) fn filled(name: &'static str, x: &Tensor, shape: &[usize], number: f64, dtype: DType) -> Result<Tensor> {
    crate::reduce::filled(name, x, shape, crate::Weak::Float(number), dtype, None)
}

/// Ones on the diagonal of each matrix of a new array.
pub(super) fn identities(name: &str, x: &Tensor, stack: &Stack, order: usize, dtype: DType) -> Result<Tensor> {
    if stack.count() == 0 {
        return Tensor::empty(&stack.with([order, order]), dtype, Order::C, x.kind(), x.queue());
    }
    let one = Tensor::eye([order, order], 0, dtype, Order::C, x.kind(), x.queue())?;
    if stack.batch.is_empty() {
        return Ok(one);
    }
    let layout = one.layout().broadcast_to(&stack.with([order, order])).map_err(Error::layout(name))?;
    one.under(layout).copy(Order::C)
}
