"""The promises, and whether this run keeps them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .._cli.draw import seconds, three_digits
from . import own
from .contest import Result


@dataclass(frozen=True)
class Goal:
    """A promise about one case against one peer."""

    title: str
    case: str
    peer: str
    wanted: str
    kept: Callable[[Result], bool]
    shown: Callable[[Result], str]


@dataclass(frozen=True)
class Judged:
    """A goal with what was measured; `passed` is None when the case did not run."""

    goal: Goal
    measured: str
    passed: bool | None


def _share(result: Result) -> float:
    return 1 / result.ratio


GOALS = (
    Goal(
        "two sub-device queues, against one of them",
        own.TWO_QUEUES,
        "one of them",
        "≤ 0.65 of the time",
        lambda r: _share(r) <= 0.65,
        lambda r: three_digits(_share(r)),
    ),
    Goal(
        "second 80 MB allocation, against the first",
        own.SECOND_ALLOCATION,
        "the first",
        "< 0.1 of the time",
        lambda r: _share(r) < 0.1,
        lambda r: f"{_share(r):.4f}",
    ),
    Goal(
        "a + b, 10^7 float64, new result",
        "add float64 n=10^7",
        "NumPy",
        "≥ 2.5 × NumPy",
        lambda r: r.ratio >= 2.5,
        lambda r: f"{three_digits(r.ratio)} ×",
    ),
    Goal(
        "a + b of 4 elements",
        "add float64 n=4",
        "NumPy",
        "< NumPy's time",
        lambda r: r.ratio > 1,
        lambda r: f"{seconds(r.situ)} : {seconds(r.other)}",
    ),
    Goal(
        "empty fork-join, team awake",
        own.FORK_JOIN,
        own.THREAD_POOL,
        "< 0.3 µs",
        lambda r: r.situ < 0.3e-6,
        lambda r: seconds(r.situ),
    ),
)


def judge(results: Sequence[Result]) -> list[Judged]:
    """Compare each goal with the results."""
    found = {(result.case, result.peer): result for result in results}
    judged = []
    for goal in GOALS:
        result = found.get((goal.case, goal.peer))
        if result is None:
            judged.append(Judged(goal, "not measured", None))
        else:
            judged.append(Judged(goal, goal.shown(result), goal.kept(result)))
    return judged
