"""N-dimensional arrays that compute where their data lives.

>>> from situ import tensor
>>> x = tensor.arange(4, dtype=tensor.float32)
>>> tensor.asnumpy(x * 2 + 1)
array([1., 3., 5., 7.], dtype=float32)
"""

from __future__ import annotations

import math

import numpy

from .._native import ArrayDevice as Device
from .._native import (
    arange,
    asarray,
    asnumpy,
    astype,
    concat,
    copy,
    empty,
    full,
    linspace,
    ndarray,
    ones,
    zeros,
)
from . import _elementwise
from ._elementwise import *  # noqa: F403

usm_ndarray = ndarray
to_numpy = asnumpy

bool = numpy.dtype("bool")
int8 = numpy.dtype("int8")
int16 = numpy.dtype("int16")
int32 = numpy.dtype("int32")
int64 = numpy.dtype("int64")
uint8 = numpy.dtype("uint8")
uint16 = numpy.dtype("uint16")
uint32 = numpy.dtype("uint32")
uint64 = numpy.dtype("uint64")
float16 = numpy.dtype("float16")
float32 = numpy.dtype("float32")
float64 = numpy.dtype("float64")
complex64 = numpy.dtype("complex64")
complex128 = numpy.dtype("complex128")
dtype = numpy.dtype

e = math.e
pi = math.pi
inf = math.inf
nan = math.nan
newaxis = None

__all__ = [
    "Device",
    "arange",
    "asarray",
    "asnumpy",
    "astype",
    "bool",
    "complex64",
    "complex128",
    "concat",
    "copy",
    "dtype",
    "e",
    "empty",
    "float16",
    "float32",
    "float64",
    "full",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "linspace",
    "nan",
    "ndarray",
    "newaxis",
    "ones",
    "pi",
    "to_numpy",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "usm_ndarray",
    "zeros",
]
__all__ += _elementwise.__all__
