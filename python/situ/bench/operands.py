"""The operands of a comparison: the same elements in the same layout, once for NumPy and once for situ."""

from __future__ import annotations

from functools import lru_cache
from math import isqrt
from typing import Any

import numpy

from situ import tensor

from .functions import Interval

LAYOUTS = ("contiguous", "out=", "strided", "transposed", "row", "scalar")
"""`strided` takes every other element, `transposed` has one operand's axes the other way round, `row` repeats the last
operand along the rows of a matrix, and `scalar` has a Python number in its place."""


_DRAWN = 10**5


def matrix_shape(n: int) -> tuple[int, int]:
    """The shape nearest a square with so many elements.

    >>> matrix_shape(10**5), matrix_shape(10)
    ((250, 400), (2, 5))
    """
    rows = next(d for d in range(isqrt(n), 0, -1) if n % d == 0)
    return rows, n // rows


def _drawn(interval: Interval, dtype: str, count: int, seed: int) -> Any:
    """Random elements; beyond some number they repeat, because drawing would take longer than computing."""
    generator = numpy.random.default_rng(2024 + seed)
    low, high, drawn = interval.low, interval.high, min(count, _DRAWN)
    if numpy.dtype(dtype).kind in "bi":
        values: Any = generator.integers(int(low), int(high), drawn)
    else:
        values = generator.uniform(low, high, drawn)
        if numpy.dtype(dtype).kind == "c":
            values = values + 1j * generator.uniform(low, high, drawn)
    return numpy.resize(values.astype(dtype), count)


# Neighbouring cells draw from the same few intervals. At 10^7 elements one entry holds up to 0.5 GB, twice.
@lru_cache(maxsize=6)
def _pair(interval: Interval, dtype: str, shape: tuple[int, ...], view: str, seed: int) -> tuple[Any, Any]:
    count = int(numpy.prod(shape)) * (2 if view == "step" else 1)
    host = _drawn(interval, dtype, count, seed)
    if view == "step":
        return host[::2], tensor.asarray(host)[::2]
    if view == "turned":
        host = host.reshape(shape[::-1])
        return host.T, tensor.asarray(host).T
    host = host.reshape(shape)
    return host, tensor.asarray(host)


def _number(interval: Interval, dtype: str) -> Any:
    middle = (interval.low + interval.high) / 2
    return int(middle) if numpy.dtype(dtype).kind in "bi" else middle


def arranged(layout: str, intervals: tuple[Interval, ...], dtype: str, n: int) -> tuple[list[Any], list[Any]]:
    """The operands as NumPy has them, and as situ has them."""
    host, ours = [], []
    last = len(intervals) - 1
    for place, interval in enumerate(intervals):
        kept = interval.dtype or dtype
        if layout == "scalar" and place == last:
            number = _number(interval, kept)
            host.append(number)
            ours.append(number)
            continue
        shape: tuple[int, ...] = matrix_shape(n) if layout in ("transposed", "row") else (n,)
        view = {"strided": "step", "transposed": "turned" if place == last else ""}.get(layout, "")
        if layout == "row" and place == last:
            shape = shape[1:]
        theirs, mine = _pair(interval, kept, shape, view, place)
        host.append(theirs)
        ours.append(mine)
    return host, ours


def forget() -> None:
    """Give the memory of the operands made so far back."""
    _pair.cache_clear()
