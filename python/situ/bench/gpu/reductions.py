"""Reductions and scans of a square matrix: everything, along either axis; and the sieve, which is made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy

from ..contest import Snippet
from ..expressions import primes
from .libraries import Cupy, Library, NumPy, Situ, Torch, random
from .work import Work

FUNCTIONS = ("sum", "max", "mean", "std", "argmax")
DTYPES = ("float32", "float64")
SIEVE = "sieve of Eratosthenes, 10^6"
ALONG = {"": "", ", axis 0": ", axis=0", ", axis 1": ", axis=1"}
_SCANS = {"situ": "cumulative_sum", "NumPy": "cumsum", "CuPy": "cumsum", "PyTorch": "cumsum"}


def title(name: str, dtype: str, along: str = "") -> str:
    """What a reduction's row is called.

    >>> title("sum", "float32", ", axis 0")
    'sum float32, axis 0'
    """
    return f"{name} {dtype}{along}"


def _square(library: Library, dtype: str, side: int) -> Any:
    return library.keep(f"{dtype} {side}²", lambda: library.array(random(dtype, side * side).reshape(side, side)))


def _reduction(name: str, dtype: str, side: int, axis: str, library: Library) -> Mapping[str, Snippet]:
    if library.name == "JAX":
        return {}
    x, function = _square(library, dtype, side), library.function(name)
    if isinstance(library, Torch):
        # PyTorch's maximum along an axis also finds the position; `amax` does not. Its deviation is another by default.
        function = library.function("amax") if name == "max" else function
        more = ", correction=0" if name == "std" else ""
        return {"": library.snippet(f"r = f(x{axis.replace('axis', 'dim')}{more})", f=function, x=x)}
    return {"": library.snippet(f"r = f(x{axis})", f=function, x=x)}


def _scan(dtype: str, side: int, library: Library) -> Mapping[str, Snippet]:
    if library.name not in _SCANS:
        return {}
    x, function = library.operand(dtype, side * side), library.function(_SCANS[library.name])
    dim = ", dim=0" if isinstance(library, Torch) else ""
    return {"": library.snippet(f"r = f(x{dim})", f=function, x=x)}


def _sieve(limit: int, library: Library) -> Mapping[str, Snippet]:
    if not isinstance(library, (Situ, Cupy, NumPy)):
        return {}
    if isinstance(library, Situ):
        primes(library.module, 100)  # Kernels are compiled by now.
    return {"": library.snippet("r = primes(space, n)", primes=primes, space=library.module, n=limit)}


def works(side: int, dtype: str) -> Iterator[Work]:
    """The comparisons in one dtype, of which whatever is read once should be as fast as memory is read."""
    width = numpy.dtype(dtype).itemsize
    for name in FUNCTIONS:
        for along, axis in ALONG.items():
            work = partial(_reduction, name, dtype, side, axis)
            # Sums in another order differ in their last places, and in half of their places where they are large.
            comparable = name in ("max", "argmax") or bool(along)
            yield Work(title(name, dtype, along), work, nbytes=side * side * width, comparable=comparable)
    yield Work(
        title("cumulative sum", dtype), partial(_scan, dtype, side), nbytes=2 * side * side * width, comparable=False
    )


def sieve() -> Iterator[Work]:
    """A program made of masks, minima and assignments."""
    yield Work(SIEVE, partial(_sieve, 10**6))
