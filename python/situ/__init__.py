"""N-dimensional arrays that compute where their data lives.

`situ.tensor` has the arrays. Here are the places they live in: platforms, devices, contexts and queues.

>>> import situ
>>> situ.Device("cpu").filter_string
'native:cpu:0'
"""

from __future__ import annotations

import atexit as _atexit
import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import _native
from ._devices import (
    availability,
    get_composite_devices,
    get_device_cached_queue,
    get_devices,
    get_num_devices,
    get_platforms,
    has_accelerator_devices,
    has_cpu_devices,
    has_gpu_devices,
    select_accelerator_device,
    select_cpu_device,
    select_default_device,
    select_device_with_aspects,
    select_gpu_device,
)
from ._enums import backend_type, device_type, event_status_type, global_mem_cache_type
from ._listing import lsplatform
from ._native import (
    Context,
    ContextCreationError,
    Device,
    DeviceCreationError,
    DeviceError,
    Event,
    ExecutionPlacementError,
    Platform,
    Queue,
    QueueCreationError,
    SubDeviceCreationError,
    USMAllocationError,
)
from ._scope import device_context, reset_global_queue, set_global_queue
from ._timer import HostDeviceDuration, Timer

__all__ = [
    "Context",
    "ContextCreationError",
    "Device",
    "DeviceCreationError",
    "DeviceError",
    "Event",
    "ExecutionPlacementError",
    "HostDeviceDuration",
    "Platform",
    "Queue",
    "QueueCreationError",
    "SubDeviceCreationError",
    "Timer",
    "USMAllocationError",
    "availability",
    "backend_type",
    "device_context",
    "device_type",
    "event_status_type",
    "get_composite_devices",
    "get_device_cached_queue",
    "get_devices",
    "get_num_devices",
    "get_platforms",
    "global_mem_cache_type",
    "has_accelerator_devices",
    "has_cpu_devices",
    "has_gpu_devices",
    "lsplatform",
    "reset_global_queue",
    "select_accelerator_device",
    "select_cpu_device",
    "select_default_device",
    "select_device_with_aspects",
    "select_gpu_device",
    "set_global_queue",
]

__version__: str = _native.__version__

if _TYPE_CHECKING:
    from ._njit import TracingError as TracingError
    from ._njit import njit as njit
    from .kernels import kernel as kernel

# Imported when first asked for: they bring in NumPy, which takes longer than all the rest.
_LAZY = frozenset({"dpctl", "dpnp", "kernels", "memory", "numba_dpex", "numba_dppy", "random", "tensor", "utils"})
_LAZY_MEMBERS = {"kernel": "kernels", "njit": "_njit", "TracingError": "_njit"}


def __getattr__(name: str) -> _Any:
    if name in _LAZY:
        return _importlib.import_module(f"{__name__}.{name}")
    if name in _LAZY_MEMBERS:
        return getattr(_importlib.import_module(f"{__name__}.{_LAZY_MEMBERS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_LAZY_MEMBERS})


# Commands may still be in flight when the interpreter ends, and what they use must not go before they do.
_atexit.register(_native.finish_all)
