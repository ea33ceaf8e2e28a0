"""What is compared: elementwise functions against NumPy and others, and situ's own promises about queues and memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy

import situ
from situ import tensor

from . import own, peers
from .contest import Case, Contest, Snippet

OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
FUNCTIONS = ("sin", "exp", "square")
DTYPES = ("float64", "float32", "int32")
SIZES = (10, 10**3, 10**5, 10**7)

_INLINE = 10**4
"""Up to this size situ computes before the call returns, and one wait at the end of a batch is enough."""


def _power(n: int) -> str:
    exponent = len(str(n)) - 1
    return f"10^{exponent}" if n == 10**exponent and n > 10 else str(n)


def operands(n: int, dtype: str) -> tuple[Any, Any]:
    """Two NumPy arrays without zeros, whose sums and products fit in every dtype."""
    generator = numpy.random.default_rng(2024)
    make = (lambda: generator.integers(1, 1000, n)) if dtype == "int32" else (lambda: generator.uniform(0.5, 2.0, n))
    return make().astype(dtype), make().astype(dtype)


def _agree(ours: Any, theirs: Any) -> bool:
    found = tensor.asnumpy(ours)
    tolerance = 1e-5 if found.itemsize < 8 else 1e-12
    return found.dtype == theirs.dtype and bool(numpy.allclose(found, theirs, rtol=tolerance))


def _ours(expression: str, n: int, names: dict[str, Any]) -> Snippet:
    wait = situ.get_device_cached_queue(situ.Device()).wait
    statement = f"c = {expression}" + ("" if n <= _INLINE else "; wait()")
    return Snippet(statement, names | {"wait": wait}, finish="wait()")


def _operator(name: str, dtype: str, n: int, into: bool) -> Contest:
    a, b = operands(n, dtype)
    x, y = tensor.asarray(a), tensor.asarray(b)
    reference, function = getattr(numpy, name), getattr(tensor, name)
    out = reference(a, b)
    z = tensor.asarray(out)
    symbol = OPERATORS[name]
    if into:
        ours = _ours("f(a, b, out=z)", n, {"a": x, "b": y, "z": z, "f": function})
        others = {"NumPy": Snippet("c = f(a, b, out=z)", {"a": a, "b": b, "z": out, "f": reference})}
    else:
        ours = _ours(f"a {symbol} b", n, {"a": x, "b": y})
        others = {"NumPy": Snippet(f"c = a {symbol} b", {"a": a, "b": b})}
        if n > _INLINE:
            others |= peers.binary(symbol, a, b)
    return Contest(ours, others, check=lambda: _agree(function(x, y), reference(a, b)))


def _function(name: str, dtype: str, n: int) -> Contest:
    a, _ = operands(n, dtype)
    x = tensor.asarray(a)
    reference, function = getattr(numpy, name), getattr(tensor, name)
    others = {"NumPy": Snippet("c = f(a)", {"a": a, "f": reference})}
    if n > _INLINE:
        others |= peers.unary(name, a)
    return Contest(_ours("f(a)", n, {"a": x, "f": function}), others, check=lambda: _agree(function(x), reference(a)))


def _elementwise(quick: bool) -> Iterator[Case]:
    sizes = SIZES[:-1] if quick else SIZES
    dtypes = DTYPES[:1] if quick else DTYPES
    yield Case("add float64 n=4", partial(_operator, "add", "float64", 4, False))
    yield Case("add float64 n=4 out=", partial(_operator, "add", "float64", 4, True))
    if quick:
        yield Case("add float64 n=10^7", partial(_operator, "add", "float64", 10**7, False))
    for into in (False, True):
        for name in OPERATORS:
            for dtype in dtypes:
                for n in sizes:
                    title = f"{name} {dtype} n={_power(n)}" + (" out=" if into else "")
                    yield Case(title, partial(_operator, name, dtype, n, into))
    for name in FUNCTIONS:
        for dtype in dtypes[:2]:
            for n in sizes:
                yield Case(f"{name} {dtype} n={_power(n)}", partial(_function, name, dtype, n))


def chosen(*, quick: bool, only: str | None) -> list[Case]:
    """The cases to run.

    >>> [case.name for case in chosen(quick=True, only="n=4")]
    ['add float64 n=4', 'add float64 n=4 out=']
    """
    everything = [*own.cases(), *_elementwise(quick)]
    found = [case for case in everything if only is None or only in case.name]
    if not found:
        names = sorted({case.name.split(" n=")[0] for case in everything})
        raise ValueError(f"no case's name contains {only!r}; there are: {', '.join(names)}")
    return found
