"""`dpctl.program`: kernels from source, which no backend of situ compiles yet.

>>> import situ
>>> from situ.dpctl import program
>>> program.create_program_from_source(situ.Queue("cpu"), "kernel void f() {}")
Traceback (most recent call last):
...
situ.dpctl.program.SyclProgramCompilationError: create_program_from_source: kernels in OpenCL C are for queues of the
    opencl backend, and q is one of native; of opencl situ says: ...
"""

from __future__ import annotations

from typing import NoReturn

from situ import Queue, availability

__all__ = [
    "SyclProgramCompilationError",
    "create_program_from_source",
    "create_program_from_spirv",
]


class SyclProgramCompilationError(Exception):
    """A program could not be compiled for a queue's device."""


def create_program_from_source(q: Queue, source: str, copts: str = "") -> NoReturn:
    """Compile kernels written in OpenCL C, if the queue's backend could.

    >>> from situ.dpctl import program
    >>> program.create_program_from_source("cpu", "")
    Traceback (most recent call last):
    ...
    TypeError: create_program_from_source: q must be a SyclQueue, got str
    """
    _refuse("create_program_from_source", "kernels in OpenCL C", q)


def create_program_from_spirv(q: Queue, IL: bytes, copts: str = "") -> NoReturn:
    """Compile kernels from SPIR-V, if the queue's backend could.

    >>> from situ.dpctl import program
    >>> program.create_program_from_spirv("cpu", b"")
    Traceback (most recent call last):
    ...
    TypeError: create_program_from_spirv: q must be a SyclQueue, got str
    """
    _refuse("create_program_from_spirv", "kernels in SPIR-V", q)


def _refuse(function: str, what: str, q: object) -> NoReturn:
    if not isinstance(q, Queue):
        raise TypeError(f"{function}: q must be a SyclQueue, got {type(q).__name__}")
    raise SyclProgramCompilationError(
        f"{function}: {what} are for queues of the opencl backend, and q is one of {q.backend.name}; "
        f"of opencl situ says: {availability().get('opencl')}"
    )
