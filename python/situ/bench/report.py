"""The results as tables, Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from .._cli.draw import seconds, three_digits
from .._cli.table import Cell, Column
from .._cli.terminal import Terminal
from . import grid, manipulation, products, reductions, sorting, summary
from .contest import Effort, Result
from .goals import Judged
from .tables import Table, goals_table, markdown, print_tables

_RESULTS = (
    Column("case", flexible=True),
    Column("situ", right=True),
    Column("against"),
    Column("time", right=True),
    Column("ratio", right=True),
    Column("spread", right=True),
)


@dataclass(frozen=True)
class Run:
    """Everything a run found out."""

    facts: Mapping[str, str]
    effort: Effort
    results: Sequence[Result]
    different: Sequence[str]
    """Cells whose results were not NumPy's, so that they were not timed."""
    judged: Sequence[Judged]


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


def _tables(run: Run) -> list[Table]:
    """The tables that have rows: the matrix, its summary, the other comparisons, and the goals."""
    found = summary.cells(run.results)
    reduced = summary.cells(run.results, reductions.FAMILY)
    arranged = summary.cells(run.results, manipulation.FAMILY)
    multiplied = summary.cells(run.results, products.FAMILY)
    ordered = summary.cells(run.results, sorting.FAMILY)
    worst = [measured.result for measured in summary.below(found)[: summary.WORST]]
    tables = [
        Table("The matrix, times NumPy", grid.columns(found), grid.rows(found)),
        Table("The matrix against others", grid.peer_columns(run.results), grid.peer_rows(run.results)),
        Table("The matrix in short", grid.SUMMARY, grid.summary_rows(found)),
        Table("Reductions and scans", grid.columns(reduced), grid.rows(reduced)),
        Table("Reductions and scans in short", grid.SUMMARY, grid.summary_rows(reduced)),
        Table("Manipulation", grid.columns(arranged), grid.rows(arranged)),
        Table("Manipulation in short", grid.SUMMARY, grid.summary_rows(arranged)),
        Table("Products of matrices", grid.columns(multiplied), grid.rows(multiplied)),
        Table("Products of matrices in short", grid.SUMMARY, grid.summary_rows(multiplied)),
        Table("Sorting, searching and sets", grid.columns(ordered), grid.rows(ordered)),
        Table("Sorting, searching and sets in short", grid.SUMMARY, grid.summary_rows(ordered)),
        Table("Where NumPy is furthest ahead", _RESULTS, [_result_row(result) for result in worst]),
        Table("Different from NumPy, not timed", (Column("case"),), [[Cell(name, "red")] for name in run.different]),
        Table("Comparisons", _RESULTS, [_result_row(result) for result in run.results if result.cell is None]),
        goals_table([(j.goal.title, j.goal.wanted, j.measured, j.passed) for j in run.judged]),
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
    print_tables(terminal, run.facts, _method(run.effort), _tables(run))


def as_markdown(run: Run) -> str:
    """The report as Markdown, the goals first."""
    *others, goals = _tables(run)
    return markdown(run.facts, _method(run.effort), [goals, *others])


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
