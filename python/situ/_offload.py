"""Packages whose functions all run on one queue.

`situ.utils.make_offload` gives a package its `offload_to`, which returns the package once more as a `Namespace`: the
same names, bound to a queue. Nothing global is set, so that any number of namespaces live beside each other.
"""

from __future__ import annotations

import enum
import functools
import importlib
import inspect
import operator
import pickle
import sys
import types
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from ._native import ArrayDevice, Binding, Device, ElementwiseFunction, ExecutionPlacementError, Queue, ndarray
from ._scope import enter_queue, leave_queue

#: The keywords by which functions of arrays are told where to put a result.
_PLACES = ("device", "sycl_queue", "queue")


def _new_queue(target: Queue | Device | ArrayDevice | str) -> Queue:
    """Return the queue that a namespace for this target computes on: one of its own, unless it is told which."""
    if isinstance(target, Queue):
        return target
    if isinstance(target, ArrayDevice):
        return target.sycl_queue
    if isinstance(target, Device):
        return Queue(target)
    if isinstance(target, str):
        return Queue(Device(target))
    raise TypeError(f"target: expected a Queue, a Device or a selector string, got {type(target).__name__}")


#: Which parameters functions of arrays write to, apart from `out`.
_WRITTEN = {"place": "arr", "put": "x", "put_along_axis": "x"}
#: Which parameters functions of arrays take from the host themselves, so that nothing need be brought.
_FROM_HOST = {"asarray": "obj", "from_numpy": "np_ary", "full": "fill_value", "full_like": "fill_value"}


def _special_arguments(function: Callable[..., Any], is_of_arrays: bool) -> tuple[int, int]:
    """Return which positional arguments are written to, and which taken from the host as they are, a bit for each."""
    try:
        parameters = list(inspect.signature(function).parameters)[:32]
    except (TypeError, ValueError):
        return 0, 0
    name = getattr(function, "__name__", "") if is_of_arrays else ""

    def bits(*names: str | None) -> int:
        return sum(1 << n for n, each in enumerate(parameters) if each in names)

    return bits("out", _WRITTEN.get(name)), bits(_FROM_HOST.get(name))


class FollowsData:
    """What runs where its arguments are, in a namespace as elsewhere: kernels, which write to their arguments."""


def _same(value: Any) -> Any:
    return value


