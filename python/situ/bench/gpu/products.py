"""Products of matrices: large ones, and batches of small ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from ..contest import Snippet
from .libraries import Library, random
from .work import Work

DTYPES = ("float32", "float64", "float16")
_COUNT, _SIDE = 2**14, 32
"""How many matrices are in a batch, and how large they are."""


def title(dtype: str, side: int) -> str:
    """What a product's row is called.

    >>> title("float32", 4096)
    'matmul float32, 4096 by 4096'
    """
    return f"matmul {dtype}, {side} by {side}"


def _product(dtype: str, shape: tuple[int, ...], library: Library) -> Mapping[str, Snippet]:
    size = 1
    for length in shape:
        size *= length

    def operand(seed: int) -> object:
        key = f"{dtype} {shape} {seed}"
        return library.keep(key, lambda: library.array(random(dtype, size, seed).reshape(shape)))

    return {"": library.snippet("r = f(x, y)", f=library.function("matmul"), x=operand(0), y=operand(1))}


def works(side: int) -> Iterator[Work]:
    """The comparisons, which are as exact as their sums: those of half precision are not compared."""
    for dtype in DTYPES:
        yield Work(title(dtype, side), partial(_product, dtype, (side, side)), comparable=dtype == "float64")
    for dtype in DTYPES[:2]:
        name = f"{_COUNT} times {title(dtype, _SIDE)}"
        yield Work(name, partial(_product, dtype, (_COUNT, _SIDE, _SIDE)), comparable=dtype == "float64")
