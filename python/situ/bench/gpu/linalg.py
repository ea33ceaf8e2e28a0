"""Linear algebra: one large matrix, and batches of small ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import Any

import numpy

from ..contest import Snippet
from .libraries import Jax, Library
from .work import Work

DTYPES = ("float32", "float64")
LARGE = {"solve": 2048, "inv": 1024, "cholesky": 4096, "qr": 2048, "svdvals": 1024, "eigh": 1024}
"""Rows and columns of the one matrix that a function is given."""
BATCHES = ((10_000, 4), (1_000, 16), (100, 128))
"""How many matrices there are, and how large they are."""
BATCHED = ("solve", "inv", "cholesky", "svd", "eigh")


def title(name: str, dtype: str, side: int, count: int = 1) -> str:
    """What a row is called.

    >>> title("solve", "float64", 2048)
    'linalg solve float64, 2048 by 2048'
    >>> title("inv", "float32", 4, 10000)
    '10000 times linalg inv float32, 4 by 4'
    """
    times = "" if count == 1 else f"{count} times "
    return f"{times}linalg {name} {dtype}, {side} by {side}"


@lru_cache(maxsize=2)
def _matrices(name: str, side: int, count: int) -> Any:
    """Matrices as a function wants them: symmetric, positive definite, or any."""
    shape = (side, side) if count == 1 else (count, side, side)
    x = numpy.random.default_rng(7).standard_normal(shape)
    if name == "eigh":
        return x + numpy.swapaxes(x, -1, -2)
    if name == "cholesky":
        return x @ numpy.swapaxes(x, -1, -2) + numpy.eye(side) * side
    return x


def _ways(name: str, dtype: str, side: int, count: int, library: Library) -> Mapping[str, Snippet]:
    if isinstance(library, Jax):
        return {}  # it would have to be told to wait for every part of a result
    names = {"x": library.array(_matrices(name, side, count).astype(dtype))}
    arguments = "x"
    if name == "solve":
        names["b"] = library.array(numpy.ones((*names["x"].shape[:-1], 1), dtype))
        arguments = "x, b"
    elif name == "svd":
        arguments = "x, full_matrices=False"
    functions = library.module.linalg
    if name == "svdvals" and not hasattr(functions, name):
        name, arguments = "svd", "x, compute_uv=False"
    return {"": library.snippet(f"r = f({arguments})", f=getattr(functions, name), **names)}


def works(smaller: int = 0) -> Iterator[Work]:
    """The comparisons, with fewer and smaller matrices if they are to be.

    Last digits, signs and phases are the libraries' own, so that results are not compared.
    """
    halvings = (smaller + 1) // 2
    for dtype in DTYPES:
        for name, side in LARGE.items():
            side = max(side >> halvings, 4)
            yield Work(title(name, dtype, side), partial(_ways, name, dtype, side, 1), comparable=False)
    for dtype in DTYPES:
        for count, side in BATCHES:
            count = max(count >> halvings, 2)
            for name in BATCHED:
                ways = partial(_ways, name, dtype, side, count)
                yield Work(title(name, dtype, side, count), ways, comparable=False)
