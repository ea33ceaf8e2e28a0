"""numba-dppy's way to launch a kernel: a global and a local size in brackets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from situ.kernels import Kernel, NdRange

__all__ = ["DEFAULT_LOCAL_SIZE", "kernel"]

#: As a group size, leaves the choice to the device: `kernel[global_size, DEFAULT_LOCAL_SIZE](...)`.
DEFAULT_LOCAL_SIZE: list[int] = []


class _PairedKernel(Kernel):
    """A kernel that takes a pair in brackets as a global and a local size, not as a range of two axes."""

    def __getitem__(self, index_space: Any) -> Callable[..., None]:
        if isinstance(index_space, tuple) and len(index_space) == 2:
            total, local = index_space
            if isinstance(local, list) and not local:
                return super().__getitem__(total)
            return super().__getitem__(NdRange(total, local))
        return super().__getitem__(index_space)


def kernel(function: Callable[..., Any] | None = None) -> Any:
    """Make a kernel of a function, as `situ.kernel` does; launch it by `f[global_size, local_size](...)`."""
    return _PairedKernel if function is None else _PairedKernel(function)
