"""What tells a work-item where it is."""

from __future__ import annotations

from collections.abc import Sequence

from ._ranges import Range

__all__ = ["Group", "Item", "NdItem"]


def _linear(index: Sequence[int], lengths: Sequence[int]) -> int:
    """Return the place of an index in a range, the last axis first."""
    place = 0
    for at, length in zip(index, lengths, strict=True):
        place = place * length + at
    return place


class Item:
    """A work-item of a `Range`: the first parameter of a kernel may be one."""

    __slots__ = ("_extent", "_index")

    def __init__(self, extent: Range, index: Sequence[int]) -> None:
        self._extent = extent
        self._index = index

    def get_id(self, dim: int) -> int:
        """Return which work-item this is along an axis."""
        return self._index[dim]

    def get_linear_id(self) -> int:
        """Return which work-item this is of all, the last axis counted first."""
        return _linear(self._index, self._extent)

    def get_range(self, dim: int) -> int:
        """Return how many work-items there are along an axis."""
        return self._extent[dim]

    def get_linear_range(self) -> int:
        """Return how many work-items there are in all."""
        return self._extent.size()

    @property
    def dimensions(self) -> int:
        """How many axes the range has."""
        return self._extent.ndim


class Group:
    """The work-group of a work-item."""

    __slots__ = ("_global", "_groups", "_index", "_local", "leader")

    def __init__(self, global_range: Range, local_range: Range, group_range: Range, index: Sequence[int]) -> None:
        self._global = global_range
        self._local = local_range
        self._groups = group_range
        self._index = index
        #: Whether the work-item that asks is the first of its group; known in the simulator only.
        self.leader = False

    def _at(self, values: Sequence[int], dim: int) -> int:
        if not 0 <= dim < len(values):
            raise ValueError(f"the range of this group has axes 0 to {len(values) - 1}, not {dim}")
        return values[dim]

    def get_group_id(self, dim: int) -> int:
        """Return which group this is along an axis."""
        return self._at(self._index, dim)

    def get_group_linear_id(self) -> int:
        """Return which group this is of all, the last axis counted first."""
        return _linear(self._index, self._groups)

    def get_group_range(self, dim: int) -> int:
        """Return how many groups there are along an axis."""
        return self._at(self._groups, dim)

    def get_group_linear_range(self) -> int:
        """Return how many groups there are in all."""
        return self._groups.size()

    def get_local_range(self, dim: int) -> int:
        """Return how many work-items a group has along an axis."""
        return self._at(self._local, dim)

    def get_local_linear_range(self) -> int:
        """Return how many work-items a group has in all."""
        return self._local.size()

    @property
    def dimensions(self) -> int:
        """How many axes the range has."""
        return self._global.ndim


class NdItem:
    """A work-item of an `NdRange`: the first parameter of a kernel may be one."""

    __slots__ = ("_global", "_group", "_local")

    def __init__(self, global_item: Item, local_item: Item, group: Group) -> None:
        self._global = global_item
        self._local = local_item
        self._group = group

    def get_global_id(self, dim: int) -> int:
        """Return which work-item this is along an axis."""
        return self._global.get_id(dim)

    def get_global_linear_id(self) -> int:
        """Return which work-item this is of all, the last axis counted first."""
        return self._global.get_linear_id()

    def get_local_id(self, dim: int) -> int:
        """Return which work-item of its group this is along an axis."""
        return self._local.get_id(dim)

    def get_local_linear_id(self) -> int:
        """Return which work-item of its group this is, the last axis counted first."""
        return self._local.get_linear_id()

    def get_global_range(self, dim: int) -> int:
        """Return how many work-items there are along an axis."""
        return self._global.get_range(dim)

    def get_global_linear_range(self) -> int:
        """Return how many work-items there are in all."""
        return self._global.get_linear_range()

    def get_local_range(self, dim: int) -> int:
        """Return how many work-items a group has along an axis."""
        return self._local.get_range(dim)

    def get_local_linear_range(self) -> int:
        """Return how many work-items a group has in all."""
        return self._local.get_linear_range()

    def get_group(self) -> Group:
        """Return the group of this work-item."""
        return self._group

    @property
    def dimensions(self) -> int:
        """How many axes the range has."""
        return self._global.dimensions
