"""The dtype of what `where` chooses.

>>> import situ
>>> from situ.dpctl.tensor import _search_functions
>>> _search_functions._where_result_type("i4", "f4", situ.Device("cpu"))
dtype('float64')
"""

from __future__ import annotations

from typing import Any

import numpy

from ._type_utils import _all_data_types, _Aspects, _to_device_supported_dtype


def _where_result_type(dt1: Any, dt2: Any, dev: _Aspects) -> numpy.dtype[Any] | None:
    """Return the dtype that both are promoted to on a device, or None if it has no such dtype."""
    known = _all_data_types(dev.has_aspect_fp16, dev.has_aspect_fp64)
    if numpy.dtype(dt1) not in known or numpy.dtype(dt2) not in known:
        return None
    return _to_device_supported_dtype(numpy.result_type(dt1, dt2), dev)
