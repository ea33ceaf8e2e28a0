"""N-dimensional arrays that compute where their data lives.

>>> from situ import tensor
>>> x = tensor.arange(4, dtype=tensor.float32)
>>> tensor.asnumpy(x * 2 + 1)
array([1., 3., 5., 7.], dtype=float32)
"""

import math as _math

import numpy as _numpy

from .._native import ArrayDevice as _ArrayDevice
from .._native import ElementwiseFunction as ElementwiseFunction
from .._native import Flags as Flags
from .._native import ndarray as ndarray
from .._offload import make_offload as _make_offload
from . import fft as fft
from . import linalg as linalg
from ._dlpack import *
from ._dtypes import *
from ._functions import *
from ._functions import asnumpy as _asnumpy
from ._host_copies import *
from ._inspection import __array_namespace_info__ as __array_namespace_info__
from ._printing import *
from ._results import *

Device = _ArrayDevice
usm_ndarray = ndarray
to_numpy = _asnumpy
offload_to = _make_offload(__name__)
__array_api_version__ = "2025.12"

bool = _numpy.dtype("bool")
int8 = _numpy.dtype("int8")
int16 = _numpy.dtype("int16")
int32 = _numpy.dtype("int32")
int64 = _numpy.dtype("int64")
uint8 = _numpy.dtype("uint8")
uint16 = _numpy.dtype("uint16")
uint32 = _numpy.dtype("uint32")
uint64 = _numpy.dtype("uint64")
float16 = _numpy.dtype("float16")
float32 = _numpy.dtype("float32")
float64 = _numpy.dtype("float64")
complex64 = _numpy.dtype("complex64")
complex128 = _numpy.dtype("complex128")
dtype = _numpy.dtype

e = _math.e
pi = _math.pi
inf = _math.inf
nan = _math.nan
newaxis = None

# Set this way because type checkers take `__all__` literally, and the functions of the op table are not written here.
globals()["__all__"] = [_name for _name in dir() if not _name.startswith("_")]
