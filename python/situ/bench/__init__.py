"""How fast situ is on this processor, as ratios against NumPy and other peers measured in the same run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import situ

from .._cli.draw import Progress
from .._cli.terminal import Terminal
from . import cases, fft, goals, linalg, machine, manipulation, operands, products, reductions, report, sorting
from .contest import Case, Different, Effort, Result, Times, measure, results

_EFFORTS = {
    cases.QUICK: Effort(rounds=5, batch=0.002),
    cases.USUAL: Effort(rounds=15, batch=0.01),
    cases.MATRIX: Effort(rounds=9, batch=0.002, budget=0.15),
}
_AGAIN = Effort(rounds=27, batch=0.002, budget=0.6)
_CLOSE = 1.1
"""Cells of the matrix below this ratio are measured again."""


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
    measured: list[tuple[Case, Times]] = []
    different: list[str] = []
    for case in chosen:
        progress.step(case.name)
        try:
            measured.append((case, measure(case, effort if case.cell else single)))
        except Different:
            different.append(case.name)
    progress.close()
    if extent == cases.MATRIX:
        different += look_again(terminal, measured)
    operands.forget()
    reductions.forget()
    manipulation.forget()
    products.forget()
    sorting.forget()
    fft.forget()
    linalg.forget()
    compared = [result for case, times in measured for result in results(case, times)]
    found = report.Run(facts, effort, compared, different, goals.judge(compared, different))
    if json is not None:
        Path(json).write_text(report.as_json(found), encoding="utf-8")
    if markdown is not None:
        Path(markdown).write_text(report.as_markdown(found), encoding="utf-8")
    report.print_report(terminal, found)
    return compared


def look_again(terminal: Terminal, measured: Sequence[tuple[Case, Times]], effort: Effort = _AGAIN) -> list[str]:
    """Measure cells again where situ and NumPy are close or NumPy is ahead, and add the rounds to those they have.

    A busy moment of the machine is longer than a cell's few rounds, and falls on some of thousands. Returns the names
    of cells whose results differ this time.
    """
    different: list[str] = []
    close = [(case, times) for case, times in measured if case.cell and _is_close(results(case, times))]
    progress = Progress(terminal, len(close))
    for case, times in close:
        progress.step(case.name)
        try:
            for name, rounds in measure(case, effort).items():
                times[name] += rounds
        except Different:
            different.append(case.name)
    progress.close()
    return different


def _is_close(found: list[Result]) -> bool:
    return any(result.peer == "NumPy" and result.ratio < _CLOSE for result in found)
