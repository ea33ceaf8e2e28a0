"""Elements changed while nobody else does so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._extremes import greater_of, lesser_of
from ._memory import KernelArray
from ._orders import AddressSpace, MemoryOrder, MemoryScope
from ._work_item import current

__all__ = ["AtomicRef", "atomic"]

#: What becomes of an element, by the name of the operation.
_CHANGES: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "min": lesser_of,
    "max": greater_of,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "exchange": lambda element, value: value,
}


def _change(what: str, array: Any, index: Any, value: Any) -> Any:
    """Change an element in the simulator, where one work-item runs at a time; return what it was."""
    current(f"atomic {what}")
    if not isinstance(array, KernelArray):
        raise TypeError(f"atomic {what} changes an element of an array, not of a {type(array).__name__}")
    old = array[array.checked(index)]
    # In the element's dtype, whatever the value is.
    array.put(index, _CHANGES[what](old, old.dtype.type(value)))
    return old


def _compare_exchange(array: Any, index: Any, expected: Any, value: Any) -> Any:
    """Put a value where an element has the bits of the expected one; return what it was."""
    current("atomic compare_exchange")
    if not isinstance(array, KernelArray):
        raise TypeError(f"atomic compare_exchange changes an element of an array, not of a {type(array).__name__}")
    old = array[array.checked(index)]
    if old.tobytes() == old.dtype.type(expected).tobytes():
        array.put(index, value)
    return old


class atomic:
    """Functions that change an element of an array while nobody else does so, and return what it was.

    The array is global or local, the index an int or a tuple of ints.
    """

    @staticmethod
    def add(array: Any, index: Any, value: Any) -> Any:
        """Add a value to an element."""
        return _change("add", array, index, value)

    @staticmethod
    def sub(array: Any, index: Any, value: Any) -> Any:
        """Subtract a value from an element."""
        return _change("sub", array, index, value)

    @staticmethod
    def min(array: Any, index: Any, value: Any) -> Any:
        """Put a value in the place of a greater element; NaN wins."""
        return _change("min", array, index, value)

    @staticmethod
    def max(array: Any, index: Any, value: Any) -> Any:
        """Put a value in the place of a lesser element; NaN wins."""
        return _change("max", array, index, value)

    @staticmethod
    def and_(array: Any, index: Any, value: Any) -> Any:
        """Keep the bits of an element that a value has too."""
        return _change("and", array, index, value)

    @staticmethod
    def or_(array: Any, index: Any, value: Any) -> Any:
        """Set the bits of an element that a value has."""
        return _change("or", array, index, value)

    @staticmethod
    def xor(array: Any, index: Any, value: Any) -> Any:
        """Flip the bits of an element that a value has."""
        return _change("xor", array, index, value)

    @staticmethod
    def exchange(array: Any, index: Any, value: Any) -> Any:
        """Put a value in the place of an element."""
        return _change("exchange", array, index, value)

    @staticmethod
    def compare_exchange(array: Any, index: Any, expected: Any, value: Any) -> Any:
        """Put a value in the place of an element that is equal to the expected one, bit for bit."""
        return _compare_exchange(array, index, expected, value)


class AtomicRef:
    """An element that is changed while nobody else does so, made inside of a kernel."""

    __slots__ = ("_address_space", "_index", "_memory_order", "_memory_scope", "_ref")

    def __init__(
        self,
        ref: Any,
        index: Any,
        memory_order: MemoryOrder = MemoryOrder.RELAXED,
        memory_scope: MemoryScope = MemoryScope.DEVICE,
        address_space: AddressSpace | None = None,
    ) -> None:
        current("AtomicRef")
        self._ref = ref
        self._index = index
        self._memory_order = memory_order
        self._memory_scope = memory_scope
        self._address_space = address_space

    @property
    def ref(self) -> Any:
        """The element itself."""
        return self._ref[self._index]

    @property
    def memory_order(self) -> MemoryOrder:
        """What changes tell others about the memory around."""
        return self._memory_order

    @property
    def memory_scope(self) -> MemoryScope:
        """Who is to see changes as one."""
        return self._memory_scope

    @property
    def address_space(self) -> AddressSpace | None:
        """Whose memory the element is in."""
        return self._address_space

    def fetch_add(self, val: Any) -> Any:
        """Add a value and return what the element was."""
        return _change("add", self._ref, self._index, val)

    def fetch_sub(self, val: Any) -> Any:
        """Subtract a value and return what the element was."""
        return _change("sub", self._ref, self._index, val)

    def fetch_min(self, val: Any) -> Any:
        """Take the lesser one and return what the element was."""
        return _change("min", self._ref, self._index, val)

    def fetch_max(self, val: Any) -> Any:
        """Take the greater one and return what the element was."""
        return _change("max", self._ref, self._index, val)

    def fetch_and(self, val: Any) -> Any:
        """Keep the bits that both have and return what the element was."""
        return _change("and", self._ref, self._index, val)

    def fetch_or(self, val: Any) -> Any:
        """Set the bits that either has and return what the element was."""
        return _change("or", self._ref, self._index, val)

    def fetch_xor(self, val: Any) -> Any:
        """Set the bits that one of them has and return what the element was."""
        return _change("xor", self._ref, self._index, val)

    def load(self) -> Any:
        """Return the element."""
        return self.ref

    def store(self, val: Any) -> None:
        """Set the element."""
        _change("exchange", self._ref, self._index, val)

    def exchange(self, val: Any) -> Any:
        """Set the element and return what it was."""
        return _change("exchange", self._ref, self._index, val)

    def compare_exchange(self, expected: Any, desired: Any, expected_idx: Any = 0) -> bool:
        """Set the element if it is `expected[expected_idx]`, else put it there; return whether it was."""
        wanted = expected[expected_idx]
        old = _compare_exchange(self._ref, self._index, wanted, desired)
        if old.tobytes() == old.dtype.type(wanted).tobytes():
            return True
        expected[expected_idx] = old
        return False
