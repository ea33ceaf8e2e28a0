//! Integers that a device tells the host.

use situ_runtime::{Access, Address};
use situ_types::{DType, UsmKind};

use super::{NewArray, Submission};
use crate::shared_layout::line_layout;
use crate::{Error, Result, Tensor};

/// Integers in host memory that a command is about to write.
#[derive(Debug)]
pub(crate) struct Answer<'a>(NewArray<'a>);

impl<'a> Submission<'a> {
    /// Room for so many integers.
    pub(crate) fn answer(&self, name: &str, words: usize) -> Result<Answer<'a>> {
        let layout = line_layout(words).map_err(Error::layout(name))?;
        self.allocate(name, layout, DType::I64, UsmKind::Host).map(Answer)
    }
}

impl<'a> Answer<'a> {
    /// Where one of the integers goes.
    pub(crate) fn address(&self, word: usize) -> Address {
        self.0.address().offset((word * DType::I64.size()) as isize)
    }

    /// The output to hand over with the command.
    pub(crate) fn into_new(self) -> NewArray<'a> {
        self.0
    }
}

impl Tensor {
    /// One of the integers of an [`Answer`] that has been handed over. Waits for the device.
    pub(crate) fn answered(&self, word: usize) -> Result<i64> {
        let is_answer = self.kind() == UsmKind::Host && self.dtype() == DType::I64 && self.layout().is_c_contiguous();
        if !is_answer || word >= self.size() {
            return Err(Error::Value(format!(
                "there is no answer {word} in an array of {} {}",
                self.size(),
                self.dtype()
            )));
        }
        self.contents()?.wait_before(Access::Read)?;
        // SAFETY: host memory of int64s without gaps, with more than `word` of them, whose writers are over.
        Ok(unsafe { self.address()?.0.cast::<i64>().add(word).read() })
    }
}
