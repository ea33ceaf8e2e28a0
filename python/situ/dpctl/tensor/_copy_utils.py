"""Indexing with several arrays at once.

>>> from situ.dpctl import tensor
>>> from situ.dpctl.tensor import _copy_utils
>>> x = tensor.arange(6)
>>> _copy_utils._take_multi_index(x, (tensor.asarray([4, 0]),), 0)
ndarray([4, 0])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from situ import tensor


def _take_multi_index(ary: Any, inds: Sequence[Any], p: int, mode: int = 0) -> Any:
    """Return the elements at index arrays for consecutive axes, the first of which is `p`."""
    if not isinstance(ary, tensor.ndarray):
        raise TypeError(f"ary: expected an array, got {type(ary).__name__}")
    if mode not in (0, 1):
        raise ValueError(f"mode: expected 0 (wrap) or 1 (clip), got {mode!r}")
    if not 0 <= p <= ary.ndim:
        raise ValueError(f"p: expected an axis of the array, got {p}")
    if not any(isinstance(each, tensor.ndarray) for each in inds):
        raise TypeError("inds: expected at least one array of indices")
    return ary[(slice(None),) * p + tuple(inds)]
