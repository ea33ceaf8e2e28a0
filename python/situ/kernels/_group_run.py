"""A work-group in plain Python: its work-items take turns, so that exactly one of them runs at a time."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from ._items import NdItem
from ._memory import KernelArray, LocalAccessor, undefined
from ._sub_groups import SUB_GROUP_SIZE
from ._work_item import WorkItem

__all__ = ["Abandoned", "GroupRun"]


class Abandoned(BaseException):
    """Ends a work-item because another one has failed."""


class _Waiting:
    """A work-item that waits for others."""

    def __init__(self, item: WorkItem, where: str, value: Any, combine: Callable[[list[Any], int], Any] | None) -> None:
        self.item = item
        self.where = where
        self.value = value
        self.combine = combine
        self.result: Any = None
        self.may_go = threading.Semaphore(0)
        self.thread = threading.current_thread()

    @property
    def is_exchange(self) -> bool:
        """Whether it waits for its sub-group alone."""
        return self.combine is not None


class GroupRun:
    """The work-items of a group, of which one runs at a time."""

    def __init__(self, items: list[NdItem], args: list[Any], call: Callable[[WorkItem, list[Any]], None]) -> None:
        self._items = [WorkItem(None, item, lane, self) for lane, item in enumerate(items)]
        self._unstarted = iter(self._items)
        self._started = 0
        self._call = call
        self._waiting: dict[int, _Waiting] = {}
        #: Released by the work-item that runs when it waits, ends or fails.
        self._turn = threading.Semaphore(0)
        self._failure: BaseException | None = None
        self._is_over = False
        #: What follows the caller line by line, as a debugger does, and is to follow the work-items too.
        self._trace = sys.gettrace()
        self._local: dict[object, np.ndarray[Any, Any]] = {}
        self._args = [
            KernelArray(undefined(arg.shape, arg.dtype)) if isinstance(arg, LocalAccessor) else arg for arg in args
        ]

    def run(self) -> None:
        """Run all to their end, or raise what one of them has raised."""
        try:
            while self._started < len(self._items):
                threading.Thread(target=self._run_unstarted, daemon=True).start()
                self._await_turn()
            while self._waiting:
                for waiting in self._ready():
                    del self._waiting[waiting.item.lane]
                    waiting.may_go.release()
                    self._await_turn()
        finally:
            self._is_over = True
            for waiting in list(self._waiting.values()):
                waiting.may_go.release()
                waiting.thread.join()

    def _run_unstarted(self) -> None:
        """Run one work-item after another in a thread, which ends up being the one of the first that waits."""
        if sys.gettrace() is None:
            sys.settrace(self._trace)
        for item in self._unstarted:
            self._started += 1
            try:
                self._call(item, self._args)
            except Abandoned:
                return
            except BaseException as error:
                self._failure = error
                break
        self._turn.release()

    def _await_turn(self) -> None:
        self._turn.acquire()
        if self._failure is not None:
            raise self._failure

    def _hold(self, waiting: _Waiting) -> Any:
        self._waiting[waiting.item.lane] = waiting
        self._turn.release()
        waiting.may_go.acquire()
        if self._is_over:
            raise Abandoned
        return waiting.result

    def _ready(self) -> list[_Waiting]:
        """Return those that need wait no longer, or raise if nobody is left whom they could wait for."""
        lanes = len(self._items)
        for first in range(0, lanes, SUB_GROUP_SIZE):
            found = self._together(range(first, min(first + SUB_GROUP_SIZE, lanes)), is_exchange=True)
            if found is not None:
                values = [waiting.value for waiting in found]
                for place, waiting in enumerate(found):
                    if waiting.combine is not None:
                        waiting.result = waiting.combine(values, place)
                return found
        found = self._together(range(lanes), is_exchange=False)
        if found is None:
            raise self._stuck()
        return found

    def _together(self, lanes: range, *, is_exchange: bool) -> list[_Waiting] | None:
        """Return the work-items of some lanes if all wait at the same place."""
        found = [self._waiting.get(lane) for lane in lanes]
        places = {None if waiting is None else waiting.where for waiting in found}
        together = [waiting for waiting in found if waiting is not None and waiting.is_exchange == is_exchange]
        if len(places) != 1 or len(together) != len(found):
            return None
        return together

    def _stuck(self) -> RuntimeError:
        """Return the error about a work-item that waits in vain."""
        one = min(self._waiting.values(), key=lambda waiting: waiting.item.lane)
        first = one.item.lane // SUB_GROUP_SIZE * SUB_GROUP_SIZE
        others = self._items[first : first + SUB_GROUP_SIZE] if one.is_exchange else self._items
        for other in others:
            there = self._waiting.get(other.lane)
            if there is None or there.where != one.where:
                does = "has ended" if there is None else f"waits at {there.where}"
                break
        group = "sub-group" if one.is_exchange else "group"
        return RuntimeError(
            f"work-item {one.item.index} waits at {one.where}, but work-item {other.index} of its {group} {does}: all "
            "must come to the same place"
        )

    def wait(self, item: WorkItem, what: str) -> None:
        """Hold a work-item until all of its group have come to the same barrier."""
        self._hold(_Waiting(item, _place(what, sys._getframe(2)), None, None))

    def exchange(self, item: WorkItem, what: str, value: Any, combine: Callable[[list[Any], int], Any]) -> Any:
        """Hold a work-item until its sub-group has come, and return what `combine` makes of everybody's values."""
        return self._hold(_Waiting(item, _place(what, sys._getframe(3)), value, combine))

    def local_array(self, site: object, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """Return the array that the group has for a place in the source."""
        if site not in self._local:
            self._local[site] = undefined(shape, dtype)
        return self._local[site]


def _place(what: str, frame: FrameType) -> str:
    """Say what a kernel does where in its source."""
    return f"{what} ({os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno})"
