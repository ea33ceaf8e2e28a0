"""What the Array API's programs ask a namespace about itself.

>>> from situ import tensor
>>> tensor.__array_namespace_info__().capabilities()["boolean indexing"]
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import numpy

from .._native import ArrayDevice, Device, Queue
from ._dtypes import _KINDS, _SUPPORTED

if TYPE_CHECKING:
    from .._typing import DeviceLike

__all__: list[str] = []

Capabilities = TypedDict(
    "Capabilities", {"boolean indexing": bool, "data-dependent shapes": bool, "max dimensions": "int | None"}
)
Dtypes = dict[str, "numpy.dtype[Any]"]


def _device(device: DeviceLike | None) -> Device:
    """Return the device that is meant."""
    if device is None:
        return Device()
    if isinstance(device, (ArrayDevice, Queue)):
        return device.sycl_device
    if isinstance(device, (str, Device)):
        return Device(device)
    raise TypeError(f"device: expected a selector, a device or a queue, got {type(device).__name__}")


class NamespaceInfo:
    """Capabilities, devices and dtypes of `situ.tensor`.

    >>> from situ import tensor
    >>> info = tensor.__array_namespace_info__()
    >>> sorted(info.dtypes(kind="unsigned integer"))
    ['uint16', 'uint32', 'uint64', 'uint8']
    """

    def capabilities(self) -> Capabilities:
        """Return what arrays can do that not every library's can."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self) -> ArrayDevice:
        """Return the device of new arrays that are not told where to go."""
        return ArrayDevice.create_device(None)

    def default_dtypes(self, *, device: DeviceLike | None = None) -> Dtypes:
        """Return the dtypes that new arrays on a device have where none is named."""
        has_double = _device(device).has_aspect_fp64
        names = {
            "real floating": "float64" if has_double else "float32",
            "complex floating": "complex128" if has_double else "complex64",
            "integral": "int64",
            "indexing": "int64",
        }
        return {kind: numpy.dtype(name) for kind, name in names.items()}

    def dtypes(self, *, device: DeviceLike | None = None, kind: str | tuple[str, ...] | None = None) -> Dtypes:
        """Return the dtypes of the standard that a device has, by name; all of them or those of some kinds."""
        if kind is not None and not isinstance(kind, (str, tuple)):
            raise TypeError(f"kind: expected a string or a tuple of them, got {type(kind).__name__}")
        letters = "biufc"
        if kind is not None:
            kinds = (kind,) if isinstance(kind, str) else kind
            for each in kinds:
                if each not in _KINDS:
                    raise ValueError(f"kind: {each!r} is none of {', '.join(_KINDS)}")
            letters = "".join(_KINDS[each] for each in kinds)
        left_out = {"float16"} if _device(device).has_aspect_fp64 else {"float16", "float64", "complex128"}
        found = (dtype for dtype in _SUPPORTED if dtype.kind in letters and dtype.name not in left_out)
        ordered = sorted(found, key=lambda dtype: (letters.find(dtype.kind), dtype.itemsize))
        return {dtype.name: dtype for dtype in ordered}

    def devices(self) -> tuple[ArrayDevice, ...]:
        """Return every device that arrays can go to, each as what an array there has for its `device`."""
        from .._devices import get_devices

        return tuple(map(ArrayDevice.create_device, get_devices()))


def __array_namespace_info__() -> NamespaceInfo:
    """Return what there is to know about this namespace.

    >>> from situ import tensor
    >>> tensor.__array_namespace_info__().default_dtypes()["integral"]
    dtype('int64')
    """
    return NamespaceInfo()
