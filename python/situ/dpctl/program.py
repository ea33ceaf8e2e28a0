"""`dpctl.program`: kernels in OpenCL C or SPIR-V, for queues of the opencl backend.

>>> import situ
>>> from situ.dpctl import program
>>> program.create_program_from_source(situ.Queue("cpu"), "kernel void f() {}")
Traceback (most recent call last):
...
situ.dpctl.program.SyclProgramCompilationError: create_program_from_source: kernels in OpenCL C are for queues of the
    opencl backend, and q is one of native...
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from situ import Event, Queue, availability, tensor
from situ._native import KernelCompileError
from situ._native import kernels as native
from situ.memory import MemoryUSMDevice, MemoryUSMHost, MemoryUSMShared

__all__ = [
    "SyclKernel",
    "SyclProgram",
    "SyclProgramCompilationError",
    "create_program_from_source",
    "create_program_from_spirv",
]

_MEMORY = (MemoryUSMDevice, MemoryUSMHost, MemoryUSMShared)
# Work-items of a group where a launch does not say.
_GROUP = 256


class SyclProgramCompilationError(Exception):
    """A program could not be compiled for a queue's device."""


class SyclKernel:
    """A function of a program, which `SyclQueue.submit` launches."""

    def __init__(self, kernel: Any, name: str, facts: tuple[int, int, int, int]) -> None:
        self._kernel, self._name = kernel, name
        self._parameters, self._group_size, self._group_multiple, self._private_bytes = facts

    def get_function_name(self) -> str:
        """Return the function's name."""
        return self._name

    def get_num_args(self) -> int:
        """Return how many parameters it has."""
        return self._parameters

    @property
    def num_args(self) -> int:
        """How many parameters it has."""
        return self._parameters

    @property
    def work_group_size(self) -> int:
        """The most work-items of a group."""
        return self._group_size

    @property
    def preferred_work_group_size_multiple(self) -> int:
        """Groups are best multiples of so many work-items."""
        return self._group_multiple

    @property
    def private_mem_size(self) -> int:
        """Bytes that each work-item has to itself."""
        return self._private_bytes

    def addressof_ref(self) -> int:
        """Return a number that tells this kernel from every other one alive."""
        return id(self._kernel)

    def __repr__(self) -> str:
        return f"<kernel {self._name}>"

    def _launch_on(
        self,
        queue: Queue,
        args: Sequence[Any],
        global_size: Sequence[int],
        local_size: Sequence[int] | None,
        after: Iterable[Event] | None,
    ) -> Event:
        sizes = [int(size) for size in global_size]
        if local_size is None:
            limit = min(_GROUP, self._group_size or _GROUP)
            last = max(size for size in range(1, limit + 1) if sizes[-1] % size == 0) if sizes and sizes[-1] else 1
            groups = [*(1 for _ in sizes[1:]), last]
        else:
            groups = [int(size) for size in local_size]
        if not 1 <= len(sizes) <= 3 or len(groups) != len(sizes):
            raise ValueError(f"submit: gS has 1 to 3 sizes and lS as many, not {len(sizes)} and {len(groups)}")
        if math.prod(sizes) < 1 or math.prod(groups) < 1:
            raise ValueError(f"submit: a range of {sizes} in groups of {groups} has no work-items")
        if any(size % group for size, group in zip(sizes, groups, strict=True)):
            raise ValueError(f"submit: gS={sizes} are no multiples of lS={groups}")
        # SYCL's last axis, along which neighbours lie, is OpenCL's first.
        grid = tuple(size // group for size, group in zip(sizes, groups, strict=True))[::-1]
        given = tuple(_argument(queue, n, argument) for n, argument in enumerate(args))
        event: Event = self._kernel.launch(grid, tuple(groups)[::-1], given, 0, None if after is None else list(after))
        return event


def _argument(queue: Queue, n: int, argument: Any) -> Any:
    """What the kernel gets for an argument: an array, or a number of NumPy."""
    if isinstance(argument, _MEMORY):
        argument = tensor.usm_ndarray(argument.nbytes, dtype="uint8", buffer=argument)
    if isinstance(argument, tensor.usm_ndarray):
        if argument.sycl_context != queue.sycl_context:
            raise ValueError(f"submit: argument {n} is memory of another context than the queue's; copy it there first")
        return argument.to_device(queue)
    if isinstance(argument, ctypes._SimpleCData):
        return np.dtype(type(argument)).type(argument.value)
    return argument


class SyclProgram:
    """Kernels that were compiled together for a queue's device."""

    def __init__(self, queue: Queue, source: str | bytes, options: list[str]) -> None:
        self._queue, self._source, self._options = queue, source, options

    def _kernel(self, name: str) -> Any:
        if isinstance(self._source, bytes):
            return native.RawKernel.from_spirv(self._source, name, self._options)
        return native.RawKernel(self._source, name, self._options)

    def has_sycl_kernel(self, kernel_name: str) -> bool:
        """Tell whether it has a kernel of that name."""
        try:
            self.get_sycl_kernel(kernel_name)
        except SyclProgramCompilationError:
            return False
        return True

    def get_sycl_kernel(self, kernel_name: str) -> SyclKernel:
        """Return the kernel of that name, ready to be submitted."""
        kernel = self._kernel(kernel_name)
        try:
            facts = kernel.inspect(self._queue)
        except (KernelCompileError, ValueError) as error:
            raise SyclProgramCompilationError(str(error)) from None
        return SyclKernel(kernel, kernel_name, facts)

    def addressof_ref(self) -> int:
        """Return a number that tells this program from every other one alive."""
        return id(self)


def create_program_from_source(q: Queue, source: str, copts: str = "") -> SyclProgram:
    """Compile kernels written in OpenCL C for the device of a queue.

    >>> from situ.dpctl import program
    >>> program.create_program_from_source("cpu", "")
    Traceback (most recent call last):
    ...
    TypeError: create_program_from_source: q must be a SyclQueue, got str
    """
    _check("create_program_from_source", "kernels in OpenCL C", q)
    program = SyclProgram(q, source, copts.split())
    # Compiled now, so that what is wrong with the text is said now.
    for name in re.findall(r"\b(?:__)?kernel\s+(?:__attribute__\s*\(\(.*?\)\)\s*)?void\s+(\w+)", source)[:1]:
        program.get_sycl_kernel(name)
    return program


def create_program_from_spirv(q: Queue, IL: bytes, copts: str = "") -> SyclProgram:
    """Compile kernels from SPIR-V for the device of a queue, if its driver takes such.

    >>> from situ.dpctl import program
    >>> program.create_program_from_spirv("cpu", b"")
    Traceback (most recent call last):
    ...
    TypeError: create_program_from_spirv: q must be a SyclQueue, got str
    """
    _check("create_program_from_spirv", "kernels in SPIR-V", q)
    return SyclProgram(q, bytes(IL), copts.split())


def _check(function: str, what: str, q: object) -> None:
    if not isinstance(q, Queue):
        raise TypeError(f"{function}: q must be a SyclQueue, got {type(q).__name__}")
    if q.backend.name != "opencl":
        reason = availability().get("opencl")
        raise SyclProgramCompilationError(
            f"{function}: {what} are for queues of the opencl backend, and q is one of {q.backend.name}"
            + (f"; of opencl situ says: {reason}" if reason else "; one is made by SyclQueue('opencl')")
        )
