"""Functions that arrange elements in a new array, against NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy

import situ
from situ import tensor

from .contest import Case, Cell, Contest, Snippet
from .matrix import agree
from .operands import matrix_shape
from .reductions import evict
from .summary import Measured

FAMILY = "manipulation"
DTYPES = ("float64", "float32", "uint8")
SIZES = (10**3, 10**5, 10**7)

_FAR = 10**7
"""From this size on the caches are emptied before each call: the best of many runs would find some of it there."""


@dataclass(frozen=True)
class Arrangement:
    """What is done to elements: a statement over the operands, and the functions `f` and `copy`."""

    layout: str
    function: str
    numpy_function: str
    statement: str
    numpy_statement: str


def _alike(layout: str, function: str, numpy_function: str, statement: str) -> Arrangement:
    return Arrangement(layout, function, numpy_function, statement, statement)


WORKS = (
    _alike("2 pieces", "concat", "concatenate", "f(halves)"),
    _alike("20 pieces", "concat", "concatenate", "f(pieces)"),
    _alike("axis 1", "concat", "concatenate", "f(columns, axis=1)"),
    _alike("20 rows", "stack", "stack", "f(pieces)"),
    _alike("20 columns", "stack", "stack", "f(pieces, axis=1)"),
    _alike("flat", "roll", "roll", "f(x, k)"),
    _alike("both axes", "roll", "roll", "f(m, (3, -5), axis=(0, 1))"),
    _alike("row", "tile", "tile", "f(piece, 20)"),
    _alike("matrix", "tile", "tile", "f(part, (2, 2))"),
    _alike("each twice", "repeat", "repeat", "f(half, 2)"),
    _alike("rows twice", "repeat", "repeat", "f(top, 2, axis=0)"),
    _alike("counts", "repeat", "repeat", "f(half, counts)"),
    Arrangement("and copy", "flip", "flip", "copy(f(x), order='C')", "f(x).copy()"),
    Arrangement("and copy", "permute_dims", "transpose", "copy(f(m, (1, 0)), order='C')", "f(m, (1, 0)).copy()"),
    Arrangement("with copy", "reshape", "reshape", "f(m.T, -1)", "f(m.T, -1)"),
)


def is_whole(found: Sequence[Measured]) -> bool:
    """Whether every comparison was made."""
    return len(found) == len(WORKS) * len(DTYPES) * len(SIZES)


def _names(n: int, host: Any, array: Callable[[Any], Any]) -> dict[str, Any]:
    """The operands of every statement, made of a row of elements."""
    rows, columns = matrix_shape(n)
    matrix = host[: rows * columns].reshape(rows, columns)
    piece = host[: n // 20]
    return {
        "x": array(host),
        "m": array(matrix),
        "k": n // 3,
        "halves": [array(host[: n // 2]), array(host[n // 2 :])],
        "half": array(host[: n // 2]),
        "piece": array(piece),
        "pieces": [array(piece) for _ in range(20)],
        "columns": [array(matrix[:, : columns // 2]), array(matrix[:, columns // 2 :])],
        "part": array(matrix[: rows // 2, : columns // 2]),
        "top": array(matrix[: rows // 2]),
        "counts": array(numpy.arange(n // 2) % 5),
    }


@lru_cache(maxsize=1)
def _operands(dtype: str, n: int) -> tuple[dict[str, Any], dict[str, Any]]:
    drawn = numpy.random.default_rng(7).integers(0, 250, min(n, 10**5)).astype(dtype)
    host = numpy.resize(drawn, n)
    return _names(n, host, numpy.ascontiguousarray), _names(n, host, tensor.asarray)


def _contest(work: Arrangement, dtype: str, n: int) -> Contest:
    theirs, ours = _operands(dtype, n)
    before = "evict()" if n >= _FAR else ""
    wait = situ.get_device_cached_queue("cpu").wait
    our_names = {**ours, "f": getattr(tensor, work.function), "copy": tensor.copy, "wait": wait, "evict": evict}
    their_names = {**theirs, "f": getattr(numpy, work.numpy_function), "evict": evict}
    found, wanted = eval(work.statement, dict(our_names)), eval(work.numpy_statement, dict(their_names))
    agreed = agree(found, wanted)
    return Contest(
        Snippet(f"r = {work.statement}; wait()", our_names, before=before),
        {"NumPy": Snippet(f"r = {work.numpy_statement}", their_names, before=before)},
        check=lambda: agreed,
    )


def cases(names: Sequence[str] | None = None, sizes: Sequence[int] = SIZES) -> Iterator[Case]:
    """Every comparison, or those of some functions and sizes.

    >>> [case.name for case in cases(["concat"], [10**3])][:2]
    ['concat float64 2 pieces n=10^3', 'concat float64 20 pieces n=10^3']
    """
    for dtype in DTYPES:
        for n in sizes:
            for work in WORKS:
                if names is None or work.function in names:
                    cell = Cell(work.function, dtype, work.layout, n, FAMILY)
                    yield Case(cell.name, partial(_contest, work, dtype, n), 1 if n >= _FAR else None, cell)


def forget() -> None:
    """Give the memory of the operands made so far back."""
    _operands.cache_clear()
