//! One array from nested sequences of arrays and numbers.

use situ_runtime::Queue;
use situ_types::layout::fmt_dims;
use situ_types::{DType, Dims, Layout, Order, UsmKind};

use crate::{Error, Result, Tensor, Weak};

/// Things in nested sequences.
#[derive(Clone, Debug)]
pub enum Nested<T> {
    /// A thing.
    One(T),
    /// A sequence of things and sequences.
    Many(Vec<Nested<T>>),
}

/// What an array can be put together from.
#[derive(Clone, Debug)]
pub enum Piece {
    /// An array, on any queue.
    Array(Tensor),
    /// A number.
    Number(Weak),
}

impl<T> Nested<T> {
    /// The shape of all of them together, given the shape of each. Sequences of different lengths do not have one.
    pub fn shape(&self, of: &impl Fn(&T) -> Dims) -> Result<Dims> {
        self.shape_at("obj", of)
    }

    fn shape_at(&self, name: &str, of: &impl Fn(&T) -> Dims) -> Result<Dims> {
        let parts = match self {
            Nested::One(thing) => return Ok(of(thing)),
            Nested::Many(parts) => parts,
        };
        let mut common: Option<Dims> = None;
        for (i, part) in parts.iter().enumerate() {
            let shape = part.shape_at(&format!("{name}[{i}]"), of)?;
            match &common {
                Some(first) if *first != shape => {
                    let (first, other) = (fmt_dims(first), fmt_dims(&shape));
                    return Err(Error::Value(format!(
                        "asarray: the sequence is ragged: {name}[0] has shape {first}, but {name}[{i}] has {other}"
                    )));
                }
                _ => common = Some(shape),
            }
        }
        let mut shape = Dims::from_slice(&[parts.len()]);
        shape.extend(common.unwrap_or_default());
        Ok(shape)
    }

    /// Visits each thing with its name: `obj[0]`, `obj[1][2]`.
    pub fn each<'a>(&'a self, name: &str, visit: &mut impl FnMut(&str, &'a T)) {
        match self {
            Nested::One(thing) => visit(name, thing),
            Nested::Many(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    part.each(&format!("{name}[{i}]"), visit);
                }
            }
        }
    }

    /// The same sequences of other things.
    pub fn map<U, E>(self, change: &mut impl FnMut(T) -> Result<U, E>) -> Result<Nested<U>, E> {
        Ok(match self {
            Nested::One(thing) => Nested::One(change(thing)?),
            Nested::Many(parts) => {
                Nested::Many(parts.into_iter().map(|part| part.map(change)).collect::<Result<_, E>>()?)
            }
        })
    }
}

impl Tensor {
    /// The array whose first axes are the sequences, on a queue that everything is brought to.
    ///
    /// ```
    /// use situ_tensor::{Nested, Piece, Tensor, Weak};
    /// use situ_types::{DType, Order, UsmKind};
    ///
    /// let row = Tensor::arange(2)?;
    /// let number = |n| Nested::One(Piece::Number(Weak::Int(n)));
    /// let rows = Nested::Many(vec![
    ///     Nested::One(Piece::Array(row.clone())),
    ///     Nested::Many(vec![number(7), number(8)]),
    /// ]);
    /// let x = Tensor::from_nested(&rows, DType::I64, Order::C, UsmKind::Device, row.queue())?;
    /// assert_eq!(x.to_vec::<i64>()?, [0, 1, 7, 8]);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn from_nested(
        nested: &Nested<Piece>,
        dtype: DType,
        order: Order,
        kind: UsmKind,
        queue: &Queue,
    ) -> Result<Tensor> {
        let shape = nested.shape(&|piece| match piece {
            Piece::Array(tensor) => Dims::from_slice(tensor.shape()),
            Piece::Number(_) => Dims::new(),
        })?;
        let layout = Layout::dense(&shape, order).map_err(Error::layout("asarray"))?;
        let out = Tensor::empty_in("asarray", layout, dtype, kind, queue)?;
        out.write_nested(nested)?;
        Ok(out)
    }

    fn write_nested(&self, nested: &Nested<Piece>) -> Result<()> {
        match nested {
            Nested::One(Piece::Number(value)) => self.fill_with(*value),
            Nested::One(Piece::Array(tensor)) => self.assign(&tensor.brought_to(self.queue(), self.dtype())?),
            Nested::Many(parts) => {
                let layout = self.layout();
                for (i, part) in parts.iter().enumerate() {
                    let first = layout.offset() + i as isize * layout.strides()[0];
                    let row = Layout::strided(&layout.shape()[1..], &layout.strides()[1..], first);
                    self.clone().with_layout(row.map_err(Error::layout("asarray"))?).write_nested(part)?;
                }
                Ok(())
            }
        }
    }
}
