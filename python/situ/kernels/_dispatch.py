"""Kernels as Python sees them: functions that are compiled for the types of their arguments, and launched."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, overload

import numpy as np

from .._native import Event, ndarray
from .._native import kernels as native
from .._offload import FollowsData
from ._arguments import HostArrays, described, parameter, prepared, specified, with_locals
from ._compile import DeviceSource, Parameter, Source, compile_kernel
from ._memory import LocalAccessor
from ._parameters import Parameters
from ._ranges import MAX_AXES, NdRange

__all__ = ["CacheInfo", "DeviceFunction", "Kernel", "call_kernel", "call_kernel_async", "device_func", "kernel"]


class Options(NamedTuple):
    """How a kernel is compiled."""

    debug: bool = False
    contract: bool = True


class CacheInfo(NamedTuple):
    """How often a kernel was found compiled, and how many times it was compiled."""

    hits: int
    misses: int
    currsize: int


class _Function(FollowsData):
    """A Python function and what the compiler makes of it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)  # type: ignore[arg-type]  # it is called in its own ways
        self.py_func = function
        self._source: Source | None = None

    def get_source(self) -> Source:
        """Return the source of the function."""
        if self._source is None:
            self._source = Source(self.py_func)
        return self._source

    def __reduce__(self) -> str:
        # By its name, as functions are pickled.
        return self.py_func.__qualname__


