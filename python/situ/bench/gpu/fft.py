"""Fourier transforms: long sequences, one very long one, and many short ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy

from ..contest import Snippet
from .libraries import Library
from .work import Work

TASKS = (
    ("rfft", "float32", (64, 2**20)),
    ("rfft", "float64", (64, 2**20)),
    ("irfft", "complex64", (64, 2**19 + 1)),
    ("fft", "complex64", (2**24,)),
    ("fft", "complex128", (2**24,)),
    ("fft", "complex64", (10**5, 64)),
    ("fft2", "complex64", (16, 1024, 1024)),
)


def title(function: str, dtype: str, shape: tuple[int, ...]) -> str:
    """What a row is called.

    >>> title("fft", "complex64", (2, 8))
    'fft complex64 2x8'
    """
    return f"{function} {dtype} {'x'.join(map(str, shape))}"


def _operand(library: Library, dtype: str, shape: tuple[int, ...]) -> Any:
    def make() -> Any:
        rng = numpy.random.default_rng(3)
        x = rng.standard_normal(shape, numpy.float32)
        host = x + 1j * rng.standard_normal(shape, numpy.float32) if dtype.startswith("complex") else x
        return library.array(host.astype(dtype))

    return library.keep(f"fft {dtype} {shape}", make)


def _transform(function: str, dtype: str, shape: tuple[int, ...], library: Library) -> Mapping[str, Snippet]:
    if library.name == "JAX":
        return {}
    called = getattr(library.function("fft"), function)
    return {"": library.snippet("r = f(x)", f=called, x=_operand(library, dtype, shape))}


def works(smaller: int) -> Iterator[Work]:
    """The comparisons, with the first axis halved so many times."""
    for function, dtype, shape in TASKS:
        less = (max(shape[0] >> smaller, 1), *shape[1:])
        # Libraries round in ways of their own, and the sums are long.
        yield Work(title(function, dtype, less), partial(_transform, function, dtype, less), comparable=False)
