"""dpctl's names over situ's objects.

A program written for dpctl runs on situ when it imports this package in dpctl's place. Nothing here is new:
`SyclQueue` *is* `situ.Queue`, and arrays made under either name work together.

>>> import situ
>>> import situ.dpctl as dpctl
>>> dpctl.SyclQueue is situ.Queue
True
"""

from __future__ import annotations

import importlib as _importlib
from types import ModuleType as _ModuleType

from situ import (
    Context as SyclContext,
)
from situ import (
    ContextCreationError as SyclContextCreationError,
)
from situ import (
    Device as SyclDevice,
)
from situ import (
    DeviceCreationError as SyclDeviceCreationError,
)
from situ import (
    Event as SyclEvent,
)
from situ import (
    Platform as SyclPlatform,
)
from situ import (
    Queue as SyclQueue,
)
from situ import (
    QueueCreationError as SyclQueueCreationError,
)
from situ import (
    SubDeviceCreationError as SyclSubDeviceCreationError,
)
from situ import (
    Timer as SyclTimer,
)
from situ import (
    __version__,
    backend_type,
    device_context,
    device_type,
    event_status_type,
    get_composite_devices,
    get_device_cached_queue,
    get_devices,
    get_num_devices,
    get_platforms,
    global_mem_cache_type,
    has_accelerator_devices,
    has_cpu_devices,
    has_gpu_devices,
    lsplatform,
    reset_global_queue,
    select_accelerator_device,
    select_cpu_device,
    select_default_device,
    select_device_with_aspects,
    select_gpu_device,
    set_global_queue,
)

from ._sycl_queue import SyclKernelInvalidRangeError, SyclKernelSubmitError
from ._transfer import transfer_to

__all__ = [
    "SyclContext",
    "SyclContextCreationError",
    "SyclDevice",
    "SyclDeviceCreationError",
    "SyclEvent",
    "SyclKernelInvalidRangeError",
    "SyclKernelSubmitError",
    "SyclPlatform",
    "SyclQueue",
    "SyclQueueCreationError",
    "SyclSubDeviceCreationError",
    "SyclTimer",
    "__version__",
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
    "transfer_to",
]

_LAZY = frozenset({"enum_types", "memory", "program", "tensor", "utils"})


def __getattr__(name: str) -> _ModuleType:
    if name in _LAZY:
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