class DeviceFunction(_Function, DeviceSource):
    """A function that kernels call. It becomes part of each of them."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function in plain Python, as the simulator does."""
        return self.py_func(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<device function {self.py_func.__qualname__}>"


class Kernel(_Function):
    """A function that runs once for every work-item of a range."""

    def __init__(self, function: Callable[..., Any], options: Options = Options()) -> None:  # noqa: B008
        super().__init__(function)
        self._options = options
        self._cache = native.Cache()
        self._lock = threading.Lock()
        self._compiled: dict[bytes, tuple[Any, list[Parameter]]] = {}
        self._parameters: Parameters | None = None

    # It has brackets, but no elements.
    __iter__ = None
    __contains__ = None

    def __repr__(self) -> str:
        return f"<kernel {self.py_func.__qualname__}>"

    def __getitem__(self, index_space: Any) -> Callable[..., None]:
        """Return what launches the kernel over a range: an int, a tuple of 1 to 3 ints, a Range or an NdRange.

        Two tuples are an NdRange.
        """
        if type(index_space) is tuple and len(index_space) == 2 and isinstance(index_space[0], tuple):
            index_space = NdRange(*index_space)
        global_, local = _split(index_space)
        launcher: Callable[..., None] = native.Launcher(self._cache, global_, local, index_space, self._launch)
        return launcher

    def __call__(self, /, *args: Any, **named: Any) -> None:
        """Launch the kernel over the shape that its array arguments have in common."""
        shapes = {arg.shape for arg in (*args, *named.values()) if isinstance(arg, (ndarray, np.ndarray))}
        if len(shapes) > 1:
            listed = ", ".join(map(str, sorted(shapes)))
            raise ValueError(f"{self._name}: the arrays have different shapes ({listed}); give a range: {self._form}")
        for shape in shapes:
            if not 1 <= len(shape) <= MAX_AXES:
                raise ValueError(
                    f"{self._name}: the arrays have {len(shape)} axes, and a range has 1 to {MAX_AXES}; give a range: "
                    f"{self._form}"
                )
        self._launch(shapes.pop() if shapes else 1, args, named)

    @property
    def _name(self) -> str:
        return f"kernel {self.py_func.__name__}"

    @property
    def _form(self) -> str:
        return f"{self.py_func.__name__}[range](...)"

    def _launch(
        self,
        index_space: Any,
        args: tuple[Any, ...],
        named: Mapping[str, Any],
        after: Sequence[Event] | None = None,
    ) -> Event:
        global_, local = _split(index_space)
        event = None if named else self._cache.launch(global_, local, args, after)
        if event is None and not named and any(type(arg) is LocalAccessor for arg in args):
            event = self._cache.launch(global_, local, with_locals(args), after)
        return self._launch_new(global_, local, args, named, after) if event is None else event

    def _launch_new(
        self, global_: Any, local: Any, args: tuple[Any, ...], named: Mapping[str, Any], after: Any
    ) -> Event:
        """Launch with arguments that have to be put in order or moved, or for which there is no kernel yet."""
        item, names, args = self._bound(args, named, local is not None)
        host = HostArrays(self._name, names)
        moved = prepared(self._name, names, with_locals(args), host)
        compiled = self._specialised(names, moved, _axes(global_), local is not None, item)
        host.check(compiled.written)
        event: Event = self._cache.launch(global_, local, moved, after)
        host.copy_back(compiled.written)
        return event

    def _bound(
        self, args: tuple[Any, ...], named: Mapping[str, Any], has_groups: bool
    ) -> tuple[str | None, list[str], tuple[Any, ...]]:
        """Return the class of the item, if there is one, and the names and arguments of the other parameters."""
        if self._parameters is None:
            source = self.get_source()
            self._parameters = Parameters(source.function, source.node)
        has_item, names, args = self._parameters.bind(args, named)
        return ("NdItem" if has_groups else "Item") if has_item else None, names, args

    def _specialised(
        self, names: list[str], args: tuple[Any, ...], axes: int, has_groups: bool, item: str | None
    ) -> Any:
        """Return the kernel for the types of some arguments, compiled if there is none yet."""
        key = self._cache.key(axes, has_groups, args)
        if key not in self._compiled:
            parameters = [parameter(self._name, *pair) for pair in zip(names, args, strict=True)]
            # Outside of the lock: it reads properties of the program's own objects, which may launch kernels.
            compiled = compile_kernel(self.get_source(), parameters, axes, item, self._options)
            with self._lock:
                if key not in self._compiled:
                    self._cache.insert(key, compiled)
                    self._compiled[key] = compiled, parameters
        return self._compiled[key][0]

    def inspect(self, *args: Any, kind: str = "ir", index_space: Any = None) -> str:
        """Return what the kernel is compiled to for some arguments.

        Parameters:
            args: Arguments as for a launch. A dtype stands for a number, and a tuple of a dtype and a number of axes
                for an array.
            kind: "ir", which is the same for every device, "cuda" or "opencl": the text in that language, for arrays
                without gaps whose sizes fit in 32 bits. The library's functions that it calls are left out.
            index_space: The range; by default the common shape of the arrays, or one axis.

        >>> from situ import kernels
        >>> @kernels.kernel
        ... def double(x):
        ...     i = kernels.get_global_id(0)
        ...     x[i] = 2 * x[i]
        >>> print(double.inspect(("float32", 1)))
        kernel double over 1 axis (x: float32[1]) {
          %0 = global_id 0: int64
          %1 = x[%0]: float32
          %2 = constant F32(2.0): float32
          %3 = multiply %2 %1: float32
          x[%0] = %3
        }
        """
        if kind not in ("ir", "cuda", "opencl"):
            raise ValueError(f"kind: expected 'ir', 'cuda' or 'opencl', got {kind!r}")
        has_groups = isinstance(index_space, NdRange)
        item, names, args = self._bound(args, {}, has_groups)
        parameters = [specified(self._name, *pair) for pair in zip(names, args, strict=True)]
        if index_space is not None:
            axes = _axes(index_space.global_range if has_groups else index_space)
        else:
            ranks = {each.ndim for each in parameters if each.kind == "array"}
            axes = ranks.pop() if len(ranks) == 1 and ranks <= {1, 2, 3} else 1
        compiled = compile_kernel(self.get_source(), parameters, axes, item, self._options)
        return str(compiled) if kind == "ir" else compiled.text(kind)

    @property
    def signatures(self) -> list[tuple[str, ...]]:
        """The types that the kernel has been compiled for."""
        return [tuple(map(described, parameters)) for _, parameters in self._compiled.values()]

    def cache_info(self) -> CacheInfo:
        """Return how often a launch found the kernel compiled, how often it did not, and how many there are."""
        return CacheInfo(self._cache.hits - len(self._compiled), len(self._compiled), len(self._compiled))

    def simulate(self, index_space: Any, /, *args: Any, **named: Any) -> None:
        """Run the kernel in plain Python, work-item by work-item, for a debugger and for tests."""
        from ._simulator import simulate

        simulate(self.py_func, index_space, *args, **named)


def _split(index_space: Any) -> tuple[Any, Any]:
    """Return the work-items of a range, and those of a group if there are groups."""
    if isinstance(index_space, NdRange):
        return index_space.global_range, index_space.local_range
    return index_space, None


def _axes(global_: Any) -> int:
    return len(global_) if isinstance(global_, tuple) else 1


@overload
def kernel(function: Callable[..., Any], /) -> Kernel: ...


@overload
def kernel(
    function: None = None, /, *, debug: bool = False, contract: bool = True
) -> Callable[[Callable[..., Any]], Kernel]: ...


def kernel(
    function: Callable[..., Any] | None = None, /, *, debug: bool = False, contract: bool = True
) -> Kernel | Callable[[Callable[..., Any]], Kernel]:
    """Make a kernel of a function: it runs once for every work-item of a range, where its arrays are.

    Parameters:
        debug: Check indices, integer divisors and barriers, and raise `KernelFault` where one is wrong. Without it an
            index outside of an array is undefined.
        contract: Let a product and the sum it goes into be rounded once. Without it results have the same bits on every
            device.

    >>> from situ import kernels, tensor
    >>> @kernels.kernel
    ... def add(a, b, c):
    ...     i = kernels.get_global_id(0)
    ...     c[i] = a[i] + b[i]
    >>> a, c = tensor.arange(4), tensor.zeros(4, dtype=int)
    >>> add[4](a, a, c)
    >>> c
    ndarray([0, 2, 4, 6])
    """
    if function is None:
        return lambda function: _with(function, debug, contract)
    return _with(function, debug, contract)


def _with(function: Callable[..., Any], debug: bool, contract: bool) -> Kernel:
    if not callable(function):
        raise ValueError(f"a kernel is made of a function, not of a {type(function).__name__}")
    return Kernel(function, Options(bool(debug), bool(contract)))


@overload
def device_func(function: Callable[..., Any], /) -> DeviceFunction: ...


@overload
def device_func(function: None = None, /) -> Callable[[Callable[..., Any]], DeviceFunction]: ...


def device_func(
    function: Callable[..., Any] | None = None, /
) -> DeviceFunction | Callable[[Callable[..., Any]], DeviceFunction]:
    """Make a function one that kernels can call.

    >>> from situ import kernels, tensor
    >>> @kernels.device_func
    ... def square(x):
    ...     return x * x
    >>> @kernels.kernel
    ... def squares(a):
    ...     i = kernels.get_global_id(0)
    ...     a[i] = square(a[i])
    >>> a = tensor.arange(4)
    >>> squares(a)
    >>> a
    ndarray([0, 1, 4, 9])
    """
    if function is None:
        return DeviceFunction
    return DeviceFunction(function)


def _checked(kernel_fn: Any) -> Kernel:
    if not isinstance(kernel_fn, Kernel):
        raise TypeError(f"kernel_fn: expected a function under @situ.kernel, got {type(kernel_fn).__name__}")
    return kernel_fn


def call_kernel(kernel_fn: Kernel, index_space: Any, /, *args: Any) -> None:
    """Launch a kernel over a range and wait until it is done.

    >>> from situ import kernels, tensor
    >>> @kernels.kernel
    ... def fill(item, x):
    ...     x[item.get_id(0)] = 7
    >>> x = tensor.zeros(3)
    >>> kernels.call_kernel(fill, kernels.Range(3), x)
    >>> x
    ndarray([7., 7., 7.])
    """
    _checked(kernel_fn)._launch(index_space, args, {}).wait()


def call_kernel_async(
    kernel_fn: Kernel, index_space: Any, dependent_events: Sequence[Event], /, *args: Any
) -> tuple[Event, Event]:
    """Launch a kernel over a range once some events are over; return an event for the arguments and one for the kernel.

    >>> from situ import kernels, tensor
    >>> @kernels.kernel
    ... def fill(item, x):
    ...     x[item.get_id(0)] = 7
    >>> x = tensor.zeros(3)
    >>> host, device = kernels.call_kernel_async(fill, kernels.Range(3), (), x)
    >>> device.wait()
    >>> x
    ndarray([7., 7., 7.])
    """
    event = _checked(kernel_fn)._launch(index_space, args, {}, dependent_events)
    return event, event
