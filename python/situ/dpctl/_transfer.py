"""Bringing data to a queue, under the name that programs of the "compute follows data" proposal have for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from situ._typing import DeviceLike
    from situ.tensor import ndarray

__all__ = ["transfer_to"]


def transfer_to(x: Any, /, queue: DeviceLike, usm_type: str | None = None) -> ndarray:
    """Return an array on a queue, in memory of a kind: the same memory where context and kind allow it, else a copy.

    The queue may be a selector, which stands for the device's usual one.

    >>> import situ.dpctl as dpctl
    >>> x = dpctl.tensor.arange(3)
    >>> y = dpctl.transfer_to(x, dpctl.SyclQueue("cpu"))
    >>> (x.sycl_device != y.sycl_device) or (x._pointer == y._pointer)
    True
    >>> dpctl.transfer_to(x, "cpu", usm_type="shared").usm_type
    'shared'
    """
    from situ import tensor

    return tensor.asarray(x, queue=queue, usm_type=usm_type)
