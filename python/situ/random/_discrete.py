"""Distributions of integers and truth values."""

from __future__ import annotations

import builtins
from typing import Any, SupportsIndex

from .. import _native, tensor
from .._native import Queue, ndarray
from .._typing import ArrayLike, DTypeLike, ShapeLike
from ._arguments import (
    MOST,
    asked,
    broadcast,
    default_float,
    integer,
    is_not_negative,
    is_share,
    parameter,
    require,
    whole,
)
from ._source import COUNTERS, Source

#: Poisson numbers of a greater mean might not fit in an int64.
GREATEST_MEAN = 9.2e18
#: More trials than a float64 counts.
MOST_TRIALS = 2**53


class Discrete(Source):
    """Distributions of integers and truth values."""

    def integers(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: ShapeLike | None = None,
        *,
        dtype: DTypeLike | None = None,
        endpoint: bool = False,
        out: ndarray | None = None,
        usm_type: str | None = None,
        sycl_queue: Queue | None = None,
    ) -> ndarray:
        """Return integers from `low` on and below `high`, all exactly as likely; with `low` alone, from 0 on below it.

        The dtype is int64, or any other of integers or truth values unless `low` or `high` is an array. With
        `endpoint`, `high` is among the integers.

        >>> from situ.random import Generator
        >>> Generator(42).integers(1, 6, size=8, endpoint=True)
        ndarray([3, 3, 2, 3, 4, 5, 5, 3])
        """
        first, stop = (0, low) if high is None else (low, high)
        queue = self._target(out, sycl_queue)
        first, stop = whole("integers", "low", first, queue, out=out), whole("integers", "high", stop, queue, out=out)
        for name, value in (("low", first), ("high", stop)):
            if isinstance(value, int) and abs(value) > 2**64:
                raise ValueError(f"integers: {name} is {value}, but no dtype has integers beyond 2**64")
        if out is None:
            dtype = "int64" if dtype is None else dtype
        if isinstance(first, ndarray) or isinstance(stop, ndarray):
            shape = asked("integers", size, out)
            return self._between(first, stop, bool(endpoint), shape, dtype, out, usm_type, sycl_queue)
        kinds = "b1 i1 i2 i4 i8 u1 u2 u4 u8"
        made = self._room("integers", asked("integers", size, None), dtype, kinds, out, usm_type, sycl_queue)
        with self._lock:
            blocks = _native.draw_integers(made, first, stop + bool(endpoint), self._key, self._counter)
            self._counter = (self._counter + blocks) % COUNTERS
        return made

    def _between(
        self,
        low: Any,
        high: Any,
        endpoint: bool,
        size: Any,
        dtype: Any,
        out: ndarray | None,
        usm_type: str | None,
        queue: Queue | None,
    ) -> ndarray:
        """Integers between arrays."""
        for name, value, most in (("low", low, MOST), ("high", high, MOST + (not endpoint))):
            if isinstance(value, int) and not -MOST - 1 <= value <= most:
                raise ValueError(f"integers: {name} is {value}, but beside an array it must be an int64")
        if high is not low and isinstance(high, int) and high > MOST:
            high, endpoint = MOST, True
        is_enough = low <= high if endpoint else low < high
        require("integers", "high", is_enough, lambda is_enough: is_enough, "at least low" if endpoint else "above low")
        shape = broadcast("integers", size, low=low, high=high)
        # The kernel counts modulo 2**64.
        high = high + 1 if endpoint and isinstance(high, ndarray) else high
        if endpoint and isinstance(high, int):
            high = high + 1 if high < MOST else -MOST - 1
        made = self._room("integers", shape, dtype, "i8", out, usm_type, queue)
        from . import _rejection

        return self._sample(_rejection.integers, made, low, high, dtype="int64")

    def bytes(self, length: SupportsIndex) -> builtins.bytes:
        """Return random bytes.

        >>> from situ.random import Generator
        >>> Generator(0).bytes(4).hex()
        'd5e82766'
        """
        count = integer("bytes", "length", length)
        if count < 0:
            raise ValueError(f"bytes: length must not be negative, but is {count}")
        words = self._fill(tensor.empty(-(-count // 4), dtype="uint32", sycl_queue=self._queue), "bits")
        return tensor.asnumpy(words).astype("<u4", copy=False).tobytes()[:count]

    def bernoulli(
        self,
        p: ArrayLike = 0.5,
        size: ShapeLike | None = None,
        *,
        out: ndarray | None = None,
        usm_type: str | None = None,
        sycl_queue: Queue | None = None,
    ) -> ndarray:
        """Return truth values, each true with a probability.

        >>> from situ.random import Generator
        >>> Generator(42).bernoulli(0.4, size=3)
        ndarray([False,  True,  True])
        """
        p = parameter("bernoulli", "p", p, self._target(out, sycl_queue), out=out)
        require("bernoulli", "p", p, is_share, "from 0 to 1")
        shape = broadcast("bernoulli", asked("bernoulli", size, out), p=p)
        made = self._room("bernoulli", shape, "bool" if out is None else None, "b1", out, usm_type, sycl_queue)
        uniform = tensor.empty(made.shape, usm_type=made.usm_type, sycl_queue=made.sycl_queue)
        return tensor.less(self._fill(uniform, "uniform"), p, out=made)

    def poisson(
        self,
        lam: ArrayLike = 1.0,
        size: ShapeLike | None = None,
        *,
        out: ndarray | None = None,
        usm_type: str | None = None,
        sycl_queue: Queue | None = None,
    ) -> ndarray:
        """Return Poisson numbers of a mean, of dtype int64.

        >>> from situ.random import Generator
        >>> Generator(42).poisson([1, 100, 10000])
        ndarray([    1,    95, 10046])
        """
        queue = self._target(out, sycl_queue)
        lam = parameter("poisson", "lam", lam, queue, default_float(queue), out)
        require("poisson", "lam", lam, is_not_negative, "at least 0")
        require("poisson", "lam", lam, lambda mean: mean <= GREATEST_MEAN, f"at most {GREATEST_MEAN}")
        shape = broadcast("poisson", asked("poisson", size, out), lam=lam)
        made = self._room("poisson", shape, "int64" if out is None else None, "i8", out, usm_type, sycl_queue)
        from . import _rejection

        return self._sample(_rejection.poisson, made, lam)

    def binomial(
        self,
        n: ArrayLike,
        p: ArrayLike,
        size: ShapeLike | None = None,
        *,
        out: ndarray | None = None,
        usm_type: str | None = None,
        sycl_queue: Queue | None = None,
    ) -> ndarray:
        """Return how many of `n` trials succeed, each with a probability, of dtype int64.

        >>> from situ.random import Generator
        >>> Generator(42).binomial(10, [0.1, 0.5, 0.9])
        ndarray([1, 4, 9])
        """
        queue = self._target(out, sycl_queue)
        n, p = whole("binomial", "n", n, queue, out=out), parameter("binomial", "p", p, queue, out=out)
        require("binomial", "n", n, is_not_negative, "at least 0")
        require("binomial", "n", n, lambda trials: trials <= MOST_TRIALS, "at most 2**53")
        require("binomial", "p", p, is_share, "from 0 to 1")
        shape = broadcast("binomial", asked("binomial", size, out), n=n, p=p)
        made = self._room("binomial", shape, "int64" if out is None else None, "i8", out, usm_type, sycl_queue)
        from . import _rejection

        return self._sample(_rejection.binomial, made, n, p)
