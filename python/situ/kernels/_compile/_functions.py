"""Functions that kernels can call: the op table under all its names, Python's builtins, `math` and `cmath`."""

from __future__ import annotations

import ast
import builtins
import cmath
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ..._native import kernels as native
from ._operators import OP, OPS
from ._things import Numbers, Value, View

#: A function that lowers a call: it is given the compiler, the node and the arguments.
Lower = Callable[..., Any]

_WEAK_INT: int = native.type_of(0)
_WEAK_FLOAT: int = native.type_of(0.0)
_WEAK_COMPLEX: int = native.type_of(0j)
_WEAK_BOOL: int = native.type_of(True)
#: `math` has these, but they are something else.
_NOT_THE_OP = frozenset({"remainder"})
#: Functions of `math` that give integers.
_TO_INTEGER = frozenset({"ceil", "floor", "trunc"})


def _op(name: str, compute: Callable[..., Any] | None = None) -> Lower:
    """Return what lowers a call of an op; `compute` gives its result where all operands are known."""
    number, arity = OPS[name]

    def lower(low: Any, node: ast.Call, *args: Any) -> Any:
        operands = [low.as_number(arg, node) for arg in args]
        if len(operands) != arity:
            raise low.error(node, f"{name} takes {arity} arguments, not {len(operands)}")
        if name in ("floor_divide", "remainder"):
            low.guard_divisor(*operands, node)
        if compute is not None and not any(isinstance(each, Value) for each in operands):
            return low.fold(compute, node, *operands)
        return low.builder.apply(number, *operands)

    return lower


def _of_math(name: str) -> Lower:
    """Return what lowers a call of a function of `math`, which computes with floats and gives Python's numbers."""
    lower = _op(name, getattr(math, name))
    return lambda low, node, *args: lower(low, node, *(_as_float(low, arg, node) for arg in args))


def _to_integer(name: str) -> Lower:
    """Return what lowers a call of a function of `math` that gives an integer, which integers are already."""
    lower = _op(name, getattr(math, name))

    def lower_integers(low: Any, node: ast.Call, x: Any) -> Any:
        x = _real(low, x, node)
        return _as_int(low, x if isinstance(x, Value) and x.kind in "bi" else lower(low, node, x))

    return lower_integers


def _as_int(low: Any, number: Any) -> Any:
    """Return what has no fraction as Python's integer. Those of uint64 stay what they are: int64 is too narrow."""
    if not isinstance(number, Value) or number.dtype == np.uint64:
        return number
    return low.builder.cast(number, _WEAK_INT)


def _real(low: Any, arg: Any, node: ast.Call) -> Any:
    number = low.as_number(arg, node)
    if isinstance(number, Value) and number.kind == "c":
        raise low.error(node, "math has no complex numbers; use the function of this name in cmath or situ.tensor")
    return number


def _as_float(low: Any, arg: Any, node: ast.Call) -> Any:
    number = _real(low, arg, node)
    return low.builder.cast(number, _WEAK_FLOAT) if isinstance(number, Value) and number.kind in "bi" else number


def _of_cmath(name: str) -> Lower:
    lower = _op(name, getattr(cmath, name))

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
    return _absolute(low, node, _as_float(low, x, node))


def _scaled(factor: float) -> Lower:
    return lambda low, node, x: low.binary(ast.Mult, _as_float(low, x, node), factor, node)


def _absolute(low: Any, node: ast.Call, x: Any) -> Any:
    x = low.as_number(x, node)
    return low.builder.apply(OP["abs"], x) if isinstance(x, Value) else low.fold(abs, node, x)


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
    whole = _converted(complex, _WEAK_COMPLEX)(low, node, real)
    if imag is None:
        return whole
    return low.binary(ast.Add, whole, low.binary(ast.Mult, low.as_number(imag, node), 1j, node), node)


def _truth(low: Any, node: ast.Call, x: Any = False) -> Any:
    holds = low.as_truth(x, node)
    return low.builder.cast(holds, _WEAK_BOOL) if isinstance(holds, Value) else holds


def _round(low: Any, node: ast.Call, x: Any, ndigits: Any = None) -> Any:
    x = low.as_number(x, node)
    if not isinstance(x, Value) and not isinstance(ndigits, Value):
        return low.fold(round, node, *((x,) if ndigits is None else (x, ndigits)))
    if ndigits is not None:
        raise low.error(node, "round takes one argument in kernels; multiply and divide for digits")
    rounded = low.builder.apply(OP["round"], x)
    return rounded if rounded.kind == "c" else _as_int(low, rounded)


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


def _math_pow(low: Any, node: ast.Call, base: Any, exponent: Any) -> Any:
    return _op("pow", math.pow)(low, node, _as_float(low, base, node), _as_float(low, exponent, node))


def _divmod(low: Any, node: ast.Call, x: Any, y: Any) -> Any:
    return low.binary(ast.FloorDiv, x, y, node), low.binary(ast.Mod, x, y, node)


def _sum(low: Any, node: ast.Call, items: Any, start: Any = 0) -> Any:
    if not isinstance(items, tuple):
        raise low.error(node, "sum is for tuples in kernels; add the elements of an array in a loop")
    for item in items:
        start = low.binary(ast.Add, start, item, node)
    return start


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
            table[ufunc] = _op(name)
        if hasattr(cmath, name):
            table[getattr(cmath, name)] = _of_cmath(name)
        if hasattr(math, name) and name not in _NOT_THE_OP:
            table[getattr(math, name)] = _to_integer(name) if name in _TO_INTEGER else _of_math(name)
    table |= {
        builtins.abs: _absolute,
        builtins.min: _extreme("minimum", min),
        builtins.max: _extreme("maximum", max),
        builtins.int: _converted(int, _WEAK_INT),
        builtins.float: _converted(float, _WEAK_FLOAT),
        builtins.complex: _complex,
        builtins.bool: _truth,
        builtins.round: _round,
        builtins.len: _len,
        builtins.range: _range,
        builtins.pow: _pow,
        builtins.divmod: _divmod,
        builtins.sum: _sum,
        math.log: _log,
        math.fmod: _fmod,
        math.fabs: _fabs,
        math.pow: _math_pow,
        math.degrees: _scaled(180 / math.pi),
        math.radians: _scaled(math.pi / 180),
        cmath.phase: _op("angle"),
        np.absolute: _op("abs"),
    }
    return table


@cache
def op_function(name: str) -> Lower:
    """Return what lowers a call of an elementwise function of `situ.tensor`."""
    return _op(name)
