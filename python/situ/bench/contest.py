"""Timing two or more ways to do the same work, in turns.

Every round times each contestant once, so that whatever else the machine does meets all of them. Garbage collection is
off. The clock stops when the work is done: a snippet for an asynchronous queue ends with a wait.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import repeat
from textwrap import indent
from typing import Any, Protocol, TypeVar

_BATCH = """
def measure(_repeats, _clock):
    _begin = _clock()
    for _ in _repeats:
{statement}
{finish}
    return _clock() - _begin
"""

_SINGLE = """
def measure(_repeats, _clock):
    _total = 0.0
    for _ in _repeats:
{before}
        _begin = _clock()
{statement}
        _total += _clock() - _begin
{finish}
    return _total
"""


class Timed(Protocol):
    """Something that can be timed."""

    def compiled(self) -> Callable[[int], float]:
        """A function that does it so many times and returns the seconds."""


@dataclass(frozen=True)
class Reported:
    """Native code that times itself and returns the seconds of one run."""

    seconds: Callable[[], float]

    def compiled(self) -> Callable[[int], float]:
        """A function that runs it so many times and returns the seconds."""
        return lambda count: sum(self.seconds() for _ in range(count))


@dataclass(frozen=True)
class Snippet:
    """Code to time: `statement` repeated, then `finish` once. With `before`, only the statement itself is timed."""

    statement: str
    names: Mapping[str, Any]
    finish: str = "pass"
    before: str = ""

    def compiled(self) -> Callable[[int], float]:
        """A function that runs the statement so many times and returns the seconds.

        >>> Snippet("x.append(1)", {"x": (x := [])}).compiled()(3) > 0.0, x
        (True, [1, 1, 1])
        """
        source = (_SINGLE if self.before else _BATCH).format(
            statement=indent(self.statement, " " * 8),
            before=indent(self.before, " " * 8),
            finish=indent(self.finish, " " * 4),
        )
        names = dict(self.names)
        # As in a function of a user's, the names are local ones.
        given = ", ".join(f"{name}={name}" for name in names)
        exec(source.replace("_clock):", f"_clock, {given}):", 1), names)
        measure = names["measure"]

        def seconds(count: int) -> float:
            return float(measure(repeat(None, count), time.perf_counter))

        return seconds


@dataclass(frozen=True)
class Contest:
    """The contestants of a case, ready to run."""

    situ: Timed
    peers: Mapping[str, Timed]
    check: Callable[[], bool] = field(default=lambda: True)
    rest: float = 0.0
    """Seconds of quiet before each contestant's turn, after which threads of the one before it have gone to sleep."""


BLAS_SLEEPS = 0.05
"""A rest after OpenBLAS, whose threads look for more work for 2^26 cycles before they leave the processor to others."""


@dataclass(frozen=True)
class Cell:
    """A place in the matrix of a family of functions: one of them in one dtype, layout and size."""

    function: str
    dtype: str
    layout: str
    n: int
    family: str = "elementwise"

    @property
    def name(self) -> str:
        """Its name among the cases.

        >>> Cell("add", "int32", "row", 10**5).name
        'add int32 row n=10^5'
        """
        return f"{self.function} {self.dtype} {self.layout} n={power(self.n)}"


def power(n: int) -> str:
    """A number as a power of ten where it is one above 10.

    >>> power(10), power(10**7), power(42)
    ('10', '10^7', '42')
    """
    exponent = len(str(n)) - 1
    return f"10^{exponent}" if n == 10**exponent and n > 10 else str(n)


@dataclass(frozen=True)
class Case:
    """A named comparison, whose data is made when it is its turn."""

    name: str
    prepare: Callable[[], Contest]
    repeats: int | None = None
    """How often a round runs the statement; chosen by time when not given."""
    cell: Cell | None = None


_FEWEST_ROUNDS = 3


@dataclass(frozen=True)
class Effort:
    """How much time is spent: rounds, seconds per contestant and round, and seconds after which rounds are left out."""

    rounds: int
    batch: float
    budget: float | None = None


@dataclass(frozen=True)
class Result:
    """One case against one peer. Times are medians in seconds; `ratio` is how many times situ is faster."""

    case: str
    peer: str
    situ: float
    other: float
    ratio: float
    spread: float
    """Half the distance between the quartiles of the rounds' ratios, relative to their median."""
    rounds: int
    cell: Cell | None = None


class Different(ValueError):
    """situ and NumPy computed different results, so that nothing was timed."""


def _repeats(measure: Callable[[int], float], batch: float) -> int:
    count = 1
    while (took := measure(count)) < batch / 4 and count < 10_000_000:
        count = max(2 * count, min(10 * count, int(count * batch / max(took, 1e-9))))
    return max(1, int(count * batch / max(took, 1e-9)))


_Name = TypeVar("_Name")


def take_turns(
    measures: Mapping[_Name, Callable[[int], float]], effort: Effort, repeats: int | None = None, rest: float = 0.0
) -> dict[_Name, list[float]]:
    """Time each measure once a round; `repeats` is how often a round runs it, chosen by time when not given.

    >>> take_turns({"one": lambda count: 2.0 * count}, Effort(rounds=3, batch=1.0))
    {'one': [2.0, 2.0, 2.0]}
    """
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        counts = {name: repeats or _repeats(measure, effort.batch) for name, measure in measures.items()}
        times: dict[_Name, list[float]] = {name: [] for name in measures}
        begin = time.perf_counter()
        for done in range(effort.rounds):
            if effort.budget is not None and done >= _FEWEST_ROUNDS and time.perf_counter() - begin > effort.budget:
                break
            for name, measure in measures.items():
                if rest:
                    time.sleep(rest)
                times[name].append(measure(counts[name]) / counts[name])
    finally:
        if was_enabled:
            gc.enable()
    return times


Times = dict[str, list[float]]
"""What each contestant took in each round."""

_SITU = "situ"


def measure(case: Case, effort: Effort) -> Times:
    """The times of a case."""
    contest = case.prepare()
    if not contest.check():
        raise Different(f"{case.name}: situ and its peer computed different results, so nothing was timed")
    measures = {_SITU: contest.situ.compiled()} | {name: peer.compiled() for name, peer in contest.peers.items()}
    return take_turns(measures, effort, case.repeats, contest.rest)


def results(case: Case, times: Times) -> list[Result]:
    """What the times of a case come to: one result for each peer."""
    return [_result(case.name, peer, times[_SITU], times[peer], case.cell) for peer in times if peer != _SITU]


def compete(case: Case, effort: Effort) -> list[Result]:
    """Measure a case: one result for each peer."""
    return results(case, measure(case, effort))


def _result(case: str, peer: str, ours: list[float], theirs: list[float], cell: Cell | None = None) -> Result:
    ratios = [other / own for own, other in zip(ours, theirs, strict=True)]
    middle = statistics.median(ratios)
    low, _, high = statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else (middle,) * 3
    return Result(
        case=case,
        peer=peer,
        situ=statistics.median(ours),
        other=statistics.median(theirs),
        ratio=middle,
        spread=(high - low) / 2 / middle,
        rounds=len(ratios),
        cell=cell,
    )
