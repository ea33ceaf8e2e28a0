//! Indexing commands, one element after another: what they mean, in the fewest words.

use std::ptr;

use situ_types::DType;

use crate::{
    IndexCheck, IndexMode, IndexOperand, Indexed, MaskCount, MaskExpand, MaskSelect, Repeat, Strided, Taken, Times,
    Values,
};

/// Which way elements go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    FromArray,
    ToArray,
}

/// # Safety
///
/// As for [`perform`](super::queue::perform).
pub(super) unsafe fn transfer(command: &Indexed, way: Way) {
    for operand in &command.indices {
        let Some(verdict) = operand.verdict else { continue };
        let (shape, indices) = (command.shape.clone(), operand.indices.clone());
        // SAFETY: passed on from the caller.
        unsafe { check(&IndexCheck { shape, indices, dtype: operand.dtype, length: operand.length, verdict }) };
    }
    for_each(&command.shape, |_, index| {
        let mut place = at(&command.array, index, command.width);
        for operand in &command.indices {
            // SAFETY: the caller vouches for every index of the iteration space.
            let value = unsafe { read_index(at(&operand.indices, index, operand.dtype.size()), operand.dtype) };
            place = place.wrapping_offset(resolve(operand, value) * operand.step * command.width as isize);
        }
        let element = at(&command.elements, index, command.width);
        let (from, to) = if way == Way::FromArray { (place, element) } else { (element, place) };
        // SAFETY: the caller vouches for both operands, which do not overlap; a resolved index lies in its axis.
        unsafe { ptr::copy_nonoverlapping(from, to, command.width) };
    });
}

/// # Safety
///
/// As for [`perform`](super::queue::perform).
pub(super) unsafe fn check(command: &IndexCheck) {
    let mut verdict = [-1, 0];
    let length = command.length as i128;
    for_each(&command.shape, |position, index| {
        // SAFETY: the caller vouches for every index of the iteration space.
        let value = unsafe { read_index(at(&command.indices, index, command.dtype.size()), command.dtype) };
        if verdict[0] < 0 && !(-length..length).contains(&value) {
            verdict = [position as i64, value as i64];
        }
    });
    // SAFETY: the caller vouches for the place of the answer.
    unsafe { command.verdict.0.cast::<[i64; 2]>().write_unaligned(verdict) };
}

/// # Safety
///
/// As for [`perform`](super::queue::perform).
pub(super) unsafe fn count(command: &MaskCount) {
    let mut count = 0i64;
    // SAFETY: the caller vouches for the mask.
    for_each(&command.shape, |_, index| count += i64::from(unsafe { *at(&command.mask, index, 1) } != 0));
    // SAFETY: the caller vouches for the place of the answer.
    unsafe { command.count.0.cast::<i64>().write_unaligned(count) };
}

/// # Safety
///
/// As for [`perform`](super::queue::perform).
pub(super) unsafe fn select(command: &MaskSelect) {
    let mut kept = 0;
    for_each(&command.shape, |position, index| {
        // SAFETY: the caller vouches for the mask.
        if kept == command.capacity || unsafe { *at(&command.mask, index, 1) } == 0 {
            return;
        }
        match &command.taken {
            Taken::Elements { array, width } => {
                let to = command.out.0.wrapping_add(kept * width);
                // SAFETY: the caller vouches for the array, and for room for `capacity` elements.
                unsafe { ptr::copy_nonoverlapping(at(array, index, *width), to, *width) };
            }
            Taken::Coordinates(dims) => {
                let mut rest = position;
                for (axis, &length) in dims.iter().enumerate().rev() {
                    let to = command.out.0.cast::<i64>().wrapping_add(axis * command.capacity + kept);
                    // SAFETY: the caller vouches for room for `capacity` integers per axis.
                    unsafe { to.write_unaligned((rest % length) as i64) };
                    rest /= length;
                }
            }
        }
        kept += 1;
    });
}

/// # Safety
///
/// As for [`perform`](super::queue::perform).
pub(super) unsafe fn expand(command: &MaskExpand) {
    let mut used = 0;
    for_each(&command.shape, |_, index| {
        // SAFETY: the caller vouches for the mask.
        if unsafe { *at(&command.mask, index, 1) } == 0 {
            return;
        }
        let from = match &command.values {
            Values::Immediate(bytes) => bytes.as_ptr(),
            Values::Cycled { address, stride, length } => {
                address.0.wrapping_offset((used % length) as isize * stride * command.width as isize)
            }
        };
        // SAFETY: the caller vouches for values and array, which do not overlap.
        unsafe { ptr::copy_nonoverlapping(from, at(&command.array, index, command.width), command.width) };
        used += 1;
    });
}

/// # Safety
///
/// As for [`perform`](super::queue::perform).
pub(super) unsafe fn repeat(command: &Repeat) {
    let last = command.shape.len() - 1;
    let end = |i: usize| match command.times {
        Times::Every(count) => (i + 1) * count,
        Times::Each { ends, total } => {
            // SAFETY: the caller vouches for an integer per position of the axis.
            unsafe { ends.0.cast::<i64>().add(i).read_unaligned() }.clamp(0, total as i64) as usize
        }
    };
    for_each(&command.shape, |_, index| {
        let from = at(&command.source, index, command.width);
        let mut to = index.to_vec();
        for position in index[last].checked_sub(1).map_or(0, end)..end(index[last]) {
            to[last] = position;
            // SAFETY: the caller vouches for both operands, which do not overlap, up to the total.
            unsafe { ptr::copy_nonoverlapping(from, at(&command.target, &to, command.width), command.width) };
        }
    });
}

/// Visits a shape in C order, with the position and the index of each element.
pub(super) fn for_each(shape: &[usize], mut visit: impl FnMut(usize, &[usize])) {
    let mut index = vec![0; shape.len()];
    for position in 0..shape.iter().product() {
        visit(position, &index);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}

fn at(operand: &Strided, index: &[usize], width: usize) -> *mut u8 {
    let steps: isize = index.iter().zip(&operand.strides).map(|(&i, step)| i as isize * step).sum();
    operand.address.0.wrapping_offset(steps * width as isize)
}

/// # Safety
///
/// An integer of that dtype can be read from there.
unsafe fn read_index(from: *const u8, dtype: DType) -> i128 {
    macro_rules! read {
        ($type:ty) => {{
            // SAFETY: the caller's promise.
            unsafe { from.cast::<$type>().read_unaligned() as i128 }
        }};
    }
    match dtype {
        DType::I8 => read!(i8),
        DType::I16 => read!(i16),
        DType::I32 => read!(i32),
        DType::U8 => read!(u8),
        DType::U16 => read!(u16),
        DType::U32 => read!(u32),
        DType::U64 => read!(u64),
        _ => read!(i64),
    }
}

fn resolve(operand: &IndexOperand, index: i128) -> isize {
    let length = operand.length as i128;
    let inside = match operand.mode {
        IndexMode::Checked => (if index < 0 { index + length } else { index }).clamp(0, length - 1),
        IndexMode::Wrap => index.rem_euclid(length),
        IndexMode::Clip => index.clamp(0, length - 1),
    };
    inside as isize
}
