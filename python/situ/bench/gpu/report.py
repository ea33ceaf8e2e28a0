"""The outcomes as tables, Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from ..._cli.draw import seconds, three_digits
from ..._cli.table import Cell, Column
from ..._cli.terminal import Terminal
from ..tables import Table, goals_table, markdown, print_tables
from .elementwise import COPY
from .goals import Judged
from .work import Outcome

_METHOD = (
    "Medians of rounds in which the libraries took turns, each with the fastest of the ways it has; the clock stops "
    "when the device is done. GB/s counts what has to be read and written. The last column says how many times faster "
    "situ is than the best of the others."
)


@dataclass(frozen=True)
class Run:
    """Everything a run found out."""

    facts: Mapping[str, str]
    libraries: Sequence[str]
    outcomes: Sequence[Outcome]
    judged: Sequence[Judged]
    refused: Mapping[str, str]
    """Why libraries did not take part."""


def _time(outcome: Outcome, library: str) -> str:
    found = outcome.best(library)
    if found is None:
        return ""
    way, took = found
    return f"{seconds(took)} {way}".strip()


def _rate(rate: float | None) -> str:
    return "" if rate is None else three_digits(rate / 1e9)


def one_line(outcome: Outcome, libraries: Sequence[str]) -> str:
    """An outcome as it is written while the run goes on.

    >>> one_line(Outcome("add", {("situ", "new"): 1e-3, ("b", ""): 2e-3}, {"c": "no"}), ["situ", "b", "c"])
    'add: situ 1.00 ms new, b 2.00 ms, 2.00 × [c: no]'
    """
    parts = [f"{name} {_time(outcome, name)}" for name in libraries if outcome.best(name)]
    if outcome.ratio is not None:
        parts.append(f"{three_digits(outcome.ratio)} ×")
    errors = "".join(f" [{who}: {' '.join(why.split())[:160]}]" for who, why in outcome.errors.items())
    return f"{outcome.title}: {', '.join(parts) or 'not measured'}{errors}"


def _row(outcome: Outcome, libraries: Sequence[str], copy: float | None) -> list[Cell]:
    ratio, rate = outcome.ratio, outcome.rate
    share = f"{100 * rate / copy:.0f} %" if rate and copy and not outcome.crosses else ""
    style = "" if ratio is None else "red" if ratio < 1 else "green"
    return [
        Cell(outcome.title),
        *(Cell(_time(outcome, name)) for name in libraries),
        Cell(_rate(rate)),
        Cell(share),
        Cell("" if ratio is None else f"{three_digits(ratio)} ×", style),
    ]


def _tables(run: Run) -> list[Table]:
    copy = next((outcome.rate for outcome in run.outcomes if outcome.title == COPY), None)
    columns = [
        Column("work", flexible=True),
        *(Column(name, right=True) for name in run.libraries),
        Column("GB/s", right=True),
        Column("of copy", right=True),
        Column("× best", right=True),
    ]
    rows = [_row(outcome, run.libraries, copy) for outcome in run.outcomes if outcome.times]
    failures = [(outcome.title, who, why) for outcome in run.outcomes for who, why in outcome.errors.items()]
    failures += [("everything", who, why) for who, why in run.refused.items()]
    failed = [
        [Cell(title), Cell(who), Cell(" ".join(why.split())[:200].replace("|", "/"))] for title, who, why in failures
    ]
    found = [
        Table("Comparisons", columns, rows),
        Table("What went wrong", (Column("work"), Column("who"), Column("why", flexible=True)), failed),
        goals_table([(each.title, each.wanted, each.measured, each.passed) for each in run.judged]),
    ]
    return [table for table in found if table.rows]


def print_report(terminal: Terminal, run: Run) -> None:
    """Write the machine, the comparisons and the goals."""
    print_tables(terminal, run.facts, _METHOD, _tables(run))


def as_markdown(run: Run) -> str:
    """The report as Markdown, the goals first."""
    *others, goals = _tables(run)
    return markdown(run.facts, _METHOD, [goals, *others])


def as_json(run: Run) -> str:
    """The report as JSON; times are in seconds."""
    outcomes = [
        {
            "work": each.title,
            "bytes": each.nbytes,
            "times": [{"library": name, "way": way, "seconds": took} for (name, way), took in each.times.items()],
            "errors": dict(each.errors),
        }
        for each in run.outcomes
    ]
    content = {
        "machine": dict(run.facts),
        "outcomes": outcomes,
        "goals": [asdict(each) for each in run.judged],
        "refused": dict(run.refused),
    }
    return json.dumps(content, indent=2) + "\n"
