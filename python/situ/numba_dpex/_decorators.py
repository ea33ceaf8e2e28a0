"""numba-dpex's decorators, which may be given signatures."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import FunctionType
from typing import Any

import situ
from situ import kernels

from .core.exceptions import InvalidKernelSpecializationError

__all__ = ["call_kernel_async", "device_func", "dpjit", "kernel", "prange"]

#: Which options of numba-dpex's mean something here.
_OPTIONS = frozenset({"debug"})
#: What a parallel loop goes over.
prange = range


def _decorator(decorate: Callable[..., Any], function_or_signature: Any, options: dict[str, Any]) -> Any:
    """Decorate a function, or return what does if there are only signatures or options so far."""
    known = {name: value for name, value in options.items() if name in _OPTIONS}
    if isinstance(function_or_signature, FunctionType):
        return decorate(**known)(function_or_signature)
    signatures = function_or_signature if isinstance(function_or_signature, list) else [function_or_signature]
    for signature in signatures:
        _check(signature)

    def later(function: Any) -> Any:
        if not isinstance(function, FunctionType):
            raise ValueError(f"only functions can be decorated, not a {type(function).__name__}")
        return decorate(**known)(function)

    return later


def _check(signature: Any) -> None:
    """Raise if a kernel cannot be specialised for a signature."""
    if isinstance(signature, str):
        # As numba-dpex does.
        raise NotImplementedError("signatures are tuples of types; as strings they are not supported")
    if signature is not None and not isinstance(signature, tuple):
        raise ValueError(f"only functions can be decorated, not a {type(signature).__name__}")
    for each in signature or ():
        if type(each).__module__.partition(".")[0] == "numba" and "Array" in type(each).__name__:
            raise InvalidKernelSpecializationError(f"{each} is a NumPy array; kernels take arrays that have a queue")


def kernel(function_or_signature: Any = None, **options: Any) -> Any:
    """Make a kernel of a function.

    Signatures are checked and otherwise left aside: a kernel is compiled for whatever types it is launched with.
    """
    return _decorator(kernels.kernel, function_or_signature, options)


def device_func(function_or_signature: Any = None, **options: Any) -> Any:
    """Make a function that kernels can call."""
    return _decorator(kernels.device_func, function_or_signature, {})


def call_kernel_async(
    kernel_fn: Any, index_space: Any, dependent_events: tuple[situ.Event, ...], /, *kernel_args: Any
) -> tuple[situ.Event, situ.Event]:
    """Launch a kernel after some events; return two events that are over when it is."""
    if not isinstance(dependent_events, tuple):
        raise TypeError(f"the events before a kernel are a tuple, not a {type(dependent_events).__name__}")
    return kernels.call_kernel_async(kernel_fn, index_space, dependent_events, *kernel_args)


def dpjit(*args: Any, **options: Any) -> Any:
    """Compile a function over arrays, as `situ.njit` does."""
    for name in options:
        warnings.warn(f"dpjit ignores the option {name}", RuntimeWarning, stacklevel=2)
    return situ.njit(*args)
