"""Functions as they are traced: what they call of situ's is written down, whatever name they have for it."""

from __future__ import annotations

import builtins
import inspect
import sys
from collections.abc import Iterator
from types import CellType, CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from .._native import Binding, ElementwiseFunction, ndarray
from .trace import leaves, mapped, refuse

if TYPE_CHECKING:
    from .arrays import Tracer


def _root(name: object) -> str:
    return str(name).partition(".")[0]


def _is_left_alone(name: object) -> bool:
    """Tell whether a module is one of Python's or NumPy's, whose functions do not know arrays of situ."""
    root = _root(name)
    return root in sys.stdlib_module_names or root == "numpy"


class TracedModule:
    """A module, or a namespace, whose functions are traced."""

    def __init__(self, tracer: Tracer, module: Any) -> None:
        self.__dict__.update(_tracer=tracer, _module=module)

    def __getattr__(self, name: str) -> Any:
        return rewritten(self._tracer, getattr(self._module, name))


class RefusedKernel:
    """A kernel, which does its work by writing."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel

    def __call__(self, *_: Any) -> Any:
        """Refuse to be launched."""
        name = getattr(self._kernel, "__name__", "")
        refuse(f"the kernel {name} writes to arrays", "launch it outside")

    __getitem__ = __call__


def rewritten(tracer: Tracer, value: Any) -> Any:
    """Return what a traced function sees in place of a value that it did not make."""
    if isinstance(value, ndarray):
        return tracer.given(value)
    if type(value) in (list, tuple, dict):
        return _rewritten_container(tracer, value)
    if isinstance(value, (ModuleType, Binding)):
        return value if _is_left_alone(getattr(value, "__name__", "situ")) else TracedModule(tracer, value)
    if isinstance(value, ElementwiseFunction):
        return tracer.function(value)
    traced = getattr(value, "_traced_function", None)
    if isinstance(traced, FunctionType):
        return rewritten_function(tracer, traced)
    if _root(type(value).__module__) == "situ" and callable(value) and hasattr(value, "__getitem__"):
        return RefusedKernel(value)
    if inspect.isroutine(value):
        home = getattr(value, "__module__", None) or "builtins"
        if _root(home) == "situ":
            return tracer.function(value)
        if isinstance(value, FunctionType) and not _is_left_alone(home):
            return rewritten_function(tracer, value)
    return value


def _rewritten_container(tracer: Tracer, container: Any) -> Any:
    """Return a list, tuple or dictionary with the functions and arrays in it as they are traced; others stay."""
    try:
        is_changed = any(rewritten(tracer, leaf) is not leaf for leaf in leaves(container))
    except RecursionError:
        return container  # It holds itself.
    return mapped(container, lambda leaf: rewritten(tracer, leaf)) if is_changed else container


def rewritten_function(tracer: Tracer, function: FunctionType) -> FunctionType:
    """Return a function of the user's with other globals, closures and defaults."""
    known: FunctionType | None = tracer.functions.get(function)
    if known is not None:
        return known
    names = dict(function.__globals__)
    # A function keeps the built-in functions that it finds in its globals when it is made.
    own = dict(vars(builtins))
    own["__import__"] = lambda *args, **options: rewritten(tracer, builtins.__import__(*args, **options))
    names["__builtins__"] = own
    cells = tuple(CellType() for _ in function.__closure__ or ())
    made = FunctionType(function.__code__, names, function.__name__, None, cells)
    # Before the rest, in which it may occur itself.
    tracer.functions[function] = made
    for name in set(_names(function.__code__)) & names.keys():
        names[name] = rewritten(tracer, names[name])
    for cell, original in zip(cells, function.__closure__ or (), strict=True):
        try:
            cell.cell_contents = rewritten(tracer, original.cell_contents)
        except ValueError:
            pass  # It has no value yet, and no code that is traced can give it one.
    if function.__defaults__ is not None:
        made.__defaults__ = tuple(rewritten(tracer, each) for each in function.__defaults__)
    if function.__kwdefaults__ is not None:
        made.__kwdefaults__ = {name: rewritten(tracer, each) for name, each in function.__kwdefaults__.items()}
    return made


def _names(code: CodeType) -> Iterator[str]:
    """Yield the global names in code and in the code inside of it."""
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)
