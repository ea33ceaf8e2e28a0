"""The objects that kernels are written with, and what each becomes. They are known by identity."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .. import _api as api
from ._elementwise import Lower
from ._operators import OP
from ._things import Place, Reference, Value, View, described


def _axis(low: Any, dim: Any, node: ast.Call) -> int:
    try:
        axis = operator.index(dim)
    except TypeError:
        raise low.error(node, "the axis must be an integer that is known when the kernel is compiled") from None
    if not 0 <= axis < low.axes:
        raise low.error(node, f"the range has axes 0 to {low.axes - 1}: there is no axis {axis}")
    return axis


def _position(name: str) -> Lower:
    return lambda low, node, dim: low.builder.position(name, _axis(low, dim, node))


def _offset(low: Any, node: ast.Call, dim: Any) -> int:
    _axis(low, dim, node)
    return 0


def _linear(low: Any, index: str, lengths: str) -> Any:
    """Return the place of an index in a range, the last axis first."""
    place: Any = 0
    for axis in range(low.axes):
        place = low.multiply(place, low.builder.position(lengths, axis)) if axis else 0
        place = low.add(place, low.builder.position(index, axis))
    return place


def _size(low: Any, lengths: str) -> Any:
    size: Any = 1
    for axis in range(low.axes):
        size = low.multiply(size, low.builder.position(lengths, axis))
    return size


def _linear_id(index: str, lengths: str) -> Lower:
    return lambda low, node: _linear(low, index, lengths)


def _linear_size(lengths: str) -> Lower:
    return lambda low, node: _size(low, lengths)


#: By class and name, the methods of what tells a work-item where it is.
METHODS: dict[tuple[str, str], Lower] = {
    ("Item", "get_id"): _position("global_id"),
    ("Item", "get_linear_id"): _linear_id("global_id", "global_size"),
    ("Item", "get_range"): _position("global_size"),
    ("Item", "get_linear_range"): _linear_size("global_size"),
    ("NdItem", "get_global_id"): _position("global_id"),
    ("NdItem", "get_global_linear_id"): _linear_id("global_id", "global_size"),
    ("NdItem", "get_local_id"): _position("local_id"),
    ("NdItem", "get_local_linear_id"): _linear_id("local_id", "local_size"),
    ("NdItem", "get_global_range"): _position("global_size"),
    ("NdItem", "get_global_linear_range"): _linear_size("global_size"),
    ("NdItem", "get_local_range"): _position("local_size"),
    ("NdItem", "get_local_linear_range"): _linear_size("local_size"),
    ("NdItem", "get_group"): lambda low, node: Place("Group"),
    ("Group", "get_group_id"): _position("group_id"),
    ("Group", "get_group_linear_id"): _linear_id("group_id", "group_count"),
    ("Group", "get_group_range"): _position("group_count"),
    ("Group", "get_group_linear_range"): _linear_size("group_count"),
    ("Group", "get_local_range"): _position("local_size"),
    ("Group", "get_local_linear_range"): _linear_size("local_size"),
}


def _barrier(low: Any, node: ast.Call, flags: Any = None) -> None:
    text = "not all work-items of the group reach this barrier"
    low.builder.barrier(low.report(node, text) if low.debug else None)


def _group_barrier(low: Any, node: ast.Call, group: Any, fence_scope: Any = None) -> None:
    if not (isinstance(group, Place) and group.kind == "Group"):
        raise low.error(node, f"group_barrier takes a group, as item.get_group() gives it, not {described(group)}")
    _barrier(low, node)


def _fence(low: Any, node: ast.Call, flags: Any = None) -> None:
    low.builder.fence()


def _atomic_fence(low: Any, node: ast.Call, memory_order: Any, memory_scope: Any) -> None:
    low.builder.fence()


def _shape(low: Any, shape: Any, node: ast.Call) -> tuple[int, ...]:
    lengths = shape if isinstance(shape, tuple) else (shape,)
    try:
        found = tuple(operator.index(length) for length in lengths)
    except TypeError:
        raise low.error(node, "the shape must be made of integers that are known when the kernel is compiled") from None
    if any(not 0 <= length < 2**31 for length in found):
        raise low.error(node, f"an array of a kernel's own cannot have the shape {found}")
    return found


def _own_array(low: Any, node: ast.Call, shape: Any, dtype: Any, space: str) -> View:
    lengths = _shape(low, shape, node)
    try:
        of = np.dtype(dtype)
    except TypeError:
        raise low.error(node, f"{described(dtype)} is no dtype; use one of situ.tensor, such as float32") from None
    name = low.target or space
    return View.whole(low.builder.own_array(name, of, lengths, space), name, of, len(lengths), lengths)


def _local_array(low: Any, node: ast.Call, shape: Any, dtype: Any) -> View:
    return _own_array(low, node, shape, dtype, "local")


def _private_array(low: Any, node: ast.Call, shape: Any, dtype: Any, fill_zeros: Any = False) -> View:
    # Zero with and without `fill_zeros`.
    view = _own_array(low, node, shape, dtype, "private")
    if low.in_loop():
        # It is zero when the kernel starts, and here each time.
        low.fill(view, 0, node)
    return view


def _element(low: Any, array: Any, index: Any, node: ast.Call) -> View:
    if not isinstance(array, View):
        raise low.error(node, f"atomics change elements of arrays, not of {described(array)}")
    part: View = low.part_of(array, index, node)
    if part.axes:
        raise low.error(node, f"atomics change one element: {described(array)} needs {len(array.axes)} indices")
    return part


def _address(view: View) -> tuple[Any, ...]:
    return tuple([view.fixed[axis] for axis in range(view.ndim)])


def _atomic(name: str) -> Lower:
    def lower(low: Any, node: ast.Call, array: Any, index: Any, value: Any) -> Any:
        element = _element(low, array, index, node)
        return low.builder.atomic(name, element.array, _address(element), low.as_number(value, node))

    return lower


def _compare_exchange(low: Any, node: ast.Call, array: Any, index: Any, expected: Any, value: Any) -> Any:
    element = _element(low, array, index, node)
    expected, value = low.as_number(expected, node), low.as_number(value, node)
    return low.builder.compare_exchange(element.array, _address(element), expected, value)


def _reference(
    low: Any,
    node: ast.Call,
    ref: Any,
    index: Any,
    memory_order: Any = None,
    memory_scope: Any = None,
    address_space: Any = None,
) -> Reference:
    if address_space is api.AddressSpace.PRIVATE:
        raise low.error(node, "an AtomicRef cannot be private: nobody else changes what is the work-item's own")
    return Reference(_element(low, ref, index, node))


def _on_reference(change: str) -> Lower:
    lower = _atomic(change)
    return lambda low, node, reference, val: lower(low, node, reference.view, (), val)


def _store(low: Any, node: ast.Call, reference: Reference, val: Any) -> None:
    _on_reference("exchange")(low, node, reference, val)


def _is_identical(low: Any, a: Any, b: Any) -> Any:
    """Return whether two numbers are the same: zeros by their signs, and NaN is NaN."""
    apply = low.builder.apply
    equal = apply(OP["equal"], a, b)
    if a.kind != "f":
        return equal
    signs = apply(OP["equal"], apply(OP["signbit"], a), apply(OP["signbit"], b))
    both_nan = apply(OP["logical_and"], apply(OP["isnan"], a), apply(OP["isnan"], b))
    return apply(OP["logical_or"], apply(OP["logical_and"], equal, signs), both_nan)


def _exchange_if(
    low: Any, node: ast.Call, reference: Reference, expected: Any, desired: Any, expected_idx: Any = 0
) -> Any:
    wanted = _element(low, expected, expected_idx, node)
    before = low.builder.cast(low.load(wanted), low.type_of(reference.view.dtype))
    old = _compare_exchange(low, node, reference.view, (), before, desired)
    was_equal = _is_identical(low, old, before)
    low.builder.open_if(low.negated(was_equal))
    low.builder.store(wanted.array, _address(wanted), old)
    low.builder.close()
    return was_equal


#: The methods of an AtomicRef, which get it as their first argument.
ON_REFERENCE: dict[str, Lower] = {
    **{f"fetch_{name}": _on_reference(name) for name in ("add", "sub", "min", "max", "and", "or", "xor")},
    "exchange": _on_reference("exchange"),
    "load": lambda low, node, reference: low.load(reference.view),
    "store": _store,
    "compare_exchange": _exchange_if,
}


def _sub_group(name: str) -> Lower:
    return lambda low, node: low.builder.sub_group(name)


def _reduce(op: str) -> Lower:
    def lower(low: Any, node: ast.Call, value: Any) -> Any:
        value = low.as_number(value, node)
        if isinstance(value, Value) and value.kind == "b" and op in ("add", "multiply"):
            value = low.builder.cast(value, low.type_of(np.dtype("int64")))
        return low.builder.reduce(OP[op], value)

    return lower


def _shuffle(name: str, place: str) -> Lower:
    def lower(low: Any, node: ast.Call, value: Any, *args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        if len(given) != 1 or set(kwargs) - {place}:
            raise low.error(node, f"{name} takes a value and {place}")
        return low.builder.shuffle(name, low.as_number(value, node), low.as_number(given[0], node))

    return lower


@cache
def positions() -> dict[Any, Lower]:
    """Return what lowers the calls of functions that tell a work-item where it is."""
    return {
        api.get_global_id: _position("global_id"),
        api.get_global_size: _position("global_size"),
        api.get_global_offset: _offset,
        api.get_local_id: _position("local_id"),
        api.get_local_size: _position("local_size"),
        api.get_group_id: _position("group_id"),
        api.get_num_groups: _position("group_count"),
        api.get_sub_group_id: _sub_group("group_id"),
        api.get_sub_group_local_id: _sub_group("id"),
        api.get_sub_group_size: _sub_group("size"),
        api.get_num_sub_groups: _sub_group("group_count"),
    }


@cache
def language() -> dict[Any, Lower]:
    """Return what lowers the calls of what kernels are written with."""
    table: dict[Any, Lower] = positions() | {
        api.barrier: _barrier,
        api.group_barrier: _group_barrier,
        api.mem_fence: _fence,
        api.atomic_fence: _atomic_fence,
        api.local.array: _local_array,
        api.private.array: _private_array,
        api.PrivateArray: _private_array,
        api.AtomicRef: _reference,
        api.in_simulation: lambda low, node: False,
        api.shuffle: _shuffle("shuffle", "place"),
        api.shuffle_xor: _shuffle("shuffle_xor", "mask"),
        api.shuffle_up: _shuffle("shuffle_up", "delta"),
        api.shuffle_down: _shuffle("shuffle_down", "delta"),
        api.sub_group_reduce_add: _reduce("add"),
        api.sub_group_reduce_mul: _reduce("multiply"),
        api.sub_group_reduce_min: _reduce("minimum"),
        api.sub_group_reduce_max: _reduce("maximum"),
        api.sub_group_reduce_and: _reduce("bitwise_and"),
        api.sub_group_reduce_or: _reduce("bitwise_or"),
        api.sub_group_reduce_xor: _reduce("bitwise_xor"),
        api.atomic.compare_exchange: _compare_exchange,
    }
    changes: dict[str, Callable[..., Any]] = {
        "add": api.atomic.add,
        "sub": api.atomic.sub,
        "min": api.atomic.min,
        "max": api.atomic.max,
        "and": api.atomic.and_,
        "or": api.atomic.or_,
        "xor": api.atomic.xor,
        "exchange": api.atomic.exchange,
    }
    return table | {function: _atomic(name) for name, function in changes.items()}
