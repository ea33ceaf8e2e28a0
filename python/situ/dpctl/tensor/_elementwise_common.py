"""The dtypes of operands.

>>> from situ.dpctl.tensor import _elementwise_common
>>> type(_elementwise_common._get_dtype(1.5, None)).__name__
'WeakFloatingType'
"""

from __future__ import annotations

from typing import Any

import numpy

from ._type_utils import WeakBooleanType, WeakComplexType, WeakFloatingType, WeakIntegralType, _Weak

_NUMBERS: tuple[tuple[type, type[_Weak]], ...] = (
    (bool, WeakBooleanType),
    (int, WeakIntegralType),
    (float, WeakFloatingType),
    (complex, WeakComplexType),
)


def _get_dtype(o: Any, dev: Any) -> numpy.dtype[Any] | _Weak:
    """Return the dtype of an array, or what a Python number counts as; the device has every dtype."""
    if hasattr(o, "dtype"):
        own: numpy.dtype[Any] = numpy.dtype(o.dtype)
        return own
    for number, weak in _NUMBERS:
        if isinstance(o, number):
            return weak(o)
    found: numpy.dtype[Any] = numpy.asarray(o).dtype
    return found