class Namespace(Binding):
    """The public names of a package, its functions bound to one queue. `offload_to` makes it.

    A function of the namespace first brings its operands to the queue: arrays of NumPy, and arrays of other queues,
    also in lists and tuples and as keywords, and in dicts and tuples with names where the package is none of arrays.
    Inside one context nothing is copied. What it creates is on the queue, too. Constants, dtypes, exceptions, kernels
    and the like are those of the package, submodules are namespaces on the same queue.

    Where the package is a namespace of arrays (it has `__array_namespace_info__`), results belong to the namespace:
    `x.__array_namespace__()` returns it, and operators and methods of the array are its own. Classes are then the
    package's, but for that of arrays, which makes them on the queue. In any other package a class is a subclass of the
    package's, whose public methods run on the queue.

    >>> from situ import tensor
    >>> here = tensor.offload_to("cpu")
    >>> x = here.ones(3)
    >>> x.__array_namespace__() is (x + 1).__array_namespace__() is here
    True
    >>> here.get_queue() == x.sycl_queue
    True
    """

    _module: ModuleType
    _queue: Queue
    #: The namespace of arrays that this one is a part of, or else itself.
    _whole: Namespace

    def __new__(cls, module: ModuleType, queue: Queue, whole: Namespace | None = None) -> Namespace:
        self = super().__new__(cls, queue, hasattr(module, "__array_namespace_info__"))
        self.__dict__.update(_module=module, _queue=queue, _whole=whole if whole is not None else self)
        return self

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self!r} is fixed; make another one with offload_to")

    @property
    def _is_of_arrays(self) -> bool:
        return hasattr(self._whole._module, "__array_namespace_info__")

    def get_queue(self) -> Queue:
        """Return the queue that everything runs on."""
        return self._queue

    def __getattr__(self, name: str) -> Any:
        try:
            value = getattr(self._module, name)
        except AttributeError:
            raise AttributeError(f"{self!r} has no attribute {name!r}") from None
        if name.startswith("_") and not name.endswith("__"):
            raise AttributeError(f"{self!r} has public names only, not {name!r}")
        # Kept, so that it is the same thing every time, and found without this method.
        return self.__dict__.setdefault(name, self._bound(value))

    def __dir__(self) -> list[str]:
        names = getattr(self._module, "__all__", None)
        public = names if names is not None else [name for name in dir(self._module) if not name.startswith("_")]
        return sorted({*public, "get_queue"})

    def __repr__(self) -> str:
        device = repr(self._queue).removesuffix(">").partition(" on ")[2]
        return f"<{self._module.__name__} on {device}, queue {self._queue.addressof_ref():#x}>"

    def __copy__(self) -> Namespace:
        return self

    def __deepcopy__(self, memo: object) -> Namespace:
        return self

    def __reduce__(self) -> tuple[Callable[..., Namespace], tuple[str, str, tuple[str, ...]]]:
        device = self._queue.sycl_device
        if device.parent_device is not None:
            raise pickle.PicklingError(
                f"{self!r} is on a part of a device, which has no name that another process could find it by; "
                "create the part there, and call offload_to"
            )
        return _restored, (self._module.__name__, _name_of(device), _properties(self._queue))

    def _bound(self, value: Any) -> Any:
        """Return what stands for a member of the package."""
        if isinstance(value, ModuleType):
            whole = self._whole if self._is_of_arrays else None
            return Namespace(value, self._queue, whole) if _is_within(value.__name__, self._module) else value
        if isinstance(value, FollowsData):
            return value
        if isinstance(value, type):
            if self._is_of_arrays and issubclass(value, ndarray):
                return self._class_of_arrays(value)
            does_work = not self._is_of_arrays and _is_within(value.__module__, self._module)
            return self._bound_class(value) if does_work else value
        if self._is_of_arrays and value is self._whole._module.__array_namespace_info__:
            return lambda: self._bound_class(type(value()))()
        if inspect.isroutine(value) or isinstance(value, ElementwiseFunction) or hasattr(value, "__wrapped__"):
            return self._bound_function(value)
        return value

    def _bound_function(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that runs on the queue."""
        queue, call, is_of_arrays = self._queue, self._whole._call, self._is_of_arrays
        written, taken = _special_arguments(function, is_of_arrays)

        @functools.wraps(function)
        def bound(*args: Any, **options: Any) -> Any:
            if options and is_of_arrays:
                self._refuse_other_places(function, options)
            token = enter_queue(queue)
            try:
                if not is_of_arrays:
                    args, options = self._with_contents(args, options)
                return call(function, written, taken, args, options)
            finally:
                leave_queue(token)

        if isinstance(function, ElementwiseFunction):
            bound.__dict__.update(nin=function.nin, nout=function.nout, types=function.types)
        return bound

    def _refuse_other_places(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        """Raise an exception if keywords ask for another queue or device than the namespace's."""
        for name in _PLACES:
            place = options.get(name)
            if place is None:
                continue
            if isinstance(place, (Queue, ArrayDevice)):
                is_here = place == self._queue
            else:
                is_here = isinstance(place, (str, Device)) and Device(place) == self._queue.sycl_device
            if not is_here:
                raise ExecutionPlacementError(
                    f"{function.__name__}: {name}={place!r} is not where this namespace computes, {self!r}; "
                    f"leave it out, or call {self._module.__name__}.{function.__name__}"
                )

    def _with_contents(self, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return arguments with the arrays in containers on the queue. Others are left: they may be written to."""

        def brought(value: Any) -> Any:
            return self._brought(value) if isinstance(value, (dict, list, tuple)) else value

        return tuple(map(brought, args)), {name: brought(value) for name, value in options.items()}

    def _brought(self, value: Any) -> Any:
        """Return a value with the arrays in it on the queue: those of tuples with names and of dicts, too."""
        kind = type(value)
        if kind is dict:
            items = [self._brought(each) for each in value.values()]
            is_same = all(map(operator.is_, items, value.values()))
            return value if is_same else dict(zip(value, items, strict=True))
        if kind in (list, tuple) or isinstance(value, tuple) and hasattr(value, "_make"):
            items = [self._brought(each) for each in value]
            if all(map(operator.is_, items, value)):
                return value
            return kind(items) if kind in (list, tuple) else value._make(items)
        return self._call(_same, 0, 0, (value,), {})

    def _class_of_arrays(self, cls: type) -> type:
        """Return a subclass that makes arrays of the class, on the queue; all arrays of the class are instances."""

        class Bound(type):
            def __call__(this, *args: Any, **options: Any) -> Any:  # noqa: N805
                self._refuse_other_places(cls, options)
                make = cls if this is bound else super().__call__
                token = enter_queue(self._queue)
                try:
                    made = make(*args, **options)
                    return self._call(_same, 0, 0, (made,), {}) if this is bound else made
                finally:
                    leave_queue(token)

            def __instancecheck__(this, instance: object) -> bool:  # noqa: N805
                return isinstance(instance, cls) if this is bound else super().__instancecheck__(instance)

        bound = Bound(cls.__name__, (cls,), {"__module__": cls.__module__, "__doc__": cls.__doc__})
        return bound

    def _bound_class(self, cls: type) -> type:
        """Return a subclass whose methods run on the queue."""
        if issubclass(cls, (BaseException, enum.Enum, tuple)):
            return cls
        body: dict[str, Any] = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
        for base in reversed(cls.__mro__):
            if _is_within(base.__module__, self._module):
                body.update((name, self._bound_member(each)) for name, each in vars(base).items() if _is_method(name))
        try:
            return types.new_class(cls.__name__, (cls,), exec_body=lambda members: members.update(body))
        except TypeError:
            return cls  # it refuses to be subclassed

    def _bound_member(self, member: Any) -> Any:
        """Return what stands for a member of a class."""
        if isinstance(member, staticmethod):
            return staticmethod(self._bound_function(member.__func__))
        if isinstance(member, classmethod):
            return classmethod(self._bound_member(member.__func__))
        if isinstance(member, property):
            get, put, delete = (each and self._bound_member(each) for each in (member.fget, member.fset, member.fdel))
            return property(get, put, delete, member.__doc__)
        if not isinstance(member, FunctionType):
            return member
        queue, call = self._queue, self._call

        @functools.wraps(member)
        def bound(this: Any, /, *args: Any, **options: Any) -> Any:
            token = enter_queue(queue)
            try:
                args, options = self._with_contents(args, options)
                return call(member.__get__(this), 0, 0, args, options)
            finally:
                leave_queue(token)

        return bound


def _is_method(name: str) -> bool:
    return not name.startswith("_") or name in ("__init__", "__call__")


def _is_within(name: str, module: ModuleType) -> bool:
    """Tell whether a module belongs to the same package as another."""
    return name.partition(".")[0] == module.__name__.partition(".")[0]


def _name_of(device: Device) -> str:
    # The type of the null device is none that a selector could name.
    return device.get_filter_string(True, device.device_type.name != "custom")


def _properties(queue: Queue) -> tuple[str, ...]:
    found = {"in_order": queue.is_in_order, "enable_profiling": queue.has_enable_profiling}
    return tuple(name for name, is_set in found.items() if is_set)


def _restored(module: str, device: str, properties: tuple[str, ...]) -> Namespace:
    """Unpickle: the namespace on a new queue with the same properties, on the device of that name."""
    return Namespace(importlib.import_module(module), Queue(Device(device), property=properties))


def make_offload(module: ModuleType | str) -> Callable[[Queue | Device | ArrayDevice | str], Namespace]:
    """Return an `offload_to` for a package: one line gives it explicit control of where it computes.

    In the package write ``offload_to = situ.utils.make_offload(__name__)``. Users then call
    ``gpu = package.offload_to("gpu")`` and use `gpu` in place of the package. Every public function of it, and every
    method of its classes, brings its operands to one queue and creates there what it creates. A selector or a device
    gets a queue of its own, made by that call; a queue is used as it is. See `docs/where-does-it-run.md`.

    Operands that were elsewhere are copies: a function that writes into its arguments writes into these. Kernels are
    passed on as they are, and run where their arrays are. Generators and coroutines run where they are resumed, in the
    scope of whoever does.

    >>> import sys, types
    >>> import situ
    >>> from situ import tensor
    >>> package = sys.modules["package"] = types.ModuleType("package")
    >>> package.halves = lambda x: x * tensor.full(x.shape, 0.5)
    >>> package.offload_to = situ.utils.make_offload("package")
    >>> queue = situ.Queue("cpu")
    >>> there = package.offload_to(queue)
    >>> there.halves(tensor.arange(3)).sycl_queue == queue
    True
    """
    if isinstance(module, ModuleType):
        name = module.__name__
    elif not isinstance(module, str):
        raise TypeError(f"module: expected a module or the name of one, got {type(module).__name__}")
    elif module not in sys.modules:
        raise ValueError(f"module: {module!r} is not imported; in the package write make_offload(__name__)")
    else:
        name = module

    def offload_to(target: Queue | Device | ArrayDevice | str, /) -> Namespace:
        return Namespace(module if isinstance(module, ModuleType) else sys.modules[name], _new_queue(target))

    offload_to.__module__ = name
    offload_to.__qualname__ = "offload_to"
    offload_to.__doc__ = f"""Return `{name}` once more, with every function bound to one queue, fixed by this call.

    A selector string or a device gets a new queue; a queue is used as it is. Operands of the functions are brought
    there first, results stay there.

    >>> import {name}
    >>> namespace = {name}.offload_to("cpu")
    >>> namespace.get_queue().sycl_device.is_cpu
    True
    """
    return offload_to
