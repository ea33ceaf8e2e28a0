"""What is wanted of situ on a GPU, and whether this run shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ..._cli.draw import seconds, three_digits
from . import elementwise, fft, kernels, others, reductions, sorting, startup
from .work import Outcome

Outcomes = Mapping[str, Outcome]
Measured = tuple[str, bool]
"""What was measured, and whether it is good enough."""


@dataclass(frozen=True)
class Goal:
    """A promise, and how to find out about it: None where it was not measured."""

    title: str
    wanted: str
    judge: Callable[[Outcomes], Measured | None]
    absolute: bool = False
    """Whether it is about a time on the machine it was set on, with arrays of full size."""


@dataclass(frozen=True)
class Judged:
    """A goal with what was measured; `passed` is None when it was not."""

    title: str
    wanted: str
    measured: str
    passed: bool | None


def shares(outcomes: Outcomes) -> dict[str, float]:
    """The rate of each elementwise function as a share of the copy's."""
    copy = outcomes[elementwise.COPY].rate if elementwise.COPY in outcomes else None
    titles = [elementwise.title(name, dtype) for dtype in elementwise.DTYPES for name in elementwise.FUNCTIONS]
    rates = {title: outcomes[title].rate for title in titles if title in outcomes}
    return {title: rate / copy for title, rate in rates.items() if rate and copy}


def _bandwidth(dtype: str, outcomes: Outcomes) -> Measured | None:
    found = {title: share for title, share in shares(outcomes).items() if title.endswith(dtype)}
    if not found:
        return None
    least = min(found, key=lambda title: found[title])
    return f"{100 * found[least]:.1f} % ({least.split()[0]})", found[least] >= 0.95


def _never_slower(outcomes: Outcomes) -> Measured | None:
    # How long an import takes says little about arrays, and has a goal of its own.
    ratios = {title: each.ratio for title, each in outcomes.items() if each.ratio and title != startup.IMPORT}
    if not ratios:
        return None
    slower = {title: ratio for title, ratio in ratios.items() if ratio < 1}
    return f"{len(slower)} of {len(ratios)}, worst {three_digits(min(ratios.values()))} ×", not slower


def _level(titles: Sequence[str], outcomes: Outcomes) -> Measured | None:
    """Rows level with the better peer: within what two runs of one program differ by."""
    ratios = {title: each.ratio for title in titles if (each := outcomes.get(title)) is not None and each.ratio}
    if not ratios:
        return None
    worst = min(ratios, key=lambda title: ratios[title])
    return f"worst {three_digits(ratios[worst])} × ({worst})", ratios[worst] >= 0.97


def _products(outcomes: Outcomes) -> Measured | None:
    ratios = {title: each.ratio for title, each in outcomes.items() if "matmul" in title and each.ratio}
    if not ratios:
        return None
    worst = min(ratios, key=lambda title: ratios[title])
    return f"worst {three_digits(ratios[worst])} × ({worst})", ratios[worst] >= 0.97


def _kernels(outcomes: Outcomes) -> Measured | None:
    """Kernels in Python against the same in CUDA C, whoever launches it."""
    ratios = {}
    for title, each in outcomes.items():
        own = each.times.get(("situ", "kernel"))
        others = [seconds for (_, way), seconds in each.times.items() if way == "RawKernel"]
        if title.startswith("kernel ") and own and others:
            ratios[title] = min(others) / own
    if not ratios:
        return None
    worst = min(ratios, key=lambda title: ratios[title])
    return f"worst {three_digits(ratios[worst])} × ({worst})", ratios[worst] >= 0.95


def _reductions(dtype: str) -> Goal:
    titles = [reductions.title(name, dtype, along) for name in reductions.FUNCTIONS for along in reductions.ALONG]
    return Goal(f"reductions {dtype}", "≥ 0.97 × the better peer", partial(_level, titles))


def _sorting(dtype: str) -> Goal:
    titles = [sorting.title(name, dtype) for name in sorting.FUNCTIONS]
    return Goal(f"sorting {dtype}", "≥ 0.97 × the better peer", partial(_level, titles))


def _reads(outcomes: Outcomes) -> Measured | None:
    copy, total = outcomes.get(elementwise.COPY), outcomes.get(reductions.title("sum", "float32"))
    if copy is None or total is None or not copy.rate or not total.rate:
        return None
    return f"{100 * total.rate / copy.rate:.1f} %", total.rate / copy.rate >= 0.9


def _within(title: str, limit: float, outcomes: Outcomes) -> Measured | None:
    took = outcomes[title].seconds("situ") if title in outcomes else None
    return None if took is None else (seconds(took), took <= limit)


def _times(title: str, library: str, at_least: float, outcomes: Outcomes) -> Measured | None:
    found = outcomes.get(title)
    if found is None or (own := found.seconds("situ")) is None or (theirs := found.seconds(library)) is None:
        return None
    return f"{three_digits(theirs / own)} ×", theirs / own >= at_least


def _time_goal(title: str, work: str, limit: float, absolute: bool = True) -> Goal:
    return Goal(title, f"≤ {seconds(limit)}", partial(_within, work, limit), absolute)


GOALS = (
    *(Goal(f"elementwise {dtype}", "≥ 95 % of the copy", partial(_bandwidth, dtype)) for dtype in elementwise.DTYPES),
    *map(_reductions, reductions.DTYPES),
    *map(_sorting, sorting.DTYPES),
    Goal("products", "≥ 0.97 × the better peer", _products),
    Goal("Fourier transforms", "≥ 0.97 × the better peer", partial(_level, [fft.title(*task) for task in fft.TASKS])),
    Goal("kernels", "≥ 0.95 × the same in CUDA C", _kernels),
    Goal("launching a kernel", "≥ 1 × CuPy's RawKernel", partial(_times, kernels.LAUNCH, "CuPy", 1)),
    Goal("bandwidth of a full sum", "≥ 90 % of the copy", _reads),
    Goal("rows where a peer is faster", "none", _never_slower),
    _time_goal("program sin(2x) * exp(-x*x)", others.PROGRAM, 0.727e-3),
    _time_goal("submitting a + b of 16", others.SUBMIT, 7.7e-6),
    _time_goal("submitting a + b of 16, aim", others.SUBMIT, 4e-6),
    _time_goal("x[mask], half true", others.MASK, 1.72e-3),
    Goal(
        "host to device, 1 GiB of ordinary memory",
        "≥ 3 × PyTorch",
        partial(_times, others.to_device(2**30), "PyTorch", 3),
    ),
    _time_goal("first call, nothing cached", startup.COLD, 0.5, absolute=False),
    _time_goal("first call, compiled before", startup.WARM, 0.020, absolute=False),
    _time_goal("import situ", startup.IMPORT, 0.150, absolute=False),
)


def judge(outcomes: Sequence[Outcome], *, full_size: bool) -> list[Judged]:
    """Compare each goal with the outcomes."""
    found = {outcome.title: outcome for outcome in outcomes}
    judged = []
    for goal in GOALS:
        measured = goal.judge(found)
        if measured is None:
            judged.append(Judged(goal.title, goal.wanted, "not measured", None))
            continue
        text, passed = measured
        judged.append(Judged(goal.title, goal.wanted, text, passed if full_size or not goal.absolute else None))
    return judged
