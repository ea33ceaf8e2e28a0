"""Sub-groups: work-items of a group that follow each other, 32 of them, and exchange values without memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._extremes import greater_of, lesser_of
from ._work_item import with_group

__all__ = [
    "SUB_GROUP_SIZE",
    "get_num_sub_groups",
    "get_sub_group_id",
    "get_sub_group_local_id",
    "get_sub_group_size",
    "shuffle",
    "shuffle_down",
    "shuffle_up",
    "shuffle_xor",
    "sub_group_reduce_add",
    "sub_group_reduce_and",
    "sub_group_reduce_max",
    "sub_group_reduce_min",
    "sub_group_reduce_mul",
    "sub_group_reduce_or",
    "sub_group_reduce_xor",
]

#: How many work-items a sub-group has; the last one of a group may have fewer.
SUB_GROUP_SIZE = 32


def get_sub_group_id() -> int:
    """Return which sub-group of its group this is."""
    return with_group("get_sub_group_id")[0].lane // SUB_GROUP_SIZE


def get_sub_group_local_id() -> int:
    """Return the place of this work-item in its sub-group."""
    return with_group("get_sub_group_local_id")[0].lane % SUB_GROUP_SIZE


def get_sub_group_size() -> int:
    """Return how many work-items this sub-group has."""
    work_item, item, _ = with_group("get_sub_group_size")
    before = work_item.lane // SUB_GROUP_SIZE * SUB_GROUP_SIZE
    return min(SUB_GROUP_SIZE, item.get_local_linear_range() - before)


def get_num_sub_groups() -> int:
    """Return how many sub-groups a group has."""
    return -(-with_group("get_num_sub_groups")[1].get_local_linear_range() // SUB_GROUP_SIZE)


def _reduced(what: str, value: Any, combine: Callable[[Any, Any], Any]) -> Any:
    def all_of(values: list[Any], place: int) -> Any:
        partial = list(values)
        # Halves onto halves, as devices do it: the order decides how floats are rounded.
        while len(partial) > 1:
            half = 1 << (len(partial) - 1).bit_length() - 1
            for i in range(half, len(partial)):
                partial[i - half] = combine(partial[i - half], partial[i])
            del partial[half:]
        return partial[0]

    item, _, group = with_group(what)
    return group.exchange(item, what, value, all_of)


def sub_group_reduce_add(value: Any) -> Any:
    """Return the sum of a value over the sub-group."""
    return _reduced("sub_group_reduce_add", value, lambda a, b: a + b)


def sub_group_reduce_mul(value: Any) -> Any:
    """Return the product of a value over the sub-group."""
    return _reduced("sub_group_reduce_mul", value, lambda a, b: a * b)


def sub_group_reduce_min(value: Any) -> Any:
    """Return the least of a value over the sub-group."""
    return _reduced("sub_group_reduce_min", value, lesser_of)


def sub_group_reduce_max(value: Any) -> Any:
    """Return the greatest of a value over the sub-group."""
    return _reduced("sub_group_reduce_max", value, greater_of)


def sub_group_reduce_and(value: Any) -> Any:
    """Return the bits that a value has in all of the sub-group."""
    return _reduced("sub_group_reduce_and", value, lambda a, b: a & b)


def sub_group_reduce_or(value: Any) -> Any:
    """Return the bits that a value has anywhere in the sub-group."""
    return _reduced("sub_group_reduce_or", value, lambda a, b: a | b)


def sub_group_reduce_xor(value: Any) -> Any:
    """Return the bits that a value has an odd number of times in the sub-group."""
    return _reduced("sub_group_reduce_xor", value, lambda a, b: a ^ b)


def _shuffled(what: str, value: Any, wanted: Callable[[int], int]) -> Any:
    def other(values: list[Any], place: int) -> Any:
        there = wanted(place)
        return values[there if 0 <= there < len(values) else place]

    item, _, group = with_group(what)
    return group.exchange(item, what, value, other)


def shuffle(value: Any, place: int) -> Any:
    """Return the value of the work-item at a place in the sub-group; its own if there is no such place."""
    return _shuffled("shuffle", value, lambda own: int(place))


def shuffle_xor(value: Any, mask: int) -> Any:
    """Return the value of the work-item whose place is this one's with the bits of a mask flipped."""
    return _shuffled("shuffle_xor", value, lambda own: own ^ int(mask))


def shuffle_up(value: Any, delta: int) -> Any:
    """Return the value of the work-item that many places earlier; its own if there is no such place."""
    return _shuffled("shuffle_up", value, lambda own: own - int(delta))


def shuffle_down(value: Any, delta: int) -> Any:
    """Return the value of the work-item that many places later; its own if there is no such place."""
    return _shuffled("shuffle_down", value, lambda own: own + int(delta))
