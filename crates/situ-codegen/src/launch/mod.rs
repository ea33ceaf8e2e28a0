//! Kernels that users write: their text from the IR, and their launches.
//!
//! * `kernel`: the key of a compiled kernel, the IR with a [`Variant`], and its parameters.
//! * `variant`, `geometry`: what the text depends on beside the IR, and the shape of a launch.
//! * `text`, `statement`, `expression`, `access`, `literal`, `names`: the text. It has the IR's structure.
//! * `range`, `ranges`: which integers fit in 32 bits, in which a GPU computes faster than in 64.
//! * `atomic`, `sub_group`: functions that a text calls.
//! * `local`: the memory of a group.

mod access;
mod atomic;
mod expression;
mod geometry;
mod kernel;
mod literal;
mod local;
mod names;
mod range;
mod ranges;
mod statement;
mod sub_group;
mod text;
mod variant;
mod waiting;

use std::sync::Arc;

use situ_hal::{HalError, Launch, LaunchArgument, Result};
use situ_ir::kernel::{Array, ArrayLayout, Kernel as Program, Parameter as Given};
use situ_types::Scalar;

use self::atomic::{refuse_loose_atomics, refuse_wide_atomics};
use self::geometry::Geometry;
pub use self::kernel::UserKernel;
use self::local::LocalMemory;
use self::variant::Variant;
use self::waiting::refuse_scattered_exchanges;
use crate::signature::{Parameter, Role};
use crate::work::Value;
use crate::{Argument, DeviceLimits, Dialect, Kernel, Work};

/// What the launch of a user's kernel comes to.
pub(crate) fn plan(command: &Launch, limits: &DeviceLimits) -> Result<Work> {
    let geometry = Geometry::of(&command.range, limits)?;
    refuse_wide_atomics(&command.kernel, limits)?;
    refuse_scattered_exchanges(&command.kernel, &geometry, limits)?;
    let variant = Variant::of(command, &geometry);
    refuse_loose_atomics(&command.kernel, &variant)?;
    let memory = LocalMemory::of(command);
    if memory.bytes > limits.group_local {
        let detail = format!(
            "its groups have local arrays of {} bytes, and the device has {} bytes for a group; make them smaller",
            memory.bytes, limits.group_local
        );
        return Err(unsupported(&command.kernel, detail));
    }
    let kernel = UserKernel::new(command.kernel.clone(), variant);
    let scalar_size = |n, value: &Scalar| kernel.scalar_type(n, value.dtype()).size() as u8;
    let mut work = Work::default();
    work.launch(Kernel::User(kernel.clone()), 1, |parameter| match parameter {
        Parameter::Immediate(Role::Given(n)) => match command.arguments.get(usize::from(n)) {
            Some(LaunchArgument::Scalar(value)) => Value::At(Argument::Value(value.to_bytes(), scalar_size(n, value))),
            _ => Value::Word(0),
        },
        other => value(command, &geometry, &memory, other),
    });
    if let Some(launch) = work.launches.first_mut() {
        (launch.grid, launch.block, launch.local) = (geometry.grid, geometry.block, memory.dynamic);
    }
    Ok(work)
}

/// The text of a user's kernel as most launches need it: over groups if it needs them, of arrays whose last axes have no
/// gaps and whose sizes fit in 32 bits.
pub fn inspect(kernel: &Arc<Program>, dialect: Dialect) -> String {
    let variant = Variant::usual(kernel);
    Kernel::User(UserKernel::new(kernel.clone(), variant)).emit_bare(dialect).text
}

/// The value of a parameter.
fn value(command: &Launch, geometry: &Geometry, memory: &LocalMemory, parameter: Parameter) -> Value {
    let layout = |array: u16| command.arguments.get(position_of(&command.kernel, array)).and_then(layout_of);
    match parameter {
        Parameter::Address(Role::Report) => command.report.map_or(Value::Word(0), Value::from),
        Parameter::Address(Role::Given(n)) => match command.arguments.get(usize::from(n)) {
            Some(LaunchArgument::Array(address, _)) => (*address).into(),
            _ => Value::Word(0),
        },
        Parameter::ArrayExtent(n, axis) => {
            layout(n).and_then(|layout| layout.shape.get(usize::from(axis)).copied()).unwrap_or_default().into()
        }
        Parameter::ArrayStep(n, axis) => {
            let step = layout(n).map_or(0, |layout| variant::step(layout, usize::from(axis)));
            Value::Word(step as i64)
        }
        Parameter::ArrayOffset(n) => memory.offsets.get(usize::from(n)).copied().unwrap_or_default().into(),
        Parameter::GlobalSize(axis) => command.range.global()[usize::from(axis)].into(),
        Parameter::LocalSize(axis) => geometry.local[usize::from(axis)].into(),
        Parameter::GroupCount(axis) => geometry.groups[usize::from(axis)].into(),
        _ => Value::Word(0),
    }
}

/// The place among the parameters of an array that is one.
fn position_of(kernel: &Program, array: u16) -> usize {
    let is_it = |given: &Given| matches!(given, Given::Array(one) if one.index() == usize::from(array));
    kernel.parameters().iter().position(is_it).unwrap_or(usize::MAX)
}

fn layout_of(argument: &LaunchArgument) -> Option<&ArrayLayout> {
    match argument {
        LaunchArgument::Array(_, layout) | LaunchArgument::Local(layout) => Some(layout),
        LaunchArgument::Scalar(_) => None,
    }
}

/// The arrays that a launch has arguments for, with these.
fn given_arrays(command: &Launch) -> impl Iterator<Item = (Array, &LaunchArgument)> {
    command.kernel.parameters().iter().zip(&command.arguments).filter_map(|(given, argument)| match given {
        Given::Array(array) => Some((*array, argument)),
        Given::Scalar(..) => None,
    })
}

fn unsupported(kernel: &Program, detail: String) -> HalError {
    HalError::Unsupported { operation: format!("kernel {}", kernel.name()).into(), detail }
}
