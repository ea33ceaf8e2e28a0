"""The matrix as tables: a row for each function, dtype and layout, a column for each size."""

from __future__ import annotations

from collections.abc import Sequence

from .._cli.draw import three_digits
from .._cli.table import Cell, Column
from .contest import Result, power
from .summary import Measured, groups

SUMMARY = (
    Column("cells"),
    Column("number", right=True),
    Column("geometric mean", right=True),
    Column("below NumPy", right=True),
)


def _ratio(ratio: float) -> Cell:
    """A ratio, marked where NumPy or another peer is faster.

    >>> _ratio(0.5).text, _ratio(2.0).text
    ('0.500 ✗', '2.00')
    """
    return Cell(f"{three_digits(ratio)} ✗", "red") if ratio < 1 else Cell(three_digits(ratio))


def _sizes(found: Sequence[Measured]) -> list[int]:
    return sorted({measured.cell.n for measured in found})


def columns(found: Sequence[Measured]) -> list[Column]:
    """Function, dtype and layout, then the sizes."""
    sizes = [Column(f"n={power(n)}", right=True) for n in _sizes(found)]
    return [Column("function", flexible=True), Column("dtype"), Column("layout"), *sizes]


def rows(found: Sequence[Measured]) -> list[list[Cell]]:
    """The ratios against NumPy."""
    ratios: dict[tuple[str, str, str], dict[int, float]] = {}
    for cell, result in found:
        ratios.setdefault((cell.function, cell.dtype, cell.layout), {})[cell.n] = result.ratio
    return [
        [*map(Cell, key), *(_ratio(of[n]) if n in of else Cell("") for n in _sizes(found))]
        for key, of in ratios.items()
    ]


def _peers(results: Sequence[Result]) -> list[str]:
    return list(dict.fromkeys(r.peer for r in results if r.cell is not None and r.peer != "NumPy"))


def peer_columns(results: Sequence[Result]) -> list[Column]:
    """Function, dtype and size, then the peers that are not NumPy."""
    peers = [Column(peer, right=True) for peer in _peers(results)]
    return [Column("function", flexible=True), Column("dtype"), Column("n", right=True), *peers]


def peer_rows(results: Sequence[Result]) -> list[list[Cell]]:
    """The ratios against peers that are not NumPy, of contiguous arrays."""
    peers = _peers(results)
    ratios: dict[tuple[str, str, str], dict[str, float]] = {}
    for result in results:
        if result.cell is not None and result.peer in peers:
            key = (result.cell.function, result.cell.dtype, power(result.cell.n))
            ratios.setdefault(key, {})[result.peer] = result.ratio
    return [
        [*map(Cell, key), *(_ratio(of[peer]) if peer in of else Cell("") for peer in peers)]
        for key, of in ratios.items()
    ]


def summary_rows(found: Sequence[Measured]) -> list[list[Cell]]:
    """Means and counts, of everything and of its parts."""
    return [
        [
            Cell(group.title),
            Cell(str(group.number)),
            Cell(f"{three_digits(group.mean)} ×", "red" if group.mean < 1 else ""),
            Cell(str(group.below), "red" if group.below else ""),
        ]
        for group in (groups(found) if found else [])
    ]
