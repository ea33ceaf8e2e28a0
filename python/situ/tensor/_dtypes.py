"""Dtypes, which are NumPy's, and what there is to know about them.

>>> from situ import tensor
>>> tensor.float32
dtype('float32')
"""

from dataclasses import dataclass
from typing import Any

import numpy

from .._native import ndarray

__all__ = ["finfo", "iinfo", "isdtype"]

#: The dtypes of each kind, by NumPy's letter for it.
_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}
_SUPPORTED = frozenset(
    numpy.dtype(name)
    for name in (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float16", "float32", "float64", "complex64", "complex128",
    )
)  # fmt: skip


@dataclass(frozen=True)
class finfo_object:
    """The limits of a floating-point dtype, as Python floats."""

    bits: int
    eps: float
    epsneg: float
    max: float
    min: float
    smallest_normal: float
    tiny: float
    resolution: float
    precision: int
    dtype: "numpy.dtype[Any]"


def _dtype_of(x: object, function: str) -> "numpy.dtype[Any]":
    """Return the dtype of an array, or the dtype that is meant."""
    if x is None:
        raise TypeError(f"{function}: expected a dtype or an array, got None")
    found: numpy.dtype[Any] = numpy.dtype(x.dtype if isinstance(x, (ndarray, numpy.ndarray, numpy.generic)) else x)  # type: ignore[arg-type]
    if found not in _SUPPORTED:
        raise ValueError(f"{function}: {found} is not a dtype of situ")
    return found


def finfo(dtype: object, /) -> finfo_object:
    """Return the limits of a floating-point dtype, of that of a complex dtype's parts, or of an array's.

    >>> from situ import tensor
    >>> tensor.finfo(tensor.float32).eps
    1.1920928955078125e-07
    >>> tensor.finfo(tensor.complex64).bits
    32
    """
    found = _dtype_of(dtype, "finfo")
    if found.kind not in "fc":
        raise ValueError(f"finfo: {found} is not a floating-point dtype; iinfo knows about integers")
    limits: numpy.finfo[Any] = numpy.finfo(found)
    return finfo_object(
        bits=limits.bits,
        eps=float(limits.eps),
        epsneg=float(limits.epsneg),
        max=float(limits.max),
        min=float(limits.min),
        smallest_normal=float(limits.smallest_normal),
        tiny=float(limits.tiny),
        resolution=float(limits.resolution),
        precision=limits.precision,
        dtype=numpy.dtype(limits.dtype),
    )


def iinfo(dtype: object, /) -> "numpy.iinfo[Any]":
    """Return the limits of an integer dtype, or of an array's.

    >>> from situ import tensor
    >>> tensor.iinfo(tensor.int8).min, tensor.iinfo(tensor.int8).max
    (-128, 127)
    """
    found = _dtype_of(dtype, "iinfo")
    if found.kind not in "iu":
        raise ValueError(f"iinfo: {found} is not an integer dtype; finfo knows about floating-point numbers")
    return numpy.iinfo(found)


def isdtype(dtype: "numpy.dtype[Any]", kind: "numpy.dtype[Any] | str | tuple[Any, ...]") -> bool:
    """Tell whether a dtype is of a kind: another dtype, the name of a kind, or any of a tuple of those.

    >>> from situ import tensor
    >>> tensor.isdtype(tensor.int8, "integral"), tensor.isdtype(tensor.int8, (tensor.float32, "bool"))
    (True, False)
    """
    if not isinstance(dtype, numpy.dtype):
        raise TypeError(f"isdtype: dtype must be a dtype, got {type(dtype).__name__}")
    if isinstance(kind, tuple):
        # All of them are looked at: a wrong one is an error whatever the others say.
        return any([isdtype(dtype, one) for one in kind])
    if isinstance(kind, numpy.dtype):
        return dtype == kind
    if not isinstance(kind, str):
        raise TypeError(f"isdtype: kind must be a dtype, a string or a tuple of those, got {type(kind).__name__}")
    if kind not in _KINDS:
        raise ValueError(f"isdtype: {kind!r} is not a kind of dtype; the kinds are {', '.join(map(repr, _KINDS))}")
    return dtype.kind in _KINDS[kind]
