"""`import dpctl`, where this is the one that is found, is `situ.dpctl`.

A package rather than an entry in `sys.modules`, because processes that a program starts find it, too, on their path.
"""

import sys as _sys

import situ.dpctl as _package
from situ.dpctl import _alias

if __name__ == "dpctl":
    _alias.install()
    # The import statement returns what stands here in the end.
    _sys.modules[__name__] = _package
