"""Where NumPy arrays are computed with: only where a program says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .._native import ArrayDevice, Device, Queue
from .._scope import _queue_for

_target: ContextVar[Queue | None] = ContextVar("situ_kernel_offload", default=None)

offload_queue = _target.get


@contextmanager
def offload_to_sycl_device(target: Queue | Device | ArrayDevice | str) -> Iterator[Queue]:
    """Let kernels take NumPy arrays inside a `with` block: copied to a queue, and back if the kernel writes to them.

    >>> import numpy as np
    >>> from situ import kernels
    >>> @kernels.kernel
    ... def double(x):
    ...     i = kernels.get_global_id(0)
    ...     x[i] = 2 * x[i]
    >>> x = np.arange(4)
    >>> with kernels.offload_to_sycl_device("cpu"):
    ...     double(x)
    >>> x
    array([0, 2, 4, 6])
    """
    queue = _queue_for(target)
    token = _target.set(queue)
    try:
        yield queue
    finally:
        _target.reset(token)
