//! How a transfer is divided among threads.

use situ_hal::Indexed;
use smallvec::SmallVec;

/// The axis whose positions can be visited in any order, if there is one that is long enough to be divided.
///
/// For a gather that is any axis. For a scatter it is one along which the array itself moves, if all its elements are
/// apart: what differs there then goes to different places, and the order along the other axes stays.
pub(super) fn free_axis(command: &Indexed, writes_array: bool) -> Option<usize> {
    if writes_array && !is_injective(command) {
        return None;
    }
    let is_free = |axis: &usize| !writes_array || command.array.strides[*axis] != 0;
    let lengths = (0..command.shape.len()).filter(is_free).filter(|&axis| command.shape[axis] > 1);
    // Of equal ones the outermost, whose parts are furthest from each other.
    lengths.rev().max_by_key(|&axis| command.shape[axis])
}

/// Whether different positions along the array's axes are different elements, as far as can be seen from the steps:
/// each leads beyond everything that the smaller ones reach together.
fn is_injective(command: &Indexed) -> bool {
    let own = command.shape.iter().zip(&command.array.strides).filter(|(_, step)| **step != 0);
    let own = own.map(|(&length, step)| (step.unsigned_abs(), length));
    let indexed = command.indices.iter().map(|operand| (operand.step.unsigned_abs(), operand.length));
    let mut axes: SmallVec<[(usize, usize); 8]> = own.chain(indexed).filter(|(_, length)| *length > 1).collect();
    axes.sort_unstable();
    let mut reach = 0;
    axes.into_iter().all(|(step, length)| {
        let apart = step > reach;
        reach += step * (length - 1);
        apart
    })
}
