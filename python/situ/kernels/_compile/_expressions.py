"""Expressions: what they compute, and what is known of them already."""

from __future__ import annotations

import ast
import operator
from abc import abstractmethod
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from ..._native import KernelCompileError, ndarray
from ._conditions import Conditions
from ._errors import unsupported
from ._operators import BINARY, OP, UNARY, folded
from ._things import Method, Place, Reference, Slice, Value, View, described, is_number

_ARRAYS = (ndarray, np.ndarray)
_DTYPE_ATTRIBUTES = frozenset({"type", "itemsize", "kind", "name"})
_GUARDED = (OP["floor_divide"], OP["remainder"])
_KINDS_OF_INTEGERS = "bi"
_LONGEST_TUPLE = 1024


class Expressions(Conditions):
    """Lowers expressions."""

    debug: bool

    def expression(self, node: ast.AST) -> Any:
        """Return what an expression is: a value, a number that is known, a view, a tuple or something else known."""
        lower = _LOWER.get(type(node))
        if lower is None:
            raise self.error(node, unsupported(node))
        try:
            return lower(self, node)
        except KernelCompileError as error:
            if hasattr(error, "lineno"):
                raise
            # From the builder, which does not know where it is.
            raise self.error(node, str(error)) from None

    def number(self, node: ast.AST) -> Any:
        """Return an expression that must be a number."""
        return self.as_number(self.expression(node), node)

    def as_number(self, thing: Any, node: ast.AST) -> Any:
        """Return something that must be a number."""
        if isinstance(thing, Value) or is_number(thing):
            return thing
        if isinstance(thing, View):
            if not thing.axes:
                return self.load(thing)
            raise self.error(
                node, f"{described(thing)} is no number: kernels compute with elements, as in {thing.name}[i]"
            )
        if isinstance(thing, _ARRAYS):
            raise self.error(node, "arrays from outside of a kernel are not seen inside; pass this one as an argument")
        raise self.error(node, f"a number is needed here, not {described(thing)}")

    def binary(self, kind: type[ast.AST], left: Any, right: Any, node: ast.AST) -> Any:
        """Return what a binary operator makes of two operands."""
        if kind not in BINARY:
            raise self.error(node, unsupported(kind()))
        op, compute = BINARY[kind]
        if isinstance(left, tuple) or isinstance(right, tuple):
            return self._of_tuples(compute, left, right, node)
        left, right = self.as_number(left, node), self.as_number(right, node)
        if not isinstance(left, Value) and not isinstance(right, Value):
            return self.fold(compute, node, left, right)
        if op in _GUARDED:
            self.guard_divisor(left, right, node)
        elif kind is ast.Pow and not isinstance(right, Value):
            if right == 0.5 and left.kind == "f":
                return self.builder.apply(OP["sqrt"], left)
            if type(right) is int and right < 0 and left.kind in _KINDS_OF_INTEGERS:
                right = float(right)
        return self.builder.apply(op, left, right)

    def _of_tuples(self, compute: Callable[..., Any], left: Any, right: Any, node: ast.AST) -> Any:
        if compute is operator.add and isinstance(left, tuple) and isinstance(right, tuple):
            if len(left) + len(right) > _LONGEST_TUPLE:
                raise self.error(node, f"a tuple has at most {_LONGEST_TUPLE} elements in kernels; use private.array")
            return tuple(left) + tuple(right)
        if compute is operator.mul:
            times, items = (right, left) if isinstance(left, tuple) else (left, right)
            if type(times) is int and 0 <= times * len(items) <= _LONGEST_TUPLE:
                return tuple(items) * times
        raise self.error(node, "tuples can be joined with +; their elements are computed with one by one")

    def fold(self, compute: Callable[..., Any], node: ast.AST, *numbers: Any) -> Any:
        """Compute with numbers that are known."""
        try:
            return folded(compute, *numbers)
        except (ArithmeticError, TypeError, ValueError) as error:
            raise self.error(node, f"{error}") from None
        except RecursionError:
            raise
        except Exception as error:
            # Of a class from outside, which may do anything when it is compared.
            raise self.error(node, f"{type(error).__name__}: {error}") from error

    def guard_divisor(self, dividend: Any, divisor: Any, node: ast.AST) -> None:
        """Have a division of integers by zero reported, if the kernel is to be debugged."""
        if not self.debug or not all(_is_integer(each) for each in (dividend, divisor)):
            return
        if isinstance(divisor, Value) or divisor == 0:
            holds = self.builder.apply(OP["not_equal"], self.value(divisor), 0)
            self.builder.guard(holds, self.report(node, "integer division by zero"))

    def value(self, number: Any) -> Any:
        """Return a number as a value."""
        return number if isinstance(number, Value) else self.builder.constant(number)

    # What each kind of node is.

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        return self.read_name(node)

    def _tuple(self, node: ast.Tuple) -> Any:
        return tuple([self.expression(each) for each in node.elts])

    def _binary(self, node: ast.BinOp) -> Any:
        return self.binary(type(node.op), self.expression(node.left), self.expression(node.right), node)

    def _unary(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            return self.truth(node)
        op, compute = UNARY[type(node.op)]
        operand = self.number(node.operand)
        if not isinstance(operand, Value):
            return self.fold(compute, node, operand)
        return self.builder.apply(op, operand)

    def _named(self, node: ast.NamedExpr) -> Any:
        thing = self.expression(node.value)
        self.assign_name(node.target.id, thing, node)
        return self.read_name(ast.copy_location(ast.Name(node.target.id, ast.Load()), node))

    def _slice(self, node: ast.Slice) -> Any:
        parts = [None if part is None else self.expression(part) for part in (node.lower, node.upper, node.step)]
        return Slice(*(part if part is None else self.as_number(part, node) for part in parts))

    def _subscript(self, node: ast.Subscript) -> Any:
        owner = self.expression(node.value)
        index = self.expression(node.slice)
        return self.subscripted(owner, index, node)

    def subscripted(self, owner: Any, index: Any, node: ast.AST) -> Any:
        """Return an element or a part of something."""
        if isinstance(owner, View):
            part = self.part_of(owner, index, node)
            return part if part.axes else self.load(part)
        if isinstance(owner, tuple):
            return self._element(owner, index, node)
        if isinstance(owner, _ARRAYS):
            raise self.error(node, "arrays from outside of a kernel are not seen inside; pass this one as an argument")
        raise self.error(node, f"{described(owner)} has no elements; arrays and tuples have")

    def _element(self, owner: tuple[Any, ...], index: Any, node: ast.AST) -> Any:
        if isinstance(index, Slice):
            bounds = (index.start, index.stop, index.step)
            if any(isinstance(bound, Value) for bound in bounds):
                raise self.error(node, "a slice of a tuple must be known when the kernel is compiled")
            return owner[slice(*bounds)]
        if isinstance(index, Value):
            if not owner:
                raise self.error(node, "an empty tuple has no elements")
            if index.kind != "i":
                raise self.error(node, f"an index must be an integer, not {index.dtype}; convert it with int()")
            if self.debug:
                self.guard_index(index, len(owner), "the tuple", 0, node)
            found = owner[-1]
            for at in range(len(owner) - 2, -1, -1):
                found = self._chosen(self.builder.apply(OP["equal"], index, at), owner[at], found, node)
            return found
        try:
            return owner[operator.index(index)]
        except (TypeError, IndexError) as error:
            raise self.error(node, str(error)) from None

    def _attribute(self, node: ast.Attribute) -> Any:
        owner, name = self.expression(node.value), node.attr
        if isinstance(owner, View):
            return self.view_attribute(owner, name, node)
        if isinstance(owner, Value):
            return self._number_attribute(owner, name, node)
        if isinstance(owner, np.dtype):
            if name in _DTYPE_ATTRIBUTES:
                return getattr(owner, name)
            raise self.error(node, f"dtypes have {', '.join(sorted(_DTYPE_ATTRIBUTES))} in kernels, but no {name}")
        if isinstance(owner, Place) and name == "dimensions":
            return self.axes
        if isinstance(owner, (Place, Reference)):
            return Method(owner, name)
        if is_number(owner) and name == "conjugate":
            return Method(owner, name)
        try:
            return getattr(owner, name)
        except Exception as error:
            of = f"module {owner.__name__}" if isinstance(owner, ModuleType) else described(owner)
            raise self.error(node, f"{of} has no {name}: {error}") from None

    def _number_attribute(self, owner: Any, name: str, node: ast.AST) -> Any:
        if name in ("real", "imag"):
            return self.builder.apply(OP[name], owner)
        if name == "dtype":
            return owner.dtype
        if name == "conjugate":
            return Method(owner, name)
        raise self.error(node, f"numbers have real, imag, conjugate() and dtype in kernels, but no {name}")

    @abstractmethod
    def call(self, node: ast.Call) -> Any:
        """Return what a call gives."""


def _is_integer(number: Any) -> bool:
    if isinstance(number, Value):
        return bool(number.kind in _KINDS_OF_INTEGERS)
    return isinstance(number, (int, np.integer, np.bool_))


def _call(lowering: Expressions, node: Any) -> Any:
    return lowering.call(node)


_LOWER: dict[type[ast.AST], Callable[[Expressions, Any], Any]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Tuple: Expressions._tuple,
    ast.BinOp: Expressions._binary,
    ast.UnaryOp: Expressions._unary,
    ast.Compare: Expressions._compare,
    ast.BoolOp: Expressions._bool_op,
    ast.IfExp: Expressions._if_exp,
    ast.NamedExpr: Expressions._named,
    ast.Slice: Expressions._slice,
    ast.Subscript: Expressions._subscript,
    ast.Attribute: Expressions._attribute,
    ast.Call: _call,
}
