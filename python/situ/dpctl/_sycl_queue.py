"""The names of `dpctl._sycl_queue` that programs import.

>>> from situ.dpctl import _sycl_queue
>>> _sycl_queue.kernel_arg_type.dpctl_int8.value
0
"""

import enum

from situ import Queue as SyclQueue
from situ import QueueCreationError as SyclQueueCreationError


class kernel_arg_type(enum.Enum):
    """The kinds of arguments that kernels of dpctl take."""

    dpctl_int8 = 0
    dpctl_uint8 = 1
    dpctl_int16 = 2
    dpctl_uint16 = 3
    dpctl_int32 = 4
    dpctl_uint32 = 5
    dpctl_int64 = 6
    dpctl_uint64 = 7
    dpctl_float32 = 8
    dpctl_float64 = 9
    dpctl_void_ptr = 10
    dpctl_local_accessor = 11
    dpctl_work_group_memory = 12
    dpctl_raw_kernel_arg = 13


class SyclKernelSubmitError(Exception):
    """A kernel could not be submitted."""


class SyclKernelInvalidRangeError(Exception):
    """The range a kernel was to run over has not one, two or three dimensions."""


__all__ = [
    "SyclKernelInvalidRangeError",
    "SyclKernelSubmitError",
    "SyclQueue",
    "SyclQueueCreationError",
    "kernel_arg_type",
]
