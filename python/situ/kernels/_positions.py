"""Where a work-item is, asked by free functions; barriers and fences among them."""

from __future__ import annotations

from ._items import Group, Item
from ._orders import MemoryOrder, MemoryScope
from ._work_item import current, with_group

__all__ = [
    "CLK_GLOBAL_MEM_FENCE",
    "CLK_LOCAL_MEM_FENCE",
    "GLOBAL_MEM_FENCE",
    "LOCAL_MEM_FENCE",
    "atomic_fence",
    "barrier",
    "get_global_id",
    "get_global_offset",
    "get_global_size",
    "get_group_id",
    "get_local_id",
    "get_local_size",
    "get_num_groups",
    "group_barrier",
    "mem_fence",
]

#: Which memory a barrier or fence is about; all of them order both.
LOCAL_MEM_FENCE = CLK_LOCAL_MEM_FENCE = 1
GLOBAL_MEM_FENCE = CLK_GLOBAL_MEM_FENCE = 2


def get_global_id(dim: int) -> int:
    """Return which work-item this is along an axis of the range."""
    item = current("get_global_id").item
    return item.get_id(dim) if isinstance(item, Item) else item.get_global_id(dim)


def get_global_size(dim: int) -> int:
    """Return how many work-items there are along an axis of the range."""
    item = current("get_global_size").item
    return item.get_range(dim) if isinstance(item, Item) else item.get_global_range(dim)


def get_global_offset(dim: int) -> int:
    """Return what ids along an axis of the range start from, which is always 0."""
    current("get_global_offset")
    return 0


def get_local_id(dim: int) -> int:
    """Return which work-item of its group this is along an axis."""
    return with_group("get_local_id")[1].get_local_id(dim)


def get_local_size(dim: int) -> int:
    """Return how many work-items a group has along an axis."""
    return with_group("get_local_size")[1].get_local_range(dim)


def get_group_id(dim: int) -> int:
    """Return which group this is along an axis."""
    return with_group("get_group_id")[1].get_group().get_group_id(dim)


def get_num_groups(dim: int) -> int:
    """Return how many groups there are along an axis."""
    return with_group("get_num_groups")[1].get_group().get_group_range(dim)


def barrier(flags: int | None = None) -> None:
    """Wait until all work-items of the group are here; what each has written before, all can read after.

    Every work-item of the group must come here, or none: in a branch that some of them take it is an error.
    """
    item, _, group = with_group("barrier")
    group.wait(item, "barrier")


def group_barrier(group: Group, fence_scope: MemoryScope = MemoryScope.WORK_GROUP) -> None:
    """Wait until all work-items of a group are here, as `barrier` does."""
    item, _, memory = with_group("group_barrier")
    memory.wait(item, "group_barrier")


def mem_fence(flags: int | None = None) -> None:
    """Let what this work-item has written be seen before what it writes from now on."""
    current("mem_fence")


def atomic_fence(memory_order: MemoryOrder, memory_scope: MemoryScope) -> None:
    """Let what this work-item has written be seen before what it writes from now on."""
    current("atomic_fence")
