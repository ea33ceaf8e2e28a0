//! What kind of trouble an error is, whatever layer it came from.

/// The classification every layer's error maps to, and the bindings' exception table is keyed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A value is out of its domain.
    Value,
    /// An argument has the wrong type.
    Type,
    /// An index is out of range.
    Index,
    /// An axis does not exist.
    Axis,
    /// A number does not fit its target type.
    Overflow,
    /// Memory could not be allocated.
    Memory,
    /// The place of execution is ambiguous.
    Placement,
    /// Operands are in memory of different kinds, and somebody minds.
    MixedKinds,
    /// No device fits the request.
    DeviceCreation,
    /// A device cannot be partitioned as asked.
    SubDeviceCreation,
    /// A context cannot be created.
    ContextCreation,
    /// A queue cannot be created.
    QueueCreation,
    /// A matrix has no answer, or is none.
    LinAlg,
    /// A kernel has found that something does not hold.
    Fault,
    /// A kernel's text is not what a compiler takes.
    Compile,
    /// A device or its driver failed.
    Device,
}
