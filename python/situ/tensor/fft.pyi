"""Written by tools/stubs.py from the docstrings."""

from collections.abc import Sequence
from typing import SupportsIndex

from situ._native import Queue, ndarray
from situ._typing import DeviceLike, DTypeLike

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

def fft(
    x: ndarray, /, *, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: str | None = "backward"
) -> ndarray: ...
def fft2(
    x: ndarray,
    /,
    *,
    s: SupportsIndex | Sequence[SupportsIndex] | None = None,
    axes: SupportsIndex | Sequence[SupportsIndex] | None = (-2, -1),
    norm: str | None = "backward",
) -> ndarray: ...
def fftfreq(
    n: SupportsIndex,
    /,
    *,
    d: float = 1.0,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    usm_type: str | None = None,
    sycl_queue: Queue | None = None,
    queue: DeviceLike | None = None,
) -> ndarray: ...
def fftn(
    x: ndarray,
    /,
    *,
    s: SupportsIndex | Sequence[SupportsIndex] | None = None,
    axes: SupportsIndex | Sequence[SupportsIndex] | None = None,
    norm: str | None = "backward",
) -> ndarray: ...
def fftshift(x: ndarray, /, *, axes: SupportsIndex | Sequence[SupportsIndex] | None = None) -> ndarray: ...
def hfft(
    x: ndarray, /, *, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: str | None = "backward"
) -> ndarray: ...
def ifft(
    x: ndarray, /, *, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: str | None = "backward"
) -> ndarray: ...
def ifft2(
    x: ndarray,
    /,
    *,
    s: SupportsIndex | Sequence[SupportsIndex] | None = None,
    axes: SupportsIndex | Sequence[SupportsIndex] | None = (-2, -1),
    norm: str | None = "backward",
) -> ndarray: ...
def ifftn(
    x: ndarray,
    /,
    *,
    s: SupportsIndex | Sequence[SupportsIndex] | None = None,
    axes: SupportsIndex | Sequence[SupportsIndex] | None = None,
    norm: str | None = "backward",
) -> ndarray: ...
def ifftshift(x: ndarray, /, *, axes: SupportsIndex | Sequence[SupportsIndex] | None = None) -> ndarray: ...
def ihfft(
    x: ndarray, /, *, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: str | None = "backward"
) -> ndarray: ...
def irfft(
    x: ndarray, /, *, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: str | None = "backward"
) -> ndarray: ...
def irfft2(
    x: ndarray,
    /,
    *,
    s: SupportsIndex | Sequence[SupportsIndex] | None = None,
    axes: SupportsIndex | Sequence[SupportsIndex] | None = (-2, -1),
    norm: str | None = "backward",
) -> ndarray: ...
def irfftn(
    x: ndarray,
    /,
    *,
    s: SupportsIndex | Sequence[SupportsIndex] | None = None,
    axes: SupportsIndex | Sequence[SupportsIndex] | None = None,
    norm: str | None = "backward",
) -> ndarray: ...
def rfft(
    x: ndarray, /, *, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: str | None = "backward"
) -> ndarray: ...
def rfft2(
    x: ndarray,
    /,
    *,
    s: SupportsIndex | Sequence[SupportsIndex] | None = None,
    axes: SupportsIndex | Sequence[SupportsIndex] | None = (-2, -1),
    norm: str | None = "backward",
) -> ndarray: ...
def rfftfreq(
    n: SupportsIndex,
    /,
    *,
    d: float = 1.0,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    usm_type: str | None = None,
    sycl_queue: Queue | None = None,
    queue: DeviceLike | None = None,
) -> ndarray: ...
def rfftn(
    x: ndarray,
    /,
    *,
    s: SupportsIndex | Sequence[SupportsIndex] | None = None,
    axes: SupportsIndex | Sequence[SupportsIndex] | None = None,
    norm: str | None = "backward",
) -> ndarray: ...
