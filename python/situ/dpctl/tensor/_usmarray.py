"""The array class and DLPack's devices, where dpctl has them.

>>> import situ.tensor
>>> from situ.dpctl.tensor import _usmarray
>>> _usmarray.usm_ndarray is situ.tensor.ndarray
True
"""

from situ.tensor import DLDeviceType
from situ.tensor import ndarray as usm_ndarray

__all__ = ["DLDeviceType", "usm_ndarray"]
