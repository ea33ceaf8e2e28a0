"""Placement rules as functions, and what programs written for dpctl expect beside them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ._native import (
    Device,
    Event,
    ExecutionPlacementError,
    MixedUSMTypesWarning,
    Queue,
    warn_about_mixed_usm_types,
)
from ._offload import make_offload

__all__ = [
    "ExecutionPlacementError",
    "MixedUSMTypesWarning",
    "SequentialOrderManager",
    "get_coerced_usm_type",
    "get_execution_queue",
    "intel_device_info",
    "make_offload",
    "onetrace_enabled",
    "validate_usm_type",
    "warn_about_mixed_usm_types",
]

_USM_TYPES = ("device", "shared", "host")


def get_execution_queue(qs: Sequence[Queue], /) -> Queue | None:
    """Return the queue that all of them are, or None if they differ or there are none.

    >>> import situ
    >>> from situ.utils import get_execution_queue
    >>> queue = situ.Queue()
    >>> get_execution_queue([queue, queue]) is queue, get_execution_queue([queue, situ.Queue()])
    (True, None)
    """
    if not isinstance(qs, (list, tuple)):
        raise TypeError(f"qs: expected a list or a tuple of Queue, got {type(qs).__name__}")
    if not qs or not all(isinstance(queue, Queue) and queue == qs[0] for queue in qs):
        return None
    first: Queue = qs[0]
    return first


def get_coerced_usm_type(usm_types: Sequence[str], /) -> str | None:
    """Return the USM type of a result that combines such operands: device before shared before host.

    >>> from situ.utils import get_coerced_usm_type
    >>> get_coerced_usm_type(["host", "shared"])
    'shared'
    """
    if not isinstance(usm_types, (list, tuple)):
        raise TypeError(f"usm_types: expected a list or a tuple of strings, got {type(usm_types).__name__}")
    if not usm_types or any(usm_type not in _USM_TYPES for usm_type in usm_types):
        return None
    strongest: str = min(usm_types, key=_USM_TYPES.index)
    return strongest


def validate_usm_type(usm_type: str | None, /, *, allow_none: bool = True) -> None:
    """Raise an exception unless the argument is 'device', 'shared' or 'host', or None where that is allowed.

    >>> from situ.utils import validate_usm_type
    >>> validate_usm_type("shared")
    >>> validate_usm_type("remote")
    Traceback (most recent call last):
    ...
    ValueError: usm_type: expected 'device', 'shared' or 'host', got 'remote'
    """
    if usm_type is None and allow_none:
        return
    if not isinstance(usm_type, str):
        raise TypeError(f"usm_type: expected 'device', 'shared' or 'host', got {type(usm_type).__name__}")
    if usm_type not in _USM_TYPES:
        raise ValueError(f"usm_type: expected 'device', 'shared' or 'host', got {usm_type!r}")


def intel_device_info(dev: Device, /) -> dict[str, int]:
    """Return details that only drivers of Intel GPUs tell; situ has no such driver, so there are none.

    >>> import situ.utils
    >>> situ.utils.intel_device_info(situ.Device())
    {}
    """
    if not isinstance(dev, Device):
        raise TypeError(f"dev: expected a Device, got {type(dev).__name__}")
    return {}


_warned_of_onetrace = False


@contextmanager
def onetrace_enabled() -> Iterator[None]:
    """Turn on the collection of traces inside a `with` block, for programs run under Intel's onetrace.

    >>> import os, warnings
    >>> from situ.utils import onetrace_enabled
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     with onetrace_enabled():
    ...         os.environ["PTI_ENABLE_COLLECTION"]
    '1'
    """
    global _warned_of_onetrace
    if os.environ.get("PTI_ENABLE") != "1" and not _warned_of_onetrace:
        _warned_of_onetrace = True
        warnings.warn(
            "onetrace_enabled has no effect: the program does not run under onetrace", RuntimeWarning, stacklevel=3
        )
    name = "PTI_ENABLE_COLLECTION"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _events(events: Event | Sequence[Event], what: str) -> list[Event]:
    several = [events] if isinstance(events, Event) else list(events)
    for event in several:
        if not isinstance(event, Event):
            raise TypeError(f"{what}: expected an Event or a sequence of them, got {type(event).__name__}")
    return several


class _QueueOrder:
    """The events that a program itself has put in order on one queue."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._host: list[Event] = []
        self._submitted: list[Event] = []

    def add_event_pair(self, host_task_ev: Event | Sequence[Event], comp_ev: Event | Sequence[Event]) -> None:
        """Remember events of host tasks and of computations."""
        host, submitted = _events(host_task_ev, "host_task_ev"), _events(comp_ev, "comp_ev")
        self._host = _unfinished(self._host) + host
        self._submitted = _unfinished(self._submitted) + submitted

    @property
    def host_task_events(self) -> list[Event]:
        """The remembered events of host tasks that may be unfinished."""
        return list(self._host)

    @property
    def submitted_events(self) -> list[Event]:
        """The remembered events of computations that may be unfinished."""
        return list(self._submitted)

    @property
    def num_host_task_events(self) -> int:
        """How many events of host tasks are remembered."""
        return len(self._host)

    @property
    def num_submitted_events(self) -> int:
        """How many events of computations are remembered."""
        return len(self._submitted)

    def wait(self) -> None:
        """Wait until the remembered events, and everything else on the queue, are over."""
        host, self._host = self._host, []
        submitted, self._submitted = self._submitted, []
        Event.wait_for(submitted + host)
        self._queue.wait()

    def __copy__(self) -> _QueueOrder:
        twin = _QueueOrder(self._queue)
        twin._host, twin._submitted = self.host_task_events, self.submitted_events
        return twin


def _unfinished(events: list[Event]) -> list[Event]:
    return [event for event in events if event.execution_status.name != "complete"]


class _SequentialOrder:
    """For each queue, the events that a program itself has put in order.

    In situ the order of array operations belongs to the arrays' memory, so nothing has to be remembered for them.
    Programs that submit commands of their own may still note their events here, as they do with dpctl.

    >>> import situ
    >>> from situ.utils import SequentialOrderManager
    >>> queue = situ.Queue()
    >>> SequentialOrderManager[queue].add_event_pair(situ.Event(), queue.submit_barrier())
    >>> SequentialOrderManager[queue].wait()
    >>> SequentialOrderManager[queue].num_submitted_events
    0
    """

    def __init__(self) -> None:
        self._orders: dict[Queue, _QueueOrder] = {}

    def __getitem__(self, queue: Queue) -> _QueueOrder:
        if not isinstance(queue, Queue):
            raise TypeError(f"expected a Queue, got {type(queue).__name__}")
        return self._orders.setdefault(queue, _QueueOrder(queue))

    def clear(self) -> None:
        """Forget every event."""
        self._orders.clear()


SequentialOrderManager = _SequentialOrder()
