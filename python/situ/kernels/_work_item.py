"""The work-item that the simulator runs in this thread, which the functions of the kernel language ask."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol

import numpy as np

from ._items import Item, NdItem

__all__ = ["GroupMemory", "WorkItem", "current", "in_simulation", "with_group"]


class GroupMemory(Protocol):
    """What the work-items of a group have in common."""

    def wait(self, item: WorkItem, where: str) -> None:
        """Hold a work-item until all of its group have come to the same barrier."""

    def exchange(self, item: WorkItem, what: str, value: Any, combine: Callable[[list[Any], int], Any]) -> Any:
        """Hold a work-item until its sub-group has come, and return what `combine` makes of everybody's values."""

    def local_array(self, site: object, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """Return the array that the group has for a place in the source."""


class WorkItem:
    """A work-item of a simulated launch."""

    def __init__(self, kernel: FrameType | None, item: Item | NdItem, lane: int, group: GroupMemory | None) -> None:
        #: The frame from which the simulator calls the kernel.
        self.caller = kernel
        self.item = item
        #: Its place in its group, the last axis counted first.
        self.lane = lane
        self.group = group

    @property
    def index(self) -> tuple[int, ...]:
        """Where it is in the range."""
        get: Callable[[int], int] = self.item.get_id if isinstance(self.item, Item) else self.item.get_global_id
        return tuple(get(axis) for axis in range(self.item.dimensions))


class _Here(threading.local):
    item: WorkItem | None = None


here = _Here()


def in_simulation() -> bool:
    """Tell whether this thread runs a work-item in the simulator."""
    return here.item is not None


def current(what: str) -> WorkItem:
    """Return the work-item that is being simulated, or raise in the name of what asks for it."""
    if here.item is None:
        raise RuntimeError(
            f"{what} is part of the language of kernels: use it in a function under @situ.kernel and launch that, or "
            "run it in plain Python with its simulate method"
        )
    return here.item


def with_group(what: str) -> tuple[WorkItem, NdItem, GroupMemory]:
    """Return the work-item that is being simulated, which must have a group."""
    found = current(what)
    if found.group is None or not isinstance(found.item, NdItem):
        raise RuntimeError(
            f"{what} needs work-groups: launch the kernel over an NdRange, which says how large they are"
        )
    return found, found.item, found.group
