"""`dpctl.tensor`: the same module as `situ.tensor`.

>>> import situ.dpctl.tensor, situ.tensor
>>> situ.dpctl.tensor is situ.tensor
True
"""

import sys as _sys

import situ.tensor as _module
from situ.tensor import *  # noqa: F403  # for type checkers, which do not see the line below
from situ.tensor import __all__ as __all__

_sys.modules[__name__] = _module
