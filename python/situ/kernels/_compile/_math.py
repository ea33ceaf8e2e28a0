"""The functions of `math` and `cmath`."""

from __future__ import annotations

import ast
import cmath
import math
from functools import reduce
from typing import Any

import numpy as np

from ._elementwise import WEAK_FLOAT, WEAK_INT, Lower, absolute, op
from ._operators import OP, OPS
from ._things import Value

#: `math` has these, but they are something else.
_NOT_THE_OP = frozenset({"remainder"})
#: Functions of `math` that give integers.
_TO_INTEGER = frozenset({"ceil", "floor", "trunc"})


def _of_math(name: str) -> Lower:
    """Return what lowers a call of a function of `math`, which computes with floats and gives Python's numbers."""
    lower = op(name, getattr(math, name))
    return lambda low, node, *args: lower(low, node, *(_as_float(low, arg, node) for arg in args))


def _to_integer(name: str) -> Lower:
    """Return what lowers a call of a function of `math` that gives an integer, which integers are already."""
    lower = op(name, getattr(math, name))

    def lower_integers(low: Any, node: ast.Call, x: Any) -> Any:
        x = _real(low, x, node)
        return as_int(low, x if isinstance(x, Value) and x.kind in "bi" else lower(low, node, x))

    return lower_integers


def as_int(low: Any, number: Any) -> Any:
    """Return what has no fraction as Python's integer. Those of uint64 stay what they are: int64 is too narrow."""
    if not isinstance(number, Value) or number.dtype == np.uint64:
        return number
    return low.builder.cast(number, WEAK_INT)


def _real(low: Any, arg: Any, node: ast.Call) -> Any:
    number = low.as_number(arg, node)
    if isinstance(number, Value) and number.kind == "c":
        raise low.error(node, "math has no complex numbers; use the function of this name in cmath or situ.tensor")
    return number


def _as_float(low: Any, arg: Any, node: ast.Call) -> Any:
    number = _real(low, arg, node)
    return low.builder.cast(number, WEAK_FLOAT) if isinstance(number, Value) and number.kind in "bi" else number


def _of_cmath(name: str) -> Lower:
    lower = op(name, getattr(cmath, name))

    def lower_complex(low: Any, node: ast.Call, *args: Any) -> Any:
        numbers = [low.as_number(arg, node) for arg in args]
        if name.startswith("is"):
            return lower(low, node, *numbers)
        return lower(low, node, *(low.binary(ast.Add, each, 0j, node) for each in numbers))

    return lower_complex


def _log(low: Any, node: ast.Call, x: Any, base: Any = None) -> Any:
    log = _of_math("log")
    result = log(low, node, x)
    return result if base is None else low.binary(ast.Div, result, log(low, node, base), node)


def _fmod(low: Any, node: ast.Call, x: Any, y: Any) -> Any:
    x, y = _as_float(low, x, node), _as_float(low, y, node)
    if not isinstance(x, Value) and not isinstance(y, Value):
        return low.fold(math.fmod, node, x, y)
    apply = low.builder.apply
    return apply(OP["copysign"], apply(OP["remainder"], apply(OP["abs"], x), apply(OP["abs"], y)), x)


def _fabs(low: Any, node: ast.Call, x: Any) -> Any:
    return absolute(low, node, _as_float(low, x, node))


def _scaled(factor: float) -> Lower:
    return lambda low, node, x: low.binary(ast.Mult, _as_float(low, x, node), factor, node)


def _math_pow(low: Any, node: ast.Call, base: Any, exponent: Any) -> Any:
    return op("pow", math.pow)(low, node, _as_float(low, base, node), _as_float(low, exponent, node))


def _hypot(low: Any, node: ast.Call, *sides: Any) -> Any:
    if len(sides) < 2:
        return _fabs(low, node, *sides) if sides else 0.0
    of_two = _of_math("hypot")
    return reduce(lambda one, other: of_two(low, node, one, other), sides)


def _remainder(low: Any, node: ast.Call, x: Any, y: Any) -> Any:
    x, y = _as_float(low, x, node), _as_float(low, y, node)
    if not isinstance(x, Value) and not isinstance(y, Value):
        return low.fold(math.remainder, node, x, y)
    apply = low.builder.apply
    dividend, divisor = (absolute(low, node, each) for each in (x, y))
    below = apply(OP["remainder"], dividend, divisor)
    above = apply(OP["subtract"], divisor, below)
    # Halfway between two multiples the even one counts. All of this is exact.
    half = apply(OP["multiply"], apply(OP["subtract"], dividend, below), 0.5)
    even = apply(OP["subtract"], below, apply(OP["multiply"], apply(OP["remainder"], half, divisor), 2))
    nearest = low.builder.select(apply(OP["greater"], below, above), apply(OP["negative"], above), even)
    nearest = low.builder.select(apply(OP["less"], below, above), below, nearest)
    return apply(OP["multiply"], nearest, apply(OP["copysign"], low.builder.cast(1.0, WEAK_FLOAT), x))


def _is_close(low: Any, node: ast.Call, a: Any, b: Any, *, rel_tol: Any = 1e-9, abs_tol: Any = 0.0) -> Any:
    a, b, rel_tol, abs_tol = (_as_float(low, each, node) for each in (a, b, rel_tol, abs_tol))
    if not any(isinstance(each, Value) for each in (a, b, rel_tol, abs_tol)):
        return low.fold(
            lambda *args: math.isclose(*args[:2], rel_tol=args[2], abs_tol=args[3]), node, a, b, rel_tol, abs_tol
        )
    apply = low.builder.apply
    apart = absolute(low, node, low.binary(ast.Sub, a, b, node))
    limits = [absolute(low, node, low.binary(ast.Mult, rel_tol, each, node)) for each in (a, b)]
    near = [low.compare(ast.LtE, apart, limit, node) for limit in (*limits, abs_tol)]
    infinite = apply(OP["logical_or"], *(apply(OP["isinf"], each) for each in (a, b)))
    close = apply(
        OP["logical_and"],
        reduce(lambda one, other: apply(OP["logical_or"], one, other), near),
        apply(OP["logical_not"], infinite),
    )
    return apply(OP["logical_or"], low.compare(ast.Eq, a, b, node), close)


def math_functions() -> dict[Any, Lower]:
    """Return what lowers the calls of functions of `math` and `cmath`."""
    table: dict[Any, Lower] = {}
    for name in OPS:
        if hasattr(cmath, name):
            table[getattr(cmath, name)] = _of_cmath(name)
        if hasattr(math, name) and name not in _NOT_THE_OP:
            table[getattr(math, name)] = _to_integer(name) if name in _TO_INTEGER else _of_math(name)
    return table | {
        math.log: _log,
        math.fmod: _fmod,
        math.fabs: _fabs,
        math.pow: _math_pow,
        math.hypot: _hypot,
        math.remainder: _remainder,
        math.isclose: _is_close,
        math.degrees: _scaled(180 / math.pi),
        math.radians: _scaled(math.pi / 180),
        cmath.phase: op("angle"),
    }
