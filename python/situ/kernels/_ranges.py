"""How many work-items a kernel is launched over, and in which groups."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import SupportsIndex

from ._exceptions import UnmatchedNumberOfRangeDimsError, UnsupportedGroupWorkItemSizeError

__all__ = ["NdRange", "Range"]

MAX_AXES = 3


class Range(tuple[int, ...]):
    """How many work-items there are along each of 1 to 3 axes.

    An axis of length 0 after the first is taken as absent.

    >>> rows = Range(4, 3)
    >>> rows, rows.ndim, rows.size()
    (Range(4, 3), 2, 12)
    """

    __slots__ = ()

    def __new__(
        cls, dim0: SupportsIndex, dim1: SupportsIndex | None = None, dim2: SupportsIndex | None = None
    ) -> Range:
        """Check that the lengths are integers, and how many there are."""
        lengths = [_length(dim0, 0)]
        if dim1:
            lengths.append(_length(dim1, 1))
        if dim2:
            if not dim1:
                raise ValueError("a range with a third axis needs a second one: give dim1 too")
            lengths.append(_length(dim2, 2))
        return super().__new__(cls, lengths)

    def __getnewargs__(self) -> tuple[int, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        return f"Range({', '.join(map(str, self))})"

    def get(self, index: int) -> int:
        """Return how many work-items there are along an axis."""
        return self[index]

    def size(self) -> int:
        """Return how many work-items there are in all."""
        return math.prod(self)

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return len(self)

    @property
    def dim0(self) -> int:
        """The length of the first axis."""
        return self[0]

    @property
    def dim1(self) -> int:
        """The length of the second axis, or -1 if there is none."""
        return self[1] if len(self) > 1 else -1

    @property
    def dim2(self) -> int:
        """The length of the third axis, or -1 if there is none."""
        return self[2] if len(self) > 2 else -1


def _length(length: SupportsIndex, axis: int) -> int:
    """Return the length of an axis as an int, or raise."""
    try:
        number = operator.index(length)
    except TypeError:
        raise TypeError(f"dim{axis} of a Range must be an int, not {type(length).__name__}") from None
    if number < 0:
        raise ValueError(f"dim{axis} of a Range is a number of work-items and cannot be {number}")
    return number


def as_range(lengths: object, what: str) -> Range:
    """Return a `Range` from one, an integer or some integers; `what` names them in the errors."""
    if isinstance(lengths, Range):
        return lengths
    if isinstance(lengths, Iterable) and not isinstance(lengths, str):
        given = tuple(lengths)
        if not 1 <= len(given) <= MAX_AXES:
            raise ValueError(f"{what} has 1 to {MAX_AXES} axes, not {len(given)}")
        # Only the arguments of `Range` itself leave an axis out by giving it no length: here it makes the range empty.
        return tuple.__new__(Range, [_length(length, axis) for axis, length in enumerate(given)])
    if isinstance(lengths, SupportsIndex):
        return Range(lengths)
    raise TypeError(f"{what} must be a Range or some ints, not {type(lengths).__name__}")


class NdRange:
    """A range of work-items in groups, which share local memory and wait for each other at barriers.

    >>> NdRange((64, 8), (16, 4))
    NdRange((64, 8), (16, 4))
    >>> NdRange(100, 32)
    Traceback (most recent call last):
        ...
    situ.kernels._exceptions.UnsupportedGroupWorkItemSizeError: axis 0 has 100 work-items, which groups of 32 do not
    fill; make the range a multiple of the group and return early from work-items beyond the end
    """

    __slots__ = ("_global", "_local")

    def __init__(self, global_size: Range | Iterable[int] | int, local_size: Range | Iterable[int] | int) -> None:
        self._global = as_range(global_size, "the global size of an NdRange")
        self._local = as_range(local_size, "the local size of an NdRange")
        if len(self._global) != len(self._local):
            raise UnmatchedNumberOfRangeDimsError(
                f"the range has {len(self._global)} axes and its groups have {len(self._local)}; they need as many"
            )
        for axis, (length, group) in enumerate(zip(self._global, self._local, strict=True)):
            if not group or length % group:
                raise UnsupportedGroupWorkItemSizeError(
                    f"axis {axis} has {length} work-items, which groups of {group} do not fill; make the range a "
                    "multiple of the group and return early from work-items beyond the end"
                )

    @property
    def global_range(self) -> Range:
        """How many work-items there are along each axis."""
        return self._global

    @property
    def local_range(self) -> Range:
        """How many work-items a group has along each axis."""
        return self._local

    def get_global_range(self) -> Range:
        """Return how many work-items there are along each axis."""
        return self._global

    def get_local_range(self) -> Range:
        """Return how many work-items a group has along each axis."""
        return self._local

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NdRange):
            return NotImplemented
        return self._global == other._global and self._local == other._local

    def __hash__(self) -> int:
        return hash((self._global, self._local))

    def __repr__(self) -> str:
        return f"NdRange({tuple(self._global)}, {tuple(self._local)})"

    def __reduce__(self) -> tuple[type[NdRange], tuple[Range, Range]]:
        return NdRange, (self._global, self._local)
