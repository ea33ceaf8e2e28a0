"""Random arrays, drawn on the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from situ.tensor import asarray, usm_ndarray

__all__ = ["random", "seed", "uniform"]

_generator = np.random.default_rng()


def seed(seed: int) -> None:
    """Start the sequence of random numbers from a seed."""
    global _generator
    _generator = np.random.default_rng(seed)


def uniform(
    low: float = 0.0, high: float = 1.0, size: int | tuple[int, ...] | None = None, **where: Any
) -> usm_ndarray:
    """Return random numbers between two; `device`, `usm_type` and `sycl_queue` say where."""
    return asarray(_generator.uniform(low, high, size), **where)


def random(size: int | tuple[int, ...] | None = None, **where: Any) -> usm_ndarray:
    """Return random numbers between 0 and 1; `device`, `usm_type` and `sycl_queue` say where."""
    return uniform(0.0, 1.0, size, **where)
