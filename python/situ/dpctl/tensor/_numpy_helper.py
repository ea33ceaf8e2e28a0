"""What dpctl takes from NumPy, whichever version it is.

>>> from situ.dpctl.tensor import _numpy_helper
>>> issubclass(_numpy_helper.AxisError, IndexError)
True
"""

from typing import Any

import numpy

# Older versions have the same things in other modules.
_exceptions: Any = getattr(numpy, "exceptions", numpy)
AxisError: type[Exception] = _exceptions.AxisError

__all__ = ["AxisError"]
