"""How fast situ is on this processor, as ratios against NumPy and other peers measured in the same run."""

from __future__ import annotations

from pathlib import Path

import situ

from .._cli.draw import Progress
from .._cli.terminal import Terminal
from . import cases, goals, machine, operands, report
from .contest import Different, Effort, Result, compete

_EFFORTS = {
    cases.QUICK: Effort(rounds=5, batch=0.002),
    cases.USUAL: Effort(rounds=15, batch=0.01),
    cases.MATRIX: Effort(rounds=9, batch=0.002, budget=0.15),
}


def run(
    terminal: Terminal,
    *,
    extent: str = cases.USUAL,
    only: str | None = None,
    json: str | None = None,
    markdown: str | None = None,
) -> list[Result]:
    """Measure, write the tables to the terminal and where asked for to files, and return every comparison."""
    with situ.device_context("cpu"):
        return _run(terminal, extent, only, json, markdown)


def _run(terminal: Terminal, extent: str, only: str | None, json: str | None, markdown: str | None) -> list[Result]:
    effort = _EFFORTS[extent]
    # A cell of thousands gets a short time; the promises about single cases deserve more.
    single = _EFFORTS[cases.USUAL] if extent == cases.MATRIX else effort
    chosen = cases.chosen(extent, only)
    facts = machine.facts()
    progress = Progress(terminal, len(chosen))
    results: list[Result] = []
    different: list[str] = []
    for case in chosen:
        progress.step(case.name)
        try:
            results.extend(compete(case, effort if case.cell else single))
        except Different:
            different.append(case.name)
    progress.close()
    operands.forget()
    found = report.Run(facts, effort, results, different, goals.judge(results, different))
    if json is not None:
        Path(json).write_text(report.as_json(found), encoding="utf-8")
    if markdown is not None:
        Path(markdown).write_text(report.as_markdown(found), encoding="utf-8")
    report.print_report(terminal, found)
    return results
