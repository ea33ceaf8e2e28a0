"""Expressions: what they compute, and what is known of them already."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from ..._native import KernelCompileError, ndarray
from ..._native import kernels as native
from ._errors import unsupported
from ._operators import BINARY, COMPARE, OP, UNARY, folded
from ._scope import Scope
from ._things import Method, Place, Reference, Slice, Value, View, described, is_number
from ._views import Views

_ARRAYS = (ndarray, np.ndarray)
_DTYPE_ATTRIBUTES = frozenset({"type", "itemsize", "kind", "name"})
_GUARDED = (OP["floor_divide"], OP["remainder"])
_KINDS_OF_INTEGERS = "bi"
_CHEAP = (ast.Name, ast.Constant, ast.Attribute, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Tuple)


class Expressions(Views, Scope):
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

    def truth(self, node: ast.AST) -> Any:
        """Return whether an expression holds, as a bool if that is known."""
        if isinstance(node, ast.BoolOp):
            return self._all_or_any(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.negated(self.truth(node.operand))
        return self.as_truth(self.expression(node), node)

    def as_truth(self, thing: Any, node: ast.AST) -> Any:
        """Return whether something holds."""
        if isinstance(thing, Value):
            return thing if thing.kind == "b" else self.builder.apply(OP["not_equal"], thing, 0)
        if is_number(thing) or thing is None or isinstance(thing, (tuple, str)):
            return bool(thing)
        return self.as_truth(self.as_number(thing, node), node)

    def negated(self, truth: Any) -> Any:
        """Return whether something does not hold."""
        return self.builder.apply(OP["logical_not"], truth) if isinstance(truth, Value) else not truth

    def is_cheap(self, node: ast.AST) -> bool:
        """Tell whether an expression may be evaluated in vain: it loads nothing, and calls next to nothing."""
        if isinstance(node, ast.Subscript):
            is_shape = isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
            return is_shape and isinstance(node.slice, ast.Constant)
        if isinstance(node, ast.Call):
            if not self.calls_little(node.func) or node.keywords:
                return False
        elif isinstance(node, ast.BinOp):
            if self.debug and isinstance(node.op, (ast.FloorDiv, ast.Mod)):
                return False
        elif not isinstance(node, _CHEAP):
            return False
        return all(self.is_cheap(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))

    def calls_little(self, function: ast.expr) -> bool:
        """Tell whether calling a function costs no more than an addition."""
        raise NotImplementedError

    def either(self, left: Any, is_and: bool, node: ast.AST, right: Callable[[], Any]) -> Any:
        """Return the truth of two, the second of which is evaluated only if it matters."""
        if not isinstance(left, Value):
            return right() if left == is_and else left
        if self.is_cheap(node):
            other = right()
            if not isinstance(other, Value):
                return left if other == is_and else other
            return self.builder.apply(OP["logical_and" if is_and else "logical_or"], left, other)
        builder = self.builder
        holds = builder.variable(_TRUTH)
        builder.set(holds, left)
        builder.open_if(left if is_and else self.negated(left))
        names = dict(self.frame.names)
        builder.set(holds, right())
        self.merge(names, self.frame.names)
        builder.close()
        return builder.get(holds)

    def _all_or_any(self, node: ast.BoolOp) -> Any:
        is_and = isinstance(node.op, ast.And)
        result = self.truth(node.values[0])
        for operand in node.values[1:]:
            result = self.either(result, is_and, operand, lambda operand=operand: self.truth(operand))  # type: ignore[misc]
        return result

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
            return tuple(left) + tuple(right)
        if compute is operator.mul:
            times, items = (right, left) if isinstance(left, tuple) else (left, right)
            if type(times) is int and 0 <= times * len(items) <= 1024:
                return tuple(items) * times
        raise self.error(node, "tuples can be joined with +; their elements are computed with one by one")

    def fold(self, compute: Callable[..., Any], node: ast.AST, *numbers: Any) -> Any:
        """Compute with numbers that are known."""
        try:
            return folded(compute, *numbers)
        except (ArithmeticError, TypeError, ValueError) as error:
            raise self.error(node, f"{error}") from None

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

    def compare(self, kind: type[ast.AST], left: Any, right: Any, node: ast.AST) -> Any:
        """Return the truth of a comparison."""
        if kind in (ast.Is, ast.IsNot):
            if isinstance(left, Value) or isinstance(right, Value):
                if left is not None and right is not None:
                    raise self.error(node, "numbers are compared with ==, not with is")
                return kind is ast.IsNot
            return (left is right) == (kind is ast.Is)
        if kind in (ast.In, ast.NotIn):
            return self._contains(kind, left, right, node)
        op, compute = COMPARE[kind]
        if isinstance(left, tuple) and isinstance(right, tuple):
            return self._tuples_equal(kind, left, right, node)
        if not any(isinstance(each, (Value, View)) for each in (left, right)):
            if not (is_number(left) and is_number(right)):
                return self.fold(lambda a, b: bool(compute(a, b)), node, left, right)
            return self.fold(compute, node, left, right)
        return self.builder.apply(op, self.as_number(left, node), self.as_number(right, node))

    def _tuples_equal(self, kind: type[ast.AST], left: Any, right: Any, node: ast.AST) -> Any:
        if kind not in (ast.Eq, ast.NotEq):
            raise self.error(node, "tuples can be compared with == and != only")
        result: Any = len(left) == len(right)
        if result:
            for one, other in zip(left, right, strict=True):
                equal = self.compare(ast.Eq, one, other, node)
                result = self._and(result, equal)
        return self.negated(result) if kind is ast.NotEq else result

    def _and(self, left: Any, right: Any) -> Any:
        if isinstance(left, Value) and isinstance(right, Value):
            return self.builder.apply(OP["logical_and"], left, right)
        known, other = (left, right) if isinstance(right, Value) else (right, left)
        return other if known else False

    def _contains(self, kind: type[ast.AST], left: Any, right: Any, node: ast.AST) -> Any:
        if not isinstance(right, tuple):
            raise self.error(node, "in is for tuples; search an array in a loop")
        found: Any = False
        for each in right:
            # Not one of them differs from all.
            found = self.negated(self._and(self.negated(found), self.negated(self.compare(ast.Eq, left, each, node))))
        return self.negated(found) if kind is ast.NotIn else found

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

    def _compare(self, node: ast.Compare) -> Any:
        left = self.expression(node.left)
        right = self.expression(node.comparators[0])
        result = self.compare(type(node.ops[0]), left, right, node)
        for op, comparator in zip(node.ops[1:], node.comparators[1:], strict=True):
            left = right

            def following(left: Any = left, op: ast.cmpop = op, comparator: ast.expr = comparator) -> Any:
                nonlocal right
                right = self.expression(comparator)
                return self.compare(type(op), left, right, node)

            result = self.either(result, True, comparator, following)
        return result

    def _bool_op(self, node: ast.BoolOp) -> Any:
        result = self.expression(node.values[0])
        is_and = isinstance(node.op, ast.And)
        for at, operand in enumerate(node.values[1:]):
            holds = self.as_truth(result, node.values[at])
            if not isinstance(holds, Value):
                if holds != is_and:
                    return result
                result = self.expression(operand)
                continue
            first = result
            yes, no = (lambda operand=operand: self.expression(operand)), (lambda first=first: first)
            if not is_and:
                yes, no = no, yes
            result = self._choice((self.frame.path, id(node), at), holds, yes, no, operand, node)
        return result

    def _if_exp(self, node: ast.IfExp) -> Any:
        holds = self.truth(node.test)
        if not isinstance(holds, Value):
            return self.expression(node.body if holds else node.orelse)
        branches = ast.Tuple([node.body, node.orelse], ast.Load())
        return self._choice(
            (self.frame.path, id(node)),
            holds,
            lambda: self.expression(node.body),
            lambda: self.expression(node.orelse),
            branches,
            node,
        )

    def _choice(
        self, key: Any, holds: Any, yes: Callable[[], Any], no: Callable[[], Any], parts: ast.AST, node: ast.AST
    ) -> Any:
        """Return one of two expressions, by a truth value; only that one is evaluated."""
        if self.is_cheap(parts):
            return self._chosen(holds, yes(), no(), node)
        builder = self.builder
        builder.open_if(holds)
        names = dict(self.frame.names)
        binding = self.store(key, None, yes(), node)
        then, self.frame.names = self.frame.names, names
        builder.otherwise()
        other = self.store(key, binding, no(), node)
        if not isinstance(other, type(binding)) or isinstance(binding, View):
            raise self.error(node, "the two values of a choice must both be numbers, or tuples of as many")
        self.merge(then, self.frame.names)
        builder.close()
        return self.fetch(other)

    def _chosen(self, holds: Any, yes: Any, no: Any, node: ast.AST) -> Any:
        if isinstance(yes, tuple) and isinstance(no, tuple) and len(yes) == len(no):
            return tuple(self._chosen(holds, *pair, node) for pair in zip(yes, no, strict=True))
        if yes is no:
            return yes
        if isinstance(yes, Value) and yes.kind == "b" and type(no) is bool:
            return self._and(holds, yes) if not no else self.builder.select(holds, yes, no)
        return self.builder.select(holds, self.as_number(yes, node), self.as_number(no, node))

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

    def call(self, node: ast.Call) -> Any:
        """Return what a call gives."""
        raise NotImplementedError


def _is_integer(number: Any) -> bool:
    if isinstance(number, Value):
        return bool(number.kind in _KINDS_OF_INTEGERS)
    return isinstance(number, (int, np.integer, np.bool_))


def _call(lowering: Expressions, node: Any) -> Any:
    return lowering.call(node)


_TRUTH: int = native.type_of(np.bool_(True))

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
