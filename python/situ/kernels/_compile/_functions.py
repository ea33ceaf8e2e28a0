"""Functions that kernels can call: the op table under all its names, Python's builtins, `math` and `cmath`."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ... import tensor
from ..._native import kernels as native
from ._elementwise import WEAK_BOOL, WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT, Lower, absolute, op
from ._math import as_int, math_functions
from ._operators import OP, OPS
from ._things import Numbers, Value, View


def _extreme(name: str, compute: Callable[..., Any]) -> Lower:
    def lower(low: Any, node: ast.Call, *args: Any) -> Any:
        items = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
        if not items or len(args) == 1 and items is args:
            raise low.error(node, f"{compute.__name__} takes several numbers, or a tuple of them")
        result = low.as_number(items[0], node)
        for item in items[1:]:
            number = low.as_number(item, node)
            if isinstance(result, Value) or isinstance(number, Value):
                result = low.builder.apply(OP[name], result, number)
            else:
                result = low.fold(compute, node, result, number)
        return result

    return lower


def _converted(kind: type, of_type: int) -> Lower:
    def lower(low: Any, node: ast.Call, x: Any = 0) -> Any:
        if kind in (int, float, complex) and isinstance(x, str):
            return low.fold(kind, node, x)
        x = low.as_number(x, node)
        if not isinstance(x, Value):
            return low.fold(kind, node, x)
        if kind in (int, float) and x.kind == "c":
            raise low.error(node, f"a complex number is no {kind.__name__}; take its .real or .imag")
        return low.builder.cast(x, of_type)

    return lower


def _complex(low: Any, node: ast.Call, real: Any = 0, imag: Any = None) -> Any:
    whole = _converted(complex, WEAK_COMPLEX)(low, node, real)
    if imag is None:
        return whole
    return low.binary(ast.Add, whole, low.binary(ast.Mult, low.as_number(imag, node), 1j, node), node)


def _truth(low: Any, node: ast.Call, x: Any = False) -> Any:
    holds = low.as_truth(x, node)
    return low.builder.cast(holds, WEAK_BOOL) if isinstance(holds, Value) else holds


def _round(low: Any, node: ast.Call, x: Any, ndigits: Any = None) -> Any:
    x = low.as_number(x, node)
    if not isinstance(x, Value) and not isinstance(ndigits, Value):
        return low.fold(round, node, *((x,) if ndigits is None else (x, ndigits)))
    if ndigits is not None:
        raise low.error(node, "round takes one argument in kernels; multiply and divide for digits")
    rounded = low.builder.apply(OP["round"], x)
    return rounded if rounded.kind == "c" else as_int(low, rounded)


def _len(low: Any, node: ast.Call, x: Any) -> Any:
    if isinstance(x, tuple):
        return len(x)
    if isinstance(x, View) and x.axes:
        return low.length(x, x.axes[0])
    raise low.error(node, "len is for arrays and tuples")


def _range(low: Any, node: ast.Call, *bounds: Any) -> Any:
    if not 1 <= len(bounds) <= 3:
        raise low.error(node, f"range takes 1 to 3 arguments, not {len(bounds)}")
    numbers = [low.as_number(bound, node) for bound in bounds]
    start, stop, step = (0, *numbers, 1) if len(numbers) == 1 else (*numbers, 1)[:3]
    if not isinstance(step, Value):
        if step == 0:
            raise low.error(node, "the step of range() cannot be 0")
    elif low.debug:
        low.builder.guard(low.builder.apply(OP["not_equal"], step, 0), low.report(node, "the step of range() is 0"))
    return Numbers(start, stop, step)


def _pow(low: Any, node: ast.Call, base: Any, exponent: Any) -> Any:
    return low.binary(ast.Pow, base, exponent, node)


def _divmod(low: Any, node: ast.Call, x: Any, y: Any) -> Any:
    return low.binary(ast.FloorDiv, x, y, node), low.binary(ast.Mod, x, y, node)


def _sum(low: Any, node: ast.Call, items: Any, start: Any = 0) -> Any:
    if not isinstance(items, tuple):
        raise low.error(node, "sum is for tuples in kernels; add the elements of an array in a loop")
    for item in items:
        start = low.binary(ast.Add, start, item, node)
    return start


def _where(low: Any, node: ast.Call, condition: Any, x1: Any, x2: Any) -> Any:
    holds = low.as_truth(condition, node)
    one, other = low.as_number(x1, node), low.as_number(x2, node)
    if isinstance(holds, Value):
        return low.builder.select(holds, one, other)
    # The dtype is that of both.
    return low.builder.select(low.builder.constant(np.bool_(holds)), one, other)


def _clip(low: Any, node: ast.Call, x: Any, min: Any = None, max: Any = None) -> Any:
    x = low.as_number(x, node)
    result = x
    for name, limit in (("maximum", min), ("minimum", max)):
        if limit is not None:
            result = low.builder.apply(OP[name], low.value(result), low.as_number(limit, node))
    if result is not x and result.dtype != low.value(x).dtype:
        raise low.error(
            node, f"clip keeps the dtype {low.value(x).dtype}, which does not hold the limits; convert x first"
        )
    return result


def cast_to(kind: type[np.generic]) -> Lower:
    """Return what lowers a call of a NumPy scalar type, whose result has that dtype for good."""
    of_type = native.type_of(np.zeros((), kind)[()])

    def lower(low: Any, node: ast.Call, x: Any = 0) -> Any:
        x = low.as_number(x, node)
        if not isinstance(x, Value):
            return low.fold(kind, node, x)
        if x.kind == "c" and not issubclass(kind, np.complexfloating):
            raise low.error(node, f"a complex number is no {kind.__name__}; take its .real or .imag")
        return low.builder.cast(x, of_type)

    return lower


@cache
def known_functions() -> dict[Any, Lower]:
    """Return what lowers the calls of functions that are not of kernels alone."""
    table: dict[Any, Lower] = {}
    for name, (_, arity) in OPS.items():
        ufunc = getattr(np, name, None)
        if isinstance(ufunc, np.ufunc) and ufunc.nin == arity:
            table[ufunc] = op(name)
    table |= math_functions() | {
        builtins.abs: absolute,
        builtins.min: _extreme("minimum", min),
        builtins.max: _extreme("maximum", max),
        builtins.int: _converted(int, WEAK_INT),
        builtins.float: _converted(float, WEAK_FLOAT),
        builtins.complex: _complex,
        builtins.bool: _truth,
        builtins.round: _round,
        builtins.len: _len,
        builtins.range: _range,
        builtins.pow: _pow,
        builtins.divmod: _divmod,
        builtins.sum: _sum,
        np.absolute: op("abs"),
        tensor.where: _where,
        tensor.clip: _clip,
    }
    return table
