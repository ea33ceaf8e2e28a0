"""Random arrays, the same on every device.

A `Generator` counts (Philox4x32-10): each number is a function of the seed and its position, so that a seed gives the
same numbers on the CPU and on a GPU, by any number of threads. There is no generator of the module's own.

>>> from situ.random import Generator
>>> generator = Generator(42)
>>> generator.random(3)
ndarray([0.46858652, 0.34086155, 0.32706338])
>>> generator.integers(1, 7, size=5)
ndarray([4, 5, 5, 3, 6])
"""

from ._generator import Generator

__all__ = ["Generator"]
