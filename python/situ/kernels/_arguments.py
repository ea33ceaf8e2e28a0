"""The arguments of a launch: what kinds of them there are, and where they say that the kernel runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import tensor
from .._native import ExecutionPlacementError, Queue, ndarray
from .._native import kernels as native
from ._compile import Parameter
from ._memory import LocalAccessor
from ._offload import offload_queue

_TAKEN = "arrays of situ, int, float, complex, bool, NumPy's scalars and LocalAccessors"


def prepared(name: str, names: list[str], args: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[tuple[Any, int]]]:
    """Return the arguments of a launch as the native half takes them, and the NumPy arrays with their places.

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
            moved[at] = tensor.asarray(arg, sycl_queue=queue, copy=True)
        elif isinstance(arg, LocalAccessor):
            moved[at] = native.Local(arg.shape, arg.dtype)
    return tuple(moved), foreign


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
    if isinstance(arg, native.Local):
        return Parameter("local", arg.dtype, arg.ndim)
    try:
        type_ = native.type_of(arg)
    except TypeError:
        raise TypeError(f"{kernel}: argument {name} is a {type(arg).__name__}; kernels take {_TAKEN}") from None
    return Parameter("number", np.dtype(native.type_name(type_)), 0, type_)


def described(each: Parameter) -> str:
    """Return how a parameter is shown in a signature."""
    if each.kind == "number":
        is_weak = each.type != native.type_of(np.zeros((), each.dtype)[()])
        return each.dtype.kind.translate(_WEAK) if is_weak else each.dtype.name
    return f"{'local ' if each.kind == 'local' else ''}{each.dtype.name}[{each.ndim}]"


#: Python's own numbers, by the kind of their dtype.
_WEAK = str.maketrans({"b": "bool", "i": "int", "f": "float", "c": "complex"})
