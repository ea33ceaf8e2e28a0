"""Names and variables while a function is compiled.

A variable has one type, the join of all that is assigned to it. What that is turns out as the function is compiled:
where something does not fit, the wider type is noted, and the function is compiled once more with what has been noted.
"""

from __future__ import annotations

import ast
from abc import ABC
from typing import Any

from ..._native import KernelCompileError
from ..._native import kernels as native
from ._source import Source
from ._things import Lost, Slot, Value, described, is_number

_MISSING = object()
#: What a variable is taken for that is read before anything is assigned to it.
_PROVISIONAL: int = native.type_of(0)


class Frame:
    """A function that is being compiled: the kernel itself, or a device function where it is called."""

    def __init__(self, source: Source, path: tuple[Any, ...], caller: Frame | None, call: ast.AST | None) -> None:
        self.source = source
        #: What tells variables of the same name apart.
        self.path = path
        self.caller = caller
        self.call = call
        self.names: dict[str, Any] = {}
        #: The loops around, innermost last.
        self.loops: list[ast.AST | None] = []
        #: How a device function returns: see `_inline`.
        self.returns = "kernel"
        self.result: Any = _MISSING
        self.flag: Slot | None = None
        #: How many branches and loops were around the call.
        self.conditional = 0

    def has_result(self) -> bool:
        """Tell whether a return was compiled."""
        return self.result is not _MISSING


class Scope(ABC):
    """The names of the function that is being compiled, and the variables of all."""

    builder: Any
    frame: Frame

    def __init__(self) -> None:
        #: By variable, the type that it turned out to need.
        self.types: dict[Any, int] = {}
        self.widened: dict[Any, int] = {}
        self.slots: dict[Any, Slot] = {}

    def error(self, node: ast.AST, message: str) -> KernelCompileError:
        """Return an error that points at a node of the function that is being compiled."""
        frame = self.frame
        error = frame.source.error(node, message)
        while frame.caller is not None and frame.call is not None:
            call, frame = frame.call, frame.caller
            error.args = (f"{error.args[0]}\n  called from {frame.source.filename}:{frame.source.line(call)}",)
        return error

    def store(self, key: Any, binding: Any, thing: Any, node: ast.AST) -> Any:
        """Assign to what a name stands for; return what it stands for then."""
        if isinstance(thing, tuple):
            if isinstance(binding, Slot) or isinstance(binding, tuple) and len(binding) != len(thing):
                raise self.error(node, "a name that holds a tuple holds tuples of the same length throughout")
            parts = binding if isinstance(binding, tuple) else (None,) * len(thing)
            return tuple(self.store((key, at), *pair, node) for at, pair in enumerate(zip(parts, thing, strict=True)))
        if not isinstance(thing, Value) and not is_number(thing):
            if isinstance(binding, Slot):
                raise self.error(node, f"this name holds a number, so it cannot hold {described(thing)} as well")
            return thing
        if isinstance(binding, tuple):
            raise self.error(node, "a name that holds a tuple holds tuples of the same length throughout")
        slot = self._slot(key, native.type_of(thing))
        self.builder.set(slot.variable, thing)
        return slot

    def _slot(self, key: Any, found: int) -> Slot:
        slot = self.slots.get(key)
        if slot is None:
            type_ = self.types.get(key, found)
            slot = self.slots[key] = Slot(self.builder.variable(type_), type_, False)
        if slot.type != found:
            slot.wider = found if slot.is_provisional else native.join(slot.wider, found)
            if slot.wider != slot.type:
                self.widened[key] = slot.wider
        slot.is_provisional = False
        return slot

    def fetch(self, binding: Any) -> Any:
        """Return what a name stands for, variables as what they hold now."""
        if type(binding) is Slot:
            value = self.builder.get(binding.variable)
            # What is computed from it learns of its type at once, instead of in a pass of its own.
            return value if binding.wider == binding.type else self.builder.cast(value, binding.wider)
        if type(binding) is tuple:
            return tuple(map(self.fetch, binding))
        return binding

    def assign_name(self, name: str, thing: Any, node: ast.AST) -> None:
        """Assign to a name of the function."""
        frame = self.frame
        if name in frame.source.bindings.direct:
            frame.names[name] = thing
        else:
            binding = frame.names.get(name)
            binding = None if isinstance(binding, Lost) else binding
            frame.names[name] = self.store((frame.path, name), binding, thing, node)

    def read_name(self, node: ast.Name) -> Any:
        """Return what a name stands for."""
        frame, name = self.frame, node.id
        binding = frame.names.get(name, _MISSING)
        if binding is _MISSING:
            if name not in frame.source.bindings.names:
                try:
                    return frame.source.outside(name)
                except NameError as error:
                    raise self.error(node, str(error)) from None
            return self._early(node)
        if type(binding) is Lost:
            raise self.error(node, binding.reason)
        return self.fetch(binding)

    def _early(self, node: ast.Name) -> Any:
        """Return what a name holds that only a later statement of a loop around assigns to."""
        frame, name = self.frame, node.id
        in_loop = frame.source.bindings.in_loop
        if not any(name in in_loop[loop] for loop in frame.loops if loop is not None):
            raise self.error(node, f"{name} is used before anything is assigned to it")
        key = (frame.path, name)
        slot = self.slots.get(key)
        if slot is None:
            type_ = self.types.get(key, _PROVISIONAL)
            slot = self.slots[key] = Slot(self.builder.variable(type_), type_, key not in self.types)
        frame.names[name] = slot
        return self.fetch(slot)

    def enter_loop(self, loop: ast.AST | None) -> dict[str, Any]:
        """Note that a loop begins; return what names stood for before."""
        frame = self.frame
        before = dict(frame.names)
        frame.loops.append(loop)
        if loop is not None:
            for name in frame.source.bindings.in_loop[loop]:
                if name in frame.names and not _is_variable(frame.names[name]):
                    frame.names[name] = Lost(
                        f"{name} is {described(before[name])} before the loop and may be something else inside; give "
                        "the two different names"
                    )
        return before

    def leave_loop(self, before: dict[str, Any]) -> None:
        """Note that a loop ends."""
        self.frame.loops.pop()
        self.merge(before, self.frame.names)

    def merge(self, one: dict[str, Any], other: dict[str, Any]) -> None:
        """Let names stand for what they stood for on both of two ways."""
        merged = dict(one)
        direct = self.frame.source.bindings.direct
        for name, thing in other.items():
            if name not in one:
                if name not in direct:
                    merged[name] = thing if _is_variable(thing) else Lost(_lost(name, thing))
            elif not _is_same(one[name], thing):
                merged[name] = Lost(_lost(name, one[name], thing))
        for name, thing in one.items():
            if name not in other and name not in direct and not _is_variable(thing):
                merged[name] = Lost(_lost(name, thing))
        self.frame.names = merged


def _lost(name: str, *things: Any) -> str:
    for thing in things:
        if isinstance(thing, Lost):
            return thing.reason
    one, *other = ("a number" if isinstance(thing, Slot) else described(thing) for thing in things)
    if not other:
        return f"{name} is {one} on one way to this place only; use it where it is assigned"
    if one == other[0]:
        return f"{name} is {one} on one way to this place and a different one on another; give the two different names"
    return f"{name} is {one} on one way to this place and {other[0]} on another; give the two different names"


def _is_same(one: Any, other: Any) -> bool:
    if type(one) is tuple and type(other) is tuple:
        return len(one) == len(other) and all(map(_is_same, one, other))
    return one is other


def _is_variable(binding: Any) -> bool:
    if type(binding) is tuple:
        return all(map(_is_variable, binding))
    return type(binding) is Slot
