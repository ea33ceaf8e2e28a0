"""The results as tables, Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from .._cli.draw import seconds, three_digits
from .._cli.table import Cell, Column, print_table
from .._cli.terminal import Terminal
from . import grid, summary
from .contest import Effort, Result
from .goals import Judged

_RESULTS = (
    Column("case", flexible=True),
    Column("situ", right=True),
    Column("against"),
    Column("time", right=True),
    Column("ratio", right=True),
    Column("spread", right=True),
)
_GOALS = (
    Column("goal", flexible=True),
    Column("wanted"),
    Column("measured", right=True),
    Column("", right=False),
)
_VERDICTS = {True: Cell("pass", "green"), False: Cell("miss", "red"), None: Cell("-", "dim")}


@dataclass(frozen=True)
class Run:
    """Everything a run found out."""

    facts: Mapping[str, str]
    effort: Effort
    results: Sequence[Result]
    different: Sequence[str]
    """Cells whose results were not NumPy's, so that they were not timed."""
    judged: Sequence[Judged]


@dataclass(frozen=True)
class _Table:
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


def _style(ratio: float) -> str:
    return "green" if ratio >= 1.05 else "red" if ratio <= 0.95 else ""


def _result_row(result: Result) -> list[Cell]:
    return [
        Cell(result.case),
        Cell(seconds(result.situ)),
        Cell(result.peer),
        Cell(seconds(result.other)),
        Cell(f"{three_digits(result.ratio)} ×", _style(result.ratio)),
        Cell(f"± {100 * result.spread:.0f} %"),
    ]


def _goal_row(judged: Judged) -> list[Cell]:
    return [Cell(judged.goal.title), Cell(judged.goal.wanted), Cell(judged.measured), _VERDICTS[judged.passed]]


def _tables(run: Run) -> list[_Table]:
    """The tables that have rows: the matrix, its summary, the other comparisons, and the goals."""
    found = summary.cells(run.results)
    worst = [measured.result for measured in summary.below(found)[: summary.WORST]]
    tables = [
        _Table("The matrix, times NumPy", grid.columns(found), grid.rows(found)),
        _Table("The matrix against others", grid.peer_columns(run.results), grid.peer_rows(run.results)),
        _Table("The matrix in short", grid.SUMMARY, grid.summary_rows(found)),
        _Table("Where NumPy is furthest ahead", _RESULTS, [_result_row(result) for result in worst]),
        _Table("Different from NumPy, not timed", (Column("case"),), [[Cell(name, "red")] for name in run.different]),
        _Table("Comparisons", _RESULTS, [_result_row(result) for result in run.results if result.cell is None]),
        _Table("Goals", _GOALS, [_goal_row(each) for each in run.judged]),
    ]
    return [table for table in tables if table.rows]


def _method(effort: Effort) -> str:
    rounds = f"{effort.rounds} rounds" if effort.budget is None else f"3 to {effort.rounds} rounds"
    return (
        f"Medians of {rounds}, in each of which situ and its peers took turns. "
        "The ratio says how many times faster situ is."
    )


def print_report(terminal: Terminal, run: Run) -> None:
    """Write the machine, the comparisons and the goals."""
    for name, value in run.facts.items():
        terminal.print(f"{name:<10} {value}")
    terminal.print(_method(run.effort), "dim")
    for table in _tables(run):
        terminal.heading(table.title)
        print_table(terminal, table.columns, table.rows)


def _markdown_table(table: _Table) -> list[str]:
    lines = [[c.title or "result" for c in table.columns], ["--:" if c.right else "---" for c in table.columns]]
    lines += [[cell.text for cell in row] for row in table.rows]
    return [f"## {table.title}", "", *("| " + " | ".join(line) + " |" for line in lines), ""]


def as_markdown(run: Run) -> str:
    """The report as Markdown, the goals first."""
    lines = [*(f"- {name}: {value}" for name, value in run.facts.items()), "", _method(run.effort), ""]
    *others, goals = _tables(run)
    for table in (goals, *others):
        lines += _markdown_table(table)
    return "\n".join(lines[:-1]) + "\n"


def as_json(run: Run) -> str:
    """The report as JSON; times are in seconds."""
    found = summary.cells(run.results)
    content = {
        "machine": dict(run.facts),
        "effort": asdict(run.effort),
        "results": [asdict(result) for result in run.results],
        "different": list(run.different),
        "summary": [group._asdict() for group in summary.groups(found)],
        "goals": [
            {"title": j.goal.title, "wanted": j.goal.wanted, "measured": j.measured, "passed": j.passed}
            for j in run.judged
        ],
    }
    return json.dumps(content, indent=2) + "\n"
