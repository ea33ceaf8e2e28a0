"""Reductions and scans against NumPy: whole arrays, along either axis of a matrix, and every other element."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy

import situ
from situ import tensor

from .contest import Case, Cell, Contest, Snippet
from .matrix import SIZES, agree
from .operands import matrix_shape
from .summary import Measured

FUNCTIONS = {
    "sum": "sum",
    "max": "max",
    "mean": "mean",
    "std": "std",
    "argmax": "argmax",
    "any": "any",
    "cumulative_sum": "cumsum",
}
DTYPES = ("float64", "float32", "int32")
LAYOUTS = ("whole", "axis 0", "axis 1", "strided")
SAMPLE = ("sum", "std", "cumulative_sum")
"""The functions of a run that is not the whole of it."""

_FAR = 10**7
"""From this size on the caches are emptied before each call: the best of many runs would find some of it there."""
_EVICTED_BYTES = 400 << 20


FAMILY = "reductions"


def cell_of(function: str, dtype: str, layout: str, n: int) -> Cell:
    """The cell of a comparison.

    >>> cell_of("sum", "float32", "axis 0", 10**5).name
    'sum float32 axis 0 n=10^5'
    """
    return Cell(function, dtype, layout, n, FAMILY)


def is_whole(found: Sequence[Measured]) -> bool:
    """Whether every comparison was made."""
    return len(found) == len(FUNCTIONS) * len(DTYPES) * len(LAYOUTS) * len(SIZES)


@lru_cache(maxsize=1)
def _others() -> Any:
    return numpy.ones(_EVICTED_BYTES, numpy.int8)


def evict() -> None:
    """Fill the caches with something else."""
    others = _others()
    others += 1


@lru_cache(maxsize=2)
def _operands(dtype: str, layout: str, n: int, nothing: bool) -> tuple[Any, Any]:
    shape: tuple[int, ...] = matrix_shape(n) if layout.startswith("axis") else (n,)
    count = 2 * n if layout == "strided" else n
    drawn = numpy.random.default_rng(7).uniform(-1000, 1000, min(count, 10**5))
    host = numpy.zeros(count, dtype) if nothing else numpy.resize(drawn.astype(dtype), count)
    if layout == "strided":
        return host[::2], tensor.asarray(host)[::2]
    return host.reshape(shape), tensor.asarray(host.reshape(shape))


def _contest(function: str, dtype: str, layout: str, n: int) -> Contest:
    # Whoever looks for a number that is not zero would stop at the first.
    theirs, ours = _operands(dtype, layout, n, function == "any")
    axis = f", axis={layout[-1]}" if layout.startswith("axis") else ""
    wait = situ.get_device_cached_queue("cpu").wait
    before = "evict()" if n >= _FAR else ""
    our_names = {"f": getattr(tensor, function), "x": ours, "wait": wait, "evict": evict}
    their_names = {"f": getattr(numpy, FUNCTIONS[function]), "x": theirs, "evict": evict}
    # Of every other size situ's work is done, or nearly, when the call returns.
    ours_text = f"r = f(x{axis}); wait()"
    wanted = numpy.asarray(their_names["f"](theirs, **({"axis": int(layout[-1])} if axis else {})))
    found = our_names["f"](ours, **({"axis": int(layout[-1])} if axis else {}))
    agreed = _agree(found, wanted)
    return Contest(
        Snippet(ours_text, our_names, before=before),
        {"NumPy": Snippet(f"r = f(x{axis})", their_names, before=before)},
        check=lambda: agreed,
    )


def _agree(found: Any, wanted: Any) -> bool:
    """Whether results agree; sums of many numbers in another order only nearly do."""
    if wanted.dtype.kind == "f":
        scale = float(numpy.abs(wanted).max()) + 1.0
        near = numpy.abs(tensor.asnumpy(found).astype(float) - wanted) <= scale * (
            1e-3 if wanted.itemsize == 4 else 1e-9
        )
        return bool(found.dtype == wanted.dtype and found.shape == wanted.shape and near.all())
    return agree(found, wanted)


def cases(names: Sequence[str] | None = None, sizes: Sequence[int] = SIZES) -> Iterator[Case]:
    """Every comparison, or those of some functions and sizes.

    >>> [case.name for case in cases(["max"], [10])][:2]
    ['max float64 whole n=10', 'max float64 axis 0 n=10']
    """
    for function in FUNCTIONS if names is None else names:
        for dtype in DTYPES:
            for n in sizes:
                for layout in LAYOUTS:
                    cell = cell_of(function, dtype, layout, n)
                    repeats = 1 if n >= _FAR else None
                    yield Case(cell.name, partial(_contest, function, dtype, layout, n), repeats, cell)


def forget() -> None:
    """Give the memory of the operands made so far back."""
    _operands.cache_clear()
    _others.cache_clear()
