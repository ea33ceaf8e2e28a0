"""Numbers that a traced function is given: they may be others the next time."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from .trace import Trace

Number = bool | int | float | complex


class TracedNumber:
    """A number of which only the type is known: an argument, or what arithmetic makes of arguments.

    Whoever asks for the value fixes it: the trace is then one for this value alone.
    """

    __slots__ = ("_compute", "_depends", "_trace", "_value")
    __array_ufunc__ = None
    """NumPy's arrays leave arithmetic with it to what it is combined with."""

    def __init__(
        self, trace: Trace, value: Number, compute: Callable[[Sequence[Number]], Number], depends: frozenset[int]
    ) -> None:
        self._trace = trace
        self._value = value
        self._compute = compute
        self._depends = depends


def fixed(number: Any) -> Any:
    """Return the value of a number, which decides something from now on."""
    if not isinstance(number, TracedNumber):
        return number
    number._trace.fixed |= number._depends
    return number._value


def current(number: Any) -> Any:
    """Return the value of a number while the function is traced."""
    return number._value if isinstance(number, TracedNumber) else number


def computed(number: Any, given: Sequence[Number]) -> Any:
    """Return the value of a number in another call."""
    return number._compute(given) if isinstance(number, TracedNumber) else number


def is_number(value: object) -> bool:
    """Tell whether it is a number of Python's, or one that is traced; those of NumPy have a dtype, as arrays have."""
    return type(value) in (TracedNumber, float, int, bool, complex)


def _derived(function: Callable[..., Any], *operands: Any) -> TracedNumber:
    traced = [each for each in operands if isinstance(each, TracedNumber)]
    return TracedNumber(
        traced[0]._trace,
        function(*map(current, operands)),
        lambda given: function(*(computed(each, given) for each in operands)),
        frozenset().union(*(each._depends for each in traced)),
    )


def _forward(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *others: _derived(function, self, *others) if all(map(is_number, others)) else NotImplemented


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, other: _derived(function, other, self) if is_number(other) else NotImplemented


def _decided(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *others: function(*map(fixed, (self, *others)))


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(TracedNumber, f"__{_name}__", _forward(getattr(operator, _name)))
    setattr(TracedNumber, f"__r{_name}__", _reflected(getattr(operator, _name)))
for _name in ("neg", "pos", "abs"):
    setattr(TracedNumber, f"__{_name}__", _forward(getattr(operator, _name)))
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "index", "invert", "and_", "or_", "xor", "lshift", "rshift"):
    setattr(TracedNumber, f"__{_name.rstrip('_')}__", _decided(getattr(operator, _name)))
for _kind in (bool, int, float, complex, hash, round, repr, str, format):
    setattr(TracedNumber, f"__{_kind.__name__}__", _decided(_kind))
