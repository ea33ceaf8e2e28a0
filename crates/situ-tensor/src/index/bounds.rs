//! Whether indices lie in their axes.

use situ_runtime::{Command, IndexCheck, Queue, Strided};
use situ_types::{DType, Strides};
use smallvec::SmallVec;

use super::axes::merge;
use super::key::out_of_bounds;
use super::plan::IndexedAxis;
use crate::submit::{Answer, Submission};
use crate::{Result, Tensor};

/// Integers of one verdict: a position and an index.
pub(super) const VERDICT: usize = 2;

/// Room for the device to say, for each index array, whether an index lay outside; `None` if there is none to check.
pub(super) fn verdicts<'a>(work: &Submission<'a>, indexed_axes: &[IndexedAxis]) -> Result<Option<Answer<'a>>> {
    let any_unchecked = indexed_axes.iter().any(|indexed| indexed.unchecked);
    any_unchecked.then(|| work.answer("indexing", VERDICT * indexed_axes.len())).transpose()
}

/// An error if an index lay outside, as the verdicts say. Waits for the device's answer.
pub(super) fn refuse_outside(verdicts: &Tensor, indexed_axes: &[IndexedAxis]) -> Result<()> {
    for (n, indexed) in indexed_axes.iter().enumerate().filter(|(_, indexed)| indexed.unchecked) {
        if verdicts.answered(VERDICT * n)? >= 0 {
            let index = verdicts.answered(VERDICT * n + 1)?;
            return Err(match indexed.indices.dtype() {
                DType::U64 => out_of_bounds(index as u64, indexed.axis, indexed.length),
                _ => out_of_bounds(index, indexed.axis, indexed.length),
            });
        }
    }
    Ok(())
}

/// An error if an index that is still to be checked lies outside its axis. Waits for the device's answer.
pub(super) fn check(indexed_axes: &[IndexedAxis], queue: &Queue) -> Result<()> {
    let mut asked = SmallVec::<[(Tensor, &IndexedAxis); 2]>::new();
    for indexed in indexed_axes.iter().filter(|indexed| indexed.unchecked) {
        let mut work = Submission::on(queue);
        let mut strides = Strides::from_slice(indexed.indices.layout().strides());
        let shape = merge(indexed.indices.shape(), &mut [&mut strides]);
        let (dtype, length) = (indexed.indices.dtype(), indexed.length);
        let indices = Strided { address: work.read(&indexed.indices)?, strides };
        let verdict = work.answer("indexing", VERDICT)?;
        let command = IndexCheck { shape, indices, dtype, length, verdict: verdict.address(0) };
        asked.push((work.produce(&Command::IndexCheck(Box::new(command)), verdict.into_new())?, indexed));
    }
    asked.iter().try_for_each(|(verdict, indexed)| refuse_outside(verdict, std::slice::from_ref(*indexed)))
}
