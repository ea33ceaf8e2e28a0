"""Functions whose usual arguments or results in dpctl are others than in `situ.tensor`.

In dpctl an index out of range is never an error, and `"wrap"` is the usual mode; a program that was written for this
goes on, though `"wrap"` is modular here. NumPy's arrays stand there for memory of DLPack's kDLCPU.

>>> from situ.dpctl import tensor
>>> tensor.take(tensor.arange(3), tensor.asarray([1, 4]))
ndarray([1, 1])
"""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy

from situ import Device, get_devices, select_default_device
from situ import tensor as _tensor
from situ.tensor import ndarray as _ndarray
from situ.tensor._inspection import NamespaceInfo

__all__ = ["from_dlpack", "put", "put_along_axis", "take", "take_along_axis"]


def take(
    x: _ndarray,
    indices: Any,
    /,
    *,
    axis: SupportsIndex | None = None,
    out: _ndarray | None = None,
    mode: str = "wrap",
) -> _ndarray:
    """Return the elements at indices along an axis.

    >>> from situ.dpctl import tensor
    >>> tensor.take(tensor.arange(3) * 10, tensor.asarray([-1, 0]))
    ndarray([20,  0])
    """
    return _tensor.take(x, indices, axis=axis, out=out, mode=mode)


def take_along_axis(x: _ndarray, indices: Any, /, *, axis: SupportsIndex = -1, mode: str = "wrap") -> _ndarray:
    """Return the elements at indices that match the array's other axes.

    >>> from situ.dpctl import tensor
    >>> tensor.take_along_axis(tensor.eye(2), tensor.asarray([[0], [2]]))
    ndarray([[1.],
             [0.]])
    """
    return _tensor.take_along_axis(x, indices, axis=axis, mode=mode)


def put(x: _ndarray, indices: Any, vals: Any, /, *, axis: SupportsIndex | None = None, mode: str = "wrap") -> None:
    """Write values to the elements at indices along an axis.

    >>> from situ.dpctl import tensor
    >>> x = tensor.zeros(3)
    >>> tensor.put(x, tensor.asarray([1, 5]), 7.0)
    >>> x
    ndarray([0., 7., 7.])
    """
    _tensor.put(x, indices, vals, axis=axis, mode=mode)


def put_along_axis(x: _ndarray, indices: Any, vals: Any, /, *, axis: SupportsIndex = -1, mode: str = "wrap") -> None:
    """Write values to the elements at indices that match the array's other axes.

    >>> from situ.dpctl import tensor
    >>> x = tensor.zeros((2, 2))
    >>> tensor.put_along_axis(x, tensor.asarray([[0], [1]]), tensor.ones((2, 1)))
    >>> x
    ndarray([[1., 0.],
             [0., 1.]])
    """
    _tensor.put_along_axis(x, indices, vals, axis=axis, mode=mode)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """Return an array over the memory of an object, of NumPy if it is NumPy's or the device is (kDLCPU, 0).

    >>> from situ.dpctl import tensor
    >>> tensor.from_dlpack(tensor.arange(3), device=(tensor.DLDeviceType.kDLCPU, 0))
    array([0, 1, 2])
    """
    if device is None and isinstance(x, numpy.ndarray):
        return x.copy() if copy else numpy.from_dlpack(x)
    array = _tensor.from_dlpack(x, device=device, copy=copy)
    if isinstance(device, tuple) and tuple(device) == (_tensor.DLDeviceType.kDLCPU, 0):
        return numpy.from_dlpack(array) if copy is False else _tensor.asnumpy(array)
    return array


class _SyclInfo(NamespaceInfo):
    """What a namespace says about itself, its devices being those of `dpctl`."""

    def default_device(self) -> Device:  # type: ignore[override]
        """Return the device of new arrays that are not told where to go."""
        return select_default_device()

    def devices(self) -> list[Device]:  # type: ignore[override]
        """Return every device that arrays can go to."""
        return get_devices()


def __array_namespace_info__() -> NamespaceInfo:
    """Return what there is to know about this namespace.

    >>> from situ.dpctl import get_devices, tensor
    >>> tensor.__array_namespace_info__().devices() == get_devices()
    True
    """
    return _SyclInfo()
