"""Statements: the structure of a kernel."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ..._native import KernelCompileError
from ._analysis import always_returns, elif_of, has_return
from ._calls import Calls
from ._errors import unsupported
from ._things import Numbers, Slot, Value, View, described

_DEEPEST = 200
_MOST = 100_000


class Statements(Calls):
    """Lowers statements."""

    def __init__(self) -> None:
        super().__init__()
        self.conditional = 0
        self.depth = 0
        self.count = 0
        #: What is being assigned to, as arrays of the kernel's own are called.
        self.target = ""

    def in_loop(self) -> bool:
        """Tell whether what is being compiled may be done several times."""
        frame: Any = self.frame
        while frame is not None:
            if any(loop is not None for loop in frame.loops):
                return True
            frame = frame.caller
        return False

    def block(self, statements: list[ast.stmt]) -> bool:
        """Compile statements; return whether what follows them is reached."""
        self.depth += 1
        if statements and self.depth > _DEEPEST:
            raise self.error(statements[0], "blocks are nested too deeply")
        try:
            for at, statement in enumerate(statements):
                self.count += 1
                if self.count > _MOST:
                    raise self.error(statement, f"the kernel has more than {_MOST} statements, calls included")
                if self.frame.returns == "last" and isinstance(statement, ast.If) and has_return(statement):
                    return self._if_returning(statement, statements[at + 1 :])
                if not self.statement(statement):
                    return False
            return True
        finally:
            self.depth -= 1

    def statement(self, node: ast.stmt) -> bool:
        """Compile a statement; return whether what follows it is reached."""
        lower = _LOWER.get(type(node))
        if lower is None:
            raise self.error(node, unsupported(node))
        try:
            return lower(self, node) is not False
        except KernelCompileError as error:
            if hasattr(error, "lineno"):
                raise
            raise self.error(node, str(error)) from None
        except RecursionError:
            # Where there is room for the error again.
            raise self.error(node, "expressions, blocks or calls are nested too deeply to be compiled") from None
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            # Of what the kernel calls while it is compiled, such as NumPy's dtypes.
            raise self.error(node, f"{type(error).__name__}: {error}") from error

    # Assignments.

    def _assign(self, node: ast.Assign) -> None:
        self.target = node.targets[0].id if isinstance(node.targets[0], ast.Name) else ""
        thing = self.expression(node.value)
        self.target = ""
        for target in node.targets:
            self.assign(target, thing, node)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.expression(node.value), node)

    def assign(self, target: ast.expr, thing: Any, node: ast.AST) -> None:
        """Assign to a name, an element, or several of them."""
        if isinstance(target, ast.Name):
            self.assign_name(target.id, thing, target)
        elif isinstance(target, ast.Subscript):
            self._store(target, thing, node)
        elif isinstance(target, ast.Tuple):
            if isinstance(thing, View) and thing.axes and isinstance(self.length(thing, thing.axes[0]), int):
                thing = tuple(self.subscripted(thing, at, node) for at in range(self.length(thing, thing.axes[0])))
            if not isinstance(thing, tuple):
                raise self.error(node, f"only a tuple can be unpacked, not {described(thing)}")
            if any(isinstance(each, ast.Starred) for each in target.elts):
                raise self.error(node, "unpacking with * is not supported in kernels; name each element")
            if len(thing) != len(target.elts):
                raise self.error(node, f"{len(thing)} values cannot be unpacked into {len(target.elts)} names")
            for each, part in zip(target.elts, thing, strict=True):
                self.assign(each, part, node)
        else:
            raise self.error(target, "kernels assign to names and to elements of arrays only")

    def _part(self, target: ast.Subscript) -> View:
        owner = self.expression(target.value)
        if not isinstance(owner, View):
            raise self.error(target, f"elements of {described(owner)} cannot be assigned to; those of arrays can")
        return self.part_of(owner, self.expression(target.slice), target)

    def _store(self, target: ast.Subscript, thing: Any, node: ast.AST) -> None:
        part = self._part(target)
        if part.axes:
            self.fill(part, thing if isinstance(thing, View) else self.as_number(thing, node), node)
        else:
            self.store_element(part, self.as_number(thing, node))

    def _augmented(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            name = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            before = self.read_name(name)
            result = self.binary(type(node.op), before, self.expression(node.value), node)
            self.assign_name(node.target.id, result, node.target)
        elif isinstance(node.target, ast.Subscript):
            element = self._part(node.target)
            if element.axes:
                raise self.error(node, "a part of an array cannot be changed at once; change its elements in a loop")
            result = self.binary(type(node.op), self.load(element), self.expression(node.value), node)
            self.store_element(element, result)
        else:
            raise self.error(node.target, "kernels assign to names and to elements of arrays only")

    def _expression(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.expression(node.value)

    # Branches.

    def _open_branch(self, holds: Any, body: list[ast.stmt]) -> tuple[dict[str, Any], bool]:
        """Compile the first of two ways; return what names stand for after it, and whether it goes on."""
        self.builder.open_if(holds)
        self.conditional += 1
        before = dict(self.frame.names)
        falls = self.block(body)
        after, self.frame.names = self.frame.names, before
        return after, falls

    def _close_branch(self, after: dict[str, Any], then_falls: bool, else_falls: bool) -> bool:
        """Bring two ways together; return whether one of them goes on."""
        self.builder.close()
        self.conditional -= 1
        if then_falls and else_falls:
            self.merge(after, self.frame.names)
        elif then_falls:
            self.merge(after, after)
        return then_falls or else_falls

    def _if(self, node: ast.If) -> bool:
        """Compile an `if` with all of its elifs, of which there may be hundreds: one after the other, not nested."""
        branches = []
        branch: ast.If | None = node
        while branch is not None:
            holds = self.truth(branch.test)
            if not isinstance(holds, Value) and holds:
                following, branch = branch.body, None
                continue
            if isinstance(holds, Value):
                branches.append(self._open_branch(holds, branch.body))
                if branch.orelse:
                    self.builder.otherwise()
            following = branch.orelse
            branch = elif_of(following)
        falls = self.block(following)
        for after, then_falls in reversed(branches):
            falls = self._close_branch(after, then_falls, falls)
        return falls

    def _if_returning(self, node: ast.If, rest: list[ast.stmt]) -> bool:
        """Compile an `if` that returns, and what follows it in the branch that goes on."""
        body, orelse = list(node.body), list(node.orelse)
        if always_returns(body):
            orelse += rest
        else:
            body += rest
        holds = self.truth(node.test)
        if not isinstance(holds, Value):
            chosen = node.body if holds else node.orelse
            return self.block([*chosen, *rest])
        after, then_falls = self._open_branch(holds, body)
        if orelse:
            self.builder.otherwise()
        return self._close_branch(after, then_falls, self.block(orelse))

    # Loops.

    def _while(self, node: ast.While) -> bool:
        if node.orelse:
            raise self.error(node.orelse[0], "else after a loop is not supported in kernels; set a flag before break")
        builder = self.builder
        before = self.enter_loop(node)
        self.conditional += 1
        builder.open_loop()
        holds = self.truth(node.test)
        if isinstance(holds, Value):
            builder.open_if(self.negated(holds))
            builder.leave()
            builder.close()
        elif not holds:
            builder.leave()
        if isinstance(holds, Value) or holds:
            self.block(node.body)
        self._close_loop(node, before)
        # A loop without an end is left by break, or else by return.
        return isinstance(holds, Value) or not holds or _leaves(node.body, ast.Break)

    def _close_loop(self, node: ast.AST, before: dict[str, Any]) -> None:
        self.builder.close()
        self.conditional -= 1
        self.leave_loop(before)
        frame = self.frame
        if frame.returns == "loop" and has_return(node) and isinstance(frame.flag, Slot):
            # A return inside has left this loop: on to the next.
            self.builder.open_if(self.builder.get(frame.flag.variable))
            self.builder.leave()
            self.builder.close()

    def _for(self, node: ast.For) -> bool | None:
        if node.orelse:
            raise self.error(node.orelse[0], "else after a loop is not supported in kernels; set a flag before break")
        over = self.expression(node.iter)
        if isinstance(over, tuple):
            return self._unrolled(node, over)
        if isinstance(over, View) and over.axes:
            numbers = Numbers(0, self.length(over, over.axes[0]), 1)
        elif isinstance(over, Numbers):
            numbers = over
        else:
            raise self.error(node.iter, f"loops go over range(), arrays and tuples, not over {described(over)}")
        before = self.enter_loop(node)
        self.conditional += 1
        counter = self.builder.open_for(numbers.start, numbers.stop, numbers.step)
        thing = self.subscripted(over, counter, node.iter) if isinstance(over, View) else counter
        self.assign(node.target, thing, node)
        self.block(node.body)
        self._close_loop(node, before)
        return None

    def _unrolled(self, node: ast.For, over: tuple[Any, ...]) -> bool:
        """Compile the body of a loop for each element of a tuple."""
        if _leaves(node.body, (ast.Break, ast.Continue)):
            raise self.error(node, "break and continue need a loop over range(); this one goes over a tuple")
        for each in over:
            self.assign(node.target, each, node)
            if not self.block(node.body):
                return False
        return True

    def _break(self, node: ast.Break) -> bool:
        self.builder.leave()
        return False

    def _continue(self, node: ast.Continue) -> bool:
        self.builder.next()
        return False

    def _return(self, node: ast.Return) -> bool:
        if self.frame.returns != "kernel":
            self.give_back(node)
            return False
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            raise self.error(node, "kernels return nothing; store results in an array that is an argument")
        self.builder.end()
        return False

    def _pass(self, node: ast.Pass) -> None:
        pass


def _leaves(statements: list[ast.stmt], by: type[ast.stmt] | tuple[type[ast.stmt], ...]) -> bool:
    """Tell whether a statement of some kind among others belongs to the loop around."""
    for statement in statements:
        if isinstance(statement, by):
            return True
        if isinstance(statement, ast.If) and (_leaves(statement.body, by) or _leaves(statement.orelse, by)):
            return True
    return False


_LOWER: dict[type[ast.AST], Callable[[Statements, Any], bool | None]] = {
    ast.Assign: Statements._assign,
    ast.AnnAssign: Statements._annotated,
    ast.AugAssign: Statements._augmented,
    ast.Expr: Statements._expression,
    ast.If: Statements._if,
    ast.While: Statements._while,
    ast.For: Statements._for,
    ast.Break: Statements._break,
    ast.Continue: Statements._continue,
    ast.Return: Statements._return,
    ast.Pass: Statements._pass,
}
