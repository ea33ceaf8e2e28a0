"""Calls: functions that are known, and device functions, which are compiled where they are called."""

from __future__ import annotations

import ast
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._native import ElementwiseFunction
from ..._native import kernels as native
from ._analysis import returns_last
from ._elementwise import op_function
from ._errors import INSTEAD_OF
from ._expressions import Expressions
from ._functions import cast_to, known_functions
from ._language import METHODS, ON_REFERENCE, language, positions
from ._operators import OP
from ._scope import Frame
from ._source import Source
from ._things import Method, Place, Reference, described, known

_CHEAP = frozenset({abs, bool, float, int, len, max, min})
_SUPPORTED = (
    "kernels can call functions under @situ.kernels.device_func, those of situ.kernels, the elementwise functions of "
    "situ.tensor, its where and clip, most of math, and abs, min, max, int, float, bool, complex, round, pow, divmod, "
    "sum, len and range"
)


class DeviceSource(ABC):
    """What a device function gives the compiler: its source."""

    @abstractmethod
    def get_source(self) -> Source:
        """Return the source of the function."""


class Calls(Expressions):
    """Lowers calls."""

    def call(self, node: ast.Call) -> Any:
        """Return what a call gives."""
        function = self.expression(node.func)
        args = [self.expression(arg) for arg in node.args]
        kwargs = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.error(node, "unpacking with ** is not supported in kernels; name each argument")
            kwargs[keyword.arg] = self.expression(keyword.value)
        if isinstance(function, DeviceSource):
            return self._inline(function.get_source(), args, kwargs, node)
        lower, first = self._find(function, node)
        try:
            return lower(self, node, *first, *args, **kwargs)
        except TypeError as error:
            # Of the call itself, not of what it does: arguments that do not fit.
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise
            name = getattr(function, "name", None) or getattr(function, "__name__", "this")
            raise self.error(node, f"{name} is called with arguments it does not take") from None

    def _find(self, function: Any, node: ast.Call) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return what lowers a call of something, and what it is given before the arguments."""
        if isinstance(function, Method):
            return self._method(function, node)
        if isinstance(function, ElementwiseFunction):
            return op_function(function.__name__), ()
        lower = known(language(), function) or known(known_functions(), function)
        if lower is not None:
            return lower, ()
        if isinstance(function, type) and issubclass(function, np.generic):
            return cast_to(function), ()
        if isinstance(function, np.dtype):
            raise self.error(node, f"a dtype cannot be called; write {function.name}'s type, as in x.dtype.type(v)")
        instead = known(INSTEAD_OF, function)
        if inspect.isfunction(function):
            is_lambda = function.__name__ == "<lambda>"
            what = "write this function with def, and put it" if is_lambda else f"put {function.__name__}"
            instead = f"{what} under @situ.kernels.device_func"
        remedy = "" if instead is None else f"{instead}; "
        raise self.error(node, f"{described(function)} cannot be called in a kernel: {remedy}{_SUPPORTED}")

    def _method(self, method: Method, node: ast.Call) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        owner, name = method.owner, method.name
        if isinstance(owner, Place):
            lower = METHODS.get((owner.kind, name))
            have = [each for kind, each in METHODS if kind == owner.kind]
        elif isinstance(owner, Reference):
            lower, have = ON_REFERENCE.get(name), list(ON_REFERENCE)
        else:
            return (lambda low, node: low.builder.apply(OP["conj"], owner)), ()
        if lower is None:
            raise self.error(node, f"{described(owner)} has no {name}; it has {', '.join(have)}")
        return lower, (owner,) if isinstance(owner, Reference) else ()

    def calls_little(self, function: ast.expr) -> bool:
        """Tell whether calling a function costs no more than an addition."""
        if not isinstance(function, (ast.Name, ast.Attribute)):
            return False
        thing = self.expression(function)
        if isinstance(thing, Method):
            return isinstance(thing.owner, Place)
        return known(positions(), thing) is not None or any(thing is each for each in _CHEAP)

    def type_of(self, dtype: np.dtype[Any]) -> int:
        """Return the type of elements of a dtype."""
        found: int = native.type_of(np.zeros((), dtype)[()])
        return found

    def _inline(self, source: Source, args: list[Any], kwargs: dict[str, Any], node: ast.Call) -> Any:
        """Compile a device function where it is called; return its result."""
        caller = self.frame
        above: Frame | None = caller
        while above is not None:
            if above.source is source:
                raise self.error(node, f"{source.name} calls itself; kernels have no recursion: write a loop")
            above = above.caller
        frame = Frame(source, (caller.path, id(node)), caller, node)
        frame.conditional = self.conditional
        given = self._bind(source, args, kwargs, node)
        self.frame = frame
        try:
            for name, thing in given.items():
                self.assign_name(name, thing, source.node)
            self._body(frame, source.node.body)
        finally:
            self.frame = caller
        return self.fetch(frame.result) if frame.has_result() else None

    def _bind(self, source: Source, args: list[Any], kwargs: dict[str, Any], node: ast.Call) -> dict[str, Any]:
        """Return what each parameter of a function is given."""
        function, parameters = source.function, source.parameters
        positional = parameters[: function.__code__.co_argcount]
        if len(args) > len(positional):
            raise self.error(node, f"{source.name} takes {len(positional)} arguments, not {len(args)}")
        given = dict(zip(positional, args, strict=False))
        for name, thing in kwargs.items():
            if name not in parameters or name in given:
                raise self.error(
                    node,
                    f"{source.name} is given {name} twice"
                    if name in given
                    else f"{source.name} has no parameter {name}",
                )
            given[name] = thing
        defaults = dict(function.__kwdefaults__ or {})
        values = function.__defaults__ or ()
        defaults |= dict(zip(positional[len(positional) - len(values) :], values, strict=True))
        for name in parameters:
            if name not in given:
                if name not in defaults:
                    raise self.error(node, f"{source.name} is called without {name}")
                given[name] = defaults[name]
        return given

    def _body(self, frame: Frame, statements: list[ast.stmt]) -> None:
        """Compile the body of a device function.

        Where every return can come last, what follows an `if` that returns goes into its else. Otherwise the body is a
        loop of one iteration, which a return leaves.
        """
        if returns_last(statements):
            frame.returns = "last"
            falls = self.block(statements)
        else:
            frame.returns = "loop"
            builder = self.builder
            frame.flag = self.store((frame.path, ""), None, np.bool_(False), frame.source.node)
            before = self.enter_loop(None)
            builder.open_loop()
            falls = self.block(statements)
            if falls:
                builder.leave()
            builder.close()
            self.leave_loop(before)
        if falls and frame.has_result() and frame.result is not None:
            message = f"not every way through {frame.source.name} returns a value"
            raise self.error(frame.source.node, message)

    @abstractmethod
    def block(self, statements: list[ast.stmt]) -> bool:
        """Compile statements; return whether what follows them is reached."""

    def give_back(self, node: ast.Return) -> None:
        """Compile a return of a device function."""
        frame, builder = self.frame, self.builder
        thing = None if node.value is None else self.expression(node.value)
        is_only = frame.returns == "last" and self.conditional == frame.conditional
        if is_only:
            frame.result = thing
            return
        before = frame.result if frame.has_result() else None
        after = self.store((frame.path, "return"), before, thing, node)
        if frame.has_result() and not _agree(before, after):
            raise self.error(node, f"{frame.source.name} returns a number in one place and something else in another")
        frame.result = after
        if frame.returns == "loop":
            if len(frame.loops) > 1 and frame.flag is not None:
                builder.set(frame.flag.variable, True)
            builder.leave()

    #: Whether what is being compiled is done on some ways through the function only.
    conditional: int


def _agree(one: Any, other: Any) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_agree, one, other))
    return one is other
