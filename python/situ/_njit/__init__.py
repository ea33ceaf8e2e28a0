"""Functions of arrays that run in few passes over memory: `situ.njit`."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, Generic, ParamSpec, TypeVar, overload

import numpy

from .._native import ndarray
from .arrays import TracedArray, Tracer
from .numbers import TracedNumber, current
from .plan import Mismatch, Plan
from .rewriting import rewritten_function
from .trace import Node, TracingError, mapped

__all__ = ["TracedFunction", "TracingError", "njit"]

P = ParamSpec("P")
R = TypeVar("R")

_NUMBERS: tuple[type, ...] = (float, int, bool, complex)
_CONSTANTS: tuple[type, ...] = (str, bytes, type, type(None), type(...), slice, range, numpy.dtype, FunctionType)
_KEPT = 32
"""Traces for the same types that differ in shapes, places or numbers which the function asked for."""


class _Guarded:
    """A plan, and what must be as it was when the function was traced."""

    def __init__(self, tracer: Tracer, arrays: list[ndarray], numbers: list[Any], plan: Plan) -> None:
        trace = tracer.trace
        self.plan = plan
        self._shapes = [array.shape for array in arrays] if trace.reads_shapes else None
        self._places = [array.sycl_queue for array in arrays] if trace.reads_places else None
        self._numbers = [(n, numbers[n]) for n in sorted(trace.fixed)]

    def fits(self, arrays: list[ndarray], numbers: list[Any]) -> bool:
        """Tell whether the plan does what the function would with these."""
        return (
            (self._shapes is None or self._shapes == [array.shape for array in arrays])
            and (self._places is None or self._places == [array.sycl_queue for array in arrays])
            and all(_same(numbers[n], value) for n, value in self._numbers)
        )


def _same(one: Any, two: Any) -> bool:
    """Tell whether two numbers of one type are the same, zeros of different signs not among them."""
    return bool(one == two) and (one != 0 or str(one) == str(two))


class TracedFunction(Generic[P, R]):
    """A function that `njit` has traced, or will when it is called.

    >>> import situ
    >>> from situ import tensor
    >>> @situ.njit
    ... def f(x):
    ...     return tensor.sum(tensor.square(x) + 1)
    >>> print(f(tensor.arange(3)))
    8
    >>> print(f.inspect())
    (int64[:] device)
      sum of program: square add
    """

    def __init__(self, function: Callable[P, R]) -> None:
        functools.update_wrapper(self, function)
        self._traced_function = function
        self._plans: dict[Any, list[_Guarded]] = {}
        self._lock = threading.Lock()

    def __call__(self, *args: P.args, **options: P.kwargs) -> R:
        arrays: list[ndarray] = []
        numbers: list[Any] = []
        key = _key((args, options) if options else args, arrays, numbers)
        for guarded in self._plans.get(key, ()):
            if guarded.fits(arrays, numbers):
                try:
                    result: R = guarded.plan.run(arrays, numbers)
                except Mismatch:
                    return self._traced_function(*args, **options)
                return result
        first: R = self._trace(key, args, options, arrays, numbers)
        return first

    def _trace(
        self, key: Any, args: tuple[Any, ...], options: dict[str, Any], arrays: list[ndarray], numbers: list[Any]
    ) -> Any:
        """Call the function and watch it."""
        function = self._traced_function
        if not isinstance(function, FunctionType):
            raise TypeError(f"njit: expected a Python function, got {type(function).__name__}")
        tracer = Tracer()
        arguments: list[Node] = []
        count = 0

        def watched(leaf: Any) -> Any:
            nonlocal count
            if isinstance(leaf, ndarray):
                traced = tracer.given(leaf)
                arguments.append(traced._node)
                return traced
            if type(leaf) in _NUMBERS:
                n, count = count, count + 1
                return TracedNumber(tracer.trace, leaf, lambda given: given[n], frozenset([n]))
            return leaf

        result = rewritten_function(tracer, function)(*mapped(args, watched), **mapped(options, watched))
        noted = mapped(result, lambda leaf: leaf._node if isinstance(leaf, TracedArray) else leaf)
        plan = Plan(tracer.trace, arguments, noted)
        with self._lock:
            plans = self._plans.setdefault(key, [])
            plans[:0] = [_Guarded(tracer, arrays, numbers, plan)]
            del plans[_KEPT:]

        def own(leaf: Any) -> Any:
            return leaf._array if isinstance(leaf, TracedArray) else current(leaf)

        made = mapped(result, own)
        for node in {*arguments, *(node for maker in tracer.trace.makers for node in maker.results)}:
            node.array = None
        return made

    def inspect(self) -> str:
        """Return what is run for each signature that the function was called with."""
        lines = []
        for key, plans in self._plans.items():
            for guarded in plans:
                lines.append(f"({', '.join(_described(key))})")
                lines += [f"  {line}" for line in str(guarded.plan).splitlines()]
        return "\n".join(lines)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<njit {self._traced_function!r}>"


def _key(argument: Any, arrays: list[ndarray], numbers: list[Any]) -> Any:
    """Return what decides which trace fits: dtypes, kinds, which lengths are 1, which queues are one, and types."""
    if isinstance(argument, ndarray):
        arrays.append(argument)
        ones = tuple([length == 1 for length in argument.shape])
        place: Any = argument.sycl_device
        if len(arrays) > 1:
            queue = argument.sycl_queue
            place = next(n for n, other in enumerate(arrays) if other is argument or other.sycl_queue == queue)
        return ndarray, argument.dtype, argument.usm_type, ones, place
    kind = type(argument)
    if kind in _NUMBERS:
        numbers.append(argument)
        return kind
    if isinstance(argument, (tuple, list)):
        return kind, tuple([_key(each, arrays, numbers) for each in argument])
    if isinstance(argument, dict):
        return kind, tuple(argument), tuple([_key(each, arrays, numbers) for each in argument.values()])
    if isinstance(argument, slice):
        return kind, _key((argument.start, argument.stop, argument.step), arrays, numbers)
    if isinstance(argument, _CONSTANTS):
        return kind, argument
    if isinstance(argument, numpy.generic):
        return kind, argument.tobytes()
    if isinstance(argument, numpy.ndarray):
        raise TypeError(
            "njit: an argument is an array of NumPy, which says nothing about where to compute; bring it to a device "
            "with situ.tensor.asarray first"
        )
    raise TypeError(
        f"njit: an argument is a {kind.__name__}; arguments are arrays, numbers, strings, None, dtypes, functions, and "
        "tuples, lists and dictionaries of them"
    )


def _described(key: Any) -> list[str]:
    """Return a key in words."""
    if isinstance(key, tuple) and key and key[0] is ndarray:
        axes = ",".join("1" if is_one else ":" for is_one in key[3])
        return [f"{key[1]}[{axes}] {key[2]}"]
    if isinstance(key, tuple):
        return [text for each in key if isinstance(each, (tuple, type)) and each not in (tuple, list, dict)
                for text in _described(each)]  # fmt: skip
    return [key.__name__] if isinstance(key, type) else [repr(key)]


@overload
def njit(function: Callable[P, R], /) -> TracedFunction[P, R]: ...
@overload
def njit(function: None = None, /) -> Callable[[Callable[P, R]], TracedFunction[P, R]]: ...
def njit(function: Any = None, /) -> Any:
    """Make a function of arrays run in few passes over memory.

    The first call runs the function as it is, watches it, and writes down what it does. From the second on, elementwise
    calls run together in one pass, reductions take what they reduce for their map, and whatever else it calls is called
    again. Results have the same bits, kinds of memory and queues. Other dtypes, numbers of axes, kinds of memory and
    types of numbers are traced anew; so are other shapes, queues and values of numbers if the function asks for them.

    What depends on the values of arrays cannot be traced, and is refused with the line: branches, conversions to
    numbers, NumPy's functions. Globals and closures are as they were when the function was traced.

    >>> import situ
    >>> from situ import tensor
    >>> @situ.njit
    ... def damped(x, rate):
    ...     return tensor.sin(2 * x) * tensor.exp(-rate * tensor.square(x))
    >>> x = tensor.linspace(0, 1, num=5)
    >>> first, again = damped(x, 0.5), damped(x, 0.5)
    >>> tensor.all(first == again)
    ndarray(True)
    """
    return TracedFunction if function is None else TracedFunction(function)
