"""What every generator is: a place in a stream, and a place for arrays."""

from __future__ import annotations

import secrets
import threading
from typing import Any, SupportsIndex

import numpy

from .. import _native, tensor
from .._native import ExecutionPlacementError, Queue, ndarray
from .._typing import DeviceLike, DTypeLike
from ._arguments import Parameter, integer

#: Keys have 64 bits, and numbers of blocks 128.
KEYS = 1 << 64
COUNTERS = 1 << 128


class Source:
    """A place in a stream, and a queue for arrays."""

    def __init__(
        self,
        seed: SupportsIndex | None = None,
        *,
        device: DeviceLike | None = None,
        usm_type: str | None = None,
        sycl_queue: Queue | None = None,
    ) -> None:
        key = secrets.randbits(64) if seed is None else integer("Generator", "seed", seed)
        if not 0 <= key < KEYS:
            raise ValueError(f"Generator: seed must be from 0 up to 2**64 - 1, but is {key}; take it modulo 2**64")
        nothing = tensor.empty(0, device=device, usm_type=usm_type, sycl_queue=sycl_queue)
        self._queue, self._usm_type = nothing.sycl_queue, nothing.usm_type
        self._key, self._counter, self._children = key, 0, 0
        self._lock = threading.Lock()

    @property
    def sycl_queue(self) -> Queue:
        """The queue that arrays belong to, unless a call names another.

        >>> from situ.random import Generator
        >>> Generator(1, device="cpu").sycl_queue.sycl_device.filter_string
        'native:cpu:0'
        """
        return self._queue

    @property
    def state(self) -> dict[str, int]:
        """Where the generator is: its key, the number of its next block, and how many children it has.

        >>> from situ import tensor
        >>> from situ.random import Generator
        >>> generator = Generator(7)
        >>> state = generator.state
        >>> first = generator.random(3)
        >>> generator.state = state
        >>> bool(tensor.all(generator.random(3) == first))
        True
        """
        with self._lock:
            return {"key": self._key, "counter": self._counter, "children": self._children}

    @state.setter
    def state(self, state: dict[str, int]) -> None:
        limits = {"key": KEYS, "counter": COUNTERS, "children": KEYS}
        if not isinstance(state, dict) or set(state) != set(limits):
            raise ValueError("state: expected a dictionary with key, counter and children, as the attribute gives it")
        values = {name: integer("state", name, state[name]) for name in limits}
        for name, value in values.items():
            if not 0 <= value < limits[name]:
                raise ValueError(f"state: {name} must be from 0 up to {limits[name] - 1}, but is {value}")
        with self._lock:
            self._key, self._counter, self._children = (values[name] for name in limits)

    def _room(
        self,
        function: str,
        shape: tuple[int, ...] | None,
        dtype: DTypeLike | None,
        dtypes: str,
        out: ndarray | None,
        usm_type: str | None,
        sycl_queue: Queue | None,
    ) -> ndarray:
        """A new array to be filled, or the one that is given; its dtype is of one of these kinds and widths."""
        if out is not None:
            if not isinstance(out, ndarray):
                raise TypeError(f"{function}: out must be an array of situ, not {type(out).__name__}")
            if shape is not None and out.shape != shape:
                raise ValueError(f"{function}: out has shape {out.shape}, but {shape} is drawn")
            if dtype is not None and out.dtype != numpy.dtype(dtype):
                raise ValueError(
                    f"{function}: out has dtype {out.dtype}, but dtype is {numpy.dtype(dtype)}; leave it out"
                )
            if sycl_queue is not None and out.sycl_queue != sycl_queue:
                raise ExecutionPlacementError(
                    f"{function}: out is on {out.sycl_queue}, another queue than sycl_queue; leave sycl_queue out"
                )
            if usm_type is not None and out.usm_type != usm_type:
                raise ValueError(
                    f"{function}: out is of usm_type {out.usm_type!r}, not {usm_type!r}; leave usm_type out"
                )
            if not out.flags.writable:
                raise ValueError(f"{function}: out is read-only; give a copy of it")
            made = out
        else:
            kind = self._usm_type if usm_type is None else usm_type
            queue = sycl_queue or self._queue
            made = tensor.empty(shape or (), dtype=dtype, usm_type=kind, sycl_queue=queue)
        if f"{made.dtype.kind}{made.dtype.itemsize}" not in dtypes.split():
            names = ", ".join(numpy.dtype(each).name for each in dtypes.split())
            raise TypeError(
                f"{function}: dtype must be one of {names}, not {made.dtype}; convert the result with astype"
            )
        return made

    def _fill(self, made: ndarray, distribution: str) -> ndarray:
        with self._lock:
            self._counter = (self._counter + _native.draw(made, distribution, self._key, self._counter)) % COUNTERS
        return made

    def _target(self, out: ndarray | None, sycl_queue: Queue | None) -> Queue:
        """The queue that parameters must be on."""
        if isinstance(out, ndarray):
            return out.sycl_queue
        return sycl_queue or self._queue

    def _sample(
        self, function: Any, made: ndarray, *parameters: Parameter, dtype: str = "float64", each: int = 1
    ) -> ndarray:
        """Fill an array by a kernel that takes so many blocks for each element, and parameters of a dtype."""
        is_dense, count = made.flags.c_contiguous, made.size
        flat = made.reshape(-1) if is_dense else tensor.empty_like(made, order="C").reshape(-1)
        given = [_spread(value, made, dtype) for value in parameters]
        with self._lock:
            place = (self._key, self._counter % KEYS, self._counter // KEYS)
            if count:
                function[count](flat, *given, *map(numpy.uint64, place))
            if not is_dense:
                made[...] = flat.reshape(made.shape)
            # Last: what fails draws nothing.
            self._counter = (self._counter + each * count) % COUNTERS
        return made


def _spread(value: Parameter, made: ndarray, dtype: str) -> ndarray:
    """A parameter, once for each element of an array, one after another."""
    if isinstance(value, ndarray):
        return tensor.broadcast_to(tensor.astype(value, dtype, copy=False), made.shape).reshape(-1)
    number = tensor.asarray(value, dtype=dtype, usm_type=made.usm_type, sycl_queue=made.sycl_queue)
    return tensor.broadcast_to(number, made.size)
