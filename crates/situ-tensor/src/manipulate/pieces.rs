//! A new array, put together from pieces of others by one command.

use situ_ir::Program;
use situ_runtime::{Address, Command, Elementwise, Join, Operand, ProgramRef, Queue};
use situ_types::layout::collapse;
use situ_types::{DType, Layout, UsmKind};

use crate::programs::conversion;
use crate::shared_layout::shared;
use crate::submit::{NewArray, Submission};
use crate::{Result, Tensor};

/// Elements in memory: the first, and the steps to the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements<'a> {
    pub(super) first: Address,
    pub(super) steps: &'a [isize],
}

/// An array that is being put together. What no piece covers stays undefined.
#[derive(Debug)]
pub(super) struct Assembly<'a> {
    work: Submission<'a>,
    new: NewArray<'a>,
    dtype: DType,
    pieces: Vec<Elementwise>,
}

impl<'a> Assembly<'a> {
    pub(super) fn new(
        name: &str,
        layout: Layout,
        dtype: DType,
        kind: UsmKind,
        queue: &'a Queue,
        pieces: usize,
    ) -> Result<Assembly<'a>> {
        let work = Submission::on(queue);
        let new = work.allocate(name, shared(layout), dtype, kind)?;
        Ok(Assembly { work, new, dtype, pieces: Vec::with_capacity(pieces) })
    }

    /// Registers an array whose elements are read; its first one.
    pub(super) fn read(&mut self, array: &'a Tensor) -> Result<Address> {
        self.work.read(array)
    }

    /// The new array's element at a position.
    pub(super) fn element(&self, position: isize) -> Address {
        self.new.address().offset(position * self.dtype.size() as isize)
    }

    /// Copies or converts elements of a dtype in a shape.
    pub(super) fn push(&mut self, dtype: DType, shape: &[usize], from: Elements<'_>, to: Elements<'_>) {
        let program = conversion(dtype, self.dtype);
        match (shape, from.steps, to.steps) {
            _ if shape.contains(&0) => {}
            (&[count], &[from_step], &[to_step]) => {
                self.pieces.push(line(program, count, (from.first, from_step), (to.first, to_step)))
            }
            _ => {
                let (shape, steps) = collapse(shape, &[from.steps, to.steps]);
                let mut piece = Elementwise::new(ProgramRef::Static(program), shape);
                piece.push_memory(from.first, &steps[0]);
                piece.push_memory(to.first, &steps[1]);
                self.pieces.push(piece);
            }
        }
    }

    /// Copies or converts the elements of an array to as many places.
    pub(super) fn push_array(
        &mut self,
        array: &'a Tensor,
        offset: isize,
        steps: &[isize],
        is_dense: bool,
    ) -> Result<()> {
        let (from, to) = (self.read(array)?, self.element(offset));
        if is_dense && array.layout().is_c_contiguous() {
            let (from, to) = (Elements { first: from, steps: &[1] }, Elements { first: to, steps: &[1] });
            self.push(array.dtype(), &[array.size()], from, to);
        } else {
            let from = Elements { first: from, steps: array.layout().strides() };
            self.push(array.dtype(), array.shape(), from, Elements { first: to, steps });
        }
        Ok(())
    }

    /// The array.
    pub(super) fn finish(mut self) -> Result<Tensor> {
        let command = match self.pieces.len() {
            0 => Command::Marker,
            1 => self.pieces.pop().map_or(Command::Marker, Command::Elementwise),
            _ => Command::Join(Box::new(Join { pieces: self.pieces })),
        };
        self.work.produce(&command, self.new)
    }
}

/// A piece along one axis.
fn line(program: &'static Program, count: usize, from: (Address, isize), to: (Address, isize)) -> Elementwise {
    let [from_at, to_at] = [from, to].map(|(address, _)| Operand::Memory(address));
    let operands = [from_at, to_at, to_at, to_at];
    Elementwise::line(ProgramRef::Static(program), count, operands, [from.1, to.1, 0, 0], 2)
}
