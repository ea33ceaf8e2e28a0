"""What expressions can be, besides numbers: views of arrays, places, references, things that are called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..._native import kernels as native

#: Values that a kernel computes. Everything else that an expression can be is known when the kernel is compiled.
Value: Any = native.Value

_Entry = TypeVar("_Entry")

NUMBERS = (int, float, complex, np.generic)


def is_number(thing: Any) -> bool:
    """Tell whether an expression is a number that is known."""
    return isinstance(thing, NUMBERS)


class Slot:
    """A variable that a name stands for."""

    __slots__ = ("is_provisional", "type", "variable", "wider")

    def __init__(self, variable: Any, type_: int, is_provisional: bool) -> None:
        self.variable = variable
        self.type = type_
        #: It was read before anything was assigned to it, so that its type is a guess.
        self.is_provisional = is_provisional
        #: What it turned out to need: the type it has when the function is compiled once more.
        self.wider = type_


class Lost:
    """What a name stands for after different things were assigned to it on different ways."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason


class Axis(NamedTuple):
    """An axis of a view: which axis of the array it goes along, and how."""

    of: int
    start: Any = 0
    step: Any = 1
    #: None for the length of the array's axis.
    length: Any = None


class View:
    """An array, or part of one."""

    __slots__ = ("array", "axes", "dtype", "fixed", "is_whole", "name", "ndim")

    def __init__(
        self, array: Any, name: str, dtype: np.dtype[Any], ndim: int, axes: tuple[Axis, ...], fixed: dict[int, Any]
    ) -> None:
        self.array = array
        self.name = name
        self.dtype = dtype
        #: Of the whole array.
        self.ndim = ndim
        self.axes = axes
        #: By axis of the array, the indices that are chosen already.
        self.fixed = fixed
        self.is_whole = False

    @classmethod
    def whole(cls, array: Any, name: str, dtype: Any, ndim: int, shape: tuple[int, ...] | None = None) -> View:
        """Return a view of a whole array."""
        lengths = shape if shape is not None else (None,) * ndim
        axes = tuple(Axis(axis, 0, 1, length) for axis, length in enumerate(lengths))
        view = cls(array, name, np.dtype(dtype), ndim, axes, {})
        view.is_whole = True
        return view

    def part(self, axes: tuple[Axis, ...], fixed: dict[int, Any]) -> View:
        """Return a view of the same array."""
        return View(self.array, self.name, self.dtype, self.ndim, axes, fixed)


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """An element that is changed while nobody else does so."""

    view: View


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """What tells a work-item where it is: "Item", "NdItem" or "Group"."""

    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """Something of an expression that can be called."""

    owner: Any
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """What range() gives."""

    start: Any
    stop: Any
    step: Any


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """What selects part of an axis."""

    start: Any
    stop: Any
    step: Any


def known(table: Mapping[Any, _Entry], thing: Any) -> _Entry | None:
    """Return what a table has for a thing from outside of the kernel, which may refuse to be hashed or compared."""
    try:
        return table.get(thing)
    except Exception:
        return None


def described(thing: Any) -> str:
    """Return how an expression is called in messages."""
    if isinstance(thing, Value):
        return f"a {thing.dtype} number"
    if isinstance(thing, View):
        return f"the array {thing.name}" if thing.is_whole else f"a part of the array {thing.name}"
    if isinstance(thing, tuple):
        return "a tuple"
    if isinstance(thing, Place):
        return f"the {thing.kind}"
    if isinstance(thing, Method):
        return f"the method {thing.name}"
    if isinstance(thing, Reference):
        return "an AtomicRef"
    if isinstance(thing, (Numbers, Slice)):
        return "a range" if isinstance(thing, Numbers) else "a slice"
    if thing is None:
        return "None"
    try:
        name = getattr(thing, "__name__", None)
    except Exception:
        name = None
    return f"{type(thing).__name__} {name}" if isinstance(name, str) else f"a {type(thing).__name__}"
