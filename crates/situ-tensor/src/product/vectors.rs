//! Sums of products along an axis.

use std::collections::HashMap;
use std::sync::LazyLock;

use parking_lot::RwLock;
use situ_ir::product::accumulator;
use situ_ir::{Combine, Op, Program, Reduction};
use situ_runtime::ReductionRef;
use situ_types::layout::{broadcast_shapes, fmt_dims};
use situ_types::{DType, DTypeKind, Dims, Layout, Strides, UsmKind};
use smallvec::SmallVec;

use super::{common_dtype, place};
use crate::reduce::{Combining, combine, filled};
use crate::{Error, Result, Tensor, Weak};

/// The sum of the products of two arrays' elements along an axis, the first array's conjugates where they are complex. The
/// axis is counted from the end, as -1 for the last one, and exists in both arrays; the others are broadcast.
///
/// ```
/// use situ_tensor::{Tensor, vecdot};
///
/// let x = Tensor::from_slice(&[1i64, 2, 3])?;
/// assert_eq!(vecdot(&x, &x, -1)?.to_vec::<i64>()?, [14]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn vecdot(x1: &Tensor, x2: &Tensor, axis: isize) -> Result<Tensor> {
    const NAME: &str = "vecdot";
    let (_, kind) = place(NAME, x1, x2)?;
    let dtype = common_dtype(NAME, x1, x2)?;
    for (name, x) in [("x1", x1), ("x2", x2)] {
        let ndim = x.layout().ndim() as isize;
        if ndim == 0 {
            return Err(Error::Value(format!(
                "{NAME}: {name} has no dimensions; use multiply for a number times an array"
            )));
        }
        if axis >= 0 || axis < -ndim {
            return Err(Error::Value(format!(
                "{NAME}: axis {axis} does not name an axis of {name}, counted from the end; name one from {} to -1",
                -ndim
            )));
        }
    }
    let length = |x: &Tensor| x.shape()[(x.layout().ndim() as isize + axis) as usize];
    if length(x1) != length(x2) {
        return Err(Error::Value(format!(
            "{NAME}: along axis {axis}, x1 of shape {} has {} elements, but x2 of shape {} has {}; the two must be equal",
            fmt_dims(x1.shape()),
            length(x1),
            fmt_dims(x2.shape()),
            length(x2)
        )));
    }
    let (x1, x2) = (with_axis_last(NAME, x1, axis)?, with_axis_last(NAME, x2, axis)?);
    let shape = broadcast_shapes(x1.shape(), x2.shape()).map_err(Error::layout(NAME))?;
    let stretched =
        |x: &Tensor| -> Result<Tensor> { Ok(x.under(x.layout().broadcast_to(&shape).map_err(Error::layout(NAME))?)) };
    let factors = [stretched(&x1)?, stretched(&x2)?];
    sum_of_products(&Products { name: NAME, factors: &factors, dtype, conjugates: true, kind, out: None })
}

/// The array with an axis, counted from the end, behind all others.
fn with_axis_last(name: &str, x: &Tensor, axis: isize) -> Result<Tensor> {
    let mut axes: SmallVec<[usize; 4]> = (0..x.layout().ndim()).collect();
    let moved = axes.remove((axes.len() as isize + axis) as usize);
    axes.push(moved);
    let shape: Dims = axes.iter().map(|&axis| x.shape()[axis]).collect();
    let strides: Strides = axes.iter().map(|&axis| x.layout().strides()[axis]).collect();
    let layout = Layout::strided(&shape, &strides, x.layout().offset()).map_err(Error::layout(name))?;
    Ok(x.under(layout))
}

/// What is multiplied and added up along the last axis.
#[derive(Debug)]
pub(super) struct Products<'a> {
    pub(super) name: &'static str,
    /// Of one shape, on one queue.
    pub(super) factors: &'a [Tensor; 2],
    /// The dtype of the result.
    pub(super) dtype: DType,
    /// Whether the first factor's conjugates are taken.
    pub(super) conjugates: bool,
    /// The kind of a new array's memory.
    pub(super) kind: UsmKind,
    pub(super) out: Option<&'a Tensor>,
}

/// Multiplies and adds up.
pub(super) fn sum_of_products(what: &Products<'_>) -> Result<Tensor> {
    let [x1, x2] = what.factors;
    let (&length, shape) = x1.shape().split_last().unwrap_or((&1, &[]));
    if length == 0 || shape.contains(&0) {
        let near = if x1.kind() == what.kind { x1 } else { x2 };
        return filled(what.name, near, shape, Weak::Int(0), what.dtype, what.out);
    }
    let mut reduced: SmallVec<[bool; 4]> = SmallVec::from_elem(false, shape.len());
    reduced.push(true);
    combine(&Combining {
        name: what.name,
        reduction: ReductionRef::Static(reduction([x1.dtype(), x2.dtype()], what.dtype, what.conjugates)?),
        inputs: &[x1, x2],
        reduced: &reduced,
        in_c_order: false,
        shape,
        numbers: &[],
        kind: what.kind,
        out: what.out,
    })
}

/// The reduction that does so, made once and kept for ever.
fn reduction(from: [DType; 2], dtype: DType, conjugates: bool) -> Result<&'static Reduction> {
    type Key = ([DType; 2], DType, bool);
    static MADE: LazyLock<RwLock<HashMap<Key, &'static Reduction>>> = LazyLock::new(RwLock::default);

    let key = (from, dtype, conjugates && dtype.kind() == DTypeKind::Complex);
    if let Some(reduction) = MADE.read().get(&key) {
        return Ok(reduction);
    }
    let wide = accumulator(dtype);
    let mut map = Program::builder();
    let inputs = from.map(|dtype| map.input(dtype));
    let (mut first, second) = (map.cast(inputs[0], wide)?, map.cast(inputs[1], wide)?);
    if key.2 {
        first = map.apply(Op::Conj, &[first])?;
    }
    let product = map.apply(Op::Multiply, &[first, second])?;
    let map = map.finish(&[product])?;
    let reduction = Reduction::new(map, Combine::Op(Op::Add), Program::convert(wide, dtype))?;
    Ok(MADE.write().entry(key).or_insert_with(|| Box::leak(Box::new(reduction))))
}

impl Tensor {
    /// The sum of the products of two arrays' elements along the last axis, this array's conjugates where they are complex.
    /// [`vecdot`] takes other axes.
    pub fn vecdot(&self, other: &Tensor) -> Result<Tensor> {
        vecdot(self, other, -1)
    }
}
