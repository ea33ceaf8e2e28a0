"""How fast situ is on a GPU, next to PyTorch, CuPy and JAX in the same run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import situ

from ..._cli.draw import Progress
from ..._cli.terminal import Terminal
from .. import machine
from ..contest import Effort
from . import (
    elementwise,
    fft,
    goals,
    kernels,
    libraries,
    linalg,
    manipulation,
    others,
    products,
    reductions,
    report,
    sorting,
    startup,
)
from .work import Measurable, Outcome

_EFFORT = Effort(rounds=9, batch=0.02, budget=2.0)
_ELEMENTS = 2**28
_SIDE = 2**14
_MEMORY = 48 * 2**30
"""What the largest arrays of all libraries take together."""
_LIMIT = 280.0
"""Seconds after which what is left is left out."""


def _halvings(device: situ.Device) -> int:
    """How often the number of elements has to be halved for everything to fit on a device."""
    halvings = 0
    while _MEMORY >> halvings > device.global_mem_size:
        halvings += 1
    return halvings


def groups(smaller: int = 0) -> Iterator[list[Measurable]]:
    """Everything that is measured, with arrays of 2^28 elements halved so many times; a group shares its operands.

    >>> [work.title for work in next(groups())][:2]
    ['copy float32', 'add float32']
    """
    n, side = _ELEMENTS >> smaller, _SIDE >> (smaller + 1) // 2
    single, double = elementwise.DTYPES
    yield [*elementwise.copies(n), *elementwise.functions(single, n)]
    yield [*others.programs(n // 2), *others.small_calls()]
    yield [*elementwise.functions(double, n)]
    yield [*elementwise.layouts(n, side)]
    for dtype in reductions.DTYPES:
        yield [*reductions.works(side // 2, dtype)]
    yield [*reductions.sieve()]
    yield [*manipulation.works(n)]
    yield [*products.works(side // 4)]
    yield [*linalg.works(smaller)]
    yield [*sorting.works(n // 4)]
    yield [*fft.works(smaller)]
    yield [*kernels.works(n // 4)]
    yield [*others.masks(n)]
    for count in (n // 2, n):
        yield [*others.indices(count)]
    for nbytes in others.SIZES:
        if nbytes <= 4 * n:
            yield [*others.transfers(nbytes)]
    yield [*startup.works()]


def run(
    terminal: Terminal,
    *,
    device: str | None = None,
    smaller: int | None = None,
    only: str | None = None,
    json: str | None = None,
    markdown: str | None = None,
) -> list[Outcome]:
    """Measure, writing each line as it is found, then the tables, and return every outcome."""
    place = situ.select_gpu_device() if device is None else situ.Device(device)
    halvings = _halvings(place) if smaller is None else smaller
    everything = list(groups(halvings))
    chosen = [[work for work in group if only is None or only in work.title] for group in everything]
    if not any(chosen):
        titles = ", ".join(work.title for group in everything for work in group)
        raise ValueError(f"no work's name contains {only!r}; there are: {titles}")
    taking_part, refused = libraries.found(place)
    names = [library.name for library in taking_part]
    facts = machine.facts(place)
    facts |= {each.name: version for each in taking_part[1:] if (version := getattr(each.module, "__version__", ""))}
    facts["elements"] = f"2^{28 - halvings} where a row does not say otherwise"
    begin, outcomes = time.perf_counter(), []
    progress = Progress(terminal, sum(map(len, chosen)))
    for group in chosen:
        for work in group:
            progress.step(work.title)
            if time.perf_counter() - begin > _LIMIT:
                outcome = Outcome(work.title, {}, {"situ": f"left out: the run has taken {_LIMIT:.0f} s"})
            else:
                outcome = work.measure(taking_part, _EFFORT)
            outcomes.append(outcome)
            progress.close()
            # A driver that gives up takes the whole process with it, but not what is written by then.
            terminal.print(report.one_line(outcome, names))
            terminal.flush()
        libraries.forget(taking_part)
    facts["took"] = f"{time.perf_counter() - begin:.0f} s"
    found = report.Run(facts, names, outcomes, goals.judge(outcomes, full_size=halvings == 0), refused)
    if json is not None:
        Path(json).write_text(report.as_json(found), encoding="utf-8")
    if markdown is not None:
        Path(markdown).write_text(report.as_markdown(found), encoding="utf-8")
    report.print_report(terminal, found)
    return outcomes
