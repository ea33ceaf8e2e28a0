"""numba-dpex's names over situ's kernels.

A program written for numba-dpex runs on situ when it imports this package in numba-dpex's place, which
`python -m situ.dpctl program.py` does for it. `kernel_api` has what kernels are written with.

>>> import situ
>>> from situ import numba_dpex as dpex
>>> dpex.Range is situ.kernels.Range
True
"""

from __future__ import annotations

from situ.kernels import NdRange, Range, call_kernel

from . import core, kernel_api
from ._decorators import call_kernel_async, device_func, dpjit, kernel, prange
from .core import types as _types
from .core.types import *  # noqa: F403

__all__ = [
    "NdRange",
    "Range",
    "call_kernel",
    "call_kernel_async",
    "core",
    "device_func",
    "dpjit",
    "kernel",
    "kernel_api",
    "prange",
]
__all__ += _types.__all__
