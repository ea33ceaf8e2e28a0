"""Distributions of real numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy

from .. import tensor
from .._native import Queue, ndarray
from .._typing import ArrayLike, DTypeLike, ShapeLike
from ._arguments import Parameter, asked, broadcast, is_not_negative, is_positive, parameter, require, shape_of
from ._source import Source


class Continuous(Source):
    """Distributions of real numbers."""

    def random(
        self,
        size: ShapeLike | None = None,
        *,
        dtype: DTypeLike | None = None,
        out: ndarray | None = None,
        usm_type: str | None = None,
        sycl_queue: Queue | None = None,
    ) -> ndarray:
        """Return numbers in [0, 1), all as likely: multiples of 2**-53, or of 2**-24 in float32.

        >>> from situ.random import Generator
        >>> Generator(42).random(3, dtype="float32")
        ndarray([0.61295986, 0.4685865 , 0.0732317 ], dtype=float32)
        """
        return self._fill(
            self._room("random", shape_of("random", size), dtype, "f4 f8", out, usm_type, sycl_queue), "uniform"
        )

    def uniform(
        self,
        low: ArrayLike = 0.0,
        high: ArrayLike = 1.0,
        size: ShapeLike | None = None,
        *,
        dtype: DTypeLike | None = None,
        out: ndarray | None = None,
        usm_type: str | None = None,
        sycl_queue: Queue | None = None,
    ) -> ndarray:
        """Return numbers in [low, high), all as likely. By rounding, some may be `high`.

        >>> from situ.random import Generator
        >>> Generator(42).uniform(10, 20, size=3)
        ndarray([14.68586518, 13.40861549, 13.27063381])
        """
        queue = self._target(out, sycl_queue)
        low, high = parameter("uniform", "low", low, queue, out=out), parameter("uniform", "high", high, queue, out=out)
        shape = broadcast("uniform", asked("uniform", size, out), low=low, high=high)
        room = self._room("uniform", shape, dtype, "f4 f8", out, usm_type, sycl_queue)
        # A difference of numbers with few digits would not be what lies between them.
        low, high = _at_least(room.dtype, low), _at_least(room.dtype, high)
        span = high - low
        require("uniform", "high - low", span, _is_finite, "finite")
        if room.dtype == numpy.float32:
            for name, value in (("low", low), ("high", high), ("high - low", span)):
                require("uniform", name, value, _is_single, "finite in float32")
        return _moved(self._fill(room, "uniform"), span, low)

    def standard_normal(
        self,
        size: ShapeLike | None = None,
        *,
        dtype: DTypeLike | None = None,
        out: ndarray | None = None,
        usm_type: str | None = None,
        sycl_queue: Queue | None = None,
    ) -> ndarray:
        """Return normal numbers of mean 0 and standard deviation 1.

        >>> from situ.random import Generator
        >>> Generator(42).standard_normal(3)
        ndarray([-0.26208838,  1.20307054,  0.71460989])
        """
        made = self._room(
            "standard_normal", shape_of("standard_normal", size), dtype, "f4 f8", out, usm_type, sycl_queue
        )
        return self._fill(made, "normal")

    def normal(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: ShapeLike | None = None,
        *,
        dtype: DTypeLike | None = None,
        out: ndarray | None = None,
        usm_type: str | None = None,
        sycl_queue: Queue | None = None,
    ) -> ndarray:
        """Return normal numbers of a mean and a standard deviation.

        >>> from situ.random import Generator
        >>> Generator(42).normal([0, 1000]).shape
        (2,)
        """
        queue = self._target(out, sycl_queue)
        loc, scale = (
            parameter("normal", "loc", loc, queue, out=out),
            parameter("normal", "scale", scale, queue, out=out),
        )
        require("normal", "scale", scale, is_not_negative, "at least 0")
        shape = broadcast("normal", asked("normal", size, out), loc=loc, scale=scale)
        made = self._fill(self._room("normal", shape, dtype, "f4 f8", out, usm_type, sycl_queue), "normal")
        return _moved(made, scale, loc)

    def exponential(
        self,
        scale: ArrayLike = 1.0,
        size: ShapeLike | None = None,
        *,
        dtype: DTypeLike | None = None,
        out: ndarray | None = None,
        usm_type: str | None = None,
        sycl_queue: Queue | None = None,
    ) -> ndarray:
        """Return exponential numbers of a mean.

        >>> from situ.random import Generator
        >>> Generator(42).exponential(10.0, size=3)
        ndarray([ 7.58034523, 10.76278898, 11.17601301])
        """
        queue = self._target(out, sycl_queue)
        scale = parameter("exponential", "scale", scale, queue, out=out)
        require("exponential", "scale", scale, is_not_negative, "at least 0")
        shape = broadcast("exponential", asked("exponential", size, out), scale=scale)
        made = self._room("exponential", shape, dtype, "f4 f8", out, usm_type, sycl_queue)
        return _moved(self._fill(made, "exponential"), scale, 0.0)

    def gamma(
        self,
        shape: ArrayLike,
        scale: ArrayLike = 1.0,
        size: ShapeLike | None = None,
        *,
        dtype: DTypeLike | None = None,
        out: ndarray | None = None,
        usm_type: str | None = None,
        sycl_queue: Queue | None = None,
    ) -> ndarray:
        """Return gamma numbers of a shape and a scale, whose product is their mean.

        >>> from situ.random import Generator
        >>> Generator(42).gamma([0.5, 2, 100])
        ndarray([  0.31281702,   0.49454479, 109.9540114 ])
        """
        queue = self._target(out, sycl_queue)
        shape, scale = (
            parameter("gamma", "shape", shape, queue, out=out),
            parameter("gamma", "scale", scale, queue, out=out),
        )
        require("gamma", "shape", shape, is_not_negative, "at least 0")
        require("gamma", "scale", scale, is_not_negative, "at least 0")
        shapes = broadcast("gamma", asked("gamma", size, out), shape=shape, scale=scale)
        made = self._room("gamma", shapes, dtype, "f4 f8", out, usm_type, sycl_queue)
        from . import _rejection

        return self._sample(_rejection.gamma, made, shape, scale)

    def beta(
        self,
        a: ArrayLike,
        b: ArrayLike,
        size: ShapeLike | None = None,
        *,
        dtype: DTypeLike | None = None,
        out: ndarray | None = None,
        usm_type: str | None = None,
        sycl_queue: Queue | None = None,
    ) -> ndarray:
        """Return beta numbers, which lie between 0 and 1 and have the mean a / (a + b).

        >>> from situ.random import Generator
        >>> Generator(42).beta(2, 3, size=3)
        ndarray([0.6489972 , 0.60280444, 0.56611722])
        """
        queue = self._target(out, sycl_queue)
        a, b = parameter("beta", "a", a, queue, out=out), parameter("beta", "b", b, queue, out=out)
        require("beta", "a", a, is_positive, "above 0")
        require("beta", "b", b, is_positive, "above 0")
        shape = broadcast("beta", asked("beta", size, out), a=a, b=b)
        made = self._room("beta", shape, dtype, "f4 f8", out, usm_type, sycl_queue)
        from . import _rejection

        return self._sample(_rejection.beta, made, a, b, each=2)


def _moved(made: ndarray, factor: Parameter, summand: Parameter) -> ndarray:
    """Numbers times a factor and plus a summand, in place. What would change nothing is left out."""
    if isinstance(factor, ndarray) or factor != 1:
        made *= _like(factor, made)
    if isinstance(summand, ndarray) or summand != 0:
        made += _like(summand, made)
    return made


def _like(value: Parameter, made: ndarray) -> Parameter:
    """A parameter in the dtype of what is drawn."""
    return tensor.astype(value, made.dtype, copy=False) if isinstance(value, ndarray) else value


def _at_least(dtype: Any, value: Parameter) -> Parameter:
    """A parameter with no fewer digits than a dtype has."""
    if isinstance(value, ndarray):
        return tensor.astype(value, numpy.promote_types(value.dtype, dtype), copy=False)
    return value


def _is_single(value: Any) -> Any:
    return abs(value) <= float(numpy.finfo(numpy.float32).max)


def _is_finite(value: Any) -> Any:
    return tensor.isfinite(value) if isinstance(value, ndarray) else math.isfinite(value)
