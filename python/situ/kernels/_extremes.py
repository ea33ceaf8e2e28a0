"""The lesser and the greater of two numbers, as situ's arrays have them: NaN wins, and of equal ones the first."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["greater_of", "lesser_of"]


def lesser_of(a: Any, b: Any) -> Any:
    """Return the lesser of two numbers in the dtype that they have in common."""
    least = np.minimum(a, b)
    # Zeros of either sign are equal, and which one NumPy takes depends on the machine.
    return least.dtype.type(a) if a == b else least


def greater_of(a: Any, b: Any) -> Any:
    """Return the greater of two numbers in the dtype that they have in common."""
    greatest = np.maximum(a, b)
    return greatest.dtype.type(a) if a == b else greatest
