"""The queue that a device's arrays share, where dpctl has it.

>>> from situ.dpctl import _sycl_queue_manager, get_device_cached_queue
>>> _sycl_queue_manager.get_device_cached_queue is get_device_cached_queue
True
"""

from situ import get_device_cached_queue

__all__ = ["get_device_cached_queue"]
