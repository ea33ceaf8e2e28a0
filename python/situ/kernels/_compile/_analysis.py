"""What can be known of a function's names before it is compiled."""

from __future__ import annotations

import ast
from typing import NamedTuple

_LOOPS = (ast.For, ast.While)


class Bindings(NamedTuple):
    """Which names a function binds, and how."""

    #: All of them.
    names: frozenset[str]
    #: Those that are bound once, and used only where that binding is seen: they need no variable.
    direct: frozenset[str]
    #: By loop, the names that are bound in it.
    in_loop: dict[ast.AST, frozenset[str]]


class _Block:
    __slots__ = ("loops", "parent")

    def __init__(self, parent: _Block | None, loops: tuple[ast.AST, ...]) -> None:
        self.parent = parent
        self.loops = loops

    def is_within(self, other: _Block) -> bool:
        block: _Block | None = self
        while block is not None:
            if block is other:
                return True
            block = block.parent
        return False


class _Analysis:
    def __init__(self, parameters: list[str]) -> None:
        self.body = _Block(None, ())
        self.bound: dict[str, _Block] = dict.fromkeys(parameters, self.body)
        self.changing: set[str] = set()
        self.in_loop: dict[ast.AST, set[str]] = {}

    def bind(self, name: str, block: _Block) -> None:
        if name in self.bound:
            self.changing.add(name)
        self.bound[name] = block
        for loop in block.loops:
            self.in_loop[loop].add(name)

    def use(self, name: str, block: _Block) -> None:
        home = self.bound.get(name)
        if home is None or not block.is_within(home):
            # Seen from before its binding, or from outside of the block: a variable, if it is a local name at all.
            self.changing.add(name)

    def expression(self, node: ast.AST, block: _Block) -> None:
        kind = type(node)
        if kind is ast.Name:
            if isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
                self.use(node.id, block)  # type: ignore[attr-defined]
            else:
                self.bind(node.id, block)  # type: ignore[attr-defined]
        elif kind is ast.NamedExpr:
            self.expression(node.value, block)  # type: ignore[attr-defined]
            # It may or may not be evaluated.
            name = node.target.id  # type: ignore[attr-defined]
            self.changing.add(name)
            self.bind(name, block)
        elif kind is not ast.Constant:
            for child in ast.iter_child_nodes(node):
                self.expression(child, block)

    def statements(self, statements: list[ast.stmt], block: _Block) -> None:
        for statement in statements:
            self.statement(statement, block)

    def statement(self, node: ast.stmt, block: _Block) -> None:
        if isinstance(node, ast.Assign):
            self.expression(node.value, block)
            for target in node.targets:
                self.expression(target, block)
        elif isinstance(node, ast.AugAssign):
            self.expression(node.value, block)
            if isinstance(node.target, ast.Name):
                self.use(node.target.id, block)
            self.expression(node.target, block)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.expression(node.value, block)
                self.expression(node.target, block)
        elif isinstance(node, ast.If):
            branch: ast.If | None = node
            while branch is not None:
                self.expression(branch.test, block)
                self.statements(branch.body, _Block(block, block.loops))
                orelse, block = branch.orelse, _Block(block, block.loops)
                branch = elif_of(orelse)
            self.statements(orelse, block)
        elif isinstance(node, _LOOPS):
            inside = _Block(block, (*block.loops, node))
            self.in_loop[node] = set()
            if isinstance(node, ast.For):
                self.expression(node.iter, block)
                self.expression(node.target, inside)
            else:
                self.expression(node.test, inside)
            self.statements(node.body, inside)
            self.statements(node.orelse, _Block(block, block.loops))
        else:
            for child in ast.iter_child_nodes(node):
                self.expression(child, block)


def analyse(function: ast.FunctionDef, parameters: list[str]) -> Bindings:
    """Return which names a function binds, and how."""
    analysis = _Analysis(parameters)
    analysis.statements(function.body, analysis.body)
    names = frozenset(analysis.bound)
    in_loop = {loop: frozenset(found) for loop, found in analysis.in_loop.items()}
    return Bindings(names, names - analysis.changing, in_loop)


def elif_of(orelse: list[ast.stmt]) -> ast.If | None:
    """Return the `if` that follows else, if nothing else does."""
    return orelse[0] if len(orelse) == 1 and isinstance(orelse[0], ast.If) else None


def has_return(node: ast.AST) -> bool:
    """Tell whether there is a return in a statement."""
    if isinstance(node, ast.Return):
        return True
    blocks = [getattr(node, name, []) for name in ("body", "orelse")]
    return any(has_return(each) for block in blocks if isinstance(block, list) for each in block)


def always_returns(statements: list[ast.stmt]) -> bool:
    """Tell whether no way leads past the last of some statements."""
    for statement in statements:
        if isinstance(statement, ast.Return):
            return True
        if isinstance(statement, ast.If) and always_returns(statement.body) and always_returns(statement.orelse):
            return True
    return False


def returns_last(statements: list[ast.stmt]) -> bool:
    """Tell whether every return can be the last thing that is done, once the rest is moved into an else."""
    for at, statement in enumerate(statements):
        if not has_return(statement):
            continue
        rest = statements[at + 1 :]
        if isinstance(statement, ast.Return):
            return True
        if not isinstance(statement, ast.If):
            return False
        if always_returns(statement.body):
            return returns_last(statement.body) and returns_last([*statement.orelse, *rest])
        if always_returns(statement.orelse):
            return returns_last([*statement.body, *rest]) and returns_last(statement.orelse)
        return False
    return True
