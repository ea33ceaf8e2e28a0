"""Discrete Fourier transforms, along one axis or several; their names and docstrings come from Rust.

>>> from situ import tensor
>>> x = tensor.asarray([1.0, 2.0, 3.0])
>>> print(tensor.fft.irfft(tensor.fft.rfft(x), n=3))
[1. 2. 3.]
"""

from .._native import fft as _native

__all__ = sorted(name for name in vars(_native) if not name.startswith("_"))
globals().update((name, getattr(_native, name)) for name in __all__)
