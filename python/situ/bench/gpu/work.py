"""Pieces of work, and measuring the ways that libraries have to do them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy

from ..contest import Effort, Snippet, take_turns
from .libraries import Library

_CORNER = 16
"""How many elements along each axis of a result are compared."""


@dataclass(frozen=True)
class Outcome:
    """What was measured of a piece of work: median seconds by library and way, and what went wrong."""

    title: str
    times: Mapping[tuple[str, str], float]
    errors: Mapping[str, str] = field(default_factory=dict)
    nbytes: int | None = None
    crosses: bool = False
    """Whether the bytes go between host and device, so that a copy on the device is no measure for it."""

    def best(self, library: str) -> tuple[str, float] | None:
        """A library's fastest way, and its seconds.

        >>> Outcome("add", {("situ", "new"): 2.0, ("situ", "out="): 1.0}).best("situ")
        ('out=', 1.0)
        """
        own = {way: seconds for (name, way), seconds in self.times.items() if name == library}
        return min(own.items(), key=lambda item: item[1]) if own else None

    def seconds(self, library: str) -> float | None:
        """The seconds of a library's fastest way."""
        found = self.best(library)
        return None if found is None else found[1]

    @property
    def ratio(self) -> float | None:
        """How many times faster situ is than the best of its peers.

        >>> Outcome("add", {("situ", "new"): 2.0, ("a", ""): 3.0, ("b", ""): 4.0}).ratio
        1.5
        """
        own = self.seconds("situ")
        others = [seconds for (name, _), seconds in self.times.items() if name != "situ"]
        return min(others) / own if own and others else None

    @property
    def rate(self) -> float | None:
        """Bytes per second that situ's fastest way moves."""
        own = self.seconds("situ")
        return self.nbytes / own if own and self.nbytes else None


class Measurable(Protocol):
    """Something with an outcome."""

    @property
    def title(self) -> str:
        """Its name."""

    def measure(self, libraries: Sequence[Library], effort: Effort) -> Outcome:
        """Measure it; what goes wrong is part of the outcome."""


Ways = Callable[[Library], Mapping[str, Snippet]]
"""A library's ways to do a piece of work, by name; none where it has none."""


@dataclass(frozen=True)
class Work:
    """A piece of work that libraries do in turns."""

    title: str
    ways: Ways
    nbytes: int | None = None
    """Bytes that have to be read and written, where that is what it is about."""
    crosses: bool = False
    repeats: int | None = None
    comparable: bool = True
    """Whether the ways are meant to have the same result `r`."""
    awaited: bool = True
    """Whether a batch is over when its last result is there, or when everything is submitted."""

    def measure(self, libraries: Sequence[Library], effort: Effort) -> Outcome:
        """Try each way once, leave out what fails or differs, and time the others in turns."""
        ready: dict[tuple[str, str], Callable[[int], float]] = {}
        errors: dict[str, str] = {}
        wanted: Any = None
        for library in libraries:
            for way, snippet in self._ways(library, errors).items():
                try:
                    corner = _tried(library, snippet) if self.comparable else None
                    wanted = corner if wanted is None else wanted
                    if not _agree(corner, wanted):
                        raise ValueError("the result differs from situ's")
                    ready[library.name, way] = self._timed(library, snippet)
                    ready[library.name, way](1)
                except Exception as error:
                    ready.pop((library.name, way), None)
                    errors[f"{library.name} {way}".strip()] = f"{type(error).__name__}: {error}"
        times: dict[tuple[str, str], list[float]] = {}
        try:
            times = take_turns(ready, effort, self.repeats)
        except Exception as error:
            errors["timing"] = f"{type(error).__name__}: {error}"
        medians = {key: statistics.median(each) for key, each in times.items() if each}
        return Outcome(self.title, medians, errors, self.nbytes, self.crosses)

    def _ways(self, library: Library, errors: dict[str, str]) -> Mapping[str, Snippet]:
        try:
            return self.ways(library)
        except Exception as error:
            errors[library.name] = f"{type(error).__name__}: {error}"
            return {}

    def _timed(self, library: Library, snippet: Snippet) -> Callable[[int], float]:
        if self.awaited:
            return snippet.compiled()
        measure = Snippet(snippet.statement, snippet.names).compiled()

        def seconds(count: int) -> float:
            took = measure(count)
            library.wait()
            return took

        return seconds


def _tried(library: Library, snippet: Snippet) -> Any:
    """The first elements of what a statement computes, on the host."""
    names = dict(snippet.names)
    exec(f"{snippet.statement}\n{snippet.finish}", names)  # The statements are this package's own.
    result = names["r"] if "r" in names else names["c"]
    while isinstance(result, (tuple, list)):
        result = result[0]
    return library.numpy(result[tuple(slice(_CORNER) for _ in result.shape)])


def _agree(found: Any, wanted: Any) -> bool:
    if found is None and wanted is None:
        return True
    if found.dtype != wanted.dtype or found.shape != wanted.shape:
        return False
    if wanted.dtype.kind != "f":
        return bool(numpy.array_equal(found, wanted))
    relative = 1e-5 if wanted.itemsize == 4 else 1e-12
    return bool(numpy.allclose(found, wanted, rtol=relative, atol=relative / 1000))
