"""Timing blocks of code on the host and on the device."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from types import TracebackType
from typing import Literal, NamedTuple

from . import _native
from ._native import Event, Queue


class HostDeviceDuration(NamedTuple):
    """The host's time and the device's time, in the timer's unit.

    >>> import situ
    >>> situ.HostDeviceDuration(2.5, 1.5).device_dt
    1.5
    """

    host_dt: float
    device_dt: float

    def __repr__(self) -> str:
        return f"(host_dt={self.host_dt}, device_dt={self.device_dt})"


class Timer:
    """Adds up the time of blocks of code, on the host and on the device.

    The queue must record times. The timer submits a command at each end of a block: with `device_timer`
    "queue_barrier" a barrier, with "order_manager" an empty command behind everything before it. The host's time ends
    when the block does, which may be before its work on the device does; put `queue.wait()` into the block to include
    that. `time_scale` is the number of units in a second: 1e3 gives milliseconds.

    >>> import situ
    >>> queue = situ.Queue(property="enable_profiling")
    >>> timer = situ.Timer(time_scale=1e3)
    >>> for _ in range(2):
    ...     with timer(queue):
    ...         queue.submit_barrier().wait()
    >>> host, device = timer.dt
    >>> host > 0 and device >= 0
    True
    """

    def __init__(
        self,
        host_timer: Callable[[], float] = timeit.default_timer,
        device_timer: Literal["queue_barrier", "order_manager"] | None = None,
        time_scale: float = 1,
    ) -> None:
        if device_timer not in (None, "queue_barrier", "order_manager"):
            raise ValueError(f"device_timer: expected 'queue_barrier' or 'order_manager', got {device_timer!r}")
        self.timer = host_timer
        self.time_scale = time_scale
        self.queue: Queue | None = None
        self._by_barrier = device_timer != "order_manager"
        self._open: list[tuple[Queue, Event, float]] = []
        self._host = 0.0
        self._spans: list[tuple[Event, Event]] = []

    def __call__(self, queue: Queue) -> Timer:
        """Choose the queue whose time the next block takes."""
        if not isinstance(queue, Queue):
            raise TypeError(f"queue: expected a Queue, got {type(queue).__name__}")
        if not queue.has_enable_profiling:
            raise ValueError("queue: it does not record times; create it with property='enable_profiling'")
        self.queue = queue
        return self

    def __enter__(self) -> Timer:
        if self.queue is None:
            raise TypeError("the timer does not know its queue; write `with timer(queue):`")
        start = _native.timer_edge(self.queue, self._by_barrier)
        self._open.append((self.queue, start, self.timer()))
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        ended = self.timer()
        queue, start, began = self._open.pop()
        self._host += ended - began
        self._spans.append((start, _native.timer_edge(queue, self._by_barrier)))

    @property
    def dt(self) -> HostDeviceDuration:
        """The time of every block so far; waits until their work on the device is over.

        >>> import situ
        >>> timer, queue = situ.Timer(), situ.Queue("cpu", property="enable_profiling")
        >>> with timer(queue):
        ...     queue.wait()
        >>> timer.dt.host_dt > 0
        True
        """
        device = sum(_native.timer_span(start, end) for start, end in self._spans)
        return HostDeviceDuration(self._host * self.time_scale, device * self.time_scale)
