"""The types that signatures of kernels name, as plain descriptions: situ compiles for what it is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .kernel_api import index_space_ids
from .kernel_api.index_space_ids import ItemType, NdItemType

__all__ = [
    "DpctlSyclEvent",
    "DpctlSyclQueue",
    "DpnpNdArray",
    "IntEnumLiteral",
    "ItemType",
    "KernelDispatcherType",
    "NdItemType",
    "NdRangeType",
    "RangeType",
    "USMNdArray",
    "index_space_ids",
    "usm_ndarray",
    "void",
    "boolean",
    "bool_",
    "b1",
    "int8",
    "i1",
    "char",
    "int16",
    "i2",
    "short",
    "int32",
    "i4",
    "intc",
    "int64",
    "i8",
    "int_",
    "intp",
    "long_",
    "longlong",
    "ssize_t",
    "uint8",
    "u1",
    "byte",
    "uchar",
    "uint16",
    "u2",
    "ushort",
    "uint32",
    "u4",
    "uintc",
    "uint64",
    "u8",
    "uint",
    "uintp",
    "ulong",
    "ulonglong",
    "size_t",
    "float32",
    "f4",
    "float_",
    "float64",
    "f8",
    "double",
    "complex64",
    "c8",
    "complex128",
    "c16",
]


@dataclass(frozen=True)
class NumberType:
    """The type of a number; stands for its dtype wherever one is wanted."""

    name: str

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of such numbers."""
        return np.dtype(self.name)

    def __repr__(self) -> str:
        return self.name

    def __call__(self, value: Any) -> Any:
        """Return a number of this type."""
        return self.dtype.type(value)


boolean = bool_ = b1 = NumberType("bool")
int8 = i1 = char = NumberType("int8")
int16 = i2 = short = NumberType("int16")
int32 = i4 = intc = NumberType("int32")
int64 = i8 = int_ = intp = long_ = longlong = ssize_t = NumberType("int64")
uint8 = u1 = byte = uchar = NumberType("uint8")
uint16 = u2 = ushort = NumberType("uint16")
uint32 = u4 = uintc = NumberType("uint32")
uint64 = u8 = uint = uintp = ulong = ulonglong = size_t = NumberType("uint64")
float32 = f4 = float_ = NumberType("float32")
float64 = f8 = double = NumberType("float64")
complex64 = c8 = NumberType("complex64")
complex128 = c16 = NumberType("complex128")


@dataclass(frozen=True)
class _Named:
    name: str

    def __repr__(self) -> str:
        return self.name


#: The type of nothing: what kernels return.
void = _Named("void")


@dataclass(frozen=True)
class USMNdArray:
    """The type of an array of situ's."""

    ndim: int
    layout: str = "C"
    dtype: Any = None
    usm_type: str = "device"
    device: Any = None
    queue: Any = None


class DpnpNdArray(USMNdArray):
    """The type of an array of dpnp's, which under situ is one of situ's."""


usm_ndarray = USMNdArray


@dataclass(frozen=True)
class RangeType:
    """The type of a `Range`."""

    ndim: int


@dataclass(frozen=True)
class NdRangeType:
    """The type of an `NdRange`."""

    ndim: int


@dataclass(frozen=True)
class KernelDispatcherType:
    """The type of a kernel."""

    dispatcher: Any


@dataclass(frozen=True)
class IntEnumLiteral:
    """The type of a member of an enumeration."""

    value: Any


@dataclass(frozen=True)
class DpctlSyclQueue:
    """The type of a queue."""

    sycl_queue: Any = None


@dataclass(frozen=True)
class DpctlSyclEvent:
    """The type of an event."""
