"""Random arrays as dpnp draws them: by one generator, which `seed` starts anew, on the device that a call names.

Programs written for situ give each of their parts a `situ.random.Generator` of its own.

>>> from situ import dpnp
>>> dpnp.random.seed(42)
>>> dpnp.random.uniform(2, 3, 2)
ndarray([2.46858652, 2.34086155])
"""

from __future__ import annotations

from typing import Any, SupportsIndex

from situ import Queue
from situ.random import Generator
from situ.tensor import empty, usm_ndarray

__all__ = [
    "beta",
    "binomial",
    "bytes",
    "choice",
    "exponential",
    "gamma",
    "normal",
    "permutation",
    "poisson",
    "rand",
    "randint",
    "randn",
    "random",
    "random_sample",
    "ranf",
    "sample",
    "seed",
    "shuffle",
    "standard_exponential",
    "standard_gamma",
    "standard_normal",
    "uniform",
]

_generator: Generator | None = None


def seed(seed: SupportsIndex | None = None) -> None:
    """Start the sequence of random numbers from a seed."""
    global _generator
    _generator = Generator(seed)


def _draw(
    name: str,
    *parameters: Any,
    size: Any = None,
    dtype: Any = None,
    device: Any = None,
    usm_type: str = "device",
    sycl_queue: Queue | None = None,
) -> usm_ndarray:
    """Let the generator draw where `device` or `sycl_queue` says."""
    queue = empty((), device=device, sycl_queue=sycl_queue).sycl_queue
    options = {} if dtype is None else {"dtype": dtype}
    drawn: usm_ndarray = getattr(_drawing(), name)(
        *parameters, size=size, usm_type=usm_type, sycl_queue=queue, **options
    )
    return drawn


def _drawing() -> Generator:
    global _generator
    if _generator is None:
        _generator = Generator()
    return _generator


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None, **where: Any) -> usm_ndarray:
    """Return random numbers between two; `device`, `usm_type` and `sycl_queue` say where, here and below."""
    return _draw("uniform", low, high, size=size, **where)


def random(size: Any = None, **where: Any) -> usm_ndarray:
    """Return random numbers between 0 and 1."""
    return _draw("random", size=size, **where)


random_sample = ranf = sample = random


def rand(*lengths: int, **where: Any) -> usm_ndarray:
    """Return random numbers between 0 and 1, in an array of these lengths."""
    return random(lengths, **where)


def standard_normal(size: Any = None, **where: Any) -> usm_ndarray:
    """Return normal numbers around 0, one apart."""
    return _draw("standard_normal", size=size, **where)


def randn(*lengths: int, **where: Any) -> usm_ndarray:
    """Return normal numbers around 0, one apart, in an array of these lengths."""
    return standard_normal(lengths, **where)


def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, **where: Any) -> usm_ndarray:
    """Return normal numbers around one, so far apart."""
    return _draw("normal", loc, scale, size=size, **where)


def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = None, **where: Any) -> usm_ndarray:
    """Return integers from one up to, but not including, another; from 0 where only one is given."""
    return _draw("integers", low, high, size=size, dtype=dtype, **where)


def exponential(scale: Any = 1.0, size: Any = None, **where: Any) -> usm_ndarray:
    """Return times between events, so long in the mean."""
    return _draw("exponential", scale, size=size, **where)


def standard_exponential(size: Any = None, **where: Any) -> usm_ndarray:
    """Return times between events, 1 in the mean."""
    return exponential(size=size, **where)


def gamma(shape: Any, scale: Any = 1.0, size: Any = None, **where: Any) -> usm_ndarray:
    """Return times until so many events, so long in the mean from one to the next."""
    return _draw("gamma", shape, scale, size=size, **where)


def standard_gamma(shape: Any, size: Any = None, **where: Any) -> usm_ndarray:
    """Return times until so many events, 1 in the mean from one to the next."""
    return gamma(shape, size=size, **where)


def beta(a: Any, b: Any, size: Any = None, **where: Any) -> usm_ndarray:
    """Return shares that a gamma variable of the first parameter has of itself and one of the second."""
    return _draw("beta", a, b, size=size, **where)


def binomial(n: Any, p: Any, size: Any = None, **where: Any) -> usm_ndarray:
    """Return how many of so many trials succeed, each with a probability."""
    return _draw("binomial", n, p, size=size, **where)


def poisson(lam: Any = 1.0, size: Any = None, **where: Any) -> usm_ndarray:
    """Return how many events happen, so many in the mean."""
    return _draw("poisson", lam, size=size, **where)


def choice(a: Any, size: Any = None, replace: bool = True, p: Any = None) -> usm_ndarray:
    """Return elements of an array, or numbers below one, drawn with or without putting them back."""
    return _drawing().choice(a, size, replace, p)


def permutation(x: Any) -> usm_ndarray:
    """Return an array, or the numbers below one, in random order."""
    return _drawing().permutation(x)


def shuffle(x: usm_ndarray) -> None:
    """Bring an array into random order where it is."""
    _drawing().shuffle(x)


def bytes(length: SupportsIndex) -> Any:
    """Return random bytes."""
    return _drawing().bytes(length)
