"""`dpctl.memory`: the same module as `situ.memory`.

>>> import situ.dpctl.memory, situ.memory
>>> situ.dpctl.memory is situ.memory
True
"""

import sys as _sys

import situ.memory as _module
from situ.memory import *  # noqa: F403  # for type checkers, which do not see the line below
from situ.memory import __all__ as __all__

_sys.modules[__name__] = _module
