//! Evenly spaced values, computed on the device.

use situ_runtime::{Command, Elementwise, ProgramRef, Queue};
use situ_types::{C128, DType, DTypeKind, Layout, Order, Scalar, UsmKind};
use smallvec::smallvec;

use crate::programs::{rounds_down, sequence};
use crate::submit::Submission;
use crate::{Error, Result, Tensor, Weak};

impl Tensor {
    /// `start + i * step` for `i` in `0..count`, computed in the dtype of `start` and `step` and converted to `dtype`;
    /// fractions become integers by rounding down, as in NumPy.
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
        let compute = start.dtype();
        if stop.dtype() != compute || compute.kind() < DTypeKind::Float {
            return Err(Error::Value("linspace computes in floating point, from start to stop of one dtype".into()));
        }
        let (a, b) = (parts(start), parts(stop));
        let step =
            [0, 1].map(|i| if (b[i] - a[i]).is_finite() { (b[i] - a[i]) / steps } else { b[i] / steps - a[i] / steps });
        let layout = Layout::dense(&[num], Order::C).map_err(Error::layout("linspace"))?;
        let out = Tensor::empty_in("linspace", layout, dtype, kind, queue)?;
        // The distance of two numbers may be too large for a number: what is further than half way counts from the end.
        let largest = if matches!(compute, DType::F32 | DType::C64) { f32::MAX.into() } else { f64::MAX };
        let is_far = step.iter().any(|step| (step * steps).abs() > largest);
        let near = if is_far { num.div_ceil(2) } else { num };
        let middle = [0, 1].map(|i| b[i] - (steps - near as f64) * step[i]);
        let step = whole(step, compute)?;
        out.section(0, near)?.write_sequence(start, step)?;
        if near < num {
            out.section(near, num - near)?.write_sequence(whole(middle, compute)?, step)?;
        }
        if endpoint && num > 1 {
            let stop = match stop {
                Scalar::F32(v) if rounds_down(stop.dtype(), dtype) => Scalar::F32(v.floor()),
                Scalar::F64(v) if rounds_down(stop.dtype(), dtype) => Scalar::F64(v.floor()),
                other => other,
            };
            let last = Tensor::full(&[1], stop, Order::C, kind, queue)?;
            out.section(num - 1, 1)?.assign(&last)?;
        }
        Ok(out)
    }

    /// A view of some elements of a dense one-dimensional array.
    fn section(&self, from: usize, count: usize) -> Result<Tensor> {
        let layout = Layout::strided(&[count], &[1], from as isize).map_err(Error::layout("linspace"))?;
        Ok(self.clone().with_layout(layout))
    }

    fn write_sequence(&self, start: Scalar, step: Scalar) -> Result<()> {
        let program = sequence(start.dtype(), self.dtype())?;
        let mut command = Elementwise::new(ProgramRef::Static(program), smallvec![self.size()]);
        command.push_index();
        command.push_immediate(start.to_bytes());
        command.push_immediate(step.to_bytes());
        let mut work = Submission::on(self.queue());
        command.push_memory(work.write(self)?, &[1]);
        work.run(&Command::Elementwise(command))
    }
}

/// The real and the imaginary part of a floating-point number.
fn parts(value: Scalar) -> [f64; 2] {
    match value {
        Scalar::F32(v) => [v.into(), 0.0],
        Scalar::F64(v) => [v, 0.0],
        Scalar::C64(v) => [v.re.into(), v.im.into()],
        Scalar::C128(v) => [v.re, v.im],
        _ => [0.0; 2],
    }
}

/// The number of a dtype with these parts.
fn whole([re, im]: [f64; 2], dtype: DType) -> Result<Scalar> {
    Weak::Complex(C128::new(re, im)).to_scalar(dtype)
}
