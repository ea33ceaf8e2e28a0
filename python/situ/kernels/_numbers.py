"""What names mean inside of a simulated kernel: functions of `math` and `situ.tensor` over numbers of any dtype."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, reduce
from types import CellType, FunctionType, ModuleType
from typing import Any, TypeAlias

import numpy as np

import situ
from situ import tensor

from ._extremes import greater_of, lesser_of

__all__ = ["in_kernel"]

#: Functions of `math` and NumPy that arrays know by another name.
_ALIASES = {"absolute": "abs", "fabs": "abs"}
#: Functions that were asked for, and what stands for them.
Known: TypeAlias = dict[FunctionType, FunctionType]
#: Those whose results are Python's, not of the dtype of their argument.
_INTEGRAL = frozenset({"ceil", "floor", "trunc"})
#: Those that are something else than the function of arrays of their name.
_NOT_OF_ARRAYS = _INTEGRAL | {"remainder"}
_INTEGERS = (int, np.integer, np.bool_)


@lru_cache(maxsize=1)
def _queue() -> situ.Queue:
    """Return where the simulator computes: the CPU, whatever the default device is."""
    return situ.Queue(situ.Device("cpu"))


def _elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of arrays as one of numbers: Python's are weak, NumPy's have their dtypes."""

    def of_numbers(*numbers: Any) -> Any:
        is_weak = not any(isinstance(number, np.generic) for number in numbers)
        operands = [
            tensor.asarray(number, sycl_queue=_queue()) if is_weak or isinstance(number, np.generic) else number
            for number in numbers
        ]
        result = tensor.asnumpy(function(*operands))[()]
        return result.item() if is_weak else result

    return of_numbers


def _of_math(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of `math` that computes in the dtype of its arguments."""
    if name in _OTHERWISE:
        return _OTHERWISE[name]
    over_arrays = getattr(tensor, _ALIASES.get(name, name), None)
    if over_arrays is not None and name not in _NOT_OF_ARRAYS:
        return _of_floats(over_arrays)

    def of_numbers(*numbers: Any) -> Any:
        dtypes = [number.dtype for number in numbers if isinstance(number, np.floating)]
        of = np.result_type(*dtypes).type if dtypes else lambda number: number
        result = function(*(_item(of(number)) for number in numbers))
        return of(result) if isinstance(result, float) else result

    return of_numbers


def _item(number: Any) -> Any:
    return number.item() if isinstance(number, np.generic) else number


def _float(number: Any) -> Any:
    """Return a number as a float: an integer of any dtype is as good as a Python float."""
    return float(number) if isinstance(number, _INTEGERS) else number


def _of_floats(over_arrays: Callable[..., Any]) -> Callable[..., Any]:
    of_numbers = _elementwise(over_arrays)
    return lambda *numbers: of_numbers(*map(_float, numbers))


def _log(x: Any, *base: Any) -> Any:
    logarithms = [_of_floats(tensor.log)(number) for number in (x, *base)]
    return reduce(lambda one, other: one / other, logarithms)


def _hypot(*sides: Any) -> Any:
    return reduce(_of_floats(tensor.hypot), sides[1:], abs(_float(sides[0]))) if sides else 0.0


def _is_close(a: Any, b: Any, *, rel_tol: Any = 1e-9, abs_tol: Any = 0.0) -> bool:
    a, b = _float(a), _float(b)
    if a == b or math.isinf(a) or math.isinf(b):
        return bool(a == b)
    return any(abs(a - b) <= limit for limit in (abs(rel_tol * a), abs(rel_tol * b), abs_tol))


#: Functions of `math` that take other arguments than the arrays' function of that name, which there may be.
_OTHERWISE: dict[str, Callable[..., Any]] = {"log": _log, "hypot": _hypot, "isclose": _is_close}


def _where(condition: Any, x1: Any, x2: Any) -> Any:
    chosen = x1 if condition else x2
    if not isinstance(x1, np.generic) and not isinstance(x2, np.generic):
        return chosen
    return np.result_type(x1, x2).type(chosen)


def _clip(x: Any, min: Any = None, max: Any = None) -> Any:
    array, least, most = [
        tensor.asarray(number, sycl_queue=_queue()) if isinstance(number, np.generic) or number is x else number
        for number in (x, min, max)
    ]
    result = tensor.asnumpy(tensor.clip(array, least, most))[()]
    return result if isinstance(x, np.generic) else result.item()


#: Functions of arrays that are no elementwise functions, over numbers.
_OF_ARRAYS: dict[Any, Callable[..., Any]] = {tensor.where: _where, tensor.clip: _clip}


def _of_cmath(over_arrays: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of `cmath` that computes in the dtype of its argument, made complex."""
    of_complex = _elementwise(over_arrays)
    return lambda number: of_complex(number + 0j)


class _Names:
    """A module as kernels see it."""

    def __init__(self, module: ModuleType, known: Known) -> None:
        self._module = module
        self._known = known

    def __getattr__(self, name: str) -> Any:
        meaning = _meaning(getattr(self._module, name), self._known)
        setattr(self, name, meaning)
        return meaning


def _extreme(over_numbers: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `min` or `max` with a result of the dtype that all arguments have in common, NaN if one of them is."""

    def of_numbers(*args: Any) -> Any:
        numbers = args[0] if len(args) == 1 else args
        if not any(isinstance(number, np.generic) for number in numbers):
            return function(*args)
        return reduce(over_numbers, numbers)

    return of_numbers


_BUILTINS = {"min": _extreme(lesser_of, min), "max": _extreme(greater_of, max)}


def _of_numbers(value: Any) -> Any:
    """Return a function of `math` or of arrays as one of numbers, and anything else as it is."""
    name = getattr(value, "__name__", None)
    if isinstance(name, str) and callable(value):
        if getattr(value, "__module__", None) == "math" and hasattr(math, name):
            return _of_math(name, value)
        if getattr(value, "__module__", None) == "cmath" and hasattr(tensor, name):
            return _of_cmath(getattr(tensor, name))
        if isinstance(value, np.ufunc) and hasattr(tensor, _ALIASES.get(name, name)):
            return _elementwise(getattr(tensor, _ALIASES.get(name, name)))
        if hasattr(tensor, name) and getattr(tensor, name) is value:
            return _OF_ARRAYS[value] if value in _OF_ARRAYS else _elementwise(value)
    return value


def _meaning(value: Any, known: Known) -> Any:
    """Return what stands for a value inside of a kernel."""
    if isinstance(value, ModuleType):
        return _Names(value, known)
    python = getattr(value, "py_func", None)
    if isinstance(python, FunctionType):
        return in_kernel(python, known)
    return _of_numbers(value)


def in_kernel(function: FunctionType, known: Known | None = None) -> FunctionType:
    """Return a function of the same code, which a debugger knows by it, whose names mean what they mean in a kernel."""
    known = {} if known is None else known
    if function in known:
        return known[function]
    names = dict(function.__globals__)
    closure = None if function.__closure__ is None else tuple(CellType() for _ in function.__closure__)
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, closure)
    copy.__kwdefaults__ = function.__kwdefaults__
    known[function] = copy
    for name in function.__code__.co_names:
        if name in names:
            names[name] = _meaning(names[name], known)
        elif name in _BUILTINS:
            names[name] = _BUILTINS[name]
    for cell, own in zip(function.__closure__ or (), closure or (), strict=True):
        own.cell_contents = _meaning(cell.cell_contents, known)
    return copy
