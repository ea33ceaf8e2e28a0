"""Whole expressions, as a program has them, against NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy

import situ
from situ import tensor

from .. import _native
from .contest import Case, Contest, Snippet
from .functions import Interval
from .matrix import agree, ours
from .operands import arranged

LARGE = 10**7
ADD = "a + b float64 n={}"
FOUR_STEPS = "program sin(2*a) * exp(a) n=10^7"
SIX_STEPS = "program sin(2*a) * exp(-a*a) n=10^7"
TRACED = "njit sin(2*a) * exp(-a**2) n=10^7"
TRACED_SUM = "njit sum(sin(2*a) * exp(-a**2)) n=10^7"
INNER = "b[2:, 2:] += a, 8192 x 8192"
SIEVE = "sieve of Eratosthenes n=10^6"

_FOUR = [("multiply", [1, 0]), ("sin", [2]), ("exp", [0]), ("multiply", [3, 4])]
_SIX = [
    ("multiply", [1, 0]),
    ("sin", [2]),
    ("negative", [0]),
    ("multiply", [4, 0]),
    ("exp", [5]),
    ("multiply", [3, 6]),
]


def _sum(n: int) -> Contest:
    (a, b), (x, y) = arranged("contiguous", (Interval(0.5, 2.0),) * 2, "float64", n)
    others = {"NumPy": Snippet("r = a + b", {"a": a, "b": b})}
    return Contest(ours("a + b", n, {"a": x, "b": y}), others, check=lambda: agree(x + y, a + b))


def _program(steps: list[tuple[str, list[int]]], expression: str) -> Contest:
    """One pass over the steps, where value 0 is `a` and value 1 the number 2, against NumPy step by step."""
    (a,), (x,) = arranged("contiguous", (Interval(-2.0, 2.0),), "float64", LARGE)
    names = {
        "evaluate": _native.evaluate,
        "given": [x, tensor.asarray(2.0)],
        "steps": steps,
        "outputs": [len(steps) + 1],
    }
    call = "evaluate(given, steps, outputs)"
    numpys: dict[str, Any] = {"a": a, "sin": numpy.sin, "exp": numpy.exp}
    others = {"NumPy": Snippet(f"r = {expression}", numpys)}
    if find_spec("numexpr"):
        evaluate = import_module("numexpr").evaluate
        others["numexpr"] = Snippet("r = f(text, arrays)", {"f": evaluate, "text": expression, "arrays": {"a": a}})

    def check() -> bool:
        (found,) = eval(call, dict(names))
        return agree(found, eval(expression, dict(numpys)))

    return Contest(ours(call, LARGE, names), others, check)


def _traced(expression: str) -> Contest:
    """A traced function against NumPy and situ step by step."""
    (a,), (x,) = arranged("contiguous", (Interval(-2.0, 2.0),), "float64", LARGE)
    names: dict[str, Any] = {"a": a, "sin": numpy.sin, "exp": numpy.exp, "sum": numpy.sum}
    own = {"a": x, "sin": tensor.sin, "exp": tensor.exp, "sum": tensor.sum}
    function = eval(f"lambda a: {expression}", dict(own))
    traced = situ.njit(function)
    traced(x)
    others = {
        "NumPy": Snippet(f"r = {expression}", names),
        "eager": Snippet("r = f(a); wait()", {"f": function, "a": x, "wait": x.sycl_queue.wait}),
    }
    mine = ours("f(a)", LARGE, {"f": traced, "a": x})
    return Contest(mine, others, check=lambda: agree(traced(x), eval(expression, dict(names))))


def _inner() -> Contest:
    side = 8192
    a, b = numpy.ones((side - 2, side - 2)), numpy.zeros((side, side))
    x, y = tensor.asarray(a), tensor.asarray(b)
    statement = "b[2:, 2:] += a"
    mine = Snippet(f"{statement}; wait()", {"a": x, "b": y, "wait": x.sycl_queue.wait})

    def check() -> bool:
        exec(statement, {"a": a, "b": b})
        exec(statement, {"a": x, "b": y})
        return agree(y, b)

    return Contest(mine, {"NumPy": Snippet(statement, {"a": a, "b": b})}, check)


def primes(space: Any, limit: int) -> Any:
    """The primes up to a limit, by masks, minima and assignments, with NumPy's functions or situ's.

    >>> primes(numpy, 30)
    array([ 2,  3,  5,  7, 11, 13, 17, 19, 23, 29], dtype=int32)
    """
    join = space.concat if hasattr(space, "concat") else space.concatenate
    numbers = join((space.arange(2, 3, dtype=space.int32), space.arange(3, limit + 1, 2, dtype=space.int32)))
    prime = space.zeros((), dtype=space.int32)
    while prime * prime < limit + 1:
        prime = space.min(numbers[numbers > prime])
        numbers[(numbers > prime) & (numbers % prime == 0)] = 0
    return numbers[numbers > 0]


def _sieve() -> Contest:
    names = {"primes": primes, "n": 10**6, "wait": tensor.zeros(1).sycl_queue.wait}
    others = {"NumPy": Snippet("r = primes(space, n)", names | {"space": numpy})}
    mine = Snippet("r = primes(space, n); wait()", names | {"space": tensor})
    return Contest(mine, others, check=lambda: agree(primes(tensor, 10**4), primes(numpy, 10**4)))


def cases(*, quick: bool) -> Iterator[Case]:
    """The comparisons; a quick run leaves out the one that needs gigabytes."""
    yield Case(ADD.format(4), partial(_sum, 4))
    yield Case(ADD.format("10^7"), partial(_sum, LARGE))
    yield Case(FOUR_STEPS, partial(_program, _FOUR, "sin(2 * a) * exp(a)"))
    yield Case(SIX_STEPS, partial(_program, _SIX, "sin(2 * a) * exp(-a * a)"))
    yield Case(TRACED, partial(_traced, "sin(2 * a) * exp(-(a**2))"))
    yield Case(TRACED_SUM, partial(_traced, "sum(sin(2 * a) * exp(-(a**2)))"))
    if not quick:
        yield Case(INNER, _inner)
        yield Case(SIEVE, _sieve, repeats=1)
