"""Tables that fit the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .terminal import Terminal

_NARROWEST = 8


@dataclass(frozen=True)
class Column:
    """A column: its title, its alignment, and whether a table that is too wide may cut it short or leave it out."""

    title: str
    right: bool = False
    flexible: bool = False
    optional: bool = False


class Cell(NamedTuple):
    """A text in a style of `Terminal.paint`."""

    text: str
    style: str = ""


def widths(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], room: int) -> list[int]:
    """The width of each column, flexible ones cut until everything fits.

    >>> widths([Column("a"), Column("b", flexible=True)], [[Cell("xx"), Cell("y" * 50)]], 30)
    [2, 21]
    """
    wanted = [max([len(c.title), *(len(row[i].text) for row in rows)]) for i, c in enumerate(columns)]
    excess = sum(wanted) + 3 * len(columns) + 1 - room
    for i, column in enumerate(columns):
        if column.flexible and excess > 0:
            cut = min(excess, max(0, wanted[i] - _NARROWEST))
            wanted[i] -= cut
            excess -= cut
    return wanted


def _padded(text: str, width: int, right: bool) -> str:
    if len(text) > width:
        text = text[: width - 1] + "…"
    return text.rjust(width) if right else text.ljust(width)


def print_table(terminal: Terminal, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> None:
    """Write a table in a box."""
    columns = list(columns)
    fitted = [[Cell(terminal.fitting(cell.text), cell.style) for cell in row] for row in rows]
    while sum(size := widths(columns, fitted, terminal.width)) + 3 * len(size) + 1 > terminal.width:
        last = max((i for i, column in enumerate(columns) if column.optional), default=None)
        if last is None:
            break
        del columns[last]
        for row in fitted:
            del row[last]

    def rule(left: str, middle: str, right: str) -> None:
        terminal.print(left + middle.join("─" * (width + 2) for width in size) + right, "dim")

    bar = terminal.paint(terminal.fitting("│"), "dim")

    def line(cells: Sequence[Cell]) -> None:
        parts = (
            terminal.paint(terminal.fitting(_padded(cell.text, width, column.right)), cell.style)
            for cell, width, column in zip(cells, size, columns, strict=True)
        )
        terminal.stream.write(f"{bar} " + f" {bar} ".join(parts) + f" {bar}\n")

    rule("┌", "┬", "┐")
    line([Cell(column.title, "bold") for column in columns])
    rule("├", "┼", "┤")
    for row in fitted:
        line(row)
    rule("└", "┴", "┘")
