"""Elementwise work on large arrays: what the device's memory allows, and other layouts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy

from ..contest import Snippet
from .libraries import Library, Situ, Torch, random
from .work import Work

COPY = "copy float32"
FUNCTIONS = {"add": 2, "multiply": 2, "sin": 1, "exp": 1, "sqrt": 1}
DTYPES = ("float32", "float64")


def title(name: str, dtype: str) -> str:
    """What a function's row is called.

    >>> title("add", "float32")
    'add float32'
    """
    return f"{name} {dtype}"


def _out(library: Library, like: Any, key: str) -> Any:
    return library.keep(f"out {key}", lambda: library.function("empty_like")(like))


def _copy(n: int, library: Library) -> Mapping[str, Snippet]:
    if library.name == "JAX":
        return {}
    a = library.operand("float32", n)
    c = _out(library, a, f"float32 {n}")
    if isinstance(library, Torch):
        return {"new": library.snippet("r = a.clone()", a=a), "into": library.snippet("c.copy_(a)", a=a, c=c)}
    ways = {"new": library.snippet("r = copy(a)", a=a, copy=library.function("copy"))}
    if isinstance(library, Situ):
        blocks = {"source": a.usm_data, "target": c.usm_data, "n": a.nbytes, "memcpy": library.queue.memcpy_async}
        ways["memcpy"] = library.snippet("e = memcpy(target, source, n)", c=c, **blocks)
        ways["into"] = library.snippet("c[...] = a", a=a, c=c)
    else:
        ways["into"] = library.snippet("copyto(c, a)", a=a, c=c, copyto=library.function("copyto"))
    return ways


def _function(name: str, operands: int, dtype: str, n: int, library: Library) -> Mapping[str, Snippet]:
    if library.name == "JAX":
        return {}
    names = {letter: library.operand(dtype, n, seed) for seed, letter in enumerate("ab"[:operands])}
    arguments = ", ".join(names)
    names["f"], c = library.function(name), _out(library, names["a"], f"{dtype} {n}")
    return {
        "new": library.snippet(f"r = f({arguments})", **names),
        "out=": library.snippet(f"f({arguments}, out=c)", c=c, **names),
    }


def copies(n: int) -> Iterator[Work]:
    """The copy that everything is compared with."""
    yield Work(COPY, partial(_copy, n), nbytes=2 * 4 * n)


def functions(dtype: str, n: int) -> Iterator[Work]:
    """Functions that should be as fast as the copy."""
    for name, operands in FUNCTIONS.items():
        moved = (operands + 1) * n * numpy.dtype(dtype).itemsize
        yield Work(title(name, dtype), partial(_function, name, operands, dtype, n), nbytes=moved)


def _square(library: Library, side: int, seed: int) -> Any:
    host = random("float32", side * side, seed).reshape(side, side)
    return library.keep(f"square {side} {seed}", lambda: library.array(host))


_LAYOUTS = {
    "x[::2] + y[::2]": "r = x[::2] + y[::2]",
    "matrix + row": "r = m + row",
    "matrix + column": "r = m + column",
    "x + y.T": "r = m + o.T",
    "b[2:, 2:] += a": "c[2:, 2:] += inner",
}


def _layout(statement: str, side: int, library: Library) -> Mapping[str, Snippet]:
    if library.name == "JAX":
        return {}
    x, y = (library.operand("float32", side * side, seed) for seed in range(2))
    m, o = (_square(library, side, seed) for seed in range(2))
    c = library.keep("target", lambda: library.array(numpy.zeros((side, side), "float32")))
    names = {"x": x, "y": y, "m": m, "o": o, "row": m[0], "column": m[:, :1], "inner": m[2:, 2:], "c": c}
    return {"": library.snippet(statement, **names)}


def _narrowed(n: int, library: Library) -> Mapping[str, Snippet]:
    if library.name == "JAX":
        return {}
    a = library.operand("float64", n)
    if isinstance(library, Torch):
        return {"": library.snippet("r = a.to(dtype)", a=a, dtype=library.module.float32)}
    return {"": library.snippet("r = a.astype('float32')", a=a)}


def layouts(n: int, side: int) -> Iterator[Work]:
    """Strides, broadcasting, transposition, parts, and conversion."""
    moved = {"x[::2] + y[::2]": 6, "matrix + row": 8, "matrix + column": 8}
    for name, statement in _LAYOUTS.items():
        # A sum that adds to part of an array differs each time it is computed.
        comparable = "+=" not in name
        nbytes = side * side * moved.get(name, 12)
        yield Work(name, partial(_layout, statement, side), nbytes=nbytes, comparable=comparable)
    yield Work("float64 to float32", partial(_narrowed, n), nbytes=12 * n)
