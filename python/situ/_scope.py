"""The queue that array creation uses where none is given.

It lives in a context variable, so setting it is seen by the code that follows and by what that code calls, never by
other threads, and in an asynchronous program by the current task and those that it starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ._devices import get_device_cached_queue
from ._native import ArrayDevice, Device, Queue

_current: ContextVar[Queue | None] = ContextVar("situ_default_queue", default=None)

current_queue = _current.get
"""Return the queue that is set, or None. Every creation function asks, so it is the variable's own method."""


enter_queue, leave_queue = _current.set, _current.reset
"""Set a queue, and go back to what was before: the two halves of `device_context`, for calls that cannot afford it."""


def _queue_for(target: Queue | Device | ArrayDevice | str) -> Queue:
    if isinstance(target, Queue):
        return target
    if isinstance(target, ArrayDevice):
        return target.sycl_queue
    if isinstance(target, Device) and target.parent_device is not None:
        return Queue(target)
    if isinstance(target, (Device, str)):
        return get_device_cached_queue(target)
    raise TypeError(f"target: expected a Queue, a Device or a selector string, got {type(target).__name__}")


def set_global_queue(target: Queue | Device | ArrayDevice | str, /) -> None:
    """Make a queue the default for the arrays this thread creates from now on.

    A device or selector string stands for its cached queue; a sub-device gets a new one.

    >>> import situ
    >>> situ.set_global_queue("cpu")
    >>> situ.reset_global_queue()
    """
    _current.set(_queue_for(target))


def reset_global_queue() -> None:
    """Go back to the default device for the arrays this thread creates from now on.

    >>> import situ
    >>> situ.reset_global_queue()
    """
    _current.set(None)


@contextmanager
def device_context(target: Queue | Device | ArrayDevice | str) -> Iterator[Queue]:
    """Make a queue the default for the arrays created inside a `with` block.

    >>> import situ
    >>> part = situ.Device("cpu").create_sub_devices(partition=[1])[0]
    >>> with situ.device_context(part) as queue:
    ...     queue.sycl_device == part
    True
    """
    token = _current.set(_queue_for(target))
    try:
        yield current_queue()  # type: ignore[misc]  # it was just set
    finally:
        _current.reset(token)
