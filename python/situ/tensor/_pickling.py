"""Arrays out of pickles."""

from __future__ import annotations

from typing import Any

from .._native import Device, DeviceCreationError, Queue, cached_queue, ndarray
from ._functions import asarray


def _home(device: str) -> Queue | None:
    """The default queue of a device, or None if it cannot be seen here."""
    try:
        return cached_queue(Device(device))
    except DeviceCreationError:
        return None


def restore(contents: Any, shape: tuple[int, ...], strides: tuple[int, ...], usm_type: str, device: str) -> ndarray:
    """An array with these contents, in the order of memory, on the device of that name or else on the default one.

    >>> import pickle
    >>> from situ import tensor
    >>> pickle.loads(pickle.dumps(tensor.arange(3)))
    ndarray([0, 1, 2])
    """
    flat = asarray(contents, usm_type=usm_type, sycl_queue=_home(device))
    return ndarray(shape, flat.dtype, strides, flat)
