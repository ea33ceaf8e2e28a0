"""Kernels in the languages of devices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._native import Event
from .._native import kernels as native

__all__ = ["RawKernel"]


class RawKernel:
    """A function in the language of the device it runs on: CUDA C for the backend cuda, OpenCL C for opencl.

    It is compiled by the device's compiler at its first launch there, and kept on disk. It runs where its arrays are;
    what it may do with them, and what its parameters are, only its author knows: nothing is checked.

    Parameters:
        source: The text, in which the function is declared `extern "C" __global__`, or `__kernel void` in OpenCL C.
        name: The function's name.
        options: What the compiler is told, as in `("-DTILE=16",)`.

    >>> from situ import kernels, tensor
    >>> scale = kernels.RawKernel(
    ...     '''extern "C" __global__ void scale(float *x, float factor, long long size) {
    ...         long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    ...         if (i < size) x[i] *= factor;
    ...     }''',
    ...     "scale",
    ... )
    >>> x = tensor.ones(1000, dtype="float32", device="cpu")
    >>> scale[4, 256](x, 2.0, 1000)
    Traceback (most recent call last):
    ValueError: kernel scale is a text for a device's own compiler, which devices of the backends cuda (CUDA C) and ...
    """

    def __init__(self, source: str, name: str, options: Sequence[str] = ()) -> None:
        if isinstance(options, str):
            raise TypeError(f"options: expected a tuple of texts, got the text {options!r}; write ({options!r},)")
        self._source, self._name, self._options = source, name, tuple(options)
        self._native = native.RawKernel(source, name, list(options))

    @property
    def name(self) -> str:
        """The function's name."""
        return self._name

    @property
    def code(self) -> str:
        """The text."""
        return self._source

    @property
    def options(self) -> tuple[str, ...]:
        """What the compiler is told."""
        return self._options

    def __call__(
        self,
        grid: int | tuple[int, ...],
        block: int | tuple[int, ...],
        args: tuple[Any, ...],
        *,
        shared_mem: int = 0,
        dependent_events: Sequence[Event] | None = None,
    ) -> Event:
        """Launch over a grid of blocks, and return an event.

        Parameters:
            grid: Blocks along x, y and z.
            block: Threads of a block along x, y and z.
            args: Arrays of situ.tensor, of which the kernel gets the addresses, and numbers: NumPy scalars as they are,
                Python's as `long long`, `double`, a pair of doubles or `bool`.
            shared_mem: Bytes of `extern __shared__` memory of each block; in OpenCL C those of the last parameter, a
                pointer to `__local` memory.
            dependent_events: Events that have to be over before.
        """
        event: Event = self._native.launch(grid, block, tuple(args), shared_mem, dependent_events)
        return event

    def __getitem__(self, geometry: tuple[Any, ...]) -> Callable[..., Event]:
        """Return what launches the kernel over a grid of blocks.

        `f[grid, block](...)`, or `f[grid, block, shared_mem](...)`, takes the kernel's arguments.
        """
        if not isinstance(geometry, tuple) or len(geometry) not in (2, 3):
            raise TypeError(f"kernel {self._name}: write {self._name}[grid, block](...)")
        grid, block, shared_mem = (*geometry, 0)[:3]
        launch = self._native.launch

        def over(*args: Any) -> Event:
            event: Event = launch(grid, block, args, shared_mem, None)
            return event

        return over

    def __repr__(self) -> str:
        return f"<kernel {self._name} for a device's own compiler>"

    def __reduce__(self) -> tuple[Any, ...]:
        return RawKernel, (self._source, self._name, self._options)
