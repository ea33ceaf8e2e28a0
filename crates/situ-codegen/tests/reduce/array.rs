//! Arrays of random elements, and what a map reads of them.

use situ_hal::{Mapped, Operand};
use situ_ir::interpret::cast;
use situ_types::{DType, DTypeKind, Scalar};

use crate::host::layouts::{place, steps};
use crate::host::points::Points;
use crate::host::runner::{Memory, at};

/// An input over a space.
#[derive(Clone, Debug)]
pub enum Input {
    Array { memory: Memory, first: usize, steps: Vec<isize>, dtype: DType },
    Immediate(Scalar),
    Index,
}

/// An ordinary number, so that sums depend on the order but do not end as something that is not a number; or anything.
pub fn element(points: &mut Points, dtype: DType, is_wild: bool) -> Scalar {
    if is_wild || dtype.kind() <= DTypeKind::Integer {
        return Scalar::from_bytes(dtype, points.element(dtype));
    }
    let mut bytes = [0; 16];
    let part = dtype.real_part();
    for place in bytes[..dtype.size()].chunks_mut(part.size()) {
        let number = points.number() as i64 as f64 / (1u64 << 63) as f64;
        place.copy_from_slice(&cast(Scalar::F64(number), part).to_bytes()[..part.size()]);
    }
    Scalar::from_bytes(dtype, bytes)
}

impl Input {
    /// An array over a space with such steps, of which so many elements lie before and after the first.
    pub fn array(points: &mut Points, dtype: DType, layout: (Vec<isize>, usize, usize), is_wild: bool) -> Input {
        let (steps, before, after) = layout;
        let size = dtype.size();
        let first = before * size;
        let mut memory = Memory::noise((before + after + 1) * size);
        for place in memory.bytes_mut().chunks_exact_mut(size) {
            place.copy_from_slice(&element(points, dtype, is_wild).to_bytes()[..size]);
        }
        Input::Array { memory, first, steps, dtype }
    }

    /// An array that lies in one of many ways.
    pub fn random(points: &mut Points, dtype: DType, shape: &[usize], is_wild: bool) -> Input {
        let (mut steps, mut before, after) = steps(points, shape);
        match points.below(6) {
            // Not where a vector would be.
            0 => before += 1,
            // The same all along an axis.
            1 => {
                let axis = points.below(steps.len());
                if steps[axis] > 0 {
                    steps[axis] = 0;
                }
            }
            _ => {}
        }
        Input::array(points, dtype, (steps, before, after), is_wild)
    }

    /// The element at a position of the space, and along the sequence.
    pub fn read(&self, shape: &[usize], position: usize, along: usize) -> Scalar {
        match self {
            Input::Array { memory, first, steps, dtype } => {
                let size = dtype.size();
                let from = (*first as isize + place(position, shape, steps) * size as isize) as usize;
                let mut bytes = [0; 16];
                bytes[..size].copy_from_slice(&memory.bytes()[from..from + size]);
                Scalar::from_bytes(*dtype, bytes)
            }
            Input::Immediate(value) => *value,
            Input::Index => Scalar::I64(along as i64),
        }
    }
}

/// The inputs as an operand of a command.
pub fn mapped(shape: &[usize], inputs: &[Input]) -> Mapped {
    let mut mapped = Mapped::new(shape.into());
    for input in inputs {
        match input {
            Input::Array { memory, first, steps, .. } => {
                mapped.push(Operand::Memory(at(memory.address() + first)), steps);
            }
            Input::Immediate(value) => mapped.push(Operand::Immediate(value.to_bytes()), &vec![0; shape.len()]),
            Input::Index => mapped.push(Operand::Index, &vec![0; shape.len()]),
        }
    }
    mapped
}
