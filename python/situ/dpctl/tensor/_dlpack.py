"""DLPack's capsules by themselves.

>>> from situ.dpctl import tensor
>>> from situ.dpctl.tensor import _dlpack
>>> x = tensor.arange(3, device="cpu")
>>> _dlpack.from_dlpack_capsule(x.__dlpack__())
ndarray([0, 1, 2])
"""

from __future__ import annotations

from typing import Any

from situ.tensor import DLDeviceType, from_dlpack

DLPackCreationError = BufferError


class _Exporter:
    """Hands out one capsule, of memory on the host."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **request: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return DLDeviceType.kDLCPU, 0


def from_dlpack_capsule(py_caps: Any) -> Any:
    """Return the array over the host memory of a capsule, which is used up by this."""
    return from_dlpack(_Exporter(py_caps))


def get_build_dlpack_version() -> tuple[int, int]:
    """Return the version of DLPack that situ speaks."""
    return 1, 1
