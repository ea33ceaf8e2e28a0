"""Tables with a title, on the terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .._cli.table import Cell, Column, print_table
from .._cli.terminal import Terminal

_GOALS = (
    Column("goal", flexible=True),
    Column("wanted"),
    Column("measured", right=True),
    Column("", right=False),
)
_VERDICTS = {True: Cell("pass", "green"), False: Cell("miss", "red"), None: Cell("-", "dim")}


@dataclass(frozen=True)
class Table:
    """A title, columns, and rows."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


def goals_table(judged: Iterable[tuple[str, str, str, bool | None]]) -> Table:
    """Goals: the title of each, what is wanted, what was measured, and whether that is enough.

    >>> [cell.text for cell in goals_table([("speed", "much", "enough", True)]).rows[0]]
    ['speed', 'much', 'enough', 'pass']
    """
    rows = [[Cell(title), Cell(wanted), Cell(found), _VERDICTS[passed]] for title, wanted, found, passed in judged]
    return Table("Goals", _GOALS, rows)


def print_tables(terminal: Terminal, facts: Mapping[str, str], method: str, tables: Iterable[Table]) -> None:
    """Write what the numbers come from, how they were measured, and the numbers."""
    for name, value in facts.items():
        terminal.print(f"{name:<10} {value}")
    terminal.print(method, "dim")
    for table in tables:
        terminal.heading(table.title)
        print_table(terminal, table.columns, table.rows)


def _lines(table: Table) -> list[str]:
    lines = [[c.title or "result" for c in table.columns], ["--:" if c.right else "---" for c in table.columns]]
    lines += [[cell.text for cell in row] for row in table.rows]
    return [f"## {table.title}", "", *("| " + " | ".join(line) + " |" for line in lines), ""]


def markdown(facts: Mapping[str, str], method: str, tables: Iterable[Table]) -> str:
    """The same as Markdown.

    >>> print(markdown({"machine": "mine"}, "Once.", [Table("Numbers", [Column("n")], [[Cell("1")]])]))
    - machine: mine
    <BLANKLINE>
    Once.
    <BLANKLINE>
    ## Numbers
    <BLANKLINE>
    | n |
    | --- |
    | 1 |
    <BLANKLINE>
    """
    lines = [*(f"- {name}: {value}" for name, value in facts.items()), "", method, ""]
    for table in tables:
        lines += _lines(table)
    return "\n".join(lines[:-1]) + "\n"
