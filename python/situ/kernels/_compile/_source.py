"""The source of a function: its syntax tree, where it comes from, and what its names mean outside of it."""

from __future__ import annotations

import ast
import builtins
import linecache
from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

from ..._native import KernelCompileError
from ._analysis import Bindings, analyse

_MOST_FAILURES = 50
_PARAMETERS_SUPPORTED = "kernels and device functions have plain parameters: no *args, no **kwargs"


class Source:
    """A function that is compiled."""

    def __init__(self, function: Callable[..., Any]) -> None:
        if not isinstance(function, FunctionType):
            raise KernelCompileError(
                f"a kernel is made of a function that is written with def, not of {type(function).__name__} "
                f"{function!r}"
            )
        self.function = function
        self.name = function.__name__
        code = function.__code__
        self.filename = code.co_filename
        self.lines = linecache.getlines(self.filename, function.__globals__)
        #: How many lines are before the text that was parsed.
        self.before = code.co_firstlineno - 1
        self.node = self._parse(code.co_firstlineno - 1)
        arguments = self.node.args
        if arguments.vararg or arguments.kwarg:
            raise self.error(self.node, _PARAMETERS_SUPPORTED)
        self.parameters = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        self.bindings: Bindings = analyse(self.node, self.parameters)
        closure: tuple[CellType, ...] = function.__closure__ or ()
        self._cells = dict(zip(code.co_freevars, closure, strict=True))

    def _parse(self, first: int) -> ast.FunctionDef:
        lines = self.lines
        if first >= len(lines):
            raise KernelCompileError(
                f"the source of {self.name} cannot be read from {self.filename!r}; define the function in a file"
            )
        opening = lines[first]
        indent = len(opening) - len(opening.lstrip())
        # Inside of a class or function the text needs something to be inside of.
        head = "if 1:\n" if indent else ""
        self.before -= 1 if indent else 0
        last = max((line for _, _, line in self.function.__code__.co_lines() if line), default=first + 1)
        failures = 0
        for end in range(max(first + 1, last), len(lines) + 1):
            following = lines[end] if end < len(lines) else ""
            text = following.lstrip()
            if end < len(lines) and (not text or text.startswith("#") or len(following) - len(text) > indent):
                continue
            try:
                tree = ast.parse(head + "".join(lines[first:end]))
            except SyntaxError:
                # Brackets and texts may be open still.
                failures += 1
                if failures > _MOST_FAILURES:
                    break
                continue
            except (RecursionError, MemoryError):
                raise KernelCompileError(f"{self.filename}: {self.name} is nested too deeply to be compiled") from None
            node: Any = tree.body[0].body[0] if indent and isinstance(tree.body[0], ast.If) else tree.body[0]
            if isinstance(node, ast.FunctionDef) and node.name == self.name:
                return node
            if isinstance(node, ast.AsyncFunctionDef):
                raise self.error(node, "kernels are not asynchronous; write def instead of async def")
            break
        raise KernelCompileError(
            f"{self.filename}:{first + 1}: the text of {self.name} is not here: a kernel is made of a function that is "
            "written with def"
        )

    def outside(self, name: str) -> Any:
        """Return what a name means that the function does not assign to, or raise NameError."""
        if name in self._cells:
            try:
                return self._cells[name].cell_contents
            except ValueError:
                raise NameError(f"{name} has no value yet") from None
        if name in self.function.__globals__:
            return self.function.__globals__[name]
        try:
            return getattr(builtins, name)
        except AttributeError:
            raise NameError(f"there is no name {name}") from None

    def line(self, node: ast.AST) -> int:
        """Return the number of a node's line in the file."""
        return self.before + getattr(node, "lineno", 1)

    def error(self, node: ast.AST, message: str) -> KernelCompileError:
        """Return an error that points at a node."""
        number = self.line(node)
        text = self.lines[number - 1].rstrip("\n") if number <= len(self.lines) else ""
        # Columns of the tree count bytes.
        column = len(text.encode()[: getattr(node, "col_offset", 0)].decode(errors="replace"))
        stripped = text.lstrip()
        caret = " " * (column - (len(text) - len(stripped))) + "^"
        error = KernelCompileError(f"{self.filename}:{number}:{column + 1}: {message}\n    {stripped}\n    {caret}")
        error.filename, error.lineno, error.offset = self.filename, number, column + 1  # type: ignore[attr-defined]
        return error
