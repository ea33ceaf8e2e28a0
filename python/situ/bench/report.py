"""The results as tables, Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from .._cli.draw import seconds, three_digits
from .._cli.table import Cell, Column, print_table
from .._cli.terminal import Terminal
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


def _method(effort: Effort) -> str:
    return (
        f"Medians of {effort.rounds} rounds, in each of which situ and its peers took turns. "
        "The ratio says how many times faster situ is."
    )


def print_report(
    terminal: Terminal, facts: Mapping[str, str], effort: Effort, results: Sequence[Result], judged: Sequence[Judged]
) -> None:
    """Write the machine, the comparisons and the goals."""
    for name, value in facts.items():
        terminal.print(f"{name:<10} {value}")
    terminal.print(_method(effort), "dim")
    print_table(terminal, _RESULTS, [_result_row(result) for result in results])
    print_table(terminal, _GOALS, [_goal_row(each) for each in judged])


def _markdown_table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> list[str]:
    lines = [[column.title or "result" for column in columns], ["--:" if c.right else "---" for c in columns]]
    lines += [[cell.text for cell in row] for row in rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def as_markdown(facts: Mapping[str, str], effort: Effort, results: Sequence[Result], judged: Sequence[Judged]) -> str:
    """The report as Markdown."""
    lines = [*(f"- {name}: {value}" for name, value in facts.items()), "", _method(effort), "", "## Goals", ""]
    lines += _markdown_table(_GOALS, [_goal_row(each) for each in judged])
    lines += ["", "## Comparisons", ""]
    lines += _markdown_table(_RESULTS, [_result_row(result) for result in results])
    return "\n".join(lines) + "\n"


def as_json(facts: Mapping[str, str], effort: Effort, results: Sequence[Result], judged: Sequence[Judged]) -> str:
    """The report as JSON; times are in seconds."""
    content = {
        "machine": dict(facts),
        "effort": asdict(effort),
        "results": [asdict(result) for result in results],
        "goals": [
            {"title": j.goal.title, "wanted": j.goal.wanted, "measured": j.measured, "passed": j.passed} for j in judged
        ],
    }
    return json.dumps(content, indent=2) + "\n"
