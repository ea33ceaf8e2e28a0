//! From a command to work.

use std::sync::LazyLock;

use situ_hal::{Address, Command, Elementwise, HalError, ProgramRef, Result};
use situ_ir::Program;
use situ_types::DType;
use smallvec::smallvec;

use crate::{DeviceLimits, Work, arrange, elementwise, indexing, launch, linalg, order, product, random, raw, reduce};

/// What a command comes to on a device. Without any launch there is nothing to do.
///
/// Commands that need no kernel (copies, hints, order) are a driver's own business, and refused.
pub fn work_for(command: &Command, limits: &DeviceLimits) -> Result<Work> {
    Ok(match command {
        Command::Elementwise(command) => elementwise::plan(command, limits)?,
        &Command::Fill { dst, pattern, width, count } => elementwise::plan(&fill(dst, pattern, width, count), limits)?,
        Command::Gather(command) => indexing::transfer(command, false, limits),
        Command::Scatter(command) => indexing::transfer(command, true, limits),
        Command::IndexCheck(command) => indexing::index_check(command),
        Command::MaskCount(command) => indexing::mask_count(command),
        Command::MaskSelect(command) => indexing::mask_select(command),
        Command::MaskExpand(command) => indexing::mask_expand(command),
        Command::Join(command) => arrange::join(command),
        Command::Repeat(command) => arrange::repeat(command, limits)?,
        Command::Reduce(command) => reduce::reduce(command, limits)?,
        Command::Scan(command) => reduce::scan(command)?,
        Command::Sort(command) => order::sort(command, limits),
        Command::Search(command) => order::search(command),
        Command::RunCount(command) => order::run_count(command),
        Command::RunSelect(command) => order::run_select(command),
        Command::Product(command) => product::product(command),
        Command::Random(command) => random::random(command),
        Command::Launch(command) => launch::plan(command, limits)?,
        Command::RawLaunch(command) => raw::plan(command, limits)?,
        Command::Linalg(problem) => {
            linalg::small_matrices(problem).ok_or_else(|| HalError::no_library(command.name()))?
        }
        Command::Fft(_) => return Err(HalError::no_library(command.name())),
        Command::Barrier
        | Command::Marker
        | Command::Copy { .. }
        | Command::Prefetch { .. }
        | Command::Advise { .. } => {
            let detail = "no kernel does this; the driver has functions for it".into();
            return Err(HalError::Unsupported { operation: command.name(), detail });
        }
    })
}

/// A pattern, repeated, as a program that copies a value.
fn fill(dst: Address, pattern: [u8; 16], width: usize, count: usize) -> Elementwise {
    let mut command = Elementwise::new(copy(width), smallvec![count]);
    command.push_immediate(pattern);
    command.push_memory(dst, &[1]);
    command
}

/// The program that copies elements of so many bytes.
pub(crate) fn copy(width: usize) -> ProgramRef {
    const DTYPES: [DType; 5] = [DType::U8, DType::U16, DType::U32, DType::U64, DType::C128];
    static COPIES: LazyLock<[Program; 5]> = LazyLock::new(|| DTYPES.map(|dtype| Program::convert(dtype, dtype)));
    ProgramRef::Static(&COPIES[(width.trailing_zeros() as usize).min(DTYPES.len() - 1)])
}
