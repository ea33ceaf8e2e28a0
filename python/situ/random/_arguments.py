"""What functions that draw are given."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from .. import tensor
from .._native import ExecutionPlacementError, Queue, ndarray

#: The greatest int64.
MOST = 2**63 - 1

#: A parameter of a distribution: a number, or an array on the queue that is drawn on.
Parameter = float | ndarray


def integer(function: str, name: str, value: Any) -> int:
    """An integer, or a TypeError."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{function}: {name} must be an integer, not {type(value).__name__}") from None


def shape_of(function: str, size: Any) -> tuple[int, ...] | None:
    """A `size` argument as a shape."""
    if size is None:
        return None
    if isinstance(size, Sequence) or (isinstance(size, numpy.ndarray) and size.ndim > 0):
        shape = tuple(integer(function, "each length of size", length) for length in size)
    else:
        shape = (integer(function, "size", size),)
    if any(length < 0 for length in shape):
        raise ValueError(f"{function}: size must not be negative, but is {size}")
    return shape


def is_number(value: Any) -> bool:
    """Whether a parameter is one number."""
    return isinstance(value, (numbers.Real, numpy.bool_))


def parameter(
    function: str, name: str, value: Any, queue: Queue, dtype: Any = None, out: ndarray | None = None
) -> Parameter:
    """A number, or an array on the queue, of a floating-point dtype where none is given.

    It stays what it is while `out` is written to.
    """
    if is_number(value):
        try:
            return float(value)
        except OverflowError:
            raise ValueError(f"{function}: {name} is greater than any float") from None
    array = on_queue(function, name, value, queue)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{function}: {name} must be real numbers, not of dtype {array.dtype}")
    if dtype is None:
        dtype = array.dtype if array.dtype.kind == "f" else default_float(queue)
    return tensor.astype(array, dtype, copy=isinstance(out, ndarray) and share_memory(array, out))


def default_float(queue: Queue) -> Any:
    """The dtype of floating-point numbers that a device computes in."""
    return tensor.empty((), sycl_queue=queue).dtype


def share_memory(x: ndarray, y: ndarray) -> bool:
    """Whether two arrays may have elements in common: they are in one allocation."""
    first, second = sorted((x.usm_data, y.usm_data), key=lambda memory: memory._pointer)
    return bool(second._pointer < first._pointer + first.nbytes)


def on_queue(function: str, name: str, value: Any, queue: Queue) -> ndarray:
    """An array on the queue, made of what is none."""
    if not isinstance(value, ndarray):
        try:
            return tensor.asarray(value, sycl_queue=queue)
        except TypeError:
            raise TypeError(
                f"{function}: {name} must be a number or an array of numbers, not {type(value).__name__}"
            ) from None
    if value.sycl_queue != queue:
        raise ExecutionPlacementError(
            f"{function}: {name} is on {value.sycl_queue}, but numbers are drawn on another queue, {queue}; bring it "
            f"there with {name}.to_device(generator.sycl_queue), or draw where it is with sycl_queue={name}.sycl_queue"
        )
    return value


def require(
    function: str, name: str, value: Parameter, holds: Callable[[Any], Any], requirement: str, remedy: str = ""
) -> None:
    """A ValueError unless every element of a parameter fulfils a requirement; a NaN does not."""
    if isinstance(value, ndarray):
        if value.size == 0 or bool(tensor.all(holds(value))):
            return
        raise ValueError(f"{function}: every element of {name} must be {requirement}{remedy}")
    if not holds(value):
        raise ValueError(f"{function}: {name} must be {requirement}, but is {value}{remedy}")


def broadcast(function: str, size: tuple[int, ...] | None, **parameters: Parameter) -> tuple[int, ...]:
    """The shape of what is drawn with parameters: the one that is asked for, else the one they have in common."""
    shapes = [value.shape for value in parameters.values() if isinstance(value, ndarray)]
    common = tensor.broadcast_shapes(*shapes) if shapes else ()
    if size is None:
        return common
    for name, value in parameters.items():
        if not isinstance(value, ndarray):
            continue
        try:
            fits = tensor.broadcast_shapes(value.shape, size) == size
        except ValueError:
            fits = False
        if not fits:
            raise ValueError(
                f"{function}: {name} has shape {value.shape}, which cannot be broadcast to size {size}; "
                f"leave size out, or give one that ends with that shape"
            )
    return size


def whole(function: str, name: str, value: Any, queue: Queue, out: ndarray | None = None) -> int | ndarray:
    """An integer, or an array of int64 on the queue."""
    if is_number(value):
        is_real = not isinstance(value, numbers.Integral) and math.isfinite(value)
        return integer(function, name, int(value) if is_real and value == int(value) else value)
    array = on_queue(function, name, value, queue)
    if array.dtype.kind not in "biu":
        raise TypeError(f"{function}: {name} must be integers, not of dtype {array.dtype}; convert it with astype")
    if array.dtype == numpy.uint64 and array.size > 0 and bool(tensor.any(array > MOST)):
        raise ValueError(f"{function}: every element of {name} must be at most 2**63 - 1")
    converted = parameter(function, name, array, queue, "int64", out)
    assert isinstance(converted, ndarray)
    return converted


def asked(function: str, size: Any, out: ndarray | None) -> tuple[int, ...] | None:
    """The shape that is asked for, if any is."""
    shape = shape_of(function, size)
    return out.shape if shape is None and isinstance(out, ndarray) else shape


def is_not_negative(value: Any) -> Any:
    """Whether it is at least 0."""
    return value >= 0


def is_positive(value: Any) -> Any:
    """Whether it is above 0."""
    return value > 0


def is_share(value: Any) -> Any:
    """Whether it is a probability."""
    return (value >= 0) & (value <= 1)
