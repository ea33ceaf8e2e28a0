"""What kernels are written with, by numba-dpex's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from situ.kernels import (
    AddressSpace,
    AtomicRef,
    Group,
    Item,
    LocalAccessor,
    MemoryOrder,
    MemoryScope,
    NdItem,
    NdRange,
    PrivateArray,
    Range,
    atomic_fence,
    group_barrier,
)
from situ.kernels._simulator import simulate

__all__ = [
    "AddressSpace",
    "AtomicRef",
    "Group",
    "Item",
    "LocalAccessor",
    "MemoryOrder",
    "MemoryScope",
    "NdItem",
    "NdRange",
    "PrivateArray",
    "Range",
    "atomic_fence",
    "call_kernel",
    "group_barrier",
]


def call_kernel(kernel_fn: Callable[..., None], index_space: Range | NdRange, /, *kernel_args: Any) -> None:
    """Run a kernel in plain Python, work-item by work-item."""
    if not isinstance(index_space, (Range, NdRange)):
        raise ValueError(f"the index space of a kernel is a Range or an NdRange, not {type(index_space).__name__}")
    simulate(kernel_fn, index_space, *kernel_args)
