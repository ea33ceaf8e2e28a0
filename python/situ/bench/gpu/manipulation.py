"""Elements arranged in a new array: many small ones stacked, large ones joined, rolled and repeated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ..contest import Snippet
from .libraries import Library, Torch
from .work import Work

SMALL = "stack of 100 arrays of 100 float32"
_NAMES = {"concat": ("concatenate", "cat"), "repeat": ("repeat", "repeat_interleave")}
"""What NumPy and CuPy, and what PyTorch, call a function."""


def _function(library: Library, name: str) -> Any:
    if library.name != "situ" and name in _NAMES:
        name = _NAMES[name][isinstance(library, Torch)]
    return library.function(name)


def _small(library: Library) -> Mapping[str, Snippet]:
    if library.name == "JAX":
        return {}
    many = library.keep("small", lambda: [library.operand("float32", 100, seed) for seed in range(100)])
    return {"": library.snippet("r = f(many)", f=_function(library, "stack"), many=many)}


def _large(name: str, arguments: str, n: int, library: Library) -> Mapping[str, Snippet]:
    if library.name == "JAX":
        return {}
    x = library.operand("float32", n)
    names = {"f": _function(library, name), "x": x, "half": x[: n // 2], "n": n}
    return {"": library.snippet(f"r = f({arguments})", **names)}


def works(n: int) -> Iterator[Work]:
    """The comparisons; what is read and written once should be as fast as a copy."""
    yield Work(SMALL, _small)
    for title, name, arguments in (
        ("concat of two halves float32", "concat", "[half, half]"),
        ("roll float32", "roll", "x, n // 3"),
        ("repeat twice float32", "repeat", "half, 2"),
    ):
        read = 2 if name == "repeat" else 4
        yield Work(title, partial(_large, name, arguments, n), nbytes=(4 + read) * n)
