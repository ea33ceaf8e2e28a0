"""Operators: which op of the table each is, and what it does to numbers that are known."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._native import kernels as native

#: By name, the number and the arity of each op of the table.
OPS: dict[str, tuple[int, int]] = {name: (number, arity) for number, (name, arity) in enumerate(native.OPS)}
OP: dict[str, int] = {name: number for name, (number, _) in OPS.items()}

BINARY: dict[type[ast.AST], tuple[int, Callable[[Any, Any], Any]]] = {
    ast.Add: (OP["add"], operator.add),
    ast.Sub: (OP["subtract"], operator.sub),
    ast.Mult: (OP["multiply"], operator.mul),
    ast.Div: (OP["divide"], operator.truediv),
    ast.FloorDiv: (OP["floor_divide"], operator.floordiv),
    ast.Mod: (OP["remainder"], operator.mod),
    ast.Pow: (OP["pow"], operator.pow),
    ast.LShift: (OP["bitwise_left_shift"], operator.lshift),
    ast.RShift: (OP["bitwise_right_shift"], operator.rshift),
    ast.BitAnd: (OP["bitwise_and"], operator.and_),
    ast.BitOr: (OP["bitwise_or"], operator.or_),
    ast.BitXor: (OP["bitwise_xor"], operator.xor),
}
UNARY: dict[type[ast.AST], tuple[int, Callable[[Any], Any]]] = {
    ast.UAdd: (OP["positive"], operator.pos),
    ast.USub: (OP["negative"], operator.neg),
    ast.Invert: (OP["bitwise_invert"], operator.invert),
}
COMPARE: dict[type[ast.AST], tuple[int, Callable[[Any, Any], Any]]] = {
    ast.Eq: (OP["equal"], operator.eq),
    ast.NotEq: (OP["not_equal"], operator.ne),
    ast.Lt: (OP["less"], operator.lt),
    ast.LtE: (OP["less_equal"], operator.le),
    ast.Gt: (OP["greater"], operator.gt),
    ast.GtE: (OP["greater_equal"], operator.ge),
}

#: Beyond so many bits no integer is of use to a kernel, and computing it may take for ever.
_MANY_BITS = 4096


def folded(compute: Callable[..., Any], *numbers: Any) -> Any:
    """Compute with numbers that are known, or raise ArithmeticError, TypeError or ValueError."""
    if compute in (operator.pow, operator.lshift) and all(isinstance(number, int) for number in numbers):
        base, exponent = numbers
        bits = exponent + base.bit_length() if compute is operator.lshift else exponent * base.bit_length()
        if bits > _MANY_BITS:
            raise OverflowError("the result is too large")
    if any(isinstance(number, np.generic) for number in numbers):
        with np.errstate(all="ignore"):
            return compute(*numbers)
    return compute(*numbers)
