"""How fast situ is here, as ratios against NumPy and other peers measured in the same run."""

from __future__ import annotations

from pathlib import Path

from .._cli.draw import Progress
from .._cli.terminal import Terminal
from . import cases, goals, machine, report
from .contest import Effort, Result, compete


def run(
    terminal: Terminal,
    *,
    quick: bool = False,
    only: str | None = None,
    json: str | None = None,
    markdown: str | None = None,
) -> list[Result]:
    """Measure, write the tables to the terminal and where asked for to files, and return every comparison."""
    effort = Effort(rounds=5, batch=0.002) if quick else Effort(rounds=15, batch=0.01)
    chosen = cases.chosen(quick=quick, only=only)
    facts = machine.facts()
    progress = Progress(terminal, len(chosen))
    results: list[Result] = []
    for case in chosen:
        progress.step(case.name)
        results.extend(compete(case, effort))
    progress.close()
    judged = goals.judge(results)
    if json is not None:
        Path(json).write_text(report.as_json(facts, effort, results, judged), encoding="utf-8")
    if markdown is not None:
        Path(markdown).write_text(report.as_markdown(facts, effort, results, judged), encoding="utf-8")
    report.print_report(terminal, facts, effort, results, judged)
    return results
