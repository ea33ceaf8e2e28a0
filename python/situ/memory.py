"""USM memory: allocations that devices and host share, and the pool they come from.

>>> from situ import memory
>>> shared = memory.MemoryUSMShared(16)
>>> shared.memset(7)
>>> bytes(shared)[:3]
b'\\x07\\x07\\x07'
>>> memoryview(shared).nbytes
16
"""

from __future__ import annotations

from typing import Any

from . import _native
from ._native import USMAllocationError

__all__ = [
    "MemoryUSMDevice",
    "MemoryUSMHost",
    "MemoryUSMShared",
    "USMAllocationError",
    "as_usm_memory",
    "pool_stats",
    "set_pool_limit",
    "transfer_stats",
    "trim",
]


class MemoryUSMDevice(_native.Memory, _native.BufferExporter):
    """Memory that belongs to a device.

    ``MemoryUSMDevice(n)`` allocates ``n`` bytes. ``MemoryUSMDevice(obj)`` is a view of the USM memory of another
    object, without a copy; with ``copy=True`` it is a copy.

    >>> m = MemoryUSMDevice(4)
    >>> m.copy_from_host(b"situ")
    >>> m.tobytes()
    b'situ'

    It has the buffer protocol where the host reaches it, as on the native device; elsewhere that is a ``BufferError``.

    >>> import situ
    >>> memoryview(MemoryUSMDevice(4, queue=situ.Queue("native:cpu"))).nbytes
    4
    """

    _usm_kind = "device"


class MemoryUSMShared(_native.Memory, _native.BufferExporter):
    """Memory that migrates between host and device, and has the buffer protocol.

    >>> import numpy
    >>> m = MemoryUSMShared(4)
    >>> numpy.asarray(m)[:] = 5
    >>> m.tobytes()
    b'\\x05\\x05\\x05\\x05'
    """

    _usm_kind = "shared"


class MemoryUSMHost(_native.Memory, _native.BufferExporter):
    """Memory of the host that devices can reach, with the buffer protocol.

    >>> MemoryUSMHost(4).get_usm_type()
    'host'
    """

    _usm_kind = "host"


_CLASSES: dict[str, type[_native.Memory]] = {
    "device": MemoryUSMDevice,
    "shared": MemoryUSMShared,
    "host": MemoryUSMHost,
}


def as_usm_memory(obj: Any) -> _native.Memory:
    """The memory of an object with ``__sycl_usm_array_interface__``, as an object of the class of its kind.

    >>> as_usm_memory(MemoryUSMShared(8)).nbytes
    8
    """
    return _CLASSES[_native.usm_kind_of(obj)](obj)


def _restore(content: bytes, kind: str) -> _native.Memory:
    """Unpickle: the bytes, in memory of the same kind on the default device."""
    if kind not in _CLASSES:
        raise ValueError(f"a pickle of USM memory says that it is of the kind {kind!r}, which does not exist")
    memory = _CLASSES[kind](len(content))
    memory.copy_from_host(content)
    return memory


def pool_stats(device: Any = None) -> dict[str, dict[str, int]]:
    """What the pool of a device's default context holds, in bytes and blocks: a dictionary per kind, and ``total``.

    ``in_use`` is what live objects own, ``waiting`` what was freed but is still being used by a queued command,
    ``cached`` what is kept for reuse, ``reserved`` everything taken from the driver.

    >>> keep = MemoryUSMDevice(1000)
    >>> pool_stats()["device"]["in_use_bytes"] >= 1000
    True
    """
    return _native.pool_stats(device)


def transfer_stats(device: Any = None) -> dict[str, int]:
    """What a device's default context has copied between its memory and other memory, in bytes and copies.

    ``from_host`` and ``to_host`` count copies between the host's memory and the context's, ``from_context`` what came
    from another context; if that goes by way of the host, it counts there as well. Nothing inside a context counts, nor
    what the host reads or writes directly in memory that it shares with the device. A queue or an array's device stands
    for its own context.

    >>> from situ import tensor
    >>> before = transfer_stats()
    >>> x = tensor.asarray([1.0, 2.0])
    >>> y = tensor.sqrt(x) + x
    >>> after = transfer_stats()
    >>> after["from_host_bytes"] - before["from_host_bytes"], after["to_host_bytes"] - before["to_host_bytes"]
    (16, 0)
    """
    return _native.transfer_stats(device)


def trim(device: Any = None) -> int:
    """Give everything unused back to the driver; returns the number of bytes.

    >>> trim() >= 0
    True
    """
    return _native.pool_trim(device)


def set_pool_limit(nbytes: int | None, device: Any = None) -> None:
    """Limit the unused memory a pool keeps, in bytes; ``None`` restores the default (a quarter of the device's).

    The environment variable ``SITU_POOL_LIMIT`` sets the limit for every pool of a process: a number of bytes, also
    written as ``512MiB`` or ``12GB``, or ``unlimited``.

    >>> set_pool_limit(1 << 30)
    >>> set_pool_limit(None)
    """
    _native.pool_set_limit(nbytes, device)
