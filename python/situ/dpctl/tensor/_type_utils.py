"""Which dtypes a device has, and what may become what there.

A device is anything that tells `has_aspect_fp16` and `has_aspect_fp64`.

>>> from situ.dpctl.tensor import _type_utils
>>> _type_utils._can_cast("i8", "f4", True, True), _type_utils._can_cast("i8", "f4", True, False)
(False, True)
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy

_KINDS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
_WIDER = {numpy.dtype("f4"): numpy.dtype("f8"), numpy.dtype("c8"): numpy.dtype("c16")}
_NARROWER = {wide: narrow for narrow, wide in _WIDER.items()}


class _Aspects(Protocol):
    has_aspect_fp16: bool
    has_aspect_fp64: bool


class _Weak:
    """A Python number as an operand: its kind counts, its size does not."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def get(self) -> Any:
        """Return the number."""
        return self._value


class WeakBooleanType(_Weak):
    """A Python bool as an operand."""


class WeakIntegralType(_Weak):
    """A Python int as an operand."""


class WeakFloatingType(_Weak):
    """A Python float as an operand."""


class WeakComplexType(_Weak):
    """A Python complex as an operand."""


_WEAK: tuple[type[_Weak], ...] = (WeakBooleanType, WeakIntegralType, WeakFloatingType, WeakComplexType)


def _all_data_types(_fp16: bool, _fp64: bool) -> list[numpy.dtype[Any]]:
    """Return the dtypes of a device that may have no half or double precision."""
    names = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
    missing = {*(() if _fp16 else ("f2",)), *(() if _fp64 else ("f8", "c16"))}
    return [numpy.dtype(name) for name in names if name not in missing]


def _to_device_supported_dtype(dt: Any, dev: _Aspects) -> numpy.dtype[Any]:
    """Return the dtype itself, or the one that stands for it on a device without such numbers."""
    wanted: numpy.dtype[Any] = numpy.dtype(dt)
    if not dev.has_aspect_fp64:
        wanted = _NARROWER.get(wanted, wanted)
    if not dev.has_aspect_fp16 and wanted == numpy.float16:
        wanted = numpy.dtype("f4")
    return wanted


def _can_cast(from_: Any, to_: Any, _fp16: bool, _fp64: bool, casting: Any = "safe") -> bool:
    """Tell whether a cast is allowed on a device: without doubles, the floats there stand for them."""
    target: numpy.dtype[Any] = numpy.dtype(to_)
    return numpy.can_cast(from_, target if _fp64 else _WIDER.get(target, target), casting)


def _strong_dtype_num_kind(o: Any) -> int:
    """Return the place of a dtype's kind among bool, integer, real and complex."""
    if not isinstance(o, numpy.dtype):
        raise TypeError(f"expected a dtype, got {type(o).__name__}")
    if o.kind not in _KINDS:
        raise ValueError(f"{o} is not a dtype of situ")
    return _KINDS[o.kind]


def _weak_type_num_kind(o: Any) -> int:
    """Return the place of a Python number's kind among bool, integer, real and complex."""
    for place, kind in enumerate(_WEAK):
        if isinstance(o, kind):
            return place
    raise TypeError(f"expected a Python number as an operand, got {type(o).__name__}")
