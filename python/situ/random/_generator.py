"""The generator."""

from __future__ import annotations

from typing import Any, SupportsIndex

from .. import _native
from ..tensor._pickling import _home
from ._arguments import integer
from ._continuous import Continuous
from ._selection import Selection
from ._source import COUNTERS, KEYS

#: Blocks of numbers in a jump.
JUMP = 1 << 64
#: Children of a generator, before their numbers are those of the children that one a jump further on has.
MOST_CHILDREN = 1 << 32


class Generator(Continuous, Selection):
    """A source of random arrays.

    Each call of a method takes the next numbers of the stream, always whole blocks of 16 bytes. Arrays go to the
    generator's queue, or to the `sycl_queue` of a call, and into memory of the generator's `usm_type`, or of the
    call's; or into `out`, an array of the result's shape and dtype. Numbers depend on none of that. Several threads may
    call methods; which of them gets which numbers is then a matter of timing, so give each its own (`spawn`).

    Parameters of distributions are numbers or arrays, which are broadcast against each other and against `size`.
    Without a size, the shape is theirs.

    Parameters:
        seed (SupportsIndex | None): Which stream, from 0 up to 2**64 - 1; None for one that nobody has seen.
        device (DeviceLike | None): Where arrays go: a selector such as 'cpu' or 'cuda:0', a device, or a queue.
        usm_type (str | None): The kind of their memory: 'device' (the usual one), 'shared' or 'host'.
        sycl_queue (Queue | None): The queue arrays belong to, where `device` does not say it.

    >>> from situ.random import Generator
    >>> Generator(42).random(2), Generator(42).random(2)
    (ndarray([0.46858652, 0.34086155]), ndarray([0.46858652, 0.34086155]))
    """

    def jump(self, times: SupportsIndex = 1) -> Generator:
        """Return a generator of the same stream, 2**64 blocks further on for each time: more than anybody draws.

        >>> from situ.random import Generator
        >>> generator = Generator(42)
        >>> [each.integers(100, size=2) for each in (generator, generator.jump(), generator.jump(2))]
        [ndarray([46, 34]), ndarray([12, 71]), ndarray([52, 69])]
        """
        count = integer("jump", "times", times)
        if count < 0:
            raise ValueError(f"jump: times must not be negative, but is {count}")
        state = self.state
        counter, children = state["counter"] + count * JUMP, state["children"] + count * MOST_CHILDREN
        return self._beside({**state, "counter": counter % COUNTERS, "children": children % KEYS})

    def spawn(self, n_children: SupportsIndex) -> list[Generator]:
        """Return generators of other streams, new ones at every call.

        >>> from situ.random import Generator
        >>> generator = Generator(42)
        >>> [child.integers(100) for child in generator.spawn(2)], generator.spawn(1)[0].integers(100)
        ([ndarray(26), ndarray(48)], ndarray(20))
        """
        count = integer("spawn", "n_children", n_children)
        if count < 0:
            raise ValueError(f"spawn: n_children must not be negative, but is {count}")
        with self._lock:
            first, key = self._children, self._key
            self._children = (first + count) % KEYS
        keys = [_native.child_key(key, (first + n) % KEYS) for n in range(count)]
        return [self._beside({"key": key, "counter": 0, "children": 0}) for key in keys]

    def _beside(self, state: dict[str, int]) -> Generator:
        other = Generator(0, usm_type=self._usm_type, sycl_queue=self._queue)
        other.state = state
        return other

    def __copy__(self) -> Generator:
        return self._beside(self.state)

    def __deepcopy__(self, memo: dict[int, Any]) -> Generator:
        return self._beside(self.state)

    def __reduce__(self) -> tuple[Any, ...]:
        return restore, (self.state, self._usm_type, self._device_name())

    def __repr__(self) -> str:
        state = self.state
        return f"Generator({state['key']}, device={self._device_name()!r}) at block {state['counter']}"

    def _device_name(self) -> str:
        """The name of the whole device."""
        device = self._queue.sycl_device
        while (parent := device.parent_device) is not None:
            device = parent
        return device.filter_string


def restore(state: dict[str, int], usm_type: str, device: str) -> Generator:
    """A generator out of a pickle, on the device of that name or else on the default one.

    >>> import pickle
    >>> from situ.random import Generator
    >>> pickle.loads(pickle.dumps(Generator(5))).state["key"]
    5
    """
    generator = Generator(0, usm_type=usm_type, sycl_queue=_home(device))
    generator.state = state
    return generator
