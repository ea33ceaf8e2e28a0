"""A function and the types of its arguments, compiled to a kernel."""

from __future__ import annotations

import ast
import os
from typing import Any, NamedTuple

import numpy as np

from ..._native import KernelCompileError
from ..._native import kernels as native
from ._scope import Frame
from ._source import Source
from ._statements import Statements
from ._things import Place, View


class Parameter(NamedTuple):
    """What a kernel is given for one of its parameters."""

    #: "array", "local" or "number".
    kind: str
    dtype: np.dtype[Any]
    ndim: int = 0
    #: Of a number.
    type: int = 0


class _Compiler(Statements):
    """Compiles one kernel."""

    def __init__(self, source: Source, parameters: list[Parameter], axes: int, item: str | None, options: Any) -> None:
        super().__init__()
        self.source = source
        self.parameters = parameters
        self.axes = axes
        self.item = item
        self.debug = options.debug
        self.contract = options.contract

    def report(self, node: ast.AST, text: str) -> int:
        """Return the number of a report that names a node's place."""
        source = self.frame.source
        whole = f"{os.path.basename(source.filename)}:{source.line(node)}: {text}"
        if whole not in self.reports:
            self.reports[whole] = self.builder.report(whole)
        return self.reports[whole]

    def run(self) -> Any:
        """Compile until no variable has to be widened any more."""
        while True:
            self.widened = {}
            try:
                kernel = self._pass_through()
            except KernelCompileError:
                # With the types of a pass that is not the last, nothing is certain.
                if not self.widened:
                    raise
            if not self.widened:
                return kernel
            # This ends: a variable can be widened a few times only.
            self.types |= self.widened

    def _pass_through(self) -> Any:
        self.slots = {}
        self.reports: dict[str, int] = {}
        self.conditional = self.depth = self.count = 0
        builder = self.builder = native.Builder(self.source.name, self.axes, self.contract)
        frame = self.frame = Frame(self.source, (), None, None)
        names = self.source.parameters
        things: list[Any] = []
        if self.item is not None:
            things.append(Place(self.item))
        for name, parameter in zip(names[len(things) :], self.parameters, strict=True):
            if parameter.kind == "number":
                things.append(builder.scalar(name, parameter.type))
            else:
                array = builder.array(name, parameter.dtype, parameter.ndim, local=parameter.kind == "local")
                things.append(View.whole(array, name, parameter.dtype, parameter.ndim))
        for name, thing in zip(names, things, strict=True):
            self.assign_name(name, thing, self.source.node)
        self.block(self.source.node.body)
        assert self.frame is frame
        return builder.finish()


def compile_kernel(source: Source, parameters: list[Parameter], axes: int, item: str | None, options: Any) -> Any:
    """Compile a function to a kernel over a range of so many axes; `item` names the class of its first parameter."""
    compiler = _Compiler(source, parameters, axes, item, options)
    try:
        return compiler.run()
    except KernelCompileError:
        raise
    except RecursionError:
        raise source.error(source.node, "an expression is nested too deeply to be compiled") from None
