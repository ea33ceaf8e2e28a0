"""Kernels in plain Python, one work-item after another: for a debugger, and as the reference of the tests.

Without groups, work-items run in the thread that asked for them. In a group each work-item that waits keeps a thread of
its own, and one thread runs at a time, until it waits or ends: barriers and sub-groups work, a debugger steps through
one work-item after another, and a simulation always goes the same way.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np

from situ.tensor import usm_ndarray

from .._native import KernelCompileError
from ._compile import Source
from ._group_run import Abandoned, GroupRun
from ._items import Group, Item, NdItem
from ._memory import KernelArray, LocalAccessor
from ._numbers import in_kernel
from ._parameters import Parameters
from ._ranges import NdRange, Range, as_range
from ._work_item import WorkItem, here

__all__ = ["simulate"]


def simulate(function: Callable[..., None], index_space: object, /, *args: Any, **named: Any) -> None:
    """Run a kernel in plain Python, work-item by work-item, over a range or an `NdRange`.

    Arrays are situ's or NumPy's. Elements are NumPy scalars and have NumPy's dtypes under arithmetic, which since
    NumPy 2 are those of compiled kernels. What is undefined on a device is an error here: indices out of bounds,
    barriers that some work-items of a group do not reach, and exchanges in which a part of a sub-group is missing. An
    error says which work-item it happened in.

    >>> import numpy as np
    >>> from situ.kernels import get_global_id
    >>> def double(x):
    ...     i = get_global_id(0)
    ...     x[i] = 2 * x[i]
    >>> x = np.arange(4)
    >>> simulate(double, 4, x)
    >>> x
    array([0, 2, 4, 6])
    """
    python = getattr(function, "py_func", function)
    if not isinstance(python, FunctionType):
        raise ValueError(f"a kernel is a Python function, not a {type(function).__name__}")
    space = index_space if isinstance(index_space, NdRange) else as_range(index_space, "the range of a kernel")
    try:
        takes_item, _, args = _parameters(python).bind(args, named)
    except TypeError as error:
        # The exception of numba-dpex's simulator.
        raise ValueError(str(error)) from None
    if isinstance(space, Range) and any(isinstance(arg, LocalAccessor) for arg in args):
        raise TypeError("a LocalAccessor belongs to a work-group: launch the kernel over an NdRange")
    kernel = in_kernel(python)
    with _HostArrays() as arrays, np.errstate(all="ignore"):
        values = [arrays.of(arg) for arg in args]

        def call(item: WorkItem, own: list[Any]) -> None:
            item.caller = sys._getframe()
            try:
                # In the thread of a work-item, too.
                with np.errstate(all="ignore"):
                    here.item = item
                    kernel(*([item.item] if takes_item else []), *own)
            except Abandoned:
                raise
            except BaseException as error:
                _name(error, f"in work-item {item.index} of kernel {python.__name__}")
                raise
            finally:
                here.item = None

        if isinstance(space, NdRange):
            for items in _groups(space):
                GroupRun(items, values, call).run()
        else:
            for index in itertools.product(*map(range, space)):
                call(WorkItem(None, Item(space, index), 0, None), values)


def _parameters(function: FunctionType) -> Parameters:
    """Return the parameters of a kernel, which here need not have a text that can be compiled."""
    try:
        return Parameters(function, Source(function).node)
    except KernelCompileError:
        return Parameters(function, None)


def _name(error: BaseException, where: str) -> None:
    """Say where an error happened."""
    if sys.version_info >= (3, 11):
        error.add_note(where)
    elif len(error.args) == 1 and isinstance(error.args[0], str):
        error.args = (f"{error.args[0]} ({where})",)


def _groups(space: NdRange) -> Iterator[list[NdItem]]:
    """Yield the work-items of each group in order, the last axis first."""
    total, local = space.global_range, space.local_range
    groups = as_range([all_of // own for all_of, own in zip(total, local, strict=True)], "the groups")
    for group in itertools.product(*map(range, groups)):
        items = []
        for index in itertools.product(*map(range, local)):
            place = tuple(g * length + i for g, length, i in zip(group, local, index, strict=True))
            owner = Group(total, local, groups, group)
            owner.leader = not any(index)
            items.append(NdItem(Item(total, place), Item(local, index), owner))
        yield items


class _HostArrays:
    """The arguments of a kernel where Python can reach them; what is situ's goes back at the end.

    Whole allocations are copied, so that arrays that share memory still do.
    """

    def __init__(self) -> None:
        self._copies: dict[int, tuple[Any, np.ndarray[Any, Any]]] = {}
        self._written: set[int] = set()

    def __enter__(self) -> _HostArrays:
        return self

    def __exit__(self, *error: object) -> None:
        for address in self._written:
            memory, copy = self._copies[address]
            memory.copy_from_host(copy)

    def of(self, arg: Any) -> Any:
        """Return what a kernel gets for an argument."""
        if isinstance(arg, np.ndarray):
            return KernelArray(arg)
        if not isinstance(arg, usm_ndarray):
            return arg
        if not arg.size:
            return KernelArray(np.empty(arg.shape, arg.dtype))
        memory = arg.usm_data
        address = memory._pointer
        if address not in self._copies:
            self._copies[address] = memory, memory.copy_to_host()
        if arg.flags.writable:
            self._written.add(address)
        entries = arg.__sycl_usm_array_interface__
        size = arg.dtype.itemsize
        strides = [size * step for step in arg.strides]
        copy = self._copies[address][1]
        elements: np.ndarray[Any, Any] = np.ndarray(arg.shape, arg.dtype, copy, size * entries["offset"], strides)
        elements.flags.writeable = arg.flags.writable
        return KernelArray(elements)
