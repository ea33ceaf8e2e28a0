"""Truth: comparisons, `and`, `or` and choices, of which only what matters is evaluated."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._native import kernels as native
from ._operators import COMPARE, OP
from ._things import Value, View, is_number
from ._views import Views

_CHEAP = (ast.Name, ast.Constant, ast.Attribute, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Tuple)
_TRUTH: int = native.type_of(np.bool_(True))


class Conditions(Views):
    """Lowers what is true or false."""

    @abstractmethod
    def expression(self, node: ast.AST) -> Any:
        """Return what an expression is."""

    @abstractmethod
    def as_number(self, thing: Any, node: ast.AST) -> Any:
        """Return something that must be a number."""

    @abstractmethod
    def fold(self, compute: Callable[..., Any], node: ast.AST, *numbers: Any) -> Any:
        """Compute with numbers that are known."""

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

    @abstractmethod
    def calls_little(self, function: ast.expr) -> bool:
        """Tell whether calling a function costs no more than an addition."""

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

    def _compare(self, node: ast.Compare) -> Any:
        return self._chain(self.expression(node.left), 0, node)

    def _chain(self, left: Any, at: int, node: ast.Compare) -> Any:
        """Return the truth of a chain of comparisons from one of its operators on, whose left side is known."""
        right = self.expression(node.comparators[at])
        holds = self.compare(type(node.ops[at]), left, right, node)
        if at + 1 == len(node.ops):
            return holds
        # What follows is inside of the branch that computes its left side.
        following = ast.Tuple(node.comparators[at + 1 :], ast.Load())
        return self.either(holds, True, following, lambda: self._chain(right, at + 1, node))

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
