"""`dpctl.memory`: every name of `situ.memory`.

>>> import situ.memory
>>> from situ.dpctl import memory
>>> all(getattr(memory, name) is getattr(situ.memory, name) for name in situ.memory.__all__)
True
"""

from typing import Any as _Any

import situ.memory as _module
from situ.memory import *  # noqa: F403
from situ.memory import __all__ as __all__


def __getattr__(name: str) -> _Any:
    return getattr(_module, name)
