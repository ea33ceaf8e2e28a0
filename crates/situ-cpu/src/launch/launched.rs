//! A launch that is being carried out, as all threads see it.

use std::sync::Mutex;

use situ_hal::{Launch, LaunchArgument};
use situ_ir::kernel::{ArrayLayout, Fault, MAX_AXES, NdRange, Parameter, Space};
use smallvec::SmallVec;

use super::Interrupted;
use super::plan::Plan;
use crate::isa::Isa;

/// An array of a launch.
#[derive(Clone, Debug)]
pub(super) struct ArrayPlace {
    pub(super) at: *mut u8,
    pub(super) space: Space,
    /// Bytes of an element.
    pub(super) width: usize,
    pub(super) shape: SmallVec<[usize; 4]>,
    pub(super) strides: SmallVec<[isize; 4]>,
    /// How many elements it has.
    pub(super) size: usize,
    /// Memory from here to there, in elements from the first one, is the array's.
    pub(super) low: isize,
    pub(super) high: isize,
    /// Whether it is a thread's copy of zeros, to be added to the array.
    pub(super) is_copy: bool,
}

impl ArrayPlace {
    fn new(at: *mut u8, space: Space, width: usize, layout: &ArrayLayout) -> ArrayPlace {
        let (mut low, mut high) = (0, 1);
        for (&length, &stride) in layout.shape.iter().zip(&layout.strides) {
            let reach = stride * (length as isize - 1);
            (low, high) = (low + reach.min(0), high + reach.max(0));
        }
        if layout.size() == 0 {
            (low, high) = (0, 0);
        }
        let (shape, strides) = (layout.shape.clone(), layout.strides.clone());
        ArrayPlace { at, space, width, shape, strides, size: layout.size(), low, high, is_copy: false }
    }
}

/// A launch and what is made of it.
pub(super) struct Launched<'a> {
    pub(super) plan: &'a Plan,
    pub(super) range: &'a NdRange,
    /// Work-items of a group along each axis.
    pub(super) local: [usize; MAX_AXES],
    /// Whether blocks are groups: somebody would notice otherwise.
    pub(super) is_grouped: bool,
    pub(super) arrays: Vec<ArrayPlace>,
    /// The bytes of numbers, by parameter.
    pub(super) numbers: Vec<[u8; 16]>,
    pub(super) isa: Isa,
    /// Whether other threads work on the launch at the same time.
    pub(super) is_shared: bool,
    /// Whether results are better off in memory than in the caches.
    pub(super) streams: bool,
    pub(super) is_interrupted: Interrupted<'a>,
    /// The fault of the first block that has one.
    pub(super) fault: Mutex<Option<(usize, Fault)>>,
}

// SAFETY: the arrays are memory that whoever launches a kernel lets it use on any thread.
unsafe impl Sync for Launched<'_> {}

impl<'a> Launched<'a> {
    pub(super) fn new(command: &'a Launch, plan: &'a Plan, isa: Isa, is_interrupted: Interrupted<'a>) -> Launched<'a> {
        let kernel = &*command.kernel;
        let nowhere = std::ptr::null_mut();
        let mut arrays: Vec<ArrayPlace> = (kernel.arrays().iter())
            .map(|info| {
                let layout = ArrayLayout::dense(info.shape.as_deref().unwrap_or_default());
                ArrayPlace::new(nowhere, info.space, info.dtype.size(), &layout)
            })
            .collect();
        let mut numbers = vec![[0; 16]; kernel.parameters().len()];
        for (n, (parameter, argument)) in kernel.parameters().iter().zip(&command.arguments).enumerate() {
            match (parameter, argument) {
                (Parameter::Array(array), LaunchArgument::Array(address, layout)) => {
                    let place = &mut arrays[array.index()];
                    *place = ArrayPlace::new(address.0, place.space, place.width, layout);
                }
                (Parameter::Array(array), LaunchArgument::Local(layout)) => {
                    let place = &mut arrays[array.index()];
                    *place = ArrayPlace::new(nowhere, place.space, place.width, layout);
                }
                (_, LaunchArgument::Scalar(value)) => numbers[n] = value.to_bytes(),
                (Parameter::Scalar(..), _) => debug_assert!(false, "an array is given for a number"),
            }
        }
        let has_local = kernel.arrays().iter().any(|info| info.space == Space::Local);
        Launched {
            plan,
            range: &command.range,
            local: command.range.local().unwrap_or([1; MAX_AXES]),
            is_grouped: kernel.has_barriers() || has_local || plan.has_sub_groups(),
            arrays,
            numbers,
            isa,
            is_shared: false,
            streams: false,
            is_interrupted,
            fault: Mutex::new(None),
        }
    }

    /// Notes a block's fault; that of the earliest block counts.
    pub(super) fn report(&self, block: usize, fault: Fault) {
        if let Ok(mut first) = self.fault.lock()
            && first.is_none_or(|(earlier, _)| block < earlier)
        {
            *first = Some((block, fault));
        }
    }
}
