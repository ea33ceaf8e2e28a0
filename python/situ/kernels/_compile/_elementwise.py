"""Calls of the ops of the table."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from typing import Any

from ..._native import kernels as native
from ._operators import OP, OPS
from ._things import Value

#: A function that lowers a call: it is given the compiler, the node and the arguments.
Lower = Callable[..., Any]


WEAK_INT: int = native.type_of(0)
WEAK_FLOAT: int = native.type_of(0.0)
WEAK_COMPLEX: int = native.type_of(0j)
WEAK_BOOL: int = native.type_of(True)


def op(name: str, compute: Callable[..., Any] | None = None) -> Lower:
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


def absolute(low: Any, node: ast.Call, x: Any) -> Any:
    """Lower a call of `abs`."""
    x = low.as_number(x, node)
    return low.builder.apply(OP["abs"], x) if isinstance(x, Value) else low.fold(abs, node, x)


@cache
def op_function(name: str) -> Lower:
    """Return what lowers a call of an elementwise function of `situ.tensor`."""
    return op(name)
