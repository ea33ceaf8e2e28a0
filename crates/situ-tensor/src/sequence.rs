//! Evenly spaced values, computed on the device.

use situ_ir::{Op, Program};
use situ_runtime::{Access, Command, Elementwise, ProgramRef, Queue};
use situ_types::{DType, Layout, Order, Scalar, UsmKind};
use smallvec::smallvec;

use crate::{Error, Result, Tensor};

impl Tensor {
    /// `start + i * step` for `i` in `0..count`, computed in the dtype of `start` and `step` and converted to `dtype`.
    pub fn sequence(
        start: Scalar,
        step: Scalar,
        count: usize,
        dtype: DType,
        kind: UsmKind,
        queue: &Queue,
    ) -> Result<Tensor> {
        let compute = start.dtype();
        if step.dtype() != compute {
            return Err(Error::Value(format!("a sequence from {compute} cannot have steps of {}", step.dtype())));
        }
        let out = Tensor::empty(&[count], dtype, Order::C, kind, queue)?;
        out.write_sequence(start, step)?;
        Ok(out)
    }

    /// `num` values from `start` to `stop`, computed in the dtype of both and converted to `dtype`. With `endpoint`
    /// the last one is `stop` exactly.
    pub fn linspace(
        start: Scalar,
        stop: Scalar,
        num: usize,
        endpoint: bool,
        dtype: DType,
        kind: UsmKind,
        queue: &Queue,
    ) -> Result<Tensor> {
        let steps = (if endpoint { num.saturating_sub(1) } else { num }).max(1) as f64;
        let step = match (start, stop) {
            (Scalar::F32(a), Scalar::F32(b)) => Scalar::F32(((b as f64 - a as f64) / steps) as f32),
            (Scalar::F64(a), Scalar::F64(b)) => Scalar::F64((b - a) / steps),
            (Scalar::C64(a), Scalar::C64(b)) => Scalar::C64((b - a) / steps as f32),
            (Scalar::C128(a), Scalar::C128(b)) => Scalar::C128((b - a) / steps),
            _ => return Err(Error::Value("linspace computes in floating point".into())),
        };
        let out = Tensor::sequence(start, step, num, dtype, kind, queue)?;
        if endpoint && num > 1 {
            let last = Tensor::full(&[1], stop, Order::C, kind, queue)?;
            out.element(num - 1)?.assign(&last)?;
        }
        Ok(out)
    }

    /// A view of one element of a dense array.
    fn element(&self, at: usize) -> Result<Tensor> {
        let layout = Layout::strided(&[1], &[1], at as isize).map_err(Error::layout("linspace"))?;
        Tensor::from_buffer(self.buffer().clone(), self.queue().clone(), self.dtype(), layout)
    }

    fn write_sequence(&self, start: Scalar, step: Scalar) -> Result<()> {
        let compute = start.dtype();
        let mut program = Program::builder();
        let (index, first, stride) = (program.input(DType::I64), program.input(compute), program.input(compute));
        let position = program.cast(index, compute)?;
        let distance = program.apply(Op::Multiply, &[position, stride])?;
        let value = program.apply(Op::Add, &[distance, first])?;
        let value = program.cast(value, self.dtype())?;
        let program = ProgramRef::Shared(program.finish(&[value])?.into());
        let mut command = Elementwise::new(program, smallvec![self.size()]);
        command.push_index();
        command.push_immediate(start.to_bytes());
        command.push_immediate(step.to_bytes());
        command.push_memory(self.address(), &[1]);
        let command = Command::Elementwise(command);
        // SAFETY: the array is dense and one-dimensional, so the command writes exactly its elements.
        unsafe { self.queue().submit(&command, &[(self.buffer(), Access::Write)], &[]) }?;
        Ok(())
    }
}
