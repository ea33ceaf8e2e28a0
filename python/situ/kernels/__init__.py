"""Kernels: functions in Python that run once for every work-item of a range, where the data is.

>>> from situ import kernels, tensor
>>> @kernels.kernel
... def scale(x, factor):
...     i = kernels.get_global_id(0)
...     x[i] = factor * x[i]
>>> x = tensor.ones(3)
>>> scale[3](x, 2)
>>> x
ndarray([2., 2., 2.])
"""

from .._native import KernelCompileError, KernelFault
from . import _api
from ._api import *  # noqa: F403
from ._dispatch import CacheInfo, DeviceFunction, Kernel, call_kernel, call_kernel_async, device_func, kernel
from ._offload import offload_to_sycl_device
from ._raw import RawKernel

__all__ = [
    "CacheInfo",
    "DeviceFunction",
    "Kernel",
    "KernelCompileError",
    "KernelFault",
    "RawKernel",
    "call_kernel",
    "call_kernel_async",
    "device_func",
    "kernel",
    "offload_to_sycl_device",
]
__all__ += _api.__all__
