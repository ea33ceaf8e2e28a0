"""The names that signatures are written with: what functions take, where that is more than one class.

>>> from situ._typing import DeviceLike, ShapeLike
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, SupportsIndex, TypeAlias

import numpy
from numpy.typing import ArrayLike as HostArrayLike
from numpy.typing import DTypeLike

from ._native import ArrayDevice, Device, Queue

__all__ = [
    "ArrayLike",
    "ArrayOperand",
    "CudaExporter",
    "DLPackExporter",
    "DTypeLike",
    "DeviceLike",
    "HostArray",
    "HostArrayLike",
    "Number",
    "ShapeLike",
]

#: Where arrays go: a selector, a device, or a queue.
DeviceLike: TypeAlias = str | Device | Queue | ArrayDevice
#: An array of NumPy.
HostArray: TypeAlias = numpy.ndarray[Any, numpy.dtype[Any]]
#: The lengths of axes, or the only one.
ShapeLike: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | HostArray
#: A number of Python or NumPy.
Number: TypeAlias = complex | numpy.number[Any]
#: What stands beside an array of situ: a number, or an array of NumPy, which is brought to its queue.
ArrayOperand: TypeAlias = complex | numpy.number[Any] | numpy.bool_ | HostArray
#: Anything `asarray` takes. Lists may hold arrays at any depth, and objects speak any of four protocols: only trying
#: tells.
ArrayLike: TypeAlias = Any


class DLPackExporter(Protocol):
    """An object that offers its memory through DLPack."""

    def __dlpack__(self, /) -> Any:
        """Return a capsule."""

    def __dlpack_device__(self, /) -> tuple[int, int]:
        """Return the type and the number of the device."""


class CudaExporter(Protocol):
    """An object over memory of a CUDA device."""

    @property
    def __cuda_array_interface__(self) -> Any:
        """The description of the memory."""
