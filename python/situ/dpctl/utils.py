"""`dpctl.utils`: every name of `situ.utils`.

>>> import situ.utils
>>> from situ.dpctl import utils
>>> all(getattr(utils, name) is getattr(situ.utils, name) for name in situ.utils.__all__)
True
"""

from typing import Any as _Any

import situ.utils as _module
from situ.utils import *  # noqa: F403
from situ.utils import __all__ as __all__


def __getattr__(name: str) -> _Any:
    return getattr(_module, name)
