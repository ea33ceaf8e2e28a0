"""The dtypes that a device prefers, as the letters NumPy has for them.

>>> import situ
>>> from situ.dpctl.tensor import _tensor_impl
>>> _tensor_impl.default_device_index_type(situ.Device("cpu"))
'i8'
"""

from __future__ import annotations

from situ import Device, Queue


def _device(where: Device | Queue) -> Device:
    if isinstance(where, Queue):
        return where.sycl_device
    if isinstance(where, Device):
        return where
    raise TypeError(f"expected a SyclDevice or a SyclQueue, got {type(where).__name__}")


def default_device_fp_type(arg: Device | Queue) -> str:
    """Return the dtype of real numbers."""
    return "f8" if _device(arg).has_aspect_fp64 else "f4"


def default_device_complex_type(arg: Device | Queue) -> str:
    """Return the dtype of complex numbers."""
    return "c16" if _device(arg).has_aspect_fp64 else "c8"


def default_device_int_type(arg: Device | Queue) -> str:
    """Return the dtype of integers."""
    _device(arg)
    return "i8"


def default_device_index_type(arg: Device | Queue) -> str:
    """Return the dtype of indices."""
    _device(arg)
    return "i8"


def default_device_bool_type(arg: Device | Queue) -> str:
    """Return the dtype of truth values."""
    _device(arg)
    return "b1"
