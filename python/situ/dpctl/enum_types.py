"""`dpctl.enum_types`: the enumerations.

>>> import situ, situ.dpctl.enum_types
>>> situ.dpctl.enum_types.device_type is situ.device_type
True
"""

from situ import backend_type, device_type, event_status_type, global_mem_cache_type

__all__ = ["backend_type", "device_type", "event_status_type", "global_mem_cache_type"]
