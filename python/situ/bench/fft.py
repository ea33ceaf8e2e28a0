"""Fourier transforms against NumPy, and SciPy with two workers where it is installed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy

import situ
from situ import tensor

from .contest import Case, Contest, Snippet

PEER = "SciPy, 2 workers"
WANTED = 1.6
"""How many times SciPy transforms are to be, in the geometric mean."""
LEAST = 0.9
"""How many times SciPy each of them is to be."""


@dataclass(frozen=True)
class Task:
    """A transform of an array of some dtype and shape."""

    function: str
    dtype: str
    shape: tuple[int, ...]
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        """What the comparison is called.

        >>> Task("fft", "complex64", (2, 8), {"axis": 0}).name
        'fft complex64 2x8 axis=0'
        """
        options = "".join(f" {name}={value}" for name, value in self.options.items())
        return f"{self.function} {self.dtype} {'x'.join(map(str, self.shape))}{options}"


TASKS = (
    Task("fft", "complex128", (64,)),
    Task("fft", "complex128", (1000,)),
    Task("fft", "complex64", (1024,)),
    Task("rfft", "float64", (1024,)),
    Task("fft", "complex128", (1031,)),
    Task("fft", "complex128", (2**14,)),
    Task("fft", "complex128", (2**16,)),
    Task("fft", "complex128", (2**20,)),
    Task("fft", "complex64", (2**20,)),
    Task("fft", "complex128", (10**6,)),
    Task("fft", "complex128", (1000003,)),
    Task("fft", "float64", (2**20,)),
    Task("rfft", "float64", (2**20,)),
    Task("rfft", "float32", (2**20,)),
    Task("irfft", "complex128", (2**19 + 1,)),
    Task("fft", "complex128", (1000, 1000)),
    Task("fft", "complex64", (1000, 1024)),
    Task("fft", "complex128", (1000, 97)),
    Task("rfft", "float64", (1000, 1000)),
    Task("irfft", "complex128", (1000, 501)),
    Task("fft", "complex64", (10**5, 64)),
    Task("rfft", "float32", (10**5, 64)),
    Task("fft", "complex128", (8, 2**18)),
    Task("rfft", "float32", (16, 2**18)),
    Task("fft", "complex128", (1000, 1000), {"axis": 0}),
    Task("fft", "complex64", (1024, 1024), {"axis": 0}),
    Task("rfft", "float64", (1000, 1000), {"axis": 0}),
    Task("fft2", "complex128", (1024, 1024)),
    Task("rfft2", "float64", (1024, 1024)),
    Task("fftn", "complex64", (128, 128, 128)),
)
SAMPLE = ("fft complex128 1000", "rfft float64 1024")
"""The names of the tasks of a quick run."""


@lru_cache(maxsize=1)
def _operand(dtype: str, shape: tuple[int, ...]) -> Any:
    rng = numpy.random.default_rng(11)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype.startswith("complex") else x).astype(dtype)


def _agree(found: Any, wanted: Any) -> bool:
    """Whether results agree, but for what rounding makes of all elements."""
    size = float(numpy.abs(wanted).max())
    limit = 1e-4 if found.dtype in (numpy.float32, numpy.complex64) else 1e-11
    return bool(found.shape == wanted.shape and numpy.abs(found - wanted).max() <= limit * size)


def _contest(task: Task) -> Contest:
    x = _operand(task.dtype, task.shape)
    ours, options = tensor.asarray(x), dict(task.options)
    names = {"x": ours, "f": getattr(tensor.fft, task.function), "o": options}
    wait = situ.get_device_cached_queue("cpu").wait
    agreed = _agree(tensor.asnumpy(names["f"](ours, **options)), getattr(numpy.fft, task.function)(x, **options))
    statement = "r = f(x, **o)"
    theirs = {"NumPy": Snippet(statement, {"x": x, "f": getattr(numpy.fft, task.function), "o": options})}
    if find_spec("scipy") is not None:
        function = getattr(import_module("scipy.fft"), task.function)
        theirs[PEER] = Snippet(statement, {"x": x, "f": function, "o": options | {"workers": 2}})
    return Contest(Snippet(f"{statement}; wait()", names | {"wait": wait}), theirs, check=lambda: agreed)


def cases(*, quick: bool = False) -> Iterator[Case]:
    """Every comparison, or those of a quick run.

    >>> [case.name for case in cases(quick=True)]
    ['fft complex128 1000', 'rfft float64 1024']
    """
    for task in TASKS:
        if not quick or task.name in SAMPLE:
            yield Case(task.name, partial(_contest, task))


def forget() -> None:
    """Give the memory of the operands made so far back."""
    _operand.cache_clear()
