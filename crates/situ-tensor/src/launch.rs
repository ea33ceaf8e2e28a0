//! Kernels that users write, over arrays.

use std::sync::Arc;

use situ_ir::kernel::{ArrayInfo, ArrayLayout, Fault, Kernel, NdRange, Parameter, REPORT_WORDS, Space};
use situ_runtime::placement::{self, Placed, Rule};
use situ_runtime::{Access, Command, Event, Launch, LaunchArgument, Queue};
use situ_types::{Order, Scalar, UsmKind};

use crate::submit::refuse_read_only;
use crate::{Error, Result, Tensor};

/// What a kernel is given for one of its parameters.
#[derive(Clone, Copy, Debug)]
pub enum KernelArg<'a> {
    /// An array.
    Array(&'a Tensor),
    /// A number.
    Scalar(Scalar),
    /// The shape of an array that each work-group has.
    Local(&'a [usize]),
}

/// Launches a kernel over a range, once these events are over; its own event.
///
/// It runs where its arrays are. They may be on different queues that are equivalent: those of one context and device,
/// with the same properties. A kernel that has reports is waited for, and what it reports first is an error.
///
/// ```
/// use std::sync::Arc;
/// use situ_ir::Op;
/// use situ_ir::kernel::{KernelBuilder, NdRange, Position};
/// use situ_tensor::{KernelArg, Tensor, launch};
/// use situ_types::DType;
///
/// let mut k = KernelBuilder::new("double", 1)?;
/// let x = k.array("x", DType::I64, 1)?;
/// let i = k.position(Position::GlobalId, 0)?;
/// let element = k.load(x, &[i])?;
/// let twice = k.apply(Op::Add, &[element, element])?;
/// k.store(x, &[i], twice)?;
/// let double = Arc::new(k.finish()?);
///
/// let x = Tensor::arange(4)?;
/// launch(&double, &NdRange::new(&[4], None)?, &[KernelArg::Array(&x)], &[])?;
/// assert_eq!(x.to_vec::<i64>()?, [0, 2, 4, 6]);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
pub fn launch(kernel: &Arc<Kernel>, range: &NdRange, args: &[KernelArg<'_>], after: &[Event]) -> Result<Event> {
    let launched = begin_launch(kernel, range, args, after)?;
    launched.reported(kernel, range)?;
    Ok(launched.event)
}

/// A kernel that has been launched, and what it may report.
#[derive(Debug)]
pub struct Launched {
    /// The launch's own event.
    pub event: Event,
    report: Option<Tensor>,
}

impl Launched {
    /// Whether somebody has to wait for a report.
    pub fn has_report(&self) -> bool {
        self.report.is_some()
    }

    /// Waits for the launch if it reports anything; what it reports first is an error.
    pub fn reported(&self, kernel: &Kernel, range: &NdRange) -> Result<()> {
        let Some(report) = &self.report else { return Ok(()) };
        self.event.wait()?;
        let mut words = [0; REPORT_WORDS];
        for (i, word) in words.iter_mut().enumerate() {
            *word = report.answered(i)?;
        }
        match Fault::from_words(words) {
            Some(fault) => Err(Error::Fault(fault.describe(kernel, range))),
            None => Ok(()),
        }
    }
}

/// [`launch`] without waiting for what the kernel reports, for callers who have their own way to wait.
pub fn begin_launch(
    kernel: &Arc<Kernel>,
    range: &NdRange,
    args: &[KernelArg<'_>],
    after: &[Event],
) -> Result<Launched> {
    let name = kernel.name();
    range.suits(kernel)?;
    if args.len() != kernel.parameters().len() {
        let wanted = kernel.parameters().len();
        return Err(Error::Type(format!("kernel {name} takes {wanted} arguments, not {}", args.len())));
    }
    let given = || kernel.parameters().iter().zip(args);
    given().try_for_each(|(parameter, arg)| fits(kernel, parameter, arg))?;
    let arrays = given().filter_map(|(parameter, arg)| match (parameter, arg) {
        (Parameter::Array(array), KernelArg::Array(tensor)) => Some((kernel.array(*array), *tensor)),
        _ => None,
    });
    let placed =
        arrays.clone().map(|(info, tensor)| Placed { name: &info.name, queue: tensor.queue(), kind: tensor.kind() });
    let (queue, _) = placement::resolve(name, placed, Rule::EquivalentQueue)?;
    let mut accesses = Vec::with_capacity(args.len() + 1);
    for (info, tensor) in arrays {
        if info.is_written {
            refuse_read_only(&format!("kernel {name}, argument {}", info.name), tensor)?;
        }
        accesses.push((tensor.contents()?, if info.is_written { Access::Update } else { Access::Read }));
    }
    if range.count() == 0 {
        return Ok(Launched { event: queue.barrier(Some(after))?, report: None });
    }
    has_room(kernel, range, args, queue)?;
    let arguments = args.iter().map(argument).collect::<Result<_>>()?;
    let report = if kernel.reports().is_empty() { None } else { Some(no_report(queue)?) };
    if let Some(report) = &report {
        accesses.push((report.contents()?, Access::Update));
    }
    let address = report.as_ref().map(Tensor::address).transpose()?;
    let launch = Launch { kernel: kernel.clone(), range: *range, arguments, report: address };
    // SAFETY: the accesses name every array of the launch. That the kernel stays inside of them is its author's promise, or
    // is seen to by its guards.
    let event = unsafe { queue.submit(&Command::Launch(Box::new(launch)), &accesses, after) }?;
    Ok(Launched { event, report })
}

/// Bytes of private arrays that a group's work-items may have together.
const GROUP_PRIVATE: usize = 256 << 20;

/// An error unless a group fits a device: its work-items, their private arrays, and its local ones.
fn has_room(kernel: &Kernel, range: &NdRange, args: &[KernelArg<'_>], queue: &Queue) -> Result<()> {
    let (name, info) = (kernel.name(), queue.device().info());
    let items = range.local().map_or(1, |local| local.iter().product());
    let largest = usize::try_from(info.max_work_group_size).unwrap_or(usize::MAX);
    if items > largest {
        let device = queue.device().label();
        return Err(Error::Value(format!(
            "kernel {name}: a group of {items} work-items is too large for {device}, which has room for {largest}; make the \
             groups of the NdRange smaller"
        )));
    }
    let given = kernel.parameters().iter().zip(args).filter_map(|(parameter, arg)| match (parameter, arg) {
        (Parameter::Array(array), KernelArg::Local(shape)) => Some((kernel.array(*array), *shape)),
        _ => None,
    });
    let own = kernel.arrays().iter().filter_map(|info| Some((info, info.shape.as_deref()?)));
    let (mut local, mut private) = (Some(0), Some(0));
    for (array, shape) in given.chain(own) {
        let bytes = shape.iter().try_fold(array.dtype.size(), |bytes, &length| bytes.checked_mul(length));
        let sum = if array.space == Space::Private { &mut private } else { &mut local };
        *sum = sum.zip(bytes).and_then(|(sum, bytes): (usize, usize)| sum.checked_add(bytes));
    }
    let limits = [
        ("local", local, usize::try_from(info.local_mem_size).unwrap_or(usize::MAX)),
        ("private", private.and_then(|bytes| bytes.checked_mul(items)), GROUP_PRIVATE),
    ];
    for (kind, bytes, limit) in limits {
        if bytes.is_none_or(|bytes| bytes > limit) {
            let bytes = bytes.map_or("very many".into(), |bytes| bytes.to_string());
            let device = queue.device().label();
            return Err(Error::Value(format!(
                "kernel {name}: the {kind} arrays of a group take {bytes} bytes, and {device} has room for {limit}; make \
                 them, or the groups, smaller"
            )));
        }
    }
    Ok(())
}

/// Memory of the host for a report, with nothing reported.
fn no_report(queue: &Queue) -> Result<Tensor> {
    Tensor::full(&[REPORT_WORDS], Scalar::I64(0), Order::C, UsmKind::Host, queue)
}

fn argument(arg: &KernelArg<'_>) -> Result<LaunchArgument> {
    Ok(match arg {
        KernelArg::Array(tensor) => {
            let layout = tensor.layout();
            let layout = ArrayLayout { shape: layout.shape().into(), strides: layout.strides().into() };
            LaunchArgument::Array(tensor.address()?, layout)
        }
        KernelArg::Scalar(value) => LaunchArgument::Scalar(*value),
        KernelArg::Local(shape) => LaunchArgument::Local(ArrayLayout::dense(shape)),
    })
}

/// An error unless an argument is what a parameter asks for.
fn fits(kernel: &Kernel, parameter: &Parameter, arg: &KernelArg<'_>) -> Result<()> {
    let refuse = |name: &str, wanted: String, given: String| {
        Err(Error::Type(format!("kernel {}: argument {name} must be {wanted}, not {given}", kernel.name())))
    };
    let described = |info: &ArrayInfo| format!("an array of {} with {} axes", info.dtype, info.ndim);
    match (parameter, arg) {
        (Parameter::Array(array), KernelArg::Array(tensor)) => {
            let info = kernel.array(*array);
            if info.space == Space::Global && info.dtype == tensor.dtype() && info.ndim == tensor.layout().ndim() {
                return Ok(());
            }
            let (dtype, ndim) = (tensor.dtype(), tensor.layout().ndim());
            refuse(&info.name, described(info), format!("one of {dtype} with {ndim}"))
        }
        (Parameter::Array(array), KernelArg::Local(shape)) => {
            let info = kernel.array(*array);
            if info.space == Space::Local && info.ndim == shape.len() {
                return Ok(());
            }
            refuse(&info.name, described(info), format!("a local one with {} axes", shape.len()))
        }
        (Parameter::Array(array), KernelArg::Scalar(value)) => {
            let info = kernel.array(*array);
            refuse(&info.name, described(info), format!("a number of {}", value.dtype()))
        }
        (Parameter::Scalar(value, name), KernelArg::Scalar(given)) => {
            if given.dtype() == kernel.dtype(*value) {
                return Ok(());
            }
            refuse(name, format!("a number of {}", kernel.dtype(*value)), given.dtype().to_string())
        }
        (Parameter::Scalar(value, name), _) => {
            refuse(name, format!("a number of {}", kernel.dtype(*value)), "an array".into())
        }
    }
}
