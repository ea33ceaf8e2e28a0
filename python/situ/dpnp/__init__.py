"""The part of dpnp that programs with kernels use: everything of `situ.tensor`, and a few names more.

Arrays are situ's own: `dpnp.ndarray` is `situ.tensor.usm_ndarray`.

>>> from situ import dpnp, tensor
>>> dpnp.ndarray is tensor.usm_ndarray, dpnp.arange is tensor.arange
(True, True)
"""

from __future__ import annotations

from typing import Any as _Any

from situ import tensor as _tensor

from . import fft, linalg, random
from ._functions import array_equal, get_usm_ndarray

__all__ = ["array", "array_equal", "fft", "get_usm_ndarray", "linalg", "ndarray", "random", "single", "true_divide"]

array = _tensor.asarray
ndarray = _tensor.usm_ndarray
single = _tensor.float32
true_divide = _tensor.divide


def __getattr__(name: str) -> _Any:
    return getattr(_tensor, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_tensor)})
