//! Elements by index and by mask.

use std::ptr;

use situ_codegen::Dialect;
use situ_codegen::indexing::{self as kernels, Indices, Mode, Room, Strided, Transfer, Work};
use situ_hal::{
    Address, HalError, IndexCheck, IndexMode, Indexed, MaskCount, MaskExpand, MaskSelect, Result, Strided as Operand,
    Taken, Values,
};
use smallvec::SmallVec;

use crate::copy::{copy, fill};
use crate::launch::{Arguments, launch};
use crate::module::Purpose;
use crate::scratch::Scratch;
use crate::stream::Stream;

/// What a kernel is given for an operand.
#[derive(Clone, Copy, Debug)]
enum Given {
    Memory(Address),
    Value([u8; 16]),
}

/// Elements of an array to one place after another.
///
/// # Safety
///
/// Every address in the command is valid for its access until the stream has come past it. The device has been entered.
pub(crate) unsafe fn gather(stream: &Stream, scratch: &Scratch, command: &Indexed) -> Result<()> {
    // SAFETY: passed on from the caller.
    unsafe { transfer(stream, scratch, command, &Ways { direct: kernels::gather, by_bins: kernels::gather_by_bins }) }
}

/// Elements one after another to places of an array.
///
/// # Safety
///
/// As for [`gather`].
pub(crate) unsafe fn scatter(stream: &Stream, scratch: &Scratch, command: &Indexed) -> Result<()> {
    // SAFETY: passed on from the caller.
    unsafe { transfer(stream, scratch, command, &Ways { direct: kernels::scatter, by_bins: kernels::scatter_by_bins }) }
}

/// How many elements are worth sorting; measured on an H200.
const WORTH_SORTING: usize = 1 << 24;

/// What part of a device's memory a queue may keep for sorting.
const SORTING_SHARE: u64 = 128;

