//! Whether indices lie in their axes.

use situ_runtime::{Command, IndexCheck, Queue, Strided};
use situ_types::{DType, Strides};
use smallvec::SmallVec;

use super::axes::merge;
use super::key::out_of_bounds;
use super::plan::Guide;
use crate::submit::{Answer, Submission};
use crate::{Result, Tensor};

/// Integers of one verdict: a position and an index.
pub(super) const VERDICT: usize = 2;

/// Room for the device to say, for each index array, whether an index lay outside; `None` if there is none to check.
pub(super) fn verdicts<'a>(work: &Submission<'a>, guides: &[Guide]) -> Result<Option<Answer<'a>>> {
    let is_doubtful = guides.iter().any(|guide| guide.doubtful);
    is_doubtful.then(|| work.answer("indexing", VERDICT * guides.len())).transpose()
}

/// An error if an index lay outside, as the verdicts say. Waits for the device's answer.
pub(super) fn refuse_outside(verdicts: &Tensor, guides: &[Guide]) -> Result<()> {
    for (n, guide) in guides.iter().enumerate().filter(|(_, guide)| guide.doubtful) {
        if verdicts.answered(VERDICT * n)? >= 0 {
            let index = verdicts.answered(VERDICT * n + 1)?;
            return Err(match guide.indices.dtype() {
                DType::U64 => out_of_bounds(index as u64, guide.axis, guide.length),
                _ => out_of_bounds(index, guide.axis, guide.length),
            });
        }
    }
    Ok(())
}

/// An error if an index that is still to be checked lies outside its axis. Waits for the device's answer.
pub(super) fn check(guides: &[Guide], queue: &Queue) -> Result<()> {
    let mut asked = SmallVec::<[(Tensor, &Guide); 2]>::new();
    for guide in guides.iter().filter(|guide| guide.doubtful) {
        let mut work = Submission::on(queue);
        let mut strides = Strides::from_slice(guide.indices.layout().strides());
        let shape = merge(guide.indices.shape(), &mut [&mut strides]);
        let (dtype, length) = (guide.indices.dtype(), guide.length);
        let indices = Strided { address: work.read(&guide.indices)?, strides };
        let verdict = work.answer("indexing", VERDICT)?;
        let command = IndexCheck { shape, indices, dtype, length, verdict: verdict.address(0) };
        asked.push((work.produce(&Command::IndexCheck(Box::new(command)), verdict.into_new())?, guide));
    }
    asked.iter().try_for_each(|(verdict, guide)| refuse_outside(verdict, std::slice::from_ref(*guide)))
}
