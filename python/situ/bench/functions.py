"""The functions the matrix compares: how situ's users and NumPy's write each, and inputs for which it has a meaning.

A row is made for every function of the op table; what is said here is only where a function differs from the rest.
Expressions are written over `a`, `b` and `c`, the operands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..tensor._functions import _ELEMENTWISE

FLOATS = ("float64", "float32")
DTYPES = (*FLOATS, "int32")
COMPLEX = ("complex128", "complex64")


@dataclass(frozen=True)
class Interval:
    """Where the elements of an operand are drawn from: `low <= x < high`. A given dtype is always the operand's own."""

    low: float
    high: float
    dtype: str | None = None


@dataclass(frozen=True)
class Function:
    """One row: its name, the expressions to time, its operands, and the dtypes it is compared in."""

    name: str
    ours: str
    theirs: str
    operands: tuple[Interval, ...]
    integers: tuple[Interval, ...]
    dtypes: tuple[str, ...]

    def intervals(self, dtype: str) -> tuple[Interval, ...]:
        """Where the operands come from when they have this dtype."""
        return self.integers if dtype == "int32" else self.operands


_NUMPY_NAMES = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
    "pow": "power",
}
_NUMPY_EXPRESSIONS = {
    # `real` and `imag` of situ are arrays of their own, so NumPy's views are copied.
    "real": "a.real.copy()",
    "imag": "a.imag.copy()",
    "proj": "where(isinf(a), inf, a)",
    # NumPy's reciprocal of integers is an integer, 0 nearly everywhere.
    "reciprocal": "1 / a",
    "rsqrt": "1 / sqrt(a)",
}

_USUAL = Interval(0.5, 2.0)
_UNIT = Interval(-0.99, 0.99)
_ANGLE = Interval(-10.0, 10.0)
_POSITIVE = Interval(0.01, 100.0)
_AROUND = Interval(-100.0, 100.0)
_SIGNED = Interval(-2.0, 2.0)
_OPERANDS: Mapping[str, tuple[Interval, ...]] = {
    **dict.fromkeys(("acos", "asin", "atanh"), (_UNIT,)),
    "acosh": (Interval(1.01, 100.0),),
    **dict.fromkeys(("sin", "cos", "tan", "exp", "exp2", "expm1", "sinh", "cosh", "tanh"), (_ANGLE,)),
    **dict.fromkeys(("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal"), (_POSITIVE,)),
    **dict.fromkeys(("asinh", "atan", "cbrt", "ceil", "floor", "round", "trunc"), (_AROUND,)),
    **dict.fromkeys(("abs", "sign", "signbit", "angle"), (_SIGNED,)),
    **dict.fromkeys(("atan2", "copysign", "hypot"), (_SIGNED, _SIGNED)),
    "logaddexp": (_ANGLE, _ANGLE),
    "pow": (Interval(0.1, 10.0), Interval(-3.0, 3.0)),
    **dict.fromkeys(("floor_divide", "remainder"), (_AROUND, Interval(0.5, 10.0))),
}

_WHOLE = Interval(1, 1000)
_ANY_WHOLE = Interval(-1000, 1000)
_INTEGERS: Mapping[str, tuple[Interval, ...]] = {
    **dict.fromkeys(("acos", "asin"), (Interval(-1, 2),)),
    **dict.fromkeys(("exp", "exp2", "expm1", "sinh", "cosh", "tanh"), (Interval(-10, 11),)),
    **dict.fromkeys(("abs", "sign", "signbit", "sin", "cos", "tan"), (_ANY_WHOLE,)),
    **dict.fromkeys(("floor_divide", "remainder"), (_ANY_WHOLE, Interval(1, 50))),
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"), (_WHOLE, Interval(0, 8))),
    "pow": (Interval(1, 10), Interval(0, 5)),
}
_BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_invert", "bitwise_left_shift", "bitwise_right_shift")
_DTYPES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_BITWISE, ("int32",)),
    # Of a real number these are the number itself, zero, or a constant.
    **dict.fromkeys(("real", "imag", "proj", "angle"), COMPLEX),
    # 0 is the only integer it has a finite value for.
    "atanh": FLOATS,
}


def _row(name: str, operands: int) -> Function:
    arguments = f"({', '.join('abc'[:operands])})"
    return Function(
        name,
        ours=name + arguments,
        theirs=_NUMPY_EXPRESSIONS.get(name, _NUMPY_NAMES.get(name, name) + arguments),
        operands=_OPERANDS.get(name, (_USUAL,) * operands),
        integers=_INTEGERS.get(name, (_WHOLE,) * operands),
        dtypes=_DTYPES.get(name, DTYPES),
    )


_TRUTH = Interval(0, 2, "bool")
_CHOICE = "where(a, b, c)"
_OTHERS = (
    Function("clip", "clip(a, 1, 2)", "clip(a, 1, 2)", (Interval(0.5, 3.0),), (Interval(0, 4),), DTYPES),
    Function("where", _CHOICE, _CHOICE, (_TRUTH, _USUAL, _USUAL), (_TRUTH, _WHOLE, _WHOLE), DTYPES),
    Function("to float32", 'astype(a, "float32")', 'a.astype("float32")', (_USUAL,), (_WHOLE,), ("float64", "int32")),
    Function("to float64", 'astype(a, "float64")', 'a.astype("float64")', (_USUAL,), (_WHOLE,), ("float32", "int32")),
    Function("to int32", 'astype(a, "int32")', 'a.astype("int32")', (_AROUND,), (_WHOLE,), FLOATS),
)


def functions() -> dict[str, Function]:
    """Every row, by name.

    >>> functions()["acos"].theirs
    'arccos(a)'
    """
    rows = [_row(name, function.nin) for name, function in _ELEMENTWISE.items()]
    return {row.name: row for row in (*rows, *_OTHERS)}
