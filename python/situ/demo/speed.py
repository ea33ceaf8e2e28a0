"""A first comparison with NumPy."""

from __future__ import annotations

from .._cli.draw import print_bars, seconds
from ..bench.contest import Case, Contest, Effort, Snippet, compete
from .stage import Stage


def _race(stage: Stage, n: int, wait: str) -> None:
    names = stage.names
    ours = {"a": names["a"], "b": names["b"], "wait": names["a"].sycl_queue.wait}
    contest = Contest(
        Snippet(f"c = a + b{wait}", ours, finish="wait()"),
        {"NumPy": Snippet("c = a + b", {"a": names["p"], "b": names["q"]})},
    )
    effort = Effort(rounds=3, batch=0.001) if stage.fast else Effort(rounds=9, batch=0.05)
    (result,) = compete(Case(f"a + b, n = {n}", lambda: contest), effort)
    times = {"situ": result.situ, "NumPy": result.other}
    print_bars(stage.terminal, [(name, time, seconds(time)) for name, time in times.items()])
    word = "faster" if result.ratio >= 1 else "slower"
    factor = max(result.ratio, 1 / result.ratio)
    stage.say(f"situ is {factor:.1f} × {word} here: medians of {result.rounds} rounds, taken in turns.")


def large(stage: Stage) -> None:
    """Add two large arrays."""
    n = 100_000 if stage.fast else 10_000_000
    stage.title("Large arrays: a + b into a new array")
    stage.code(
        f"""
        p, q = numpy.linspace(0, 1, {n:_}), numpy.linspace(1, 2, {n:_})
        a, b = tensor.asarray(p), tensor.asarray(q)
        """
    )
    _race(stage, n, "; wait()")


def small(stage: Stage) -> None:
    """Add two arrays of four elements."""
    stage.title("Small arrays: the cost of a call")
    stage.code("p, q = numpy.ones(4), numpy.ones(4); a, b = tensor.ones(4), tensor.ones(4)")
    _race(stage, 4, "")
