//! Failures on request.

use std::borrow::Cow;

use super::STATE;
use crate::HalError;

/// A call into the backend that can be told to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Call {
    /// [`Platform::create_context`](crate::Platform::create_context).
    CreateContext,
    /// [`Device::partition`](crate::Device::partition).
    Partition,
    /// [`Context::create_queue`](crate::Context::create_queue).
    CreateQueue,
    /// [`Context::allocate`](crate::Context::allocate).
    Allocate,
    /// [`Queue::submit`](crate::Queue::submit): the command is refused.
    Submit,
    /// The execution of an accepted command: its event fails. Counted when the command's turn has come, so a command
    /// that is never waited for, or whose dependency failed, does not count.
    Execute,
}

impl Call {
    /// Every call, in declaration order: `Call::ALL[c as usize] == c`.
    pub const ALL: [Call; 6] =
        [Call::CreateContext, Call::Partition, Call::CreateQueue, Call::Allocate, Call::Submit, Call::Execute];

    /// The name tests use.
    pub const fn name(self) -> &'static str {
        match self {
            Call::CreateContext => "create_context",
            Call::Partition => "partition",
            Call::CreateQueue => "create_queue",
            Call::Allocate => "allocate",
            Call::Submit => "submit",
            Call::Execute => "execute",
        }
    }

    /// The call with that name, if there is one.
    pub fn from_name(name: &str) -> Option<Call> {
        Self::ALL.into_iter().find(|call| call.name() == name)
    }
}

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// With [`HalError::OutOfMemory`].
    OutOfMemory,
    /// With [`HalError::Failed`], as when a device falls off the bus.
    DeviceLost,
}

impl Fault {
    /// Every fault.
    pub const ALL: [Fault; 2] = [Fault::OutOfMemory, Fault::DeviceLost];

    /// The name tests use.
    pub const fn name(self) -> &'static str {
        match self {
            Fault::OutOfMemory => "out_of_memory",
            Fault::DeviceLost => "device_lost",
        }
    }

    /// The fault with that name, if there is one.
    pub fn from_name(name: &str) -> Option<Fault> {
        Self::ALL.into_iter().find(|fault| fault.name() == name)
    }

    /// This fault as the error of an operation that asked for some bytes, 0 where it asked for none.
    pub(super) fn error(self, operation: impl Into<Cow<'static, str>>, bytes: usize) -> HalError {
        let operation = operation.into();
        match self {
            Fault::OutOfMemory => {
                HalError::OutOfMemory { operation, bytes, detail: "NULL_ERROR_OUT_OF_MEMORY, on request".into() }
            }
            Fault::DeviceLost => HalError::Failed { operation, detail: "NULL_ERROR_DEVICE_LOST, on request".into() },
        }
    }
}

/// The door to the faults of the process: arm them, count calls, disarm.
///
/// A sweep runs a scenario once to [`count`](Faults::count) its calls, then once more per call with that call armed.
#[derive(Debug)]
pub enum Faults {}

impl Faults {
    /// Makes the `nth` such call from now fail, once; 1 is the very next, and 0 never fires.
    pub fn fail(call: Call, nth: u64, fault: Fault) {
        let plan = &mut STATE.lock().faults;
        let at = plan.seen[call as usize].saturating_add(nth);
        plan.armed.push(Armed { call, at, fault });
    }

    /// How many such calls there have been since the last reset, failed ones included.
    pub fn count(call: Call) -> u64 {
        STATE.lock().faults.seen[call as usize]
    }

    /// Disarms every fault and forgets the counts; how many armed faults had not fired.
    pub fn reset() -> usize {
        STATE.lock().faults.reset()
    }
}

/// Counts a call, which happens unless a fault was armed for it.
pub(super) fn pass(call: Call) -> Result<(), Fault> {
    STATE.lock().faults.pass(call)
}

#[derive(Debug)]
pub(super) struct FaultPlan {
    seen: [u64; Call::ALL.len()],
    armed: Vec<Armed>,
}

#[derive(Debug)]
struct Armed {
    call: Call,
    /// The value of the call's count at which it fails.
    at: u64,
    fault: Fault,
}

impl FaultPlan {
    pub(super) const fn new() -> FaultPlan {
        FaultPlan { seen: [0; Call::ALL.len()], armed: Vec::new() }
    }

    pub(super) fn reset(&mut self) -> usize {
        let unfired = self.armed.len();
        *self = FaultPlan::new();
        unfired
    }

    fn pass(&mut self, call: Call) -> Result<(), Fault> {
        let seen = &mut self.seen[call as usize];
        *seen += 1;
        match self.armed.iter().position(|armed| armed.call == call && armed.at == *seen) {
            Some(n) => Err(self.armed.remove(n).fault),
            None => Ok(()),
        }
    }
}
