"""The matrix in a few figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import geometric_mean as mean
from typing import NamedTuple

from .contest import Cell, Result, power
from .functions import functions

WORST = 10


class Measured(NamedTuple):
    """A cell with its result against NumPy."""

    cell: Cell
    result: Result


class Group(NamedTuple):
    """Part of the matrix: its mean ratio, and how many of its cells are below 1."""

    title: str
    mean: float
    below: int
    number: int


def cells(results: Sequence[Result], family: str = "elementwise") -> list[Measured]:
    """The results of a family's matrix against NumPy."""
    found = [Measured(r.cell, r) for r in results if r.cell is not None and r.peer == "NumPy"]
    return [measured for measured in found if measured.cell.family == family]


def is_whole(found: Sequence[Measured]) -> bool:
    """Whether every function took part, so that a mean says something about the matrix."""
    return {measured.cell.function for measured in found} == set(functions())


def geometric_mean(found: Sequence[Measured]) -> float:
    """The geometric mean of the ratios."""
    return mean(measured.result.ratio for measured in found)


def below(found: Sequence[Measured]) -> list[Measured]:
    """The cells where NumPy is faster, worst first."""
    return sorted((m for m in found if m.result.ratio < 1), key=lambda m: m.result.ratio)


def _grouped(found: Sequence[Measured], key: Callable[[Cell], str]) -> list[Group]:
    parts: dict[str, list[Measured]] = {}
    for measured in found:
        parts.setdefault(key(measured.cell), []).append(measured)
    return [Group(title, geometric_mean(part), len(below(part)), len(part)) for title, part in parts.items()]


def groups(found: Sequence[Measured]) -> list[Group]:
    """Everything together, then by layout, by dtype and by size."""
    return [
        *_grouped(found, lambda cell: "all cells"),
        *_grouped(found, lambda cell: cell.layout),
        *_grouped(found, lambda cell: cell.dtype),
        *_grouped(found, lambda cell: f"n={power(cell.n)}"),
    ]
