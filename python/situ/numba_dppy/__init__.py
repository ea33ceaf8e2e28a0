"""The names that numba-dpex had when it was numba-dppy, over situ's kernels.

>>> from situ import numba_dppy
>>> from situ.kernels import get_global_id
>>> numba_dppy.get_global_id is get_global_id
True
"""

from __future__ import annotations

from situ.kernels import (
    CLK_GLOBAL_MEM_FENCE,
    CLK_LOCAL_MEM_FENCE,
    atomic,
    barrier,
    get_global_id,
    get_global_offset,
    get_global_size,
    get_group_id,
    get_local_id,
    get_local_size,
    get_num_groups,
    local,
    mem_fence,
    offload_to_sycl_device,
    private,
)
from situ.kernels import device_func as func

from ._kernel import DEFAULT_LOCAL_SIZE, kernel

__all__ = [
    "CLK_GLOBAL_MEM_FENCE",
    "CLK_LOCAL_MEM_FENCE",
    "DEFAULT_LOCAL_SIZE",
    "atomic",
    "barrier",
    "func",
    "get_global_id",
    "get_global_offset",
    "get_global_size",
    "get_group_id",
    "get_local_id",
    "get_local_size",
    "get_num_groups",
    "kernel",
    "local",
    "mem_fence",
    "offload_to_sycl_device",
    "private",
]
