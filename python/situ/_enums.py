"""The enumerations that devices, events and selectors use."""

from __future__ import annotations

from enum import Enum

__all__ = ["backend_type", "device_type", "event_status_type", "global_mem_cache_type"]


class backend_type(Enum):
    """The family of driver a device is reached through.

    >>> import situ
    >>> situ.Device("cpu").backend
    <backend_type.native: 6>
    """

    all = 1
    cuda = 2
    hip = 3
    level_zero = 4
    opencl = 5
    native = 6
    null = 7


class device_type(Enum):
    """What sort of processor a device is.

    >>> import situ
    >>> situ.Device("cpu").device_type
    <device_type.cpu: 4>
    """

    all = 1
    accelerator = 2
    automatic = 3
    cpu = 4
    custom = 5
    gpu = 6


class event_status_type(Enum):
    """How far a command has come.

    >>> import situ
    >>> situ.Event().execution_status
    <event_status_type.complete: 4>
    """

    unknown_status = 1
    submitted = 2
    running = 3
    complete = 4


class global_mem_cache_type(Enum):
    """What a device's global-memory cache can do.

    >>> import situ
    >>> situ.Device("cpu").global_mem_cache_type
    <global_mem_cache_type.read_write: 4>
    """

    indeterminate = 1
    none = 2
    read_only = 3
    read_write = 4
