//! The one way from arrays to a queue.
//!
//! A [`Submission`] collects the arrays of a command together with how they are accessed. Registering an array is what
//! gives its address, so that whoever can put an address into a command has told the queue about it. New arrays come from
//! [`Submission::allocate`], with their bytes checked, and become arrays when their first writer is submitted:
//!
//! ```text
//! let mut work = Submission::on(queue);
//! let source = work.read(x)?;
//! let new = work.allocate("negative", layout, dtype, kind)?;
//! let command = ...; // from `source` and `new.address()`
//! let result = work.produce(&command, new)?;
//! ```
//!
//! * `output`: new arrays, and what an array must be like to be written to.
//! * `overlap`: which memory arrays share, and the copies that keep inputs apart from outputs.
//! * `answer`: integers that a device tells the host.
//! * `small`: the same for a single step over few elements, which needs no command.

mod answer;
mod output;
mod overlap;
mod small;

use situ_runtime::{Access, Address, Buffer, Command, Queue, Written};
use smallvec::SmallVec;

pub(crate) use self::answer::Answer;
pub(crate) use self::output::{
    NewArray, Output, byte_count, refuse_other_dtype, refuse_other_shape, refuse_read_only, refuse_shared,
    refuse_unwritable,
};
pub(crate) use self::overlap::{apart_from, apart_or_same, coincide, is_apart_or_same, may_overlap};
pub(crate) use self::small::SmallSubmission;
use crate::{Error, Result, Tensor};

/// The arrays of a command, each with how the command accesses it.
///
/// Commands are made from the addresses that registering gives and from the layouts of the same arrays, and visit only
/// elements of those layouts.
#[derive(Debug)]
pub(crate) struct Submission<'a> {
    queue: &'a Queue,
    accesses: SmallVec<[(&'a Buffer, Access); 4]>,
}

impl<'a> Submission<'a> {
    /// Nothing yet, for a queue.
    #[inline(always)]
    pub(crate) fn on(queue: &'a Queue) -> Submission<'a> {
        Submission { queue, accesses: SmallVec::new() }
    }

    /// The first element of an array whose elements are read.
    #[inline(always)]
    pub(crate) fn read(&mut self, array: &'a Tensor) -> Result<Address> {
        self.access(array, Access::Read)
    }

    /// Counts an array as read of which nothing is: where its contents are lost, so is every result.
    #[inline(always)]
    pub(crate) fn follow(&mut self, array: &'a Tensor) -> Result<()> {
        self.access(array, Access::Read).map(|_| ())
    }

    /// The first element of an array of which some elements are written.
    #[inline(always)]
    pub(crate) fn update(&mut self, array: &'a Tensor) -> Result<Address> {
        self.access(array, Access::Update)
    }

    /// The first element of an array whose elements are all written.
    #[inline(always)]
    pub(crate) fn write(&mut self, array: &'a Tensor) -> Result<Address> {
        let layout = array.layout();
        let is_dense = layout.is_c_contiguous() || layout.is_f_contiguous();
        let is_whole = is_dense && array.size() * array.dtype().size() == array.bytes_held();
        self.access(array, if is_whole { Access::Write } else { Access::Update })
    }

    #[inline(always)]
    fn access(&mut self, array: &'a Tensor, access: Access) -> Result<Address> {
        if array.queue() != self.queue && array.context() != self.queue.context() {
            return Err(elsewhere(array, self.queue));
        }
        self.accesses.push((array.contents()?, access));
        array.address()
    }

    /// Hands over a command that touches nothing but the registered arrays.
    #[inline(always)]
    pub(crate) fn run(&self, command: &Command) -> Result<()> {
        self.submit(command).map(|_| ())
    }

    /// Hands over the command that also writes a new array.
    #[inline(always)]
    pub(crate) fn produce(&self, command: &Command, new: NewArray<'a>) -> Result<Tensor> {
        let written = self.submit(command)?;
        Ok(new.written(&written))
    }

    /// Hands over the command that also writes these outputs; the arrays that they are.
    pub(crate) fn produce_all<const N: usize>(
        &mut self,
        command: &Command,
        outputs: [Output<'a>; N],
    ) -> Result<[Tensor; N]> {
        self.register(&outputs)?;
        let written = self.submit(command)?;
        Ok(outputs.map(|output| output.written(&written)))
    }

    /// The same for any number of outputs.
    pub(crate) fn produce_list(&mut self, command: &Command, outputs: Vec<Output<'a>>) -> Result<Vec<Tensor>> {
        self.register(&outputs)?;
        let written = self.submit(command)?;
        Ok(outputs.into_iter().map(|output| output.written(&written)).collect())
    }

    /// New arrays are nobody's yet, so that the queue need not know of them.
    fn register(&mut self, outputs: &[Output<'a>]) -> Result<()> {
        for output in outputs {
            if let Output::Given(array) = *output {
                self.write(array)?;
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn submit(&self, command: &Command) -> Result<Written> {
        // SAFETY: an array's layout lies inside its buffer (`Tensor` invariant), and the command visits only elements of
        // the layouts of arrays that were registered, which all are in the queue's context, or of new arrays, which nobody
        // else has seen.
        Ok(unsafe { self.queue.run(command, self.accesses.iter().copied()) }?)
    }
}

#[cold]
fn elsewhere(array: &Tensor, queue: &Queue) -> Error {
    let (here, there) = (queue.device().label(), array.device().label());
    Error::Value(format!("an array on {there} cannot take part in work on {here}; move it with to_device first"))
}
