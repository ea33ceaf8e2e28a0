"""numba-dpex's names for what goes wrong. Those that situ has an error of its own for are that error."""

from __future__ import annotations

from situ import ExecutionPlacementError as ExecutionQueueInferenceError
from situ.kernels import KernelCompileError as KernelHasReturnValueError
from situ.kernels._exceptions import UnmatchedNumberOfRangeDimsError, UnsupportedGroupWorkItemSizeError

__all__ = [
    "ExecutionQueueInferenceError",
    "IllegalIntEnumLiteralValueError",
    "IllegalRangeValueError",
    "InternalError",
    "InvalidKernelLaunchArgsError",
    "InvalidKernelSpecializationError",
    "KernelHasReturnValueError",
    "MissingSpecializationError",
    "SUAIProtocolError",
    "UncompiledKernelError",
    "UnknownGlobalRangeError",
    "UnmatchedNumberOfRangeDimsError",
    "UnreachableError",
    "UnsupportedBackendError",
    "UnsupportedCompilationModeError",
    "UnsupportedGroupWorkItemSizeError",
    "UnsupportedKernelArgumentError",
    "UnsupportedNumberOfRangeDimsError",
    "UnsupportedParforError",
    "UnsupportedWorkItemSizeError",
]

#: Raised for arguments that a kernel cannot have.
UnsupportedKernelArgumentError = TypeError
#: Raised for a wrong number of arguments.
InvalidKernelLaunchArgsError = TypeError
#: Raised for lengths that are no lengths.
IllegalRangeValueError = ValueError
#: Raised for ranges of no or of too many axes.
UnsupportedNumberOfRangeDimsError = ValueError
#: Raised for ranges that cannot be counted, and for groups that a device cannot have.
UnsupportedWorkItemSizeError = ValueError


class InvalidKernelSpecializationError(Exception):
    """A signature names something that a kernel cannot take."""


class UnknownGlobalRangeError(Exception):
    """A kernel without a range; situ takes the shape of its arrays."""


class UnsupportedBackendError(Exception):
    """A device of a backend that cannot run kernels."""


class UncompiledKernelError(Exception):
    """A kernel that was to be compiled already."""


class UnreachableError(Exception):
    """Something that cannot happen."""


class SUAIProtocolError(Exception):
    """An argument whose `__sycl_usm_array_interface__` is not what it should be."""


class UnsupportedCompilationModeError(Exception):
    """A way to compile that there is not."""


class MissingSpecializationError(Exception):
    """A kernel that was not specialised for some types."""


class UnsupportedParforError(Exception):
    """A loop that cannot be offloaded."""


class IllegalIntEnumLiteralValueError(Exception):
    """An enumeration where its value must be known."""


class InternalError(Exception):
    """Something that is not the program's fault."""
