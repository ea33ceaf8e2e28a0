//! The memory of a group, in which its arrays lie.

use situ_hal::{Launch, LaunchArgument};
use situ_ir::kernel::{ArrayInfo, Kernel, Space};
use smallvec::SmallVec;

use super::given_arrays;

/// The most bytes that a text may declare; more than that is asked for at the launch.
const DECLARED: usize = 48 << 10;

/// Where arrays begin is a multiple of this.
const ALIGNMENT: usize = 16;

/// What a launch needs for each of its groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LocalMemory {
    /// Where each array begins, by number, if the memory is asked for at the launch.
    pub(super) offsets: SmallVec<[usize; 8]>,
    /// Bytes in all.
    pub(super) bytes: usize,
    /// Bytes that are asked for at the launch.
    pub(super) dynamic: u32,
}

impl LocalMemory {
    pub(super) fn of(command: &Launch) -> LocalMemory {
        let kernel = &*command.kernel;
        if !kernel.arrays().iter().any(is_local) {
            return LocalMemory::default();
        }
        let (mut offsets, mut bytes) = own_offsets(kernel);
        for (array, argument) in given_arrays(command) {
            if let LaunchArgument::Local(layout) = argument {
                offsets[array.index()] = bytes;
                let size = layout.size().saturating_mul(kernel.array(array).dtype.size());
                bytes = bytes.saturating_add(size).next_multiple_of(ALIGNMENT);
            }
        }
        let dynamic = if is_dynamic(kernel) { u32::try_from(bytes).unwrap_or(u32::MAX) } else { 0 };
        LocalMemory { offsets, bytes, dynamic }
    }
}

fn is_local(info: &ArrayInfo) -> bool {
    info.space == Space::Local
}

/// Bytes of an array whose shape the kernel says.
fn own_bytes(info: &ArrayInfo) -> usize {
    let elements: usize = info.shape.iter().flatten().product();
    (elements * info.dtype.size()).next_multiple_of(ALIGNMENT)
}

/// Where the group's arrays begin whose shapes the kernel says, by number, and where they end.
pub(super) fn own_offsets(kernel: &Kernel) -> (SmallVec<[usize; 8]>, usize) {
    let mut end = 0;
    let offsets = kernel.arrays().iter().map(|info| {
        let begin = end;
        if is_local(info) && info.shape.is_some() {
            end += own_bytes(info);
        }
        begin
    });
    (offsets.collect(), end)
}

/// Whether the memory is asked for at the launch: its size is not known before, or more than can be declared.
pub(super) fn is_dynamic(kernel: &Kernel) -> bool {
    kernel.arrays().iter().any(|info| is_local(info) && info.shape.is_none()) || own_offsets(kernel).1 > DECLARED
}
