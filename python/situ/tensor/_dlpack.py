"""DLPack's devices.

>>> from situ import tensor
>>> tensor.ones(3, device="cpu").__dlpack_device__()
(<DLDeviceType.kDLCPU: 1>, 0)
"""

import enum
import operator

from .._native import Device, devices

__all__ = ["DLDeviceType", "dldevice_to_sycl_device", "sycl_device_to_dldevice"]


class DLDeviceType(enum.IntEnum):
    """The types of devices that DLPack has numbers for.

    >>> from situ import tensor
    >>> tensor.DLDeviceType.kDLCUDA
    <DLDeviceType.kDLCUDA: 2>
    """

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


def dldevice_to_sycl_device(dl_dev: tuple[int, int], /) -> Device:
    """Return the device that DLPack means by a type and a number.

    >>> from situ import tensor
    >>> tensor.dldevice_to_sycl_device((tensor.DLDeviceType.kDLCPU, 0)).filter_string
    'native:cpu:0'
    """
    if not isinstance(dl_dev, tuple) or len(dl_dev) != 2:
        raise TypeError(f"dldevice_to_sycl_device: dl_dev must be a pair (type, number), got {dl_dev!r}")
    try:
        kind, number = (operator.index(part) for part in dl_dev)
    except TypeError:
        raise TypeError(f"dldevice_to_sycl_device: type and number must be integers, got {dl_dev!r}") from None
    if kind == DLDeviceType.kDLCPU:
        if number != 0:
            raise ValueError(f"dldevice_to_sycl_device: the host is device (1, 0); there is no (1, {number})")
        return Device("native:cpu:0")
    if kind in (DLDeviceType.kDLCUDA, DLDeviceType.kDLCUDAManaged) and number >= 0:
        visible = [device for device in devices() if device.backend.name == "cuda"]
        for device in visible:
            if device._number == number:
                return device
        if visible:
            numbers = ", ".join(str(device._number) for device in visible)
            raise ValueError(f"dldevice_to_sycl_device: CUDA device {number} cannot be seen here; these can: {numbers}")
        return Device("cuda")  # which says why there is none
    raise ValueError(f"dldevice_to_sycl_device: situ has no device ({kind}, {number}); it knows kDLCPU and kDLCUDA")


def sycl_device_to_dldevice(dev: Device, /) -> tuple[DLDeviceType, int]:
    """Return the type and the number by which DLPack knows a device; a sub-device goes by its whole device's.

    >>> import situ
    >>> from situ import tensor
    >>> tensor.sycl_device_to_dldevice(situ.Device("cpu"))
    (<DLDeviceType.kDLCPU: 1>, 0)
    """
    if not isinstance(dev, Device):
        raise TypeError(f"sycl_device_to_dldevice: dev must be a Device, got {type(dev).__name__}")
    whole = dev.get_unpartitioned_parent_device()
    backend = whole.backend.name
    if whole.is_cpu:
        return DLDeviceType.kDLCPU, 0
    if backend == "cuda":
        return DLDeviceType.kDLCUDA, whole._number
    return DLDeviceType.kDLExtDev, 0
