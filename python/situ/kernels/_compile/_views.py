"""Views of arrays: slices and partial indexing, down to elements. Loads and stores name all indices of the array."""

from __future__ import annotations

import ast
import operator
from abc import abstractmethod
from typing import Any

import numpy as np

from ..._native import kernels as native
from ._operators import OP
from ._scope import Scope
from ._things import Axis, Slice, Value, View, described, is_number

#: Python's own integers.
_INT64: int = native.type_of(0)


class Views(Scope):
    """Lowers what is done with arrays."""

    debug: bool
    axes: int

    @abstractmethod
    def report(self, node: ast.AST, text: str) -> int:
        """Return the number of a report that names a node's place."""

    # Arithmetic of indices, most of which is known.

    def add(self, a: Any, b: Any) -> Any:
        """Return a sum of integers."""
        if not isinstance(a, Value) and not isinstance(b, Value):
            return a + b
        if not isinstance(a, Value) and a == 0:
            return b
        if not isinstance(b, Value) and b == 0:
            return a
        return self.builder.apply(OP["add"], a, b)

    def subtract(self, a: Any, b: Any) -> Any:
        """Return a difference of integers."""
        if not isinstance(b, Value):
            return self.add(a, -b)
        return self.builder.apply(OP["subtract"], a, b)

    def multiply(self, a: Any, b: Any) -> Any:
        """Return a product of integers."""
        if not isinstance(a, Value) and not isinstance(b, Value):
            return a * b
        if not isinstance(a, Value) and a == 1:
            return b
        if not isinstance(b, Value) and b == 1:
            return a
        return self.builder.apply(OP["multiply"], a, b)

    def at_least(self, a: Any, b: Any) -> Any:
        """Return the greater of two integers."""
        return self.builder.apply(OP["maximum"], a, b) if _any_value(a, b) else max(a, b)

    def at_most(self, a: Any, b: Any) -> Any:
        """Return the lesser of two integers."""
        return self.builder.apply(OP["minimum"], a, b) if _any_value(a, b) else min(a, b)

    def length(self, view: View, axis: Axis) -> Any:
        """Return how long an axis of a view is."""
        return self.builder.extent(view.array, axis.of) if axis.length is None else axis.length

    def shape(self, view: View) -> tuple[Any, ...]:
        """Return how long the axes of a view are."""
        return tuple([self.length(view, axis) for axis in view.axes])

    def view_attribute(self, view: View, name: str, node: ast.AST) -> Any:
        """Return an attribute of an array."""
        if name == "shape":
            return self.shape(view)
        if name == "ndim":
            return len(view.axes)
        if name == "dtype":
            return view.dtype
        if name == "itemsize":
            return view.dtype.itemsize
        if name == "size":
            size: Any = 1
            for length in self.shape(view):
                size = self.multiply(size, length)
            return size
        if name == "T":
            return view.part(view.axes[::-1], view.fixed)
        raise self.error(node, f"arrays have shape, ndim, size, dtype, itemsize and T in kernels, but no {name}")

    def part_of(self, view: View, index: Any, node: ast.AST) -> View:
        """Return what an index selects: a view without axes is an element."""
        items = index if isinstance(index, tuple) else (index,)
        at = next((at for at, item in enumerate(items) if item is Ellipsis), None)
        if at is not None:
            missing = len(view.axes) - len(items) + 1
            items = (*items[:at], *(Slice(None, None, None),) * max(missing, 0), *items[at + 1 :])
        if len(items) > len(view.axes):
            raise self.error(node, f"{described(view)} has {len(view.axes)} axes, but there are {len(items)} indices")
        axes, fixed = [], dict(view.fixed)
        for number, (axis, item) in enumerate(zip(view.axes, items, strict=False)):
            if isinstance(item, Slice):
                axes.append(self._sliced(view, axis, item, node))
            else:
                fixed[axis.of] = self._placed(view, axis, number, item, node)
        return view.part((*axes, *view.axes[len(items) :]), fixed)

    def _placed(self, view: View, axis: Axis, number: int, item: Any, node: ast.AST) -> Any:
        """Return an index into the array, from one into a view."""
        if isinstance(item, Value):
            index = item
            if item.kind != "i":
                raise self.error(node, f"an index must be an integer, not {item.dtype}; convert it with int()")
        else:
            if not is_number(item) or isinstance(item, (bool, np.bool_)):
                raise self.error(node, f"an index is an integer or a slice, not {described(item)}")
            try:
                index = operator.index(item)
            except TypeError:
                raise self.error(node, f"an index must be an integer, not {item!r}; convert it with int()") from None
            if index < 0:
                index = self.add(self.length(view, axis), index)
        if self.debug:
            self.guard_index(index, self.length(view, axis), view.name, number, node)
        if isinstance(index, Value) and (axis.start, axis.step) != (0, 1):
            # Short integers would overflow.
            index = self.builder.cast(index, _INT64)
        return _at(self, axis, index)

    def guard_index(self, index: Any, length: Any, name: str, axis: int, node: ast.AST) -> None:
        """Have an index outside of an array reported."""
        builder = self.builder
        index, length = builder.cast(index, _INT64), builder.cast(length, _INT64)
        holds = builder.apply(
            OP["logical_and"], builder.apply(OP["greater_equal"], index, 0), builder.apply(OP["less"], index, length)
        )
        text = f"index {{0}} of axis {axis} is outside of {name}, which has {{1}}"
        builder.guard(holds, self.report(node, text), index, length)

    def _sliced(self, view: View, axis: Axis, item: Slice, node: ast.AST) -> Axis:
        """Return the part of an axis that a slice selects."""
        step = 1 if item.step is None else item.step
        if isinstance(step, Value) or not isinstance(step, (int, np.integer)) or step == 0:
            raise self.error(node, "the step of a slice is an integer that is known, and not 0")
        step = int(step)
        if item.start is None and item.stop is None and step == 1:
            return axis
        length = self.length(view, axis)
        if step > 0:
            start = 0 if item.start is None else self._bound(item.start, length, 0, length, node)
            stop = length if item.stop is None else self._bound(item.stop, length, 0, length, node)
        else:
            last = self.add(length, -1)
            start = last if item.start is None else self._bound(item.start, length, -1, last, node)
            stop = -1 if item.stop is None else self._bound(item.stop, length, -1, last, node)
        span = self.subtract(stop, start) if step > 0 else self.subtract(start, stop)
        if abs(step) != 1:
            rounded = self.add(span, abs(step) - 1)
            if isinstance(rounded, Value):
                span = self.builder.apply(OP["floor_divide"], rounded, abs(step))
            else:
                span = rounded // abs(step)
        count = self.at_least(span, 0)
        return Axis(axis.of, self.add(axis.start, self.multiply(start, axis.step)), axis.step * step, count)

    def _bound(self, bound: Any, length: Any, least: Any, greatest: Any, node: ast.AST) -> Any:
        """Return an end of a slice, inside of the axis; negative numbers count from its end."""
        if isinstance(bound, Value):
            if bound.kind != "i":
                raise self.error(node, f"the ends of a slice are integers, not {bound.dtype}")
            wide = self.builder.cast(bound, _INT64)
            if bound.dtype.kind == "i":
                is_negative = self.builder.apply(OP["less"], wide, 0)
                wide = self.builder.select(is_negative, self.add(wide, length), wide)
            bound = wide
        else:
            try:
                bound = operator.index(bound)
            except TypeError:
                raise self.error(node, f"the ends of a slice are integers, not {bound!r}") from None
            if bound < 0:
                return self.at_least(self.add(length, bound), least)
        return self.at_most(self.at_least(bound, least) if isinstance(bound, Value) else bound, greatest)

    def load(self, view: View) -> Any:
        """Return an element."""
        return self.builder.load(view.array, _indices(view))

    def store_element(self, view: View, thing: Any) -> None:
        """Write an element."""
        self.builder.store(view.array, _indices(view), thing)

    def fill(self, view: View, thing: Any, node: ast.AST) -> None:
        """Write a number, or the elements of another array, to all elements of a part of an array."""
        if isinstance(thing, View) and len(thing.axes) != len(view.axes):
            raise self.error(
                node, f"{described(thing)} has {len(thing.axes)} axes and cannot be assigned to {len(view.axes)}"
            )
        counters = [self.builder.open_for(0, self.length(view, axis), 1) for axis in view.axes]
        fixed = {axis.of: _at(self, axis, at) for axis, at in zip(view.axes, counters, strict=True)}
        value = self.load(self.part_of(thing, tuple(counters), node)) if isinstance(thing, View) else thing
        self.store_element(view.part((), view.fixed | fixed), value)
        for _ in counters:
            self.builder.close()


def _at(views: Views, axis: Axis, index: Any) -> Any:
    return views.add(axis.start, views.multiply(index, axis.step))


def _indices(view: View) -> tuple[Any, ...]:
    fixed = view.fixed
    return tuple([fixed[axis] for axis in range(view.ndim)])


def _any_value(*things: Any) -> bool:
    return any(isinstance(thing, Value) for thing in things)
