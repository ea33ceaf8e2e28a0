"""Random orders, and elements chosen from arrays."""

from __future__ import annotations

import math
from typing import Any, SupportsIndex

from .. import tensor
from .._native import Queue, ndarray
from .._typing import ArrayLike, ShapeLike
from ._arguments import default_float, integer, is_not_negative, is_number, parameter, require, shape_of
from ._discrete import Discrete

#: How far the sum of probabilities may be from 1.
TOLERANCE = 1e-8


class Selection(Discrete):
    """Random orders, and elements chosen from arrays."""

    def _order(self, count: int, queue: Queue) -> ndarray:
        """The integers from 0 up to a count in a random order: that of random keys, which are too many to be equal."""
        return tensor.argsort(self._fill(tensor.empty(count, dtype="uint64", sycl_queue=queue), "bits"))

    def permutation(self, x: ArrayLike, axis: SupportsIndex = 0) -> ndarray:
        """Return the integers from 0 up to a number in a random order, or the parts of an array along an axis.

        >>> from situ.random import Generator
        >>> Generator(42).permutation(5)
        ndarray([2, 1, 3, 0, 4])
        """
        if is_number(x):
            count = integer("permutation", "x", x)
            if count < 0:
                raise ValueError(f"permutation: x must not be negative, but is {count}")
            return self._order(count, self._queue)
        array = x if isinstance(x, ndarray) else tensor.asarray(x, sycl_queue=self._queue)
        axis = _axis("permutation", "x", array, axis)
        return tensor.take(array, self._order(array.shape[axis], array.sycl_queue), axis=axis)

    def shuffle(self, x: ndarray, axis: SupportsIndex = 0) -> None:
        """Put the parts of an array along an axis in a random order, in place.

        >>> from situ import tensor
        >>> from situ.random import Generator
        >>> x = tensor.arange(5)
        >>> Generator(42).shuffle(x)
        >>> x
        ndarray([2, 1, 3, 0, 4])
        """
        if not isinstance(x, ndarray):
            raise TypeError(f"shuffle: x must be an array of situ, not {type(x).__name__}; use permutation")
        if not x.flags.writable:
            raise ValueError("shuffle: x is read-only; use permutation")
        x[...] = self.permutation(x, _axis("shuffle", "x", x, axis))

    def choice(
        self,
        a: ArrayLike,
        size: ShapeLike | None = None,
        replace: bool = True,
        p: ArrayLike | None = None,
        axis: SupportsIndex = 0,
    ) -> ndarray:
        """Return elements of an array, parts along an axis, or integers from 0 up to a number; with probabilities `p`.

        Without replacement none is chosen twice. With probabilities they are then chosen one after another, each with
        what its own share of those that are left is.

        >>> from situ.random import Generator
        >>> Generator(42).choice([10, 20, 30], size=5)
        ndarray([20, 20, 10, 20, 20])
        >>> Generator(42).choice(100, size=3, replace=False)
        ndarray([66, 55, 11])
        """
        shape = shape_of("choice", size)
        array = None
        if is_number(a):
            population, queue = integer("choice", "a", a), self._queue
        else:
            array = a if isinstance(a, ndarray) else tensor.asarray(a, sycl_queue=self._queue)
            axis = _axis("choice", "a", array, axis)
            population, queue = array.shape[axis], array.sycl_queue
        count = math.prod(shape or ())
        if population < 0 or (population == 0 and count > 0):
            raise ValueError("choice: there is nothing to choose from; a must have elements, or be above 0")
        if not replace and count > population:
            raise ValueError(f"choice: {count} of {population} cannot be chosen without replacement; set replace=True")
        shares = None if p is None else _shares(p, population, 0 if replace else count, queue)
        chosen = self._chosen(population, count, bool(replace), shares, queue)
        if array is None:
            return chosen.reshape(shape or ())
        taken = tensor.take(array, chosen, axis=axis)
        return taken.reshape((*taken.shape[: int(axis)], *(shape or ()), *taken.shape[int(axis) + 1 :]))

    def _chosen(self, population: int, count: int, replace: bool, shares: ndarray | None, queue: Queue) -> ndarray:
        """Positions, one after another."""
        if shares is None:
            if replace:
                return self.integers(max(population, 1), size=count, sycl_queue=queue)
            return self._order(population, queue)[:count]
        if replace:
            ends = tensor.cumulative_sum(shares)
            uniform = self._fill(tensor.empty(count, dtype=ends.dtype, sycl_queue=queue), "uniform")
            return tensor.searchsorted(ends / ends[-1], uniform, side="right")
        # The first of independent clocks that ring at rates in proportion to the shares, then the next.
        times = self._fill(tensor.empty(population, dtype=shares.dtype, sycl_queue=queue), "exponential")
        # By logarithms, since quotients of tiny shares would be infinite, as those of none are.
        return tensor.argsort(tensor.log(times) - tensor.log(shares))[:count]


def _axis(function: str, name: str, array: ndarray, axis: SupportsIndex) -> int:
    """An axis of an array, counted from the first."""
    number = integer(function, "axis", axis)
    if not -array.ndim <= number < array.ndim:
        raise ValueError(f"{function}: axis {number} is none of the {array.ndim} that {name} has")
    return number % array.ndim


def _shares(p: Any, population: int, least: int, queue: Queue) -> ndarray:
    """Probabilities, checked."""
    given = parameter("choice", "p", p, queue)
    if not isinstance(given, ndarray) or given.shape != (population,):
        raise ValueError(f"choice: p must have one probability for each of the {population} that are chosen from")
    # Uniform numbers with few digits would never reach small probabilities.
    shares = tensor.astype(given, default_float(queue), copy=False)
    require("choice", "p", shares, is_not_negative, "at least 0")
    total = float(tensor.sum(shares))
    if not abs(total - 1) <= max(TOLERANCE, math.sqrt(float(tensor.finfo(given.dtype).eps))):
        raise ValueError(f"choice: the sum of p must be 1, but is {total}; divide p by it")
    if int(tensor.count_nonzero(shares)) < least:
        raise ValueError(f"choice: fewer than {least} elements of p are above 0; set replace=True")
    return shares
