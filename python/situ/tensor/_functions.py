"""The functions that are written in Rust; their names and docstrings come from there.

>>> from situ import tensor
>>> tensor.add.nin, tensor.add.types[-1]
(2, 'DD->D')
"""

from .._native import ElementwiseFunction as _ElementwiseFunction
from .._native import tensor as _native

__all__ = sorted(name for name in vars(_native) if not name.startswith("_"))
globals().update((name, getattr(_native, name)) for name in __all__)

_ELEMENTWISE = {name: each for name, each in vars(_native).items() if isinstance(each, _ElementwiseFunction)}
"""Those made from the op table."""
