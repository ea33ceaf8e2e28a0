"""`dpctl.utils`: the same module as `situ.utils`.

>>> import situ.dpctl.utils, situ.utils
>>> situ.dpctl.utils is situ.utils
True
"""

import sys as _sys

import situ.utils as _module
from situ.utils import *  # noqa: F403  # for type checkers, which do not see the line below
from situ.utils import __all__ as __all__

_sys.modules[__name__] = _module
