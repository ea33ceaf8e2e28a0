"""Sorting, searching and sets against NumPy: random elements, and elements that are in order already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy

import situ
from situ import tensor

from .contest import Case, Cell, Contest, Snippet
from .reductions import evict
from .summary import Measured

FAMILY = "sorting"
DTYPES = ("float64", "float32", "int64", "int32", "uint8")
SIZES = (10**3, 10**5, 10**7)
SAMPLE = ("sort", "argsort")
"""The functions of a run that is not the whole of it."""

_FAR = 10**7
"""From this size on the caches are emptied before each call: the best of many runs would find some of it there."""


@dataclass(frozen=True)
class Task:
    """What is asked about elements: a statement over the operands `x`, `ordered`, `backwards`, `few` and `rows`."""

    function: str
    layout: str
    statement: str
    numpy_function: str
    numpy_statement: str


def _alike(function: str, layout: str, statement: str, numpy_function: str | None = None) -> Task:
    return Task(function, layout, statement, numpy_function or function, statement)


TASKS = (
    _alike("sort", "random", "f(x)"),
    _alike("sort", "in order", "f(ordered)"),
    _alike("sort", "backwards", "f(backwards)"),
    _alike("sort", "rows of 30", "f(rows)"),
    _alike("sort", "axis 0", "f(rows, axis=0)"),
    _alike("argsort", "random", "f(x)"),
    _alike("argsort", "in order", "f(ordered)"),
    _alike("unique_values", "random", "f(x)"),
    _alike("unique_counts", "random", "f(x)"),
    _alike("unique_inverse", "random", "f(x)"),
    _alike("unique_all", "random", "f(x)"),
    _alike("searchsorted", "random", "f(ordered, x)"),
    _alike("isin", "10 elements", "f(x, few)"),
    _alike("isin", "as many", "f(x, backwards)"),
    # NumPy has nothing that finds them alone and in order.
    Task("top_k", "10", "f(x, 10)", "partition", "f(x, -10)[-10:]"),
)


def cell_of(task: Task, dtype: str, n: int) -> Cell:
    """The cell of a comparison.

    >>> cell_of(TASKS[0], "float32", 10**5).name
    'sort float32 random n=10^5'
    """
    return Cell(task.function, dtype, task.layout, n, FAMILY)


def random_cell(function: str, dtype: str, n: int) -> Cell:
    """The cell of a function over random elements."""
    return Cell(function, dtype, "random", n, FAMILY)


GOALS = (
    ("sort", 10**3, 0.8),
    ("sort", 10**5, 0.8),
    ("sort", 10**7, 1.3),
    ("argsort", 10**5, 2.0),
    ("argsort", 10**7, 4.0),
)
"""How many times NumPy a function is to be, over random elements of every dtype."""


def is_whole(found: Sequence[Measured]) -> bool:
    """Whether every comparison was made."""
    return len(found) == len(TASKS) * len(DTYPES) * len(SIZES)


@lru_cache(maxsize=1)
def _operands(dtype: str, n: int) -> tuple[dict[str, Any], dict[str, Any]]:
    rng = numpy.random.default_rng(7)
    if dtype.startswith("float"):
        x = rng.random(n).astype(dtype)
    else:
        limits = numpy.iinfo(dtype)
        x = rng.integers(limits.min, limits.max, n, dtype, endpoint=True)
    ordered = numpy.sort(x)
    theirs = {
        "x": x,
        "ordered": ordered,
        "backwards": ordered[::-1].copy(),
        "few": x[:10].copy(),
        "rows": x[: n // 30 * 30].reshape(-1, 30).copy(),
    }
    return theirs, {name: tensor.asarray(each) for name, each in theirs.items()}


def _agree(task: Task, found: Any, wanted: Any) -> bool:
    """Whether results agree, as far as NumPy promises an order."""
    if task.function == "top_k":
        return bool((tensor.asnumpy(found.values)[::-1] == numpy.sort(wanted)).all())
    if task.function == "argsort":
        # Equal elements may be in any order where NumPy sorts as it likes.
        return bool(found.shape == wanted.shape and found.dtype == wanted.dtype)
    if task.function == "unique_values":
        return bool((tensor.asnumpy(found) == numpy.sort(wanted)).all())
    pairs = zip(found, wanted, strict=True) if isinstance(found, tuple) else [(found, wanted)]
    return all(bool((tensor.asnumpy(ours) == theirs).all()) for ours, theirs in pairs)


def _contest(task: Task, dtype: str, n: int) -> Contest:
    theirs, ours = _operands(dtype, n)
    before = "evict()" if n >= _FAR else ""
    wait = situ.get_device_cached_queue("cpu").wait
    our_names = {**ours, "f": getattr(tensor, task.function), "wait": wait, "evict": evict}
    their_names = {**theirs, "f": getattr(numpy, task.numpy_function), "evict": evict}
    found, wanted = eval(task.statement, dict(our_names)), eval(task.numpy_statement, dict(their_names))
    agreed = _agree(task, found, wanted)
    return Contest(
        Snippet(f"r = {task.statement}; wait()", our_names, before=before),
        {"NumPy": Snippet(f"r = {task.numpy_statement}", their_names, before=before)},
        check=lambda: agreed,
    )


def cases(names: Sequence[str] | None = None, sizes: Sequence[int] = SIZES) -> Iterator[Case]:
    """Every comparison, or those of some functions and sizes.

    >>> [case.name for case in cases(["sort"], [10**3])][:2]
    ['sort float64 random n=10^3', 'sort float64 in order n=10^3']
    """
    for dtype in DTYPES:
        for n in sizes:
            for task in TASKS:
                if names is None or task.function in names:
                    cell = cell_of(task, dtype, n)
                    yield Case(cell.name, partial(_contest, task, dtype, n), 1 if n >= _FAR else None, cell)


def forget() -> None:
    """Give the memory of the operands made so far back."""
    _operands.cache_clear()
