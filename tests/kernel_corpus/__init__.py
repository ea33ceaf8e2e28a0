"""Kernels of every kind, each with a range, inputs made from a seed, and for many what NumPy expects of them.

A kernel is run by the simulator and on devices; what it has written must be the same. See test_kernel_corpus.py.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


class View:
    """An argument that is a part of an array: situ takes it from an array of its own."""

    def __init__(self, base, take):
        self.base = base
        self.take = take


@dataclass
class Case:
    """A kernel and what it is run with."""

    name: str
    function: Callable[..., None]
    #: A range, or how to make one from the arguments.
    space: Any
    #: From a generator of random numbers to the arguments. Arrays are NumPy's, or `View`s of them.
    inputs: Callable[[np.random.Generator], tuple]
    #: Does the same to the arguments with NumPy.
    expected: Callable[..., None] | None
    #: How far devices may be off, relative to the greatest result: 0 means the same bits.
    tolerance: float
    #: Whether a last bit more or less decides what is computed, so that products and sums must not be rounded once.
    is_chaotic: bool

    def arguments(self, seed: int = 0) -> tuple:
        """The arguments, the same for the same seed."""
        return self.inputs(np.random.default_rng([seed, *self.name.encode()]))


CASES: dict[str, Case] = {}


def case(space, inputs, expected=None, *, tolerance=0.0, is_chaotic=False):
    """Register a kernel."""

    def register(function):
        name = function.__name__
        assert name not in CASES, name
        CASES[name] = Case(name, function, space, inputs, expected, tolerance, is_chaotic)
        return function

    return register


for part in ("control", "numbers", "memory", "groups", "exchanges"):
    importlib.import_module(f"{__name__}.{part}")
