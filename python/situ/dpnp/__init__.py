"""The part of dpnp that programs with kernels use, over `situ.tensor`.

Arrays are situ's own: `dpnp.ndarray` is `situ.tensor.usm_ndarray`.

>>> from situ import dpnp, tensor
>>> dpnp.ndarray is tensor.usm_ndarray, dpnp.arange is tensor.arange
(True, True)
"""

from situ import tensor as _tensor
from situ.tensor import *
from situ.tensor import asarray as array
from situ.tensor import divide as true_divide
from situ.tensor import float32 as single
from situ.tensor import usm_ndarray as ndarray

from . import random
from ._functions import array_equal, get_usm_ndarray

globals()["__all__"] = sorted(
    {*vars(_tensor)["__all__"], "array", "array_equal", "get_usm_ndarray", "ndarray", "random", "single", "true_divide"}
)
