"""Linear algebra over stacks of matrices; names and docstrings come from Rust.

>>> from situ import tensor
>>> a = tensor.asarray([[2.0, 1.0], [1.0, 3.0]])
>>> print(tensor.linalg.solve(a, tensor.asarray([3.0, 5.0])))
[0.8 1.4]
"""

from numpy.linalg import LinAlgError as LinAlgError

from .._native import linalg as _native
from ._functions import matmul as matmul
from ._functions import matrix_transpose as matrix_transpose
from ._functions import tensordot as tensordot
from ._functions import vecdot as vecdot

globals().update((name, each) for name, each in vars(_native).items() if not name.startswith("_"))
__all__ = sorted(name for name in globals() if not name.startswith("_"))
