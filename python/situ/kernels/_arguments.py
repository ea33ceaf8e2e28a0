"""The arguments of a launch: what kinds of them there are, and where they say that the kernel runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import tensor
from .._native import ExecutionPlacementError, Queue, ndarray
from .._native import kernels as native
from ._compile import Parameter
from ._memory import LocalAccessor
from ._offload import offload_queue

_TAKEN = "arrays of situ, int, float, complex, bool, NumPy's scalars and LocalAccessors"


class HostArrays:
    """The NumPy arrays among the arguments of a launch, and their copies on a queue."""

    def __init__(self, kernel: str, names: list[str]) -> None:
        self._kernel = kernel
        self._names = names
        self._copies: dict[int, tuple[np.ndarray[Any, Any], ndarray]] = {}

    def copy_to(self, queue: Queue | None, at: int, array: np.ndarray[Any, Any]) -> ndarray:
        """Return the copy of an argument: one for all that are the same elements."""
        same = (copy for other, copy in self._copies.values() if _place_of(other) == _place_of(array))
        copy = next(same, None)
        if copy is None:
            copy = tensor.asarray(array, sycl_queue=queue, copy=True)
        self._copies[at] = array, copy
        return copy

    def check(self, written: Sequence[bool]) -> None:
        """Raise if what the kernel writes cannot come back as it was written."""
        for at, (array, copy) in self._copies.items():
            if not written[at]:
                continue
            name = self._names[at]
            if not array.flags.writeable:
                raise ValueError(f"{self._kernel}, argument {name}: the NumPy array is read-only, and is written to")
            for other_at, (other, other_copy) in self._copies.items():
                if other_copy is not copy and _overlap(array, other):
                    raise ValueError(
                        f"{self._kernel}: {name} is written to and shares some of its memory with "
                        f"{self._names[other_at]}; the copies of the two would not. Pass one array and let the kernel "
                        f"index it, or copy one of them first: {name}.copy()"
                    )

    def copy_back(self, written: Sequence[bool]) -> None:
        """Copy what the kernel has written to where the caller sees it."""
        for at, (array, copy) in self._copies.items():
            if written[at]:
                np.copyto(array, tensor.asnumpy(copy))


def _place_of(array: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype


def _overlap(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    try:
        return np.shares_memory(one, other, max_work=1000)  # type: ignore[arg-type]  # any number of steps
    except RuntimeError:
        # It was too hard to tell.
        return True


def prepared(name: str, names: list[str], args: tuple[Any, ...], host: HostArrays) -> tuple[Any, ...]:
    """Return the arguments of a launch as the native half takes them.

    Whatever says nothing, or several things, about where to run is an error.
    """
    ours = [at for at, arg in enumerate(args) if isinstance(arg, ndarray)]
    foreign = [(arg, at) for at, arg in enumerate(args) if isinstance(arg, np.ndarray)]
    queue = offload_queue()
    if ours and foreign:
        raise ExecutionPlacementError(_mixed(name, names[ours[0]], names[foreign[0][1]], queue))
    if foreign and queue is None:
        raise ExecutionPlacementError(
            f"{name}: {names[foreign[0][1]]} is a NumPy array, which is on no queue, so where to run the kernel cannot "
            f"be told. Copy it to one with situ.tensor.asarray({names[foreign[0][1]]}, device=...), or let the kernel "
            "take NumPy arrays inside of `with situ.kernels.offload_to_sycl_device(queue):`"
        )
    if not ours and not foreign:
        raise ExecutionPlacementError(
            f"{name}: no argument is an array, so where to run the kernel cannot be told; pass an array that it writes "
            "to"
        )
    moved = list(args)
    for at, arg in enumerate(args):
        if isinstance(arg, np.ndarray):
            moved[at] = host.copy_to(queue, at, arg)
    return tuple(moved)


def with_locals(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments with LocalAccessors as the native half takes them."""
    return tuple(native.Local(arg.shape, arg.dtype) if type(arg) is LocalAccessor else arg for arg in args)


def _mixed(name: str, ours: str, foreign: str, queue: Queue | None) -> str:
    message = (
        f"{name}: {ours} is an array of situ and {foreign} a NumPy array: a kernel takes one or the other. {ours} says "
        f"where to run, and nothing says that {foreign} may go there"
    )
    if queue is not None:
        message += (
            f"; offload_to_sycl_device says where NumPy arrays go ({queue.sycl_device.filter_string}), which need not "
            f"be where {ours} is, and to compute where the data is would mean two places"
        )
    return f"{message}. Copy it first: {foreign} = situ.tensor.asarray({foreign}, sycl_queue={ours}.sycl_queue)"


def parameter(kernel: str, name: str, arg: Any) -> Parameter:
    """Return what a kernel has to know of an argument."""
    if isinstance(arg, ndarray):
        return Parameter("array", arg.dtype, arg.ndim)
    if isinstance(arg, (native.Local, LocalAccessor)):
        return Parameter("local", arg.dtype, arg.ndim)
    try:
        type_ = native.type_of(arg)
    except TypeError:
        raise TypeError(f"{kernel}: argument {name} is a {type(arg).__name__}; kernels take {_TAKEN}") from None
    return Parameter("number", np.dtype(native.type_name(type_)), 0, type_)


def specified(kernel: str, name: str, arg: Any) -> Parameter:
    """Return a parameter from an argument, or from what describes one."""
    if isinstance(arg, tuple) and len(arg) == 2:
        return Parameter("array", np.dtype(arg[0]), int(arg[1]))
    if isinstance(arg, np.ndarray):
        return Parameter("array", arg.dtype, arg.ndim)
    if isinstance(arg, type) and arg in (int, float, complex, bool):
        arg = arg()
    elif isinstance(arg, (str, np.dtype)) or isinstance(arg, type) and issubclass(arg, np.generic):
        arg = np.zeros((), arg)[()]
    return parameter(kernel, name, arg)


def described(each: Parameter) -> str:
    """Return how a parameter is shown in a signature."""
    if each.kind == "number":
        is_weak = each.type != native.type_of(np.zeros((), each.dtype)[()])
        return each.dtype.kind.translate(_WEAK) if is_weak else each.dtype.name
    return f"{'local ' if each.kind == 'local' else ''}{each.dtype.name}[{each.ndim}]"


#: Python's own numbers, by the kind of their dtype.
_WEAK = str.maketrans({"b": "bool", "i": "int", "f": "float", "c": "complex"})
