"""Random elements sorted, their positions, and the distinct ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy

from ..contest import Snippet
from .libraries import Library, Torch
from .work import Work

FUNCTIONS = ("sort", "argsort", "unique")
DTYPES = ("float32", "float64")


def title(name: str, dtype: str) -> str:
    """What a row is called.

    >>> title("sort", "float32")
    'sort float32'
    """
    return f"{name} {dtype}"


def _operand(library: Library, dtype: str, n: int) -> Any:
    """Elements of which hardly two are equal."""

    def make() -> Any:
        return library.array(numpy.random.default_rng(3).random(n, numpy.dtype(dtype).type))

    return library.keep(f"sorting {dtype}", make)


def _sorting(name: str, dtype: str, n: int, library: Library) -> Mapping[str, Snippet]:
    if library.name == "JAX":
        return {}
    x = _operand(library, dtype, n)
    called = "unique_values" if name == "unique" and library.name == "situ" else name
    # PyTorch's `sort` also finds positions, whoever asks.
    values = "[0]" if isinstance(library, Torch) and name == "sort" else ""
    return {"": library.snippet(f"r = f(x){values}", f=library.function(called), x=x)}


def works(n: int) -> Iterator[Work]:
    """The comparisons; of equal elements peers may name another first, so that positions are not compared."""
    for dtype in DTYPES:
        for name in FUNCTIONS:
            yield Work(title(name, dtype), partial(_sorting, name, dtype, n), comparable=name != "argsort")
