//! Kernels in a device's own language, over arrays.

use std::sync::Arc;

use situ_runtime::placement::{self, Placed, Rule};
use situ_runtime::{Access, Command, Event, RawArgument, RawKernel, RawLaunch};
use situ_types::Scalar;

use crate::submit::refuse_read_only;
use crate::{Error, Result, Tensor};

/// What a kernel is given for one of its parameters.
#[derive(Clone, Copy, Debug)]
pub enum RawArg<'a> {
    /// The address of an array's first element.
    Array(&'a Tensor),
    /// A number, by its value.
    Scalar(Scalar),
}

/// Blocks, their threads, and their memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawGeometry {
    /// Blocks along each axis, x first.
    pub grid: [u32; 3],
    /// Threads of a block along each axis.
    pub block: [u32; 3],
    /// Bytes of shared memory that a block has beside what the kernel declares.
    pub shared: u32,
}

/// Launches a kernel in its device's own language, CUDA C or OpenCL C, once these events are over; its own event.
///
/// It runs where its arrays are, under the rule of [`launch`](crate::launch), and may read and write all of them. Whether its
/// arguments are what it takes, and whether it stays inside of its arrays, is its author's concern.
///
/// ```
/// use std::sync::Arc;
/// use situ_runtime::RawKernel;
/// use situ_tensor::{RawArg, RawGeometry, Tensor, raw_launch};
///
/// let kernel = Arc::new(RawKernel::new("extern \"C\" __global__ void f(long long *x) { x[threadIdx.x] = 7; }", "f", &[]));
/// let x = Tensor::arange(4)?;
/// let geometry = RawGeometry { grid: [1; 3], block: [4, 1, 1], shared: 0 };
/// let launched = raw_launch(&kernel, geometry, &[RawArg::Array(&x)], &[]);
/// if let Err(error) = launched {
///     assert!(error.to_string().contains("CUDA"), "{error}");
/// }
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn raw_launch(
    kernel: &Arc<RawKernel>,
    geometry: RawGeometry,
    args: &[RawArg<'_>],
    after: &[Event],
) -> Result<Event> {
    let name = kernel.name();
    let arrays = || {
        args.iter().enumerate().filter_map(|(n, arg)| match arg {
            RawArg::Array(tensor) => Some((n, *tensor)),
            RawArg::Scalar(_) => None,
        })
    };
    let names: Vec<String> = arrays().map(|(n, _)| format!("argument {n}")).collect();
    let placed =
        arrays().zip(&names).map(|((_, tensor), name)| Placed { name, queue: tensor.queue(), kind: tensor.kind() });
    let (queue, _) = placement::resolve(name, placed, Rule::EquivalentQueue)?;
    let backend = queue.backend();
    if backend.language().is_none() {
        return Err(Error::Value(format!(
            "kernel {name} is a text for a device's own compiler, which devices of the backends cuda (CUDA C) and opencl \
             (OpenCL C) have; its arrays are on one of {backend}: move them with to_device, or write it in Python under \
             @situ.kernel, which every device runs"
        )));
    }
    if geometry.grid.contains(&0) || geometry.block.contains(&0) {
        let RawGeometry { grid, block, .. } = geometry;
        return Err(Error::Value(format!(
            "kernel {name}: a grid of {grid:?} blocks of {block:?} threads has no threads"
        )));
    }
    let mut accesses = Vec::new();
    for (n, tensor) in arrays() {
        refuse_read_only(&format!("kernel {name}, argument {n}"), tensor)?;
        accesses.push((tensor.contents()?, Access::Update));
    }
    let arguments = args.iter().map(|arg| match arg {
        RawArg::Array(tensor) => Ok(RawArgument::Address(tensor.address()?)),
        RawArg::Scalar(value) => Ok(RawArgument::Scalar(*value)),
    });
    let arguments = arguments.collect::<Result<_>>()?;
    let RawGeometry { grid, block, shared: local } = geometry;
    let launch = RawLaunch { kernel: kernel.clone(), grid, block, local, arguments };
    // SAFETY: the accesses name every array of the launch. That the kernel stays inside of them is its author's promise.
    Ok(unsafe { queue.submit(&Command::RawLaunch(Box::new(launch)), &accesses, after) }?)
}
