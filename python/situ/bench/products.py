"""Products of matrices against NumPy: single ones, batches of small ones, and a matrix times a column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy

import situ
from situ import tensor

from .contest import BLAS_SLEEPS, Case, Cell, Contest, Snippet

FAMILY = "products"
DTYPES = ("float32", "float64", "complex64", "complex128", "int32")
SIZES = (8, 32, 64, 256, 512, 1024, 2048)
SAMPLE = (8, 32, 256, 1024)
"""The sizes of a run that is not the whole of it."""
LAYOUTS = ("square", "transposed", "batch", "column", "row")
_BATCHED = (8, 32)
"""The sides of matrices in batches."""
_BATCH_ELEMENTS = 2**20
_LARGEST_INTEGERS = 256
"""NumPy takes seconds for larger ones."""


def sizes_of(dtype: str, layout: str) -> tuple[int, ...]:
    """The sides of the matrices that are compared.

    >>> sizes_of("float32", "batch"), sizes_of("int32", "square")
    ((8, 32), (8, 32, 64, 256))
    """
    largest = _LARGEST_INTEGERS if dtype == "int32" else SIZES[-1]
    return tuple(n for n in SIZES if n <= largest and (layout != "batch" or n in _BATCHED))


def cell_of(dtype: str, layout: str, n: int) -> Cell:
    """The cell of a comparison.

    >>> cell_of("float32", "batch", 8).name
    'matmul float32 batch n=8'
    """
    return Cell("matmul", dtype, layout, n, FAMILY)


@lru_cache(maxsize=2)
def _operands(dtype: str, layout: str, n: int) -> tuple[Any, Any]:
    generator = numpy.random.default_rng(7)
    shape = (_BATCH_ELEMENTS // n**2, n, n) if layout == "batch" else (n, n)

    def drawn(shape: tuple[int, ...]) -> Any:
        if dtype == "int32":
            return generator.integers(-1000, 1000, shape, dtype)
        real = generator.standard_normal(shape)
        return (real + 1j * generator.standard_normal(shape) if dtype.startswith("complex") else real).astype(dtype)

    first, second = drawn(shape), drawn(shape)
    if layout == "column":
        second = drawn((n,))
    if layout == "row":
        first = drawn((n,))
    return first, second


def _contest(dtype: str, layout: str, n: int) -> Contest:
    theirs = _operands(dtype, layout, n)
    ours = [tensor.asarray(x) for x in theirs]
    statement = "r = x @ y.T" if layout == "transposed" else "r = x @ y"
    wait = situ.get_device_cached_queue("cpu").wait
    our_names, their_names = ({"x": x, "y": y} for x, y in (ours, theirs))
    made = [names["x"] @ (names["y"].T if layout == "transposed" else names["y"]) for names in (our_names, their_names)]
    agreed = _agree(tensor.asnumpy(made[0]), made[1], n)
    return Contest(
        Snippet(f"{statement}; wait()", our_names | {"wait": wait}),
        {"NumPy": Snippet(statement, their_names)},
        check=lambda: agreed,
        rest=BLAS_SLEEPS,
    )


def _agree(found: Any, wanted: Any, terms: int) -> bool:
    """Whether results agree; sums in another order only nearly do."""
    if (found.dtype, found.shape) != (wanted.dtype, wanted.shape):
        return False
    if wanted.dtype.kind == "i":
        return bool((found == wanted).all())
    limit = 8 * terms * numpy.finfo(wanted.dtype).eps
    return bool((numpy.abs(found - wanted) <= limit).all())


def cases(dtypes: Sequence[str] = DTYPES, sizes: Sequence[int] = SIZES) -> Iterator[Case]:
    """Every comparison, or those of some dtypes and sizes.

    >>> [case.name for case in cases(["float32"], [8])][:2]
    ['matmul float32 square n=8', 'matmul float32 transposed n=8']
    """
    for dtype in dtypes:
        for layout in LAYOUTS:
            for n in sizes_of(dtype, layout):
                if n in sizes:
                    cell = cell_of(dtype, layout, n)
                    yield Case(cell.name, partial(_contest, dtype, layout, n), None, cell)


def forget() -> None:
    """Give the memory of the operands made so far back."""
    _operands.cache_clear()