/// The two ways to move elements by index.
struct Ways {
    direct: fn(&Transfer<'_>) -> Work,
    by_bins: fn(&Transfer<'_>, Room) -> Option<Work>,
}

/// # Safety
///
/// As for [`gather`].
unsafe fn transfer(stream: &Stream, scratch: &Scratch, command: &Indexed, ways: &Ways) -> Result<()> {
    if let Some(halved) = halved(command) {
        // SAFETY: the same memory, for which the caller vouches.
        return unsafe { transfer(stream, scratch, &halved, ways) };
    }
    let indices: SmallVec<[Indices<'_>; 2]> = command
        .indices
        .iter()
        .map(|operand| Indices {
            indices: strided(&operand.indices),
            dtype: operand.dtype,
            length: operand.length,
            step: operand.step,
            mode: match operand.mode {
                IndexMode::Checked => Mode::Checked,
                IndexMode::Wrap => Mode::Wrap,
                IndexMode::Clip => Mode::Clip,
            },
            verdict: operand.verdict.is_some(),
        })
        .collect();
    let transfer = Transfer {
        shape: &command.shape,
        width: command.width,
        array: strided(&command.array),
        elements: strided(&command.elements),
        indices: &indices,
    };
    let mut operands: SmallVec<[Given; 6]> = SmallVec::new();
    operands.extend([command.array.address, command.elements.address].map(Given::Memory));
    operands.extend(command.indices.iter().map(|operand| Given::Memory(operand.indices.address)));
    let nowhere = Address(ptr::null_mut());
    operands.extend(command.indices.iter().map(|operand| Given::Memory(operand.verdict.unwrap_or(nowhere))));
    let info = &stream.device.facts.info;
    let room = Room {
        // Scratch memory comes in powers of two.
        scratch: (info.global_mem_size / SORTING_SHARE).checked_ilog2().map_or(0, |digits| 1 << digits),
        cache: info.global_mem_cache_size as usize,
        least: WORTH_SORTING,
    };
    if let Some(work) = (ways.by_bins)(&transfer, room) {
        // SAFETY: the work is the command's, for which the caller vouches; what has no verdict is not asked for one.
        match unsafe { run(stream, scratch, &work, &operands) } {
            // Somebody else needs the memory. Whatever has been moved is moved again.
            Err(HalError::OutOfMemory { .. }) => {}
            done => return done,
        }
    }
    // SAFETY: as above.
    unsafe { run(stream, scratch, &(ways.direct)(&transfer), &operands) }
}

/// The same command with elements of 8 bytes, two for one, if some do not lie at multiples of 16, as kernels want those
/// of 16 bytes to. Positions in verdicts then count halves.
fn halved(command: &Indexed) -> Option<Indexed> {
    let (array, elements) = (command.array.address.value(), command.elements.address.value());
    if command.width != 16 || (array | elements).is_multiple_of(16) {
        return None;
    }
    let mut halved = Indexed { width: 8, ..command.clone() };
    halved.shape.push(2);
    for operand in [&mut halved.array, &mut halved.elements] {
        operand.strides.iter_mut().for_each(|step| *step *= 2);
        operand.strides.push(1);
    }
    for operand in &mut halved.indices {
        operand.indices.strides.push(0);
        operand.step *= 2;
    }
    Some(halved)
}

/// Whether indices lie in their axes.
///
/// # Safety
///
/// As for [`gather`].
pub(crate) unsafe fn check(stream: &Stream, scratch: &Scratch, command: &IndexCheck) -> Result<()> {
    let work = kernels::check(&command.shape, strided(&command.indices), command.dtype, command.length);
    let operands = [command.indices.address, command.verdict].map(Given::Memory);
    // SAFETY: the work is the command's, for which the caller vouches.
    unsafe { run(stream, scratch, &work, &operands) }
}

/// How much of a mask is true.
///
/// # Safety
///
/// As for [`gather`].
pub(crate) unsafe fn count(stream: &Stream, scratch: &Scratch, command: &MaskCount) -> Result<()> {
    let work = kernels::count(&command.shape, strided(&command.mask));
    // SAFETY: the work is the command's, for which the caller vouches.
    unsafe { run(stream, scratch, &work, &[command.mask.address, command.count].map(Given::Memory)) }
}

/// What lies where a mask is true.
///
/// # Safety
///
/// As for [`gather`].
pub(crate) unsafe fn select(stream: &Stream, scratch: &Scratch, command: &MaskSelect) -> Result<()> {
    let mut operands: SmallVec<[Given; 3]> =
        SmallVec::from_iter([command.mask.address, command.out].map(Given::Memory));
    let taken = match &command.taken {
        Taken::Elements { array, width } => {
            operands.push(Given::Memory(array.address));
            kernels::Taken::Elements { array: strided(array), width: *width }
        }
        Taken::Coordinates(dims) => kernels::Taken::Coordinates(dims),
    };
    let work = kernels::select(&command.shape, strided(&command.mask), taken, command.capacity);
    // SAFETY: the work is the command's, for which the caller vouches; coordinates need no array.
    unsafe { run(stream, scratch, &work, &operands) }
}

/// Values to where a mask is true.
///
/// # Safety
///
/// As for [`gather`].
pub(crate) unsafe fn expand(stream: &Stream, scratch: &Scratch, command: &MaskExpand) -> Result<()> {
    let (values, given) = match command.values {
        Values::Immediate(value) => (kernels::Values::Immediate, Given::Value(value)),
        Values::Cycled { address, stride, length } => {
            (kernels::Values::Cycled { stride, length }, Given::Memory(address))
        }
    };
    let (mask, array) = (strided(&command.mask), strided(&command.array));
    let work = kernels::expand(&command.shape, mask, array, command.width, values);
    let operands = [Given::Memory(command.mask.address), given, Given::Memory(command.array.address)];
    // SAFETY: the work is the command's, for which the caller vouches.
    unsafe { run(stream, scratch, &work, &operands) }
}

fn strided(operand: &Operand) -> Strided<'_> {
    Strided { address: operand.address.value(), strides: &operand.strides }
}

/// Does what a command comes to.
///
/// # Safety
///
/// The operands are those the work speaks of, and valid for what it does with them until the stream has come past it.
/// The device has been entered.
unsafe fn run(stream: &Stream, scratch: &Scratch, work: &Work, operands: &[Given]) -> Result<()> {
    if work.launches.is_empty() {
        return Ok(());
    }
    scratch.with(stream, work.scratch, |room| {
        let at = |bytes: usize| Address((room as usize + bytes) as *mut u8);
        for (start, table) in &work.tables {
            let table_at = Address(table.as_ptr().cast_mut().cast());
            // SAFETY: the work asked for the room, and what is copied from ordinary memory has been read when the call
            // returns.
            unsafe { copy(stream, at(*start), table_at, size_of_val(&table[..])) }?;
        }
        // SAFETY: the work asked for the room.
        unsafe { fill(stream, at(0), [0; 16], 1, work.zeroed) }?;
        let device = &stream.device;
        for planned in &work.launches {
            let purpose = Purpose::Indexing(planned.kernel.clone());
            let kernel = device.modules.kernel(device, &purpose, || planned.kernel.emit(Dialect::Cuda))?;
            let mut arguments = Arguments::default();
            arguments.extend(&planned.arguments, room, |arguments, n, bytes| match operands[n] {
                Given::Memory(address) => arguments.push_address(address.offset(bytes)),
                Given::Value(value) => arguments.push_value(value),
            });
            // SAFETY: the arguments are the kernel's own, and it reaches what the caller vouches for.
            unsafe { launch(stream, kernel, [planned.grid, 1, 1], [planned.block, 1, 1], &mut arguments) }?;
        }
        Ok(())
    })
}
