"""`dpctl.tensor`: every name of `situ.tensor`, a few of them in dpctl's way.

>>> import situ.tensor
>>> from situ.dpctl import tensor
>>> [name for name in situ.tensor.__all__ if getattr(tensor, name) is not getattr(situ.tensor, name)]
['from_dlpack', 'offload_to', 'put', 'put_along_axis', 'take', 'take_along_axis']
"""

from typing import Any as _Any

import situ.tensor as _module
from situ.tensor import *  # noqa: F403
from situ.utils import make_offload as _make_offload

from ._adapted import *  # noqa: F403
from ._adapted import __array_namespace_info__ as __array_namespace_info__

offload_to = _make_offload(__name__)

globals()["__all__"] = _module.__dict__["__all__"]


def __getattr__(name: str) -> _Any:
    return getattr(_module, name)
