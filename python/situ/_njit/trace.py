"""What a function of arrays does, as it was seen doing it."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from .._native import ndarray

_PACKAGE = str(Path(__file__).parent.parent)

#: A length along an axis: 1, or one that is not known but compares with others.
Length = Any


class TracingError(TypeError):
    """A function does what `situ.njit` cannot trace: it depends on the values of an array.

    >>> import situ
    >>> from situ import tensor
    >>> @situ.njit
    ... def f(x):
    ...     return x if x[0] > 0 else -x
    >>> f(tensor.ones(3))
    Traceback (most recent call last):
    ...
    situ.TracingError: ...
    """

    __module__ = "situ"


def refuse(what: str, instead: str) -> NoReturn:
    """Raise an exception that shows the user's line."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    file, number = frame.f_code.co_filename, frame.f_lineno
    line = linecache.getline(file, number, frame.f_globals).strip()
    where = f"{file}, line {number}" + (f":\n    {line}\n" if line else ": ")
    raise TracingError(f"njit: {where}{what}; {instead}")


class Unknown:
    """A length that is not 1. Two that must be equal become one."""

    __slots__ = ("_same",)

    def __init__(self) -> None:
        self._same: Unknown | None = None

    def root(self) -> Unknown:
        """Return the one that stands for all that are equal."""
        return self if self._same is None else self._same.root()

    def unite(self, other: Unknown) -> None:
        """Note that two are equal."""
        one, two = self.root(), other.root()
        if one is not two:
            one._same = two


def lengths_of(array: ndarray) -> tuple[Length, ...]:
    """Return the lengths of an array of which nothing is known but where they are 1."""
    return tuple(1 if length == 1 else Unknown() for length in array.shape)


def broadcast(shapes: list[tuple[Length, ...]]) -> tuple[Length, ...]:
    """Return the lengths that arrays are stretched to, noting those that must be equal."""
    rank = max(map(len, shapes))
    found: list[Length] = []
    for axis in range(rank):
        length: Length = 1
        for shape in shapes:
            own: Length = shape[axis - rank + len(shape)] if axis >= rank - len(shape) else 1
            if own == 1:
                continue
            if isinstance(length, Unknown):
                length.unite(own)
            length = own
        found.append(length)
    return tuple(found)


def resolved(shape: tuple[Length, ...]) -> tuple[Length, ...]:
    """Return lengths that compare equal if they are known to be."""
    return tuple(length.root() if isinstance(length, Unknown) else length for length in shape)


@dataclass(eq=False)
class Node:
    """An array that the function had in hands."""

    array: ndarray | None
    """It, while the function is traced."""
    shape: tuple[Length, ...]
    maker: Maker | None = None
    """What made it; None if it was given."""

    is_measured: bool = False
    """Whether its lengths decided something that the lengths of arguments do not tell."""

    def __post_init__(self) -> None:
        assert self.array is not None
        self.dtype, self.usm_type, self.queue = self.array.dtype, self.array.usm_type, self.array.sycl_queue


@dataclass(eq=False)
class Maker:
    """A call that made arrays."""

    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    results: list[Node] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(getattr(self.function, "__name__", self.function))

    def operands(self) -> Iterator[Node]:
        """Yield the arrays that it reads."""
        for leaf in leaves((self.args, self.options)):
            if isinstance(leaf, Node):
                yield leaf


@dataclass(eq=False)
class Elementwise(Maker):
    """A call of an elementwise function; its arguments are nodes and numbers."""

    op: str = ""
    dtype: Any = None
    """What is converted to, where that is what it does."""


@dataclass(eq=False)
class Reduction(Maker):
    """A call that reduces its first argument along axes."""

    op: str = ""
    how: tuple[Any, bool, Any] = (None, False, None)
    """The axis, whether it is kept, and the dtype."""


@dataclass(eq=False)
class Trace:
    """Everything that was done, in order."""

    makers: list[Maker] = field(default_factory=list)
    reads_shapes: bool = False
    """Whether lengths of arrays decided anything."""
    reads_places: bool = False
    """Whether queues or devices of arrays did."""
    fixed: set[int] = field(default_factory=set)
    """Which numbers that were given did."""


def measure(trace: Trace, node: Node) -> None:
    """Note that the lengths of an array decide something."""
    trace.reads_shapes = True
    pending, seen = [node], {node}
    while pending:
        each = pending.pop()
        # How many elements an ordinary call returns may depend on values, as that of a mask does.
        each.is_measured = type(each.maker) is Maker
        before = set(each.maker.operands()) - seen if each.maker is not None else set()
        seen |= before
        pending += before


def leaves(structure: Any) -> Iterator[Any]:
    """Yield what lists, tuples, slices and dictionaries hold."""
    if isinstance(structure, (list, tuple)):
        for each in structure:
            yield from leaves(each)
    elif isinstance(structure, dict):
        for each in structure.values():
            yield from leaves(each)
    elif isinstance(structure, slice):
        yield from leaves((structure.start, structure.stop, structure.step))
    else:
        yield structure


def mapped(structure: Any, change: Callable[[Any], Any]) -> Any:
    """Return lists, tuples, slices and dictionaries with what they hold changed."""
    if isinstance(structure, (list, tuple)):
        items = [mapped(each, change) for each in structure]
        if hasattr(structure, "_make"):
            return structure._make(items)
        return type(structure)(items)
    if isinstance(structure, dict):
        return {name: mapped(each, change) for name, each in structure.items()}
    if isinstance(structure, slice):
        return slice(*mapped((structure.start, structure.stop, structure.step), change))
    return change(structure)
