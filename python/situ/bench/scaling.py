"""Comparisons of situ with itself at another size or in other company."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from situ import tensor

from .contest import Case, Contest, Snippet, Timed, power
from .functions import functions
from .matrix import ours
from .operands import arranged

LARGEST = 10**8
SMALLER = (10**5, 10**6, 10**7)
PER_ELEMENT = "time per element, {} float64"
FLAT = ("add", "sin")
COMPANY = "a + b of 4 among 10^5 arrays"
FEW = "among 10"


@dataclass(frozen=True)
class PerElement:
    """A snippet whose time is shared among the elements it computes; 10^7 of them at least."""

    snippet: Snippet
    n: int

    def compiled(self) -> Callable[[int], float]:
        """A function that runs it so many times and returns the seconds for one element of each."""
        measure, often = self.snippet.compiled(), max(1, 10**7 // self.n)
        return lambda count: measure(count * often) / (often * self.n)


@dataclass(frozen=True)
class InCompany:
    """A snippet that runs while so many other arrays are alive."""

    snippet: Snippet
    arrays: int

    def compiled(self) -> Callable[[int], float]:
        """A function that runs it so many times and returns the seconds, without those to make the company."""
        measure = self.snippet.compiled()

        def seconds(count: int) -> float:
            company = [tensor.empty(4) for _ in range(self.arrays)]
            measure(1000)
            took = measure(count)
            del company
            return took

        return seconds


def _per_element(name: str) -> Contest:
    row = functions()[name]

    def at(n: int) -> Timed:
        _, operands = arranged("contiguous", row.operands, "float64", n)
        names = dict(zip("ab", operands, strict=False)) | {"f": getattr(tensor, name)}
        return PerElement(ours(f"f({', '.join('ab'[: len(operands)])})", n, names), n)

    return Contest(at(LARGEST), {f"n={power(n)}": at(n) for n in SMALLER})


def _company() -> Contest:
    snippet = Snippet("r = a + b", {"a": tensor.ones(4), "b": tensor.ones(4)})
    return Contest(InCompany(snippet, 10**5), {FEW: InCompany(snippet, 10)})


def cases(*, quick: bool) -> Iterator[Case]:
    """The comparisons; a quick run leaves out those that need gigabytes."""
    yield Case(COMPANY, _company, repeats=20_000)
    if not quick:
        for name in FLAT:
            yield Case(PER_ELEMENT.format(name), partial(_per_element, name), repeats=1)
