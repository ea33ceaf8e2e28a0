//! Whether indices lie in their axes.

use situ_runtime::{Access, Address, Buffer, Command, IndexCheck, Queue, Strided};
use situ_types::{DType, Strides, UsmKind};

use super::axes::merge;
use super::key::out_of_bounds;
use super::plan::Guide;
use crate::Result;

/// Bytes of one verdict: a position and an index.
const VERDICT: usize = 16;

/// Memory in which the device says, for each index array, whether an index lay outside.
#[derive(Debug)]
pub(super) struct Verdicts(Buffer);

impl Verdicts {
    /// Room for all, if there is an index array still to be checked.
    pub(super) fn wanted(guides: &[Guide], queue: &Queue) -> Result<Option<Verdicts>> {
        if !guides.iter().any(|guide| guide.doubtful) {
            return Ok(None);
        }
        Ok(Some(Verdicts(Buffer::allocate(queue, UsmKind::Host, VERDICT * guides.len(), 0)?)))
    }

    pub(super) fn buffer(&self) -> &Buffer {
        &self.0
    }

    /// Where the verdict about one of the index arrays goes.
    pub(super) fn address(&self, n: usize) -> Address {
        self.0.address().offset((VERDICT * n) as isize)
    }

    /// An error if an index lay outside. The device has answered.
    pub(super) fn read(&self, guides: &[Guide]) -> Result<()> {
        for (n, guide) in guides.iter().enumerate().filter(|(_, guide)| guide.doubtful) {
            // SAFETY: host memory with room for every verdict, this one was written, and its writer is over.
            let [position, index] = unsafe { self.address(n).0.cast::<[i64; 2]>().read() };
            if position >= 0 {
                return Err(match guide.indices.dtype() {
                    DType::U64 => out_of_bounds(index as u64, guide.axis, guide.length),
                    _ => out_of_bounds(index, guide.axis, guide.length),
                });
            }
        }
        Ok(())
    }
}

/// An error if an index that is still to be checked lies outside its axis. Waits for the device's answer.
pub(super) fn check(guides: &[Guide], queue: &Queue) -> Result<()> {
    let Some(verdicts) = Verdicts::wanted(guides, queue)? else { return Ok(()) };
    for (n, guide) in guides.iter().enumerate().filter(|(_, guide)| guide.doubtful) {
        let indices = &guide.indices;
        let mut strides = Strides::from_slice(indices.layout().strides());
        let shape = merge(indices.shape(), &mut [&mut strides]);
        let (dtype, length) = (indices.dtype(), guide.length);
        let indices = Strided { address: indices.address(), strides };
        let command = IndexCheck { shape, indices, dtype, length, verdict: verdicts.address(n) };
        let accesses = [(guide.indices.buffer(), Access::Read), (verdicts.buffer(), Access::Update)];
        // SAFETY: the command reads the elements of the indices' layout, which lie in their buffer, and writes a
        // verdict.
        unsafe { queue.submit(&Command::IndexCheck(Box::new(command)), &accesses, &[]) }?;
    }
    verdicts.buffer().wait_before(Access::Read)?;
    verdicts.read(guides)
}
