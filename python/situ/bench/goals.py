"""The promises, and whether this run keeps them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from .._cli.draw import seconds, three_digits
from . import expressions, fft, kernels, linalg, manipulation, opencl, own, products, reductions, scaling, sorting
from .contest import Cell, Result
from .summary import Measured as Cells
from .summary import below, cells, geometric_mean, is_whole


class Results:
    """The results of a run, found by case and peer."""

    def __init__(self, results: Sequence[Result], different: Sequence[str] = ()) -> None:
        self.all = list(results)
        self.different = list(different)
        self._found = {(result.case, result.peer): result for result in results}

    def of(self, case: str, peer: str = "NumPy") -> Result | None:
        """One case against one peer, if it was measured."""
        return self._found.get((case, peer))


Measured = tuple[str, bool]
"""What was measured, and whether it is good enough."""


@dataclass(frozen=True)
class Goal:
    """A promise, and how to find out about it: None where it was not measured."""

    title: str
    wanted: str
    judge: Callable[[Results], Measured | None]


@dataclass(frozen=True)
class Judged:
    """A goal with what was measured; `passed` is None when it was not."""

    goal: Goal
    measured: str
    passed: bool | None


def _times(case: str, at_least: float, results: Results) -> Measured | None:
    found = results.of(case)
    return None if found is None else (f"{three_digits(found.ratio)} ×", found.ratio >= at_least)


def _share(case: str, peer: str, below: float, results: Results) -> Measured | None:
    found = results.of(case, peer)
    return None if found is None else (three_digits(1 / found.ratio), 1 / found.ratio <= below)


def _small_call(results: Results) -> Measured | None:
    found = results.of(expressions.ADD.format(4))
    return None if found is None else (f"{seconds(found.situ)} : {seconds(found.other)}", found.ratio > 1)


def _fork_join(results: Results) -> Measured | None:
    found = results.of(own.FORK_JOIN, own.THREAD_POOL)
    return None if found is None else (seconds(found.situ), found.situ < 0.3e-6)


def _flat(name: str, results: Results) -> Measured | None:
    found = [result for result in results.all if result.case == scaling.PER_ELEMENT.format(name)]
    if not found:
        return None
    times = [found[0].situ, *(result.other for result in found)]
    spread = max(times) / min(times)
    return f"{seconds(min(times))} to {seconds(max(times))}", spread <= 1.5


def _mean(results: Results) -> Measured | None:
    found = cells(results.all)
    if not is_whole(found):
        return None
    mean = geometric_mean(found)
    return f"{three_digits(mean)} ×", mean >= 3.0


def _everywhere(results: Results) -> Measured | None:
    found = cells(results.all)
    if not is_whole(found):
        return None
    slower = len(below(found)) + len(results.different)
    return f"{slower} of {len(found) + len(results.different)} below", slower == 0


Whole = Callable[[Sequence[Cells]], bool]


def _family_mean(family: str, is_whole: Whole, at_least: float, results: Results) -> Measured | None:
    found = cells(results.all, family)
    if not is_whole(found):
        return None
    mean = geometric_mean(found)
    return f"{three_digits(mean)} ×", mean >= at_least


def _family_least(family: str, is_whole: Whole, results: Results) -> Measured | None:
    found = cells(results.all, family)
    if not is_whole(found):
        return None
    least = min(found, key=lambda measured: measured.result.ratio)
    return f"{three_digits(least.result.ratio)} × ({least.cell.name})", least.result.ratio >= 0.9


def _reduced_goal(function: str, layout: str, at_least: float) -> Goal:
    title = f"{function}{'' if layout == 'whole' else f' along {layout}'}, 10^7 float64"
    return _times_goal(title, reductions.cell_of(function, "float64", layout, 10**7).name, at_least)


def _sorted(function: str, n: int, at_least: float, results: Results) -> Measured | None:
    """The least ratio of a function of random elements over the dtypes."""
    found = [results.of(sorting.random_cell(function, dtype, n).name) for dtype in sorting.DTYPES]
    ratios = [result.ratio for result in found if result is not None]
    if len(ratios) < len(sorting.DTYPES):
        return None
    return f"{three_digits(min(ratios))} ×", min(ratios) >= at_least


def _sorted_goal(function: str, n: int, at_least: float) -> Goal:
    title = f"{function} of 10^{len(str(n)) - 1} random elements, any dtype"
    return Goal(title, f"≥ {at_least:g} × NumPy", partial(_sorted, function, n, at_least))


def _kernel(work: kernels.Work, results: Results) -> Measured | None:
    """The ratio to the better peer; one that was not measured is not it."""
    found = [result.ratio for result in results.all if result.case == work.case]
    return (f"{three_digits(min(found))} ×", min(found) >= work.wanted) if found else None


def _first(at_least: float, results: Results) -> Measured | None:
    found = results.of(kernels.FIRST, "Numba")
    return None if found is None else (f"{three_digits(found.ratio)} ×", found.ratio >= at_least)


def _against_dpctl(results: Results) -> list[Result]:
    """The comparisons with dpctl, if all of them were made."""
    found = [results.of(work.case(n), opencl.PEER) for n in opencl.SIZES for work in opencl.WORKS]
    return [result for result in found if result is not None] if None not in found else []


def _dpctl_mean(at_least: float, results: Results) -> Measured | None:
    found = _against_dpctl(results)
    if not found:
        return None
    mean = statistics.geometric_mean(result.ratio for result in found)
    return f"{three_digits(mean)} ×", mean >= at_least


def _dpctl_least(results: Results) -> Measured | None:
    least = min(_against_dpctl(results), key=lambda result: result.ratio, default=None)
    return None if least is None else (f"{three_digits(least.ratio)} × ({least.case})", least.ratio >= 0.97)


def _against_scipy(results: Results) -> list[Result]:
    """Every comparison of transforms, if all were made."""
    names = {task.name for task in fft.TASKS}
    found = [result for result in results.all if result.case in names and result.peer == fft.PEER]
    return found if len(found) == len(names) else []


def _transforms_mean(results: Results) -> Measured | None:
    found = _against_scipy(results)
    if not found:
        return None
    mean = statistics.geometric_mean(result.ratio for result in found)
    return f"{three_digits(mean)} ×", mean >= fft.WANTED


def _transforms_least(results: Results) -> Measured | None:
    least = min(_against_scipy(results), key=lambda result: result.ratio, default=None)
    return None if least is None else (f"{three_digits(least.ratio)} × ({least.case})", least.ratio >= fft.LEAST)


def _algebra_least(results: Results) -> Measured | None:
    wanted = {task.name: task.wanted for task in linalg.TASKS}
    found = [result for result in results.all if result.case in wanted]
    if len(found) != len(wanted):
        return None
    worst = min(found, key=lambda result: result.ratio / wanted[result.case])
    met = worst.ratio >= 0.97 * wanted[worst.case]
    return f"{three_digits(worst.ratio)} × ({worst.case}, aim {wanted[worst.case]:g})", met


def _kernel_goal(work: kernels.Work) -> Goal:
    return Goal(work.case, f"≥ {work.wanted:g} × Numba and Taichi", partial(_kernel, work))


def _times_goal(title: str, case: str, at_least: float) -> Goal:
    return Goal(title, f"≥ {at_least:g} × NumPy", partial(_times, case, at_least))


GOALS = (
    Goal("geometric mean of the matrix", "≥ 3 × NumPy", _mean),
    Goal("no cell of the matrix below NumPy", "0 below", _everywhere),
    _times_goal("sin, 10^7 float64", Cell("sin", "float64", "contiguous", 10**7).name, 12),
    _times_goal("a + b, 10^7 float64, new result", expressions.ADD.format("10^7"), 2.5),
    _times_goal("b[2:, 2:] += a, 8192² float64", expressions.INNER, 1.5),
    _times_goal("four-step program, 10^7 float64", expressions.FOUR_STEPS, 8),
    _times_goal("primes up to 10^6 by a sieve", expressions.SIEVE, 1),
    Goal(
        "geometric mean of reductions and scans",
        "≥ 2.2 × NumPy",
        partial(_family_mean, reductions.FAMILY, reductions.is_whole, 2.2),
    ),
    Goal(
        "least ratio of a reduction or scan",
        "≥ 0.9 × NumPy",
        partial(_family_least, reductions.FAMILY, reductions.is_whole),
    ),
    Goal(
        "geometric mean of manipulation",
        "≥ 2 × NumPy",
        partial(_family_mean, manipulation.FAMILY, manipulation.is_whole, 2.0),
    ),
    Goal(
        "least ratio of manipulation",
        "≥ 0.9 × NumPy",
        partial(_family_least, manipulation.FAMILY, manipulation.is_whole),
    ),
    *(
        _times_goal(f"matmul, 1024² {dtype}", products.cell_of(dtype, "square", 1024).name, 0.97)
        for dtype in ("float32", "float64", "complex64", "complex128")
    ),
    _times_goal("matmul, batch of 8×8 float64", products.cell_of("float64", "batch", 8).name, 1.4),
    _times_goal("matmul, batch of 32×32 float64", products.cell_of("float64", "batch", 32).name, 1),
    _times_goal("matmul, 1024² float64 times a column", products.cell_of("float64", "column", 1024).name, 0.97),
    Goal(
        "geometric mean of sorting, searching and sets",
        "≥ 2 × NumPy",
        partial(_family_mean, sorting.FAMILY, sorting.is_whole, 2.0),
    ),
    *(_sorted_goal(function, n, at_least) for function, n, at_least in sorting.GOALS),
    Goal("geometric mean of Fourier transforms", f"≥ {fft.WANTED:g} × {fft.PEER}", _transforms_mean),
    Goal("least ratio of Fourier transforms", f"≥ {fft.LEAST:g} × {fft.PEER}", _transforms_least),
    Goal("linear algebra, the farthest from its aim", "each its aim × NumPy or SciPy", _algebra_least),
    *(_kernel_goal(work) for work in kernels.WORKS),
    Goal(
        "a kernel's first result, from the decorator on",
        f"≥ {kernels.FIRST_WANTED} × Numba",
        partial(_first, kernels.FIRST_WANTED),
    ),
    Goal("geometric mean on OpenCL", f"≥ {opencl.WANTED:g} × dpctl", partial(_dpctl_mean, opencl.WANTED)),
    Goal("least ratio on OpenCL", "≥ 0.97 × dpctl", _dpctl_least),
    _reduced_goal("std", "whole", 5),
    _reduced_goal("cumulative_sum", "whole", 4),
    _reduced_goal("sum", "axis 0", 1.2),
    *(Goal(f"{name}: time per element, 10^5 to 10^8", "≤ 1.5 apart", partial(_flat, name)) for name in scaling.FLAT),
    Goal("a + b of 4 elements", "< NumPy's time", _small_call),
    Goal(
        "a + b of 4: among 10^5 arrays, against 10",
        "≤ 1.1 of the time",
        partial(_share, scaling.COMPANY, scaling.FEW, 1.1),
    ),
    Goal(
        "two sub-device queues, against one of them",
        "≤ 0.65 of the time",
        partial(_share, own.TWO_QUEUES, "one of them", 0.65),
    ),
    Goal(
        "second 80 MB allocation, against the first",
        "≤ 0.1 of the time",
        partial(_share, own.SECOND_ALLOCATION, "the first", 0.1),
    ),
    Goal("empty fork-join, team awake", "< 0.3 µs", _fork_join),
)


def judge(results: Sequence[Result], different: Sequence[str] = ()) -> list[Judged]:
    """Compare each goal with the results; `different` names the cells whose results were not NumPy's."""
    found = Results(results, different)
    judged = []
    for goal in GOALS:
        measured = goal.judge(found)
        text, passed = ("not measured", None) if measured is None else measured
        judged.append(Judged(goal, text, passed))
    return judged
